// @ts-check
// condition/arithmetic.py: comparing quantities, each a number or everything between two, exactly; versions by their order; words by equality.

import { decimal, exact, Fraction, ZERO } from "./fraction.js";
import { order } from "./pep440.js";
import { isRange, readVersion } from "./registry.js";

/** @typedef {import("./types.js").Term} Term */
/** @typedef {import("./types.js").Comparison} Comparison */
/** @typedef {import("./types.js").Dotted} Dotted */
/** @typedef {Fraction | number} End a number here is Infinity or -Infinity */
/** @typedef {[End, End]} Span */

/** @type {Record<string, string>} */
const NEGATED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" };

/**
 * Whether the comparison can hold for the values, or with `always` whether it must; null where one of them is not known. A value of null
 * (there is none) makes it false, whatever the others are.
 * @param {Comparison} comparison @param {(name: string) => any} valueOf undefined where nothing is known @param {boolean} always
 * @param {(name: string) => boolean} counts whether the fact of a name is a whole number @returns {boolean | null}
 */
export function compare(comparison, valueOf, always, counts) {
  const values = namesIn(comparison).map(valueOf);
  if (values.includes(null)) return false;
  return values.includes(undefined) ? null : holds(comparison, valueOf, always, counts);
}

/** The names on both sides. @param {Comparison} comparison @returns {string[]} */
export function namesIn({ left, right }) {
  return [...namesOf(left), ...namesOf(right)];
}

/** @param {Term} term @returns {string[]} */
function namesOf(term) {
  if (Array.isArray(term)) return [...namesOf(term[1]), ...namesOf(term[2])];
  return typeof term === "string" ? [term] : [];
}

/** Whether a side is a name or a word that is written out. @param {Term} term */
export function isBare(term) {
  return typeof term === "string" || (typeof term === "object" && !Array.isArray(term));
}

/**
 * A division by zero makes it false.
 * @param {Comparison} comparison @param {(name: string) => any} valueOf @param {boolean} always @param {(name: string) => boolean} counts @returns {boolean}
 */
function holds({ left, sign, right }, valueOf, always, counts) {
  const [one, other] = [compute(left, valueOf, counts), compute(right, valueOf, counts)];
  if (isVersion(one) || isVersion(other)) return ofVersions(sign, asVersion(one), asVersion(other));
  if (one === null || other === null) return false;
  if (!Array.isArray(one) || !Array.isArray(other)) return (sign === "==" || sign === "!=") && (one === other) === (sign === "==");
  const spans = /** @type {[Span, Span]} */ ([one, other]);
  return always ? !possible(NEGATED[sign], ...spans) : possible(sign, ...spans);
}

/** @param {any} value @returns {value is Dotted} */
function isVersion(value) {
  return typeof value === "object" && value !== null && "key" in value;
}

/** @param {any} value @returns {Dotted | undefined} */
function asVersion(value) {
  return isVersion(value) ? value : typeof value === "string" ? readVersion(value) : undefined;
}

/** @param {string} sign @param {Dotted | undefined} left @param {Dotted | undefined} right */
function ofVersions(sign, left, right) {
  return left !== undefined && right !== undefined && signed(sign, order(left.public, right.public));
}

/** @param {string} sign @param {number} apart */
function signed(sign, apart) {
  return { "<": apart < 0, "<=": apart <= 0, ">": apart > 0, ">=": apart >= 0, "==": apart === 0, "!=": apart !== 0 }[sign] ?? false;
}

/** @param {string} sign @param {Span} left @param {Span} right */
function possible(sign, left, right) {
  if (sign === "<" || sign === "<=") return signed(sign, apart(left[0], right[1]));
  if (sign === ">" || sign === ">=") return signed(sign, apart(left[1], right[0]));
  if (sign === "==") return apart(left[0], right[1]) <= 0 && apart(right[0], left[1]) <= 0;
  return !(apart(left[0], left[1]) === 0 && apart(left[1], right[0]) === 0 && apart(right[0], right[1]) === 0);
}

/**
 * The span of values that a term can take, a value that is no quantity as it is, or null.
 * @param {Term} term @param {(name: string) => any} valueOf @param {(name: string) => boolean} counts @returns {Span | any}
 */
