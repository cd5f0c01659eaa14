// @ts-check
// infercompat/derive/layers.py: one layer of a model, and what a reader found. What layers cost is in ../layers.js.

import { unknown } from "../layers.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** The layers in order, the requirements by id with the reason for each, and what to know about both. @typedef {{layers: Layer[], requirements: Record<string, string>, defaults_used: string[], notes: string[]}} Demands */
/** @typedef {Partial<Omit<Layer, "kind" | "attends" | "head_dim">>} Given */

/** The kinds that attend to earlier tokens of the same sequence, and so leave something behind for each token. */
const ATTENDING = new Set(["full", "sliding", "chunked", "latent", "indexed", "recurrent+full"]);
const NOTHING = { kv_heads: 0, k_width: 0, v_width: 0, window: 0, latent_width: 0, index_width: 0, compress_ratio: 0, conv_elements: 0, state_elements: 0, state_dtype: null, cross_tokens: 0, shares: false };

/** A layer with what is given of it, all else being none. @param {string} kind @param {Given} [given] @returns {Layer} */
export function layer(kind, given = {}) {
  const found = { kind, ...NOTHING, ...given };
  return { ...found, attends: ATTENDING.has(kind), head_dim: Math.max(found.k_width, found.v_width) };
}

/** The same layer with something else. @param {Layer} one @param {Given & {kind?: string}} changes @returns {Layer} */
export function replace(one, changes) {
  const { attends, head_dim, kind, ...kept } = one;
  const { kind: other = kind, ...given } = changes;
  return layer(other, { ...kept, ...given });
}

/** Whether every figure of a layer is exact; numbers past 2^53 are not. @param {Layer} one */
export function isExact(one) {
  return Object.values(one).every((value) => typeof value !== "number" || Number.isSafeInteger(value));
}

/** @param {Demands | Unknown} reading @returns {reading is Unknown} */
export function isUnread(reading) {
  return "missing" in reading;
}

export { unknown };
