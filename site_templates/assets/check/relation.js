// @ts-check
// condition/relation.py: comparing two quantities, each a number or everything between two. Whole numbers and plain decimals are exact here.

import { isRange } from "./registry.js";

/** @typedef {import("./types.js").Term} Term */
/** @typedef {[number, number]} Span */

/** @type {Record<string, string>} */
const NEGATED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" };

/**
 * Whether the relation can hold for the values, or with `always` whether it must; a division by zero makes it false.
 * @param {Term} left @param {string} sign @param {Term} right @param {Map<string, any>} values @param {boolean} always
 */
export function holds(left, sign, right, values, always) {
  const [one, other] = [compute(left, values), compute(right, values)];
  if (one === null || other === null) return false;
  if (!Array.isArray(one) || !Array.isArray(other)) return (sign === "==" || sign === "!=") && (one === other) === (sign === "==");
  const spans = /** @type {[Span, Span]} */ ([one, other]);
  return always ? !possible(NEGATED[sign], ...spans) : possible(sign, ...spans);
}

/** @param {string} sign @param {Span} left @param {Span} right */
function possible(sign, left, right) {
  if (sign === "<") return left[0] < right[1];
  if (sign === "<=") return left[0] <= right[1];
  if (sign === ">") return left[1] > right[0];
  if (sign === ">=") return left[1] >= right[0];
  if (sign === "==") return left[0] <= right[1] && right[0] <= left[1];
  return !(left[0] === left[1] && left[1] === right[0] && right[0] === right[1]);
}

/**
 * The span of values that a term can take, a value that is no quantity as it is, or null.
 * @param {Term} term @param {Map<string, any>} values @returns {Span | any}
 */
function compute(term, values) {
  if (typeof term === "number") return [term, term];
  if (typeof term === "string") {
    const value = values.get(term);
    return isRange(value) ? [value.low, value.high] : typeof value === "number" ? [value, value] : value;
  }
  const [left, right] = [compute(term[1], values), compute(term[2], values)];
  return left === null || right === null ? null : combine(term[0], left, right);
}

/** A remainder of a range may come out too wide, never too narrow. @param {string} sign @param {Span} a @param {Span} b @returns {Span | null} */
function combine(sign, a, b) {
  if (sign === "+") return [a[0] + b[0], a[1] + b[1]];
  if (sign === "-") return [a[0] - b[1], a[1] - b[0]];
  if (sign === "*") return hull(a.flatMap((x) => b.map((y) => (x === 0 || y === 0 ? 0 : x * y))));
  if (b[0] <= 0 && 0 <= b[1]) return null;
  const quotient = hull(a.flatMap((x) => b.map((y) => (Number.isFinite(y) ? x / y : 0))));
  const whole = /** @type {Span} */ (quotient.map(Math.floor));
  if (sign === "/") return quotient;
  if (sign === "//") return whole;
  if (whole[0] === whole[1] && b[0] === b[1]) return [a[0] - whole[0] * b[0], a[1] - whole[0] * b[0]];
  return [Math.min(0, b[0]), Math.max(0, b[1])];
}

/** @param {number[]} corners @returns {Span} */
function hull(corners) {
  return [Math.min(...corners), Math.max(...corners)];
}
