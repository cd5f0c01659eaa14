// @ts-check
// infercompat/allocate/sglang.py: token pools of one size for all layers, or two pools where the architecture is on a list of windowed ones.
import { ZERO, decimal, exact, largest, ratio, sum } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { allocation, group, tokensOf } from "./allocation.js";
import { draftShare, mostRequests, splitStates } from "./sglang_requests.js";
import { divides, elementBytes, headsOnRank, isOneOf, stateElements } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./allocation.js").Group} Group */
/** @typedef {import("./terms.js").Terms} Terms */

/** Bytes of a token where sparse backends keep fp8 with a scale for 128 elements and the rotary part in bf16. */
const SCALED_LATENT = 512 + (512 / 128) * 4 + 64 * 2;

/**
 * The rank that holds most: its layers that keep every token, those with a window, the bytes of a token in each, and of its states.
 * @typedef {{long: Layer[], short: Layer[], full: Fraction, windowed: Fraction, state: Fraction}} Cells
 */

/** The figures of one rank for `sglang-pools/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function pools(terms) {
  const windows = hasWindows(terms);
  if (isUnknown(windows)) return windows;
  const problem = refusal(terms, windows);
  if (problem) return problem;
  const cells = cellsOf(terms, windows);
  const page = Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
  const share = cells.full.compare(0) ? decimal(terms.fact("setting.swa_full_tokens_ratio") || terms.parameter("swa_ratio")) : exact(1);
  const groups = cells.long.length ? [group("full", cells.long.length, cells.full, page)] : [];
  const window = Math.max(0, ...cells.short.map((layer) => layer.window));
  if (cells.short.length) {
    const extra = terms.parameter("eviction_interval") * Math.max(1, terms.speculativeTokens) + page;
    groups.push(group("windowed", cells.short.length, cells.windowed, page, paged(window + extra, page)));
  }
  const length = terms.maxModelLen;
  const perToken = cells.full.plus(share.times(cells.windowed));
  const held = cells.state.plus(cells.full.times(Math.max(0, ...terms.layers.map((layer) => layer.cross_tokens))));
  return allocation({
    groups,
    block_size: page,
    bytes_per_block: perToken.times(page).ceil(),
    state_bytes: held.ceil(),
    reserved: length === null ? null : perToken.times(pool(groups, share, page, length)).plus(held).ceil(),
    // The check at start-up: the windowed pool has to be larger than a window and a page. Some models count a window one token shorter.
    needed_bytes: groups.length > 1 ? perToken.times(paged(ratio(paged(window + page + 1, page), share), page)).ceil() : null,
    missing: length ? [] : ["max_model_len"],
    ...capacity(terms, cells, perToken, page),
  });
}

/** @param {Fraction | number} tokens @param {number} page */
function paged(tokens, page) {
  return ratio(tokens, page).ceil() * page;
}

/**
 * Tokens of the smallest pool that holds one request; the windowed pool follows the full one by its share, and has to hold it too.
 * @param {Group[]} groups @param {Fraction} share @param {number} page @param {number} length
 */
function pool(groups, share, page, length) {
  const windowed = groups.find((one) => one.kind === "windowed");
  return paged(largest([length, ratio(windowed ? tokensOf(windowed, length) : 0, share)]), page);
}

/** Whether windows shorten the cache: the architecture has to be on the list. @param {Terms} terms @returns {boolean | Unknown} */
function hasWindows(terms) {
  if (!terms.layers.some((layer) => layer.window) || terms.fact("setting.disable_hybrid_swa_memory")) return false;
  const architecture = terms.fact("model.architecture");
  if (!architecture) return unknown(["model.architecture"], "whether windows get a pool of their own goes by the architecture's name");
  return terms.parameter("windowed").includes(architecture);
}

