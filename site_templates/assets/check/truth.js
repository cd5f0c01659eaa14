// @ts-check
// condition/truth.py: yes, no or maybe (true, false, null), with the leaves that decided it and no others.

/** @typedef {import("./types.js").Reason} Reason */
/** @typedef {import("./types.js").Truth} Truth */

/** @type {Truth} */
export const YES = { value: true, because: [] };

/**
 * Undecided: the fact is missing, or its value untested.
 * @param {string} text @param {string} fact @param {"missing" | "untested"} [kind] @returns {Truth}
 */
export function maybe(text, fact, kind = "missing") {
  return { value: null, because: [{ text, fact, kind }] };
}

/** @param {boolean} value @param {string} text @param {string} fact @returns {Truth} */
export function decided(value, text, fact) {
  return { value, because: [{ text, fact, kind: value ? "true" : "false" }] };
}

/** No when one part is no, else maybe when one is maybe, else yes. @param {Truth[]} parts */
export function allOf(parts) {
  return fold(parts, [false, null, true]);
}

/** Yes when one part is yes, else maybe when one is maybe, else no. @param {Truth[]} parts */
export function anyOf(parts) {
  return fold(parts, [true, null, false]);
}

/** @param {Truth} truth @returns {Truth} */
export function not(truth) {
  return { value: truth.value === null ? null : !truth.value, because: truth.because };
}

/** The facts that would have to be known, each once. @param {Truth} truth */
export function missing(truth) {
  return [...new Set(truth.because.filter((reason) => reason.kind === "missing").map((reason) => reason.fact))];
}

/** Whether it is maybe for a reason that no further fact from the person would settle. @param {Truth} truth */
export function untested(truth) {
  return truth.because.some((reason) => reason.kind === "untested");
}

/** @param {Truth[]} parts @param {[boolean | null, boolean | null, boolean]} strongestFirst @returns {Truth} */
function fold(parts, strongestFirst) {
  for (const value of strongestFirst.slice(0, 2)) {
    const deciding = parts.filter((part) => part.value === value);
    if (deciding.length) return { value, because: reasons(deciding) };
  }
  return { value: strongestFirst[2], because: reasons(parts) };
}

/** @param {Truth[]} parts @returns {Reason[]} */
function reasons(parts) {
  const each = new Map(parts.flatMap((part) => part.because).map((reason) => [`${reason.kind}\n${reason.fact}\n${reason.text}`, reason]));
  return [...each.values()];
}
