// @ts-check
// infercompat/allocate/vllmplugins.py: plugins of vLLM that size their cache by vLLM's own pool.
import { exact } from "../fraction.js";
import { unknown } from "../layers.js";
import { Terms, divides, elementBytes, headsOnRank, isOneOf } from "./terms.js";
import { ALGORITHMS as OF_VLLM } from "./vllm.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */

const PLAIN = ["full", "sliding", "chunked", "latent", "none"];
/** Elements that a head is padded to, but for one of 64. */
const TPU_LANES = 128;
/** Bytes that heads of one token are packed into. */
const TPU_WORD = 4;
/** Entries of the table of pages of all sequences that fit in half of the scalar memory. */
const TPU_TABLE = (1024 * 1024) / 2 / 4;

/** The figures of one rank for `vllm-full-blocks/1`: the pool with every windowed layer as a full one. @param {Terms} terms @returns {Allocation | Unknown} */
function fullBlocks(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const layers = terms.layers.map((layer) => (layer.window ? { ...layer, kind: "full", window: 0 } : layer));
  const request = { ...terms.request, derived: { ...terms.request.derived, layers } };
  return OF_VLLM["vllm-blocks/1"](new Terms(request, terms.settings, terms.parameters, terms.algorithm));
}

/** The figures of one rank for `vllm-unwindowed-blocks/1`: the pool, for models all of whose layers are full or latent. @param {Terms} terms @returns {Allocation | Unknown} */
function unwindowedBlocks(terms) {
  const problem = refusal(terms);
  if (!problem && terms.layers.some((layer) => layer.window)) {
    return unknown(["a rule for windows"], "what the plugin keeps for windowed layers is not worked out");
  }
  return problem ?? OF_VLLM["vllm-blocks/1"](terms);
}

/**
 * The figures of one rank for `tpu-padded-pages/1`: the pool with heads padded for the kernels, every layer a full one.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function paddedPages(terms) {
  const problem = refusal(terms) ?? tpuRefusal(terms);
  if (problem) return problem;
  const length = terms.maxModelLen;
  if (length === null) return unknown(["max_model_len"], "tokens of a page go by the longest sequence, which is not known");
  const layers = terms.layers.map((layer) => padded(layer, terms));
  const page = Math.trunc(terms.given("block_size") || tpuPage(length, Math.trunc(terms.fact("max_num_seqs"))));
  const facts = { ...terms.request.facts, block_size: page };
  const request = { ...terms.request, facts, derived: { ...terms.request.derived, layers } };
  return OF_VLLM["vllm-blocks/1"](new Terms(request, terms.settings, terms.parameters, terms.algorithm));
}

/**
 * A layer as its kernel keeps it. Heads of 64 have keys and values in one row, all others have a row for each.
 * @param {Layer} layer @param {Terms} terms @returns {Layer}
 */
function padded(layer, terms) {
  if (!layer.attends) return layer;
  const ranks = terms.ranks("tensor_parallel");
  const rows = layer.k_width === TPU_LANES / 2 ? 1 : 2;
  const packed = exact(TPU_WORD).over(elementBytes(terms.fact("cache.dtype")) ?? TPU_WORD).floor();
  const heads = Math.floor((Math.ceil((headsOnRank(layer.kv_heads, ranks) * rows) / packed) * packed) / rows);
  const width = tpuWidth(layer);
  return { ...layer, kind: "full", window: 0, kv_heads: heads * ranks, k_width: width, v_width: width };
}

/** @param {Layer} layer */
function tpuWidth(layer) {
  return layer.k_width === TPU_LANES / 2 ? layer.k_width : Math.ceil(layer.k_width / TPU_LANES) * TPU_LANES;
}

/** Tokens of a page where nobody sets them: for the registers, and then as many as let the table of pages fit. @param {number} length @param {number} sequences */
function tpuPage(length, sequences) {
  const registers = length > 8192 ? 16 : Math.min(256, Math.max(16, Math.floor(powerOfTwo(length) / 16)));
  const table = Math.ceil(length / Math.max(1, Math.floor(TPU_TABLE / sequences)));
  return Math.max(registers, powerOfTwo(table));
}

/** The power of two that a number fits in. @param {number} number */
function powerOfTwo(number) {
  let power = 1;
  while (power < number) power *= 2;
  return power;
}

/** @param {Terms} terms @returns {Unknown | null} */
function tpuRefusal(terms) {
  const layers = terms.layers.filter((layer) => layer.attends);
  const ranks = terms.ranks("tensor_parallel");
  if (layers.some((layer) => layer.latent_width)) {
    return unknown(["a rule for latents"], "latent attention runs with data parallel attention alone here, which is not worked out");
  }
  if (layers.some((layer) => layer.k_width !== layer.v_width)) return unknown(["a rule for these heads"], "keys and values of different widths are not worked out");
  if (layers.some((layer) => layer.window) && new Set(layers.map(tpuWidth)).size === 1) {
    return unknown(["setting.model_impl_type"], "whether windows shorten the cache goes by whose class runs, which is not worked out");
  }
  if (!layers.every((layer) => divides(layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  const size = elementBytes(terms.fact("cache.dtype"));
  if (!size || !isOneOf(size, [1, 2, 4])) return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known`);
  return null;
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const other = terms.layers.some(
    (layer) => !PLAIN.includes(layer.kind) || layer.conv_elements || layer.state_elements || layer.index_width || layer.cross_tokens,
  );
  return other ? unknown(["a rule for these layers"], "what the plugin keeps for states, index keys, compression and cross-attention is not worked out") : null;
}

export const ALGORITHMS = { "vllm-full-blocks/1": fullBlocks, "vllm-unwindowed-blocks/1": unwindowedBlocks, "tpu-padded-pages/1": paddedPages };
