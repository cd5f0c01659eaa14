// @ts-check
// answer/observed.py: what was seen on this very stack stands above what is worked out.
import { carry } from "./carry.js";
import { sourcesOf } from "./claims.js";
import { ownWord } from "./facts.js";
import { daysBetween } from "./versions.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {{id: string, name: string, data: any, published: string | null}} Measurement */

/**
 * One observation that speaks of the question. `left`: the cache memory of a device, where the log states it, at the share asked for.
 * `blocks`: the cache blocks that the log counts.
 * @typedef {{measurement: Measurement, kind: string, how: string, stale: boolean, left: number | null, blocks: number | null}} Seen
 */

export const RAN = "ran";
export const OUT_OF_MEMORY = "out-of-memory";
/** Days between a log and a release within which the log is taken to be of that X.Y, where it does not say its version. */
const OF_THE_TIME = 21;
const SHARE = "gpu_memory_utilization";
/** Settings that are compared by size, or not at all; any other has to be the same. */
const FREE = [SHARE, "max_num_batched_tokens", "max_num_seqs"];
/** The metrics that are a stack's own. */
const LOGGED = ["engine.", "device.", "weights."];
/** @type {Record<string, number>} */
const UNITS = { B: 1, "B/token": 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, MB: 1e6, GB: 1e9, tokens: 1, blocks: 1, x: 1 };

/**
 * The observations of the question's stack; hardware that was named has to be the same, of the same number of ranks.
 * @param {Resolved} resolved @param {Data} data @returns {Seen[]}
 */
export function seen(resolved, data) {
  const { question } = resolved;
  const found = [];
  for (const measurement of question.model.measurements) {
    const kind = kindOf(measurement.data);
    if (kind === null || measurement.data.engine !== question.engine.id || !isSameStack(resolved, measurement.data)) continue;
    const { how, stale } = versionOf(resolved, measurement, kind === RAN, data.catalog.thresholds);
    const left = kind === "left" ? leftOf(resolved, measurement.data) : null;
    const blocks = kind === "blocks" && isSameShare(resolved, measurement.data) ? measurement.data.value : null;
    if (how && (decides(kind) || left !== null || blocks !== null)) found.push({ measurement, kind, how, stale, left, blocks });
  }
  return found;
}

/** Whether it says how a stack ended. @param {string} kind */
export function decides(kind) {
  return kind === RAN || kind === OUT_OF_MEMORY;
}

/**
 * What a measurement says of a stack: how it ended, how many blocks or how much memory its cache had; null for anything else.
 * @param {any} data @returns {string | null}
 */
function kindOf(data) {
  if (data.metric === "outcome") return decides(data.value) ? data.value : null;
  if (data.metric === "engine.blocks") return "blocks";
  return cacheMemory(data) === null ? null : "left";
}

/** @param {any} data @returns {any} */
const shareOf = (data) => data.conditions?.settings?.[SHARE];

/**
 * Whether the log's engine took the share of memory that is asked for; where neither says it, both have the default.
 * @param {Resolved} resolved @param {any} data
 */
function isSameShare(resolved, data) {
  return shareOf(data) === resolved.question.given[SHARE];
}

/** @param {Resolved} resolved @param {any} data */
function isSameStack({ question, facts }, data) {
  const { conditions = {} } = data;
  if (!isSameWeights(question, conditions.checkpoint ?? null)) return false;
  if (question.hardware) {
    const differs = (/** @type {string} */ name) => (facts[name] || 1) !== (conditions[name] ?? 1);
    if (data.hardware !== question.hardware.id || differs("tensor_parallel") || differs("pipeline_parallel")) return false;
  }
  const cache = conditions.cache_dtype;
  if (cache && ![null, ownWord(cache)].includes(facts["cache.dtype"] ?? null)) return false;
  const settings = Object.entries(conditions.settings ?? {}).filter(([name]) => !FREE.includes(name) && !name.startsWith("speculation."));
  return settings.every(([name, value]) => (facts[name] ?? null) === value);
}

/**
 * Whether the weights are those of the question. An engine that serves a file is asked without naming it: any file will do.
 * @param {import("./types.js").Question} question @param {string | null} checkpoint
 */
function isSameWeights(question, checkpoint) {
  if (question.checkpoint === null && !servesCheckpoint(question.engine)) return true;
  /** @type {{hub: string, format: string}[]} */
  const listed = question.model.data.checkpoints;
  const first = listed[0]?.hub ?? "";
  const [wanted, found] = [question.checkpoint ?? first, checkpoint ?? first].map((name) => (name || first).toLowerCase());
  const formats = new Map(listed.map((entry) => [entry.hub.toLowerCase(), entry.format]));
  return wanted === found || (formats.has(wanted) && formats.get(wanted) === formats.get(found));
}

/** Whether the engine's command names the checkpoint, rather than a file of weights that may be stored in many ways. @param {Engine} engine */
export function servesCheckpoint(engine) {
  return (engine.data.serve?.argv ?? []).some((/** @type {string} */ part) => part.includes("{checkpoint}"));
}

