// @ts-check
// answer/question.py: one person's question, and why one cannot be asked as it stands.

import { MOST_RANKS, complaint as unfit } from "./allocate/terms.js";
import { changesNamed, together, told } from "./builds.js";
import { closeMatches } from "./close.js";
import { bareName, complaint, componentOf, isRange, lookup, scopeOf } from "./registry.js";
import { compare, dateOfBuild, parseVersion, select } from "./versions.js";

/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Release} Release */
/** @typedef {import("./types.js").Facts} Facts */

export const RANKS = ["tensor_parallel", "pipeline_parallel", "data_parallel"];
const ATTENTION_REPLICAS = "setting.enable_dp_attention"; // with it the replicas are of attention alone, on the engines whose record has it
/** What versions of each scheme look like. @type {Record<string, string>} */
const FORMS = {
  pep440: "numbers such as 0.11.2 or 1.2.0rc1",
  semver: "numbers such as 0.11.2 or v0.12.0-rc1",
  build: "the number of a build such as b10488",
  commit: "the number of a build such as b10488, or the first seven digits of a commit or more",
};
const ELSEWHERE = "a branch with its day (main@2026-11-20), a commit or an image with its tag will do, too";
const SLIP = /^(?!.*dev)(?:[A-Za-z]{1,2}\d+[A-Za-z]*|v?\d+(?:\.\d+)*[A-Za-z]+\d*)$/; // numbers with letters at them, of no scheme, branch or image
const COMMIT = /^[0-9a-f]{7,40}$/;

/** A question that cannot be asked as it stands: the message says what to change. */
export class Refused extends Error {}

/** A model that may well exist and is not in the catalog: the question is sound, and its answer unknown. */
export class NotInCatalog extends Refused {}

/**
 * The longest sequence asked for, else the model's own.
 * @param {import("./types.js").Derived} derived @param {Facts} given @returns {number | null}
 */
export function contextOf(derived, given) {
  return given.max_model_len ?? (derived.unknown ? null : derived.context.native);
}

/**
 * The same question with some facts set and others taken back.
 * @param {Question} question @param {Facts} changes @param {Set<string>} drop @returns {Question}
 */
export function changed(question, changes, drop) {
  const kept = Object.entries(question.given).filter(([name]) => !drop.has(name));
  const given = { ...Object.fromEntries(kept), ...changes };
  return { ...question, given, context: contextOf(question.derived, given) };
}

/**
 * The release that ENGINE@wanted names. A version outside the catalog is taken as written; one that is none is refused. A day behind the
 * version, as in main@2026-11-20, is that of the build; changes that it is told to hold are `toldOf` it.
 * @param {Engine} engine @param {string | null} wanted @returns {Release}
 */
export function releaseOf(engine, wanted) {
  const { releases, scheme } = engine.data;
  const { version: meant, date } = wanted && wanted !== "latest" ? told(wanted) : { version: null, date: null };
  const found = select(scheme, meant, releases);
  if (found) {
    const day = releases.find((/** @type {any} */ entry) => entry.version === found.version)?.date ?? null;
    if (date && day !== date) throw new Refused(`${engine.id} ${found.version} is of ${day}, not of ${date}`);
    return { ...found, date: day };
  }
  if (meant && parseVersion(scheme, meant) && !isSlip(scheme, meant)) {
    const dates = Object.fromEntries(releases.map((/** @type {any} */ entry) => [entry.version, entry.date]));
    return { version: meant, date: date ?? (scheme === "commit" ? dateOfBuild(meant, dates) : null), assumed: false };
  }
  const known = releases.slice(0, 6).map((/** @type {any} */ entry) => entry.version);
  throw new Refused(`'${meant}' is no ${scheme} version of ${engine.id}: write ${FORMS[scheme]}; ${ELSEWHERE}; releases in the catalog: ${known.join(", ")}`);
}

/** Whether a version that no scheme orders has the form of none of them. @param {string} scheme @param {string} wanted */
function isSlip(scheme, wanted) {
  const isOrdered = Boolean(parseVersion(scheme, wanted)?.ordered) || (scheme === "commit" && /^b\d{1,5}$/.test(wanted));
  return !isOrdered && !COMMIT.test(wanted) && SLIP.test(wanted);
}

