// @ts-check
// versions/order.py and versions/select.py: reading versions, ordering them within a scheme or by date, and the release that is meant.

import { dotted, order } from "./pep440.js";

/** @typedef {import("./pep440.js").Key} Key */
/** @typedef {{key: Key, release: number[], final: boolean, main: boolean}} Ordered */
/** @typedef {{scheme: string, text: string, date: string | null, ordered: Ordered | null}} Version `ordered` is null where only a date places it; of a build between two that are dated, `date` has the days of both */
/** @typedef {"less" | "equal" | "greater"} Order */

const UNTAGGED = new Set(["0", "0.0", "0.0.0", "0.1"]); // what a build tool writes when it finds no tag
const NUMBER = "(?:0|[1-9]\\d*)";
const SEMVER = new RegExp(`^v?(${NUMBER})\\.(${NUMBER})(?:\\.(${NUMBER}))?(?:-([0-9A-Za-z.-]+))?(?:\\+[0-9A-Za-z.-]+)?$`);
const PRERELEASE = new RegExp(`^(?:${NUMBER}|\\d*[A-Za-z-][0-9A-Za-z-]*)$`);
const NAME = /^(?=.*[A-Za-z])(?=.*[0-9:/])[A-Za-z0-9][A-Za-z0-9._:/@+-]*$/;
const COMMIT = /^[0-9a-f]{7,40}$/;
const NUMBERED = /^b(\d{1,5})$/; // the builds of a project that is otherwise known by its commits
const MOVING = new Set(["main", "master", "trunk", "head", "latest", "nightly", "dev", "stable"]);
/** Those that are the main branch, which holds whatever was merged the day before. */
const BRANCH = new Set(["main", "master", "trunk", "head", "nightly"]);
const MOST_CHARACTERS = 200;
const PATTERN = /^v?(\d+(?:\.\d+)*)\.[*x]$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * The version that a text names; null where it names none.
 * @param {string} scheme @param {string} written @param {string | null} [date] @returns {Version | null}
 */
export function parseVersion(scheme, written, date = null) {
  const text = written.trim();
  if (text.length > MOST_CHARACTERS) return null;
  const ordered = READERS[scheme](text);
  const named = COMMIT.test(text) || MOVING.has(text.toLowerCase()) || (NAME.test(text) && !PATTERN.test(text));
  return ordered || named ? { scheme, text, date, ordered } : null;
}

/** @type {Record<string, (text: string) => Ordered | null>} */
const READERS = { pep440, semver, build, commit: () => null };

/** @param {string} text @returns {Ordered | null} */
function pep440(text) {
  if (COMMIT.test(text) && !/^\d+$/.test(text)) return null; // PEP 440 would read the commit 4b12345 as a beta
  const version = dotted(text);
  if (!version || (version.dev && !version.pre && UNTAGGED.has(version.release.join(".")))) return null;
  const [major, minor = 0, micro = 0, ...rest] = version.release;
  // A local label (+cu128) names a build of the same source, so it does not order.
  return { key: version.public, release: [major, minor, micro, ...rest], final: !version.pre && !version.dev, main: version.dev && version.pre };
}

/** @param {string} text @returns {Ordered | null} */
function semver(text) {
  const match = SEMVER.exec(text);
  const parts = match?.[4] ? match[4].split(".") : [];
  if (!match || !parts.every((part) => PRERELEASE.test(part))) return null;
  const release = match.slice(1, 4).map((number) => Number(number ?? 0));
  // A pre-release comes before its release; numbers compare as numbers and come before words.
  const pre = parts.map((part) => (/^\d+$/.test(part) ? [0, Number(part), ""] : [1, 0, part]));
  return { key: [release, !parts.length, pre], release, final: !parts.length, main: false };
}

/** @param {string} text @returns {Ordered | null} */
function build(text) {
  const match = /^b?(\d+)$/.exec(text);
  return match && { key: Number(match[1]), release: [], final: true, main: false };
}

/** X and Y of X.Y.Z; null where the scheme has none. @param {Version} version */
export function minor(version) {
  return version.ordered?.release.length ? version.ordered.release.slice(0, 2) : null;
}

/** Whether it was built from the main branch between releases: X.Y.Zrc1.devN, or the branch itself on a day. @param {Version} version */
export function isMainBuild(version) {
  return version.ordered ? version.ordered.main : BRANCH.has(version.text.toLowerCase());
}

/**
 * By the scheme where both have an order in it, else by date; null where neither tells.
 * @param {Version} one @param {Version} other @returns {Order | null}
 */
export function compare(one, other) {
  if (one.ordered && other.ordered && one.scheme === other.scheme) return word(order(one.ordered.key, other.ordered.key));
  if ([one, other].every((version) => version.scheme === "commit" && NUMBERED.test(version.text))) {
    return word(Number(one.text.slice(1)) - Number(other.text.slice(1)));
  }
  const moving = MOVING.has(one.text.toLowerCase());
  if (one.scheme === other.scheme && sameName(one.text, other.text) && (!moving || (one.date === other.date && other.date !== null))) return "equal";
  return one.date && other.date ? byDays(one.date, other.date) : null;
}

