// @ts-check
// infercompat/allocate/tensorrtllm.py: blocks in pools, one for each window, and states beside them.
import { ZERO, exact, ratio, sum } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { divides, elementBytes, headsOnRank, isOneOf, stateElements, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** Half a byte an element, and a byte of scale for 16. */
const NVFP4 = ratio(9, 16);
/** Elements of an index key that share a scale of four bytes; the key itself takes a byte an element. */
const INDEX_SCALES = 128;
const KINDS = ["full", "sliding", "chunked", "latent", "indexed", "recurrent", "none"];

/** The figures of one rank for `trtllm-blocks/1`; of pipeline stages, those of the one that holds most a token. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  const second = secondManager(terms);
  const windows = isUnknown(second) ? second : windowsOf(terms, second);
  if (isUnknown(second) || isUnknown(windows)) return isUnknown(second) ? second : /** @type {Unknown} */ (windows);
  const problem = refusal(terms);
  if (problem) return problem;
  const step = Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
  const stages = stagesOf(terms);
  const sizes = stages.map((stage) => sum(stage.map((index) => tokenOf(terms, terms.layers[index]))));
  const stage = stages[sizes.reduce((most, size, place) => (size.compare(sizes[most]) > 0 ? place : most), 0)];
  /** @type {Map<string, {window: number, sizes: Fraction[]}>} */
  const pools = new Map();
  /** @type {Map<number, Fraction>} */
  const byWindow = new Map();
  for (const index of stage) {
    const layer = terms.layers[index];
    const size = tokenOf(terms, layer);
    if (!size.compare(0)) continue;
    const window = windows[index];
    const key = [window, layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width].join();
    const pool = pools.get(key) ?? { window, sizes: [] };
    pool.sizes.push(size);
    pools.set(key, pool);
    byWindow.set(window, size.plus(byWindow.get(window) ?? ZERO));
  }
  const states = stages.map((indexes) => sum(indexes.map((index) => stateOf(terms, terms.layers[index]))));
  const state = states.reduce((most, one) => (one.compare(most) > 0 ? one : most), ZERO);
  const crossed = sum(stage.map((index) => crossedOf(terms, terms.layers[index], step)));
  const single = byWindow.size === 1 && !crossed.compare(0) ? [...byWindow.values()][0].times(step) : ZERO;
  const known = {
    groups: [...pools.values()].map(({ window, sizes: held }) => groupOf(held, window, step)),
    block_size: step,
    bytes_per_block: single.ceil() || null,
    state_bytes: state.plus(crossed).ceil(),
  };
  return allocation({ ...known, ...sized(terms, byWindow, state, crossed, second, step) });
}

/** Whether the newer cache manager holds the cache: as asked for, else by the architecture. @param {Terms} terms @returns {boolean | Unknown} */
function secondManager(terms) {
  const asked = terms.fact("setting.use_kv_cache_manager_v2");
  if (![null, "auto"].includes(asked)) return asked === true || `${asked}`.toLowerCase() === "true";
  const architecture = terms.fact("model.architecture");
  const stateful = terms.layers.some(keepsState);
  if (!architecture && (stateful || terms.layers.some((layer) => layer.window))) {
    return unknown(["model.architecture"], "which cache manager holds windows and states goes by the architecture");
  }
  return terms.parameter("windowed").includes(architecture) || stateful;
}

/**
 * The window of each layer; 0 where it keeps every token.
 * @param {Terms} terms @param {boolean} second @returns {number[] | Unknown}
 */
function windowsOf(terms, second) {
  const { layers, maxModelLen: longest } = terms;
  const given = terms.fact("setting.max_attention_window");
  if (given !== null) {
    const pattern = patternOf(given);
    if (!pattern.length) return unknown(["setting.max_attention_window"], "windows are given as a list of tokens, repeated over the layers");
    if (longest === null) return unknown(["max_model_len"], "a window as long as the longest sequence is none");
    return layers.map((_, index) => (pattern[index % pattern.length] >= longest ? 0 : pattern[index % pattern.length]));
  }
  const attending = new Set(layers.filter((layer) => layer.attends).map((layer) => layer.window));
  return layers.map((layer) => (second && attending.size > 1 ? layer.window : 0));
}

