// @ts-check
// infercompat/allocate/ollamamlx.py: the arrays and rings of mlx-lm, for one sequence at a time.
import { unknown } from "../layers.js";
import { ALGORITHMS as OF_MLX_LM } from "./mlxlm.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */

/** The figures for `ollama-mlx-arrays/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function arrays(terms) {
  if (terms.layers.some((layer) => layer.index_width)) return unknown(["a rule for this index"], "no file of the runner keeps index keys");
  const wrong = ["cache.dtype", "cache.k.dtype", "cache.v.dtype"].find((name) => ![null, "auto", "bf16", "fp16"].includes(terms.given(name)));
  if (wrong) return unknown([wrong], `the runner has no cache of ${terms.given(wrong)}: it is in the type of the activations`);
  if (!terms.parameter("own_cache").includes(terms.request.derived.name)) {
    return unknown(["a rule for this model"], "the runner has no file for this model type");
  }
  return OF_MLX_LM["mlx-arrays/1"](terms);
}

export const ALGORITHMS = { "ollama-mlx-arrays/1": arrays };
