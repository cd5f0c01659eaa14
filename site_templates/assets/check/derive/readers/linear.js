// @ts-check
// infercompat/derive/readers/linear.py: linear attention and short convolutions between layers of softmax attention.

import { isUnread, layer, replace } from "../layers.js";
import { CONVOLUTION, FULL, HYBRID, HYBRID_SLIDING, INDEXED, LINEAR, SLIDING, attention, layerTypes, oneFullIn, range, windowed } from "./common.js";
import { indexerTypes, latentLayer } from "./latent.js";
import * as states from "./states.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("./common.js").Read} Read */

const { hybrid } = states;
const STATED = "num_key_value_heads head_dim";
const WITH_FEATURES = "n-gram features and ";
const MLA = { mla: "latent attention on the other layers" };

/** One layer in full_attention_interval (4) attends, the others are Gated DeltaNet. @type {Read} */
function deltaNet(config) {
  const period = config.states("layer_types") ? 4 : config.positive("full_attention_interval", 4, "Qwen3NextConfig");
  const words = layerTypes(config, oneFullIn(period, period - 1, LINEAR), `one full in ${period}`);
  const layers = { [LINEAR]: states.gatedDeltaNet(config), [FULL]: attention(config, { stated: STATED }) };
  return hybrid(config, words, layers, "gated-deltanet");
}

/** As `deltaNet` with an index on each layer that attends; layers named in ple_layer_ids, counting from 1, also convolve n-gram features. @type {Read} */
function qwen4Exp(config) {
  const period = config.states("layer_types") ? 4 : config.positive("full_attention_interval", 4, "Qwen4ExpTextConfig");
  const listed = layerTypes(config, oneFullIn(period, period - 1, LINEAR), `one full in ${period}`);
  let words = listed.map((word) => (word === INDEXED || word === "hybrid_indexed" ? FULL : word));
  let full = attention(config, { stated: STATED });
  /** @type {Record<string, string>} */
  let own = {};
  if (config.states("indexer_n_heads")) {
    const width = config.size("indexer_head_dim"), ratio = config.positive("indexer_compress_ratio");
    full = replace(full, { kind: "indexed", index_width: Math.ceil(width / ratio) });
    const keyed = `an index key of ${width} for ${ratio} tokens on ${words.filter((word) => word === FULL).length} of ${words.length} layers`;
    own = { "sparse-gqa": `${keyed}, beside grouped-query attention` };
    config.note(`an index key of ${width} for ${ratio} tokens is counted as ${full.index_width} for each; transformers keeps one for every token`);
  }
  /** @type {Record<string, Layer>} */
  let layers = { [LINEAR]: states.gatedDeltaNet(config), [FULL]: full };
  const convolving = config.sizes("ple_layer_ids");
  if (convolving?.length) {
    if (convolving.some((index) => !(1 <= index && index <= words.length))) config.miss(`ple_layer_ids (an index outside 1 to ${words.length})`, null);
    const columns = Math.max(config.size("ple_conv_kernel_size") - 1, 0) * config.size("ngram_size");
    const features = config.size("hc_count") * config.size("hidden_size") * columns;
    const widened = Object.entries(layers).map(([word, one]) => [WITH_FEATURES + word, replace(one, { conv_elements: one.conv_elements + features })]);
    layers = { ...layers, ...Object.fromEntries(widened) };
    words = words.map((word, index) => (convolving.includes(index + 1) ? WITH_FEATURES + word : word));
  }
  return hybrid(config, words, layers, "gated-deltanet", own);
}

/** Gated DeltaNet and attention as layer_types lists them, one in four attending where it does not. @type {Read} */
function olmoHybrid(config) {
  const words = layerTypes(config, oneFullIn(4, 3, LINEAR), "OlmoHybridConfig: one full in 4");
  const layers = { [LINEAR]: states.gatedDeltaNet(config), [FULL]: attention(config) };
  return hybrid(config, words, layers, "gated-deltanet");
}

/** Gated DeltaNet, sliding and full layers as layer_types lists them. @type {Read} */
function laraMini(config) {
  const words = layerTypes(config);
  const full = attention(config, { stated: STATED });
  const layers = { [LINEAR]: states.gatedDeltaNet(config), [FULL]: full, [SLIDING]: windowed(full, config.positive("sliding_window")) };
  return hybrid(config, words, layers, "gated-deltanet");
}

