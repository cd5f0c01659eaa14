// @ts-check
// infercompat/derive/readers/standard.py: families whose layers all attend in the same way, at most with one window for all.

import { layer } from "../layers.js";
import { isDict, isInt, truthy } from "../python.js";
import { FULL, SLIDING, attention, demands, headWidth, interleaved, repeated, rotaryPattern, splitWidth, windowed } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("./common.js").Read} Read */

/** Full attention on every layer. Absent KV heads are one for each query head, an absent head width is hidden_size // heads. @type {Read} */
function plain(config) {
  return demands(config, repeated(attention(config), config.layerCount()));
}

/** Full attention where the class has a number of its own for absent KV heads, so that the config must state them. @type {Read} */
function grouped(config) {
  return demands(config, repeated(attention(config, { stated: "num_key_value_heads" }), config.layerCount()));
}

/** Full attention where the class has numbers of its own for KV heads and head width, so that the config must state both. @type {Read} */
function wide(config) {
  return demands(config, repeated(attention(config, { stated: "num_key_value_heads head_dim" }), config.layerCount()));
}

/**
 * One KV head where multi_query is set, unless new_decoder_architecture is: that one ignores the flag. The class default of multi_query is wrong
 * for the larger models, so the config must say which it is, or name its KV heads by the older n_head_kv.
 * @type {Read}
 */
function falcon(config) {
  const width = headWidth(config);
  const named = config.flag("new_decoder_architecture") || config.states("n_head_kv") || config.states("total_num_kv_heads");
  const kv_heads = named ? config.size("num_key_value_heads") : oneOrEach(config);
  return demands(config, repeated(layer("full", { kv_heads, k_width: width, v_width: width }), config.layerCount()));
}

/** One KV head where multi_query is set, else one for each query head. @type {Read} */
function gptBigcode(config) {
  const width = splitWidth(config);
  return demands(config, repeated(layer("full", { kv_heads: oneOrEach(config), k_width: width, v_width: width }), config.layerCount()));
}

/** @param {Config} config */
function oneOrEach(config) {
  if (!config.states("multi_query")) return config.miss("multi_query", 0);
  return config.flag("multi_query") ? 1 : config.size("num_attention_heads");
}

/** multi_query_group_num KV heads where multi_query_attention is set, else one for each query head; kv_channels wide. @type {Read} */
function chatglm(config) {
  const kv_heads = config.size(config.flag("multi_query_attention") ? "multi_query_group_num" : "num_attention_heads");
  const width = config.size("kv_channels");
  return demands(config, repeated(layer("full", { kv_heads, k_width: width, v_width: width }), config.layerCount()));
}

/** Each block says how many query heads share a KV head, or that it has no attention. Windows, sinks and sparse attention are not worked out. @type {Read} */
function nemotronNas(config) {
  const listed = config.find("block_configs");
  const blocks = config.perLayer(Array.isArray(listed) ? listed : [], config.layerCount(), "block_configs");
  const queryHeads = config.size("num_attention_heads"), width = splitWidth(config);
  return demands(config, blocks.map((block) => ofBlock(config, block, queryHeads, width)));
}

/** @param {Config} config @param {any} block @param {number} queryHeads @param {number} width @returns {Layer} */
function ofBlock(config, block, queryHeads, width) {
  const attention = isDict(block) ? block.get("attention") : null;
  if (!isDict(attention) || ["window_length", "num_sink_tokens", "sparsify"].some((name) => truthy(attention.get(name)))) {
    return config.miss("block_configs (a block whose attention is not worked out)", layer("none"));
  }
  if (truthy(attention.get("no_op")) || truthy(attention.get("replace_with_linear"))) return layer("none");
  const sharing = attention.get("n_heads_in_group");
  if (!isInt(sharing) || sharing < 1) return config.miss("block_configs (n_heads_in_group)", layer("none"));
  return layer("full", { kv_heads: Math.floor(queryHeads / Number(sharing)), k_width: width, v_width: width });
}

/** All layers slide where sliding_window is set; absent or null is full attention, and so is a window as long as the context. @type {Read} */
function oneWindow(config) {
  let window = config.optionalSize("sliding_window") || 0;
  const context = config.peek("max_position_embeddings");
  if (context && window >= context) {
    config.note(`sliding_window ${window} is not below max_position_embeddings ${context}: counted as full attention`);
    window = 0;
  }
  return withWindow(config, window);
}

/** Three readings of sliding_window: a number slides on all layers, null is full attention, absent is the class default of 4096. @type {Read} */
function mistral(config) {
  const isNull = config.find("sliding_window") === null;
  return withWindow(config, isNull ? 0 : config.size("sliding_window", 4096, "MistralConfig; null would be full attention"));
}

/** A Mistral with an image encoder whose text part does not say which Mistral it is, so that sliding_window must be written. @type {Read} */
function mistral3(config) {
  return withWindow(config, config.find("sliding_window") === null ? 0 : config.size("sliding_window"));
}

/** @param {Config} config @param {number} window */
function withWindow(config, window) {
  const full = attention(config, { stated: "num_key_value_heads" });
  return demands(config, repeated(window ? windowed(full, window) : full, config.layerCount()));
}

