// @ts-check
// versions/carry.py: what sources that were read at some versions say of the version that somebody asks about.

import { compare, daysBetween, isMainBuild, minor, parseVersion, placed } from "./versions.js";

/** @typedef {import("./versions.js").Version} Version */
/** @typedef {{version: string, date: string | null, status: string}} Observation */
/** @typedef {"exact" | "same-minor" | "interpolated" | "carried" | "carried-back" | "changed" | "before" | "none"} How */
/** @typedef {{status: string | null, how: How, reason: string, stale: boolean, between: [string, string] | null, basis: string[]}} Carried `basis`: the versions whose snapshots decided */
/** @typedef {{at: Version, status: string}[]} Seen */

const CARRIES_FORWARD = new Set(["native", "fallback", "plugin", "redirected", "rewritten", "partial", "known-issues"]);
const CARRIES_BACK = new Set(["unsupported"]);

/**
 * What observations of one proposition say about a version: at it, in its X.Y, between two, or near enough to one.
 * @param {string} scheme @param {Observation[]} observations @param {string} version @param {string | null} date
 * @param {{carry_minor_releases: number, carry_days: number}} thresholds @returns {Carried}
 */
export function carry(scheme, observations, version, date, thresholds) {
  const wanted = parseVersion(scheme, version, date);
  if (!wanted) return found(null, "none", `${version} is no ${scheme} version`);
  /** @type {Seen} */
  const seen = observations.flatMap((one) => {
    const at = parseVersion(scheme, one.version, one.date);
    return at ? [{ at, status: one.status }] : [];
  });
  const exact = seen.filter((one) => compare(one.at, wanted) === "equal");
  if (exact.length) return settle(exact, "exact", `read at ${exact[0].at.text}`);
  const line = lineOf(wanted);
  const own = seen.filter((one) => line !== null && lineOf(one.at) === line);
  const [lower, upper] = neighbours(own.length ? own : seen, wanted);
  if (lower.length && upper.length) return between(lower, upper, own.length ? "same-minor" : "interpolated");
  if (own.length) {
    const near = lower.length ? lower : upper;
    return settle(near, "same-minor", `read at ${near[0].at.text}, of the same X.Y`);
  }
  if (lower.length) return forward(lower, wanted, thresholds);
  if (upper.length) return back(upper);
  const unplaced = `none of the versions on record can be placed before or after ${version}`;
  return found(null, "none", seen.length ? unplaced : "no source on record speaks of it");
}

/** @param {string | null} status @param {How} how @param {string} reason @param {Partial<Carried>} [more] @returns {Carried} */
function found(status, how, reason, more = {}) {
  return { status, how, reason, stale: false, between: null, basis: [], ...more };
}

/** The observations next below the wanted version and next above it. @param {Seen} seen @param {Version} wanted @returns {[Seen, Seen]} */
function neighbours(seen, wanted) {
  const below = seen.filter((one) => placed(one.at, wanted) === "less");
  const above = seen.filter((one) => placed(one.at, wanted) === "greater");
  return [outermost(below, "greater"), outermost(above, "less")];
}

/** @param {Seen} seen @param {"less" | "greater"} side */
function outermost(seen, side) {
  /** @type {Seen} */
  let best = [];
  for (const one of seen) {
    const order = best.length ? compare(one.at, best[0].at) : side;
    if (order === side) best = [one];
    else if (order === "equal") best.push(one);
  }
  return best;
}

/** Builds of the main branch share X.Y with a release that was cut before them, and not its content. @param {Version} version */
function lineOf(version) {
  const numbers = minor(version);
  return numbers && `${numbers} ${isMainBuild(version)}`;
}

/**
 * One status out of observations at one version, or none where they disagree.
 * @param {Seen} seen @param {How} how @param {string} reason @param {Partial<Carried>} [more]
 */
function settle(seen, how, reason, more = {}) {
  const basis = [...new Set(seen.map((one) => one.at.text))];
  const statuses = [...new Set(seen.map((one) => one.status))].sort();
  if (statuses.length > 1) return found(null, "none", `sources of ${basis[0]} disagree: ${statuses.join(", ")}`, { basis });
  return found(statuses[0], how, reason, { basis, ...more });
}

/** @param {Seen} lower @param {Seen} upper @param {How} how */
function between(lower, upper, how) {
  const [a, b] = [lower, upper].map((side) => settle(side, "exact", ""));
  /** @type {[string, string]} */
  const pair = [lower[0].at.text, upper[0].at.text];
  const basis = [...a.basis, ...b.basis];
  if (a.status === null || b.status === null) return a.status === null ? a : b;
  if (a.status === b.status) return found(a.status, how, `the same at ${pair[0]} and ${pair[1]}`, { between: pair, basis });
  const reason = `${a.status} at ${pair[0]}, ${b.status} at ${pair[1]}: changed in (${pair[0]}, ${pair[1]}]`;
  return found(null, "changed", reason, { between: pair, basis });
}

/** @param {Seen} lower @param {Version} wanted @param {{carry_minor_releases: number, carry_days: number}} thresholds */
function forward(lower, wanted, thresholds) {
  const newest = settle(lower, "exact", "");
  const { at } = lower[0];
  const { status, basis } = newest;
  if (status === null) return newest;
  if (!CARRIES_FORWARD.has(status)) {
    return found(null, "none", `${status} at ${at.text}, the latest version on record; whether later ones have it is not known`, { basis });
  }
  const [minors, days] = [minorsBetween(at, wanted), daysBetween(at.date, wanted.date)];
  const distance = [minors === null ? [] : `${minors} minor releases`, days === null ? [] : `${days} days`].flat().join(", ");
  const reason = `last read at ${at.text}, ${distance || "an unknown time"} before`;
  if ((minors !== null && minors <= thresholds.carry_minor_releases) || (days !== null && days <= thresholds.carry_days)) {
    return found(status, "carried", reason, { stale: true, basis });
  }
  return found(null, "none", `${reason}, which is too long ago to say`, { basis });
}

/** @param {Seen} upper */
function back(upper) {
  const { at } = upper[0];
  const oldest = settle(upper, "carried-back", `read at ${at.text}, the earliest version on record`);
  if (oldest.status === null || CARRIES_BACK.has(oldest.status)) return oldest;
  return found(null, "before", `${oldest.status} at ${at.text}, the earliest version on record; of earlier ones it is not known`, { basis: oldest.basis });
}

/**
 * Minor releases from one to the other; null where X differs, for then nobody knows how many lie between.
 * @param {Version} old @param {Version} later
 */
export function minorsBetween(old, later) {
  const [a, b] = [minor(old), minor(later)];
  return a && b && a[0] === b[0] ? b[1] - a[1] : null;
}