/** linear_attn_config lists the KDA layers, counting from 1; the others are latent attention. @type {Read} */
function kimiLinear(config) {
  return kimi(config, config.section("linear_attn_config"), 1);
}

/** As Kimi-Linear with kda_layers counting from 0, one layer in four attending without a list, and an index on those that do. @type {Read} */
function glm5Next(config) {
  config.note("index keys are counted for every token; what an engine keeps of a pool of index_kpool tokens differs");
  const index_width = config.size("index_head_dim"), types = indexerTypes(config);
  const reading = kimi(config, config.section("linear_attn_config"), 0);
  if (isUnread(reading)) return reading;
  const layers = reading.layers.map((one, index) => (one.kind === "latent" ? replace(one, { kind: "indexed", index_width: types[index] === "full" ? index_width : 0 }) : one));
  const keyed = layers.filter((one) => one.index_width).length;
  const requirements = { ...reading.requirements, "sparse-mla": `an index key a token on ${keyed} of ${layers.length} layers` };
  return { ...reading, layers, requirements };
}

/** The last of each layer_group_size layers is latent attention, the others KDA with the attention's number of heads. @type {Read} */
function bailingHybrid(config) {
  const group = config.states("layer_types") ? 6 : config.positive("layer_group_size");
  const words = layerTypes(config, oneFullIn(group, group - 1, LINEAR), `one full in ${group}`);
  const width = config.size(config.states("linear_head_dim") ? "linear_head_dim" : "head_dim");
  const linear = states.kimiDelta(config.size("num_attention_heads"), width, config.size("short_conv_kernel_size"));
  return hybrid(config, words, { [LINEAR]: linear, [FULL]: latentLayer(config) }, "kda", MLA);
}

/** @param {Config} config @param {Config} linear @param {number} first */
function kimi(config, linear, first) {
  const count = config.layerCount(), listed = linear.sizes("kda_layers");
  if (listed?.some((index) => !(first <= index && index < count + first))) {
    config.miss(`linear_attn_config.kda_layers (an index outside ${first} to ${count + first - 1})`, null);
  }
  let words;
  if (listed === null || config.states("layer_types")) {
    const pattern = first === 0 ? oneFullIn(4, 3, LINEAR) : null;
    words = layerTypes(config, pattern, "one full in 4", "linear_attn_config.kda_layers").map((word) => (word === INDEXED ? FULL : word));
  } else words = range(count).map((index) => (listed.includes(index + first) ? LINEAR : FULL));
  const kda = config.states("linear_attn_config")
    ? states.kimiDelta(linear.size("num_heads"), linear.size("head_dim"), linear.size("short_conv_kernel_size"))
    : states.kimiDelta(config.size("linear_num_heads"), config.size("linear_head_dim"), config.size("linear_conv_kernel_dim"));
  return hybrid(config, words, { [LINEAR]: kda, [FULL]: latentLayer(config) }, "kda", MLA);
}

/** attn_type_list has 1 where a layer attends, 0 where it is lightning attention; newer configs have layer_types. @type {Read} */
function minimax(config) {
  const flags = config.sizes("attn_type_list");
  const words =
    flags !== null
      ? config.perLayer(flags, config.layerCount(), "attn_type_list").map((flag) => (flag ? FULL : LINEAR))
      : layerTypes(config, null, "", "attn_type_list");
  const full = attention(config, { stated: "num_key_value_heads" });
  const linear = states.lightning(config.size("num_attention_heads"), full.head_dim);
  return hybrid(config, words, { [LINEAR]: linear, [FULL]: full }, "lightning");
}

