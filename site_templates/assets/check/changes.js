// @ts-check
// answer/repairs.py: the changes that may be tried where something blocks, and what each costs.

import { sortedBy } from "./claims.js";
import { evaluate, factsOf, leaves } from "./condition.js";
import { blocking, couldBlock } from "./decide.js";
import { stackOf } from "./facts.js";
import { BLOCKING, conditionOf } from "./gates.js";
import { newestRelease } from "./hops.js";
import { RANKS, Refused, releaseOf } from "./question.js";
import { isRange, lookup } from "./registry.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Gate} Gate */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Assessment} Assessment */
/** @typedef {{words: string, cost: number, distance: number, set: [string, any][], drop: string[], version: string | null}} Change facts to set, facts to take back, or another release */

const LARGER_SHARES = [0.95, 0.97, 0.99]; // of a device, where the cache does not fit
const SHARE = "gpu_memory_utilization";
const LENGTH = "max_model_len"; // never reset where it was asked for: it is what the person wants of the server, and its default is longer
// Other values of a number that are tried, how far from it they are looked for, and up to which they are looked for in any case.
const [MOST_VALUES, MOST_NUMBERS, SMALL] = [3, 512, 64];
const USEFUL = 4096; // tokens below which no length is proposed: hardly anybody is served by less
const ATTENTION = ["attention.backend", "cache.dtype", "cache.k.dtype", "cache.v.dtype", "block_size"]; // what decides among backends

/**
 * Workarounds on record of the gotchas that block or could, and resets of what the person set and what can matter.
 * @param {Assessment} found @param {Data} data @returns {Generator<Change>}
 */
export function* changesFor(found, data) {
  const { question } = found.resolved;
  const may = settings(data.catalog);
  for (const gate of [...blocking(found), ...couldBlock(found)]) {
    for (const workaround of gate.gotcha.workarounds) yield* fromWorkaround(workaround, question, may);
    yield* toTheLimit(gate, found, data, may);
    yield* toShorterRequests(gate, found);
    yield* toOtherRanks(gate, found, data, may);
  }
  for (const hop of found.hops) if (hop.settings.length && hop.state === "fails") yield* outOf(hop, question, may);
  yield* moreMemory(found);
  const matters = mattering(found);
  for (const name of Object.keys(question.given)) {
    if (question.required.has(name) || name === LENGTH || !may.settable(name)) continue;
    if (name.startsWith("speculation.")) yield* without("speculation", question, may);
    else if (matters.has(name)) yield change(`leave ${name} at its default`, may.cost(name), { drop: [name] });
  }
}

/**
 * Values of settings under which the claim that refuses a feature no longer speaks.
 * @param {import("./types.js").Hop} hop @param {Question} question @param {May} may @returns {Generator<Change>}
 */
function* outOf(hop, question, may) {
  for (const part of hop.when?.all ?? [hop.when]) {
    const { fact, test } = part?.not ?? {};
    if (!fact || !Array.isArray(test) || !may.settable(fact) || question.required.has(fact)) continue;
    for (const value of test) yield change(`set ${fact} = ${value}`, may.cost(fact), { set: [[fact, value]] });
  }
}

/**
 * A setting that is larger than a quantity it must not exceed, brought down to that.
 * @param {Gate} gate @param {Assessment} found @param {Data} data @param {May} may @returns {Generator<Change>}
 */
function* toTheLimit(gate, found, data, may) {
  for (const leaf of leaves(conditionOf(gate.gotcha))) {
    const { left, sign, right } = leaf.relation ?? {};
    if (sign !== ">" || typeof left !== "string" || typeof right !== "string" || left === right) continue;
    const limit = stackOf(found.resolved, data).get(right);
    const least = isRange(limit) ? limit.low : limit;
    const free = left !== LENGTH && !found.resolved.question.required.has(left) && may.settable(left);
    if (free && Number.isInteger(least) && least > 0) yield change(`set ${left} = ${least}`, may.cost(left), { set: [[left, least]] });
  }
}

/**
 * The longest request that a gotcha of long ones leaves alone, where nobody named a length. Who sends them keeps to it where no setting does.
 * @param {Gate} gate @param {Assessment} found @returns {Generator<Change>}
 */
