// @ts-check
// answer/memory.py: weights, cache under the engine's policy, and what the settings leave of the device.
import { resident } from "./allocate/allocation.js";
import { allocate, choose } from "./allocate/policy.js";
import { PARTS } from "./facts.js";
import { idealBytes, isUnknown, naiveBytes } from "./layers.js";
import { RAN, decides, holdsFor, nearestFirst, seen, servesCheckpoint } from "./observed.js";
import { ELEMENT_BYTES } from "./units.js";
import { rankWeights, splitOf } from "./weights.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Known} Known */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./types.js").Unknown} Unknown */
/** @typedef {import("./observed.js").Seen} Seen */
/** @typedef {import("./allocate/allocation.js").Allocation} Allocation */
/** At least, and at most; the low end is null where no log bounds it. @typedef {[number | null, number]} Ends */

/**
 * Figures of one rank in bytes; null where unknown, and `why` says what is missing. The fields are those of Memory in answer/memory.py.
 * @typedef {object} Memory
 * @property {number | null} weights
 * @property {number | null} weights_low
 * @property {number | null} cache
 * @property {number | null} state
 * @property {number | null} total
 * @property {Ends | null} available
 * @property {boolean | null} fits
 * @property {number | null} longest
 * @property {number | null} sequences
 * @property {string[]} why
 * @property {any[]} cites
 * @property {Seen | null} seen
 * @property {[number, number] | null} bounds
 * @property {Ends | null} blocks
 * @property {number | null} file
 */

/** The share of a device that is surely an engine's where its default is not on record. */
const CAUTIOUS_SHARE = 0.8;
/** So many logs bound an overhead from above; fewer do not. */
const FEW = 3;

/**
 * What the question takes of each device; null without hardware.
 * @param {Resolved} resolved @param {Data} data @param {Seen[]} observed @returns {Memory | null}
 */
export function memory(resolved, data, observed = seen(resolved, data)) {
  const { question, facts } = resolved;
  const { derived, engine, release } = question;
  if (!question.hardware || derived.unknown) return null;
  const model = /** @type {Question["model"] & {memory: import("./weights.js").Delivered}} */ (question.model);
  const weights = rankWeights(model, splitOf(engine.id, facts), question.checkpoint, facts["weights.format"] ?? null);
  const perRank = isUnknown(weights) ? null : weights;
  const { visible_bytes: visible, memory_bytes: built } = question.hardware.data;
  const total = facts["hardware.memory_bytes"] || visible || built || null;
  const policy = choose(engine.data, release.version);
  const logged = observed.find((one) => one.kind === "left") ?? null;
  const most = engine.overheads.length >= FEW ? engine.overheads[engine.overheads.length - 1] : data.catalog.generous;
  const worked = left(total, facts, policy, perRank, engine.overheads[0] ?? 0, most);
  /** @type {Ends | null} */
  const available = logged?.left == null ? worked : [logged.left, logged.left];
  const answer = allocation(question, derived, facts, model.memory.facts, null);
  const cache = isUnknown(answer) ? null : needed(answer, question.context);
  const bounds = cache === null ? boundsOf(question, derived, facts) : null;
  const outcome = nearestFirst(observed.filter((one) => decides(one.kind) && holdsFor(one, resolved)))[0] ?? null;
  const anyFile = question.checkpoint === null && !("weights.format" in question.given) && !servesCheckpoint(engine);
  const largest = bounds ? bounds[1] : cache;
  const fits = fitsIn(bounds ?? (cache === null ? null : [cache, cache]), available);
  const why = [
    ...(isUnknown(weights) ? [`weights: ${weights.reason}`] : []),
    ...(total === null ? ["the device's memory is not in its record"] : []),
    ...(cache === null ? [`cache: ${isUnknown(answer) ? answer.reason : `missing ${answer.missing.join(", ")}`}`] : []),
  ];
  /** @type {Memory} */
  const found = {
    weights: perRank && perRank[1],
    weights_low: perRank && perRank[0],
    cache,
    state: isUnknown(answer) ? null : answer.state_bytes,
    total,
    available,
    fits: outcome ? outcome.kind === RAN : anyFile && !fits ? null : fits,
    longest: null,
    sequences: null,
    why,
    cites: isUnknown(policy) ? [] : policy.cites,
    seen: outcome ?? logged,
    bounds,
    blocks: null,
    file: anyFile && total !== null && largest !== null ? total - largest - (most ?? 0) : null,
  };
  return { ...found, ...(available ? capacity(available, (room) => allocation(question, derived, facts, model.memory.facts, room)) : {}) };
}

/**
 * What the engine allocates; facts go to it but for the type of K or V where that is the whole cache's.
 * @param {Question} question @param {Known} derived @param {Facts} facts @param {Facts} ofConfig @param {number | null} room
 */