/** Windows from a list, one number, or numbers with commas between them; empty where they are none. @param {any} given @returns {number[]} */
function patternOf(given) {
  /** @type {any[]} */
  const listed = typeof given === "string" ? given.split(",") : Array.isArray(given) ? given : [given];
  const numbers = listed.map((one) => (typeof one === "string" && /^\d+$/.test(one.trim()) ? Number(one) : (whole(one) ?? 0)));
  return numbers.every((number) => number > 0) ? numbers : [];
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const { layers } = terms;
  const ranks = terms.ranks("tensor_parallel");
  const named = terms.fact("cache.dtype");
  if (layers.some((layer) => layer.compress_ratio)) {
    return unknown(["a rule for these layers"], "pools of compressed rows, with states of their own, are not worked out");
  }
  if (layers.some((layer) => layer.index_width && !layer.latent_width)) {
    return unknown(["a rule for this index"], "index keys beside grouped-query attention are not worked out");
  }
  if (layers.some((layer) => !KINDS.includes(layer.kind))) {
    return unknown(["a rule for these layers"], "layers that attend to an image alone, or keep a state and attend, are not worked out");
  }
  if (layers.some((layer) => layer.shares)) return unknown(["a rule for these layers"], "layers that share a cache are not worked out");
  if (layers.some(keepsState) && !terms.lists("states", terms.fact("model.architecture"))) {
    return unknown(["a rule for these states"], "the architecture is none of those whose states the engine has a manager for");
  }
  if (!layers.every((layer) => divides(layer.latent_width ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (terms.ranks("pipeline_parallel") > 1 && layers.some((layer) => layer.cross_tokens)) {
    return unknown(["a rule for these stages"], "an encoder's cache over pipeline stages is not worked out");
  }
  const width = widthOf(terms);
  if (width === null || (width === NVFP4 && layers.some((layer) => layer.latent_width))) {
    return unknown(["cache.dtype"], `the size of a cache of ${named ?? "None"} is not known for these layers`);
  }
  return null;
}

/** Bytes of an element, scales among them; null for a type that is not known. @param {Terms} terms */
function widthOf(terms) {
  if (terms.fact("cache.dtype") === "nvfp4") return NVFP4;
  const size = elementBytes(terms.fact("cache.dtype"));
  return isOneOf(size, [1, 2]) ? size : null;
}

/** The layers of each pipeline stage; the first ones have what is left over. @param {Terms} terms @returns {number[][]} */
function stagesOf(terms) {
  const count = terms.layers.length;
  const ranks = terms.ranks("pipeline_parallel");
  let start = 0;
  return Array.from({ length: ranks }, (_, stage) => {
    const size = Math.floor(count / ranks) + Number(stage < count % ranks);
    start += size;
    return Array.from({ length: size }, (__, place) => start - size + place);
  });
}

/** Bytes that a token leaves in a layer on one rank. @param {Terms} terms @param {Layer} layer */
function tokenOf(terms, layer) {
  const size = widthOf(terms) ?? ZERO;
  if (!layer.attends || layer.kind === "recurrent") return ZERO;
  if (layer.latent_width) return size.times(layer.latent_width).plus(layer.index_width + 4 * Math.floor(layer.index_width / INDEX_SCALES));
  return size.times(headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width));
}

/** Bytes of a state. @param {Terms} terms @param {Layer} layer */
function stateOf(terms, layer) {
  const [convolution, recurrent] = stateElements(layer, terms.ranks("tensor_parallel"), 0, null) ?? [ZERO, ZERO];
  const asked = terms.fact("setting.mamba_ssm_cache_dtype");
  let named = [null, "auto"].includes(asked) ? terms.fact("model.mamba_ssm_cache_dtype") : asked;
  if ("kda" in terms.request.derived.requirements) named = "fp32";
  return convolution.times(2).plus(recurrent.times(elementBytes(typeof named === "string" ? named : null) ?? 0));
}

/** Bytes of an encoder's positions, in whole blocks of a pool of their own. @param {Terms} terms @param {Layer} layer @param {number} step */
function crossedOf(terms, layer, step) {
  return tokenOf(terms, layer).times(Math.ceil(layer.cross_tokens / step) * step);
}

/** A pool; of a window a sequence holds the blocks that it touches at worst. @param {Fraction[]} sizes @param {number} window @param {number} step */
function groupOf(sizes, window, step) {
  return group(window ? "windowed" : "full", sizes.length, sum(sizes), step, window ? (Math.ceil((window - 1) / step) + 1) * step : null);
}

/**
 * With what is available: the tokens of the pool that keeps every token, or else of the smallest.
 * @param {Terms} terms @param {Map<number, Fraction>} byWindow @param {Fraction} state @param {Fraction} crossed @param {boolean} second @param {number} step
 * @returns {Partial<Allocation>}
 */
function sized(terms, byWindow, state, crossed, second, step) {
  const { available_bytes: available } = terms.request;
  const length = terms.maxModelLen;
  const missing = unsplit(terms, byWindow, state, crossed, second);
  if (available === null || missing.length || !byWindow.size) return { missing };
  /** @type {[number, number][]} */
  const pools = state.compare(0)
    ? [[0, Math.floor(besideStates(terms, available, byWindow.get(0) ?? ZERO, state) / step)]]
    : [...byWindow].map(([window, size]) => [window, exact(available).over(byWindow.size).over(size.times(step)).floor()]);
  const full = pools.find(([window]) => !window);
  const limiting = full ? full[1] : Math.min(...pools.map(([, count]) => count));
  const fits = pools.map(([window, count]) => {
    const most = window ? (Math.ceil((window - 1) / step) + 1) * step : (length ?? 1);
    return (count * step) / Math.min(most, length ?? 1);
  });
  return { blocks: limiting, capacity_tokens: limiting * step, max_concurrency: length ? Math.min(...fits) : null };
}

/**
 * What keeps the split of memory from being known.
 * @param {Terms} terms @param {Map<number, Fraction>} byWindow @param {Fraction} state @param {Fraction} crossed @param {boolean} second @returns {string[]}
 */
function unsplit(terms, byWindow, state, crossed, second) {
  const { available_bytes: available } = terms.request;
  const longest = terms.maxModelLen;
  if (crossed.compare(0)) return ["the part of the cache for cross-attention"];
  if (second && (byWindow.size > 1 || state.compare(0))) return ["the split of memory among pools"];
  if (state.compare(0) && [...byWindow.keys()].some((window) => window)) return ["a rule for windows beside states"];
  if (byWindow.size > 1 && longest === null) return ["max_model_len"];
  const needed = sum([...byWindow].map(([window, size]) => size.times(window || longest || 0)));
  if (byWindow.size > 1 && available !== null && needed.compare(available) >= 0) return ["windows that are cut to what fits"];
  if (state.compare(0) && whole(terms.fact("max_num_seqs")) === null) return ["max_num_seqs"];
  if (state.compare(0) && terms.fact("prefix_caching") !== false && whole(terms.fact("setting.mamba_snapshot_interval")) === null) {
    return ["setting.mamba_snapshot_interval"];
  }
  return [];
}

/**
 * Tokens beside a state for each request that may run, and with reuse one more for every so many tokens.
 * @param {Terms} terms @param {number} available @param {Fraction} token @param {Fraction} state
 */
function besideStates(terms, available, token, state) {
  const requests = Math.trunc(terms.fact("max_num_seqs")) * terms.ranks("pipeline_parallel");
  const interval = terms.fact("prefix_caching") === false ? 0 : whole(terms.fact("setting.mamba_snapshot_interval"));
  const slope = token.plus(interval ? state.over(interval).floor() : 0);
  return Math.max(0, exact(available).minus(state.times(requests)).over(slope).floor());
}

export const ALGORITHMS = { "trtllm-blocks/1": blocks };
