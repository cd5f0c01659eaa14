// @ts-check
// infercompat/derive/context.py: how long a context may be, how many tokens an image takes, how weights are stored.

import { Float } from "./json.js";
import { isDict, isInt, truthy } from "./python.js";

/** @typedef {import("./config.js").Config} Config */
/** @typedef {{native: number | null, method: string | null, factor: number | null, original: number | null, extended: number | null}} Context */

const MULTIPLYING = ["yarn", "linear", "dynamic"];
const STATED = ["llama3", "longrope", "su"];

/** Context lengths that published configs leave to their class. @type {Map<string, [number, string]>} */
const NATIVE_DEFAULTS = new Map([
  ["gemma3_text", [131_072, "Gemma3TextConfig"]],
  ["gemma3", [131_072, "Gemma3TextConfig"]],
]);

/** Words of quantization_config and the catalog's weight format for each. */
const FORMAT_WORDS = new Map([
  ["fp8", "fp8"],
  ["fbgemm_fp8", "fp8"],
  ["mxfp4", "mxfp4"],
  ["awq", "awq"],
  ["gptq", "gptq"],
  ["gguf", "gguf"],
  ["nvfp4", "nvfp4"],
  ["nvfp4-pack-quantized", "nvfp4"],
  ["mxfp4-pack-quantized", "mxfp4"],
  ["float-quantized", "fp8"],
  ["int-quantized", "int8"],
]);

/** Native length and rope scaling; a rope section for each layer type counts by that of full attention. @param {Config} config @returns {Context} */
export function readContext(config) {
  const native = nativeOf(config), rope = ropeOf(config);
  const written = rope.get("rope_type");
  const method = truthy(written) ? written : (rope.get("type") ?? null);
  if (![...MULTIPLYING, ...STATED].includes(method)) return { native, method: null, factor: null, original: null, extended: null };
  const stated = rope.get("original_max_position_embeddings");
  const factor = factorOf(rope.get("factor"));
  const original = typeof stated === "number" && 0 < stated && stated < 2 ** 48 ? stated : config.peek("original_max_position_embeddings");
  const reached = original && factor !== null ? timesTruncated(original, factor) : null;
  const extended = MULTIPLYING.includes(method) ? reached : native;
  return { native, method, factor: factor instanceof Float ? factor.value : factor, original, extended };
}

/** @param {any} factor @returns {number | Float | null} */
function factorOf(factor) {
  const value = factor instanceof Float ? factor.value : factor;
  return typeof value === "number" && 0 < value && value < 1e9 ? factor : null;
}

/** int(length * factor), exact for whole numbers. @param {number} length @param {number | Float} factor */
function timesTruncated(length, factor) {
  return factor instanceof Float ? Math.trunc(length * factor.value) : Number(BigInt(length) * BigInt(factor));
}

/** @param {Config} config @returns {number | null} */
function nativeOf(config) {
  const stated = config.peek("max_position_embeddings");
  const name = config.names.find((one) => NATIVE_DEFAULTS.has(one));
  if (stated !== null || name === undefined) return stated;
  const [length, source] = /** @type {[number, string]} */ (NATIVE_DEFAULTS.get(name));
  config.useDefault("max_position_embeddings", length, source);
  return length;
}

/** @param {Config} config @returns {Map<string, any>} */
function ropeOf(config) {
  for (const name of ["rope_scaling", "rope_parameters"]) {
    const rope = config.find(name);
    if (!isDict(rope)) continue;
    const full = rope.get("full_attention");
    return isDict(full) ? full : rope;
  }
  return new Map();
}

/** Tokens that every image takes, for the families where that is fixed. @param {Config} config */
export function imageTokens(config) {
  const fixed = config.anywhere("mm_tokens_per_image");
  return count(config.names.includes("gemma3n") ? config.anywhere("vision_soft_tokens_per_image") : fixed);
}

/** The most tokens that an image takes, where the config states a budget. @param {Config} config */
export function mostImageTokens(config) {
  return count(config.anywhere("vision_soft_tokens_per_image"));
}

/** @param {any} tokens @returns {number | null} */
function count(tokens) {
  return typeof tokens === "number" && 0 < tokens && tokens < 2 ** 32 ? tokens : null;
}

/** How quantization_config says the weights are stored, in the catalog's words; null where it has no such word. @param {Config} config @returns {string | null} */
export function weightFormat(config) {
  const stated = config.anywhere("quantization_config");
  const quantization = truthy(stated) ? stated : config.anywhere("quantization");
  if (!isDict(quantization)) return null;
  if (!quantization.has("quant_method") && quantization.has("group_size") && quantization.has("bits")) return "mlx";
  // The narrowest statement decides: quant_algo MIXED_PRECISION beside quant_method fp8 is no single format.
  const word = ["quant_algo", "format", "quant_method"].map((name) => quantization.get(name)).find(truthy);
  if (word === "pack-quantized") return packedWord(quantization);
  return typeof word === "string" ? (FORMAT_WORDS.get(word.toLowerCase()) ?? null) : null;
}

/** Integers that compressed-tensors packs, by their bits; null where groups differ or have bits without a word. @param {Map<string, any>} quantization */
function packedWord(quantization) {
  const groups = quantization.get("config_groups");
  const weights = isDict(groups) ? [...groups.values()].filter(isDict).map((group) => group.get("weights")) : [];
  const bits = [...new Set(weights.filter(isDict).map((entry) => entry.get("num_bits") ?? null))];
  return bits.length === 1 && isInt(bits[0]) ? ({ 4: "int4", 8: "int8" }[Number(bits[0])] ?? null) : null;
}
