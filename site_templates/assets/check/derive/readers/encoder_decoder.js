// @ts-check
// infercompat/derive/readers/encoder_decoder.py: decoders that attend across to another input: speech, a source text, or the tiles of an image.

import { Config } from "../config.js";
import { layer, replace } from "../layers.js";
import { isDict } from "../python.js";
import { attention, demands, range, repeated } from "./common.js";

/** @typedef {import("./common.js").Read} Read */

/** Each decoder layer keeps its own tokens, and K and V of all max_source_positions encoder positions, however short the speech. @type {Read} */
function whisper(config) {
  return demands(config, decoder(config, config.size("max_source_positions")), { "audio-input": "the encoder hears log-mel spectrograms" });
}

/** Each decoder layer keeps its own tokens, and K and V of the source text, counted at its longest. @type {Read} */
function bart(config) {
  config.note("cross-attention is counted for a source text of max_position_embeddings tokens, the longest there can be");
  return demands(config, decoder(config, config.size("max_position_embeddings")));
}

/** @param {Config} config @param {number} positions */
function decoder(config, positions) {
  const heads = config.positive("decoder_attention_heads");
  const width = Math.floor(config.size("d_model") / heads);
  const one = layer("full", { kv_heads: heads, k_width: width, v_width: width, cross_tokens: positions });
  return repeated(one, config.layerCount("decoder_layers"));
}

/** Each decoder layer keeps its own tokens, and K and V of the source text, whose length the config only suggests by n_positions. @type {Read} */
function t5(config) {
  config.note("cross-attention is counted for a source text of n_positions tokens; T5 itself sets no limit");
  const width = config.size("d_kv"), count = config.layerCount(config.states("num_decoder_layers") ? "num_decoder_layers" : "num_layers");
  const kv_heads = config.size("num_attention_heads");
  return demands(config, repeated(layer("full", { kv_heads, k_width: width, v_width: width, cross_tokens: config.size("n_positions") }), count));
}

/** The layers of cross_attention_layers hold vision tokens only, the others the text. @type {Read} */
function mllama(config) {
  const count = config.layerCount(), listed = config.sizes("cross_attention_layers");
  const crossing = listed === null || listed.some((index) => index >= count) ? config.miss("cross_attention_layers", /** @type {number[]} */ ([])) : listed;
  const section = config.anywhere("vision_config");
  const vision = new Config(isDict(section) ? section : new Map());
  const size = vision.size("image_size"), side = Math.floor(size / vision.positive("patch_size"));
  const tokens = (side * side + 1) * vision.size("max_num_tiles");
  config.missing.push(...vision.missing.map((name) => `vision_config.${name}`));
  config.note(`cross-attention is counted for one image of the most tiles, ${tokens} vision tokens; a text alone holds none`);
  const text = attention(config, { stated: "num_key_value_heads" }), across = new Set(crossing);
  const toVision = replace(text, { kind: "cross", cross_tokens: tokens });
  return demands(config, range(count).map((index) => (across.has(index) ? toVision : text)));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [whisper, "whisper", "WhisperForConditionalGeneration WhisperForCausalLM"],
  [
    bart,
    "bart mbart marian pegasus blenderbot blenderbot-small m2m_100 plbart",
    "BartForConditionalGeneration MBartForConditionalGeneration MarianMTModel PegasusForConditionalGeneration " +
      "BlenderbotForConditionalGeneration BlenderbotSmallForConditionalGeneration M2M100ForConditionalGeneration " +
      "PLBartForConditionalGeneration",
  ],
  [t5, "t5 mt5 umt5", "T5ForConditionalGeneration MT5ForConditionalGeneration UMT5ForConditionalGeneration"],
  [mllama, "mllama mllama_text_model", "MllamaForConditionalGeneration MllamaForCausalLM"],
];
