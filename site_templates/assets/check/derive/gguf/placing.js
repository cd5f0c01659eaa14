// @ts-check
// infercompat/derive/gguf/placing.py: the tensors of a GGUF file as those of a decoder, each in the type that the header gives it.

import { Config } from "../config.js";
import { unknown } from "../layers.js";
import { clipped } from "../python.js";
import { GGUF_BLOCKS, gguf } from "../weights/formats.js";
import { tensor } from "../weights/tensors.js";

/** @typedef {import("./header.js").Header} Header */
/** @typedef {import("./header.js").TensorInfo} TensorInfo */
/** @typedef {import("../weights/formats.js").Format} Format */
/** @typedef {import("../weights/stored.js").Stored} Stored */
/** @typedef {import("../weights/tensors.js").Tensor} Tensor */
/** @typedef {import("../../types.js").Unknown} Unknown */

const MOST_LAYERS = 4096;

/** Tensors outside of layers that are no norms: what they are here, and the part they belong to. @type {Map<string, [string, string]>} */
const OUTSIDE = new Map([
  ["token_embd.weight", ["embed_tokens", "embedding"]],
  ["per_layer_token_embd.weight", ["embed_tokens_per_layer", "embedding"]],
  ["output.weight", ["lm_head", "output"]],
]);

/** The same for those of a layer, below blk.N; all others are cut by rows, and norms are whole. @type {Map<string, [string, string]>} */
const INSIDE = new Map([
  ...["q", "k", "v", "qkv"].map((letter) => row(`attn_${letter}`, `self_attn.${letter}_proj`, "attention")),
  row("attn_output", "self_attn.o_proj", "attention"),
  row("ffn_gate_inp", "mlp.gate", "router"),
  ...["gate", "up", "down"].map((name) => row(`ffn_${name}`, `mlp.${name}_proj`, "mlp")),
  ...["gate", "up", "gate_up", "down"].map((name) => row(`ffn_${name}_exps`, `mlp.experts.0.${name}_proj`, "experts")),
  ...["gate", "up", "down"].map((name) => row(`ffn_${name}_shexp`, `mlp.shared_experts.${name}_proj`, "shared_experts")),
]);

/** @param {string} name @param {string} own @param {string} part @returns {[string, [string, string]]} */
function row(name, own, part) {
  return [name, [own, part]];
}

/** The decoder of a file whose config is `values`. Unknown for a part of a split file, a type that is not known and a file without tensors. @param {Header} header @param {Map<string, any>} values @returns {Stored | Unknown} */
export function storedInFile(header, values) {
  const split = header.fields.get("split.count");
  if (typeof split === "number" && split > 1) return unknown(["the other files of the model"], `this file is one of ${split}, and the others hold weights, too`);
  /** @type {Tensor[]} */
  const tensors = [];
  /** @type {Map<string, Format>} */
  const formats = new Map();
  const kvHeads = new Config(values).peek("num_key_value_heads") ?? 0;
  for (const info of header.tensors) {
    const found = tensorOf(info, kvHeads);
    if (found === null) return unknown([`the size of ${clipped(info.name, 60)}`], "the header lists a tensor whose type or place is not worked out");
    tensors.push(found);
    if (info.type !== "F32") formats.set(found.name, gguf(info.type));
  }
  const scheme = { groups: [], formatOf: (/** @type {Tensor} */ { name }) => formats.get(name) ?? null };
  return { tensors, schemes: [scheme, scheme], rest: 4 };
}

/** A tensor as matrices of whole rows, the experts of a layer as copies of one; a vector in F32 stays a vector. @param {TensorInfo} info @param {number} kvHeads @returns {Tensor | null} */
function tensorOf({ name: written, dimensions, type }, kvHeads) {
  const [width = 1, ...more] = dimensions;
  const block = /^blk\.([0-9]{1,4})\.(.+)/s.exec(written);
  if (!Object.hasOwn(GGUF_BLOCKS, type) || width % GGUF_BLOCKS[type][0] || (block && Number(block[1]) >= MOST_LAYERS)) return null;
  const [name, part] = block ? inside(Number(block[1]), block[2]) : (OUTSIDE.get(written) ?? [written, "norms"]);
  const product = (/** @type {number[]} */ sides) => sides.reduce((one, other) => one * other, 1);
  const [copies, rows] = part === "experts" && more.length > 1 ? [more[more.length - 1], product(more.slice(0, -1))] : [1, product(more)];
  const shape = !more.length && type === "F32" ? [width] : [rows, width];
  const shared = kvHeads && /self_attn\.[kv]_proj(\.bias)?$/.test(name) ? shape[0] : 0;
  return tensor(name, part, shape, { copies, kvRows: shared, kvHeads: shared ? kvHeads : 0 });
}

/** @param {number} layer @param {string} rest what follows the layer's number @returns {[string, string]} */
function inside(layer, rest) {
  const cut = rest.lastIndexOf("."), module = rest.slice(0, Math.max(cut, 0)), end = rest.slice(cut + 1);
  const [own, part] = INSIDE.get(module) ?? [module || end, module.includes("norm") ? "norms" : "attention"];
  return [`layers.${layer}.${own}${end === "weight" || !module ? "" : `.${end}`}`, part];
}
