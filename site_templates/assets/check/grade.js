// @ts-check
// join/grade.py: how well an answer is founded, worked out from the evidence that decides.

import { daysBetween } from "./versions.js";

/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Source} Source */

const HIGH = 0.8;

/**
 * The grade of an answer that these hops decide: as weak as the weakest of them.
 * @param {Hop[]} hops @param {any} catalog @returns {import("./types.js").Grade}
 */
export function grade(hops, catalog) {
  const confidence = hops.length ? Math.min(...hops.map((hop) => confidenceOf(hop, catalog))) : 0;
  if (hops.some((hop) => hop.against.length)) return { word: "contested", confidence };
  if (hops.some((hop) => hop.stale || isOld(hop, catalog))) return { word: "stale", confidence };
  return { word: hops.length && hops.every(isVerified) ? "verified" : "unverified", confidence };
}

/**
 * The confidence in one hop, from its best source: what its type is worth, less for what was carried, old or unopened.
 * @param {Hop} hop @param {any} catalog
 */
function confidenceOf(hop, catalog) {
  const penalties = catalog.weights["confidence-penalty"];
  if (!hop.sources.length) return 0;
  const worths = hop.sources.map((source) => worth(source, catalog));
  let value = Math.max(...worths);
  const best = hop.sources[worths.indexOf(value)];
  if (new Set(hop.sources.map((source) => source.id)).size > 1) value += penalties.independent * (1 - value);
  if (!["exact", "same-minor"].includes(hop.how)) value -= penalties.carried;
  if (hop.against.length) value -= penalties.contested;
  if (hop.basis) value = Math.min(value, catalog.weights["basis-confidence"][hop.basis]);
  if (!best.pinned || best.opened === null) value = Math.min(value, HIGH);
  return Math.max(0.05, Number(value.toFixed(3)));
}

/** @param {Source} source @param {any} catalog */
function worth(source, catalog) {
  const weights = catalog.weights["source-confidence"];
  const value = weights[source.type] ?? 0.3;
  if (source.opened === null) return Math.min(value, weights.unopened);
  return isPast(source.opened, catalog) ? value - catalog.weights["confidence-penalty"].old : value;
}

/** @param {string} day @param {any} catalog */
function isPast(day, catalog) {
  return (daysBetween(day, catalog.today) ?? 0) > catalog.thresholds.stale_days;
}

/** @param {Hop} hop @param {any} catalog */
function isOld(hop, catalog) {
  const opened = hop.sources.flatMap((source) => source.opened ?? []).sort();
  return opened.length > 0 && isPast(opened[opened.length - 1], catalog);
}

/** Code or a config at a pin that somebody opened, or two sources. @param {Hop} hop */
function isVerified(hop) {
  const opened = hop.sources.filter((source) => source.opened !== null);
  return opened.some((source) => ["code", "config"].includes(source.type) && source.pinned) || new Set(opened.map((source) => source.id)).size > 1;
}
