// @ts-check
// versions/affected.py: whether a version has a fault, from the versions at which it was observed, introduced and fixed.

import { holdsChange } from "./builds.js";
import { decided, maybe } from "./truth.js";
import { compare, dateOfBuild, daysBetween, daysOf, isMainBuild, parseVersion, placed } from "./versions.js";

/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./versions.js").Version} Version */
/** @typedef {(text: string | null | undefined) => Version | null} Reader */

/**
 * `dates`: the days of the component's known versions, which place nightlies. `stale`: carried from an older observation. `changes`: numbers
 * of merged changes of the component's repository that the build is told to hold, whatever its version.
 * @param {string} scheme @param {any} component an entry of `affects` @param {any} gotcha @param {string | null} version @param {string | null | undefined} date
 * @param {Record<string, string>} dates @param {string} today @param {number} staleDays
 * @param {number[]} changes @param {string | null} repository @returns {{truth: Truth, stale: boolean}}
 */
export function affected(scheme, component, gotcha, version, date, dates, today, staleDays, changes, repository) {
  const name = component.engine ?? component.component;
  const fact = `${name}.version`;
  const holds = (/** @type {string} */ what) => holdsChange(changes, component[what]?.pr, repository);
  if (holds("fixed")) return { truth: decided(false, `${version === null ? `this build of ${name}` : `${name} ${version}`} holds the change that mended it`, fact), stale: false };
  if (version === null) return { truth: maybe(`the version of ${name}`, fact), stale: false };
  const wanted = parseVersion(scheme, version, date ?? dateOf(version, dates));
  if (!wanted) return { truth: maybe(`${name} ${version} is no ${scheme} version`, fact, "untested"), stale: false };
  const age = daysBetween(gotcha.read_on, today);
  const stillOpen = ["open", "wontfix"].includes(gotcha.status) && age !== null && age <= staleDays;
  /** @type {Reader} */
  const read = (text) => (text ? parseVersion(scheme, text, dateOf(text, dates)) : null);
  const { value, because, stale } = judge(wanted, component, read, stillOpen, firstReport(gotcha.reported, dates), holds("introduced"));
  const text = `${name} ${version} ${because}`;
  return { truth: value === null ? maybe(text, fact, "untested") : decided(value, text, fact), stale };
}

/** @param {string} version @param {Record<string, string>} dates */
function dateOf(version, dates) {
  return dates[version] ?? dateOfBuild(version, dates);
}

/** The day of the report, as that of the newest release until then. @param {string | null} reported @param {Record<string, string>} dates */
function firstReport(reported, dates) {
  const until = Object.values(dates).filter((day) => reported && day <= reported);
  return until.length ? until.sort()[until.length - 1] : reported;
}

/**
 * The value, the reason as the end of a sentence, and whether it is stale.
 * @param {Version} wanted @param {any} component @param {Reader} read @param {boolean} stillOpen @param {string | null} reported
 * @param {boolean} brought whether the build holds what introduced it
 */
function judge(wanted, component, read, stillOpen, reported, brought) {
  const observed = (component.observed ?? []).map(read).filter(Boolean);
  const introduced = read(component.introduced?.version);
  const mended = isMended(wanted, component.fixed ?? {}, read);
  const orders = new Set([...observed, introduced].flatMap((at) => (at ? [placed(at, wanted)] : [])));
  if (brought) orders.add("less");
  const reportedBefore = reported && wanted.date && wanted.date >= reported;
  /** @param {boolean | null} value @param {string} because @param {boolean} [stale] */
  const found = (value, because, stale = false) => ({ value, because, stale });
  if (observed.some((/** @type {Version} */ at) => compare(at, wanted) === "equal")) return found(true, "is where it was observed");
  if (introduced && !brought && !isNightly(wanted) && placed(wanted, introduced) === "less") {
    return found(false, `is before ${introduced.text}, which brought it`);
  }
  if (mended) return found(false, "holds the fix");
  if (!orders.size && reportedBefore && mended === false) return found(true, "was released between the report and the fix");
  if (!orders.size && reportedBefore && stillOpen) return found(true, "was released after the report, and the thread is open", true);
  if (!orders.size) return found(null, "may have it: nobody says at which version it was seen");
  if (!orders.has("less") && !orders.has("equal")) {
    if (reportedBefore && mended === false) return found(true, "was released between the report and the fix");
    return found(null, orders.has("greater") ? "is before the first observation" : "cannot be ordered with the observations");
  }
  if (mended === false) return found(true, "is from before the fix");
  if (orders.has("greater")) return found(true, "lies between two observations");
  if (orders.has("equal")) return found(true, "brought it");
  return stillOpen ? found(true, "is after the last observation, and the thread is open", true) : found(null, "is after the last observation");
}

/** Whether a change may be inside before the release that is numbered for it. @param {Version} version */
function isNightly(version) {
  return isMainBuild(version) || (!version.ordered && version.scheme !== "commit");
}

/**
 * Whether a version holds the fix; null where the dates and numbers there are do not tell.
 * @param {Version} wanted @param {any} fixed @param {Reader} read
 */
function isMended(wanted, fixed, read) {
  const first = read(fixed.first_release);
  const order = first ? placed(wanted, first) : null;
  if (order === "equal" || order === "greater") return true;
  if (fixed.merged && wanted.date && daysOf(wanted.date)[1] < fixed.merged) return false;
  const onMain = isMainBuild(wanted) || wanted.scheme === "commit";
  if (fixed.merged && wanted.date && daysOf(wanted.date)[0] > fixed.merged && onMain) return true;
  return order === "less" && !onMain && !isNightly(wanted) ? false : null;
}
