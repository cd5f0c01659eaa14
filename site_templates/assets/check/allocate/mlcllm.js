// @ts-check
// infercompat/allocate/mlcllm.py: pages over all layers for a number of tokens that the mode sets, all allocated at start.
import { exact, sum } from "../fraction.js";
import { isUnknown, unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { elementBytes, headsOnRank, isOneOf, unlike, whole } from "./terms.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** What the mode local has at most, and tokens that a cache on Metal has at most. */
const LOCAL_TOKENS = 8192;
const LOCAL_SEQUENCES = 4;
const METAL_TOKENS = 32768;

/** The figures of one rank for `mlc-pages/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function pages(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const step = terms.parameter("block_size");
  const ranks = terms.ranks("tensor_parallel");
  const attending = terms.layers.filter((layer) => layer.attends);
  const groups = gathered(attending.map((layer) => ["full", null, exact(4 * layer.k_width * headsOnRank(layer.kv_heads, ranks))]), step);
  const page = sum(groups.map((one) => one.bytes_per_token)).times(step);
  const tokens = tokensOfCache(terms);
  if (isUnknown(tokens)) return tokens;
  const count = Math.ceil(tokens / step);
  const length = terms.maxModelLen;
  const mode = terms.fact("setting.mode");
  return allocation({
    groups,
    block_size: step,
    bytes_per_block: page.ceil() || null,
    reserved: page.times(count).ceil(),
    blocks: count,
    capacity_tokens: tokens,
    max_concurrency: length ? tokens / length : null,
    longest: Math.min(tokens, length || tokens),
    most_requests: whole(terms.fact("max_num_seqs")) || (mode === "local" ? LOCAL_SEQUENCES : mode === "interactive" ? 1 : null),
  });
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const layers = terms.layers.filter((layer) => layer.kind !== "none");
  const ranks = terms.ranks("tensor_parallel");
  const problem = unlike(layers);
  if (problem) return problem;
  if (layers.some((layer) => layer.kv_heads % ranks)) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!isOneOf(elementBytes(terms.fact("cache.dtype")), [2])) {
    return unknown(["cache.dtype"], `the estimate is made for a cache of two bytes, not for ${terms.fact("cache.dtype") ?? "None"}`);
  }
  return null;
}

/** Tokens of the cache, of all sequences together: named, else by the mode. @param {Terms} terms @returns {number | Unknown} */
function tokensOfCache(terms) {
  const named = whole(terms.fact("setting.max_total_seq_length"));
  if (named) return named;
  let length = terms.maxModelLen;
  if (length === null) return unknown(["max_model_len"], "the length of the model is not known");
  const mode = terms.fact("setting.mode");
  if (mode === "server") {
    const batch = whole(terms.fact("max_num_seqs"));
    if (batch === null) return unknown(["max_num_seqs"], "in the mode server the cache is for a whole batch, whose size is not known");
    length *= batch;
  } else if (mode === "local") length = Math.min(length, LOCAL_TOKENS);
  return terms.fact("platform") === "metal" ? Math.min(length, METAL_TOKENS) : length;
}

export const ALGORITHMS = { "mlc-pages/1": pages };
