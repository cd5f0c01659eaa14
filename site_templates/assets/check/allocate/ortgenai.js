// @ts-check
// infercompat/allocate/ortgenai.py: one buffer a layer for the longest answer, past and present in the same memory.
import { exact, sum } from "../fraction.js";
import { isUnknown, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { elementBytes, isOneOf } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** Tokens beside a window, by what the model was written for. @type {Record<string, number>} */
const SLACK = { cpu: 16, cuda: 0 };

/** The figures for `ort-buffers/1`: each sequence has buffers of the length from the start. @param {Terms} terms @returns {Allocation | Unknown} */
function buffers(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const length = terms.maxModelLen;
  if (length === null) return unknown(["max_model_len"], "buffers have the longest length, which is not known");
  const size = element(terms);
  if (isUnknown(size)) return size;
  const platform = terms.fact("platform");
  const windowed = terms.fact("setting.windowed_kv_cache") !== false && platform in SLACK;
  /** @type {Map<string, {kind: string, tokens: number, sizes: Fraction[]}>} */
  const held = new Map();
  for (const layer of terms.layers.filter((one) => one.attends)) {
    const short = windowed && layer.window > 0;
    const kind = short ? "windowed" : "full";
    const tokens = short ? Math.min(length, layer.window + SLACK[platform]) : length;
    const alike = held.get(`${kind} ${tokens}`) ?? { kind, tokens, sizes: [] };
    alike.sizes.push(size.times(layer.kv_heads * (layer.k_width + layer.v_width)));
    held.set(`${kind} ${tokens}`, alike);
  }
  const groups = [...held.values()].map(({ kind, tokens, sizes }) => group(kind, sizes.length, sum(sizes), tokens, tokens));
  const batch = Math.trunc(terms.fact("max_num_seqs") || 1);
  return allocation({ groups, reserved: batch * sum(groups.map((one) => one.bytes_per_token.times(one.most ?? 0))).floor(), longest: length });
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const { layers } = terms;
  const plain = ["full", "sliding", "chunked", "none"];
  if (layers.some((layer) => !plain.includes(layer.kind) || layer.latent_width || layer.cross_tokens || layer.index_width)) {
    return unknown(["a rule for these layers"], "latents, states and cross-attention are not worked out");
  }
  if (layers.some((layer) => layer.shares)) return unknown(["a rule for these layers"], "layers that share a cache are not worked out");
  if (terms.ranks("tensor_parallel") > 1) {
    return unknown(["tensor_parallel"], "the builder writes a model for one device; of several nothing was found");
  }
  if (terms.fact("setting.use_paged_attention")) {
    return unknown(["a rule for the paged cache"], "models written for the engine with continuous batches are not worked out");
  }
  if (layers.some((layer) => layer.window) && terms.fact("platform") === null) {
    return unknown(["platform"], "what windowed layers keep goes by what the model was written for");
  }
  const attending = layers.filter((layer) => layer.attends);
  if (attending.length && attending.every((layer) => layer.window)) {
    return unknown(["layer_types"], "layers are windowed for the builder where layer_types says so, which is not told where every layer is");
  }
  return null;
}

/** Bytes of an element: of the activations, which are fp32 for models that were quantized for the processor. @param {Terms} terms @returns {Fraction | Unknown} */
function element(terms) {
  const precision = terms.fact("setting.precision");
  const dtype = terms.fact("cache.dtype");
  if (terms.fact("platform") === "cpu" && ["int4", "int8", "fp32"].includes(precision) && [null, "auto", "bf16"].includes(dtype)) return exact(4);
  const size = elementBytes(dtype);
  if (!size || !isOneOf(size, [2, 4])) return unknown(["cache.dtype"], `how scales are kept in a cache of ${dtype ?? "None"} is not worked out`);
  return precision === "fp32" ? exact(4) : size;
}

export const ALGORITHMS = { "ort-buffers/1": buffers };
