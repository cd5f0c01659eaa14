// @ts-check
// answer/facts.py: what a question leaves out, filled in from the hardware, the engine's defaults, and what follows from them.

import { ALWAYS, evaluate } from "./condition.js";
import { ranksOf } from "./question.js";
import { lookup } from "./registry.js";
import { Stack } from "./stack.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Assumed} Assumed */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {(fact: string, value: any, because: string, cites?: any[]) => void} Assume */

/** @type {Record<string, string>} */
const TORCH_WORDS = { bfloat16: "bf16", float16: "fp16", half: "fp16", float32: "fp32" };
/** @type {Record<string, string>} */
export const DRAFT_KINDS = { ngram: "ngram", suffix: "ngram", draft_model: "model", "draft-model": "model", standalone: "model" };
export const PARTS = ["cache.k.dtype", "cache.v.dtype"];
const CHECKPOINT_FACTS = { kv_scales: "checkpoint.kv_scales", drafts: "checkpoint.draft_head" };
const NAMING_FACTS = { hub: "checkpoint.hub", tuned: "checkpoint.tuned" }; // what says which checkpoint it is; nothing is assumed by it
export const UNDECIDED = [undefined, null, "auto", "null"];
const OWN_TYPES = ["bf16", "fp16", "fp32"]; // of a cache that nobody quantized

/** Everything that is known of the stack, given or assumed. @param {Question} question @param {Data} data @returns {Resolved} */
export function resolve(question, data) {
  /** @type {Record<string, any>} */
  const settings = question.engine.data.settings ?? {};
  /** @type {Facts} */
  const facts = {};
  for (const [fact, value] of Object.entries(question.given)) facts[fact] = asWritten(settings[fact] ?? {}, ownWord(value));
  /** @type {Assumed[]} */
  const assumed = [];
  /** @type {Assume} */
  const assume = (fact, value, because, cites = []) => {
    if (fact in facts || value === null || value === undefined) return;
    facts[fact] = value;
    assumed.push({ fact, value, because, cites });
  };
  facts["attention.backend.requested"] ??= facts["attention.backend"] ?? "auto";
  hardware(question, facts);
  // What is said of the whole cache is said of its parts.
  if (!UNDECIDED.includes(facts["cache.dtype"])) for (const part of PARTS) facts[part] ??= facts["cache.dtype"];
  assume("task", question.model.data.task ?? "generate", "what the model is made for");
  assume("tensor_parallel", shares(question, facts), `${question.gpus} devices, and nobody said how they share`);
  for (const [fact, setting] of Object.entries(settings)) {
    if (isOff(fact, facts, settings, data.catalog)) continue;
    if ("defaults" in setting) {
      const value = defaultHere(setting, question, facts, data.catalog);
      assume(fact, value, `the default of ${setting.flag} on such a stack`, setting.cites);
      if (value === null && fact.startsWith("setting.") && !(fact in facts)) facts[fact] = null; // not set, here as below
    } else if (!UNDECIDED.includes(setting.default)) assume(fact, setting.default, `the default of ${setting.flag}`, setting.cites);
    else if (fact.startsWith("setting.") && "default" in setting && !(fact in facts)) facts[fact] = null; // not set, which is a value, too
  }
  if (question.gpus === 1) facts.tensor_parallel ??= 1; // one device is one rank, for an engine without a default, too
  assume("max_model_len", question.context, "the model's own context");
  if (question.context) facts.sequence_length ??= { low: 1, high: question.context };
  cacheTypes(question, facts, assume);
  speculation(facts, assume);
  assume("weights.format", formatOf(question, data.catalog.words["weight-format"]), "the checkpoint's own format");
  const checkpoint = checkpointOf(question, facts["weights.format"]);
  for (const [field, fact] of Object.entries(NAMING_FACTS)) if (field in checkpoint) facts[fact] ??= checkpoint[field];
  for (const [field, fact] of Object.entries(CHECKPOINT_FACTS)) assume(fact, checkpoint[field], "what the record says of the checkpoint");
  const entry = question.engine.data.releases.find((/** @type {any} */ one) => one.version === question.release.version);
  for (const [name, version] of Object.entries(entry?.bundles ?? {})) facts[`${name}.version`] ??= version;
  return { question, facts, assumed };
}

/** The stack of a resolved question. @param {Resolved} resolved @param {Data} data */
export function stackOf(resolved, data) {
  return new Stack(resolved.question.model, resolved.facts, data.catalog);
}

/**
 * The default that holds on the stack; undefined where a fact that decides it is not known, or no entry speaks of the stack.
 * @param {any} setting @param {Question} question @param {Facts} facts @param {any} catalog
 */
function defaultHere(setting, question, facts, catalog) {
  const stack = new Stack(question.model, { [`${question.engine.id}.version`]: question.release.version, ...facts }, catalog);
  for (const entry of setting.defaults) {
    const truth = evaluate("when" in entry ? entry.when : ALWAYS, stack);
    if (truth.value !== false) return truth.value ? entry.value : undefined;
  }
  return undefined;
}

