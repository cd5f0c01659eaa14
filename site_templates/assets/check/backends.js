// @ts-check
// answer/attention.py and answer/backend_tables.py: which of an engine's attention backends take a model on a stack, and what keeps the others out.

import { carry } from "./carry.js";
import { ALWAYS, evaluate } from "./condition.js";
import { PARTS, ownWord, platformOf, stackOf } from "./facts.js";
import { said } from "./phrases.js";
import { namesCited, tableOf, versionsOf } from "./tables.js";
import { missing } from "./truth.js";

/** @typedef {import("./types.js").Layer} Layer */
/** @typedef {import("./types.js").Known} Known */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./hops.js").Joiner} Joiner */
/**
 * The backends of one version by name, and its orders; `elsewhere` are names that only tables of other versions have, and `listed` where
 * all names of this one stand.
 * @typedef {{version: string, backends: Map<string, any>, selection: any[], elsewhere: Set<string>, listed: {cites: any[]}}} Table
 */
/**
 * The backends of an order, as far as the first that surely takes the model; `founded` says that the order is the engine's own.
 * @typedef {{takes: any[], removed: Record<string, string>, open: Record<string, string>, founded: boolean, chosen: string | null, state: "holds" | "unknown" | "fails"}} Choice
 */

const REFUSING = ["unsupported", "removed"];
const OF_THE_MODEL = ["bf16", "fp16"]; // types that a backend takes where it lists auto, which is the model's own
const NOT_LISTED = "the catalog does not list what it accepts";

/**
 * How the lists of backends that were read reach the version in question: from one of them, or from two on both sides of it. Each is
 * taken whole, as something that holds. So none is carried back: what the oldest lacks may have been removed.
 * @param {Joiner} joiner
 */
export function read(joiner) {
  const { version, date } = joiner.release;
  const seen = versionsOf(joiner.engine.data).map((text) => ({ version: text, date: joiner.dates[text] ?? null, status: "native" }));
  return carry(joiner.engine.data.scheme, seen, version, date, joiner.data.catalog.thresholds);
}

/** @param {Joiner} joiner @param {string[]} basis @returns {Table[]} */
export function tablesOf(joiner, basis) {
  const { data } = joiner.engine;
  /** @type {string[]} */
  const every = data.attention_backends.map((/** @type {any} */ entry) => entry.name);
  return basis.map((version) => {
    const backends = new Map(tableOf(data, "attention_backends", version).map((entry) => [entry.name, entry]));
    const elsewhere = new Set(every.filter((name) => !backends.has(name)));
    return { version, backends, selection: tableOf(data, "attention_selection", version), elsewhere, listed: { cites: namesCited(data, version) } };
  });
}

/** @param {Resolved} resolved @param {Joiner} joiner @param {Table} table @returns {Choice} */
export function choose(resolved, joiner, table) {
  const { order, founded } = orderOf(resolved, joiner, table);
  /** @type {any[]} */
  const takes = [];
  /** @type {Record<string, string>} */
  const removed = {};
  /** @type {Record<string, string>} */
  const open = {};
  for (const name of order) {
    const entry = table.backends.get(name);
    const refusal = table.elsewhere.has(name) ? `is not among the backends of ${table.version}` : entry && refusalOf(entry, resolved, joiner);
    const waits = entry ? waitsFor(entry, resolved, joiner) : NOT_LISTED;
    if (refusal) removed[name] = refusal;
    else if (waits) open[name] = waits;
    else {
      takes.push(entry);
      if (founded) break;
    }
  }
  const isOpen = Object.keys(open).length > 0;
  const chosen = takes.length === 1 && !isOpen ? takes[0].name : null;
  return { takes, removed, open, founded, chosen, state: takes.length ? "holds" : isOpen ? "unknown" : "fails" };
}

/**
 * By class of hardware what can be chosen: the classes that leave a backend, those where the tables differ in that, and those that lose
 * theirs by what the person named.
 * @param {Resolved} resolved @param {Joiner} joiner @param {Table[]} tables
 */
export function classesLeft(resolved, joiner, tables) {
  const { platforms } = resolved.question.engine.data;
  /** @type {string[]} */
  const words = joiner.data.catalog.words["hardware-class"];
  const classes = words.filter((word) => !platforms || platforms.includes(platformOf(word)));
  /** @param {Resolved} one @param {string} word */
  const at = (one, word) => tables.map((table) => choose({ ...one, facts: { ...one.facts, "hardware.class": word, platform: platformOf(word) } }, joiner, table));
  const choices = Object.fromEntries(classes.map((word) => [word, at(resolved, word)]));
  /** @param {Choice[]} chosen */
  const isRefused = (chosen) => chosen.every(({ state }) => state === "fails");
  const good = classes.filter((word) => choices[word].every(({ state }) => state !== "fails"));
  const changing = classes.filter((word) => !good.includes(word) && !isRefused(choices[word]));
  const lost = classes.filter((word) => isRefused(choices[word]) && !isRefused(at(plain(resolved), word)));
  return { choices, good, changing, lost };
}

/** The same stack with the engine's own choice of backend and type. @param {Resolved} resolved @returns {Resolved} */
function plain(resolved) {
  const { "attention.backend": _backend, block_size: _size, ...facts } = resolved.facts;
  const types = Object.fromEntries(["cache.dtype", ...PARTS].map((fact) => [fact, "bf16"]));
  return { ...resolved, question: { ...resolved.question, given: {} }, facts: { ...facts, ...types } };
}

