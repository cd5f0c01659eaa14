// @ts-check
// infercompat/allocate/sglang_requests.py: how many requests run at once, and how memory is split between their states and the tokens.
import { ZERO, decimal, exact, ratio } from "../fraction.js";
import { whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("./terms.js").Terms} Terms */
/**
 * State slots that the pool has, those of a request, and the bytes that they and the states of drafted tokens take.
 * @typedef {{slots: number, of_request: number, taken: Fraction}} States
 */

/** Methods whose layers are taken to be as wide as the target's, whatever they are. */
const LIKE_TARGET = ["eagle", "eagle3", "nextn", "mtp", "standalone"];
/** Methods that draft without a model. */
const ALONE = ["ngram", "suffix"];
/** Requests for each context's length of tokens where nothing is said, and between what. */
const [SEQUENCES, LEAST, MOST] = [512, 2048, 4096];
/** Requests at once where a method drafts and nothing is said. */
const DRAFTING = 48;
/** State slots of a request while prefixes are cached, and those that the buffers of a strategy add to them. */
const [SLOTS, OVERLAPPED, ONE_BUFFER] = [3, 2, 1];

/** The method of drafting, in small letters; empty where there is none. @param {Terms} terms */
function method(terms) {
  const given = String(terms.fact("speculation.method") || "").toLowerCase();
  return given === "none" ? "" : given;
}

/**
 * What the layers of a draft add to the bytes of a token, as a part of these; null where their number is not known.
 * @param {Terms} terms @param {number} layers @returns {Fraction | null}
 */
export function draftShare(terms, layers) {
  if (["", ...ALONE].includes(method(terms))) return ZERO;
  if (!LIKE_TARGET.includes(method(terms))) return null;
  const count = ["nextn", "mtp"].includes(method(terms)) ? whole(terms.fact("model.draft_layers")) : null;
  return count === null || !layers ? null : ratio(count, layers);
}

/** State slots that a running request may hold: one, or with cached prefixes three and those of the strategy's buffers. @param {Terms} terms */
function slotsOfRequest(terms) {
  if (terms.fact("prefix_caching") === false) return 1;
  let strategy = String(terms.fact("setting.mamba_radix_cache_strategy") || "auto");
  const overlap = terms.fact("async_scheduling") !== false;
  if (strategy === "auto") {
    const supported = terms.lists("extra_buffer", terms.fact("model.architecture"));
    const triton = (terms.fact("setting.linear_attn_backend") || "triton") === "triton";
    const paged = (whole(terms.fact("block_size")) || 1) > 1;
    strategy = supported && triton && (overlap || paged) ? "extra_buffer" : "no_buffer";
  }
  if (strategy === "no_buffer") return SLOTS;
  return SLOTS + (strategy === "extra_buffer_lazy" || !overlap ? ONE_BUFFER : OVERLAPPED);
}

/** Requests at once that are asked for, on one of the workers that split attention by data. @param {Terms} terms @returns {number | null} */
function askedRequests(terms) {
  const given = whole(terms.fact("max_num_seqs")) || (method(terms) ? DRAFTING : null);
  return given === null ? null : Math.max(1, Math.floor(given / workers(terms)));
}

/** @param {Terms} terms */
const workers = (terms) => whole(terms.fact("setting.attn_dp_size")) || 1;

/**
 * The pool of states out of the memory for the cache; the name of a fact that is missing.
 * @param {Terms} terms @param {number} memory @param {Fraction} state @returns {States | string}
 */
export function splitStates(terms, memory, state) {
  const drafted = method(terms) ? terms.speculativeTokens : 0;
  if (method(terms) && !drafted) return "speculation.tokens";
  const ofRequest = slotsOfRequest(terms);
  const asked = askedRequests(terms);
  const slots = slotsOf(terms, memory, state, drafted, ofRequest, asked);
  const beside = drafted ? state.times((Math.min(asked || slots, Math.floor(slots / ofRequest)) + 1) * drafted) : ZERO;
  return { slots, of_request: ofRequest, taken: state.times(slots + 1).plus(beside) };
}

/**
 * @param {Terms} terms @param {number} memory @param {Fraction} state @param {number} drafted @param {number} ofRequest
 * @param {number | null} asked
 */
function slotsOf(terms, memory, state, drafted, ofRequest, asked) {
  const share = decimal(terms.fact("setting.mamba_full_memory_ratio") || terms.parameter("state_ratio"));
  const given = whole(terms.fact("setting.max_mamba_cache_size"));
  if (given !== null) return Math.floor(given / workers(terms));
  if (terms.fact("prefix_caching") === false && asked !== null) return asked;
  const budget = exact(memory).times(share).over(share.plus(1));
  return Math.max(0, budget.minus(state.times(1 + drafted)).over(state.times(ratio(drafted, ofRequest).plus(1))).floor());
}

/**
 * Requests that run at once at most; null where the length of a context is not known, or the version was not read for this.
 * @param {Terms} terms @param {number} tokens @param {States | null} states @returns {number | null}
 */
export function mostRequests(terms, tokens, states) {
  const length = terms.maxModelLen;
  const asked = askedRequests(terms);
  if (!("extra_buffer" in terms.parameters) || (asked === null && !length)) return null;
  const estimated = length ? Math.max(Math.min(Math.trunc((tokens / length) * SEQUENCES), MOST), LEAST) : 0;
  const most = Math.min(asked ?? estimated, Math.floor(tokens / 2));
  return states ? Math.min(most, Math.floor(states.slots / states.of_request)) : most;
}
