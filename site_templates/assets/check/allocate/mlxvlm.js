// @ts-check
// infercompat/allocate/mlxvlm.py: the arrays and rings of mlx-lm, in files of its own.
import { unknown } from "../layers.js";
import { ALGORITHMS as OF_MLX_LM } from "./mlxlm.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** The figures for `mlxvlm-arrays/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function arrays(terms) {
  const scheme = terms.fact("setting.kv_quant_scheme");
  if (terms.layers.some((layer) => layer.index_width)) return unknown(["a rule for this index"], "how index keys are kept is not worked out");
  if (![null, "uniform"].includes(scheme) && terms.fact("setting.kv_bits")) {
    return unknown(["setting.kv_quant_scheme"], `what the scheme ${scheme} keeps is not worked out`);
  }
  return OF_MLX_LM["mlx-arrays/1"](terms);
}

export const ALGORITHMS = { "mlxvlm-arrays/1": arrays };
