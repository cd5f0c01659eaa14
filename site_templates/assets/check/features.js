// @ts-check
// join/features.py and join/asked.py: the features that a person asks for, and the hops that say whether the engine has them.

import { FEATURE, onOffer, sourcesOf } from "./claims.js";
import { hop, newestRelease } from "./hops.js";
import { compare, parseVersion } from "./versions.js";

/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./hops.js").Joiner} Joiner */
/** @typedef {import("./stack.js").Stack} Stack */

/** The ids of the features that the given facts ask for, in order. @param {import("./types.js").Facts} given @param {any} catalog @returns {string[]} */
export function asked(given, catalog) {
  return Object.keys(catalog.features).filter((id) => isOn(given[catalog.features[id].fact])).sort();
}

/** @param {any} value */
function isOn(value) {
  if (typeof value === "string") return !["none", "off", "auto"].includes(value);
  return value === true || (Number.isInteger(value) && value > 1);
}

/**
 * The hops of features by their ids. Two together are a hop only where a source says what they lack.
 * @param {Joiner} joiner @param {string[]} ids @param {Stack} stack @returns {Hop[]}
 */
export function features(joiner, ids, stack) {
  const table = joiner.data.catalog.features;
  const found = ids.map((id) => feature(joiner, id, stack));
  for (const [index, one] of ids.entries()) {
    for (const other of ids.slice(index + 1)) {
      const names = `${table[one].name} with ${table[other].name}`;
      const both = joiner.feature(`${FEATURE}${one}+${other}`, names, stack);
      if (both === null || both.state === "holds") continue;
      const settings = [table[one].fact, table[other].fact];
      found.push({ ...both, name: `${one} with ${other}`, finding: `${names}: ${both.finding}`, optional: both.state === "unknown", settings });
    }
  }
  return found;
}

/**
 * What is said of it where the model is named and of any model, the worse of both; else what the engine has a setting for.
 * @param {Joiner} joiner @param {string} id @param {Stack} stack @returns {Hop}
 */
function feature(joiner, id, stack) {
  const { name, fact } = joiner.data.catalog.features[id];
  const said = joiner.feature(FEATURE + id, name, stack);
  const statements = onOffer(joiner.data, joiner.engine, FEATURE + id);
  const isEarlier = said?.how === "before"; // than what any source speaks of
  const fallback = isEarlier || !statements.length ? bySetting(joiner, id) : null;
  if (fallback || !said) return fallback ?? silent(joiner, id, stack);
  return { ...said, name: id, finding: `${name}: ${said.finding}`, settings: [fact] };
}

/** That the engine has a setting for it; null where it has none that this version is known to have. @param {Joiner} joiner @param {string} id @returns {Hop | null} */
function bySetting(joiner, id) {
  const { name, fact } = joiner.data.catalog.features[id];
  const { data } = joiner.engine;
  const setting = data.settings?.[fact];
  if (!setting) return null;
  const { version } = joiner.release;
  const here = parseVersion(data.scheme, version);
  const since = setting.since ? parseVersion(data.scheme, setting.since) : null;
  if (since && (!here || !["less", "equal"].includes(compare(since, here) ?? ""))) return null;
  const sources = sourcesOf(joiner.data, setting.cites);
  const stale = !since && version !== newestRelease(joiner.engine).version;
  return hop(id, "holds", `${name}: ${data.name} has ${setting.flag} for it`, { value: "native", stale, sources, settings: [fact] });
}

/** @param {Joiner} joiner @param {string} id @param {Stack} stack */
function silent(joiner, id, stack) {
  const { name, fact } = joiner.data.catalog.features[id];
  const value = stack.get(fact);
  const which = typeof value === "string" ? ` by ${value}` : "";
  return hop(id, "unknown", `no source of ${joiner.engine.data.name} in the catalog speaks of ${name}${which} here`, { settings: [fact] });
}
