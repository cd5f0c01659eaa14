// @ts-check
// join/features.py and join/asked.py: the features that a person asks for, and the hops that say whether the engine has them.

import { FEATURE, onOffer, sourcesOf } from "./claims.js";
import { hop, newestRelease } from "./hops.js";
import { compare, parseVersion } from "./versions.js";

/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./hops.js").Joiner} Joiner */
/** @typedef {import("./stack.js").Stack} Stack */

// Features of servers that generate: a claim that does not speak of the task says nothing of one that only pools.
const GENERATING = ["speculation", "structured-output"];
const POOLED = ["embed", "rerank"];

/** The ids of the features that the given facts ask for, in order. @param {import("./types.js").Facts} given @param {any} catalog @returns {string[]} */
export function asked(given, catalog) {
  return Object.keys(catalog.features).filter((id) => isOn(given[catalog.features[id].fact])).sort();
}

/** @param {any} value */
function isOn(value) {
  if (typeof value === "string") return !["none", "null", "off", "auto", "false", "0", ""].includes(value.toLowerCase());
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
      if (both === null || both.state === "holds" || both.how === "before" || both.how === "none") continue;
      const settings = [table[one].fact, table[other].fact];
      found.push({ ...both, name: `${one} with ${other}`, finding: `${names}: ${both.finding}`, optional: both.state === "unknown", settings });
    }
  }
  return found;
}

/**
 * What sources say of it; else what the engine has a setting for. What speaks of later versions alone decides nothing. Where sources speak of
 * other values alone, or of none, the setting's closed list refuses one that is not on it, and says nothing of one that is.
 * @param {Joiner} joiner @param {string} id @param {Stack} stack @returns {Hop}
 */
function feature(joiner, id, stack) {
  const { name, fact } = joiner.data.catalog.features[id];
  const said = joiner.feature(FEATURE + id, name, stack);
  if (!said) {
    const isSilent = !onOffer(joiner.data, joiner.engine, FEATURE + id).length;
    const set = bySetting(joiner, id, stack);
    return set && (isSilent || set.state === "fails") ? set : silent(joiner, id, stack);
  }
  if (["holds", "gap"].includes(said.state) && !speaksOf(said, fact) && !joiner.data.catalog.facts[fact].values) {
    const set = bySetting(joiner, id, stack);
    if (set?.state === "fails") return set;
  }
  const task = stack.get("task");
  if (GENERATING.includes(id) && POOLED.includes(task) && ["holds", "gap"].includes(said.state) && !speaksOf(said, "task")) {
    const finding = `${name}: what is said of it is said of generation, and this server is to ${task}`;
    return { ...said, name: id, state: "unknown", finding, value: null, settings: [fact] };
  }
  const later = said.how === "before" && fact in joiner.settings;
  return { ...said, name: id, finding: `${name}: ${said.finding}`, optional: later, settings: [fact] };
}

/** Whether the condition of the deciding claim asks about a fact. @param {Hop} said @param {string} fact */
function speaksOf(said, fact) {
  return JSON.stringify(said.when ?? {}).includes(`"fact":"${fact}"`);
}

/** That the engine has a setting for it, or takes other words there in its newest release, whose list is on record; null where it has none. @param {Joiner} joiner @param {string} id @param {Stack} stack @returns {Hop | null} */
function bySetting(joiner, id, stack) {
  const { name, fact } = joiner.data.catalog.features[id];
  const { data } = joiner.engine;
  const setting = joiner.settings[fact];
  if (!setting) return null;
  const common = { sources: sourcesOf(joiner.data, setting.cites), settings: [fact] };
  const finding = `${name}: ${data.name} has ${setting.flag} for it`;
  const value = stack.get(fact);
  const listed = [...(setting.values ?? []).map(String), ...Object.keys(setting.words ?? {})];
  const { version } = joiner.release;
  const isNewest = version === newestRelease(joiner.engine).version;
  if (typeof value === "string" && listed.length && !listed.includes(value)) {
    const other = `${finding}, which does not take ${value}`;
    if (isNewest) return hop(id, "fails", other, { ...common, value: "unsupported", consequence: "refuses" });
    return hop(id, "unknown", `${other} in the newest release on record`, common);
  }
  const here = parseVersion(data.scheme, version);
  const since = setting.since ? parseVersion(data.scheme, setting.since) : null;
  const isThere = isNewest || (since && here && ["less", "equal"].includes(compare(since, here) ?? ""));
  if (isThere) return hop(id, "holds", finding, { ...common, value: "native" });
  const when = since ? `from ${since.text} on` : "in the newest release on record";
  return hop(id, "unknown", `${finding} ${when}`, { ...common, optional: !since });
}

/** @param {Joiner} joiner @param {string} id @param {Stack} stack */
function silent(joiner, id, stack) {
  const { name, fact } = joiner.data.catalog.features[id];
  const value = stack.get(fact);
  const which = typeof value === "string" ? ` by ${value}` : "";
  return hop(id, "unknown", `no source of ${joiner.engine.data.name} in the catalog speaks of ${name}${which} here`, { settings: [fact] });
}
