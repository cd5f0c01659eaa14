// @ts-check
// infercompat/derive/readers/windowed.py: most layers look back over a window or within a chunk, some over everything.

import { layer, replace } from "../layers.js";
import { CHUNKED, FULL, SLIDING, assemble, attention, demands, interleaved, layerTypes, oneFullIn, repeated, rotaryPattern, splitWidth, windowed } from "./common.js";

/** @typedef {import("./common.js").Pattern} Pattern */
/** @typedef {import("./common.js").Read} Read */

const STATED = "num_key_value_heads head_dim";

/** Every other layer slides, layer 0 first; each head has a learned attention sink. @type {Read} */
function gptOss(config) {
  const sinks = { "attention-sinks": "attention sinks are in the code of GptOss (transformers modeling_gpt_oss.py)" };
  const layers = interleaved(config, attention(config, { stated: STATED }), oneFullIn(2, 1), "GptOssConfig: every other, sliding first");
  return demands(config, layers, sinks);
}

/** One layer in sliding_window_pattern (4) is full. Heads are always hidden_size // heads wide, whatever head_dim says. @type {Read} */
function cohere2(config) {
  const width = splitWidth(config);
  const full = replace(attention(config), { k_width: width, v_width: width });
  const period = config.states("layer_types") ? 4 : config.positive("sliding_window_pattern", 4, "Cohere2Config");
  return demands(config, interleaved(config, full, oneFullIn(period, period - 1), `Cohere2Config: one full in ${period}`));
}

/** The fourth of each four layers is full; a null window makes all layers full. @type {Read} */
function oneInFour(config) {
  const full = attention(config);
  if (config.find("sliding_window") === null) return demands(config, repeated(full, config.layerCount()));
  return demands(config, interleaved(config, full, oneFullIn(4, 3), "Olmo3Config: one full in 4"));
}

/** One layer in sliding_window_pattern is full; published configs spell the pattern out as LLLG. A null window: all full. @type {Read} */
function exaone4(config) {
  const full = attention(config, { stated: "num_key_value_heads" });
  if (config.find("sliding_window") === null) return demands(config, repeated(full, config.layerCount()));
  const letters = config.find("sliding_window_pattern");
  /** @type {Pattern | null} */
  let pattern = null;
  if (!config.states("layer_types")) {
    if (typeof letters === "string" && /^[LG]+$/.test(letters)) pattern = spelled(letters);
    else {
      const period = config.positive("sliding_window_pattern", 4, "Exaone4Config");
      pattern = oneFullIn(period, period - 1);
    }
  }
  return demands(config, interleaved(config, full, pattern, "Exaone4Config: sliding_window_pattern"));
}

/** @param {string} letters @returns {Pattern} */
function spelled(letters) {
  return (index) => (letters[index % letters.length] === "G" ? FULL : SLIDING);
}

/** Layers with a rotary embedding attend within chunks, those without (no_rope_layers 0, one in four) over everything. @type {Read} */
function llama4(config) {
  const full = attention(config, { stated: STATED });
  const chunk = config.find("attention_chunk_size") === null ? 0 : config.positive("attention_chunk_size");
  const pattern = rotaryPattern(config, chunk ? CHUNKED : FULL, FULL, "Llama4TextConfig");
  const words = layerTypes(config, pattern, "Llama4TextConfig: no_rope_layers");
  return demands(config, assemble(config, words, { [FULL]: full, [CHUNKED]: windowed(full, chunk, "chunked") }));
}

/** All layers slide if sliding_window is set, unless layer_types says otherwise. @type {Read} */
function ministral(config) {
  const full = attention(config, { stated: "num_key_value_heads sliding_window" });
  const word = config.states("sliding_window") ? SLIDING : FULL;
  return demands(config, interleaved(config, full, () => word, "MinistralConfig: all layers alike"));
}

/** hybrid_layer_pattern has 1 where a layer slides. K is wider than V, and sliding layers have heads of their own and sinks. @type {Read} */
function mimoV2(config) {
  const pattern = config.sizes("hybrid_layer_pattern");
  const words =
    pattern !== null
      ? config.perLayer(pattern, config.layerCount(), "hybrid_layer_pattern").map((sliding) => (sliding ? SLIDING : FULL))
      : layerTypes(config, null, "", "hybrid_layer_pattern");
  const full = layer("full", { kv_heads: config.size("num_key_value_heads"), k_width: config.size("head_dim"), v_width: config.size("v_head_dim") });
  const own = layer("full", { kv_heads: config.size("swa_num_key_value_heads"), k_width: config.size("swa_head_dim"), v_width: config.size("swa_v_head_dim") });
  const layers = { [FULL]: full, [SLIDING]: windowed(own, config.positive("sliding_window")) };
  const sinks = { "attention-sinks": "attention sinks of the sliding layers are in the code of MiMoV2 (transformers modeling_mimo_v2_flash.py)" };
  return demands(config, assemble(config, words, layers), words.includes(SLIDING) ? sinks : null);
}