/** An element type by the units' word for it, where an engine takes PyTorch's. @param {any} value */
export function ownWord(value) {
  return typeof value === "string" && Object.hasOwn(TORCH_WORDS, value) ? TORCH_WORDS[value] : value;
}

/** The platform of a class of hardware. @param {string} hardwareClass @returns {string | null} */
export function platformOf(hardwareClass) {
  if (hardwareClass.startsWith("sm")) return "cuda";
  if (hardwareClass.startsWith("gfx")) return "rocm";
  if (["gaudi", "ascend", "tpu", "cpu"].includes(hardwareClass)) return hardwareClass;
  return { "apple-gpu": "metal", "intel-xpu": "xpu" }[hardwareClass] ?? null;
}

/** On and off as the setting has them: words of its own, or true and false. @param {any} setting @param {any} value */
export function asWritten(setting, value) {
  const listed = setting.values ?? [];
  const words = listed.includes("on") && listed.includes("off");
  if (typeof value === "string" && !listed.includes(value) && !Object.hasOwn(setting.words ?? {}, value)) {
    const text = value.toLowerCase();
    value = listed.find((/** @type {any} */ word) => String(word).toLowerCase() === text) ?? value;
  }
  if (words && typeof value === "boolean") return value ? "on" : "off";
  return !words && typeof setting.default === "boolean" && (value === "on" || value === "off") ? value === "on" : value;
}

/**
 * Whether a setting belongs to a feature that nobody turned on: its default then says nothing of the stack.
 * @param {string} fact @param {Facts} facts @param {Record<string, any>} settings @param {any} catalog
 */
function isOff(fact, facts, settings, catalog) {
  const whole = lookup(catalog.facts, fact)?.part_of;
  if (!whole) return false;
  const method = whole in facts ? facts[whole] : settings[whole]?.default;
  return [undefined, null, catalog.facts[whole].absent].includes(method);
}

/** @param {Question} question @param {Facts} facts */
function hardware(question, facts) {
  if (question.hardware) {
    const { id, data } = question.hardware;
    facts["hardware.id"] ??= id;
    facts["hardware.class"] ??= data.class;
    const memory = data.visible_bytes ?? data.memory_bytes;
    if (memory !== undefined) facts["hardware.memory_bytes"] ??= memory;
    const shared = data.shared_memory_per_block_bytes;
    if (shared !== undefined) facts["hardware.shared_memory_per_block_bytes"] ??= shared;
  }
  const platform = platformOf(facts["hardware.class"] ?? "");
  if (platform) facts.platform ??= platform;
}

/**
 * Tensor-parallel ranks where nobody named them: the devices that pipeline stages and replicas leave; null for one device.
 * @param {Question} question @param {Facts} facts
 */
export function shares(question, facts) {
  const ranks = ranksOf(facts, question.engine);
  const others = ranks.pipeline_parallel * ranks.data_parallel;
  return question.gpus > others ? Math.floor(question.gpus / others) : null;
}

/** @param {Question} question @param {Facts} facts @param {Assume} assume */
function cacheTypes(question, facts, assume) {
  if (UNDECIDED.includes(facts["cache.dtype"])) {
    delete facts["cache.dtype"];
    assume("cache.dtype", question.derived.unknown ? null : "bf16", "auto is the model's own type");
  }
  for (const part of PARTS) assume(part, facts["cache.dtype"], "as cache.dtype");
  const plain = PARTS.every((part) => OWN_TYPES.includes(facts[part]));
  if (plain) assume("query.dtype", facts[PARTS[0]], "queries are only quantized for a quantized cache");
}

/** @param {Facts} facts @param {Assume} assume */
function speculation(facts, assume) {
  const method = facts["speculation.method"] ?? "none";
  if (method === "none") return;
  const tokens = facts["speculation.tokens"];
  if (Number.isInteger(tokens)) assume("speculation.query_length", tokens + 1, "the drafted tokens and one more");
  assume("speculation.draft_kind", DRAFT_KINDS[String(method).toLowerCase()] ?? "head", `what ${method} drafts with`);
}

/** The checkpoint in question as the record has it, the first where none is named; empty where it is not listed in this format. @param {Question} question @param {any} format @returns {Record<string, any>} */
function checkpointOf(question, format) {
  const wanted = (question.checkpoint ?? "").toLowerCase();
  const found = (question.model.data.checkpoints ?? []).find((/** @type {any} */ entry) => wanted === "" || wanted === entry.hub.toLowerCase());
  return found && found.format === format ? found : {};
}

/**
 * The format of the checkpoint in question, null where the record does not list it; of a config alone, what its quantization says.
 * @param {Question} question @param {string[]} words @returns {string | null}
 */
function formatOf(question, words) {
  /** @type {{hub: string, format: string}[]} */
  const listed = question.model.data.checkpoints ?? [];
  if (listed.length) {
    const wanted = (question.checkpoint ?? listed[0].hub).toLowerCase();
    const same = listed.filter((checkpoint) => checkpoint.hub.toLowerCase() === wanted);
    return same.length ? same[same.length - 1].format : null; // of several files of one hub id the last, as it stands for them all
  }
  const stated = question.derived.unknown ? null : question.derived.weight_format;
  return stated && words.includes(stated) ? stated : null;
}