function* toShorterRequests(gate, found) {
  const { given, engine } = found.resolved.question;
  if (LENGTH in given || "sequence_length" in given) return;
  for (const { fact, test } of leaves(conditionOf(gate.gotcha))) {
    if (fact !== "sequence_length" || !test || Array.isArray(test)) continue;
    const most = test.min === undefined ? Number(test.above) : Number(test.min) - 1;
    if (!Number.isInteger(most) || most < USEFUL) continue;
    yield change(LENGTH in (engine.data.settings ?? {}) ? `set ${LENGTH} = ${most}` : `keep requests to ${most} tokens`, 2, { set: [[LENGTH, most]] });
  }
}

/**
 * Other numbers of ranks, of those that the devices allow, under which a comparison that asks for them no longer holds; nearest first.
 * @param {Gate} gate @param {Assessment} found @param {Data} data @param {May} may @returns {Generator<Change>}
 */
function* toOtherRanks(gate, found, data, may) {
  const { resolved } = found;
  const tree = conditionOf(gate.gotcha);
  const compared = leaves(tree).filter((leaf) => leaf.relation || leaf.items);
  for (const name of new Set(compared.flatMap(factsOf).filter((fact) => RANKS.includes(fact)))) {
    const current = resolved.facts[name];
    if (resolved.question.required.has(name) || !Number.isInteger(current)) continue;
    const most = mostRanks(name, found);
    const span = (/** @type {number} */ first, /** @type {number} */ last) => Array.from({ length: Math.max(0, last - first + 1) }, (_, place) => first + place);
    const looked = [...span(Math.max(1, current - MOST_NUMBERS), Math.min(most, current + MOST_NUMBERS)), ...span(1, Math.min(most, SMALL))];
    const others = [...new Set(looked)].filter((number) => number !== current);
    let tried = 0;
    for (const number of sortedBy(others, (one) => [Math.abs(one - current), -one])) {
      const stack = stackOf({ ...resolved, facts: { ...resolved.facts, [name]: number } }, data);
      if (evaluate(tree, stack).value !== false) continue;
      const distance = 2 * Math.abs(number - current) - (number > current ? 1 : 0); // of two that are as near, the one that uses more devices
      yield change(`set ${name} = ${number}`, may.cost(name), { distance, set: [[name, number]] });
      tried += 1;
      if (tried === MOST_VALUES) break;
    }
  }
}

/** How many ranks of a kind the devices allow beside those of the other kinds. @param {string} name @param {Assessment} found */
function mostRanks(name, { resolved: { facts, question } }) {
  const others = RANKS.filter((other) => other !== name).reduce((product, other) => product * (facts[other] || 1), 1);
  return Math.max(1, Math.floor(question.gpus / others));
}

/**
 * Where the cache does not fit: a larger share of the device, where the engine has a setting for it, or what fits of a length that nobody named.
 * @param {Assessment} found @returns {Generator<Change>}
 */
function* moreMemory(found) {
  const { question, facts } = found.resolved;
  const longest = found.memory?.longest;
  if (isShort(found) && !(LENGTH in question.given) && longest) yield change(`set ${LENGTH} = ${longest}`, 2, { set: [[LENGTH, longest]] });
  if (!isShort(found) || question.required.has(SHARE) || !(SHARE in (question.engine.data.settings ?? {}))) return;
  for (const larger of LARGER_SHARES) {
    if (typeof facts[SHARE] === "number" && facts[SHARE] < larger) yield change(`set ${SHARE} = ${larger}`, 2, { set: [[SHARE, larger]] });
  }
}

/**
 * The facts that gotchas which could block here ask about, as they are or after a change, and those that choose the backend.
 * @param {Assessment} found
 */
function mattering(found) {
  const gotchas = found.gates.map((gate) => gate.gotcha).filter((gotcha) => BLOCKING.has(gotcha.symptom));
  const trees = gotchas.flatMap((gotcha) => [gotcha.when, gotcha.clean_when].filter(Boolean));
  const names = new Set(trees.flatMap((tree) => leaves(tree).flatMap(factsOf)));
  if (names.has("cache.k.dtype") || names.has("cache.v.dtype")) names.add("cache.dtype");
  for (const hop of found.hops) {
    if (!hop.settings.length || hop.state !== "fails") continue;
    for (const name of [...hop.settings, ...(hop.when ? leaves(hop.when).flatMap(factsOf) : [])]) names.add(name);
  }
  if (found.hops.some((hop) => hop.name === "attention")) for (const name of ATTENTION) names.add(name);
  return names;
}

