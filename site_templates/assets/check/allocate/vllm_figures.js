// @ts-check
// infercompat/allocate/vllm_figures.py: what a request takes from vLLM's pool, and how much fits.
import { ZERO, exact, largest, sum } from "../fraction.js";
import { allocation, group } from "./allocation.js";
import { cachesStates, contextRanks, prefillCheckpoint, stages, within } from "./vllm_layers.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */
/** @typedef {import("./vllm.js").Plan} Plan */
/** @typedef {import("./vllm_layers.js").Spec} Spec */
/** @typedef {import("./vllm_layers.js").Specs} Specs */

const GIB = 2 ** 30;

/**
 * What start-up counts for one request: tokens in flight, and state blocks of a group.
 * @typedef {{in_flight: number, states: number, context_ranks: number, encoder_tokens: number}} Demand
 */

/**
 * Blocks of one group; windows and chunks keep all tokens that may be in flight besides.
 * @param {Demand} demand @param {Spec} spec @param {number} length
 */
function blocksOf(demand, spec, length) {
  switch (spec.kind) {
    case "state":
      return demand.states;
    case "cross":
      return Math.ceil(demand.encoder_tokens / spec.block);
    case "sliding":
      return Math.ceil(Math.min(spec.window - 1 + demand.in_flight, length) / spec.block) + 1;
    case "chunked":
      return Math.ceil(Math.min(spec.window + demand.in_flight, length) / spec.block);
    default:
      return Math.ceil(Math.ceil(length / demand.context_ranks) / spec.block);
  }
}

/**
 * The allocation of a plan. `natural` are the layers as they were before pages were made equal, for the oldest estimator.
 * @param {Terms} terms @param {Specs} natural @param {Plan} plan
 */
export function figures(terms, natural, plan) {
  const kinds = plan.groups.map(([spec]) => spec.kind);
  const [resting, counted] = kinds.includes("state") ? stateBlocks(terms) : [0, 0];
  const inFlight = plan.groups.some(([spec]) => spec.window) ? tokensInFlight(terms) : 0;
  const encoderTokens = kinds.includes("cross") ? batchOf(terms) : 0;
  const facts = {
    max_model_len: terms.maxModelLen,
    max_num_batched_tokens: encoderTokens === null ? null : inFlight,
    "hardware.class": counted,
  };
  const held = kinds.filter((kind) => kind === "state").length * resting + positionsOf(plan);
  const growing = plan.groups.filter(([spec]) => !["state", "cross"].includes(spec.kind));
  const known = allocation({
    groups: growing.map(([spec, layers]) => groupOf(spec, layers, plan.bytes_per_block, contextRanks(terms))),
    block_size: plan.block,
    bytes_per_block: plan.bytes_per_block.ceil(),
    state_bytes: plan.bytes_per_block.times(held).ceil(),
    missing: Object.entries(facts).filter(([, value]) => value === null).map(([name]) => name),
  });
  if (terms.maxModelLen === null || inFlight === null || encoderTokens === null || counted === null) return known;
  const demand = { in_flight: inFlight, states: counted, context_ranks: contextRanks(terms), encoder_tokens: encoderTokens };
  return sized(terms, natural, plan, known, demand, terms.maxModelLen);
}

/**
 * What the longest request takes, what the engine demands and, with the memory that is available, what fits.
 * @param {Terms} terms @param {Specs} natural @param {Plan} plan @param {Allocation} known @param {Demand} demand @param {number} length
 * @returns {Allocation}
 */
function sized(terms, natural, plan, known, demand, length) {
  const available = terms.request.available_bytes;
  /** @param {number} tokens */
  const taken = (tokens) => plan.groups.reduce((total, [spec]) => total + blocksOf(demand, spec, tokens), 0);
  /** @param {number} tokens */
  const demanded = (tokens) => {
    const estimated = estimate(terms, natural, plan, demand, tokens);
    return (estimated.compare(0) ? estimated : (plan.checked ?? plan.bytes_per_block).times(taken(tokens))).ceil();
  };
  const asked = { ...known, reserved: plan.bytes_per_block.times(taken(length)).ceil(), needed_bytes: demanded(length) };
  if (available === null) return asked;
  const blocks = exact(available).over(plan.bytes_per_block).floor();
  const weighed = sum((plan.shares ?? []).map((share, place) => share.times(blocksOf(demand, plan.groups[place][0], length))));
  const concurrency = blocks / (weighed.ceil() || taken(length));
  const sizes = plan.groups.filter(([spec]) => spec.kind !== "state").map(([spec]) => spec.block);
  const smallest = sizes.length ? Math.min(...sizes) : length;
  const byGroup = Math.floor(blocks / plan.groups.length) * smallest * contextRanks(terms);
  const capacity = terms.parameter("token_line") === "concurrency" ? Math.trunc(concurrency * length) : byGroup;
  // The block that is never given out, where the check at start-up knows of it.
  const usable = available - (terms.parameter("null_block") ? known.bytes_per_block ?? 0 : 0);
  const most = longest(length, (tokens) => demanded(tokens) <= usable);
  return { ...asked, blocks, capacity_tokens: capacity, max_concurrency: concurrency, longest: most };
}

