// @ts-check
// infercompat/derive/weights/tensors.py: what a checkpoint is made of, its tensors by module name and shape.

/**
 * One tensor, or `copies` of one shape: the experts of a layer. `name` is the module's path below the model, such as
 * layers.3.self_attn.q_proj. A matrix has its outputs as rows. Of the rows, `kvRows` are those of `kvHeads` key and value heads.
 * @typedef {{name: string, part: string, shape: number[], copies: number, kvRows: number, kvHeads: number}} Tensor
 */

export const PARTS = ["embedding", "output", "attention", "mlp", "experts", "shared_experts", "router", "norms"];

/** @param {string} name @param {string} part @param {number[]} shape @param {Partial<Tensor>} [more] @returns {Tensor} */
export function tensor(name, part, shape, more = {}) {
  return { name, part, shape, copies: 1, kvRows: 0, kvHeads: 0, ...more };
}

/** A matrix, and its bias if it has one. @param {string} name @param {string} part @param {[number, number]} shape @param {boolean} bias @param {Partial<Tensor>} [more] @returns {Tensor[]} */
export function linear(name, part, shape, bias, more = {}) {
  const matrix = tensor(name, part, shape, more);
  return bias ? [matrix, tensor(`${name}.bias`, part, [shape[0]], more)] : [matrix];
}

/** How many numbers all copies have. @param {Tensor} one */
export function elements({ copies, shape }) {
  return shape.reduce((product, side) => product * side, copies);
}

/** @param {Tensor[]} tensors */
export function total(tensors) {
  return tensors.reduce((sum, one) => sum + elements(one), 0);
}

/** The index of the layer that a tensor belongs to; -1 for one outside of layers. @param {Tensor} one */
export function layerOf({ name }) {
  return name.startsWith("layers.") ? Number(name.split(".", 2)[1]) : -1;
}
