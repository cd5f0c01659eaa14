// @ts-check
// versions/spans.py: entries of a record that hold for a span of versions and were read at some of them, such as cache policies and builds.

import { carry } from "./carry.js";
import { compare, parseVersion } from "./versions.js";

/** @typedef {{since?: string, until?: string, seen_at: string[]}} Entry */
/** @typedef {{scheme: string, releases?: {version: string, date: string | null}[]}} Spanned the fields of an engine's record that are read */

/** How far what was read is carried, as versions/carry.py has it where nothing else is said. */
const THRESHOLDS = { carry_minor_releases: 3, carry_days: 120 };

/**
 * How an entry reaches a version from those in its `seen_at`; null where the version lies outside its span.
 * @param {Spanned} engine @param {Entry} entry @param {string} version
 */
export function reach(engine, entry, version) {
  if (!isWithin(engine, entry, version)) return null;
  const dates = datesOf(engine);
  const read = entry.seen_at.map((text) => ({ version: text, date: dates[text] ?? null, status: "native" }));
  return carry(engine.scheme, read, version, dates[version] ?? null, THRESHOLDS);
}

/** @param {Spanned} engine @returns {Record<string, string | null>} */
function datesOf(engine) {
  return Object.fromEntries((engine.releases ?? []).map((release) => [release.version, release.date]));
}

/**
 * Whether a version lies from `since` on and before `until`; bounds that cannot be ordered with it do not exclude it.
 * @param {Spanned} engine @param {{since?: string, until?: string}} entry @param {string} version
 * @param {string | null} [date] the day of a build that the record does not list
 */
export function isWithin(engine, entry, version, date) {
  const { scheme } = engine, dates = datesOf(engine);
  const wanted = parseVersion(scheme, version, date || dates[version]);
  /** @param {string | undefined} text */
  const order = (text) => {
    const bound = text === undefined ? null : parseVersion(scheme, text, dates[text]);
    return bound && wanted ? compare(wanted, bound) : null;
  };
  return order(entry.since) !== "less" && !["equal", "greater"].includes(order(entry.until) ?? "");
}