/**
 * What older start-up checks demand instead of what is taken: layers one by one, or the first group alone over all stages; 0 for others.
 * @param {Terms} terms @param {Specs} natural @param {Plan} plan @param {Demand} demand @param {number} tokens
 */
function estimate(terms, natural, plan, demand, tokens) {
  const how = terms.parameter("estimate");
  if (how === "layers") {
    const byLayer = natural.of_layers.map(([index, spec]) => ({ index, size: spec.page.times(blocksOf(demand, spec, tokens)) }));
    return largest(stages(terms).map((stage) => sum(byLayer.map(({ index, size }) => (within(stage, index) ? size : ZERO)))));
  }
  return how === "first-group" ? plan.bytes_over_stages.times(blocksOf(demand, plan.groups[0][0], tokens)) : ZERO;
}

/** Blocks that a sequence holds for the other input of cross-attention, from its first step to its last. @param {Plan} plan */
function positionsOf(plan) {
  return plan.groups.reduce((total, [spec]) => total + Math.ceil(spec.positions / spec.block), 0);
}

/**
 * What a sequence holds between steps: of a window the blocks it touches at worst, of a chunk those of the chunk.
 * @param {Spec} spec @param {number} layers @param {Fraction} bytesPerBlock @param {number} ranks
 */
function groupOf(spec, layers, bytesPerBlock, ranks) {
  const touched = { sliding: Math.ceil((spec.window - 1) / spec.block) + 1, chunked: Math.ceil(spec.window / spec.block) }[spec.kind] ?? null;
  return group(spec.kind, layers, bytesPerBlock.over(spec.block * ranks), spec.block * ranks, touched && touched * spec.block);
}

/**
 * State blocks of a group that a sequence holds, and that start-up counts: one more of each with prefix caching, and a checkpoint.
 * @param {Terms} terms @returns {[number, number | null]}
 */
function stateBlocks(terms) {
  if (!cachesStates(terms)) return [1 + terms.speculativeTokens, 1 + terms.speculativeTokens];
  const held = 2 + terms.speculativeTokens;
  const checkpoint = prefillCheckpoint(terms);
  return [held, checkpoint && held + checkpoint[0]];
}

/**
 * Tokens that may be scheduled and not yet settled: one batch, or one for each step that may run at once; null where not known.
 * @param {Terms} terms @returns {number | null}
 */
function tokensInFlight(terms) {
  const batch = batchOf(terms);
  const rule = terms.parameter("in_flight");
  if (batch === null || rule === "one-batch") return batch;
  const stages = terms.ranks("pipeline_parallel");
  if (terms.given("async_scheduling") === false) return batch * stages;
  return stages === 1 || rule === "stages-and-one" ? batch * (stages + 1) : null;
}

/**
 * Tokens of a batch: given, else by the memory of the device, the first row that it reaches; some devices count as small.
 * @param {Terms} terms @returns {number | null}
 */
function batchOf(terms) {
  const [given, memory, device] = ["max_num_batched_tokens", "hardware.memory_bytes", "hardware.id"].map((name) => terms.given(name));
  if (given || memory === null) return given || null;
  const rows = terms.parameter("batch_by_memory");
  if (terms.parameter("small_devices").some((/** @type {string} */ name) => device?.includes(name))) return rows[rows.length - 1].tokens;
  return rows.find((/** @type {any} */ row) => memory >= row.gib * GIB)?.tokens ?? null;
}

/** The longest request that fits, by halving; 0 where not even one token does. @param {number} limit @param {(tokens: number) => boolean} fits */
function longest(limit, fits) {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