function compute(term, valueOf, counts) {
  if (typeof term === "number") return both(term);
  if (typeof term === "string") {
    const value = valueOf(term);
    return isRange(value) ? [end(value.low), end(value.high)] : typeof value === "number" ? both(value) : value;
  }
  if (!Array.isArray(term)) return term.word;
  const [left, right] = [compute(term[1], valueOf, counts), compute(term[2], valueOf, counts)];
  if (left === null || right === null) return null;
  return combine(term[0], left, right, isWhole(term[1], valueOf, counts) && isWhole(term[2], valueOf, counts));
}

/**
 * Whether a term only takes whole numbers.
 * @param {Term} term @param {(name: string) => any} valueOf @param {(name: string) => boolean} counts @returns {boolean}
 */
function isWhole(term, valueOf, counts) {
  if (typeof term === "number") return Number.isInteger(term);
  if (typeof term === "string") return isRange(valueOf(term)) ? counts(term) : Number.isInteger(valueOf(term));
  return Array.isArray(term) && term[0] !== "/" && isWhole(term[1], valueOf, counts) && isWhole(term[2], valueOf, counts);
}

/** @param {number} value @returns {Span} */
function both(value) {
  return [end(value), end(value)];
}

/** 0.95 is meant as 95/100, so the decimal that is written counts and not its binary neighbour. @param {number} value @returns {End} */
function end(value) {
  return Number.isFinite(value) ? decimal(value) : value;
}

/**
 * A remainder of a range may come out too wide, never too narrow.
 * @param {string} sign @param {Span} a @param {Span} b @param {boolean} whole numbers alone @returns {Span | null}
 */
function combine(sign, a, b, whole) {
  if (sign === "+") return [plus(a[0], b[0]), plus(a[1], b[1])];
  if (sign === "-") return [plus(a[0], times(b[1], exact(-1))), plus(a[1], times(b[0], exact(-1)))];
  if (sign === "*") return hull(a.flatMap((x) => b.map((y) => times(x, y))));
  if (apart(b[0], ZERO) <= 0 && apart(ZERO, b[1]) <= 0) return null;
  const quotient = hull(a.flatMap((x) => b.map((y) => divide(x, y))));
  const down = /** @type {Span} */ (quotient.map(floor));
  if (sign === "/") return quotient;
  if (sign === "//") return down;
  if (apart(down[0], down[1]) === 0 && apart(b[0], b[1]) === 0) {
    const taken = times(times(down[0], b[0]), exact(-1));
    return [plus(a[0], taken), plus(a[1], taken)];
  }
  const step = exact(whole ? 1 : 0); // the remainder of whole numbers is at least 1 short of the divisor
  return [hull([ZERO, plus(b[0], step)])[0], hull([ZERO, plus(b[1], times(step, exact(-1)))])[1]];
}

/** @param {End} x @param {End} y @returns {number} below 0, 0 or above 0 */
function apart(x, y) {
  if (x instanceof Fraction && y instanceof Fraction) return x.compare(y);
  const [one, other] = [x, y].map((value) => (value instanceof Fraction ? 0 : value));
  return one === other ? 0 : one < other ? -1 : 1;
}

/** @param {End} x @param {End} y @returns {End} */
function plus(x, y) {
  if (x instanceof Fraction) return y instanceof Fraction ? x.plus(y) : y;
  return y instanceof Fraction ? x : x + y;
}

/** @param {End} x @param {End} y @returns {End} */
function times(x, y) {
  if (apart(x, ZERO) === 0 || apart(y, ZERO) === 0) return ZERO;
  return x instanceof Fraction && y instanceof Fraction ? x.times(y) : apart(x, ZERO) * apart(y, ZERO) * Infinity;
}

/** @param {End} x @param {End} y not 0 @returns {End} */
function divide(x, y) {
  if (!(y instanceof Fraction)) return ZERO;
  return x instanceof Fraction ? x.over(y) : apart(x, ZERO) * apart(y, ZERO) * Infinity;
}

/** @param {End} x @returns {End} */
function floor(x) {
  if (!(x instanceof Fraction)) return x;
  const down = x.top % x.bottom < 0n ? 1n : 0n;
  return new Fraction(x.top / x.bottom - down);
}

/** @param {End[]} corners @returns {Span} */
function hull(corners) {
  const sorted = [...corners].sort(apart);
  return [sorted[0], sorted[sorted.length - 1]];
}
