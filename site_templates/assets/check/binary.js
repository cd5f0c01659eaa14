// @ts-check
// join/binary.py: whether the released build has code for the hardware, and the driver is new enough for it.

import { sourcesOf } from "./claims.js";
import { hop } from "./hops.js";
import { reach } from "./spans.js";
import { compare, parseVersion } from "./versions.js";

/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./carry.js").Carried} Carried */
/** @typedef {import("./spans.js").Entry & {platform: string, classes: string[], cuda?: string, driver?: string, cites: {id: string, at?: string}[]}} Build */

/**
 * The hop, from the `builds` of the engine's record; null where no class is named, or no build of its platform is on record.
 * @param {import("./hops.js").Joiner} joiner @param {import("./stack.js").Stack} stack @returns {Hop | null}
 */
export function binary(joiner, stack) {
  const engine = joiner.engine.data;
  const place = stack.get("hardware.class");
  const platform = stack.get("platform");
  /** @type {Build[]} */
  const builds = (engine.builds ?? []).filter((/** @type {Build} */ build) => build.platform === platform);
  if (place === undefined || !builds.length) return null;
  const { version } = joiner.release;
  const reached = builds.map((build) => ({ build, carried: reach(engine, build, version) })).find(({ carried }) => carried?.status);
  const { build, carried } = reached ?? { build: builds[0], carried: null };
  const sources = sourcesOf(joiner.data, build.cites);
  if (!carried) {
    const finding = `what builds have code for was read at ${build.seen_at.join(", ")}, and does not reach ${version}`;
    return hop("binary", "unknown", finding, { optional: true, sources });
  }
  const common = { how: carried.how, stale: carried.stale, version: build.seen_at[0], sources };
  const refused = { ...common, value: "unsupported", consequence: "refuses" };
  if (!build.classes.includes(place)) {
    const until = hadUntil(engine.scheme, builds, place);
    const earlier = until === null ? "" : `. Releases before ${until} had it`;
    return hop("binary", "fails", `the released build has no code for ${place}; it has it for ${build.classes.join(", ")}${earlier}`, refused);
  }
  const driver = stack.get("driver.version");
  if (build.driver && driver !== undefined && isOlder(String(driver), build.driver)) {
    const finding = `the released build needs a driver of at least ${build.driver}, and this one is ${driver}`;
    return hop("binary", "fails", finding, { ...refused, avoided_by: `Update the driver to ${build.driver} or newer.` });
  }
  const made = [build.cuda && `made with CUDA ${build.cuda}`, build.driver && `for drivers from ${build.driver} on`].filter(Boolean);
  return hop("binary", "holds", [`the released build has code for ${place}`, ...made].join(", "), { ...common, value: "native" });
}

/**
 * The version with which builds lost their code for a class, the latest where there are several; null where none is known to have had it.
 * @param {string} scheme @param {Build[]} builds @param {string} place
 */
function hadUntil(scheme, builds, place) {
  /** @type {string | null} */
  let latest = null;
  for (const { classes, until } of builds) {
    if (until === undefined || !classes.includes(place)) continue;
    const [old, later] = [latest === null ? null : parseVersion(scheme, latest), parseVersion(scheme, until)];
    if (old === null || (later && compare(old, later) === "less")) latest = until;
  }
  return latest;
}

/** Whether one version of a driver comes before another; false where they cannot be ordered. @param {string} one @param {string} other */
function isOlder(one, other) {
  const [first, second] = [parseVersion("pep440", one), parseVersion("pep440", other)];
  return Boolean(first && second && compare(first, second) === "less");
}
