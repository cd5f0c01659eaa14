// @ts-check
// infercompat/allocate/ikllamacpp.py: one buffer of cells a layer for the context of all slots; latents as the mode of --mla-use has them.
import { ZERO, exact, sum } from "../fraction.js";
import { unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { elementBytes, roundedUp } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** Cells that a context is rounded up to without flash attention; with it the policy says. */
const PADDING_WITHOUT_FLASH = 32;
/** Cells that a shortened layer has beyond its window at least. */
const LEAST_SLACK = 256;
/** Types that llama.cpp does not have: bytes of an element, and bytes that a row has beside. @type {Record<string, [Fraction, number]>} */
const OWN_TYPES = { q6_0: [exact(26).over(32), 0], q8_KV: [exact(1), 8] };

/** The figures for `ik-cells/1`, of all devices together. @param {Terms} terms @returns {Allocation | Unknown} */
function cells(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const length = terms.given("max_model_len") || terms.request.derived.context.native || null;
  const own = terms.layers.filter((layer) => layer.attends && layer.kind !== "recurrent" && !(layer.shares && isNamed(terms, "sharing")));
  if (length === null && own.length) return unknown(["max_model_len"], "the buffers are as long as the context, which is not known");
  const padding = hasFlash(terms) ? terms.parameter("padding") : PADDING_WITHOUT_FLASH;
  const context = own.length ? roundedUp(length ?? 0, padding) : 0;
  const short = shortened(terms, padding, context);
  const groups = gathered(
    own.map((layer) => {
      const most = layer.window && short ? Math.min(context, short) : context;
      return /** @type {[string, number, Fraction]} */ ([most < context ? "windowed" : "full", most, cell(terms, layer)]);
    }),
  );
  const buffers = sum(groups.map((one) => one.bytes_per_token.times(one.most ?? 0)));
  const slots = Math.max(1, Math.trunc(terms.fact("max_num_seqs") || 1));
  const states = sum(terms.layers.map((layer) => (layer.conv_elements + layer.state_elements) * 4));
  const reserved = buffers.plus(states.times(slots)).ceil();
  return allocation({ groups, state_bytes: states.ceil(), reserved, needed_bytes: reserved, capacity_tokens: context });
}

/** @param {Terms} terms @param {string} parameter */
function isNamed(terms, parameter) {
  return terms.lists(parameter, terms.fact("model.architecture"));
}

/** @param {Terms} terms */
function hasFlash(terms) {
  return ![false, 0, "off", "false", "0"].includes(terms.fact("setting.flash_attn"));
}

/** How latents are kept, by --mla-use. @param {Terms} terms */
function modeOf(terms) {
  return Math.trunc(terms.fact("setting.mla_use") || 0);
}

/**
 * Cells of a windowed layer where --swa-compress is given and the architecture's graph knows shortened layers; else null.
 * @param {Terms} terms @param {number} padding @param {number} context @returns {number | null}
 */
function shortened(terms, padding, context) {
  const window = Math.max(0, ...terms.layers.map((layer) => layer.window));
  if (!window || !terms.fact("setting.swa_compress") || !isNamed(terms, "windowed")) return null;
  const micro = Math.min(context, Math.trunc(terms.fact("max_num_batched_tokens") || context), Math.trunc(terms.fact("setting.ubatch_size") || context));
  return roundedUp(window + Math.max(micro, LEAST_SLACK), padding);
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const { layers } = terms;
  const kept = layers.filter((layer) => layer.attends);
  if (layers.some((layer) => layer.compress_ratio || layer.kind === "cross" || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "compressed layers and cross-attention are not worked out");
  }
  if (layers.some((layer) => layer.window || layer.shares || layer.latent_width) && !terms.fact("model.architecture")) {
    return unknown(["model.architecture"], "what is kept goes by what the architecture is converted to");
  }
  if (layers.some((layer) => layer.latent_width) && !isNamed(terms, "latent")) {
    return unknown(["a rule for these latents"], "how latents of this architecture are kept was not read");
  }
  if (layers.some((layer) => layer.index_width)) {
    return unknown(["a rule for this index"], "which layers keep index keys goes by a rule of the program, not by the config");
  }
  if (layers.some((layer) => layer.conv_elements || layer.state_elements) && !isNamed(terms, "states")) {
    return unknown(["a rule for these states"], "the states of this architecture were not read");
  }
  if (layers.some((layer) => layer.shares) && !isNamed(terms, "sharing")) {
    return unknown(["a rule for these layers"], "layers of this architecture that share a cache were not read");
  }
  return settingsRefusal(terms, kept);
}

/** @param {Terms} terms @param {Layer[]} kept @returns {Unknown | null} */
function settingsRefusal(terms, kept) {
  if (![0, 1, 2, 3].includes(modeOf(terms))) return unknown(["setting.mla_use"], `--mla-use has no mode ${modeOf(terms)}`);
  const [k, v] = [typeOf(terms, "k"), typeOf(terms, "v")];
  const strange = [k, v].find((word) => sizesOf(word) === null);
  if (strange !== undefined) return unknown(["cache.dtype"], `the size of a cache of ${strange} is not known`);
  if (kept.length && !hasFlash(terms) && !["f16", "fp16", "bf16"].includes(v)) {
    return unknown(["cache.v.dtype"], `values in ${v} need flash attention: it does not start`);
  }
  if (v === "q8_KV" && kept.some((layer) => !layer.latent_width)) return unknown(["cache.v.dtype"], "a V cache of q8_KV was not read");
  if (!hasFlash(terms) && modeOf(terms) === 1 && kept.some((layer) => layer.latent_width)) {
    const why = "mode 1 without flash attention keeps the latent once more without it, and its width is not known";
    return unknown(["the rotary part of the latent"], why);
  }
  const shorter = kept.some((layer) => layer.window) && terms.fact("setting.swa_compress") && isNamed(terms, "windowed");
  if (shorter && Math.trunc(terms.fact("max_num_seqs") || 1) > 1) {
    return unknown(["setting.swa_compress"], "--swa-compress takes one slot: it does not start with more");
  }
  return null;
}

/** @param {Terms} terms @param {"k" | "v"} part @returns {string} */
function typeOf(terms, part) {
  const given = terms.given(`cache.${part}.dtype`) || terms.given("cache.dtype");
  return String(given || terms.fact(`cache.${part}.dtype`) || "f16");
}

/** Bytes of an element and of what a row has beside, by the name of the type. @param {string} word @returns {[Fraction, number] | null} */
function sizesOf(word) {
  const size = elementBytes(word);
  return Object.hasOwn(OWN_TYPES, word) ? OWN_TYPES[word] : size && [size, 0];
}

/** Bytes of a row of so many elements. @param {string} word @param {number} elements */
function row(word, elements) {
  const [size, beside] = sizesOf(word) ?? [ZERO, 0];
  return size.times(elements).plus(beside);
}

/**
 * Bytes of a cell of one layer: K by heads, each a row, and V; or a latent once, in the type of V without flash attention.
 * @param {Terms} terms @param {Layer} layer @returns {Fraction}
 */
function cell(terms, layer) {
  const [k, v] = [typeOf(terms, "k"), typeOf(terms, "v")];
  if (layer.latent_width && modeOf(terms)) return row(hasFlash(terms) ? k : v, layer.latent_width);
  return row(k, layer.k_width).times(layer.kv_heads).plus(row(v, layer.kv_heads * layer.v_width));
}

export const ALGORITHMS = { "ik-cells/1": cells };
