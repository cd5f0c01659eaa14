// @ts-check
// infercompat/derive/readers/recurrent.py: families of Mamba layers, alone or between layers of attention.

import { layer, replace } from "../layers.js";
import { FULL, HYBRID, LINEAR, NO_MIXING, attention, layerTypes, range } from "./common.js";
import * as states from "./states.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */
/** @typedef {import("./common.js").Read} Read */

const { hybrid } = states;

/** Mamba-1 on every layer; intermediate_size channels, or expand * hidden_size. @type {Read} */
function mamba(config) {
  const inner = config.states("intermediate_size") ? config.size("intermediate_size") : expanded(config);
  const words = Array(config.layerCount()).fill(LINEAR);
  return hybrid(config, words, { [LINEAR]: states.mamba1(config, inner) }, "mamba1");
}

/** Mamba-2 on every layer, num_heads of head_dim. @type {Read} */
function mamba2(config) {
  const stateHeads = config.size("num_heads");
  const one = states.mamba2(config, stateHeads, config.size("head_dim"));
  return hybrid(config, Array(config.layerCount()).fill(LINEAR), { [LINEAR]: one }, "mamba2");
}

/** Attention where index % attn_layer_period == attn_layer_offset, Mamba-1 of expand * hidden_size channels elsewhere. @type {Read} */
function jamba(config) {
  const period = config.positive("attn_layer_period"), offset = config.size("attn_layer_offset");
  const words = range(config.layerCount()).map((index) => (index % period === offset ? FULL : LINEAR));
  const recurrent = states.mamba1(config, expanded(config));
  return hybrid(config, words, { [LINEAR]: recurrent, [FULL]: attention(config, { stated: "num_key_value_heads" }) }, "mamba1");
}

/** Mamba-1 on every layer; the layers named hybrid also run the shared attention block, each with K and V of its own. @type {Read} */
function zamba(config) {
  return withShared(config, states.mamba1(config, expanded(config)), "mamba1");
}

/** As Zamba, with Mamba-2 layers. @type {Read} */
function zamba2(config) {
  return withShared(config, ofMamba2(config, expanded(config)), "mamba2");
}

/** @param {Config} config @param {Layer} recurrent @param {string} requirement */
function withShared(config, recurrent, requirement) {
  const hidden = config.size("hidden_size");
  const width = Math.floor((2 * hidden) / config.positive("num_attention_heads"));
  const both = replace(recurrent, { kind: "recurrent+full", kv_heads: attention(config).kv_heads, k_width: width, v_width: width });
  const words = layerTypes(config, null, "", "layers_block_type");
  return hybrid(config, words, { [LINEAR]: recurrent, [HYBRID]: both }, requirement);
}

const PATTERN_LETTERS = new Map([["M", LINEAR], ["*", FULL], ["-", NO_MIXING], ["E", NO_MIXING]]);

/** hybrid_override_pattern spells the layers: M Mamba-2, * attention, - feed-forward, E experts; newer configs name them. @type {Read} */
function nemotronH(config) {
  const spelled = config.find("hybrid_override_pattern");
  let words;
  if (typeof spelled === "string") {
    const letters = config.perLayer([...spelled], config.layerCount(), "hybrid_override_pattern");
    words = letters.map((letter) => PATTERN_LETTERS.get(letter ?? "") ?? `${letter ?? "None"} in hybrid_override_pattern`);
  } else words = layerTypes(config, null, "", "hybrid_override_pattern");
  const stateHeads = config.size("mamba_num_heads");
  let recurrent = states.mamba2(config, stateHeads, config.size("mamba_head_dim"));
  if (!config.states("mamba_ssm_cache_dtype")) {
    config.useDefault("mamba_ssm_cache_dtype", "float32", "NemotronHConfig");
    recurrent = replace(recurrent, { state_dtype: "fp32" });
  }
  const full = attention(config, { stated: "num_key_value_heads", head_dim: 128, why: "NemotronHConfig" });
  return hybrid(config, words, { [LINEAR]: recurrent, [FULL]: full, [NO_MIXING]: layer("none") }, "mamba2");
}

/** layer_types names Mamba-2 and attention layers; without the list all are Mamba-2. No kind present, no state: some are all attention. @type {Read} */
function graniteHybrid(config) {
  return granite(config, layerTypes(config, () => LINEAR, "GraniteMoeHybridConfig: all Mamba-2"));
}

/** Attention on the layers of attn_layer_indices, Mamba-2 elsewhere. @type {Read} */
function bamba(config) {
  const attending = new Set(config.sizes("attn_layer_indices") ?? []);
  return granite(config, range(config.layerCount()).map((index) => (attending.has(index) ? FULL : LINEAR)));
}

/** @param {Config} config @param {string[]} words */
function granite(config, words) {
  /** @type {Record<string, Layer>} */
  const layers = {};
  if (words.includes(LINEAR)) layers[LINEAR] = ofMamba2(config, expanded(config));
  if (words.includes(FULL)) layers[FULL] = attention(config);
  return hybrid(config, words, layers, "mamba2");
}

/** Every layer runs attention and Mamba-2 side by side and keeps both; mamba_d_ssm channels, or expand * hidden_size. @type {Read} */
function falconH1(config) {
  const inner = config.states("mamba_d_ssm") ? config.size("mamba_d_ssm") : expanded(config);
  const full = attention(config, { stated: "num_key_value_heads" }), recurrent = ofMamba2(config, inner);
  const { kv_heads, k_width, v_width } = full;
  const both = replace(recurrent, { kind: "recurrent+full", kv_heads, k_width, v_width });
  return hybrid(config, Array(config.layerCount()).fill(HYBRID), { [HYBRID]: both }, "mamba2");
}

/** @param {Config} config */
function expanded(config) {
  const product = config.size("expand") * config.size("hidden_size");
  return Number.isSafeInteger(product) ? product : config.miss("expand (too large to be counted on this page)", 0);
}

/** A Mamba-2 layer whose heads share the inner channels; "auto" or an absent width divides these among the heads. @param {Config} config @param {number} inner */
function ofMamba2(config, inner) {
  const stateHeads = config.positive("mamba_num_heads");
  const stated = config.states("mamba_head_dim") && config.find("mamba_head_dim") !== "auto";
  return states.mamba2(config, stateHeads, stated ? config.size("mamba_head_dim") : Math.floor(inner / stateHeads));
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [mamba, "mamba falcon_mamba", "MambaForCausalLM FalconMambaForCausalLM"],
  [mamba2, "mamba2", "Mamba2ForCausalLM"],
  [jamba, "jamba", "JambaForCausalLM JambaForSequenceClassification"],
  [zamba, "zamba", "ZambaForCausalLM"],
  [zamba2, "zamba2", "Zamba2ForCausalLM"],
  [nemotronH, "nemotron_h", "NemotronHForCausalLM NemotronH_Nano_VL_V2 NemotronH_Omni_Reasoning_V3"],
  [graniteHybrid, "granitemoehybrid", "GraniteMoeHybridForCausalLM"],
  [bamba, "bamba", "BambaForCausalLM"],
  [falconH1, "falcon_h1", "FalconH1ForCausalLM"],
];
