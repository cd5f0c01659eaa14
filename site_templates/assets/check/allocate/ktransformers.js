// @ts-check
// infercompat/allocate/ktransformers.py: the pools of its fork of SGLang, on the GPUs.
import { isUnknown, unknown } from "../layers.js";
import { ALGORITHMS as OF_SGLANG } from "./sglang.js";
import { Terms } from "./terms.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */

/**
 * The figures of one rank for `sglang-kt-pools/1`. Of latents what a token holds is known, and not how many tokens start-up allows.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function pools(terms) {
  if (terms.layers.some((layer) => layer.window) && terms.parameter("windowed").includes(terms.fact("model.architecture"))) {
    return unknown(["a rule for windows"], "what the windowed pool of this fork keeps of a request was not read");
  }
  if (![null, "none"].includes(terms.fact("speculation.method"))) {
    return unknown(["a rule for drafts"], "how this fork counts the layers that draft was not read");
  }
  const latent = terms.layers.some((layer) => layer.latent_width);
  const request = latent ? { ...terms.request, available_bytes: null } : terms.request;
  const answer = OF_SGLANG["sglang-pools/1"](new Terms(request, terms.settings, terms.parameters, terms.algorithm));
  if (isUnknown(answer)) return answer;
  const length = terms.maxModelLen;
  const tokens = answer.capacity_tokens;
  return { ...answer, max_concurrency: tokens !== null && length ? tokens / length : null, most_requests: null };
}

export const ALGORITHMS = { "sglang-kt-pools/1": pools };
