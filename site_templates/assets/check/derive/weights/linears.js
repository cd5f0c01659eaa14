// @ts-check
// infercompat/derive/weights/linears.py: the linear layers of a model's text decoder, for conditions that ask which widths are whole multiples on each rank.

import { Config } from "../config.js";
import { isUnknown } from "../../layers.js";
import { tensorsOf } from "./count.js";
import { cutOf } from "./ranks.js";

/** @typedef {import("../../types.js").Linear} Linear what is not known of it is left out */
/** @typedef {import("./tensors.js").Tensor} Tensor */

/** Matrices of which rows are looked up. */
const TABLES = ["embed_tokens", "embed_tokens_per_layer"];
/** Endings of the classes that have an output matrix over the vocabulary. */
const GENERATES = ["ForCausalLM", "ForConditionalGeneration"];
/** Parts of which nothing is known where the decoder is not worked out. */
const INNER = ["attention", "mlp", "experts", "shared_experts", "router", "embedding"];
/** @type {Record<string, string>} */
const SHARED = { "expert rows": "rows", "expert halves": "rows", "expert columns": "columns" };

/** Each shape once, in the order of the decoder; null where nothing is known. A matrix that is both embedding and output is listed as the output. @param {Map<string, any>} values @returns {Linear[] | null} */
export function linearsOf(values) {
  const tensors = tensorsOf(values);
  if (isUnknown(tensors)) return outputAlone(new Config(values));
  const matrices = tensors.filter(({ shape, name }) => shape.length === 2 && !TABLES.includes(name));
  if (!matrices.some(({ part }) => part === "output")) {
    matrices.push(...tensors.filter(({ name }) => name === "embed_tokens").map((table) => ({ ...table, name: "lm_head", part: "output" })));
  }
  return [...new Map(matrices.map(linear).map((one) => [JSON.stringify(one), one])).values()];
}

/** @param {Config} config @returns {Linear[] | null} */
function outputAlone(config) {
  const [n, k] = [config.peek("vocab_size"), config.peek("hidden_size")];
  if (!n || !k || !config.names.some((name) => GENERATES.some((ending) => name.endsWith(ending)))) return null;
  return [...INNER.map((part) => ({ part })), { n, k, name: "lm_head", part: "output", cut: "vocabulary" }];
}

/** @param {Tensor} tensor @returns {Linear} */
function linear(tensor) {
  const cut = tensor.kvHeads ? "heads" : cutOf(tensor);
  const [n, k] = tensor.shape;
  return { n, k, name: tensor.name.slice(tensor.name.lastIndexOf(".") + 1), part: tensor.part, cut: SHARED[cut] ?? cut };
}
