// @ts-check
// infercompat/allocate/llamacpp.py: buffers of cells, allocated at once for the whole context; windowed layers have a shorter one.
import { ZERO, exact, sum } from "../fraction.js";
import { isUnknown, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { compressedGroups, compressorStates } from "./llamacpp_compressed.js";
import { elementBytes, roundedUp } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */
/**
 * Cells of one stream in full and windowed layers, the streams, and the slots.
 * @typedef {{full: number, windowed: number, streams: number, slots: number}} Lengths
 */

/** Speculation that keeps a snapshot of a recurrent state for each drafted token. */
const WITH_SNAPSHOTS = ["mtp", "draft-mtp", "eagle3", "dflash", "dspark"];

/** The figures for `llamacpp-cells/1`, of all devices together. @param {Terms} terms @returns {Allocation | Unknown} */
export function cells(terms) {
  const listed = knowsWindows(terms);
  if (isUnknown(listed)) return listed;
  const problem = refusal(terms);
  if (problem) return problem;
  const own = terms.layers.filter((layer) => layer.attends && layer.kind !== "recurrent" && !(layer.shares && isNamed(terms, "sharing")));
  const [short, long] = [own.filter((layer) => layer.window && listed), own.filter((layer) => !(layer.window && listed))];
  const squeezed = own.some((layer) => layer.compress_ratio);
  const lengths = lengthsOf(terms, Math.max(0, ...short.map((layer) => layer.window)), own.length > 0, squeezed);
  if (lengths === null) return unknown(["max_model_len"], "the buffers are as long as the context, which is not known");
  const snapshots = WITH_SNAPSHOTS.includes(terms.fact("speculation.method")) ? terms.speculativeTokens : 0;
  // All states are in fp32, with a snapshot for each drafted token where the method needs them.
  const states = sum(terms.layers.map((layer) => (layer.conv_elements + layer.state_elements) * 4 * (1 + snapshots)));
  const state = squeezed ? states.plus(compressorStates(terms.layers, snapshots)) : states;
  const groups = squeezed
    ? compressedGroups(terms.layers, lengths.full, lengths.windowed, terms.parameter("padding"), element(terms, "k") ?? exact(2))
    : [
        ...(long.length ? [group("full", long.length, cellBytes(terms, long, own), 1, lengths.full)] : []),
        ...(short.length ? [group("windowed", short.length, cellBytes(terms, short, own), 1, lengths.windowed)] : []),
      ];
  const buffers = sum(groups.map((one) => one.bytes_per_token.times(lengths.streams * (one.most ?? 0))));
  const reserved = buffers.plus(state.times(lengths.slots)).ceil();
  return allocation({ groups, state_bytes: state.ceil(), reserved, needed_bytes: reserved, capacity_tokens: lengths.full * lengths.streams });
}

/** @param {Terms} terms @param {string} parameter */
function isNamed(terms, parameter) {
  return terms.parameter(parameter).includes(terms.fact("model.architecture"));
}

/**
 * Whether windows shorten the cache: the graph that the architecture is converted to has to know of them.
 * @param {Terms} terms @returns {boolean | Unknown}
 */
function knowsWindows(terms) {
  if (!terms.layers.some((layer) => layer.window || layer.shares)) return false;
  if (!terms.fact("model.architecture")) {
    return unknown(["model.architecture"], "whether windows shorten the cache goes by what the architecture is converted to");
  }
  return isNamed(terms, "windowed");
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const compressed = terms.layers.some((layer) => layer.compress_ratio);
  const architecture = terms.fact("model.architecture");
  if (compressed && !terms.lists("compressed_models", architecture)) {
    return unknown(["a rule for these layers"], "compressed layers of this architecture were not read in this version");
  }
  const indexed = !compressed && terms.layers.some((layer) => layer.index_width);
  if (indexed && !terms.lists("indexed", architecture)) {
    return unknown(["a rule for these layers"], "index keys of this architecture were not read in this version");
  }
  if (terms.layers.some((layer) => layer.kind === "cross" || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "cross-attention is not worked out");
  }
  if (!element(terms, "k") || !element(terms, "v")) {
    return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known`);
  }
  return null;
}

/** Bytes of an element of K or V; block formats count with their scales. @param {Terms} terms @param {"k" | "v"} part */
function element(terms, part) {
  const given = terms.given(`cache.${part}.dtype`) || terms.given("cache.dtype");
  return elementBytes(given || terms.fact(`cache.${part}.dtype`) || "f16");
}

/**
 * Cells: the context padded, each slot's share of it where slots have streams of their own, and a window with one micro-batch. With
 * `apart` slots have buffers of their own in a unified cache as well, each as long as the context.
 * @param {Terms} terms @param {number} window @param {boolean} attending @param {boolean} apart @returns {Lengths | null}
 */
function lengthsOf(terms, window, attending, apart) {
  const given = terms.given("max_num_seqs");
  const asked = terms.given("setting.kv_unified");
  const slots = Math.trunc(given || terms.fact("max_num_seqs") || 1);
  const unified = asked === null ? given === null : Boolean(asked);
  const length = attending ? terms.given("max_model_len") || terms.request.derived.context.native : 0;
  if (length === null) return null;
  const padding = terms.parameter("padding");
  const context = roundedUp(length, padding);
  const full = unified ? context : Math.max(padding, roundedUp(Math.floor(context / slots), padding));
  const batch = Math.min(context, Math.trunc(terms.fact("max_num_batched_tokens") || context));
  const micro = Math.min(batch, Math.trunc(terms.fact("setting.ubatch_size") || batch));
  const together = unified && !apart;
  const windowed = terms.fact("setting.swa_full") ? full : roundedUp(Math.min(full, window * (together ? slots : 1) + micro), padding);
  return { full, windowed, streams: together ? 1 : slots, slots };
}

/**
 * Bytes of one cell over layers. A latent and an index key are kept as K alone; without flash attention every V is as wide as the widest.
 * @param {Terms} terms @param {Layer[]} layers @param {Layer[]} own
 */
function cellBytes(terms, layers, own) {
  const [sizeK, sizeV] = [element(terms, "k") ?? ZERO, element(terms, "v") ?? ZERO];
  const widest = Math.max(0, ...own.map((layer) => layer.kv_heads * layer.v_width));
  const sizes = layers.map((layer) => {
    if (layer.latent_width) return sizeK.times(layer.latent_width + layer.index_width);
    const values = terms.fact("setting.flash_attn") === "off" ? widest : layer.kv_heads * layer.v_width;
    return sizeK.times(layer.kv_heads * layer.k_width).plus(sizeV.times(values));
  });
  return sum(sizes);
}

export const ALGORITHMS = { "llamacpp-cells/1": cells };
