// @ts-check
// infercompat/allocate/tensorrtllm.py: blocks in one pool for each combination of heads and window.
import { ZERO, exact } from "../fraction.js";
import { isUnknown, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { divides, elementBytes, headsOnRank, isOneOf } from "./terms.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** The figures of one rank for `trtllm-blocks/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  const windows = hasWindows(terms);
  if (isUnknown(windows)) return windows;
  const problem = refusal(terms);
  if (problem) return problem;
  const step = Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
  /** @type {Map<string, {window: number, layers: Layer[]}>} */
  const pools = new Map();
  for (const layer of terms.layers.filter((one) => one.attends && !one.shares)) {
    const window = windows ? layer.window : 0;
    const key = [layer.kv_heads, layer.k_width, layer.v_width, window].join();
    const pool = pools.get(key) ?? { window, layers: [] };
    pool.layers.push(layer);
    pools.set(key, pool);
  }
  const groups = [...pools.values()].map(({ window, layers }) => groupOf(terms, layers, window, step));
  const single = groups.length === 1 && groups[0].most === null ? groups[0].bytes_per_token.times(step) : ZERO;
  const { available_bytes: available } = terms.request;
  const length = terms.maxModelLen;
  const tokens = available !== null && single.compare(0) ? exact(available).over(single).floor() * step : null;
  return allocation({
    groups,
    block_size: step,
    bytes_per_block: single.ceil() || null,
    capacity_tokens: tokens,
    max_concurrency: tokens !== null && length ? tokens / length : null,
    missing: single.compare(0) ? [] : ["the split of memory among pools"],
  });
}

/**
 * Whether windowed layers get pools of their own: by the architecture, where no list of windows is given.
 * @param {Terms} terms @returns {boolean | Unknown}
 */
function hasWindows(terms) {
  if (!terms.layers.some((layer) => layer.window)) return false;
  if (terms.fact("setting.max_attention_window") || ![null, "auto"].includes(terms.fact("setting.use_kv_cache_manager_v2"))) {
    return unknown(["the windows given"], "what max_attention_window or another cache manager does is not worked out");
  }
  if (!terms.fact("model.architecture")) return unknown(["model.architecture"], "whether windows shorten the cache goes by the architecture");
  return terms.parameter("windowed").includes(terms.fact("model.architecture"));
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const ranks = terms.ranks("tensor_parallel");
  if (terms.layers.some((layer) => !["full", "sliding", "chunked", "none"].includes(layer.kind) || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "latents, states, index keys and cross-attention are not worked out");
  }
  if (terms.ranks("pipeline_parallel") > 1 || terms.layers.some((layer) => layer.shares)) {
    return unknown(["a rule for these layers"], "layers over pipeline stages, and layers that share a cache, are not worked out");
  }
  if (!terms.layers.every((layer) => divides(layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!isOneOf(elementBytes(terms.fact("cache.dtype")), [1, 2])) {
    return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known`);
  }
  return null;
}

/**
 * A pool; of a window a sequence holds the blocks that it touches at worst.
 * @param {Terms} terms @param {Layer[]} layers @param {number} window @param {number} step
 */
function groupOf(terms, layers, window, step) {
  const size = elementBytes(terms.fact("cache.dtype")) ?? ZERO;
  const heads = layers.map((layer) => headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width));
  const elements = heads.reduce((one, other) => one + other, 0);
  return group(window ? "windowed" : "full", layers.length, size.times(elements), step, window ? (Math.ceil((window - 1) / step) + 1) * step : null);
}

export const ALGORITHMS = { "trtllm-blocks/1": blocks };
