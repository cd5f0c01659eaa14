// @ts-check
// What Python says of the values of a JSON text: their truth, their kind and how they are written.

import { Float } from "./json.js";

/** @typedef {import("./json.js").Value} Value */

/** Stands for a field that is not there, which is another statement than null. As false as null is. */
export const ABSENT = Symbol("absent");

/** @param {any} value */
export function truthy(value) {
  if (value === ABSENT) return false;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof Float) return value.value !== 0;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

/** A whole number of any size; true and false are none. @param {any} value @returns {value is number | bigint} */
export function isInt(value) {
  return typeof value === "number" || typeof value === "bigint";
}

/** A mapping. @param {any} value @returns {value is Map<string, any>} */
export function isDict(value) {
  return value instanceof Map;
}

/** The first so many characters. @param {string} text @param {number} most */
export function clipped(text, most) {
  return [...text].slice(0, most).join("");
}

/** As str(value). @param {any} value */
export function str(value) {
  return typeof value === "string" ? value : repr(value);
}

/** As repr(value) of a word or a number, true and false. @param {any} value @returns {string} */
export function repr(value) {
  if (value instanceof Float) return ofFloat(value.value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? ofText(value) : String(value);
}

/** The name of a value's type. @param {any} value */
export function typeName(value) {
  if (value === null) return "NoneType";
  if (isDict(value)) return "dict";
  if (Array.isArray(value)) return "list";
  if (value instanceof Float) return "float";
  if (typeof value === "string") return "str";
  return typeof value === "boolean" ? "bool" : "int";
}

/** @param {number} value */
function ofFloat(value) {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const [digits, exponent] = value.toExponential().split("e");
  const power = Number(exponent);
  if (value !== 0 && (power < -4 || power >= 16)) return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  const plain = power < 0 ? value.toFixed(Math.max(0, digits.replace(/[-.]/g, "").length - 1 - power)) : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

/** @type {Record<string, string>} */
const ESCAPES = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** @param {string} text */
function ofText(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const letters = [...text].map((letter) => {
    if (letter === quote) return `\\${letter}`;
    if (letter in ESCAPES) return ESCAPES[letter];
    if (letter === " " || !/[\p{C}\p{Z}]/u.test(letter)) return letter;
    const code = /** @type {number} */ (letter.codePointAt(0)).toString(16);
    if (code.length <= 2) return `\\x${code.padStart(2, "0")}`;
    return code.length <= 4 ? `\\u${code.padStart(4, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
  return quote + letters.join("") + quote;
}