/** @param {any} backend */
export function isUndecided(backend) {
  return backend === undefined || backend === null || backend === "auto";
}

/**
 * The backends to try, and whether their order is on record: the one that was asked for, else the engine's priorities.
 * @param {Resolved} resolved @param {Joiner} joiner @param {Table} table
 */
function orderOf(resolved, joiner, table) {
  const asked = resolved.facts["attention.backend"];
  if (!isUndecided(asked)) return { order: [asked], founded: true };
  const stack = stackOf(resolved, joiner.data);
  const order = new Set();
  let founded = true;
  for (const entry of table.selection) {
    const { value } = evaluate("when" in entry ? entry.when : ALWAYS, stack);
    if (value === false) continue;
    for (const name of entry.order) order.add(name);
    founded &&= value === true;
    if (value) return { order: [...order], founded };
  }
  return { order: order.size ? [...order] : [...table.backends.keys()], founded: false };
}

/**
 * Why a backend cannot run this model on this stack; empty where nothing rules it out.
 * @param {any} entry @param {Resolved} resolved @param {Joiner} joiner @returns {string}
 */
function refusalOf(entry, resolved, joiner) {
  const { facts, question } = resolved;
  const derived = /** @type {Known} */ (question.derived);
  const stack = stackOf(resolved, joiner.data);
  if (!runsHere(entry, facts) && facts["hardware.class"]) return `does not run on ${facts["hardware.class"]}`;
  const truth = evaluate("when" in entry ? entry.when : ALWAYS, stack);
  if (truth.value === false) return `is ruled out: ${truth.because.map(said).join("; ")}`;
  const types = [...new Set(PARTS.map((part) => facts[part] || facts["cache.dtype"]))];
  const type = types.find((one) => one && entry.cache_dtypes?.length && !takesType(entry.cache_dtypes, one));
  if (type) return `does not take a ${type} cache`;
  const layer = [...new Set(derived.layers)].filter((one) => one.attends).map((one) => refusalOfLayer(entry, one)).find(Boolean);
  if (layer) return layer;
  const size = question.given.block_size;
  if (size && !takesBlock(entry.block_sizes, size)) return `does not take blocks of ${size}`;
  const lacking = Object.keys(derived.requirements).find((one) => REFUSING.includes(joiner.backendOffer(one, entry.name, stack) ?? ""));
  return lacking ? `lacks ${lacking}` : "";
}

/**
 * What leaves it open whether a backend can run this model, where nothing rules it out.
 * @param {any} entry @param {Resolved} resolved @param {Joiner} joiner @returns {string}
 */
function waitsFor(entry, resolved, joiner) {
  if (!runsHere(entry, resolved.facts)) return "depends on hardware.class";
  const truth = evaluate("when" in entry ? entry.when : ALWAYS, stackOf(resolved, joiner.data));
  return truth.value === null ? `depends on ${missing(truth).join(", ") || truth.because.map((reason) => reason.text).join("; ")}` : "";
}

/** @param {any} entry @param {import("./types.js").Facts} facts */
function runsHere(entry, facts) {
  return [facts["hardware.class"], facts.platform].some((place) => place && entry.classes.includes(place));
}

/** fp8 is another word for fp8_e4m3. @param {string} type */
const same = (type) => (type === "fp8" ? "fp8_e4m3" : type);

/** @param {string[]} words @param {string} type */
function takesType(words, type) {
  const listed = words.map((word) => same(ownWord(word)));
  return listed.includes(same(type)) || (OF_THE_MODEL.includes(type) && listed.includes("auto"));
}

/** @param {any} entry @param {Layer} layer @returns {string} */
function refusalOfLayer(entry, layer) {
  const kind = layer.kind === "recurrent+full" ? "full" : layer.kind;
  if (entry.kinds?.length && !entry.kinds.includes(kind)) return `does not run ${kind} layers`;
  if (takesHead(entry.head_dims, layer.latent_width || layer.head_dim)) return "";
  return layer.latent_width ? `does not take a latent of ${layer.latent_width}` : `does not take a head size of ${layer.head_dim}`;
}

/** @param {any} rule @param {number} size */
function takesHead(rule, size) {
  if (!rule || rule.any) return true;
  return rule.list ? rule.list.includes(size) : size <= (rule.max ?? size) && size % (rule.multiple_of ?? 1) === 0;
}

/**
 * A kernel may split a larger block, so multiples of what is listed pass.
 * @param {number[] | {multiple_of: number} | undefined} rule @param {number} size
 */
function takesBlock(rule, size) {
  const sizes = Array.isArray(rule) ? rule : rule ? [rule.multiple_of] : [];
  return (sizes.length ? sizes : [1]).some((one) => size % one === 0);
}

/** Backends with what keeps each out; those with the same reason together. @param {Record<string, string>} whys */
export function reasonsOf(whys) {
  /** @type {Map<string, string[]>} */
  const together = new Map();
  for (const [name, why] of Object.entries(whys)) together.set(why, [...(together.get(why) ?? []), name]);
  return [...together].map(([why, names]) => `${names.join(", ")} ${names.length === 1 ? why : ofMany(why)}`).join("; ");
}

/** A reason's words for one backend turned into those for several. @param {string} why */
function ofMany(why) {
  for (const [one, many] of [["does not ", "do not "], ["is ", "are "], ["lacks ", "lack "], ["depends ", "depend "]]) {
    if (why.startsWith(one)) return many + why.slice(one.length);
  }
  return why;
}
