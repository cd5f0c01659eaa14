// @ts-check
// What is said of a dropped config that is that of no model on record: what was read from it, and the nearest model.

import { make } from "../page.js";
import { calledBy } from "./from_config.js";

/** The nearest model, what it is called, and what asks about it instead. @typedef {import("./config.js").Nearest & {title: string, choose: () => void}} Near */

/** What was read from a config that is that of no model on record. @param {string} name @param {Map<string, any>} values @param {ReturnType<typeof import("./derive/model.js").derive>} derived @param {Near | undefined} best @returns {HTMLElement[]} */
export function foreign(name, values, derived, best) {
  const what = `${calledBy(values)} with these figures is not in the catalog. `;
  if ("missing" in derived) return [make("p", {}, `${what}${name} cannot be read into layers: ${derived.reason} (missing: ${derived.missing.join(", ")}).`), ...near(best)];
  return [...layersRead(what, name, derived), ...near(best)];
}

/** What was read from the header of a GGUF file. @param {string} name @param {Map<string, any>} values @param {ReturnType<typeof import("./derive/model.js").derive>} derived @param {import("./derive/weights/stored.js").Stored | import("./types.js").Unknown} file @returns {HTMLElement[]} */
export function ofFile(name, values, derived, file) {
  const holds = "missing" in file ? `Its weights are not known: ${file.reason}` : `Its header lists ${file.tensors.length} tensors, whose types say what it weighs`;
  const what = `${name} is a file of ${calledBy(values)}. ${holds}. `;
  if ("missing" in derived) return [make("p", {}, `${what}It cannot be read into layers: ${derived.reason} (missing: ${derived.missing.join(", ")}).`)];
  return layersRead(what, name, derived);
}

/** @param {string} what @param {string} name @param {import("./derive/model.js").Known} derived @returns {HTMLElement[]} */
function layersRead(what, name, derived) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const layer of derived.layers) counts.set(layer.shares ? "shared" : layer.kind, (counts.get(layer.shares ? "shared" : layer.kind) ?? 0) + 1);
  const read = `${derived.layers.length} layers were read from ${name}: ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(", ")}.`;
  const more = [...derived.defaults_used, ...derived.notes].map((words) => make("li", {}, words));
  return [make("p", {}, what + read), ...(more.length ? [make("ul", { class: "ck-plain" }, ...more)] : [])];
}

/** The nearest model on record, and how it differs. @param {Near | undefined} best @returns {HTMLElement[]} */
function near(best) {
  if (!best) return [];
  const word = (/** @type {any} */ value) => (value === undefined ? "left out" : JSON.stringify(value));
  const all = make("button", { type: "button", class: "ck-apply" }, `Ask about ${best.title} instead`);
  all.addEventListener("click", best.choose);
  const rows = best.differs.slice(0, 12).map(({ field, yours, theirs }) => make("li", {}, make("code", {}, field), ` is ${word(yours)} here and ${word(theirs)} there`));
  const rest = best.differs.length - rows.length;
  const list = make("ul", { class: "ck-plain" }, ...rows, ...(rest > 0 ? [make("li", {}, `and ${rest} more`)] : []));
  return [make("p", {}, `The nearest on record is ${best.title}; ${best.differs.length} fields differ:`), list, all];
}
