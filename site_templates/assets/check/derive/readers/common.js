// @ts-check
// infercompat/derive/readers/common.py: the widths of attention heads, lists of layer kinds, and the end of a reading.

import { layer, replace, unknown } from "../layers.js";
import { ABSENT, clipped, repr } from "../python.js";
import { fromConfig, fromLayers } from "./requirements.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Demands} Demands */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("../layers.js").Unknown} Unknown */
/** @typedef {(config: Config) => Demands | Unknown} Read */
/** From a layer's index and the number of layers to its type. @typedef {(index: number, count: number) => string} Pattern */
/** A reading function and the names it answers to, model types and classes, separated by blanks. @typedef {[Read, string, string?]} Reader */

export const FULL = "full_attention", SLIDING = "sliding_attention", CHUNKED = "chunked_attention", LINEAR = "linear_attention";
export const INDEXED = "indexed_attention", CONVOLUTION = "conv", HYBRID = "hybrid", HYBRID_SLIDING = "hybrid_sliding";
export const NO_MIXING = "mlp";

/** Older names of layer types, and the two that keep no cache as one. */
const RENAMED = new Map([
  ["attention", FULL],
  ["mamba", LINEAR],
  ["deepseek_sparse_attention", INDEXED],
  ["qwen_sparse_attention", INDEXED],
  ["moe", NO_MIXING],
]);

/**
 * The end of a reading: the layers with all that they, the config and the family (`own`) demand; unknown if a field was missing.
 * @param {Config} config @param {Layer[]} layers @param {Record<string, string> | null} [own] @returns {Demands | Unknown}
 */
export function demands(config, layers, own = null) {
  if (config.missing.length) return unknown([...config.missing], "the config lacks fields that decide the layers");
  const requirements = { ...fromLayers(layers), ...fromConfig(config), ...own };
  return { layers, requirements, defaults_used: [...config.defaults_used], notes: [...config.notes] };
}

/** The same layer so many times. @param {Layer} one @param {number} count @returns {Layer[]} */
export function repeated(one, count) {
  return Array(count).fill(one);
}

/** 0, 1, 2 … @param {number} count */
export function range(count) {
  return Array.from({ length: count }, (_, index) => index);
}

/**
 * A layer of full attention with the config's KV heads and head width. Null or absent KV heads are as many as query heads, a null or absent head
 * width is hidden_size // num_attention_heads. `stated` names fields that must not be absent; `kv_heads` and `head_dim` are the class's own
 * numbers, named by `why`, for families whose published configs leave the fields out.
 * @param {Config} config @param {{stated?: string, kv_heads?: number, head_dim?: number, why?: string}} [own]
 */
export function attention(config, { stated = "", kv_heads, head_dim, why = "" } = {}) {
  for (const name of split(stated)) if (config.find(name) === ABSENT) config.miss(name, null);
  const count =
    kv_heads === undefined
      ? config.size("num_key_value_heads", () => config.size("num_attention_heads"), "one for each query head")
      : config.size("num_key_value_heads", kv_heads, why);
  const width = head_dim === undefined ? headWidth(config) : config.positive("head_dim", head_dim, why);
  return layer("full", { kv_heads: count, k_width: width, v_width: width });
}

/** The words of a text that blanks separate. @param {string} text */
export function split(text) {
  return text.split(/\s+/).filter(Boolean);
}

/** The same heads looking back over a window, or within a chunk, of so many tokens. @param {Layer} full @param {number} tokens @param {string} [kind] */
export function windowed(full, tokens, kind = "sliding") {
  return replace(full, { kind, window: tokens });
}

/** head_dim, or hidden_size // num_attention_heads where it is null or absent. @param {Config} config */
export function headWidth(config) {
  return config.positive("head_dim", () => splitWidth(config), "hidden_size // num_attention_heads");
}

/** hidden_size // num_attention_heads, whatever head_dim says. @param {Config} config */
export function splitWidth(config) {
  const hidden = config.size("hidden_size");
  return Math.floor(hidden / config.positive("num_attention_heads"));
}

/**
 * The type of each layer: the config's list, else the pattern that the class `why` names would fill in. Without a pattern, as for families whose
 * lists follow no rule, `missing` is the field that the config lacks.
 * @param {Config} config @param {Pattern | null} [pattern] @param {string} [why] @param {string} [missing] @returns {string[]}
 */
export function layerTypes(config, pattern = null, why = "", missing = "layer_types") {
  const count = config.layerCount();
  let listed = config.words("layer_types");
  if (listed === null) {
    if (pattern === null) return config.miss(missing, []);
    const words = range(count).map((index) => pattern(index, count));
    const each = [...new Set(words)].sort().map((word) => `${words.filter((one) => one === word).length} ${word}`);
    config.useDefault("layer_types", each.join(" + "), why);
    listed = words;
  }
  return config.perLayer(listed, count, "layer_types").flatMap((word) => (word === null ? [] : [RENAMED.get(word) ?? word]));
}

/** A pattern with full attention where index % period == at. @param {number} period @param {number} at @param {string} [other] @returns {Pattern} */
export function oneFullIn(period, at, other = SLIDING) {
  return (index) => (index % period === at ? FULL : other);
}

/**
 * A pattern that follows no_rope_layers, 0 where a layer has no rotary embedding; without a list, one in no_rope_layer_interval.
 * @param {Config} config @param {string} withRope @param {string} without @param {string} why @returns {Pattern}
 */
export function rotaryPattern(config, withRope, without, why) {
  const listed = config.sizes("no_rope_layers");
  if (listed?.length) {
    const rotary = config.perLayer(listed, config.layerCount(), "no_rope_layers");
    return (index) => (rotary[index] ? withRope : without);
  }
  const interval = config.positive("no_rope_layer_interval", 4, why);
  return (index) => ((index + 1) % interval ? withRope : without);
}

/** One layer for each word. A word that the family does not have is named as missing. @param {Config} config @param {string[]} words @param {Record<string, Layer>} layers */
export function assemble(config, words, layers) {
  for (const word of [...new Set(words)].filter((one) => !Object.hasOwn(layers, one)).sort()) {
    config.miss(`layer_types (no layer of this family is ${repr(clipped(word, 40))})`, null);
  }
  return words.filter((word) => Object.hasOwn(layers, word)).map((word) => layers[word]);
}

/**
 * Full and sliding layers of one width, in the order of layer_types or of a pattern; the window is sliding_window unless given.
 * @param {Config} config @param {Layer} full @param {Pattern | null} [pattern] @param {string} [why] @param {number | null} [window]
 */
export function interleaved(config, full, pattern = null, why = "", window = null) {
  const words = layerTypes(config, pattern, why);
  window ??= words.includes(SLIDING) ? config.positive("sliding_window") : 0;
  return assemble(config, words, { [FULL]: full, [SLIDING]: windowed(full, window) });
}
