// @ts-check
// infercompat/derive/config.py: a read-only view of a raw config.json that knows the names a field goes by and keeps account of what it could not read.

import { Float } from "./json.js";
import { ABSENT, clipped, isDict, isInt, repr, truthy, typeName } from "./python.js";

/** @typedef {Map<string, any>} Values */

const LARGEST_SIZE = 2 ** 48 - 1;
const MOST_LAYERS = 4096;

/** Where a model of several parts keeps its text decoder. */
const TEXT_PARTS = ["thinker_config", "text_config", "llm_config", "language_config", "decoder", "generator"];

/** Names that upstream configs give to one field, by the name that readers use. A dot leads into a nested mapping. */
const VARIANTS = new Map(
  [
    ["num_hidden_layers", "n_layer", "n_layers", "num_layers", "total_num_hidden_layers"],
    ["num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads", "total_num_attention_heads"],
    ["num_key_value_heads", "num_kv_heads", "n_head_kv", "num_attention_groups", "multi_query_group_num", "attn_config.kv_n_heads", "total_num_kv_heads"],
    ["head_dim", "attention_head_dim", "kv_channels", "head_size"],
    ["hidden_size", "n_embd", "n_embed", "d_model"],
    ["max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length", "max_sequence_length", "max_target_positions"],
    ["sliding_window", "sliding_window_size"],
    ["layer_types", "layers_block_type"],
    ["num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"],
    ["num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_k", "moe_topk", "moe_top_k", "top_k_experts"],
    ["ssm_state_size", "mamba_d_state", "state_size"],
    ["conv_kernel", "mamba_d_conv"],
    ["conv_kernel_size", "sconv_kernel_size"],
    ["mamba_num_heads", "mamba_n_heads", "n_mamba_heads"],
    ["mamba_head_dim", "mamba_d_head", "mamba_headdim"],
    ["n_groups", "mamba_n_groups", "mamba_ngroups", "mamba_num_groups"],
    ["expand", "mamba_expand"],
    ["mamba_ssm_cache_dtype", "mamba_ssm_dtype"],
    ["num_nextn_predict_layers", "num_mtp_layers"],
  ].map((names) => [names[0], names]),
);

/**
 * The text part of a config, read by canonical field names. A reading always gives a usable value: what was absent or impossible is named in
 * `missing`, and whoever finishes a reading looks there. `defaults_used` has "field=value (why)", `notes` what to know about the reading.
 */
export class Config {
  /** @param {Values} values @param {string | null} [architecture] */
  constructor(values, architecture = null) {
    this.parts = partsOf(values);
    /** @type {Values} */
    this.values = this.parts[this.parts.length - 1];
    this.architecture = architecture;
    /** @type {string[]} */
    this.missing = [];
    /** @type {string[]} */
    this.defaults_used = [];
    /** @type {string[]} */
    this.notes = [];
    this.prefix = "";
  }

  /** What may name the architecture: model types from the text part outwards, then class names, the given one first. @returns {string[]} */
  get names() {
    const innerFirst = this.parts.toReversed();
    const modelTypes = innerFirst.map((part) => part.get("model_type"));
    const classes = innerFirst.flatMap((part) => asList(part.get("architectures")));
    const summarised = innerFirst.map((part) => part.get("architecture"));
    return [...modelTypes, this.architecture, ...classes, ...summarised].filter((name) => typeof name === "string" && name);
  }

  /** The value under the first of the name's variants that holds one; null if only null is written, else ABSENT. @param {string} name @returns {any} */
  find(name) {
    const written = (VARIANTS.get(name) ?? [name]).map((variant) => dig(this.values, variant)).filter((value) => value !== ABSENT);
    return written.find((value) => value !== null) ?? (written.length ? null : ABSENT);
  }

  /** Whether the field has a value; null is none. @param {string} name */
  states(name) {
    const value = this.find(name);
    return value !== ABSENT && value !== null;
  }

  /** The value of a field that may stand beside the text part, such as vision_config; null where there is none. @param {string} name @returns {any} */
  anywhere(name) {
    return this.parts.findLast((part) => (part.get(name) ?? null) !== null)?.get(name) ?? null;
  }

  /** A nested mapping as a view that keeps the same accounts. @param {string} name @returns {Config} */
  section(name) {
    const nested = this.find(name);
    const view = /** @type {Config} */ (Object.assign(Object.create(Config.prototype), this));
    view.values = isDict(nested) ? nested : new Map();
    view.prefix = `${this.prefix}${name}.`;
    return view;
  }

  /**
   * A whole number. Absent or null gives the default and notes its use; without a default the field is missing.
   * @param {string} name @param {number | (() => number) | null} [byDefault] @param {string} [why] @param {number} [least] @returns {number}
   */
  size(name, byDefault = null, why = "", least = 0) {
    let value = this.find(name);
    if (value === ABSENT || value === null) {
      if (byDefault === null) return this.miss(name, least);
      value = Math.max(least, typeof byDefault === "number" ? byDefault : byDefault());
      this.useDefault(name, value, why);
    } else if (typeof value !== "number" || !(least <= value && value <= LARGEST_SIZE)) {
      return this.miss(`${name} (${short(value)} is not a size)`, least);
    }
    return value;
  }

