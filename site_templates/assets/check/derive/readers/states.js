// @ts-check
// infercompat/derive/readers/states.py: layers that keep a state of fixed size, and the end of a hybrid reading.

import { layer } from "../layers.js";
import { assemble, demands } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */

const DTYPE_WORDS = new Map([["float32", "fp32"], ["fp32", "fp32"], ["bfloat16", "bf16"], ["bf16", "bf16"], ["float16", "fp16"], ["fp16", "fp16"]]);

/** The recurrent state's dtype where the config has a word for it; "auto" and absent leave it to the model's dtype. @param {Config} config */
function stateDtype(config) {
  return DTYPE_WORDS.get(config.find("mamba_ssm_cache_dtype")) ?? null;
}

/** A Mamba-1 layer: inner * (kernel - 1) convolution, inner * state_size recurrent elements. @param {Config} config @param {number} inner */
export function mamba1(config, inner) {
  const kernel = config.positive("conv_kernel");
  return recurrent(config, inner, kernel, inner * config.size("ssm_state_size"));
}

/** A Mamba-2 layer: the convolution also runs over B and C of each group; the state is heads * width * state_size. @param {Config} config @param {number} stateHeads @param {number} width */
export function mamba2(config, stateHeads, width) {
  const state = config.size("ssm_state_size"), groups = config.size("n_groups");
  const channels = stateHeads * width + 2 * groups * state;
  return recurrent(config, channels, config.positive("conv_kernel"), stateHeads * width * state);
}

/** A Gated DeltaNet layer: the convolution runs over queries, keys and values; the state is value heads * V width * K width. @param {Config} config */
export function gatedDeltaNet(config) {
  const keys = config.size("linear_num_key_heads"), values = config.size("linear_num_value_heads");
  const keyWidth = config.size("linear_key_head_dim"), valueWidth = config.size("linear_value_head_dim");
  const channels = 2 * keys * keyWidth + values * valueWidth;
  return recurrent(config, channels, config.positive("linear_conv_kernel_dim"), values * valueWidth * keyWidth);
}

/** A Kimi Delta Attention layer: three convolutions, and a square state a head in fp32. @param {number} stateHeads @param {number} width @param {number} kernel */
export function kimiDelta(stateHeads, width, kernel) {
  const inner = stateHeads * width;
  return layer("recurrent", { conv_elements: 3 * inner * Math.max(kernel - 1, 0), state_elements: inner * width, state_dtype: "fp32" });
}

/** A lightning attention layer: a square state a head, no convolution. @param {number} stateHeads @param {number} width */
export function lightning(stateHeads, width) {
  return layer("recurrent", { state_elements: stateHeads * width * width });
}

/** A layer that only convolves. @param {number} channels @param {number} kernel */
export function shortConvolution(channels, kernel) {
  return layer("convolution", { conv_elements: channels * Math.max(kernel - 1, 0) });
}

/** @param {Config} config @param {number} channels @param {number} kernel @param {number} state */
function recurrent(config, channels, kernel, state) {
  return layer("recurrent", { conv_elements: channels * (kernel - 1), state_elements: state, state_dtype: stateDtype(config) });
}

/**
 * The end of a reading with stateful layers: adds their requirement, unless the model at hand has none of them.
 * @param {Config} config @param {string[]} words @param {Record<string, Layer>} layers @param {string} requirement @param {Record<string, string>} [own]
 */
export function hybrid(config, words, layers, requirement, own = {}) {
  const assembled = assemble(config, words, layers);
  const stateful = assembled.filter((one) => one.state_elements || one.conv_elements).length;
  const reason = stateful ? { [requirement]: `a state of fixed size on ${stateful} of ${assembled.length} layers` } : {};
  return demands(config, assembled, { ...reason, ...own });
}
