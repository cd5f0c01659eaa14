// @ts-check
// infercompat/allocate/mlxlm.py: arrays that grow as a sequence does; windowed layers keep a ring where the model's file asks for one.
import { exact, ratio, sum } from "../fraction.js";
import { keepsState, unknown } from "../layers.js";
import { allocation, gathered } from "./allocation.js";
import { whole } from "./terms.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/**
 * The figures for `mlx-arrays/1`. Arrays are in the model's type, of two bytes, until --kv-bits converts them.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function arrays(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const rings = isNamed(terms, "windowed") || isNamed(terms, "chunked");
  const ring = isNamed(terms, "own_cache") ? null : whole(terms.fact("setting.max_kv_size"));
  const own = terms.layers.filter((layer) => layer.attends && layer.kind !== "recurrent" && !(layer.shares && isNamed(terms, "sharing")));
  if (terms.fact("setting.kv_bits") && (ring || own.some((layer) => layer.window && rings))) {
    return unknown(["setting.kv_bits"], "a ring cannot be converted by --kv-bits: generation fails once the conversion is due");
  }
  const step = terms.parameter("block_size");
  const kept = own.map((layer) => ({ layer, most: rings && layer.window ? layer.window : ring }));
  const states = terms.layers.map((layer) => 2 * layer.conv_elements + 4 * layer.state_elements);
  return allocation({
    groups: gathered(kept.map(({ layer, most }) => [most === layer.window ? layer.kind : "full", most, tokenBytes(terms, layer)]), step),
    block_size: step,
    state_bytes: sum(states).ceil(),
    reserved: 0,
  });
}

/** @param {Terms} terms @param {string} parameter */
function isNamed(terms, parameter) {
  return terms.parameter(parameter).includes(terms.request.derived.name);
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const { layers } = terms;
  const bits = terms.fact("setting.kv_bits");
  if (layers.some((layer) => layer.compress_ratio || layer.kind === "cross" || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "compressed layers and cross-attention are not worked out");
  }
  if (layers.some((layer) => layer.index_width && !layer.latent_width)) {
    return unknown(["a rule for this index"], "index keys beside grouped-query attention are not worked out");
  }
  if (layers.some(keepsState) && !isNamed(terms, "states")) {
    return unknown(["a rule for these states"], "the states that this model's file keeps are not worked out");
  }
  if (bits && ![2, 3, 4, 6, 8].includes(bits)) return unknown(["setting.kv_bits"], `${bits} bits are no quantization of MLX`);
  return null;
}

/** Bytes of a token in a layer: K and V of all heads, or a latent; an index key is kept as K and as V. @param {Terms} terms @param {Layer} layer */
function tokenBytes(terms, layer) {
  const latent = layer.latent_width && !isNamed(terms, "expanded");
  return element(terms).times(latent ? layer.latent_width + 2 * layer.index_width : layer.kv_heads * (layer.k_width + layer.v_width));
}

/** Bytes of an element; a quantized one has its bits, and for each group of elements a scale and a bias in the model's type. @param {Terms} terms */
function element(terms) {
  const bits = whole(terms.fact("setting.kv_bits"));
  return bits ? ratio(bits, 8).plus(ratio(4, Math.trunc(terms.fact("setting.kv_group_size") || 64))) : exact(2);
}

export const ALGORITHMS = { "mlx-arrays/1": arrays };