/** @param {any} workaround @param {Question} question @param {May} may @returns {Generator<Change>} */
function* fromWorkaround(workaround, question, may) {
  const wanted = Object.entries(workaround.set ?? {});
  if (wanted.some(([name, value]) => question.given[name] !== value) && wanted.every(([name]) => may.settable(name)) && !isFixed(wanted, question)) {
    const words = wanted.map(([name, value]) => `${name} = ${value}`).join(", ");
    yield change(`set ${words}`, Math.max(...wanted.map(([name]) => may.cost(name))), { set: sortedBy(wanted, ([name]) => [name]) });
  }
  if ("drop" in workaround) yield* without(workaround.drop, question, may);
  for (const key of ["upgrade", "downgrade"]) {
    for (const [component, version] of Object.entries(workaround[key] ?? {})) yield* toVersion(component, version, key === "upgrade", question);
  }
}

/**
 * Whether something that was required would change: the fact itself, or the whole of which it is a part.
 * @param {[string, any][]} wanted @param {Question} question
 */
function isFixed(wanted, question) {
  const required = new Set([...question.required].flatMap((name) => (name === "cache.dtype" ? [name, "cache.k.dtype", "cache.v.dtype"] : [name])));
  return wanted.some(([name, value]) => required.has(name) && question.given[name] !== value);
}

/**
 * Another release of the engine, where later ones will do also the newest; or another version of what it bundles.
 * @param {string} component @param {string} version @param {boolean} orLater @param {Question} question @returns {Generator<Change>}
 */
function* toVersion(component, version, orLater, question) {
  const { engine, required, release } = question;
  const fact = `${component}.version`;
  if (component !== engine.id) {
    if (!required.has(fact)) yield change(`take ${component} ${version}`, 4, { set: [[fact, version]] });
    return;
  }
  if (required.has("version") || required.has(fact) || !isRelease(engine, version)) return;
  const newest = new Set([releaseOf(engine, null).version, newestRelease(engine).version]);
  yield change(`take ${engine.data.name} ${version}`, 4, { version });
  for (const later of orLater ? newest : []) {
    if (later !== version && later !== release.version) yield change(`take ${engine.data.name} ${later}`, 4, { version: later });
  }
}

/** @param {import("./types.js").Engine} engine @param {string} version */
function isRelease(engine, version) {
  try {
    return Boolean(releaseOf(engine, version));
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

/**
 * Everything that was said of a feature taken back, if anything was and nothing of it is required.
 * @param {string} feature @param {Question} question @param {May} may @returns {Generator<Change>}
 */
function* without(feature, question, may) {
  const names = Object.keys(question.given).filter((name) => name === feature || name.startsWith(`${feature}.`));
  if (names.length && !names.some((name) => question.required.has(name))) {
    yield change(`leave out ${feature}`, Math.min(...names.map((name) => may.cost(name))), { drop: names });
  }
}

/** @typedef {ReturnType<typeof settings>} May */

/** What a person may change, and what it costs. @param {any} catalog */
function settings(catalog) {
  return {
    /** Not what describes the model, its weights, the machine or the software. @param {string} name */
    settable(name) {
      const fact = lookup(catalog.facts, name);
      if (!fact || /^(model|hardware|weights|checkpoint)\./.test(name) || /\.(version|has_pr)$/.test(name)) return false;
      return (fact.kind === "given" || fact.kind === "resolved" || name === "block_size") && !["task", "os", "container"].includes(name);
    },
    /** Cheaper first: dropping an optional feature, another backend, another type, another version. @param {string} name */
    cost(name) {
      const fact = lookup(catalog.facts, name);
      const isOffByAbsence = fact && [false, 0, "none"].includes(/** @type {any} */ (fact.absent));
      const optional = fact?.part_of || isOffByAbsence || name.startsWith("setting.") || name === "prefix_caching";
      return optional ? 1 : name.includes("dtype") ? 3 : 2;
    },
  };
}

/** Whether the cache does not surely fit. @param {Assessment} found */
function isShort(found) {
  return found.hops.some((hop) => hop.name === "memory" && (hop.state === "fails" || hop.state === "gap"));
}

/** @param {string} words @param {number} cost @param {{distance?: number, set?: [string, any][], drop?: string[], version?: string | null}} how @returns {Change} */
function change(words, cost, { distance = 0, set = [], drop = [], version = null }) {
  return { words, cost, distance, set, drop, version };
}

