// @ts-check
// infercompat/derive/weights/anatomy.py: how the decoders of each family are built, as far as it decides how many weights there are.

/** @typedef {import("../config.js").Config} Config */

/**
 * One family. A bias is true, false or the name of the config's flag for it; "=true" after a name is the class default. `headNorms` are
 * those of queries and keys: "head" has the width of one head, "all" that of all heads; `headNormsIf` names the flag they depend on. `norms`
 * are a layer's, each with `normVectors` vectors. `fused` has what is stored as one matrix. Where `denseFirst`, the config must say how
 * many layers come before those with experts. `tied` is the class default of tie_word_embeddings, `vocabulary` that of vocab_size.
 * @typedef {object} Anatomy
 * @property {boolean | string} qkvBias
 * @property {boolean | string} outBias
 * @property {boolean | string} mlpBias
 * @property {boolean | string} outputBias
 * @property {string} headNorms
 * @property {string} headNormsIf
 * @property {number} norms
 * @property {number} normVectors
 * @property {string[]} mlp
 * @property {string[]} fused
 * @property {boolean} sinks
 * @property {boolean} outputGate
 * @property {string} feedForward
 * @property {string} router
 * @property {boolean} routerBias
 * @property {boolean} routerCorrection
 * @property {boolean} denseFirst
 * @property {string[]} expert
 * @property {boolean} expertBias
 * @property {boolean} alwaysShared
 * @property {boolean} sharedGate
 * @property {boolean} gemma4
 * @property {boolean} tied
 * @property {number | null} vocabulary
 */

const GATED = ["gate_proj", "up_proj", "down_proj"], PLAIN = ["up_proj", "down_proj"], NUMBERED = ["w1", "w3", "w2"];

/** @type {Anatomy} */
const USUAL = {
  ...{ qkvBias: false, outBias: false, mlpBias: false, outputBias: false, headNorms: "", headNormsIf: "", norms: 2, normVectors: 1 },
  ...{ mlp: GATED, fused: [], sinks: false, outputGate: false, feedForward: "mlp", router: "gate", routerBias: false, routerCorrection: false },
  ...{ denseFirst: false, expert: GATED, expertBias: false, alwaysShared: false, sharedGate: false, gemma4: false, tied: false, vocabulary: null },
};

const BIASED = { qkvBias: "attention_bias", outBias: "attention_bias" };
const BIASED_UNLESS = { qkvBias: "attention_bias=true", outBias: "attention_bias=true" };
const ALL_BIASED = { qkvBias: "use_bias", outBias: "use_bias", mlpBias: "use_bias" };
const MIXTRAL = { feedForward: "block_sparse_moe", expert: NUMBERED };

