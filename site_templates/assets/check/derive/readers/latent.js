// @ts-check
// infercompat/derive/readers/latent.py: a compressed latent instead of K and V, or an index beside them that picks the tokens to attend to.

import { layer, replace } from "../layers.js";
import { truthy } from "../python.js";
import { FULL, SLIDING, assemble, attention, demands, layerTypes, range, repeated } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("./common.js").Read} Read */

/** One layer of multi-head latent attention: kv_lora_rank + qk_rope_head_dim a token, whatever the number of heads. @param {Config} config */
export function latentLayer(config) {
  const rotary = config.size("qk_rope_head_dim");
  return layer("latent", {
    kv_heads: config.size("num_attention_heads"),
    k_width: config.size("qk_nope_head_dim") + rotary,
    v_width: config.size("v_head_dim"),
    latent_width: config.size("kv_lora_rank") + rotary,
  });
}

/** Latent attention on every layer. @type {Read} */
function mla(config) {
  const one = latentLayer(config);
  return demands(config, repeated(one, config.layerCount()), { mla: rank(one) });
}

/** As `mla`; K and V of plain heads where use_mla is false, as in the smallest DeepSeek-VL2 and in DeepSeek-OCR. @type {Read} */
function deepseekV2(config) {
  if (config.find("use_mla") === false) return demands(config, repeated(attention(config), config.layerCount()));
  return mla(config);
}

/** Latent attention twice in each of num_layers decoder layers; num_hidden_layers, where it is written, counts the halves. @type {Read} */
function longcat(config) {
  const one = latentLayer(config);
  const count = truthy(config.find("num_layers")) ? 2 * config.layerCount("num_layers") : config.layerCount();
  config.note("each decoder layer attends twice; the layers counted here are caches");
  return demands(config, repeated(one, count), { mla: rank(one) });
}

/** Latent attention and an index key a token on every layer. @type {Read} */
function deepseekV32(config) {
  const one = latentLayer(config);
  return sparse(config, one, Array(config.layerCount()).fill("full"));
}

/** As DeepSeek V3.2, but only layers whose indexer_types entry is "full" have an index; the others reuse its choice of tokens. @type {Read} */
function glmDsa(config) {
  const one = latentLayer(config);
  return sparse(config, one, indexerTypes(config));
}

/** As `glmDsa`, with a learned attention sink on each head. @type {Read} */
function hyV4(config) {
  const sinks = { "attention-sinks": "attention sinks are in the code of HYV4 (transformers modeling_hy_v4.py)" };
  const one = latentLayer(config);
  return sparse(config, one, indexerTypes(config), sinks);
}

/** As `glmDsa`; a layer whose kv_source_layers entry is another layer uses that one's latent, though it may have its own index. @type {Read} */
function mistralLarge4(config) {
  const one = latentLayer(config), types = indexerTypes(config), count = config.layerCount(), listed = config.sizes("kv_source_layers");
  const sources = listed === null ? range(count) : config.perLayer(listed, count, "kv_source_layers");
  const layers = indexed(config, one, types).map((own, index) => replace(own, { shares: sources[index] !== index }));
  return demands(config, layers, sparseReasons(one, types));
}

/** @param {Config} config @param {Layer} one @param {(string | null)[]} types @param {Record<string, string>} [own] */
function sparse(config, one, types, own = {}) {
  return demands(config, indexed(config, one, types), { ...sparseReasons(one, types), ...own });
}

/** Latent layers that choose tokens by an index, their own or that of a layer before. @param {Config} config @param {Layer} one @param {(string | null)[]} types */
function indexed(config, one, types) {
  const full = replace(one, { kind: "indexed", index_width: config.size("index_head_dim") });
  if (types.some((word) => word !== "full" && word !== "shared")) config.miss('indexer_types (an entry is neither "full" nor "shared")', null);
  return types.map((word) => (word === "full" ? full : replace(full, { index_width: 0 })));
}

/** @param {Layer} one @param {(string | null)[]} types */
function sparseReasons(one, types) {
  return { mla: rank(one), "sparse-mla": `an index key a token on ${types.filter((word) => word === "full").length} of ${types.length} layers` };
}

/** Which layers have an indexer: the config's list, its pattern of F and S, or index_topk_freq and index_skip_topk_offset. @param {Config} config */
export function indexerTypes(config) {
  const count = config.layerCount(), pattern = config.find("index_topk_pattern");
  let listed = config.words("indexer_types");
  if (listed === null && typeof pattern === "string") listed = [...pattern].map((letter) => ({ F: "full", S: "shared" })[letter] ?? letter);
  if (listed === null && config.states("index_topk_freq")) {
    const period = config.positive("index_topk_freq");
    const offset = config.size("index_skip_topk_offset", 2, "class default");
    listed = range(count).map((index) => (Math.max(index - offset + 1, 0) % period === 0 ? "full" : "shared"));
  }
  if (listed === null) {
    listed = Array(count).fill("full");
    config.useDefault("indexer_types", "full on all layers", "class default of index_topk_freq: 1");
  }
  return config.perLayer(/** @type {string[]} */ (listed), count, "indexer_types");
}

const RATIO_OF_TYPE = new Map([[SLIDING, 0], ["compressed_sparse_attention", 4], ["heavily_compressed_attention", 128]]);

