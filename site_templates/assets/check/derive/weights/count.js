// @ts-check
// infercompat/derive/weights/count.py: from a config to the tensors of its text decoder, the layers built as the family's anatomy says.

import { Config } from "../config.js";
import { derive } from "../model.js";
import { unknown } from "../layers.js";
import { BY_NAME, flag } from "./anatomy.js";
import { feedForward } from "./feed_forward.js";
import { embeddingTensors, layerTensors } from "./gemma4.js";
import { linear, tensor } from "./tensors.js";

/** @typedef {import("./anatomy.js").Anatomy} Anatomy */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {import("../../types.js").Layer} Layer */
/** @typedef {import("../../types.js").Unknown} Unknown */

/** Sections of a config that describe something beside the text decoder. */
export const ENCODERS = ["vision_config", "audio_config", "visual", "audio_encoder", "img_processor"];

/** The tensors of the text decoder. @param {Map<string, any>} values @returns {Tensor[] | Unknown} */
export function tensorsOf(values) {
  const derived = derive(values);
  if ("missing" in derived) return derived;
  const config = new Config(values), name = config.names.find((one) => BY_NAME.has(one));
  const anatomy = name === undefined ? undefined : BY_NAME.get(name);
  if (!anatomy) return unknown([`the tensors of ${derived.name}`], "what this architecture stores is not worked out");
  const tensors = decoder(config, anatomy, derived.layers);
  return config.missing.length ? unknown([...config.missing], "the config lacks fields that decide how many weights there are") : tensors;
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer[]} layers @returns {Tensor[]} */
function decoder(config, anatomy, layers) {
  const hidden = config.size("hidden_size", null, "", 1);
  const vocabulary = config.size("vocab_size", anatomy.vocabulary, "class default");
  const found = [tensor("embed_tokens", "embedding", [vocabulary, hidden])];
  for (const [index, layer] of layers.entries()) {
    const at = `layers.${index}.`;
    found.push(...mixer(config, anatomy, layer, at));
    found.push(...(anatomy.gemma4 ? layerTensors(config, layer, at) : feedForward(config, anatomy, index, layers.length)));
    found.push(tensor(`${at}norms`, "norms", [anatomy.norms * anatomy.normVectors * hidden]));
  }
  if (anatomy.gemma4) found.push(...embeddingTensors(config, layers.length));
  found.push(tensor("norm", "norms", [(anatomy.norms ? anatomy.normVectors : 0) * hidden]));
  if (!isTied(config, anatomy)) found.push(tensor("lm_head", "output", [vocabulary, hidden]));
  if (flag(config, anatomy.outputBias)) found.push(tensor("lm_head.bias", "output", [vocabulary]));
  return found;
}

