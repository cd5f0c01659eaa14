// @ts-check
// answer/length.py: the hop of a context that was asked for beyond what the model's config allows, and what the engine does with one.

import { FEATURE, sourcesOf } from "./claims.js";
import { stackOf } from "./facts.js";
import { hop } from "./hops.js";

/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./types.js").Known["context"]} Context */

export const NAME = "context";
const BEYOND_CONTEXT = "beyond-context";
const MULTIPLYING = ["yarn", "linear", "dynamic"]; // rope methods whose factor multiplies the original length

/**
 * No hop where nobody named a length, where the config states none, and where it allows the one that was named. What no source of the
 * engine speaks of is a gap, since the model's own limit is there all the same.
 * @param {Resolved} resolved @param {import("./hops.js").Joiner} joiner @returns {Hop | null}
 */
export function length(resolved, joiner) {
  const { derived, given, model } = resolved.question;
  const wanted = given.max_model_len;
  if (!Number.isInteger(wanted) || derived.unknown || derived.context.native === null || wanted <= derived.context.native) return null;
  const { native, method } = derived.context;
  const most = reached(derived.context);
  const scaling = method === null ? "" : ` (with ${method} scaling in it)`;
  const stated = `${words(wanted)} tokens are asked for, and the model's config allows ${words(native)}${scaling}`;
  const sources = sourcesOf(joiner.data, model.data.config.cites);
  if (wanted <= most) {
    const finding = `${stated}, or ${words(most)} where an engine counts the scaling in once more; which of them it goes by was not read`;
    return hop(NAME, "gap", finding, { sources });
  }
  const found = joiner.feature(FEATURE + BEYOND_CONTEXT, "a length beyond the model's context", stackOf(resolved, joiner.data));
  if (found === null || found.state === "unknown") {
    const why = found === null ? "" : `: ${found.finding}`;
    return hop(NAME, "gap", `${stated}; no engine source read that says what ${joiner.engine.data.name} does beyond it${why}`, { sources });
  }
  return { ...found, name: NAME, finding: `${stated}: ${found.finding}` };
}

/** The longest sequence that any reading of the config allows: its rope scaling may be counted in already, or not. @param {Context} context */
function reached({ native, method, factor, extended }) {
  const own = native ?? 0; // the hop is there where the config states one
  if (extended !== null) return Math.max(own, extended);
  return MULTIPLYING.includes(method ?? "") ? Math.trunc(own * Math.max(1, factor || 1)) : own;
}

/** @param {number} count */
const words = (count) => count.toLocaleString("en");

/** What would settle it, where the hop is there. @param {Resolved} resolved */
export function allowed({ question: { derived } }) {
  return `max_model_len <= ${/** @type {any} */ (derived).context.native}`;
}