  /** A size that is at least 1. @param {string} name @param {number | (() => number) | null} [byDefault] @param {string} [why] */
  positive(name, byDefault = null, why = "") {
    return this.size(name, byDefault, why, 1);
  }

  /** A whole number, or null where the field is absent or null; a summary has to state it. @param {string} name @returns {number | null} */
  optionalSize(name) {
    if (this.summary && this.find(name) === ABSENT) this.miss(name, null);
    return this.states(name) ? this.size(name) : null;
  }

  /** @param {string} name @param {boolean} [byDefault] @returns {boolean} */
  flag(name, byDefault = false) {
    const value = this.find(name);
    if (value === ABSENT || value === null) return byDefault;
    return typeof value === "boolean" ? value : this.miss(`${name} (${short(value)} is not true or false)`, byDefault);
  }

  /** A list of strings, or null where the field is absent or null. @param {string} name @returns {string[] | null} */
  words(name) {
    return this.listOf(name, (item) => typeof item === "string", "words");
  }

  /** A list of whole numbers, or null where the field is absent or null. @param {string} name @returns {number[] | null} */
  sizes(name) {
    const found = this.listOf(name, isInt, "whole numbers");
    return found?.some((item) => !(0 <= item && item <= LARGEST_SIZE)) ? this.miss(`${name} (an entry is not a size)`, []) : found;
  }

  /** A whole number if there is one, without holding anything against the config. @param {string} name @returns {number | null} */
  peek(name) {
    const value = this.find(name);
    return typeof value === "number" && 0 <= value && value <= LARGEST_SIZE ? value : null;
  }

  /** The number of layers; where no field says so, the length of the list that names their kinds. @param {string} [field] */
  layerCount(field = "num_hidden_layers") {
    const listed = this.find("layer_types");
    const named = truthy(listed) ? listed : this.find("hybrid_override_pattern");
    const unsaid = (Array.isArray(named) || typeof named === "string") && !this.states(field);
    const count = unsaid ? [...named].length : this.positive(field);
    return count <= MOST_LAYERS ? count : this.miss(`${field} (${count} is over ${MOST_LAYERS})`, 1);
  }

  /**
   * A list with one value a layer. Entries past the last layer are dropped where the config has as many draft layers.
   * @template T @param {T[]} values @param {number} count @param {string} name @returns {(T | null)[]}
   */
  perLayer(values, count, name) {
    const drafts = this.peek("num_nextn_predict_layers") || 0;
    if (![count, count + drafts].includes(values.length)) this.miss(`${name} (${values.length} entries for ${count} layers)`, null);
    return Array.from({ length: count }, (_, index) => values[index] ?? null);
  }

  /** Note a field as missing, or why it cannot be used, and go on with another value. @template T @param {string} name @param {T} instead @returns {T} */
  miss(name, instead) {
    if (!this.missing.includes(this.prefix + name)) this.missing.push(this.prefix + name);
    return instead;
  }

  /** Whether this is another tool's summary, with a field `architecture` and no name that a config.json would have. */
  get summary() {
    const named = this.architecture !== null || this.parts.some((part) => truthy(part.get("model_type")) || truthy(part.get("architectures")));
    return !named && this.parts.some((part) => typeof part.get("architecture") === "string");
  }

  /** @param {string} name @param {any} value @param {string} why */
  useDefault(name, value, why) {
    if (this.summary) {
      this.miss(name, value);
      return;
    }
    const entry = `${this.prefix}${name}=${value} (${why})`;
    if (!this.defaults_used.includes(entry)) this.defaults_used.push(entry);
  }

  /** @param {string} text */
  note(text) {
    if (!this.notes.includes(text)) this.notes.push(text);
  }

  /** @param {string} name @param {(item: any) => boolean} isOne @param {string} kind @returns {any[] | null} */
  listOf(name, isOne, kind) {
    const value = this.find(name);
    if (value === ABSENT || value === null) return null;
    return Array.isArray(value) && value.length <= 2 * MOST_LAYERS && value.every(isOne) ? value : this.miss(`${name} (not a list of ${kind})`, []);
  }
}

/** The mappings from the whole config down to its text part. @param {Values} values */
function partsOf(values) {
  const parts = [values];
  while (parts.length < 5) {
    const last = parts[parts.length - 1];
    const key = TEXT_PARTS.find((name) => isDict(last.get(name)) && last.get(name).size > 0);
    if (key === undefined) break;
    parts.push(last.get(key));
  }
  return parts;
}

/** @param {any} values @param {string} dotted */
function dig(values, dotted) {
  for (const step of dotted.split(".")) values = isDict(values) && values.has(step) ? values.get(step) : ABSENT;
  return values;
}

/** @param {any} value @returns {any[]} */
function asList(value) {
  return Array.isArray(value) ? value : [value];
}

/** @param {any} value */
function short(value) {
  const isSmall = isInt(value) && -(2n ** 64n) < value && value < 2n ** 64n;
  return typeof value === "string" || typeof value === "boolean" || value instanceof Float || isSmall ? clipped(repr(value), 40) : `a ${typeName(value)}`;
}
