// @ts-check
// infercompat/allocate/tgi.py: blocks over all layers, of the size that the attention in use has.
import { ZERO, exact, sum } from "../fraction.js";
import { unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { elementBytes, isOneOf, unlike } from "./terms.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** @type {Record<string, number>} */
const BLOCKS = { flashdecoding: 256, flashinfer: 1, "flashdecoding-ipex": 64, paged: 16 };
const FLASHINFER_HEADS = [64, 128, 256];
const BEFORE_AMPERE = ["sm70", "sm75"];

/** The figures of one rank for `tgi-blocks/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const attention = attentionOf(terms);
  const step = BLOCKS[attention] ?? null;
  if (step === null) return unknown(["attention.backend"], `${attention} is no attention of this engine`);
  const ranks = terms.ranks("tensor_parallel");
  const size = sizeOf(terms) ?? ZERO;
  const attending = terms.layers.filter((layer) => layer.attends);
  const groups = gathered(attending.map((layer) => ["full", null, size.times(Math.max(1, Math.floor(layer.kv_heads / ranks)) * 2 * layer.k_width)]), step);
  const block = sum(groups.map((one) => one.bytes_per_token)).times(step);
  const { available_bytes: available } = terms.request;
  const length = terms.maxModelLen;
  const count = available !== null && block.compare(0) ? exact(available).over(block).floor() : null;
  const tokens = count === null ? null : count * step;
  return allocation({
    groups,
    block_size: step,
    bytes_per_block: block.ceil() || null,
    blocks: count,
    capacity_tokens: tokens,
    max_concurrency: tokens !== null && length ? tokens / length : null,
    longest: tokens === null || length === null ? null : Math.min(tokens, length),
  });
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const layers = terms.layers.filter((layer) => layer.kind !== "none");
  const ranks = terms.ranks("tensor_parallel");
  const problem = unlike(layers);
  if (problem) return problem;
  if (layers.some((layer) => layer.k_width !== layer.v_width)) {
    return unknown(["a rule for these heads"], "keys and values of different widths are not worked out");
  }
  if (layers.some((layer) => layer.kv_heads > 1 && layer.kv_heads % ranks)) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!isOneOf(sizeOf(terms), [1, 2, 4])) {
    return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known`);
  }
  return null;
}

/** Bytes of an element; the engine's own words for fp8 end in fn. @param {Terms} terms */
function sizeOf(terms) {
  return elementBytes(String(terms.fact("cache.dtype") || "auto").replace(/fn$/, ""));
}

/** What runs: named, else by the width of the heads, the model and the device. @param {Terms} terms @returns {string} */
function attentionOf(terms) {
  const named = terms.fact("attention.backend");
  if (![null, "auto"].includes(named)) return String(named);
  const elsewhere = ![null, "cuda"].includes(terms.fact("platform"));
  const other = BEFORE_AMPERE.includes(terms.fact("hardware.class")) || elsewhere ? "paged" : "flashdecoding";
  const wide = terms.layers.every((layer) => !layer.attends || FLASHINFER_HEADS.includes(layer.k_width));
  return wide && !terms.parameter("not_flashinfer").includes(terms.request.derived.name) ? "flashinfer" : other;
}

export const ALGORITHMS = { "tgi-blocks/1": blocks };
