// @ts-check
// infercompat/allocate/vllmplugins.py: plugins of vLLM that size their cache by vLLM's own pool.
import { unknown } from "../layers.js";
import { Terms } from "./terms.js";
import { ALGORITHMS as OF_VLLM } from "./vllm.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */

const PLAIN = ["full", "sliding", "chunked", "latent", "none"];

/** The figures of one rank for `vllm-full-blocks/1`: the pool with every windowed layer as a full one. @param {Terms} terms @returns {Allocation | Unknown} */
function fullBlocks(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  const layers = terms.layers.map((layer) => (layer.window ? { ...layer, kind: "full", window: 0 } : layer));
  const request = { ...terms.request, derived: { ...terms.request.derived, layers } };
  return OF_VLLM["vllm-blocks/1"](new Terms(request, terms.settings, terms.parameters, terms.algorithm));
}

/** The figures of one rank for `vllm-unwindowed-blocks/1`: the pool, for models all of whose layers are full or latent. @param {Terms} terms @returns {Allocation | Unknown} */
function unwindowedBlocks(terms) {
  const problem = refusal(terms);
  if (!problem && terms.layers.some((layer) => layer.window)) {
    return unknown(["a rule for windows"], "what the plugin keeps for windowed layers is not worked out");
  }
  return problem ?? OF_VLLM["vllm-blocks/1"](terms);
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const other = terms.layers.some(
    (layer) => !PLAIN.includes(layer.kind) || layer.conv_elements || layer.state_elements || layer.index_width || layer.cross_tokens,
  );
  return other ? unknown(["a rule for these layers"], "what the plugin keeps for states, index keys, compression and cross-attention is not worked out") : null;
}

export const ALGORITHMS = { "vllm-full-blocks/1": fullBlocks, "vllm-unwindowed-blocks/1": unwindowedBlocks };
