// @ts-check
// infercompat/allocate/lmdeploy.py: blocks of one width for every layer, and a pool of slots for recurrent states beside them.
import { exact, ratio, sum } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { divides, headsOnRank, stateElements, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */
/**
 * A way to keep K and V: bytes of an element of each, and bytes of scales for a token of one head of each.
 * @typedef {{k: Fraction, v: Fraction, scales: number[]}} Scheme
 */

/** Bytes that the part of a block which one layer keeps of K, of V, of their scales, or of states is rounded up to. */
const ALIGNMENT = 256;
/** Blocks below which it does not start, however small the batches of prompts are made. */
const FEWEST = 16;
/** Width of a K head from which blocks are cut down, and to what. */
const [WIDE_HEAD, WIDE_BLOCK] = [512, 32];
/** Tokens of a block that flash_mla takes, without which sparse attention does not start. */
const SPARSE_BLOCK = 64;
/** Bytes of a token where sparse attention keeps its latent in fp8, with scales and the rotary part in bf16. */
const PACKED_LATENT = 656;

/** @type {Scheme} */
const PLAIN = { k: exact(2), v: exact(2), scales: [] };
/** @type {Scheme} */
const FP8 = { k: exact(1), v: exact(1), scales: [] };
/** @type {Map<string | null, Scheme>} */
const SCHEMES = new Map([
  .../** @type {[string | null, Scheme][]} */ ([null, "none", "auto", "bf16", "bfloat16", "fp16", "float16"].map((name) => [name, PLAIN])),
  .../** @type {[string, Scheme][]} */ (["fp8", "fp8_e4m3", "fp8_e5m2"].map((name) => [name, FP8])),
  ["int8", { k: exact(1), v: exact(1), scales: [4, 4] }],
  ["int4", { k: ratio(1, 2), v: ratio(1, 2), scales: [4, 4] }],
  ["turbo_quant", { k: ratio(1, 2), v: ratio(1, 4), scales: [4, 2] }],
]);

/** The figures of one rank for `lmdeploy-blocks/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  const window = windowOf(terms);
  if (isUnknown(window)) return window;
  const problem = refusal(terms);
  if (problem) return problem;
  const state = stateBytes(terms);
  if (isUnknown(state)) return state;
  const attending = attendingLayers(terms);
  const [step, settled] = stepOf(terms, attending);
  const size = attending.reduce((total, layer) => total + blockBytes(terms, layer, step), 0);
  const most = window ? (Math.ceil(window / step) + 1) * step : null;
  return allocation({
    groups: attending.length ? [group(window ? "windowed" : "full", attending.length, ratio(size, step), step, most)] : [],
    state_bytes: state,
    ...(settled ? pool(terms, size, step, window) : { missing: ["whether flash_mla is installed"] }),
  });
}

/** @param {Terms} terms */
function attendingLayers(terms) {
  return terms.layers.filter((layer) => layer.attends && layer.kind !== "recurrent");
}

/** The one window that all layers are cut to; 0 where every token is kept. @param {Terms} terms @returns {number | Unknown} */
function windowOf(terms) {
  const widest = Math.max(0, ...terms.layers.filter((layer) => layer.kind === "sliding").map((layer) => layer.window));
  if (!widest) return 0;
  if (!terms.fact("model.architecture")) return unknown(["model.architecture"], "whether windows shorten the cache goes by the architecture");
  return terms.parameter("windowed").includes(terms.fact("model.architecture")) ? widest : 0;
}

/** @param {Terms} terms */
function isExpanded(terms) {
  return terms.parameter("expanded").includes(terms.fact("model.architecture"));
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const ranks = terms.ranks("tensor_parallel");
  const attending = attendingLayers(terms);
  const dtype = terms.fact("cache.dtype");
  if (terms.layers.some((layer) => layer.compress_ratio || layer.kind === "cross" || layer.cross_tokens || layer.shares)) {
    return unknown(["a rule for these layers"], "compressed layers, cross-attention and layers that share a cache are not worked out");
  }
  const sparse = attending.some((layer) => layer.index_width);
  if (attending.some((layer) => layer.index_width && !layer.latent_width)) {
    return unknown(["a rule for this index"], "index keys beside grouped-query attention are not worked out");
  }
  const widths = new Set(attending.map((layer) => [layer.kv_heads, layer.k_width, layer.latent_width].join()));
  if (widths.size > 1 || attending.some((layer) => !layer.latent_width && layer.k_width !== layer.v_width)) {
    return unknown(["a common width"], "all layers have blocks of one width, with V as wide as K, and these layers have several");
  }
  if (sparse && askedBlock(terms) !== SPARSE_BLOCK) return unknown(["block_size"], `sparse attention starts with blocks of ${SPARSE_BLOCK} only`);
  if (terms.ranks("pipeline_parallel") > 1) return unknown(["pipeline_parallel"], "there are no pipeline stages");
  if (!attending.every((layer) => divides(layer.latent_width && !isExpanded(terms) ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!SCHEMES.has(dtype)) return unknown(["cache.dtype"], `a cache of ${dtype} is not among the quantization policies`);
  const latent = attending.some((layer) => layer.latent_width) && !isExpanded(terms);
  if (latent && SCHEMES.get(dtype) !== PLAIN && !(sparse && ["fp8", "fp8_e4m3"].includes(dtype))) {
    return unknown(["cache.dtype"], sparse ? `sparse attention takes no ${dtype}` : `a latent in ${dtype} is not worked out`);
  }
  return null;
}

/** @param {Terms} terms */
function askedBlock(terms) {
  return Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
}

/**
 * Tokens of a block, and whether that is settled: blocks of 64 are kept with flash_mla, cut down without; others do without it.
 * @param {Terms} terms @param {Layer[]} attending @returns {[number, boolean]}
 */
function stepOf(terms, attending) {
  const asked = askedBlock(terms);
  if (attending.some((layer) => layer.latent_width) && !isExpanded(terms)) {
    return asked === SPARSE_BLOCK ? [asked, attending.some((layer) => layer.index_width)] : [Math.min(asked, WIDE_BLOCK), true];
  }
  return [attending.some((layer) => layer.k_width >= WIDE_HEAD) ? Math.min(asked, WIDE_BLOCK) : asked, true];
}

/** @param {Fraction} size */
function aligned(size) {
  return size.over(ALIGNMENT).ceil() * ALIGNMENT;
}

/** Bytes of a block in one layer on one rank. @param {Terms} terms @param {Layer} layer @param {number} step */
function blockBytes(terms, layer, step) {
  const scheme = SCHEMES.get(terms.fact("cache.dtype")) ?? PLAIN;
  if (layer.latent_width && !isExpanded(terms)) {
    const latent = scheme === PLAIN ? layer.latent_width * 2 : PACKED_LATENT;
    return aligned(exact(step * latent)) + (layer.index_width ? step * (layer.index_width + 4) : 0);
  }
  const tokens = step * headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel"));
  const parts = [scheme.k.times(layer.k_width), scheme.v.times(layer.k_width), ...scheme.scales.map(exact)];
  return parts.reduce((total, part) => total + aligned(part.times(tokens)), 0);
}

/**
 * Bytes of a slot of states; convolutions have a column more than elsewhere, and a drafted token adds a column and a state.
 * @param {Terms} terms @returns {number | Unknown}
 */
function stateBytes(terms) {
  const layers = terms.layers.filter(keepsState);
  if (!layers.length) return 0;
  if (!terms.parameter("states").includes(terms.request.derived.name)) {
    return unknown(["a rule for these states"], "the states that this model's file keeps are not worked out");
  }
  const drafted = terms.speculativeTokens;
  const kernel = whole(terms.fact("model.conv_kernel"));
  const pairs = layers.map((layer) => stateElements(layer, terms.ranks("tensor_parallel"), 1 + drafted, kernel));
  if (pairs.includes(null)) {
    return unknown(["model.conv_kernel"], "states have a column more than elsewhere, whose size follows from the length of the convolutions");
  }
  const [convolution, recurrent] = [0, 1].map((part) => sum(pairs.map((pair) => pair?.[part] ?? 0)));
  const width = terms.fact("setting.fp32_mamba_ssm_dtype") && terms.request.derived.name !== "qwen3_next" ? 4 : 2;
  return aligned(convolution.times(2)) + aligned(recurrent.times((1 + drafted) * width));
}

/**
 * Blocks, and what they hold: one is kept for padding, and a session ends a block before the rest are full.
 * @param {Terms} terms @param {number} size @param {number} step @param {number} window @returns {Partial<Allocation>}
 */
function pool(terms, size, step, window) {
  if (!size) return {};
  const known = { block_size: step, bytes_per_block: size, needed_bytes: FEWEST * size };
  const { available_bytes: available } = terms.request;
  const length = terms.maxModelLen;
  const count = whole(terms.fact("setting.num_gpu_blocks")) || (available === null ? null : Math.floor(available / size));
  if (count === null) return known;
  const tokens = Math.max(0, count - 1) * step;
  const counted = { ...known, blocks: count, capacity_tokens: tokens };
  return window ? counted : { ...counted, longest: Math.max(0, tokens - step), max_concurrency: length ? tokens / length : null };
}

export const ALGORITHMS = { "lmdeploy-blocks/1": blocks };
