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
  /** @type {Record<string, string | null>} */
  const dates = Object.fromEntries((engine.releases ?? []).map((release) => [release.version, release.date]));
  if (!isWithin(engine.scheme, entry, dates, version)) return null;
  const read = entry.seen_at.map((text) => ({ version: text, date: dates[text] ?? null, status: "native" }));
  return carry(engine.scheme, read, version, dates[version] ?? null, THRESHOLDS);
}

/**
 * Whether a version lies from `since` on and before `until`; bounds that cannot be ordered with it do not exclude it.
 * @param {string} scheme @param {Entry} entry @param {Record<string, string | null>} dates @param {string} version
 */
function isWithin(scheme, entry, dates, version) {
  const wanted = parseVersion(scheme, version, dates[version]);
  /** @param {string | undefined} text */
  const order = (text) => {
    const bound = text === undefined ? null : parseVersion(scheme, text, dates[text]);
    return bound && wanted ? compare(wanted, bound) : null;
  };
  return order(entry.since) !== "less" && !["equal", "greater"].includes(order(entry.until) ?? "");
}
