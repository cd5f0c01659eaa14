// @ts-check
// infercompat/derive/layers.py and derive/cost.py: what a layer keeps, and from layers to bytes.
import { ZERO, exact, ratio, sum } from "./fraction.js";
import { ELEMENT_BYTES } from "./units.js";

/** @typedef {import("./types.js").Layer} Layer */
/** @typedef {import("./types.js").Unknown} Unknown */

const UNQUANTIZED = ["fp32", "bf16", "fp16"];

/** @param {string[]} missing @param {string} reason @returns {Unknown} */
export function unknown(missing, reason) {
  return { unknown: true, missing, reason };
}

/** @template T @param {T | Unknown} value @returns {value is Unknown} */
export function isUnknown(value) {
  return typeof value === "object" && value !== null && "unknown" in value && value.unknown === true;
}

/** Whether it keeps something that is not a row a token. @param {Layer} layer */
export function keepsState(layer) {
  return layer.conv_elements > 0 || layer.state_elements > 0;
}

/** Bytes that the layers need for so many tokens, states included. @param {Layer[]} layers @param {string} dtype @param {number} tokens */
export function idealBytes(layers, dtype, tokens) {
  return sum(layers.map((layer) => held(layer, dtype, tokens).plus(fixed(layer, dtype)))).ceil();
}

/** Bytes where every layer is full and nothing is shared. @param {Layer[]} layers @param {string} dtype @param {number} tokens */
export function naiveBytes(layers, dtype, tokens) {
  const ofToken = layers.map((layer) => (layer.attends ? ELEMENT_BYTES[dtype].times(heads(layer) + layer.index_width) : ZERO));
  return sum(ofToken).times(tokens).plus(sum(layers.map((layer) => fixed(layer, dtype)))).ceil();
}

/** Elements of K and V of a token. @param {Layer} layer */
const heads = (layer) => layer.kv_heads * (layer.k_width + layer.v_width);

/** What grows with the sequence. @param {Layer} layer @param {string} dtype @param {number} tokens */
function held(layer, dtype, tokens) {
  if (!layer.attends) return ZERO;
  const compressed = layer.compress_ratio ? ratio(tokens, layer.compress_ratio).ceil() : 0;
  const rows = layer.shares ? 0 : compressed + (layer.window ? Math.min(tokens, layer.window) : tokens);
  const keys = layer.compress_ratio ? compressed : tokens;
  return ELEMENT_BYTES[dtype].times(exact(layer.latent_width || heads(layer)).times(rows).plus(exact(layer.index_width).times(keys)));
}

/** What is held once a sequence; no engine quantizes states and convolutions along. @param {Layer} layer @param {string} dtype */
function fixed(layer, dtype) {
  const wide = ELEMENT_BYTES[UNQUANTIZED.includes(dtype) ? dtype : "bf16"];
  const state = layer.state_dtype ? ELEMENT_BYTES[layer.state_dtype] : wide;
  const across = ELEMENT_BYTES[dtype].times(heads(layer)).times(layer.cross_tokens);
  return across.plus(wide.times(layer.conv_elements)).plus(state.times(layer.state_elements));
}
