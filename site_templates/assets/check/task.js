// @ts-check
// answer/task.py: the hop of the task, for a model that is asked to do something else than what it was made for.

import { sourcesOf } from "./claims.js";
import { hop } from "./hops.js";

/** Each task, as what a model is made for. @type {Record<string, string>} */
const VERBS = { generate: "to generate text", embed: "for embeddings", rerank: "for reranking", transcribe: "to transcribe speech" };

/**
 * No hop where the model does what it is made for. A model without ears does not transcribe; of anything else nobody knows.
 * @param {import("./types.js").Resolved} resolved @param {import("./types.js").Data} data @returns {import("./types.js").Hop | null}
 */
export function task(resolved, data) {
  const { model, derived } = resolved.question;
  const [own, asked] = [model.data.task ?? "generate", resolved.facts.task];
  if (!asked || asked === own) return null;
  const made = `${model.data.name ?? model.id} is made ${VERBS[own]}`;
  if (asked === "transcribe" && !derived.unknown && !("audio-input" in derived.requirements)) {
    const finding = `${made}, and its config has no part that takes sound`;
    return hop("task", "fails", finding, { consequence: "refuses", sources: sourcesOf(data, model.data.config.cites) });
  }
  return hop("task", "unknown", `${made}; no source on record says that it can be served ${VERBS[asked]}`, {});
}
