// @ts-check
// infercompat/allocate/exllamav3.py: pages for one number of tokens over all requests, and a slot of rings and states for each sequence.
import { ZERO, exact, ratio, sum } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { allocation, gathered, group } from "./allocation.js";
import { elementBytes, isOneOf, roundedUp, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** Elements that share a scale of two bytes in a quantized cache, and pages that a ring has beside its window. */
const GROUP = 32;
const BEYOND_WINDOW = 2;

/** The figures for `exllamav3-pages/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function pages(terms) {
  const bits = bitsOf(terms.fact("setting.cache_quant"));
  if (isUnknown(bits)) return bits;
  const problem = refusal(terms, bits);
  if (problem) return problem;
  const step = terms.parameter("block_size");
  const rings = terms.parameter("windowed").includes(terms.fact("model.architecture")) && !terms.fact("setting.swa_full");
  const slots = Math.trunc(terms.fact("max_num_seqs") || 1);
  const attending = terms.layers.filter((layer) => layer.attends);
  /** @param {Layer} layer */
  const isRinged = (layer) => rings && layer.window > 0;
  const paged = gathered(attending.filter((layer) => !isRinged(layer)).map((layer) => [layer.kind, null, tokenBytes(layer, bits)]), step);
  const held = together(attending.filter(isRinged), step);
  const state = sum(terms.layers.map((layer) => stateBytes(terms, layer))).ceil();
  const tokens = roundedUp(Math.max(Math.trunc(terms.fact("setting.cache_size") || 0), terms.maxModelLen || 0), step);
  const page = sum(paged.map((one) => one.bytes_per_token)).times(step);
  const fixed = state + sum(held.map((one) => one.bytes_per_token.times(one.most ?? 0))).ceil();
  return allocation({
    groups: [...paged, ...held],
    block_size: step,
    bytes_per_block: page.ceil() || null,
    state_bytes: state,
    reserved: page.times(tokens / step).ceil() + slots * fixed,
    blocks: tokens / step,
    capacity_tokens: tokens,
    most_requests: fixed ? slots : null,
  });
}

/** The bits of keys and values; null for a cache in fp16. @param {any} written @returns {[number, number] | null | Unknown} */
function bitsOf(written) {
  if ([null, "null", ""].includes(written)) return null;
  const parts = String(written).split(",").map((part) => part.trim());
  if (parts.length > 2 || !parts.every((part) => /^[0-9]+$/.test(part) && Number(part) >= 2 && Number(part) <= 8)) {
    return unknown(["setting.cache_quant"], `--cache_quant takes one number or two from 2 to 8, not ${written}`);
  }
  return [Number(parts[0]), Number(parts[parts.length - 1])];
}

/** @param {Terms} terms @param {[number, number] | null} bits @returns {Unknown | null} */
function refusal(terms, bits) {
  const { layers } = terms;
  const architecture = terms.fact("model.architecture");
  const kernel = whole(terms.fact("model.conv_kernel"));
  if (layers.some((layer) => layer.window) && !architecture) {
    return unknown(["model.architecture"], "whether windowed layers have rings goes by the architecture");
  }
  if (layers.some((layer) => layer.compress_ratio || layer.kind === "cross" || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "compressed layers and cross-attention are not worked out");
  }
  if (layers.some((layer) => layer.index_width) && !terms.parameter("indexed").includes(architecture)) {
    return unknown(["a rule for this index"], "the index keys of this architecture are not worked out");
  }
  if (layers.some((layer) => layer.shares)) return unknown(["a rule for these layers"], "layers that share a cache are not worked out");
  if (layers.some(keepsState)) {
    if (!terms.parameter("states").includes(terms.request.derived.name)) {
      return unknown(["a rule for these states"], "the states of this architecture are not worked out");
    }
    if (!kernel || kernel < 2) {
      return unknown(["model.conv_kernel"], "convolutions keep as many columns as the kernel has, and its length is not known");
    }
  }
  if (terms.ranks("tensor_parallel") > 1 || terms.fact("setting.tensor_parallel")) {
    return unknown(["tensor_parallel"], "parts of a model may differ in size, by the memory of the devices");
  }
  const dtype = terms.fact("cache.dtype");
  if (bits === null && !isOneOf(elementBytes(dtype), [2])) {
    return unknown(["setting.cache_quant"], `there is no cache of ${dtype}: it is fp16, or quantized by --cache_quant`);
  }
  if (bits && layers.some((layer) => layer.latent_width)) {
    return unknown(["the rotary part of the latent"], "a quantized latent keeps its rotary part in fp16, whose width is not known");
  }
  if (bits && layers.some((layer) => layer.attends && (layer.kv_heads * layer.k_width) % GROUP)) {
    return unknown(["a rule for these heads"], `a quantized cache goes by groups of ${GROUP} elements`);
  }
  return null;
}

/** Bytes of a token in a layer: K and V, both as wide as K; or the latent with its index key. @param {Layer} layer @param {[number, number] | null} bits */
function tokenBytes(layer, bits) {
  if (layer.latent_width) return exact(2 * (layer.latent_width + layer.index_width));
  const elements = layer.kv_heads * Math.max(layer.k_width, layer.v_width);
  return bits === null ? exact(4 * elements) : ratio(elements * (bits[0] + bits[1]), 8).plus(ratio(4 * elements, GROUP));
}

/** The rings of one sequence, in fp16 always, those of one length as one group: the window and two pages, in whole pages. @param {Layer[]} layers @param {number} step */
function together(layers, step) {
  /** @type {Map<number, Fraction[]>} */
  const held = new Map();
  for (const layer of layers) {
    const tokens = roundedUp(layer.window + BEYOND_WINDOW * step, step);
    held.set(tokens, [...(held.get(tokens) ?? []), tokenBytes(layer, null)]);
  }
  return [...held].map(([tokens, sizes]) => group("windowed", sizes.length, sum(sizes), tokens, tokens));
}

/** Bytes that a sequence holds in a layer with states, whatever its length. @param {Terms} terms @param {Layer} layer @returns {Fraction} */
function stateBytes(terms, layer) {
  if (!layer.conv_elements) return ZERO;
  const kernel = whole(terms.fact("model.conv_kernel")) ?? 0;
  const drafted = terms.speculativeTokens;
  const column = ratio(2 * layer.conv_elements, kernel - 1);
  if (!layer.state_elements) return column.times(kernel + drafted);
  const element = terms.fact("setting.recurrent_state_fp32") ? 4 : 2;
  return column.times(kernel + drafted + drafted + 1).plus(2 * layer.state_elements * element);
}

export const ALGORITHMS = { "exllamav3-pages/1": pages };