/** layer_types with one full layer in four, layer 0 first. attention_other_setting may give the sliding layers other KV groups. @type {Read} */
function step3p5(config) {
  const full = attention(config, { stated: STATED }), words = layerTypes(config);
  const kv_heads = config.section("attention_other_setting").peek("num_key_value_heads") || full.kv_heads;
  const window = words.includes(SLIDING) ? config.positive("sliding_window") : 0;
  return demands(config, assemble(config, words, { [FULL]: full, [SLIDING]: windowed(replace(full, { kv_heads }), window) }));
}

/** Full and sliding layers as layer_types lists them; without the list nothing is known. @type {Read} */
function listed(config) {
  return demands(config, interleaved(config, attention(config, { stated: STATED })));
}

/** As `listed`, with a learned attention sink on each head. @type {Read} */
function listedWithSinks(config) {
  const [name] = config.names;
  const sinks = { "attention-sinks": `attention sinks are in the code of this family (transformers, modeling file of ${name})` };
  return demands(config, interleaved(config, attention(config)), sinks);
}

/** Layers from max_window_layers on slide, where sliding_window is set. @type {Read} */
function dots1(config) {
  let pattern = null;
  if (!config.states("layer_types")) pattern = fromLayer(config.states("sliding_window") ? config.size("max_window_layers") : config.layerCount());
  return demands(config, interleaved(config, attention(config, { stated: "num_key_value_heads" }), pattern, "Dots1Config: max_window_layers"));
}

/** @param {number} first @returns {Pattern} */
function fromLayer(first) {
  return (index) => (index >= first ? SLIDING : FULL);
}

/** The prompt is kept whole and generated tokens slide; without knowing which is which, all tokens are counted as prompt. @type {Read} */
function unlimitedOcr(config) {
  config.note("only generated tokens are bounded by the window; every token is counted as prompt, which is an upper bound");
  return demands(config, repeated(attention(config), config.layerCount()));
}

/**
 * Middle layers run n_recurrent_loops times, and each run has a cache of its own unless recurrent_kv_cache_mode is last_loop. Older configs count
 * the feed-forward blocks as layers too, named mlp.
 * @type {Read}
 */
function dory(config) {
  let words = layerTypes(config);
  const halves = words.includes("mlp") ? 2 : 1;
  words = words.filter((_, index) => index % halves === 0);
  const first = Math.floor(config.size("n_input_layers") / halves);
  const last = words.length - Math.floor(config.size("n_output_layers") / halves);
  let loops = config.find("recurrent_kv_cache_mode") === "last_loop" ? 1 : config.positive("n_recurrent_loops");
  if (words.length && (loops > 64 || !(first <= last))) {
    config.miss("n_recurrent_loops or n_input_layers (out of range)", null);
    loops = 1;
  }
  if (loops > 1) config.note(`${last - first} layers run ${loops} times with a cache for each run; the layers counted here are caches`);
  const full = attention(config, { stated: STATED });
  const layers = { [FULL]: full, [SLIDING]: windowed(full, config.positive("sliding_window")) };
  const middle = words.slice(first, last);
  const run = middle.length ? Array(loops).fill(middle).flat() : [];
  return demands(config, assemble(config, [...words.slice(0, first), ...run, ...words.slice(last)], layers));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [gptOss, "gpt_oss", "GptOssForCausalLM"],
  [cohere2, "cohere2", "Cohere2ForCausalLM Cohere2VisionForConditionalGeneration"],
  [oneInFour, "olmo3", "Olmo3ForCausalLM"],
  [exaone4, "exaone4 exaone4_5_text exaone_moe", "Exaone4ForCausalLM Exaone4_5_ForConditionalGeneration ExaoneMoeForCausalLM ExaoneMoEForCausalLM"],
  [llama4, "llama4 llama4_text", "Llama4ForCausalLM Llama4ForConditionalGeneration"],
  [ministral, "ministral", "MinistralForCausalLM"],
  [mimoV2, "mimo_v2_flash mimo_v2", "MiMoV2FlashForCausalLM MiMoV2ForCausalLM"],
  [step3p5, "step3p5 step3p7", "Step3p5ForCausalLM Step3p7ForCausalLM Step3p7FlashForCausalLM Step3p7ForConditionalGeneration"],
  [
    listed,
    "afmoe beam cohere2_moe cwm kolibri1 laguna mellum muse_glimmer_text muse_spark_text",
    "AfmoeForCausalLM BeamForCausalLM Cohere2MoeForCausalLM CwmForCausalLM Kolibri1ForCausalLM LagunaForCausalLM MellumForCausalLM " +
      "MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration MuseSparkForConditionalGeneration",
  ],
  [listedWithSinks, "granite_swa granitemoe_swa flint", "GraniteSWAForCausalLM GraniteMoeSWAForCausalLM FlintForCausalLM"],
  [dots1, "dots1", "Dots1ForCausalLM"],
  [unlimitedOcr, "unlimited_ocr_text", "UnlimitedOCRForCausalLM UnlimitedOcrForConditionalGeneration"],
  [dory, "dory", "DoryForCausalLM"],
];
