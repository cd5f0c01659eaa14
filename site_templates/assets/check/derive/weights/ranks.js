// @ts-check
// infercompat/derive/weights/ranks.py, where a tensor belongs and how ranks share it; what each rank then holds is in ../../weights.js.

/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Matrices that take what other ranks made: cut by their inputs, their biases whole. */
const COLUMNS = ["o_proj", "out_proj", "down_proj", "w2"];
const WHOLE = ["q_a_proj", "kv_a_proj_with_mqa", "per_layer_input_gate", "per_layer_projection"];
const WHOLE_PARTS = ["norms", "router"];

/** To its "layer", to the "input" (the embedding), to "rows of layers" (gemma's embeddings for each layer), or to the "first" or "last" stage. @param {Tensor} tensor */
export function placeOf({ name, part }) {
  if (name.startsWith("layers.")) return "layer";
  if (part !== "embedding") return "last";
  return name === "embed_tokens" ? "input" : name === "embed_tokens_per_layer" ? "rows of layers" : "first";
}

/** Each rank holds the "whole", a part of the "rows" or "columns", or of the "vocabulary"; of experts rows ("expert rows"), rows of two matrices in one ("expert halves"), or columns ("expert columns"). @param {Tensor} tensor */
export function cutOf({ name, part, shape }) {
  const last = name.replace(/\.bias$/, "").split(".").at(-1) ?? "";
  if (part === "experts") return COLUMNS.includes(last) ? "expert columns" : last === "gate_up_proj" ? "expert halves" : "expert rows";
  if (["embedding", "output"].includes(part) && !last.endsWith("_projection")) return "vocabulary";
  const isWhole = WHOLE_PARTS.includes(part) || WHOLE.includes(last) || name.includes(".indexer.") || (COLUMNS.includes(last) && shape.length !== 2);
  return isWhole ? "whole" : COLUMNS.includes(last) ? "columns" : "rows";
}