function allocation({ model, engine, release, context }, derived, facts, ofConfig, room) {
  /** @type {Facts} */
  const stated = { ...facts, sequence_length: null, max_model_len: context || derived.context.native };
  for (const part of PARTS) if (facts[part] === facts["cache.dtype"]) stated[part] = null;
  const named = Object.fromEntries(Object.entries(stated).filter(([, value]) => value !== null && value !== undefined));
  const always = { "model.architecture": model.data.architecture, tensor_parallel: facts.tensor_parallel || 1 };
  const asked = { "cache.dtype": "bf16", ...ofConfig, ...named, ...always };
  return allocate(engine.data, release.version, { derived, available_bytes: room, facts: asked });
}

/**
 * What is left for the cache: of an unknown share a cautious one and the whole device; or a share of what is free after loading, for engines
 * that reckon so.
 * @param {number | null} total @param {Facts} facts @param {import("./allocate/policy.js").Policy | Unknown} policy
 * @param {[number, number] | null} weights @param {number} least @param {number | null} most @returns {Ends | null}
 */
function left(total, facts, policy, weights, least, most) {
  if (total === null || weights === null) return null;
  const share = facts.gpu_memory_utilization ?? null;
  const fraction = share !== null || isUnknown(policy) ? null : policy.parameters.free_fraction ?? null;
  const ofFree = fraction && (facts["setting.cache_max_entry_count"] || facts["setting.free_gpu_memory_fraction"] || fraction);
  const known = ofFree === null ? share : 1;
  const [low, high] = (typeof known === "number" ? [known, known] : [CAUTIOUS_SHARE, 1]).map((part) => Math.trunc(total * part));
  const [sure, atMost] = [most === null ? null : low - weights[1] - most, high - weights[0] - Math.max(0, least)];
  return ofFree === null ? [sure, atMost] : [sure === null ? null : Math.trunc(sure * ofFree), Math.trunc(atMost * ofFree)];
}

/**
 * What the engine demands or sets aside for one sequence of the length, or what the sequence comes to hold if that is more.
 * @param {Allocation} answer @param {number | null} context @returns {number | null}
 */
function needed(answer, context) {
  const demanded = answer.needed_bytes ?? answer.reserved;
  const held = context ? resident(answer, context) : null;
  return demanded !== null && held !== null ? Math.max(demanded, held) : demanded || held;
}

/**
 * What one sequence can take of a device, whatever the engine's policy: its share of what the layers need, and every layer full on it.
 * @param {Question} question @param {Known} derived @param {Facts} facts @returns {[number, number] | null}
 */
function boundsOf({ context }, derived, facts) {
  const dtype = facts["cache.dtype"];
  if (!context || !(dtype in ELEMENT_BYTES)) return null;
  const ranks = (facts.tensor_parallel || 1) * (facts.pipeline_parallel || 1);
  return [Math.floor(idealBytes(derived.layers, dtype, context) / ranks), naiveBytes(derived.layers, dtype, context)];
}

/**
 * True only at the high end of the overhead and false only at its low end.
 * @param {[number, number] | null} needs @param {Ends | null} available @returns {boolean | null}
 */
function fitsIn(needs, available) {
  if (needs === null || available === null) return null;
  const [low, high] = available;
  if (needs[0] > high) return false;
  return low !== null && needs[1] <= low ? true : null;
}

/**
 * The blocks of the cache at both ends, and with the memory that is surely left the longest sequence and how many fit.
 * @param {Ends} available @param {(room: number) => Allocation | Unknown} allocated @returns {Partial<Memory>}
 */
function capacity([low, high], allocated) {
  /** @param {number | null} room */
  const withMemory = (room) => {
    const answer = room !== null && room > 0 ? allocated(room) : null;
    return answer === null || isUnknown(answer) ? null : answer;
  };
  const [sure, most] = [withMemory(low), withMemory(high)];
  /** @type {Partial<Memory>} */
  const found = most?.blocks == null ? {} : { blocks: [low === null ? null : sure ? sure.blocks : 0, most.blocks] };
  return sure ? { ...found, longest: sure.longest || sure.capacity_tokens, sequences: sure.max_concurrency } : found;
}

export { memoryHop } from "./memory_hop.js";

/**
 * The `memory` object of the JSON contract; figures are of one device.
 * @param {Memory | null} found @param {any[]} logged figures that logs of the same stack print
 */
export function asData(found, logged = []) {
  if (found === null) return null;
  const [low, high] = found.available ?? [null, null];
  return {
    weights_bytes: found.weights,
    weights_low_bytes: found.weights_low,
    cache_bytes: found.cache,
    cache_bounds_bytes: found.bounds,
    state_bytes: found.state,
    device_bytes: found.total,
    available_bytes: high,
    available_low_bytes: low,
    fits: found.fits,
    longest_context: found.longest,
    sequences: found.sequences,
    missing: found.why,
    logged,
  };
}
