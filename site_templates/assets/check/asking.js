// @ts-check
// answer/asking.py: from the fields of the form to a question.

import { closeMatches } from "./close.js";
import { loadData } from "./data.js";
import { ownWord, platformOf } from "./facts.js";
import { modelOfConfig } from "./from_config.js";
import { NotInCatalog, Refused, checkSettings, contextOf, engineNamed, hardwareNamed, named, ranksOf, readSetting, releaseOf, toldOf, withChanges } from "./question.js";
import { checkWords } from "./spoken.js";
import { ELEMENT_BYTES } from "./units.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Question} Question */
/**
 * What is asked. With a config that was dropped, `model` is no more than what to call it. `required` names facts of `settings` that have to stay, or has `fact=value`.
 * @typedef {{model: string, engine: string, version?: string | null, hardware?: string | null, gpus?: number | null, tp?: number | null, context?: number | null, cache_dtype?: string | null, checkpoint?: string | null, settings?: Record<string, any>, required?: string[], config?: import("./from_config.js").Dropped | null}} Asked
 */

const CACHE = ["cache.dtype", "cache.k.dtype", "cache.v.dtype"];

/**
 * The question and the files that it reads. Throws Refused with what to change.
 * @param {any} catalog @param {import("./data.js").Fetch} fetch @param {Asked} asked @returns {Promise<{question: Question, data: Data}>}
 */
export async function questionOf(catalog, fetch, asked) {
  checkNumbers(asked);
  const { given: said, required } = givenIn(catalog, asked);
  const { version: pinned, "engine.has_pr": changes, ...given } = said;
  const hardware = asked.hardware ? hardwareNamed(catalog, asked.hardware) : null;
  checkHardware(catalog, hardware, given);
  const [engine, version] = engineNamed(catalog, asked.engine);
  const model = asked.config ? modelOfConfig(asked.config, catalog.words["weight-format"]) : modelNamed(catalog, asked.model);
  const data = await loadData(fetch, catalog, model, engine);
  const gpus = devices(asked.gpus ?? 1, given, data.engine);
  checkSettings(data.engine, given);
  checkTypes(catalog, data, given);
  const meant = onlyVersion(engine, [version, asked.version, pinned, given[`${engine}.version`]]);
  Object.assign(given, withChanges(given, changes ? { [`${engine}.has_pr`]: changes } : {}));
  Object.assign(given, withChanges(given, toldOf(engine, meant)));
  const release = releaseOf(data.engine, meant);
  const { derived } = data.model;
  const record = hardware === null ? null : { id: hardware, data: catalog.hardware[hardware] };
  const checkpoint = asked.checkpoint || (typeof model === "string" ? hubId(catalog, model, asked.model) : (model.data.checkpoints[0]?.hub ?? null)); // a GGUF file is its own
  const files = { model: data.model, derived, engine: data.engine, hardware: record };
  const question = { ...files, release, gpus, given, required, checkpoint, context: contextOf(derived, given) };
  checkWords(question, data);
  return { question, data };
}

/** The facts that were named, and those among them that have to stay. A fact with two values is refused. @param {any} catalog @param {Asked} asked */
function givenIn(catalog, asked) {
  /** @param {string} name @param {any} value */
  const setting = (name, value) => readSetting(`${name}=${value}`, catalog);
  const settings = Object.entries(asked.settings ?? {}).map(([name, value]) => setting(name, value));
  const demand = (/** @type {string} */ text) => (text.includes("=") ? readSetting(text, catalog) : setting(text, asked.settings?.[text] ?? ""));
  const demands = (asked.required ?? []).map(demand);
  const named = Object.entries({ tensor_parallel: asked.tp, max_model_len: asked.context, "cache.dtype": asked.cache_dtype });
  const said = [...settings, ...demands, ...named.filter(([, value]) => value !== undefined && value !== null)];
  /** @type {Facts} */
  const given = {};
  for (const [fact, value] of said) {
    if (fact.endsWith(".has_pr")) {
      Object.assign(given, withChanges(given, { [fact]: value }));
      continue;
    }
    if (fact in given && given[fact] !== value) throw new Refused(`${fact} is given as both ${given[fact]} and ${value}`);
    given[fact] = value;
  }
  return { given, required: new Set(demands.map(([fact]) => fact)) };
}

/** @param {Asked} asked */
function checkNumbers({ gpus, tp, context }) {
  /** @type {[string, any, number][]} */
  const numbers = [["gpus", gpus, 4096], ["tp", tp, 4096], ["context", context, 2 ** 40]];
  for (const [option, value, most] of numbers) {
    if (value === undefined || value === null) continue;
    if (!Number.isInteger(value)) throw new Refused(`Invalid value for '--${option}': '${value}' is not a valid integer.`);
    if (value < 1 || value > most) throw new Refused(`Invalid value for '--${option}': ${value} is not in the range 1<=x<=${most}.`);
  }
}

