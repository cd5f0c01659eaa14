// @ts-check
// infercompat/derive/gguf/mapping.py and its package: from the keys of a GGUF file to the fields of a config.json, as readJson gives them.

import { clipped } from "../python.js";
import { unknown } from "../layers.js";
import { gemma3n, gemma4, latent, oneWindow, plain, windowed } from "./attention.js";
import { Keys } from "./keys.js";
import { deltaNet, falconH1, graniteHybrid, jamba, kimiLinear, lfm2, mamba, mamba2, nemotronH } from "./states.js";

/** @typedef {import("./attention.js").Fields} Fields */
/** @typedef {import("./attention.js").Read} Read */
/** @typedef {import("./header.js").Header} Header */
/** @typedef {import("../../types.js").Unknown} Unknown */

/** The model_type that reads an architecture's fields, how the keys become fields, and the class that it is made of. @type {Map<string, [string, Read, string]>} */
const ARCHITECTURES = new Map([
  ["llama", ["llama", plain, "LlamaForCausalLM"]],
  ["mistral3", ["ministral3", plain, "Ministral3ForCausalLM"]],
  ["gemma", ["gemma", plain, "GemmaForCausalLM"]],
  ["gemma2", ["gemma2", windowed(2, 4096), "Gemma2ForCausalLM"]],
  ["gemma3", ["gemma3_text", windowed(6), "Gemma3ForCausalLM"]],
  ["gemma3n", ["gemma3n_text", gemma3n, "Gemma3nForCausalLM"]],
  ["gemma4", ["gemma4_text", gemma4, "Gemma4ForCausalLM"]],
  ["gpt-oss", ["gpt_oss", windowed(2), "GptOssForCausalLM"]],
  ["qwen2", ["qwen2", plain, "Qwen2ForCausalLM"]],
  ["qwen2moe", ["qwen2_moe", plain, "Qwen2MoeForCausalLM"]],
  ["qwen2vl", ["qwen2_vl_text", plain, "Qwen2VLForConditionalGeneration"]],
  ["qwen3", ["qwen3", plain, "Qwen3ForCausalLM"]],
  ["qwen3moe", ["qwen3_moe", plain, "Qwen3MoeForCausalLM"]],
  ["qwen3vl", ["qwen3_vl_text", plain, "Qwen3VLForConditionalGeneration"]],
  ["qwen3vlmoe", ["qwen3_vl_moe_text", plain, "Qwen3VLMoeForConditionalGeneration"]],
  ["qwen3next", ["qwen3_next", deltaNet, "Qwen3NextForCausalLM"]],
  ["qwen35", ["qwen3_5_text", deltaNet, "Qwen3_5ForCausalLM"]],
  ["qwen35moe", ["qwen3_5_moe_text", deltaNet, "Qwen3_5MoeForCausalLM"]],
  ["deepseek2", ["deepseek_v3", latent, "DeepseekV3ForCausalLM"]],
  ["kimi-linear", ["kimi_linear", kimiLinear, "KimiLinearForCausalLM"]],
  ["phi3", ["phi3", oneWindow, "Phi3ForCausalLM"]],
  ["phimoe", ["phimoe", oneWindow, "PhiMoEForCausalLM"]],
  ["cohere2", ["cohere2", windowed(4), "Cohere2ForCausalLM"]],
  ["command-r", ["cohere", plain, "CohereForCausalLM"]],
  ["olmo2", ["olmo3", windowed(4), "Olmo2ForCausalLM"]],
  ["exaone4", ["exaone4", windowed(4, 4096), "Exaone4ForCausalLM"]],
  ["glm4", ["glm4", plain, "Glm4ForCausalLM"]],
  ["glm4moe", ["glm4_moe", plain, "Glm4MoeForCausalLM"]],
  ["granite", ["granite", plain, "GraniteForCausalLM"]],
  ["seed_oss", ["seed_oss", plain, "SeedOssForCausalLM"]],
  ["smollm3", ["smollm3", plain, "SmolLM3ForCausalLM"]],
  ["minimax-m2", ["minimax_m2", plain, "MiniMaxM2ForCausalLM"]],
  ["jamba", ["jamba", jamba, "JambaForCausalLM"]],
  ["mamba", ["mamba", mamba, "MambaForCausalLM"]],
  ["mamba2", ["mamba2", mamba2, "Mamba2ForCausalLM"]],
  ["granitehybrid", ["granitemoehybrid", graniteHybrid, "GraniteMoeHybridForCausalLM"]],
  ["lfm2", ["lfm2", lfm2, "Lfm2ForCausalLM"]],
  ["lfm2moe", ["lfm2_moe", lfm2, "Lfm2MoeForCausalLM"]],
  ["nemotron_h", ["nemotron_h", nemotronH, "NemotronHForCausalLM"]],
  ["nemotron_h_moe", ["nemotron_h", nemotronH, "NemotronHForCausalLM"]],
  ["falcon-h1", ["falcon_h1", falconH1, "FalconH1ForCausalLM"]],
]);

/** The config by the header's keys, or what is missing: an architecture that is worked out, or a key. @param {Header} header @returns {Map<string, any> | Unknown} */
export function configOfHeader(header) {
  const name = header.fields.get("general.architecture");
  if (typeof name !== "string" || !name) return unknown(["general.architecture"], "the file does not say which architecture it belongs to");
  const architecture = ARCHITECTURES.get(name);
  if (!architecture) return unknown([`keys of the architecture ${clipped(name, 60)}`], "what this architecture's GGUF keys mean is not worked out");
  const [type, read, madeOf] = architecture, keys = new Keys(header, name);
  const fields = { model_type: type, architectures: [madeOf], ...common(keys), ...read(keys) };
  return keys.missing.length ? unknown(keys.missing, "the header lacks keys that decide the layers") : new Map(Object.entries(fields));
}

/** Fields that every architecture has. @param {Keys} keys @returns {Fields} */
function common(keys) {
  /** @type {Fields} */
  const found = {
    num_hidden_layers: keys.layers,
    hidden_size: keys.number("embedding_length"),
    max_position_embeddings: keys.number("context_length"),
    vocab_size: keys.vocabulary(),
    num_nextn_predict_layers: keys.draftLayers || null,
    num_experts: keys.optional("expert_count") || null,
    first_k_dense_replace: keys.optional("leading_dense_block_count"),
    n_shared_experts: keys.optional("expert_shared_count") || null,
    shared_expert_intermediate_size: keys.optional("expert_shared_feed_forward_length") || null,
    attn_logit_softcapping: keys.find("attn_logit_softcapping"),
    rope_scaling: rope(keys),
    tie_word_embeddings: keys.header.tensors.length ? !keys.hasTensor("output.weight") : null,
  };
  if (found.num_experts) {
    found.num_experts_per_tok = keys.one("expert_used_count", keys.each("expert_used_count"));
    found.moe_intermediate_size = keys.one("expert_feed_forward_length", keys.each("expert_feed_forward_length", 0)) || null;
  }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}

/** @param {Keys} keys */
function rope(keys) {
  const method = keys.find("rope.scaling.type");
  if (typeof method !== "string" || method === "none") return null;
  return new Map([["rope_type", method], ["factor", keys.find("rope.scaling.factor")], ["original_max_position_embeddings", keys.find("rope.scaling.original_context_length")]]);
}