/** A window of single entries (K and V are one), and beside it one entry for each 4 or 128 tokens; those of 4 have an index key. @type {Read} */
function deepseekV4(config) {
  const width = config.size("head_dim"), window = config.positive("sliding_window"), index = config.size("index_head_dim");
  let ratios = config.sizes("compress_ratios");
  const count = config.layerCount();
  if (ratios === null) ratios = layerTypes(config, null, "", "compress_ratios").map((word) => RATIO_OF_TYPE.get(word) ?? -1);
  // The list of a published config has one entry more than there are layers, for the draft layer.
  if (!(count <= ratios.length && ratios.length <= count + 1) || ratios.some((ratio) => ![0, 4, 128].includes(ratio))) {
    config.miss("compress_ratios (not 0, 4 or 128 for each layer)", null);
  }
  const base = layer("sliding", { kv_heads: 1, k_width: width, v_width: width, window, latent_width: width });
  const byRatio = new Map([
    [0, base],
    [4, replace(base, { kind: "indexed", index_width: index, compress_ratio: 4 })],
    [128, replace(base, { kind: "latent", compress_ratio: 128 })],
  ]);
  const own = ratios.slice(0, count);
  const reasons = {
    "sparse-mla": `index keys of ${index} on ${own.filter((ratio) => ratio === 4).length} of ${count} layers, entries of ${width} for 4 or 128 tokens`,
    "attention-sinks": "attention sinks are in the code of DeepseekV4 (transformers modeling_deepseek_v4.py)",
  };
  return demands(config, own.map((ratio) => byRatio.get(ratio) ?? base), reasons);
}

/** As `deepseekV4` with an entry for each token or two, and its index key, that only layers in kv_source_layer_ids keep. @type {Read} */
function deepseekV41(config) {
  const width = config.size("head_dim"), window = config.positive("sliding_window"), index = config.size("index_head_dim");
  const count = config.layerCount();
  let sources = config.sizes("kv_source_layer_ids");
  const ratios = config.perLayer(config.sizes("compress_ratios") ?? [], count, "compress_ratios");
  if (ratios.some((ratio) => ![0, 1, 2].includes(ratio ?? -1))) config.miss("compress_ratios (not 0, 1 or 2 for each layer)", null);
  if (!sources?.length) sources = config.miss("kv_source_layer_ids", []);
  const base = layer("sliding", { kv_heads: 1, k_width: width, v_width: width, window, latent_width: width });
  const reading = replace(base, { kind: "indexed" });
  const layers = ratios.map((ratio, at) => {
    if (!ratio) return base;
    return sources?.includes(at) ? replace(reading, { index_width: index, compress_ratio: ratio }) : reading;
  });
  const kept = layers.filter((one) => one.compress_ratio).length;
  return demands(config, layers, {
    "sparse-mla": `index keys of ${index} and entries of ${width} on ${kept} of ${count} layers, for a token or two, which other layers read`,
    "attention-sinks": "attention sinks are in the code of DeepseekV4 (SGLang deepseek_v4.py)",
  });
}

/** Grouped-query attention on every layer, and an index key a token on the layers whose sparse_attention_freq is 1. @type {Read} */
function minimaxM3(config) {
  const full = attention(config, { stated: "num_key_value_heads head_dim" });
  const section = config.section("sparse_attention_config");
  const flags = section.sizes("sparse_attention_freq"), count = config.layerCount();
  let index, words;
  if (flags !== null) {
    index = section.size("sparse_index_dim");
    words = config.perLayer(flags, count, "sparse_attention_freq").map((flag) => (flag ? "minimax_m3_sparse" : FULL));
  } else {
    index = config.size("index_head_dim");
    words = layerTypes(config, null, "", "sparse_attention_config.sparse_attention_freq");
  }
  const layers = { [FULL]: full, minimax_m3_sparse: replace(full, { kind: "indexed", index_width: index }) };
  const reason = `index keys of ${index} on ${words.filter((word) => word === "minimax_m3_sparse").length} of ${count} layers, beside grouped-query attention`;
  return demands(config, assemble(config, words, layers), { "sparse-gqa": reason });
}

/** @param {Layer} one */
function rank(one) {
  return `a latent of ${one.latent_width} a token for ${one.kv_heads} heads`;
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [
    mla,
    "deepseek_v3 kimi_k2 glm4_moe_lite mistral4 minicpm3 youtu youtu_llm axk1 sarvam_mla",
    "DeepseekV3ForCausalLM KimiK25ForConditionalGeneration Kimi_K25ForConditionalGeneration " +
      "Glm4MoeLiteForCausalLM Mistral4ForCausalLM MiniCPM3ForCausalLM YoutuForCausalLM AXK1ForCausalLM SarvamMLAForCausalLM " +
      "MistralLarge3ForCausalLM KimiVLForConditionalGeneration",
  ],
  [
    deepseekV2,
    "deepseek_v2 deepseek_vl_v2",
    "DeepseekV2ForCausalLM DeepseekVLV2ForCausalLM DeepseekVL2ForCausalLM DeepseekOCRForCausalLM DeepseekOCR2ForCausalLM",
  ],
  [longcat, "longcat_flash", "LongcatFlashForCausalLM"],
  [deepseekV32, "deepseek_v32 axk2", "DeepseekV32ForCausalLM AXK2ForCausalLM"],
  [glmDsa, "glm_moe_dsa", "GlmMoeDsaForCausalLM"],
  [hyV4, "hy_v4 hy_v4_vl_text", "HYV4ForCausalLM HYV4VLForConditionalGeneration"],
  [mistralLarge4, "mistral_large4_text", "MistralLarge4ForConditionalGeneration"],
  [deepseekV4, "deepseek_v4", "DeepseekV4ForCausalLM"],
  [deepseekV41, "deepseek_v41 deepseek_v41_text", "DeepseekV41ForCausalLM"],
  [
    minimaxM3,
    "minimax_m3 minimax_m3_vl minimax_m3_vl_text",
    "MiniMaxM3ForCausalLM MiniMaxM3VLForCausalLM MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration",
  ],
];
