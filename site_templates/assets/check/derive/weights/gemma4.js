// @ts-check
// infercompat/derive/weights/gemma4.py: experts beside the network, wide networks where keys are shared, per-layer embeddings.

import { tensor } from "./tensors.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {import("../../types.js").Layer} Layer */

/** A layer's tensors after its attention and four norms. @param {Config} config @param {Layer} layer @param {string} at @returns {Tensor[]} */
export function layerTensors(config, layer, at) {
  const hidden = config.size("hidden_size");
  const width = config.size("intermediate_size") * (layer.shares && config.flag("use_double_wide_mlp") ? 2 : 1);
  const found = [...network(`${at}mlp.`, "mlp", hidden, width), tensor(`${at}layer_scalar`, "norms", [1])];
  if (config.flag("enable_moe_block")) found.push(...experts(config, at, hidden));
  const own = config.peek("hidden_size_per_layer_input");
  if (!own) return found;
  const [gate, projection] = [tensor(`${at}per_layer_input_gate`, "mlp", [own, hidden]), tensor(`${at}per_layer_projection`, "mlp", [hidden, own])];
  return [...found, gate, projection, tensor(`${at}post_per_layer_input_norm`, "norms", [hidden])];
}

/** @param {string} at @param {string} part @param {number} hidden @param {number} width @param {Partial<Tensor>} [more] @returns {Tensor[]} */
function network(at, part, hidden, width, more = {}) {
  const [gate, up] = ["gate_proj", "up_proj"].map((name) => tensor(`${at}${name}`, part, [width, hidden], more));
  return [gate, up, tensor(`${at}down_proj`, part, [hidden, width], more)];
}

/** @param {Config} config @param {string} at @param {number} hidden @returns {Tensor[]} */
function experts(config, at, hidden) {
  const [copies, , width] = ["num_experts", "num_experts_per_tok", "moe_intermediate_size"].map((name) => config.size(name));
  return [
    ...network(`${at}experts.0.`, "experts", hidden, width, { copies }),
    tensor(`${at}router.proj`, "router", [copies, hidden]),
    tensor(`${at}router.scales`, "router", [hidden + copies]),
    tensor(`${at}expert_norms`, "norms", [3 * hidden]),
  ];
}

/** The per-layer embeddings of a model of `count` layers, where it has them. @param {Config} config @param {number} count @returns {Tensor[]} */
export function embeddingTensors(config, count) {
  const own = config.peek("hidden_size_per_layer_input");
  if (!own) return [];
  return [
    tensor("embed_tokens_per_layer", "embedding", [config.size("vocab_size_per_layer_input"), count * own]),
    tensor("per_layer_model_projection", "embedding", [count * own, config.size("hidden_size")]),
    tensor("per_layer_projection_norm", "norms", [own]),
  ];
}