/** Short convolutions over hidden_size channels between layers of attention, some of which slide in LFM3. @type {Read} */
function lfm(config) {
  let words;
  if (config.states("layer_types") || !config.states("full_attn_idxs")) words = layerTypes(config);
  else {
    const attending = new Set(config.sizes("full_attn_idxs") ?? []);
    words = range(config.layerCount()).map((index) => (attending.has(index) ? FULL : CONVOLUTION));
  }
  const full = attention(config, { stated: "num_key_value_heads" });
  const sliding = windowed(full, words.includes(SLIDING) ? config.positive("sliding_window") : 0);
  const convolution = states.shortConvolution(config.size("hidden_size"), config.size("conv_L_cache"));
  return hybrid(config, words, { [CONVOLUTION]: convolution, [FULL]: full, [SLIDING]: sliding }, "short-conv");
}

/** Attention whose keys, values and two residual streams each pass a short convolution; sliding layers have heads of their own. @type {Read} */
function inkling(config) {
  const words = local(config);
  const kernel = config.positive("conv_kernel_size"), hidden = config.size("hidden_size");
  /** @param {string} kind @param {number} kv_heads @param {number} width @param {number} [window] */
  const one = (kind, kv_heads, width, window = 0) =>
    layer(kind, { kv_heads, k_width: width, v_width: width, window, conv_elements: (2 * kv_heads * width + 2 * hidden) * (kernel - 1) });
  const window = config.positive("sliding_window");
  const layers = {
    [HYBRID]: one("full", config.size("num_key_value_heads"), config.size("head_dim")),
    [HYBRID_SLIDING]: one("sliding", config.size("swa_num_key_value_heads"), config.size("swa_head_dim"), window),
  };
  return hybrid(config, looped(config, words), layers, "short-conv");
}

/** @param {Config} config @returns {string[]} */
function local(config) {
  const listed = config.sizes("local_layer_ids");
  if (listed === null || config.states("layer_types")) return layerTypes(config, oneInSix, "InklingTextConfig: one full in 6");
  const count = config.layerCount();
  if (listed.some((index) => index >= count)) config.miss(`local_layer_ids (an index outside 0 to ${count - 1})`, null);
  return range(count).map((index) => (listed.includes(index) ? HYBRID_SLIDING : HYBRID));
}

/** @param {number} index */
const oneInSix = (index) => (index % 6 === 5 ? HYBRID : HYBRID_SLIDING);

/** @param {Config} config @param {string[]} words */
function looped(config, words) {
  if (!config.states("loop_num_passes")) return words;
  const first = config.size("loop_layer_index_start"), last = config.size("loop_layer_index_end");
  const passes = config.positive("loop_num_passes");
  if (passes > 64 || !(first <= last && last <= words.length)) return config.miss("loop_num_passes (or the layers it names are out of range)", words);
  config.note(`${last - first} layers run ${passes} times with a cache for each pass; the layers counted here are caches`);
  return [...words, ...Array(passes - 1).fill(words.slice(first, last)).flat()];
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [
    deltaNet,
    "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
    "Qwen3NextForCausalLM Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM Qwen3_5MoeForConditionalGeneration",
  ],
  [qwen4Exp, "qwen4_exp qwen4_exp_text", "Qwen4ExpForCausalLM Qwen4ExpForConditionalGeneration"],
  [olmoHybrid, "olmo_hybrid", "OlmoHybridForCausalLM"],
  [laraMini, "lara_mini", "LaraMiniForCausalLM"],
  [kimiLinear, "kimi_linear", "KimiLinearForCausalLM KimiK3ForConditionalGeneration"],
  [glm5Next, "glm5_next glm5_next_text", "Glm5NextForConditionalGeneration"],
  [bailingHybrid, "bailing_hybrid", "BailingHybridForCausalLM BailingMoeV3ForCausalLM"],
  [minimax, "minimax minimax_m1 minimax_text_01", "MiniMaxForCausalLM MiniMaxM1ForCausalLM MiniMaxText01ForCausalLM"],
  [lfm, "lfm2 lfm2_moe lfm3", "Lfm2ForCausalLM Lfm2MoeForCausalLM Lfm3ForCausalLM Lfm2VlForConditionalGeneration Lfm3VlForConditionalGeneration"],
  [
    inkling,
    "inkling_text inkling2_text inkling2_loop_text",
    "InklingForCausalLM Inkling2ForCausalLM Inkling2LoopForCausalLM InklingForConditionalGeneration Inkling2ForConditionalGeneration " +
      "Inkling2LoopForConditionalGeneration",
  ],
];