/** What keeps the layers from being worked out. @param {Terms} terms @param {boolean} windows @returns {Unknown | null} */
function refusal(terms, windows) {
  const layers = terms.layers;
  const ranks = terms.ranks("tensor_parallel");
  const attending = layers.filter((layer) => layer.kind === "cross" || (layer.attends && layer.kind !== "recurrent"));
  if (layers.some((layer) => layer.compress_ratio)) {
    return unknown(["a rule for these layers"], "pools of compressed layers, with rings of states for requests that run, are not worked out");
  }
  if (layers.some((layer) => layer.cross_tokens && layer.kind !== "cross")) {
    return unknown(["a rule for these layers"], "an encoder's layers are counted with the decoder's in a scheme of their own, which is not worked out");
  }
  if (layers.some((layer) => layer.kind === "cross") && !("extra_buffer" in terms.parameters)) {
    return unknown(["a rule for cross-attention"], "how this version keeps the tokens of an image was not read");
  }
  if (attending.some((layer) => layer.index_width && !layer.latent_width)) {
    return unknown(["a rule for this index"], "index keys beside grouped-query attention are not worked out");
  }
  const widths = new Set(attending.map((layer) => [layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width].join()));
  if (!windows && widths.size > 1) return unknown(["a common width"], "one pool for all layers counts one width, and the layers have several");
  if (windows && attending.some((layer) => layer.latent_width)) {
    return unknown(["a rule for windowed latents"], "windows over a latent are not worked out");
  }
  if (!attending.every((layer) => divides(layer.latent_width ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (layers.some(keepsState) && (!("state_ratio" in terms.parameters) || (ranks > 1 && "mamba2" in terms.request.derived.requirements))) {
    return unknown(["a rule for these states"], "recurrent states of this version, or Mamba-2 groups over several ranks, are not worked out");
  }
  const size = elementBytes(terms.fact("cache.dtype"));
  if (!isOneOf(size, [1, 2]) || (isOneOf(size, [1]) && attending.some((layer) => layer.kind === "indexed" && layer.latent_width !== 576))) {
    return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known for these layers`);
  }
  return null;
}

/**
 * The cells of the pipeline stage that holds most; layers that share the cache of another have one of their own all the same.
 * @param {Terms} terms @param {boolean} windows @returns {Cells}
 */
function cellsOf(terms, windows) {
  /** @param {Layer[]} layers */
  const token = (layers) => sum(layers.map((layer) => tokenBytes(terms, layer)));
  const all = stagesOf(terms);
  const fullest = all.reduce((most, layers) => (token(layers).compare(token(most)) > 0 ? layers : most));
  const short = fullest.filter((layer) => windows && layer.window);
  const long = fullest.filter((layer) => !(windows && layer.window) && tokenBytes(terms, layer).compare(0));
  const state = largest(all.map((layers) => sum(layers.map((layer) => stateBytes(terms, layer)))));
  return { long, short, full: token(long), windowed: token(short), state };
}

/** The layers of each pipeline stage; the last ones have what is left over. @param {Terms} terms */
function stagesOf(terms) {
  const count = terms.layers.length;
  const ranks = terms.ranks("pipeline_parallel");
  let end = 0;
  return Array.from({ length: ranks }, (_, stage) => {
    const start = end;
    end += Math.floor(count / ranks) + (stage >= ranks - (count % ranks) ? 1 : 0);
    return terms.layers.slice(start, end);
  });
}

/** Bytes that a token leaves in a layer on one rank. @param {Terms} terms @param {Layer} layer */
function tokenBytes(terms, layer) {
  const size = elementBytes(terms.fact("cache.dtype")) ?? ZERO;
  if (layer.kind === "recurrent" || !(layer.attends || layer.kind === "cross")) return ZERO;
  if (layer.latent_width) {
    const latent = isOneOf(size, [1]) && layer.kind === "indexed" ? exact(SCALED_LATENT) : size.times(layer.latent_width);
    return latent.plus(layer.index_width + 4 * Math.floor(layer.index_width / 128));
  }
  return size.times(headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel")) * (layer.k_width + layer.v_width));
}

/** @param {Terms} terms @param {Layer} layer */
function stateBytes(terms, layer) {
  const [convolution, recurrent] = stateElements(layer, terms.ranks("tensor_parallel"), 0, null) ?? [ZERO, ZERO];
  const dtype = terms.fact("setting.mamba_ssm_dtype") || layer.state_dtype || terms.parameters.state_dtype;
  return convolution.times(2).plus(recurrent.times(elementBytes(dtype) ?? 0));
}

/**
 * Tokens that the pools hold with the memory that is available.
 * @param {Terms} terms @param {Cells} cells @param {Fraction} perToken @param {number} page @returns {Partial<Allocation>}
 */
function capacity(terms, cells, perToken, page) {
  const available = terms.request.available_bytes;
  const length = terms.maxModelLen;
  if (available === null || !perToken.compare(0)) return {};
  const states = cells.state.compare(0) ? splitStates(terms, available, cells.state) : null;
  const drafted = draftShare(terms, cells.long.length + cells.short.length);
  if (typeof states === "string") return { missing: [states] };
  if (drafted === null || (drafted.compare(0) && cells.short.length)) return { missing: ["the layers that draft"] };
  const rest = largest([exact(available).minus(states?.taken ?? 0)]);
  const tokens = Math.floor(rest.over(perToken.times(drafted.plus(1))).floor() / page) * page;
  const most = mostRequests(terms, tokens, states);
  const fit = length ? tokens / length : null;
  return { capacity_tokens: tokens, max_concurrency: fit === null || most === null ? fit : Math.min(fit, most), most_requests: most };
}

export const ALGORITHMS = { "sglang-pools/1": pools };