/** tie_word_embeddings, which may stand beside the text part. @param {Config} config @param {Anatomy} anatomy @returns {boolean} */
function isTied(config, anatomy) {
  const stated = config.anywhere("tie_word_embeddings");
  if (typeof stated === "boolean") return stated;
  config.useDefault("tie_word_embeddings", String(anatomy.tied), "class default");
  return anatomy.tied;
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @param {string} at @returns {Tensor[]} */
function mixer(config, anatomy, layer, at) {
  if (layer.latent_width && !layer.window) return latent(config, anatomy, layer, `${at}self_attn.`);
  if (["full", "sliding", "chunked"].includes(layer.kind)) return heads(config, anatomy, layer, `${at}self_attn.`);
  if (layer.kind === "recurrent" && config.states("linear_num_value_heads")) return deltaNet(config, `${at}linear_attn.`);
  return config.miss(`the tensors of a layer of the kind ${layer.kind}`, []);
}

/** Attention with heads: queries, keys, values and output, and what the family has beside them. @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @param {string} at @returns {Tensor[]} */
function heads(config, anatomy, layer, at) {
  const hidden = config.size("hidden_size"), count = config.size("num_attention_heads");
  const queries = count * layer.k_width, keys = layer.kv_heads * layer.k_width, values = layer.kv_heads * layer.v_width;
  const asked = anatomy.outputGate ? queries * 2 : queries;
  /** @param {string} name @param {number} rows @param {number} [kvRows] */
  const matrix = (name, rows, kvRows = 0) => linear(`${at}${name}`, "attention", [rows, hidden], flag(config, anatomy.qkvBias), { kvRows, kvHeads: kvRows ? layer.kv_heads : 0 });
  const fused = anatomy.fused.includes("qkv"), alone = !fused && layer.shares;
  const found = fused ? matrix("qkv_proj", asked + keys + values, keys + values) : matrix("q_proj", asked);
  if (!fused && !alone) {
    const same = layer.kind === "full" && config.flag("attention_k_eq_v");
    found.push(...matrix("k_proj", keys, keys), ...(same ? [] : matrix("v_proj", values, values)));
  }
  found.push(...linear(`${at}o_proj`, "attention", [hidden, count * layer.v_width], flag(config, anatomy.outBias)));
  if (anatomy.headNorms && (!anatomy.headNormsIf || config.flag(anatomy.headNormsIf))) {
    const width = anatomy.headNorms === "head" ? layer.k_width * (layer.shares ? 1 : 2) : queries + (alone ? 0 : keys);
    found.push(tensor(`${at}qk_norms`, "norms", [width]));
  }
  if (anatomy.sinks) found.push(tensor(`${at}sinks`, "attention", [count]));
  return found;
}

/** Multi-head latent attention; with an indexer as in models/deepseek_v32. @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @param {string} at @returns {Tensor[]} */
function latent(config, anatomy, layer, at) {
  const hidden = config.size("hidden_size"), count = layer.kv_heads, rank = config.size("kv_lora_rank");
  const queryRank = config.optionalSize("q_lora_rank"), bias = flag(config, anatomy.qkvBias);
  const found = queryRank ? [...linear(`${at}q_a_proj`, "attention", [queryRank, hidden], bias), tensor(`${at}q_a_layernorm`, "norms", [queryRank])] : [];
  found.push(tensor(`${at}${queryRank ? "q_b_proj" : "q_proj"}`, "attention", [count * layer.k_width, queryRank || hidden]));
  found.push(...linear(`${at}kv_a_proj_with_mqa`, "attention", [layer.latent_width, hidden], bias), tensor(`${at}kv_a_layernorm`, "norms", [rank]));
  const expanded = config.size("qk_nope_head_dim") + layer.v_width;
  found.push(tensor(`${at}kv_b_proj`, "attention", [count * expanded, rank]));
  found.push(...linear(`${at}o_proj`, "attention", [hidden, count * layer.v_width], bias));
  if (!layer.index_width) return found;
  const indexers = config.size("index_n_heads");
  return [
    ...found,
    tensor(`${at}indexer.wq_b`, "attention", [indexers * layer.index_width, queryRank || hidden]),
    tensor(`${at}indexer.wk`, "attention", [layer.index_width, hidden]),
    tensor(`${at}indexer.k_norm`, "norms", [2 * layer.index_width]),
    // Kept in the wide type by every scheme seen, so it counts with the routers.
    tensor(`${at}indexer.weights_proj`, "router", [indexers, hidden]),
  ];
}

/** Gated DeltaNet; qwen3_next stores the same numbers in fewer matrices. @param {Config} config @param {string} at @returns {Tensor[]} */
function deltaNet(config, at) {
  const [hidden, count, width] = ["hidden_size", "linear_num_value_heads", "linear_value_head_dim"].map((name) => config.size(name));
  const keys = config.size("linear_num_key_heads") * config.size("linear_key_head_dim");
  const values = count * width, kernel = config.size("linear_conv_kernel_dim");
  /** @type {Record<string, number>} */
  const rows = config.names.includes("qwen3_next")
    ? { in_proj_qkvz: 2 * keys + 2 * values, in_proj_ba: 2 * count }
    : { in_proj_qkv: 2 * keys + values, in_proj_z: values, in_proj_b: count, in_proj_a: count };
  return [
    ...Object.entries(rows).map(([name, height]) => tensor(`${at}${name}`, "attention", [height, hidden])),
    tensor(`${at}out_proj`, "attention", [hidden, values]),
    tensor(`${at}conv1d`, "attention", [2 * keys + values, 1, kernel]),
    tensor(`${at}dt_bias and A_log`, "attention", [2 * count]),
    tensor(`${at}norm`, "norms", [width]),
  ];
}
