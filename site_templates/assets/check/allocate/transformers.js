// @ts-check
// infercompat/allocate/transformers.py: tensors for one sequence, growing token by token, or of the full length at once.
import { ZERO, sum } from "../fraction.js";
import { keepsState, unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { divides, elementBytes, headsOnRank, isOneOf } from "./terms.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

const DYNAMIC = [null, "dynamic", "offloaded"];
const STATIC = ["static", "offloaded_static"];

/**
 * The figures of one rank for `transformers-tensors/1`, in the model's type of two bytes unless cache.dtype says another.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function tensors(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const fixed = STATIC.includes(terms.fact("setting.cache_implementation"));
  const own = terms.layers.filter((layer) => layer.attends && !layer.shares);
  const groups = gathered(own.map((layer) => [layer.kind, most(layer, fixed ? terms.maxModelLen : null, fixed), tokenBytes(terms, layer)]));
  return allocation({
    groups,
    state_bytes: sum(terms.layers.map((layer) => acrossBytes(terms, layer))).ceil(),
    reserved: fixed ? sum(groups.map((group) => group.bytes_per_token.times(group.most ?? 0))).ceil() : 0,
  });
}

/**
 * Tokens that a layer keeps: of a window all but the newest where the cache grows, else the window within the length.
 * @param {Layer} layer @param {number | null} length @param {boolean} fixed
 */
function most(layer, length, fixed) {
  if (!layer.window) return length;
  return fixed ? Math.min(layer.window, length || layer.window) : layer.window - 1;
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const implementation = terms.fact("setting.cache_implementation");
  const ranks = terms.ranks("tensor_parallel");
  const fixed = STATIC.includes(implementation);
  if (!fixed && !DYNAMIC.includes(implementation)) {
    return unknown(["setting.cache_implementation"], `the size of a cache of the implementation ${implementation} is not worked out`);
  }
  if (fixed && terms.maxModelLen === null) return unknown(["max_model_len"], "a static cache is as long as the request, which is not known");
  if (terms.layers.some(keepsState)) {
    return unknown(["a rule for these states"], "recurrent states are not worked out: a column longer than elsewhere, in types that kernels decide");
  }
  if (fixed && terms.layers.some((layer) => layer.cross_tokens)) {
    return unknown(["a rule for cross-attention"], "how long a static cache for cross-attention is was not read");
  }
  if (terms.layers.some((layer) => layer.compress_ratio)) {
    return unknown(["a rule for compressed layers"], "tokens that wait to be compressed are not worked out");
  }
  if (!terms.layers.every((layer) => divides(layer.latent_width ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!isOneOf(elementBytes(terms.fact("cache.dtype")), [2, 4])) return unknown(["cache.dtype"], "a quantized cache is not worked out");
  return null;
}

/** Bytes of K and V of the positions that a layer attends to across. @param {Terms} terms @param {Layer} layer */
function acrossBytes(terms, layer) {
  const heads = layer.cross_tokens ? headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel")) : 0;
  return (elementBytes(terms.fact("cache.dtype")) ?? ZERO).times(layer.cross_tokens * heads * (layer.k_width + layer.v_width));
}

/**
 * Bytes of a token in a layer on one rank; the latent and its index key are kept in the model's type, on every rank.
 * @param {Terms} terms @param {Layer} layer
 */
function tokenBytes(terms, layer) {
  const heads = headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel"));
  return (elementBytes(terms.fact("cache.dtype")) ?? ZERO).times((layer.latent_width || heads * (layer.k_width + layer.v_width)) + layer.index_width);
}

export const ALGORITHMS = { "transformers-tensors/1": tensors };
