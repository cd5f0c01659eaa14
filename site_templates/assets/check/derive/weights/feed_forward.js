// @ts-check
// infercompat/derive/weights/feed_forward.py: the feed-forward half of a layer, one network, or experts with a router and perhaps shared ones.

import { flag } from "./anatomy.js";
import { linear, tensor } from "./tensors.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./anatomy.js").Anatomy} Anatomy */
/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Fields that put experts into every so many layers. */
const EVERY = ["decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"];

/** The feed-forward tensors of the layer at `index` of `count`. @param {Config} config @param {Anatomy} anatomy @param {number} index @param {number} count @returns {Tensor[]} */
export function feedForward(config, anatomy, index, count) {
  const at = `layers.${index}.${anatomy.feedForward}.`;
  if ((config.peek("num_experts") || 0) > 1 && isSparse(config, anatomy, index, count)) return [...experts(config, anatomy, at), ...shared(config, anatomy, at)];
  // Llama 4 has two widths, and intermediate_size is that of its experts.
  const width = config.size(config.states("intermediate_size_mlp") ? "intermediate_size_mlp" : "intermediate_size");
  return network(config, anatomy, at, "mlp", width);
}

/** Whether the layer has experts. Each family has its own way to say so, and its config only those fields. @param {Config} config @param {Anatomy} anatomy @param {number} index @param {number} count @returns {boolean} */
function isSparse(config, anatomy, index, count) {
  const named = config.words("mlp_layer_types");
  if (named !== null) return config.perLayer(named, count, "mlp_layer_types")[index] === "sparse";
  const listed = config.sizes("moe_layers");
  if (listed !== null) return listed.includes(index);
  if (Array.isArray(config.find("moe_layer_freq"))) return Boolean(config.perLayer(config.sizes("moe_layer_freq") ?? [], count, "moe_layer_freq")[index]);
  if (anatomy.denseFirst && !config.states("first_k_dense_replace")) return config.miss("first_k_dense_replace", false);
  const first = config.peek("first_k_dense_replace") || config.peek("moe_layer_start_index") || 0;
  const last = config.peek("moe_layer_end_index") || count;
  const every = EVERY.map((name) => config.peek(name)).find(Boolean) ?? 1;
  // Counted from 0 by DeepSeek, from 1 by the others.
  const counted = config.peek("moe_layer_freq") ? index : index + 1;
  return first <= index && index <= last && counted % every === 0 && !(config.sizes("mlp_only_layers") ?? []).includes(index);
}

/** @param {Config} config @param {Anatomy} anatomy @param {string} at @returns {Tensor[]} */
function experts(config, anatomy, at) {
  const [hidden, copies] = [config.size("hidden_size"), config.size("num_experts")];
  config.size("num_experts_per_tok");
  const width = config.size(config.states("moe_intermediate_size") ? "moe_intermediate_size" : "intermediate_size");
  const found = linear(`${at}${anatomy.router}`, "router", [copies, hidden], flag(config, anatomy.routerBias));
  if (anatomy.routerCorrection) found.push(tensor(`${at}${anatomy.router}.e_score_correction_bias`, "router", [copies]));
  const inner = anatomy.expert.slice(0, -1), last = anatomy.expert[anatomy.expert.length - 1];
  const fused = anatomy.fused.includes("experts");
  /** @type {[string, number][]} */
  const rows = fused ? [["experts.gate_up_proj", inner.length * width]] : inner.map((name) => [`experts.0.${name}`, width]);
  for (const [name, outputs] of rows) found.push(...linear(`${at}${name}`, "experts", [outputs, hidden], anatomy.expertBias, { copies }));
  return [...found, ...linear(`${at}${fused ? "experts.down_proj" : `experts.0.${last}`}`, "experts", [hidden, width], anatomy.expertBias, { copies })];
}

/** Experts that every token goes through, stored as one network of their summed width. @param {Config} config @param {Anatomy} anatomy @param {string} at @returns {Tensor[]} */
function shared(config, anatomy, at) {
  const one = config.peek("moe_intermediate_size") || config.peek("intermediate_size") || 0;
  const count = config.peek("n_shared_experts") || config.peek("num_shared_experts") || config.peek("moe_num_shared_experts") || 0;
  const width = anatomy.alwaysShared ? one : config.peek("shared_expert_intermediate_size") || count * one;
  if (!width) return [];
  const found = network(config, anatomy, `${at}${count ? "shared_experts" : "shared_expert"}.`, "shared_experts", width);
  return anatomy.sharedGate ? [...found, tensor(`${at}shared_expert_gate`, "router", [1, config.size("hidden_size")])] : found;
}

/** Matrices into the width and one out of it. @param {Config} config @param {Anatomy} anatomy @param {string} at @param {string} part @param {number} width @returns {Tensor[]} */
function network(config, anatomy, at, part, width) {
  const hidden = config.size("hidden_size"), bias = flag(config, anatomy.mlpBias);
  const inner = anatomy.mlp.slice(0, -1), last = anatomy.mlp[anatomy.mlp.length - 1];
  /** @type {[string, number][]} */
  const rows = anatomy.fused.includes("mlp") ? [["gate_up_proj", inner.length * width]] : inner.map((name) => [name, width]);
  return [...rows.flatMap(([name, outputs]) => linear(`${at}${name}`, part, [outputs, hidden], bias)), ...linear(`${at}${last}`, part, [hidden, width], bias)];
}