/**
 * The ranks that were named and that multiply, by fact: replicas of attention alone lie within the tensor-parallel ranks.
 * With an engine, only where it has the switch for them. @param {Facts} given @param {Engine} [engine] @returns {Record<string, number>}
 */
export function ranksOf(given, engine) {
  const ranks = Object.fromEntries(RANKS.map((fact) => [fact, given[fact] || 1]));
  const hasIt = !engine || ATTENTION_REPLICAS in (engine.data.settings ?? {});
  return hasIt && given[ATTENTION_REPLICAS] === true ? { ...ranks, data_parallel: 1 } : ranks;
}

/** The facts that the words for a version tell beside it: {"vllm.has_pr": [57754]} of 0.33.0+pr57754. @param {string} engine @param {string | null} wanted @returns {Facts} */
export function toldOf(engine, wanted) {
  const changes = wanted ? told(wanted).changes : [];
  return changes.length ? { [`${engine}.has_pr`]: changes } : {};
}

/** Facts with others beside them, where both tell of changes that a build holds all of them. @param {Facts} given @param {Facts} more @returns {Facts} */
export function withChanges(given, more) {
  const both = Object.entries(more).map(([name, changes]) => [name, together([...(given[name] ?? []), ...changes])]);
  return { ...given, ...Object.fromEntries(both) };
}

/**
 * The newest release on record, where the one in question is newer than all of them; else null.
 * @param {Engine} engine @param {Release} release @returns {string | null}
 */
export function newestBefore(engine, release) {
  const { scheme, releases } = engine.data;
  const wanted = parseVersion(scheme, release.version, release.date);
  const isBefore = (/** @type {any} */ entry) => {
    const one = parseVersion(scheme, entry.version, entry.date);
    return one !== null && wanted !== null && compare(one, wanted) === "less";
  };
  return wanted && releases.length && releases.every(isBefore) ? releases[0].version : null;
}

/** A fact and its value from `name=value`. @param {string} text @param {any} catalog @returns {[string, any]} */
export function readSetting(text, catalog) {
  const [name, ...rest] = text.split("=").map((part) => part.trim());
  const value = text.slice(text.indexOf("=") + 1).trim();
  if (!rest.length || !name || !value) throw new Refused(`--set and --require take fact=value, not '${text}'`);
  const ending = name.slice(name.lastIndexOf(".") + 1), component = componentOf(catalog.facts, name);
  const isKnown = name === `${component}.${ending}` && catalog.components.includes(component);
  if (ending === "has_pr" && (isKnown || name === "engine.has_pr")) {
    const changes = changesNamed(value);
    if (!changes) throw new Refused(`${name} takes numbers of merged changes such as 57754 or 57754,57800, not '${value}'`);
    return [name, changes];
  }
  if (name === "version" || (ending === "version" && isKnown)) return [name, value];
  if (name === "engine.version") {
    throw new Refused("there is no fact engine.version; version is that of the engine that is asked about, and vllm.version that of one by its id");
  }
  const fact = component === null ? lookup(catalog.facts, name) : null;
  if (!fact) {
    const ids = closeMatches(component ?? "", [...catalog.components, ...(ending === "has_pr" ? ["engine"] : [])]).map((found) => `${found}.${ending}`);
    const close = ids.length ? ids : closeMatches(bareName(name), Object.keys(catalog.facts)).map((found) => scopeOf(name) + found);
    throw new Refused(`there is no fact ${name}${close.length ? `; nearest: ${close.join(", ")}` : "; infercompat explain facts lists them"}`);
  }
  if (name.startsWith("model.") || name.includes(".model.")) throw new Refused(`${name} follows from the model: it is not set`);
  const read = typed(value, fact.type);
  const wrong = complaint(fact, read, fact.vocabulary ? (catalog.words[fact.vocabulary] ?? []) : []) || outOfRange(fact, read);
  if (wrong) throw new Refused(wrong);
  return [name, read];
}

/** Refuses a value that a setting of the engine's own cannot have. @param {Engine} engine @param {Facts} given */
export function checkSettings(engine, given) {
  for (const [fact, value] of Object.entries(given)) {
    const own = engine.data.settings?.[fact];
    const wrong = own && fact.startsWith("setting.") ? unfit(fact, value, own.default ?? null) : "";
    if (wrong) throw new Refused(wrong);
  }
}

