// @ts-check
// infercompat/derive/readers/rwkv.py: a state of fixed size on every layer, a wider one from the fifth generation on.

import { layer, unknown } from "../layers.js";
import { demands, repeated } from "./common.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./common.js").Read} Read */

/** RWKV-4: two shifted inputs in the model's dtype, and numerator, denominator and maximum in fp32, each hidden_size a layer. @type {Read} */
function rwkv(config) {
  const hidden = config.size("hidden_size");
  return ofStates(config, 2 * hidden, 3 * hidden);
}

/** RWKV-5: two shifted inputs in the model's dtype, and a square matrix a head in fp32: hidden_size * head_size a layer. @type {Read} */
function rwkv5(config) {
  const hidden = config.positive("hidden_size"), width = config.positive("head_dim", 64, "RWKV5Config of mlc-llm");
  if (hidden % width) return unknown(["head_size"], "the heads do not fill hidden_size");
  return ofStates(config, 2 * hidden, hidden * width);
}

/** RWKV-7: two shifted inputs in the model's dtype, and a matrix a head in fp32, as wide as a head's keys and as its values. @type {Read} */
function rwkv7(config) {
  if (config.states("attn")) return unknown(["attn"], "layers of softmax attention among those of RWKV-7 are not worked out");
  if (config.states("value_dim")) return unknown(["value_dim"], "values of a width of their own are not worked out for RWKV-7");
  const hidden = config.positive("hidden_size");
  const width = config.states("head_dim") ? config.positive("head_dim") : Math.floor(hidden / config.positive("num_heads"));
  if (!config.missing.length && (!width || hidden % width)) return unknown(["head_dim"], "the heads do not fill hidden_size");
  return ofStates(config, 2 * hidden, hidden * width);
}

/** @param {Config} config @param {number} shifted @param {number} state */
function ofStates(config, shifted, state) {
  const one = layer("recurrent", { conv_elements: shifted, state_elements: state, state_dtype: "fp32" });
  return demands(config, repeated(one, config.layerCount()), { rwkv: "the RWKV recurrence on every layer" });
}

/** @type {import("./common.js").Reader[]} */
export const READERS = [
  [rwkv, "rwkv"],
  [rwkv5, "rwkv5", "Rwkv5ForCausalLM"],
  [rwkv7, "rwkv7", "RWKV7ForCausalLM"],
];
