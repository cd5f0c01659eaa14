// @ts-check
// infercompat/derive/readers/gemma.py: heads of a fixed width, windows on most layers, and from 3n on layers that share keys and values.

import { layer, replace } from "../layers.js";
import { isDict, repr, clipped, truthy } from "../python.js";
import { FULL, SLIDING, assemble, attention, demands, interleaved, layerTypes, oneFullIn, repeated, windowed } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("./common.js").Read} Read */

const STATED = "num_key_value_heads head_dim";

/** Full attention with heads of 256, which the published text parts of PaliGemma leave out. @type {Read} */
function gemma(config) {
  const full = attention(config, { stated: "num_key_value_heads", head_dim: 256, why: "GemmaConfig" });
  return demands(config, repeated(full, config.layerCount()));
}

/** Every other layer slides, layer 0 first. @type {Read} */
function gemma2(config) {
  const layers = interleaved(config, attention(config, { stated: STATED }), oneFullIn(2, 1), "Gemma2Config: every other, sliding first");
  return demands(config, layers);
}

/** One layer in sliding_window_pattern (6) is full. Bidirectional attention, as in an embedding model, halves the window. @type {Read} */
function gemma3(config) {
  const full = attention(config, { kv_heads: 4, head_dim: 256, why: "Gemma3TextConfig" });
  const period = config.states("sliding_window_pattern") ? config.positive("sliding_window_pattern") : 6;
  let window = config.positive("sliding_window");
  if (truthy(config.find("use_bidirectional_attention"))) window = Math.floor(window / 2) + 1;
  const pattern = oneFullIn(period, period - 1);
  return demands(config, interleaved(config, full, pattern, `Gemma3TextConfig: one full in ${period}`, window));
}

/** One layer in five is full; the last num_kv_shared_layers use the keys and values of earlier layers of their kind. @type {Read} */
function gemma3n(config) {
  const layers = interleaved(config, attention(config, { stated: STATED }), oneFullIn(5, 4), "Gemma3nTextConfig: one full in 5");
  const own = { "per-layer-embeddings": "per-layer embeddings are in the code of Gemma3n (transformers modeling_gemma3n.py)" };
  return demands(config, shareLast(config, layers, config.size("num_kv_shared_layers")), own);
}

/** Full layers are wider and may have fewer KV heads; the last layer is always full; the last num_kv_shared_layers share. @type {Read} */
function gemma4(config) {
  const local = attention(config, { stated: STATED });
  let window = config.positive("sliding_window");
  if (config.find("use_bidirectional_attention") === "all") window = Math.floor(window / 2) + 1;
  const words = layerTypes(config, oneFullIn(6, 5), "Gemma4TextConfig: one full in 6");
  if (words.length) words[words.length - 1] = FULL;
  const full = config.states("per_layer_config") ? local : globalLayer(config, local);
  const layers = assemble(config, words, { [FULL]: full, [SLIDING]: windowed(local, window) });
  const shared = config.size("num_kv_shared_layers", 0, "Gemma4TextConfig");
  return demands(config, shareLast(config, override(config, layers), shared));
}

/** A full layer by the older fields, which say what the full layers have of their own. @param {Config} config @param {Layer} local */
function globalLayer(config, local) {
  const width = config.size("global_head_dim", 512, "Gemma4TextConfig");
  let { kv_heads } = local;
  // The unified class has no attention_k_eq_v and reads the global heads whenever they are there.
  if (config.states("num_global_key_value_heads") && config.flag("attention_k_eq_v", config.names[0].includes("unified"))) {
    kv_heads = config.size("num_global_key_value_heads");
  }
  return layer("full", { kv_heads, k_width: width, v_width: width });
}

/** The layers with what per_layer_config gives some of them; its keys are layer indexes, such as "05". @param {Config} config @param {Layer[]} layers */
function override(config, layers) {
  const given = config.find("per_layer_config"), changed = [...layers];
  for (const key of isDict(given) ? given.keys() : []) {
    const index = /^[0-9]{1,5}$/.test(key) ? Number(key) : layers.length;
    if (index >= layers.length) {
      config.miss(`per_layer_config (no layer ${repr(clipped(key, 20))})`, null);
      continue;
    }
    const own = config.section("per_layer_config").section(key);
    const width = own.optionalSize("head_dim") || layers[index].k_width;
    const kv_heads = own.optionalSize("num_key_value_heads") || layers[index].kv_heads;
    changed[index] = replace(layers[index], { kv_heads, k_width: width, v_width: width });
  }
  return changed;
}

/** The layers with the last `count` of them sharing; some must be left to share from. @param {Config} config @param {Layer[]} layers @param {number} count */
function shareLast(config, layers, count) {
  if (count && count >= layers.length) config.miss(`num_kv_shared_layers (${count} of ${layers.length} layers)`, null);
  return layers.map((one, index) => replace(one, { shares: index >= layers.length - count }));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [gemma, "gemma", "GemmaForCausalLM PaliGemmaForConditionalGeneration"],
  [gemma2, "gemma2 vaultgemma", "Gemma2ForCausalLM Gemma2Model VaultGemmaForCausalLM"],
  [gemma3, "gemma3 gemma3_text", "Gemma3ForCausalLM Gemma3ForConditionalGeneration Gemma3TextModel"],
  [gemma3n, "gemma3n gemma3n_text", "Gemma3nForCausalLM Gemma3nForConditionalGeneration"],
  [
    gemma4,
    "gemma4 gemma4_text gemma4_unified gemma4_unified_text",
    "Gemma4ForCausalLM Gemma4ForConditionalGeneration Gemma4UnifiedForCausalLM Gemma4UnifiedForConditionalGeneration",
  ],
];
