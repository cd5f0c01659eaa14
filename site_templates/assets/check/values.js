// @ts-check
// condition/values.py: the tests that a condition holds a value against.

import { order } from "./pep440.js";
import { isRange, read } from "./registry.js";

/** @typedef {import("./types.js").Test} Test */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./types.js").Range} Range */

/** Whether the test can be held against the value at all: a range cannot against a word or a flag. @param {Test} test @param {Value} value */
export function fits(test, value) {
  return Array.isArray(test) || !(Array.isArray(value) ? value : [value]).some((item) => typeof item === "boolean" || typeof item === "string");
}

/**
 * Of several values or of a range whether one passes, or with `always` whether all do. null never passes.
 * @param {Test} test @param {Value} value @param {boolean} always
 */
export function passes(test, value, always) {
  if (value === null) return false;
  if (Array.isArray(value)) {
    const results = value.map((item) => accepts(test, item));
    return results.includes(true) && !(always && results.includes(false));
  }
  if (isRange(value)) return always ? must(test, value) : can(test, value);
  return accepts(test, value);
}

/** @param {Test} test @param {any} value */
function accepts(test, value) {
  return Array.isArray(test) ? test.some((wanted) => isSame(value, wanted)) : reachesUp(test, value) && reachesDown(test, value);
}

/** @param {Test} test @param {Range} span */
function can(test, span) {
  if (!Array.isArray(test)) return reachesUp(test, span.high) && reachesDown(test, span.low);
  return test.some((value) => typeof value === "number" && span.low <= value && value <= span.high);
}

/** A range that is wider than a point is one of whole numbers. @param {Test} test @param {Range} span */
function must(test, span) {
  if (!Array.isArray(test)) return accepts(test, span.low) && accepts(test, span.high);
  return new Set(test.filter((value) => typeof value === "number" && span.low <= value && value <= span.high)).size === span.high - span.low + 1;
}

/** @param {Exclude<Test, any[]>} test @param {any} value */
function reachesUp(test, value) {
  return (test.min === undefined || apart(value, test.min) >= 0) && (test.above === undefined || apart(value, test.above) > 0);
}

/** @param {Exclude<Test, any[]>} test @param {any} value */
function reachesDown(test, value) {
  return (test.max === undefined || apart(value, test.max) <= 0) && (test.below === undefined || apart(value, test.below) < 0);
}

/** @param {any} value @param {any} wanted */
function isSame(value, wanted) {
  return isVersion(value) ? apart(value, wanted) === 0 : value === wanted;
}

/** How a value stands to the end of a test, which spells a version as text. @param {any} value @param {any} end */
function apart(value, end) {
  if (!isVersion(value)) return value - end;
  const other = read({ name: "", type: "version", kind: "given" }, end);
  return order(value.public, /** @type {import("./types.js").Dotted} */ (other).public);
}

/** @param {any} value @returns {value is import("./types.js").Dotted} */
function isVersion(value) {
  return typeof value === "object" && value !== null && "key" in value;
}
