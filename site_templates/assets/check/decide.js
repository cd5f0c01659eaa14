// @ts-check
// answer/check.py: a question taken as it stands, hop by hop to a verdict, without looking for repairs.

import { attention } from "./attention.js";
import { binary } from "./binary.js";
import { FEATURE, sourcesOf } from "./claims.js";
import { resolve, stackOf } from "./facts.js";
import { asked, features } from "./features.js";
import { BLOCKING, blocks, leftOut } from "./gates.js";
import { grade } from "./grade.js";
import { hop } from "./hops.js";
import { NAME as LENGTH_HOP, allowed, length } from "./length.js";
import { memory, memoryHop } from "./memory.js";
import { confirmed, holdsFor, seen } from "./observed.js";
import { joinerFor, pathGates } from "./paths.js";
import { task } from "./task.js";
import { untested } from "./truth.js";
import { formatBytes } from "./units.js";
import { BY_LAYER } from "./weights.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Gate} Gate */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./types.js").Assessment} Assessment */
/** @typedef {import("./hops.js").Joiner} Joiner */
/** @typedef {Pick<Assessment, "verdict" | "reason" | "missing" | "provided">} Decision */

const LOUD = ["crash-at-init", "unsupported-combination", "crash-on-first-request"]; // nobody met them on a stack that was seen to run

/** Every hop, every gotcha, and the verdict by the five rules of the join. @param {Question} question @param {Data} data @returns {Assessment} */
export function assess(question, data) {
  const filled = resolve(question, data);
  const demanded = question.derived.unknown ? [] : Object.keys(question.derived.requirements);
  const joiner = joinerFor(data, question.engine, question.release, stackOf(filled, data), demanded, asked(question.given, data.catalog));
  const joined = hopsOf(onOneDevice(filled, joiner), joiner, demanded);
  const stops = joined.hops[0].state === "fails";
  const observed = stops ? [] : seen(joined.resolved, data);
  const needs = stops ? null : memory(joined.resolved, data, observed);
  const hops = confirmed(joined.hops, observed, joined.resolved, data);
  const taken = needs && memoryHop(needs, data, question);
  if (taken) hops.push(taken);
  const resolved = withBlocks(joined.resolved, needs, observed);
  const gates = stops ? [] : pathGates(data, question.engine, question.release, joiner, stackOf(resolved, data));
  /** @type {Assessment} */
  const found = { resolved, hops, gates, verdict: "unknown", reason: "", missing: [], provided: [], grade: null, memory: needs, observed };
  const decision = decide(found);
  // A config in hand cites nothing.
  const evidence = decidingHops(hops, decision.verdict).filter((one) => one.sources.length || one.name !== "config");
  const graded = decision.verdict === "unknown" ? null : grade(evidence, data.catalog);
  const unread = hops.some((one) => one.name === "attention" && one.state === "unknown"); // nothing was asked of it, and yet nobody read that it is there
  return { ...found, ...decision, grade: graded?.word === "verified" && unread ? { ...graded, word: "unverified" } : graded };
}

/**
 * The cache blocks that a log counts, else those between both ends of the memory that is left, where both are known.
 * @param {Resolved} resolved @param {any} needs @param {any[]} observed @returns {Resolved}
 */
function withBlocks(resolved, needs, observed) {
  const counted = observed.find((one) => one.blocks !== null && one.blocks !== undefined)?.blocks;
  const [low, high] = needs?.blocks ?? [null, null];
  const number = counted ?? (low === null ? undefined : { low, high });
  return needs && number !== undefined ? { ...resolved, facts: { num_blocks: number, ...resolved.facts } } : resolved;
}

/** Gotchas that are met, proven, and block by their symptom; a loud one not where the very stack was seen to run. @param {Assessment} found */
export function blocking(found) {
  return found.gates.filter((gate) => blocks(gate) && !isRefuted(gate, found));
}

/** Proven gotchas that would block and wait only for facts that the person left out. @param {Assessment} found */
export function couldBlock(found) {
  const waiting = found.gates.filter((gate) => gate.state === "maybe" && leftOut(gate).length && !untested(gate.truth));
  return waiting.filter((gate) => gate.proven && BLOCKING.has(gate.gotcha.symptom) && !isRefuted(gate, found));
}

/** @param {Gate} gate @param {Assessment} found */
function isRefuted(gate, found) {
  const ran = found.observed.some((one) => one.kind === "ran" && ["exact", "same-minor"].includes(one.how) && holdsFor(one, found.resolved));
  return ran && LOUD.includes(gate.gotcha.symptom);
}

/** @param {Resolved} resolved @param {Joiner} joiner @param {string[]} demanded @returns {{hops: Hop[], resolved: Resolved}} */
function hopsOf(resolved, joiner, demanded) {
  const stack = stackOf(resolved, joiner.data);
  const first = joiner.architecture(stack);
  if (first.state === "fails") return { hops: [first], resolved };
  const read = joiner.config(stack);
  const inHand = read.state === "holds" && !read.sources.length && !resolved.question.derived.unknown;
  const config = inHand ? { ...read, finding: `${stack.layers()?.length} layers read from the config that was given`, value: null } : read;
  const others = [task(resolved, joiner.data), length(resolved, joiner)].filter((one) => one !== null);
  const hops = [first, config, ...others, ...demanded.map((requirement) => joiner.requirement(requirement, stack, first))];
  const place = binary(joiner, stack) ?? joiner.hardware(stack) ?? hardware(resolved, joiner.data);
  const places = [place, joiner.modelThere(stack)].filter((one) => one !== null);
  hops.push(...places);
  if (places.some((one) => one.state !== "holds" && !one.optional && !one.avoided_by)) return { hops, resolved };
  const weights = joiner.weights(stack);
  if (weights) hops.push(asChosen(weights, resolved, joiner));
  hops.push(...features(joiner, asked(resolved.question.given, joiner.data.catalog), stack));
  const { found, backend } = attention(resolved, joiner);
  const facts = backend === null ? resolved.facts : { ...resolved.facts, "attention.backend": backend };
  return { hops: found ? [...hops, found] : hops, resolved: { ...resolved, facts } };
}