/**
 * Why a number is none that the fact can have; empty where it is one. Where absence means 0, so may the value.
 * @param {import("./types.js").Fact} fact @param {any} value
 */
function outOfRange(fact, value) {
  if (fact.name === "gpu_memory_utilization" && !(0 < value && value <= 1)) return `${fact.name} is a share above 0, 1 at most, not ${value}`;
  if ([...RANKS, "expert_parallel"].includes(fact.name) && value > MOST_RANKS) return `${fact.name} is ${MOST_RANKS} at most, not ${value}`;
  const least = fact.absent === 0 || (isRange(fact.absent) && fact.absent.low === 0) ? 0 : 1;
  return fact.type === "int" && value < least ? `${fact.name} is ${least} or more, not ${value}` : "";
}

/**
 * Some engines have settings whose own words are on and off: only a fact that is true or false takes them for that.
 * @param {string} value @param {string} type
 */
function typed(value, type) {
  const words = { bool: ["true", "false", "on", "off"], any: ["true", "false"] }[type] ?? [];
  if (words.includes(value.toLowerCase())) return ["true", "on"].includes(value.toLowerCase());
  const plain = value.replaceAll("_", "");
  const isNumber = ["int", "float", "any"].includes(type) && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain);
  return isNumber && Number.isFinite(Number(plain)) ? Number(plain) : value;
}

/** The engine's id and the version of ENGINE[@VERSION]. @param {any} catalog @param {string} wanted @returns {[string, string | null]} */
export function engineNamed(catalog, wanted) {
  const [name, version] = wanted.split(/@(.*)/s);
  const found = named(catalog.engines, name) ?? named(catalog.engines, name.toLowerCase());
  if (!found) {
    const known = Object.keys(catalog.engines);
    const close = closeMatches(name.toLowerCase(), known, 3, 0.4);
    throw new Refused(`there is no engine ${name}${close.length ? `; nearest: ${close.join(", ")}` : `; known: ${known.join(", ")}`}`);
  }
  const { role, name: title } = catalog.engines[found];
  if (role === "kernel-library") throw new Refused(`${title} is a kernel library: it gates engines and serves no model itself`);
  return [found, version || null];
}

const MAKERS = /^(?:(?:nvidia|geforce|amd|instinct|radeon|intel|apple)[ -]+)+(?!pro\b)/; // words of a trade name that ids leave out
const COUNTED = /^([1-9][0-9]{0,3})\s*[x×]\s*(\S.*)$/i; // a number of devices before their name, such as 8xH100

/** The id of a piece of hardware, by id, alias or trade name. @param {any} catalog @param {string} wanted @returns {string} */
export function hardwareNamed(catalog, wanted) {
  const lower = wanted.toLowerCase().trim();
  const name = lower.replace(MAKERS, "").replaceAll(" ", "-");
  const found = named(catalog.hardware, wanted) ?? named(catalog.hardware, lower.replaceAll(" ", "-")) ?? named(catalog.hardware, name);
  if (found) return found;
  const counted = COUNTED.exec(wanted.trim());
  if (counted) {
    const device = hardwareNamed(catalog, counted[2]);
    throw new Refused(`there is no hardware ${wanted}; for ${counted[1]} devices write --hardware ${device} --gpus ${counted[1]}`);
  }
  const known = Object.keys(catalog.hardware);
  const longer = name ? known.filter((id) => id.startsWith(`${name}-`)).slice(0, 4) : [];
  const close = longer.length ? longer : closeMatches(name, known, 3, 0.4);
  throw new Refused(`there is no hardware ${wanted}${close.length ? `; nearest: ${close.join(", ")}` : `; known: ${known.join(", ")}`}`);
}

/** The id behind an id or alias. @param {Record<string, {aliases?: string[]}>} records @param {string} wanted */
export function named(records, wanted) {
  if (Object.hasOwn(records, wanted)) return wanted;
  return Object.keys(records).find((id) => records[id].aliases?.includes(wanted)) ?? null;
}
