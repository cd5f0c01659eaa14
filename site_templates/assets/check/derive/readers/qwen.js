// @ts-check
// infercompat/derive/readers/qwen.py: the Qwen families before the hybrid ones, whose window counts only if a flag says so.

import { FULL, SLIDING, attention, demands, interleaved, repeated, windowed } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./common.js").Read} Read */

/** sliding_window counts only with use_sliding_window; then the layers from max_window_layers on slide. @type {Read} */
function qwen2(config) {
  return withFlag(config, (index, first) => index >= first, "num_key_value_heads");
}

/** As Qwen2, with a head width that the config must state. @type {Read} */
function qwen3(config) {
  return withFlag(config, (index, first) => index >= first, "num_key_value_heads head_dim");
}

/** With use_sliding_window every other layer below max_window_layers slides, layer 0 first: not the rule of Qwen2. @type {Read} */
function qwen2Moe(config) {
  return withFlag(config, (index, first) => index % 2 === 0 && index < first, "num_key_value_heads");
}

/** With use_sliding_window all layers slide, else none. @type {Read} */
function qwen3Moe(config) {
  const full = attention(config, { stated: "num_key_value_heads" });
  const used = config.flag("use_sliding_window") && config.find("sliding_window") !== null;
  const layer = used ? windowed(full, config.positive("sliding_window")) : full;
  return demands(config, repeated(layer, config.layerCount()));
}

/**
 * Layers slide as `slides` says of their index and max_window_layers, if use_sliding_window is set.
 * @param {Config} config @param {(index: number, first: number) => boolean} slides @param {string} stated
 */
function withFlag(config, slides, stated) {
  const full = attention(config, { stated });
  if (config.flag("use_sliding_window") && config.find("sliding_window") !== null) {
    const first = config.size("max_window_layers");
    const layers = interleaved(config, full, (index) => (slides(index, first) ? SLIDING : FULL), "max_window_layers");
    return demands(config, layers);
  }
  return demands(config, repeated(full, config.layerCount()));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [
    qwen2,
    "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text mimo dots_ocr",
    "Qwen2ForCausalLM Qwen2Model Qwen2VLForConditionalGeneration Qwen2_5_VLForConditionalGeneration Qwen2_5OmniModel " +
      "Qwen2_5OmniForConditionalGeneration MiMoForCausalLM DotsOCRForCausalLM",
  ],
  [qwen3, "qwen3", "Qwen3ForCausalLM Qwen3Model"],
  [qwen2Moe, "qwen2_moe", "Qwen2MoeForCausalLM"],
  [qwen3Moe, "qwen3_moe qwen3_omni_moe_text", "Qwen3MoeForCausalLM Qwen3OmniMoeForConditionalGeneration"],
];