/** A layer slides only if use_sliding_window is set and it has no rotary embedding; one in four has none where no list says. @type {Read} */
function smollm3(config) {
  const full = attention(config, { stated: "num_key_value_heads" });
  if (config.flag("use_sliding_window") && config.states("sliding_window")) {
    const pattern = rotaryPattern(config, FULL, SLIDING, "SmolLM3Config");
    return demands(config, interleaved(config, full, pattern, "SmolLM3Config: no_rope_layers"));
  }
  return demands(config, repeated(full, config.layerCount()));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [
    plain,
    "llama olmo olmo2 olmoe flex_olmo granite granitemoe granitemoeshared cohere apertus apertus1p5_text arcee aria_text phi phi-msft " +
      "gpt_neox gpt_neox_japanese gpt2 gptj codegen bloom opt xglm biogpt persimmon nemotron hunyuan_v1_dense hunyuan_v1_moe hyperclovax " +
      "jais2 mpt diffllama deepseek deepseek_ocr2_text internlm2 orion minicpm solar nanochat qwen baichuan hunyuan_vl hunyuan_vl_text",
    "LlamaForCausalLM LLaMAForCausalLM LlamaModel OlmoForCausalLM Olmo2ForCausalLM OlmoeForCausalLM FlexOlmoForCausalLM " +
      "GraniteForCausalLM GraniteMoeForCausalLM GraniteMoeSharedForCausalLM CohereForCausalLM ApertusForCausalLM " +
      "Apertus1p5TextForCausalLM ArceeForCausalLM AriaTextForCausalLM PhiForCausalLM GPTNeoXForCausalLM GPTNeoXJapaneseForCausalLM " +
      "GPT2LMHeadModel GPTJForCausalLM CodeGenForCausalLM BloomForCausalLM OPTForCausalLM XGLMForCausalLM BioGptForCausalLM " +
      "PersimmonForCausalLM NemotronForCausalLM HunYuanDenseV1ForCausalLM HunYuanMoEV1ForCausalLM HyperCLOVAXForCausalLM Jais2ForCausalLM " +
      "MptForCausalLM MPTForCausalLM DiffLlamaForCausalLM DeepseekForCausalLM InternLM2ForCausalLM OrionForCausalLM MiniCPMForCausalLM " +
      "SolarForCausalLM NanoChatForCausalLM FuyuForCausalLM YiForCausalLM QWenLMHeadModel BaiChuanForCausalLM BaichuanForCausalLM HunYuanVLForConditionalGeneration",
  ],
  [
    grouped,
    "bitnet stablelm ernie4_5_moe ernie4_5_vl_moe_text glm4_moe glm4v_text glm4v_moe_text glm_ocr_text dbrx emu3_text_model exaone " +
      "qwen3_vl_moe_text qwen3_vl_moe jetmoe bailing_moe bailing_moe_v2 phi3small",
    "BitNetForCausalLM StableLmForCausalLM Ernie4_5_MoeForCausalLM Ernie4_5_VLMoeForConditionalGeneration Glm4MoeForCausalLM " +
      "Glm4vForConditionalGeneration Glm4vMoeForConditionalGeneration Glm46VForConditionalGeneration GlmOcrForConditionalGeneration " +
      "DbrxForCausalLM ExaoneForCausalLM Qwen3VLMoeForConditionalGeneration JetMoeForCausalLM BailingMoeForCausalLM " +
      "BailingMoeV2ForCausalLM Phi3SmallForCausalLM",
  ],
  [
    wide,
    "seed_oss minimax_m2 glm glm4 helium internlm3 hy_v3 solar_open ernie4_5 paddleocr_vl_text paddleocr_vl sarvam_moe iquestcoder " +
      "qwen3_vl_text qwen3_vl step3_text",
    "SeedOssForCausalLM MiniMaxM2ForCausalLM GlmForCausalLM Glm4ForCausalLM HeliumForCausalLM InternLM3ForCausalLM HYV3ForCausalLM " +
      "SolarOpenForCausalLM Ernie4_5ForCausalLM PaddleOCRVLForConditionalGeneration SarvamMoEForCausalLM IQuestCoderForCausalLM " +
      "Qwen3VLForConditionalGeneration Step3TextForCausalLM Step3VLForConditionalGeneration",
  ],
  [falcon, "falcon RefinedWeb RefinedWebModel", "FalconForCausalLM RWForCausalLM"],
  [gptBigcode, "gpt_bigcode", "GPTBigCodeForCausalLM"],
  [chatglm, "chatglm", "ChatGLMModel ChatGLMForConditionalGeneration"],
  [nemotronNas, "nemotron-nas", "DeciLMForCausalLM"],
  [
    oneWindow,
    "mixtral starcoder2 phi3 phi3_v phi4mm phi4_multimodal phimoe ministral3",
    "MixtralForCausalLM Starcoder2ForCausalLM Phi3ForCausalLM Phi3VForCausalLM Phi4MMForCausalLM Phi4MultimodalForCausalLM " +
      "PhiMoEForCausalLM PhimoeForCausalLM Ministral3ForCausalLM",
  ],
  [mistral, "mistral", "MistralForCausalLM MistralModel"],
  [mistral3, "mistral3", "Mistral3ForConditionalGeneration"],
  [smollm3, "smollm3", "SmolLM3ForCausalLM"],
];
