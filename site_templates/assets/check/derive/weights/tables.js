// @ts-check
// infercompat/derive/weights/tables.py: what an engine keeps beside the checkpoint's tensors, tables of positions, and V beside K.

import { derive } from "../model.js";
import { isDict, truthy } from "../python.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Model types with one table in the model's own type, unless positions are scaled in a way that was not read. */
const PLAIN = ["llama", "mistral", "qwen2", "qwen3", "qwen3_moe"];
const KINDS = [null, "default", "llama3"];

/** Bytes of the tables of positions that every rank keeps, in a model of 16 bits; 0 for a kind of model that was not read. @param {Config} config */
export function positionTables(config) {
  const text = config.parts[0], kind = text.get("model_type"), positions = config.peek("max_position_embeddings") ?? 0;
  const derived = derive(text);
  if ("missing" in derived) return 0;
  const widths = new Set(derived.layers.filter((layer) => layer.attends).map((layer) => layer.k_width));
  const width = [...widths].reduce((sum, one) => sum + one, 0);
  if (["gemma4", "gemma4_text"].includes(kind)) return positions * width * 2;
  if (kind === "gpt_oss") return positions * width * 4;
  const scaling = ["rope_scaling", "rope_parameters"].map((name) => text.get(name)).find((value) => truthy(value)) ?? new Map();
  const named = isDict(scaling) ? (scaling.has("rope_type") ? scaling.get("rope_type") : (scaling.get("type") ?? null)) : "?";
  return PLAIN.includes(kind) && KINDS.includes(named) ? positions * width * 2 : 0;
}

/** Matrices of keys in layers that have none of values. @param {Tensor[]} tensors */
export function withoutValues(tensors) {
  const names = new Set(tensors.map(({ name }) => name));
  return tensors.filter(({ name }) => name.endsWith("self_attn.k_proj") && !names.has(name.replace("k_proj", "v_proj")));
}
