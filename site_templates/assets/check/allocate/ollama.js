// @ts-check
// infercompat/allocate/ollama.py: llama-server with a context for each slot, and batches that Ollama chooses itself.
import { unknown } from "../layers.js";
import { cells } from "./llamacpp.js";
import { Terms, whole } from "./terms.js";

const GIB = 2 ** 30;
/** Contexts of at most so many tokens, over all slots, have batches of so many. */
const [SMALL_CONTEXT, SMALL_BATCH] = [4096, 512];

/** The figures for `ollama-slots/1`. @param {Terms} terms */
function slots(terms) {
  const length = lengthOf(terms);
  if (length === null) return unknown(["max_model_len"], "the context follows the memory of the devices, which is not known");
  const oneSlot = terms.parameter("one_slot").includes(terms.request.derived.name);
  const count = oneSlot ? 1 : Math.trunc(terms.fact("max_num_seqs") || 1);
  const batch = whole(terms.given("setting.num_batch")) || (length * count <= SMALL_CONTEXT ? SMALL_BATCH : null);
  if (batch === null && terms.layers.some((layer) => layer.window)) {
    return unknown(["setting.num_batch"], "windowed layers have cells for a batch, which follows the memory that is left: 512, 1024 or 2048");
  }
  const facts = {
    ...terms.request.facts,
    "setting.ubatch_size": batch || SMALL_BATCH,
    "setting.kv_unified": false,
    max_model_len: length * count,
    max_num_seqs: count,
    max_num_batched_tokens: batch || SMALL_BATCH,
  };
  return cells(new Terms({ ...terms.request, facts }, terms.settings, terms.parameters, terms.algorithm));
}

/**
 * The context of one slot: given, else by the memory of the devices; never longer than the model was trained for.
 * @param {Terms} terms @returns {number | null}
 */
function lengthOf(terms) {
  const memory = terms.given("hardware.memory_bytes");
  const byMemory = memory === null ? null : terms.parameter("context_by_memory").find((/** @type {any} */ row) => memory >= row.gib * GIB)?.tokens;
  const length = terms.given("max_model_len") || (byMemory ?? null);
  const trained = terms.request.derived.context.native;
  return length && trained ? Math.min(length, trained) : length;
}

export const ALGORITHMS = { "ollama-slots/1": slots };
