// @ts-check
// infercompat/derive/weights/beside.py: what a checkpoint stores beside its text decoder, towers for images, and layers that draft.

import { isDict, truthy } from "../python.js";
import { total } from "./tensors.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Fields that say how many layers draft. */
const DRAFTS = ["num_nextn_predict_layers", "mtp_num_hidden_layers"];
const TOWER = ["hidden_size", "intermediate_size", "out_hidden_size", "in_channels", "temporal_patch_size", "patch_size", "num_position_embeddings", "depth"];

/** Numbers of an image tower as Qwen3-VL and Qwen3.5 have it; else null. @param {Config} config @returns {number | null} */
export function towerElements(config) {
  const tower = config.anywhere("vision_config");
  const isSize = (/** @type {any} */ value, most = 2 ** 24) => typeof value === "number" && 0 < value && value < most;
  if (!isDict(tower) || !TOWER.every((name) => isSize(tower.get(name)))) return null;
  const [hidden, inner, out, channels, frames, patch, positions, depth] = TOWER.map((name) => tower.get(name));
  const merge = tower.has("spatial_merge_size") ? tower.get("spatial_merge_size") : 2;
  if (!isSize(merge, 2 ** 8)) return null;
  const merged = merge ** 2 * hidden;
  // Biases everywhere; a layer has two norms of weight and bias.
  const layer = 4 * hidden * hidden + 4 * hidden + 2 * hidden * inner + inner + hidden + 4 * hidden;
  const intoText = merged * merged + merged + merged * out + out;
  const deep = tower.get("deepstack_visual_indexes");
  const mergers = intoText + 2 * hidden + (Array.isArray(deep) ? deep.length : 0) * (intoText + 2 * merged);
  return channels * frames * patch ** 2 * hidden + hidden + positions * hidden + depth * layer + mergers;
}

/** Attention heads of the image tower. @param {Config} config @returns {number | null} */
export function towerHeads(config) {
  const tower = config.anywhere("vision_config");
  if (!isDict(tower)) return null;
  const heads = ["num_heads", "num_attention_heads"].map((name) => tower.get(name)).find((value) => truthy(value));
  return typeof heads === "number" && 0 < heads && heads < 2 ** 16 ? heads : null;
}

/** Numbers of the drafting head of Qwen3-Next and Qwen3.5: a full layer, a matrix of two widths into one, and three norms; null where this does not hold or is not said. @param {Config} config @param {Tensor[]} tensors @returns {number | null} */
export function draftElements(config, tensors) {
  const count = config.peek("mtp_num_hidden_layers"), hidden = config.peek("hidden_size");
  if (!count || truthy(config.anywhere("mtp_use_dedicated_embeddings"))) return null;
  const attending = tensors.filter(({ name }) => name.endsWith("self_attn.q_proj")).map(({ name }) => name.split(".")[1]);
  if (!attending.length || !hidden) return null;
  const layer = total(tensors.filter(({ name }) => name.startsWith(`layers.${attending[attending.length - 1]}.`)));
  return count * layer + 2 * hidden * hidden + 3 * hidden;
}

/** Whether the config says that layers of the checkpoint draft. @param {Config} config */
export function drafts(config) {
  return DRAFTS.some((name) => config.peek(name));
}