/**
 * Without the sharing that was taken for granted of several devices, where a source says that the engine has none.
 * @param {Resolved} resolved @param {Joiner} joiner @returns {Resolved}
 */
function onOneDevice(resolved, joiner) {
  const isAssumed = resolved.assumed.some((one) => one.fact === "tensor_parallel");
  if (!isAssumed || BY_LAYER.includes(joiner.engine.id)) return resolved;
  const found = joiner.feature(`${FEATURE}tensor-parallel`, "tensor parallelism", stackOf(resolved, joiner.data));
  if (found?.state !== "fails") return resolved;
  const assumed = resolved.assumed.filter((one) => one.fact !== "tensor_parallel");
  return { ...resolved, facts: { ...resolved.facts, tensor_parallel: 1 }, assumed };
}

/**
 * The hop of a weight format that nobody named: then nothing hangs on it alone, since another checkpoint of the model may do.
 * @param {Hop} weights @param {Resolved} resolved @param {Joiner} joiner @returns {Hop}
 */
function asChosen(weights, resolved, joiner) {
  const { question, facts } = resolved;
  if (question.checkpoint || "weights.format" in question.given) return weights;
  if (weights.state === "unknown") return { ...weights, optional: true };
  if (weights.state !== "fails") return weights;
  for (const other of question.model.data.checkpoints ?? []) {
    const instead = joiner.weights(stackOf({ ...resolved, facts: { ...facts, "weights.format": other.format } }, joiner.data));
    if (instead === null || ["holds", "gap"].includes(instead.state)) {
      return { ...weights, avoided_by: `Take another checkpoint, such as ${other.hub} (${other.format}).` };
    }
  }
  return weights;
}

/**
 * The hop where the engine's own documents name platforms, and not this one; they may leave out what plugins add.
 * @param {Resolved} resolved @param {Data} data @returns {Hop | null}
 */
function hardware(resolved, data) {
  const engine = resolved.question.engine.data;
  const { platform } = resolved.facts;
  if (!platform || !engine.platforms || engine.platforms.includes(platform)) return null;
  const finding = `the documents of ${engine.name} name ${engine.platforms.join(", ")}, and say nothing of ${platform}`;
  return hop("hardware", "unknown", finding, { sources: sourcesOf(data, engine.cites) });
}

/** The hops that a verdict rests on. @param {Hop[]} hops @param {string} verdict */
function decidingHops(hops, verdict) {
  const failed = hops.filter((one) => one.state === "fails" && !one.avoided_by);
  if (verdict === "no" && failed.length) return failed; // otherwise a gotcha decides, and what holds up to it
  return hops.filter((one) => (one.state === "unknown") === (verdict === "unknown"));
}

/** @param {Assessment} found @returns {Decision} */
function decide(found) {
  /** @param {string} verdict @param {string} reason @param {string[]} [missing] @param {string[]} [provided] @returns {Decision} */
  const decision = (verdict, reason, missing = [], provided = []) => ({ verdict, reason, missing, provided });
  const failed = found.hops.filter((one) => one.state === "fails");
  const hard = failed.find((one) => !one.avoided_by);
  if (hard) return decision("no", `${hard.name}: ${hard.finding}`);
  const unknown = found.hops.filter((one) => one.state === "unknown" && !one.optional);
  if (unknown.length) return decision("unknown", `${unknown[0].name}: ${unknown[0].finding}`, unknown.map((one) => one.name));
  const [met] = blocking(found);
  if (met) return decision("no", `${met.gotcha.id}: ${met.gotcha.name}`);
  if (failed.length) {
    const wider = failed.some((one) => one.name === "attention") ? ["hardware"] : [];
    return decision("only-with", failed.map((one) => one.avoided_by).join(" "), [], wider);
  }
  const tight = found.hops.find((one) => one.name === "memory" && one.state === "gap");
  if (tight) return decision("only-with", `memory: ${tight.finding}`, [], [room(found.memory)]);
  const long = found.hops.find((one) => one.name === LENGTH_HOP && one.state === "gap");
  if (long) return decision("only-with", `${LENGTH_HOP}: ${long.finding}`, [], [allowed(found.resolved)]);
  const open = couldBlock(found);
  if (open.length) {
    const facts = [...new Set(open.flatMap(leftOut))];
    return decision("only-with", `${open[0].gotcha.id} depends on ${leftOut(open[0]).join(", ")}`, [], facts);
  }
  const moved = found.hops.find((one) => one.value === "redirected");
  if (moved) {
    const reason = `${moved.name}: ${moved.finding}, which is not the one that was asked for`;
    return decision("only-with", reason, [], ["the engine's other path"]);
  }
  const gaps = found.hops.filter((one) => one.state === "gap").map((one) => `${one.name}: ${one.finding}`);
  const unread = found.hops.filter((one) => one.state === "unknown").map((one) => one.name);
  return decision("yes", gaps.join("; ") || (unread.length ? `every hop that has to holds; not on record: ${unread.join(", ")}` : "every hop holds"));
}

/** What would settle whether it fits. @param {any} needs */
function room(needs) {
  if (needs.file !== null) return `a weights file of at most ${formatBytes(needs.file)} a device`;
  return `>= ${formatBytes(needs.cache ?? 0)} left for the cache, or a shorter max_model_len`;
}