/** A value in the command line's spelling. @param {any} value */
function asPython(value) {
  return typeof value === "boolean" ? { true: "True", false: "False" }[`${value}`] : value;
}

/** Two names for the version that differ are refused. @param {string} engine @param {(string | null | undefined)[]} words @returns {string | null} */
function onlyVersion(engine, words) {
  const different = [...new Set(words.filter(Boolean))];
  if (different.length > 1) throw new Refused(`the version of ${engine} is given as both ${different.join(" and ")}`);
  return different[0] ?? null;
}

/**
 * Refuses a class or platform that is not that of the hardware, or of each other.
 * @param {any} catalog @param {string | null} hardware @param {Facts} given
 */
function checkHardware(catalog, hardware, given) {
  const ownClass = hardware ? catalog.hardware[hardware].class : given["hardware.class"];
  const device = hardware ? { "hardware.id": hardware, "hardware.class": ownClass } : {};
  const own = { ...device, ...(ownClass ? { platform: platformOf(ownClass) } : {}) };
  for (const [fact, value] of Object.entries(own)) {
    if ((given[fact] ?? value) !== value) throw new Refused(`${fact} is given as ${given[fact]}, and that of ${hardware ?? ownClass} is ${value}`);
  }
}

/**
 * The devices: as many as were counted, or as the ranks that were named take where nobody counted. Fewer are refused.
 * @param {number} count @param {Facts} given @param {import("./types.js").Engine} engine
 */
function devices(count, given, engine) {
  const ranks = Object.entries(ranksOf(given, engine)).map(([fact, number]) => ({ fact, number }));
  const experts = { fact: "expert_parallel", number: given.expert_parallel ?? 1 };
  const needed = Math.max(ranks.reduce((product, { number }) => product * number, 1), experts.number); // the ranks that share experts are ranks of the others, too
  if (1 < count && count < needed) {
    const named = [...ranks, experts].filter(({ number }) => number > 1).map(({ fact, number }) => `${fact} ${number}`);
    throw new Refused(`${named.join(" and ")} take ${needed} devices, not ${count}; ask with --gpus ${needed} or more, or name fewer ranks`);
  }
  return Math.max(count, needed);
}

/** Refuses an element type that neither the units nor any engine has a word for. @param {any} catalog @param {Data} data @param {Facts} given */
function checkTypes(catalog, data, given) {
  const known = [...new Set([...Object.keys(ELEMENT_BYTES), ...catalog.cache_dtypes])];
  for (const fact of CACHE.filter((name) => name in given)) {
    const value = given[fact];
    if (known.includes(ownWord(value)) || known.includes(value)) continue;
    const close = closeMatches(value, known);
    throw new Refused(`${fact} is never ${value}${close.length ? `; nearest: ${close.join(", ")}` : `; known: ${known.sort().join(", ")}`}`);
  }
}

/** The id of a model, from its id, an alias or a hub id. @param {any} catalog @param {string} wanted @returns {string} */
function modelNamed(catalog, wanted) {
  const lower = wanted.toLowerCase();
  const ids = Object.keys(catalog.models);
  const byHub = () => ids.find((id) => catalog.models[id].hubs.some((/** @type {string} */ hub) => hub.toLowerCase() === lower));
  const found = named(catalog.models, wanted) ?? named(catalog.models, lower) ?? byHub();
  if (found) return found;
  const kinds = { engine: catalog.engines, hardware: catalog.hardware, requirement: catalog.requirements };
  const kind = Object.entries(kinds).find(([, records]) => named(records, wanted))?.[0];
  if (kind) throw new Refused(`${wanted} is no model: it names a record of the kind ${kind}`);
  const hubs = ids.flatMap((id) => catalog.models[id].hubs.map((/** @type {string} */ hub) => [hub.toLowerCase(), hub]));
  const known = new Map([...ids.map((id) => [id, id]), ...hubs]);
  const close = closeMatches(lower, [...known.keys()], 3, 0.5).map((name) => known.get(name));
  const nearest = close.length ? `; nearest: ${close.join(", ")}` : "";
  // Hub ids of other models are close to each other, so a slip of one has to come closer.
  if (closeMatches(lower, [...known.keys()], 1, wanted.includes("/") ? 0.9 : 0.7).length) throw new Refused(`there is no model ${wanted}${nearest}`);
  throw new NotInCatalog(`${wanted} is not in the catalog${nearest}; --from-config asks with its config.json`);
}

/**
 * The checkpoint that the model was asked for by, with or without its publisher; null where another name was given.
 * @param {any} catalog @param {string} model @param {string} asked @returns {string | null}
 */
function hubId(catalog, model, asked) {
  const wanted = asked.toLowerCase();
  const last = (/** @type {string} */ hub) => hub.slice(hub.lastIndexOf("/") + 1);
  if (wanted === model) return null;
  return catalog.models[model].hubs.find((/** @type {string} */ hub) => [hub.toLowerCase(), last(hub.toLowerCase())].includes(wanted)) ?? null;
}