/**
 * How the observation reaches the version in question, and whether it is stale; empty where it does not. That it ran carries as support
 * does; what failed or was left holds for the same X.Y. A log that does not say its version holds for releases of about its time.
 * @param {Resolved} resolved @param {Measurement} measurement @param {boolean} lasting @param {any} thresholds
 */
function versionOf({ question }, measurement, lasting, thresholds) {
  const { release, engine } = question;
  const { version } = measurement.data;
  if (version === undefined) {
    const apart = daysBetween(measurement.published, release.date);
    if (apart === null || Math.abs(apart) > thresholds.carry_days) return { how: "", stale: false };
    return { how: Math.abs(apart) <= OF_THE_TIME ? "same-minor" : "carried", stale: false };
  }
  const entry = engine.data.releases.find((/** @type {any} */ one) => one.version === version);
  const observed = [{ version, date: entry?.date ?? null, status: "native" }];
  const carried = carry(engine.data.scheme, observed, release.version, release.date, thresholds);
  const reaches = carried.status !== null && (lasting || isNear(carried.how));
  return reaches ? { how: carried.how, stale: carried.stale } : { how: "", stale: false };
}

/** @param {string} how */
const isNear = (how) => how === "exact" || how === "same-minor";

/**
 * The cache memory of the log at the share that is asked for; null where either share or the device's memory is not known.
 * @param {Resolved} resolved @param {any} data
 */
function leftOf({ facts }, data) {
  const [was, asked, total, value] = [shareOf(data), facts[SHARE], facts["hardware.memory_bytes"], cacheMemory(data)];
  if (![was, asked, total, value].every((number) => typeof number === "number")) return null;
  return Math.trunc(Number(value) + (asked - was) * total);
}

/**
 * The bytes that the log says are left for the cache of a device: as the figure itself, or beside another figure of the engine.
 * @param {any} data @returns {number | null}
 */
function cacheMemory(data) {
  if (data.metric === "device.cache_bytes") return typeof data.value === "number" ? data.value * UNITS[data.unit] : null;
  return (data.metric.startsWith("engine.") && data.conditions?.available_bytes) || null;
}

/**
 * What logs of the same model, weights, engine and hardware print, whatever their version: figures to hold ours against.
 * @param {Resolved} resolved
 */
export function logged(resolved) {
  const { question } = resolved;
  if (!question.hardware) return [];
  const found = [];
  for (const { id, data } of question.model.measurements) {
    const mine = data.engine === question.engine.id && LOGGED.some((start) => data.metric.startsWith(start)) && "value" in data;
    if (!mine || !data.hardware || !isSameStack(resolved, data)) continue;
    const { metric, value, unit, version = null, cites } = data;
    const cite = { id: cites[0].id, at: cites[0].at ?? "" };
    found.push({ id, metric, value, unit, version, context: data.conditions?.context ?? null, cites: [cite] });
  }
  const asked = question.given.max_model_len ?? null;
  return found.sort((one, other) => Number(one.context !== asked) - Number(other.context !== asked) || (one.id < other.id ? -1 : 1));
}

/** Observations of the version in question before those that are carried to it; what ran before what failed. @param {Seen[]} found */
export function nearestFirst(found) {
  const rank = (/** @type {Seen} */ one) => 2 * Number(!isNear(one.how)) + Number(one.kind !== RAN);
  return [...found].sort((one, other) => rank(one) - rank(other));
}

/**
 * The hops, with those that no source decides taken as holding where the stack was seen to run.
 * @param {Hop[]} hops @param {Seen[]} found @param {Resolved} resolved @param {Data} data @returns {Hop[]}
 */
export function confirmed(hops, found, resolved, data) {
  const ran = found.find((one) => one.kind === RAN);
  if (!ran) return hops;
  const settings = ran.measurement.data.conditions?.settings ?? {};
  const { given } = resolved.question;
  const chosen = ["attention.backend", "block_size"].some((fact) => fact in given && settings[fact] !== given[fact]); // another than that of the run
  return hops.map((hop) => (hop.state === "unknown" && !(hop.name === "attention" && chosen) ? confirm(hop, ran, data) : hop));
}

/** @param {Hop} hop @param {Seen} ran @param {Data} data @returns {Hop} */
function confirm(hop, ran, data) {
  const finding = `it was seen to run: ${ran.measurement.name}`;
  return { ...hop, state: "holds", finding, value: RAN, how: ran.how, stale: ran.stale, sources: sourcesOfSeen(ran, data) };
}

/** The citations of an observation. @param {Seen} one @param {Data} data */
export function sourcesOfSeen(one, data) {
  return sourcesOf(data, one.measurement.data.cites);
}

/**
 * Whether an outcome decides the length and the share that are asked for: what ran does for shorter, what failed for longer ones.
 * @param {Seen} one @param {Resolved} resolved
 */
export function holdsFor(one, { question, facts }) {
  const [share, given] = [shareOf(one.measurement.data) ?? null, facts[SHARE] ?? null];
  const [asked, length] = [question.context, one.measurement.data.conditions?.context ?? null];
  if (asked === null || length === null) return false;
  const open = share === null || given === null;
  return one.kind === RAN ? asked <= length && (open || given >= share) : asked >= length && (open || given <= share);
}
