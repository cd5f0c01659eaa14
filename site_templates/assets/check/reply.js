// @ts-check
// answer/reply.py: an answer to `check`, put together as the command line has it: verdict, chain, gotchas, memory, command, repairs.

import { json } from "../page.js";
import { questionOf } from "./asking.js";
import { command } from "./command.js";
import { loadCatalog } from "./data.js";
import { assess, blocking, couldBlock } from "./decide.js";
import { asData as memoryData } from "./memory.js";
import { logged } from "./observed.js";
import { said } from "./phrases.js";
import { newestBefore } from "./question.js";
import { MOST_SHOWN, search } from "./repairs.js";
import { notes } from "./spoken.js";
import { untested } from "./truth.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Assessment} Assessment */
/** @typedef {import("./repairs.js").Repair} Repair */
/** @typedef {{found: Assessment, verdict: string, reason: string, repairs: Repair[], missing: string[]}} Reply */

/** Whether settings may clear a hop that fails. @param {import("./types.js").Hop} hop */
const isChangeable = (hop) => ["attention", "memory"].includes(hop.name) || hop.settings.length > 0;

/**
 * The answer in the JSON contract of `check`. Throws an error whose message is a sentence where the question cannot be asked.
 * @param {import("./asking.js").Asked} asked @param {import("./data.js").Fetch} [fetch]
 */
export async function ask(asked, fetch = json) {
  const catalog = await loadCatalog(fetch);
  const { question, data } = await questionOf(catalog, fetch, asked);
  return asData(reply(question, data), data);
}

/**
 * Assesses a question, and looks for repairs where something that can be changed stands in the way.
 * @param {Question} question @param {Data} data @returns {Reply}
 */
function reply(question, data) {
  const found = assess(question, data);
  const { verdict, reason, missing } = found;
  const blocked = blocking(found).length > 0 || found.hops.some((hop) => isChangeable(hop) && hop.state === "fails" && !hop.avoided_by);
  const isBlocked = blocked && (verdict === "no" || verdict === "unknown");
  if (!isBlocked && !couldBlock(found).length) return { found, verdict, reason, repairs: [], missing };
  const tried = search(found, data);
  if (verdict === "no" || isBlocked) return decided(found, tried);
  return { found, verdict, reason, repairs: tried.repairs, missing };
}

/**
 * The verdict where something blocks, after changes were tried.
 * @param {Assessment} found @param {import("./repairs.js").Search} tried @returns {Reply}
 */
function decided(found, { repairs, partial, clears, complete }) {
  const [gate] = blocking(found);
  const met = found.verdict === "unknown" && gate ? `${gate.gotcha.id}: ${gate.gotcha.name}` : found.reason;
  if (repairs.length) {
    const { after, changes } = repairs[0];
    const rest = after.verdict === "yes" ? "" : `; after that ${after.reason}`;
    const reason = `${met}; cleared by: ${changes.map((change) => change.words).join(", ")}${rest}`;
    return { found, verdict: "only-with", reason, repairs: [...repairs, ...partial].slice(0, MOST_SHOWN), missing: [] };
  }
  if (found.verdict === "unknown" && clears) return { found, verdict: "unknown", reason: found.reason, repairs: partial, missing: found.missing };
  const lasting = found.hops.some((hop) => hop.state === "fails" && !hop.avoided_by && !isChangeable(hop));
  if (!complete && !lasting) return { found, verdict: "unknown", reason: `${met}; not all changes were tried`, repairs, missing: ["repairs"] };
  return { found, verdict: "no", reason: met, repairs, missing: [] };
}

/** @param {Reply} answer @param {Data} data */
function asData(answer, data) {
  const { found } = answer;
  const { question, assumed } = found.resolved;
  const stopping = blocking(found);
  return {
    schema_version: 1,
    verdict: answer.verdict,
    reason: answer.reason,
    grade: found.grade?.word ?? null,
    confidence: found.grade?.confidence ?? null,
    question: {
      model: question.model.id,
      engine: question.engine.id,
      version: question.release.version,
      version_assumed: question.release.assumed,
      newest_known: newestBefore(question.engine, question.release),
      hardware: question.hardware?.id ?? null,
      gpus: question.gpus,
      given: { ...question.given },
      required: [...question.required].sort(),
      assumed: assumed.map(({ fact, value, because }) => ({ fact, value, because })),
    },
    notes: notes(question, data),
    chain: found.hops.map((hop) => ({
      hop: hop.name,
      state: hop.state,
      finding: hop.finding,
      value: hop.value,
      cites: hop.sources.map(({ id, url, at }) => ({ id, url, at })),
    })),
    missing: answer.missing,
    provided: found.provided,
    gotchas: found.gates.map((gate) => asGotcha(gate, stopping)),
    command: command(found.resolved, answer.repairs[0] ?? null, data.catalog),
    memory: memoryData(found.memory, logged(found.resolved)),
    repairs: answer.repairs.map(({ changes, after }) => ({
      changes: changes.map((change) => change.words),
      verdict: after.verdict,
      set: Object.fromEntries(changes.flatMap((change) => change.set)),
      drop: changes.flatMap((change) => change.drop).sort(),
      version: changes.find((change) => change.version)?.version ?? null,
    })),
  };
}

/** @param {import("./types.js").Gate} gate @param {import("./types.js").Gate[]} stopping */
function asGotcha(gate, stopping) {
  const { gotcha, state, proven, truth } = gate;
  const [because, blocks] = [[...new Set(truth.because.map(said))], stopping.includes(gate)];
  return { id: gotcha.id, title: gotcha.name, state, severity: gotcha.severity, proven, blocks, untested: untested(truth), because, workarounds: gotcha.workarounds };
}