/** The names of each family, and how it differs from the usual. @type {[string, Partial<Anatomy>][]} */
const FAMILIES = [
  ["llama cwm exaone LlamaForCausalLM", { ...BIASED, mlpBias: "mlp_bias" }],
  ["mistral ministral ministral3 mistral3 MistralForCausalLM Ministral3ForCausalLM", {}],
  ["mixtral MixtralForCausalLM", { ...MIXTRAL }],
  ["qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text Qwen2ForCausalLM", { qkvBias: true }],
  ["qwen2_moe Qwen2MoeForCausalLM", { qkvBias: "qkv_bias=true", sharedGate: true }],
  ["qwen3 qwen3_moe qwen3_vl_text qwen3_vl qwen3_vl_moe_text qwen3_vl_moe Qwen3ForCausalLM Qwen3MoeForCausalLM", { ...BIASED, headNorms: "head" }],
  ["qwen3_next qwen3_5_text qwen3_5 qwen3_5_moe_text qwen3_5_moe Qwen3NextForCausalLM", { ...BIASED, headNorms: "head", outputGate: true, sharedGate: true }],
  ["gemma GemmaForCausalLM", { ...BIASED, tied: true }],
  ["gemma2 Gemma2ForCausalLM", { ...BIASED, norms: 4, tied: true }],
  ["gemma3 gemma3_text Gemma3ForCausalLM Gemma3ForConditionalGeneration", { ...BIASED, headNorms: "head", norms: 4, tied: true, vocabulary: 262208 }],
  ["gemma4 gemma4_text gemma4_unified gemma4_unified_text Gemma4ForCausalLM Gemma4ForConditionalGeneration", { ...BIASED, headNorms: "head", norms: 4, gemma4: true, tied: true }],
  ["phi3 Phi3ForCausalLM", { fused: ["qkv", "mlp"] }],
  ["phi phi-msft PhiForCausalLM", { qkvBias: true, outBias: true, mlpBias: true, outputBias: true, norms: 1, normVectors: 2, mlp: PLAIN }],
  ["phimoe PhimoeForCausalLM PhiMoEForCausalLM", { ...BIASED, ...MIXTRAL, outputBias: "lm_head_bias", normVectors: 2 }],
  ["gpt_oss GptOssForCausalLM", { ...BIASED_UNLESS, fused: ["experts"], sinks: true, router: "router", routerBias: true, expertBias: true }],
  ["deepseek_v2 DeepseekV2ForCausalLM", { ...BIASED, denseFirst: true }],
  ["deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe_lite DeepseekV3ForCausalLM DeepseekV32ForCausalLM GlmMoeDsaForCausalLM", { ...BIASED, routerCorrection: true, denseFirst: true }],
  ["minicpm3 youtu MiniCPM3ForCausalLM YoutuForCausalLM", { ...BIASED }],
  ["cohere CohereForCausalLM", { ...BIASED, headNorms: "all", headNormsIf: "use_qk_norm", norms: 1, tied: true }],
  ["cohere2 Cohere2ForCausalLM", { ...BIASED, norms: 1, tied: true }],
  ["olmo OlmoForCausalLM", { ...BIASED, norms: 0 }],
  ["olmo2 olmo3 olmoe Olmo2ForCausalLM Olmo3ForCausalLM OlmoeForCausalLM", { ...BIASED, headNorms: "all" }],
  ["exaone4 Exaone4ForCausalLM", { headNorms: "head" }],
  ["minimax_m2 MiniMaxM2ForCausalLM", { ...MIXTRAL, headNorms: "all", routerCorrection: true }],
  ["llama4 llama4_text Llama4ForConditionalGeneration", { ...BIASED, feedForward: "feed_forward", router: "router", alwaysShared: true }],
  ["ernie4_5 ernie4_5_moe Ernie4_5ForCausalLM Ernie4_5_MoeForCausalLM", { ...ALL_BIASED, routerCorrection: true, tied: true }],
  ["starcoder2 Starcoder2ForCausalLM", { qkvBias: "use_bias=true", outBias: "use_bias=true", mlpBias: "use_bias=true", normVectors: 2, mlp: PLAIN, tied: true }],
  ["gpt_neox GPTNeoXForCausalLM", { ...BIASED_UNLESS, mlpBias: true, normVectors: 2, mlp: PLAIN, fused: ["qkv"] }],
  ["glm GlmForCausalLM", { qkvBias: "attention_bias=true", fused: ["mlp"] }],
  ["glm4 Glm4ForCausalLM", { qkvBias: "attention_bias=true", norms: 4, fused: ["mlp"] }],
  ["glm4_moe Glm4MoeForCausalLM", { qkvBias: "attention_bias", headNorms: "head", headNormsIf: "use_qk_norm", routerCorrection: true, denseFirst: true }],
  ["hy_v3 HYV3ForCausalLM", { ...BIASED, mlpBias: "mlp_bias", headNorms: "head", routerCorrection: true, denseFirst: true }],
  ["granite GraniteForCausalLM", { ...BIASED, mlpBias: "mlp_bias" }],
  ["seed_oss SeedOssForCausalLM", { qkvBias: "attention_bias=true", outBias: "attention_out_bias", mlpBias: "mlp_bias" }],
  ["smollm3 SmolLM3ForCausalLM", { ...BIASED, mlpBias: "mlp_bias", tied: true }],
];

export const BY_NAME = new Map(FAMILIES.flatMap(([names, own]) => names.split(" ").map((name) => /** @type {[string, Anatomy]} */ ([name, { ...USUAL, ...own }]))));

/** A switch of the anatomy: itself, or the config's flag of that name. @param {Config} config @param {boolean | string} word */
export function flag(config, word) {
  if (typeof word === "boolean") return word;
  const [name, byDefault] = word.split("=");
  if (!byDefault || config.states(name)) return config.flag(name);
  config.useDefault(name, byDefault, "class default");
  return true;
}
