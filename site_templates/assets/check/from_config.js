// @ts-check
// answer/asking.py (a model of its config alone), join/stack.py (its facts) and allocate/request.py (what layers do not tell).

import { Config } from "./derive/config.js";
import { Float } from "./derive/json.js";
import { linearsOf } from "./derive/weights/linears.js";
import { derive } from "./derive/model.js";
import { isDict, isInt } from "./derive/python.js";
import { Tables, laidOut, laidOutFile } from "./derive/weights/loaded.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Known} Known */
/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Unknown} Unknown */
/** @typedef {import("./derive/weights/stored.js").Stored} Stored */
/** A config that was dropped: the name of its file, what `readJson` gave, and of a GGUF file its tensors. @typedef {{name: string, values: Map<string, any>, file?: Stored | Unknown | null}} Dropped */

/** What configs call the number of query heads. */
const HEADS = ["num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads"];
/** Fields that count the layers for MTP. */
const DRAFTS = ["num_nextn_predict_layers", "mtp_num_hidden_layers"];
/** Facts that layers do not tell, and the fields of config.json that do. */
const CONFIG_FIELDS = {
  "model.conv_kernel": ["linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv"],
  "model.draft_layers": ["mtp_num_hidden_layers", "num_nextn_predict_layers"],
  "model.mamba_ssm_cache_dtype": ["mamba_ssm_cache_dtype"],
};
/** Those that are words; all others are whole numbers. */
const WORDS = ["model.mamba_ssm_cache_dtype"];

/**
 * A model that is in no catalog, made of its config alone, without the claims that engines make on it.
 * @param {Dropped} dropped @param {string[]} formats the words for a format of weights @returns {Model}
 */
export function modelOfConfig({ name, values, file = null }, formats) {
  const listed = values.get("architectures"), type = values.get("model_type");
  const architecture = Array.isArray(listed) && typeof listed[0] === "string" ? listed[0] : "";
  const id = stem(name), config = new Config(values), derived = derive(values);
  const heads = firstInt(config, HEADS), drafting = firstInt(config, DRAFTS);
  return {
    id,
    data: { name, architecture, checkpoints: file ? [{ hub: fileName(name), format: "gguf" }] : [], config: { basis: "official", cites: [] } },
    names: { architecture, model_type: typeof type === "string" ? type : "" },
    facts: {
      ...{ "model.id": id, "model.architecture": architecture, "model.family": "" },
      ...(heads === undefined ? {} : { "model.heads": heads }),
      ...(drafting === undefined ? {} : { "model.mtp_layers": drafting }),
      ...("missing" in derived ? {} : ofLayers(derived)),
    },
    derived,
    claims: {},
    recipes: {},
    measurements: [],
    linears: "missing" in derived ? null : linearsOf(values),
    memory: once(values, () => memoryOfConfig(values, formats, file)),
  };
}

/** The memory parts that were worked out: the same config is asked about at every step of the slider. @type {WeakMap<Map<string, any>, import("./weights.js").Delivered>} */
const worked = new WeakMap();

/** @param {Map<string, any>} values @param {() => import("./weights.js").Delivered} work */
function once(values, work) {
  const found = worked.get(values) ?? work();
  worked.set(values, found);
  return found;
}

/** The memory part of such a model, as export/check_memory.py delivers it of others; a layout is worked out when it is asked for. @param {Map<string, any>} values @param {string[]} formats @param {Stored | Unknown | null} [file] @returns {import("./weights.js").Delivered} */
export function memoryOfConfig(values, formats, file = null) {
  const tables = new Tables();
  /** @type {Record<string, import("./weights.js").Layout>} */
  const words = {};
  /** @type {Map<string, import("./weights.js").Layout>} */
  const known = new Map();
  for (const word of new Set(["", ...formats])) {
    const get = () => known.get(word) ?? /** @type {import("./weights.js").Layout} */ (known.set(word, laidOut(values, word, tables)).get(word));
    Object.defineProperty(words, word, { get, enumerable: true });
  }
  return { facts: factsOfConfig(values), ...tables.lists, checkpoints: file ? [laidOutFile(values, file, tables)] : [], words };
}

/** The name of a file without its folder. @param {string} name */
function fileName(name) {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The same without its last ending, as pathlib has it. @param {string} name */
function stem(name) {
  return fileName(name).replace(/(?<=.)\.[^.]*$/s, "");
}

/** What the model is called by: its class, else its type, in words that may stand in a sentence. @param {Map<string, any>} values */
export function calledBy(values) {
  const listed = values.get("architectures"), type = values.get("model_type");
  const classes = Array.isArray(listed) ? listed.filter((one) => typeof one === "string" && one) : [];
  return classes.join(", ") || (typeof type === "string" && type) || "a config that names no class";
}

/** As JSON.parse would have it. @param {any} value @returns {any} */
export function plain(value) {
  if (isDict(value)) return Object.fromEntries([...value].map(([name, one]) => [name, plain(one)]));
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Float) return value.value;
  return typeof value === "bigint" ? Number(value) : value;
}

/** @param {Known} derived @returns {Facts} */
function ofLayers({ layers, context }) {
  /** @param {(layer: import("./types.js").Layer) => number} of */
  const several = (of) => {
    const values = [...new Set(layers.map(of).filter(Boolean))].sort((one, other) => one - other);
    return values.length > 1 ? values : (values[0] ?? null);
  };
  return {
    "model.layers": layers.length,
    ...(context.native === null ? {} : { "model.context": context.native }),
    "model.window": several((layer) => layer.window),
    "model.kv_heads": several((layer) => layer.kv_heads),
    "model.head_dim": several((layer) => layer.head_dim),
  };
}

/** Facts for the settings of a request, from a config. @param {Map<string, any>} values @returns {Record<string, number | string>} */
export function factsOfConfig(values) {
  const config = new Config(values);
  const found = Object.entries(CONFIG_FIELDS).map(([fact, names]) => [fact, WORDS.includes(fact) ? firstWord(config, names) : firstInt(config, names)]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** @param {Config} config @param {string[]} names @returns {string | undefined} */
function firstWord(config, names) {
  return names.map((name) => config.anywhere(name)).find((value) => typeof value === "string");
}

/** @param {Config} config @param {string[]} names @returns {number | undefined} */
function firstInt(config, names) {
  const value = names.map((name) => config.anywhere(name)).find(isInt);
  return value === undefined ? undefined : Number(value);
}
