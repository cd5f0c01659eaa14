// @ts-check
// infercompat/units.py: bytes of a cache element, and how sizes are written.
import { Fraction } from "./fraction.js";

/** @param {number} top @param {number} [bottom] */
const of = (top, bottom = 1) => new Fraction(BigInt(top), BigInt(bottom));

/** Block formats carry their scales. @type {Record<string, Fraction>} */
export const ELEMENT_BYTES = {
  fp32: of(4),
  bf16: of(2),
  fp16: of(2),
  fp8: of(1),
  fp8_e4m3: of(1),
  fp8_e5m2: of(1),
  int8: of(1),
  int4: of(1, 2),
  nvfp4: of(9, 16),
  q8_0: of(34, 32),
  q5_1: of(24, 32),
  q5_0: of(22, 32),
  q4_1: of(20, 32),
  q4_0: of(18, 32),
  iq4_nl: of(18, 32),
};

/** @type {[number, string][]} */
const STEPS = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];

/** A size in powers of two, three significant figures at least: 83886080 is 80 MiB. @param {number} count */
export function formatBytes(count) {
  for (const [step, unit] of STEPS) {
    const value = count / step;
    if (Math.abs(count) >= step) return value < 1000 ? `${trimmed(fixed(value, 2))} ${unit}` : `${grouped(fixed(value, 0))} ${unit}`;
  }
  return `${grouped(fixed(count, 0))} B`;
}

/** @param {string} digits */
const trimmed = (digits) => digits.replace(/0+$/, "").replace(/\.$/, "");

/** @param {string} digits */
const grouped = (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ",");

/** As Python's format does: what lies just between two goes to the even one. @param {number} value @param {number} digits */
export function fixed(value, digits) {
  const size = Math.abs(value);
  if ((size * 2 ** (digits + 1)) % 2 !== 1) return value.toFixed(digits);
  const below = Math.floor(size * 10 ** digits);
  return ((Math.sign(value) * (below + (below % 2))) / 10 ** digits).toFixed(digits);
}