/** @param {string} one @param {string} other @returns {Order | null} */
function byDays(one, other) {
  const [[first, last], [start, end]] = [daysOf(one), daysOf(other)];
  return last < start ? "less" : first > end ? "greater" : null;
}

/** The first and the last day that a date, or the two dates of a build between others, leave open. @param {string} date @returns {[string, string]} */
export function daysOf(date) {
  const [first, last = first] = date.split("/");
  return [first, last];
}

/**
 * The days between which a numbered build was made, from those of builds whose dates are known; null for any other version.
 * @param {string} text @param {Record<string, string>} dates @returns {string | null}
 */
export function dateOfBuild(text, dates) {
  const match = NUMBERED.exec(text);
  const known = Object.entries(dates).flatMap(([name, day]) => (NUMBERED.test(name) ? [{ number: Number(name.slice(1)), day }] : []));
  if (!match || !known.length) return null;
  known.sort((one, other) => one.number - other.number);
  const before = known.filter(({ number }) => number < Number(match[1]));
  const after = known.filter(({ number }) => number > Number(match[1]));
  return `${before.at(-1)?.day ?? "0001-01-01"}/${after[0]?.day ?? "9999-12-31"}`;
}

/** @param {number} difference @returns {Order} */
function word(difference) {
  return difference < 0 ? "less" : difference > 0 ? "greater" : "equal";
}

/** @param {string} one @param {string} other */
function sameName(one, other) {
  const [shorter, longer] = one.length <= other.length ? [one, other] : [other, one];
  return one === other || (COMMIT.test(shorter) && COMMIT.test(longer) && longer.startsWith(shorter));
}

/**
 * Like compare, and null for a main build against a release of the same X.Y from its Z on: neither need hold what the other has.
 * @param {Version} one @param {Version} other
 */
export function placed(one, other) {
  return diverged(one, other) ? null : compare(one, other);
}

/** @param {Version} one @param {Version} other */
function diverged(one, other) {
  if (isMainBuild(one) === isMainBuild(other) || minor(one) === null || String(minor(one)) !== String(minor(other))) return false;
  const [main, release] = isMainBuild(one) ? [one, other] : [other, one];
  return order((release.ordered?.release ?? []).slice(2), (main.ordered?.release ?? []).slice(2)) >= 0;
}

/** Days from one date to another, by the first that each leaves open; null where one is unknown. @param {string | null | undefined} earlier @param {string | null | undefined} later */
export function daysBetween(earlier, later) {
  return earlier && later ? Math.round((Date.parse(daysOf(later)[0]) - Date.parse(daysOf(earlier)[0])) / 86_400_000) : null;
}

/**
 * The release that a person means: an exact version, `0.11.*`, a date (the newest until then), or null (the newest); null where none is meant.
 * @param {string} scheme @param {string | null} wanted @param {{version: string, date: string}[]} releases @returns {{version: string, assumed: boolean} | null}
 */
export function select(scheme, wanted, releases) {
  const known = releases.map((entry) => parseVersion(scheme, entry.version, entry.date)).filter((version) => version !== null);
  if (wanted === null) return newest(known, true);
  const text = wanted.trim();
  if (DATE.test(text)) return isDay(text) ? newest(known.filter((version) => version.date && version.date <= text), false) : null;
  const pattern = PATTERN.exec(text);
  if (pattern) {
    const start = pattern[1].split(".").map(Number);
    return newest(known.filter((version) => version.ordered && start.every((number, place) => version.ordered?.release[place] === number)), false);
  }
  const exact = parseVersion(scheme, text);
  const named = known.filter((version) => version.text === text);
  const same = named.length ? named : known.filter((version) => exact && compare(version, exact) === "equal");
  // A commit's first digits may fit two; equal numbers are one release with and without a label.
  return same.length === 1 || (same.length && exact?.ordered) ? { version: same[0].text, assumed: false } : null;
}

/** Whether YYYY-MM-DD is a day. @param {string} text */
export function isDay(text) {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The highest final release, else the highest pre-release, else the latest date. @param {Version[]} versions @param {boolean} assumed */
function newest(versions, assumed) {
  const ordered = versions.filter((version) => version.ordered);
  const final = ordered.filter((version) => version.ordered?.final);
  const dated = versions.filter((version) => version.date);
  const best = first(final.length ? final : ordered, (version) => version.ordered?.key ?? 0) ?? first(dated, (version) => version.date ?? "");
  return best && { version: best.text, assumed };
}

/** The first of the largest. @param {Version[]} versions @param {(version: Version) => Key} key @returns {Version | null} */
function first(versions, key) {
  return versions.reduce((/** @type {Version | null} */ best, version) => (best && order(key(best), key(version)) >= 0 ? best : version), null);
}
