// @ts-check
// infercompat/allocate/openvino.py: blocks over all layers, allocated as they are needed or for a size that is named.
import { exact, sum } from "../fraction.js";
import { unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { elementBytes, isOneOf, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** Tokens of a block on a processor. */
const BLOCK = 32;
/** Bytes of a scale and a zero point, which an 8-bit cache has for each channel of a block's keys and for each token's values of a head. */
const SCALE = 8;
const BYTES = ["u8", "int8"];
const GIB = 2 ** 30;

/** The figures for `openvino-blocks/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  /** @type {[string, number | null, Fraction][]} */
  const layers = terms.layers.filter((layer) => layer.attends).map((layer) => ["full", null, blockOf(layer, terms).over(BLOCK)]);
  const groups = gathered(layers, BLOCK);
  const block = sum(groups.map((group) => group.bytes_per_token)).times(BLOCK).floor();
  const count = countOf(terms, block);
  const length = terms.maxModelLen;
  const tokens = count === null ? null : count * BLOCK;
  return allocation({
    groups,
    block_size: BLOCK,
    bytes_per_block: block || null,
    reserved: count !== null && named(terms, block) ? count * block : null,
    blocks: count,
    capacity_tokens: tokens,
    max_concurrency: tokens !== null && length ? tokens / length : null,
    longest: tokens === null || length === null ? null : Math.min(tokens, length),
  });
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const layers = terms.layers.filter((layer) => layer.kind !== "none");
  const plain = ["full", "sliding", "chunked"];
  if (layers.some((layer) => !plain.includes(layer.kind) || layer.latent_width || layer.cross_tokens || layer.index_width)) {
    return unknown(["a rule for these layers"], "latents, states and cross-attention are not worked out");
  }
  if (layers.some((layer) => layer.shares)) return unknown(["a rule for these layers"], "layers that share a cache are not worked out");
  if (terms.fact("platform") !== "cpu") {
    const gpu = terms.fact("platform") === "xpu";
    return unknown(["platform"], gpu ? "the shapes that the plugin for GPUs gives the cache were not read" : "what a block holds goes by the device");
  }
  if (terms.fact("attention.backend") === "SDPA") return unknown(["attention.backend"], "the state of a model without blocks is not worked out");
  if (terms.fact("setting.use_cache_eviction")) return unknown(["setting.use_cache_eviction"], "a cache that drops tokens is not worked out");
  if (terms.ranks("tensor_parallel") > 1) return unknown(["tensor_parallel"], "a model over several devices is not worked out");
  const size = elementBytes(dtypeOf(terms));
  if (!BYTES.includes(dtypeOf(terms)) && (!size || !isOneOf(size, [2, 4]))) {
    return unknown(["cache.dtype"], `how scales are kept in a cache of ${dtypeOf(terms)} is not worked out`);
  }
  return null;
}

/** @param {Terms} terms @returns {string} */
function dtypeOf(terms) {
  const asked = terms.fact("cache.dtype");
  return [null, "auto"].includes(asked) ? BYTES[0] : String(asked);
}

/**
 * Bytes of a block in a layer: with 8 bits, keys have rows more for each channel, values are wider by a scale for each head.
 * @param {Layer} layer @param {Terms} terms
 */
function blockOf(layer, terms) {
  const { kv_heads: heads, k_width: keys, v_width: values } = layer;
  if (BYTES.includes(dtypeOf(terms))) return exact(heads * ((BLOCK + SCALE) * keys + BLOCK * (values + SCALE)));
  return (elementBytes(dtypeOf(terms)) ?? exact(0)).times(heads * BLOCK * (keys + values));
}

/** Blocks that the settings ask for: their number before the size in GiB; null where neither does. @param {Terms} terms @param {number} block */
function named(terms, block) {
  const size = whole(terms.fact("setting.cache_size"));
  return whole(terms.fact("setting.num_kv_blocks")) || (size && block ? Math.floor((size * GIB) / block) : null) || null;
}

/** @param {Terms} terms @param {number} block */
function countOf(terms, block) {
  const available = terms.request.available_bytes;
  return named(terms, block) ?? (available !== null && block ? Math.floor(available / block) : null);
}

export const ALGORITHMS = { "openvino-blocks/1": blocks };
