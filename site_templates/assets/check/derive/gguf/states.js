// @ts-check
// infercompat/derive/gguf/mapping.py, architectures of which some layers keep a state: from keys to the fields of a config.json.

import { FULL, SLIDING, heads, latent, plain } from "./attention.js";

/** @typedef {import("./keys.js").Keys} Keys */
/** @typedef {import("./attention.js").Read} Read */

const [LINEAR, CONVOLUTION] = ["linear_attention", "conv"];

/** Layers without KV heads are Kimi Delta Attention, whose heads are as many as those of the attention. @type {Read} */
export function kimiLinear(keys) {
  const recurrent = keys.each("attention.head_count_kv").flatMap((count, index) => (count ? [] : [index + 1]));
  const found = latent(keys);
  const delta = { kda_layers: recurrent, num_heads: found.num_attention_heads, head_dim: keys.number("kda.head_dim"), short_conv_kernel_size: keys.number("ssm.conv_kernel") };
  return { ...found, linear_attn_config: new Map(Object.entries(delta)) };
}

/** Gated DeltaNet, in the words that conversion/qwen.py found for it among the ssm keys. @type {Read} */
export function deltaNet(keys) {
  const values = keys.number("ssm.time_step_rank"), inner = keys.number("ssm.inner_size");
  if (!values || inner % values) keys.miss("ssm.inner_size (not divided by ssm.time_step_rank)");
  return {
    ...heads(keys),
    layer_types: recurrentLayers(keys).map((kept) => (kept ? LINEAR : FULL)),
    linear_num_value_heads: values,
    linear_value_head_dim: values ? Math.floor(inner / values) : 0,
    linear_num_key_heads: keys.number("ssm.group_count"),
    linear_key_head_dim: keys.number("ssm.state_size"),
    linear_conv_kernel_dim: keys.number("ssm.conv_kernel"),
  };
}

/** @param {Keys} keys @returns {boolean[]} */
function recurrentLayers(keys) {
  if (keys.find("attention.recurrent_layers") !== null) return keys.each("attention.recurrent_layers").map(Boolean);
  const period = Math.max(keys.number("full_attention_interval", 4), 1);
  return Array.from({ length: keys.layers }, (_, index) => (index + 1) % period !== 0);
}

/** Mamba-1 on every layer. @type {Read} */
export function mamba(keys) {
  const [state, kernel, inner] = ["state_size", "conv_kernel", "inner_size"].map((name) => keys.number(`ssm.${name}`));
  return { state_size: state, conv_kernel: kernel, intermediate_size: inner };
}

/** Mamba-2; its heads are in ssm.time_step_rank. @type {Read} */
function ofMamba2(keys) {
  const count = keys.number("ssm.time_step_rank"), inner = keys.number("ssm.inner_size");
  if (!count || inner % count) keys.miss("ssm.inner_size (not divided by ssm.time_step_rank)");
  return {
    mamba_num_heads: count,
    mamba_head_dim: count ? Math.floor(inner / count) : 0,
    ssm_state_size: keys.number("ssm.state_size"),
    conv_kernel: keys.number("ssm.conv_kernel"),
    n_groups: keys.number("ssm.group_count"),
  };
}

/** Mamba-2 on every layer. @type {Read} */
export function mamba2(keys) {
  const found = ofMamba2(keys);
  return { ...found, num_heads: found.mamba_num_heads, head_dim: found.mamba_head_dim };
}

/** Layers without KV heads are Mamba-1; those with have to lie at even distances, as the config of Jamba says it. @type {Read} */
export function jamba(keys) {
  const attending = keys.each("attention.head_count_kv").flatMap((count, index) => (count ? [index] : []));
  const [first = 0, second] = attending, period = second === undefined ? keys.layers : second - first;
  const even = attending.length && first < period && attending.length === Math.ceil((keys.layers - first) / period) && attending.every((index, place) => index === first + place * period);
  if (!even) keys.miss("attention.head_count_kv (attention not at even distances)");
  const hidden = keys.number("embedding_length"), inner = keys.number("ssm.inner_size");
  if (!hidden || inner % hidden) keys.miss("ssm.inner_size (not a multiple of embedding_length)");
  const state = { mamba_d_state: keys.number("ssm.state_size"), mamba_d_conv: keys.number("ssm.conv_kernel") };
  return { ...heads(keys), ...state, attn_layer_period: period, attn_layer_offset: first, mamba_expand: hidden ? Math.floor(inner / hidden) : 0 };
}

/** @param {Keys} keys @param {string} other */
function kinds(keys, other) {
  return keys.each("attention.head_count_kv").map((count) => (count ? FULL : other));
}

/** Layers without KV heads are Mamba-2. @type {Read} */
export function graniteHybrid(keys) {
  const words = kinds(keys, LINEAR), found = { ...heads(keys), layer_types: words };
  if (!words.includes(LINEAR)) return found;
  return { ...found, ...ofMamba2(keys), expand: Math.floor(keys.number("ssm.inner_size") / Math.max(keys.number("embedding_length"), 1)) };
}

/** Layers with KV heads attend, those with a feed-forward length only are networks, the others are Mamba-2. @type {Read} */
export function nemotronH(keys) {
  const networks = keys.each("feed_forward_length"), shared = keys.each("attention.head_count_kv");
  const letters = shared.map((count, index) => (count ? "*" : networks[index] ? "-" : "M"));
  return { ...heads(keys), ...ofMamba2(keys), hybrid_override_pattern: letters.join("") };
}

/** Attention and Mamba-2 side by side on every layer. @type {Read} */
export function falconH1(keys) {
  return { ...plain(keys), ...ofMamba2(keys), mamba_d_ssm: keys.number("ssm.inner_size") };
}

/** Layers without KV heads are short convolutions; the others slide where a window is set. @type {Read} */
export function lfm2(keys) {
  const window = keys.optional("attention.sliding_window") || null;
  const words = kinds(keys, CONVOLUTION).map((word) => (window && word === FULL ? SLIDING : word));
  return { ...heads(keys), layer_types: words, conv_L_cache: keys.number("shortconv.l_cache"), sliding_window: window };
}
