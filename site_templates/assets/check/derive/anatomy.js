// @ts-check
// infercompat/derive/weights/anatomy.py: how the decoders of each family are built, as far as it decides which linear layers there are.

/** @typedef {import("./config.js").Config} Config */

/**
 * One family, with what differs from a plain decoder. A bias is true, false or the name of the config's flag for it; "=true" after a name is
 * the class default.
 * @typedef {object} Anatomy
 * @property {boolean | string} [qkv]
 * @property {boolean | string} [out]
 * @property {boolean | string} [mlpBias]
 * @property {boolean | string} [outputBias]
 * @property {string} [normsIf]
 * @property {string[]} [mlp]
 * @property {string[]} [fused]
 * @property {boolean} [outputGate]
 * @property {string} [router]
 * @property {boolean} [routerBias]
 * @property {boolean} [denseFirst]
 * @property {string[]} [expert]
 * @property {boolean} [expertBias]
 * @property {boolean} [alwaysShared]
 * @property {boolean} [sharedGate]
 * @property {boolean} [gemma4]
 * @property {boolean} [tied]
 * @property {number} [vocabulary]
 */

export const GATED = ["gate_proj", "up_proj", "down_proj"];
const PLAIN = ["up_proj", "down_proj"], NUMBERED = ["w1", "w3", "w2"];

/** @type {[string, Anatomy][]} */
const FAMILIES = [
  ["llama cwm exaone LlamaForCausalLM", { qkv: "attention_bias", out: "attention_bias", mlpBias: "mlp_bias" }],
  ["mistral ministral ministral3 mistral3 MistralForCausalLM Ministral3ForCausalLM", {}],
  ["mixtral MixtralForCausalLM", { expert: NUMBERED }],
  ["qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text Qwen2ForCausalLM", { qkv: true }],
  ["qwen2_moe Qwen2MoeForCausalLM", { qkv: "qkv_bias=true", sharedGate: true }],
  ["qwen3 qwen3_moe qwen3_vl_text qwen3_vl qwen3_vl_moe_text qwen3_vl_moe Qwen3ForCausalLM Qwen3MoeForCausalLM", { qkv: "attention_bias", out: "attention_bias" }],
  ["qwen3_next qwen3_5_text qwen3_5 qwen3_5_moe_text qwen3_5_moe Qwen3NextForCausalLM", { qkv: "attention_bias", out: "attention_bias", outputGate: true, sharedGate: true }],
  ["gemma GemmaForCausalLM", { qkv: "attention_bias", out: "attention_bias", tied: true }],
  ["gemma2 Gemma2ForCausalLM", { qkv: "attention_bias", out: "attention_bias", tied: true }],
  ["gemma3 gemma3_text Gemma3ForCausalLM Gemma3ForConditionalGeneration", { qkv: "attention_bias", out: "attention_bias", tied: true, vocabulary: 262208 }],
  ["gemma4 gemma4_text gemma4_unified gemma4_unified_text Gemma4ForCausalLM Gemma4ForConditionalGeneration", { qkv: "attention_bias", out: "attention_bias", gemma4: true, tied: true }],
  ["phi3 Phi3ForCausalLM", { fused: ["qkv", "mlp"] }],
  ["phi phi-msft PhiForCausalLM", { qkv: true, out: true, mlpBias: true, outputBias: true, mlp: PLAIN }],
  ["phimoe PhimoeForCausalLM PhiMoEForCausalLM", { qkv: "attention_bias", out: "attention_bias", outputBias: "lm_head_bias", expert: NUMBERED }],
  ["gpt_oss GptOssForCausalLM", { qkv: "attention_bias=true", out: "attention_bias=true", fused: ["experts"], router: "router", routerBias: true, expertBias: true }],
  ["deepseek_v2 DeepseekV2ForCausalLM", { qkv: "attention_bias", out: "attention_bias", denseFirst: true }],
  ["deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe_lite DeepseekV3ForCausalLM DeepseekV32ForCausalLM GlmMoeDsaForCausalLM", { qkv: "attention_bias", out: "attention_bias", denseFirst: true }],
  ["minicpm3 youtu MiniCPM3ForCausalLM YoutuForCausalLM", { qkv: "attention_bias", out: "attention_bias" }],
  ["cohere CohereForCausalLM", { qkv: "attention_bias", out: "attention_bias", normsIf: "use_qk_norm", tied: true }],
  ["cohere2 Cohere2ForCausalLM", { qkv: "attention_bias", out: "attention_bias", tied: true }],
  ["olmo OlmoForCausalLM", { qkv: "attention_bias", out: "attention_bias" }],
  ["olmo2 olmo3 olmoe Olmo2ForCausalLM Olmo3ForCausalLM OlmoeForCausalLM", { qkv: "attention_bias", out: "attention_bias" }],
  ["exaone4 Exaone4ForCausalLM", {}],
  ["minimax_m2 MiniMaxM2ForCausalLM", { expert: NUMBERED }],
  ["llama4 llama4_text Llama4ForConditionalGeneration", { qkv: "attention_bias", out: "attention_bias", router: "router", alwaysShared: true }],
  ["ernie4_5 ernie4_5_moe Ernie4_5ForCausalLM Ernie4_5_MoeForCausalLM", { qkv: "use_bias", out: "use_bias", mlpBias: "use_bias", tied: true }],
  ["starcoder2 Starcoder2ForCausalLM", { qkv: "use_bias=true", out: "use_bias=true", mlpBias: "use_bias=true", mlp: PLAIN, tied: true }],
  ["gpt_neox GPTNeoXForCausalLM", { qkv: "attention_bias=true", out: "attention_bias=true", mlpBias: true, mlp: PLAIN, fused: ["qkv"] }],
  ["glm GlmForCausalLM", { qkv: "attention_bias=true", fused: ["mlp"] }],
  ["glm4 Glm4ForCausalLM", { qkv: "attention_bias=true", fused: ["mlp"] }],
  ["glm4_moe Glm4MoeForCausalLM", { qkv: "attention_bias", normsIf: "use_qk_norm", denseFirst: true }],
  ["hy_v3 HYV3ForCausalLM", { qkv: "attention_bias", out: "attention_bias", mlpBias: "mlp_bias", denseFirst: true }],
  ["granite GraniteForCausalLM", { qkv: "attention_bias", out: "attention_bias", mlpBias: "mlp_bias" }],
  ["seed_oss SeedOssForCausalLM", { qkv: "attention_bias=true", out: "attention_out_bias", mlpBias: "mlp_bias" }],
  ["smollm3 SmolLM3ForCausalLM", { qkv: "attention_bias", out: "attention_bias", mlpBias: "mlp_bias", tied: true }],
];

/** By each name of a family. */
export const BY_NAME = new Map(FAMILIES.flatMap(([names, anatomy]) => names.split(" ").map((name) => /** @type {[string, Anatomy]} */ ([name, anatomy]))));

/** A switch of the anatomy: itself, or the config's flag of that name. @param {Config} config @param {boolean | string | undefined} word */
export function flag(config, word) {
  if (typeof word !== "string") return word ?? false;
  const [name, byDefault] = word.split("=");
  if (byDefault === undefined || config.states(name)) return config.flag(name);
  config.useDefault(name, byDefault, "class default");
  return true;
}
