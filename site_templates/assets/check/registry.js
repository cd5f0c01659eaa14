// @ts-check
// condition/facts.py: what the declaration of a fact says of its name and its values. The registry itself is in the delivered catalog.

import { dotted } from "./pep440.js";

/** @typedef {import("./types.js").Fact} Fact */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {Record<string, Fact>} Registry */

const SCOPES = ["target.", "draft.", "vision.", "prefill.", "decode."];
const STAGES = [".requested", ".resolved"];
const SETTING = /^setting\.[a-z][a-z0-9_]*$/;
/** What is told of an engine, a library or a package by its id: flashinfer.version, vllm.has_pr. */
const OF_COMPONENT = /^([a-z0-9][a-z0-9.-]*)\.(version|has_pr)$/;
const COMMIT = /^(?=.*[a-f])[0-9a-f]{7,40}$/;
const UNTAGGED = new Set(["0", "0.0", "0.0.0", "0.1"]); // what a build tool writes when it finds no tag
/** Facts that say which model it is; what was tried on one value says nothing of the others. */
export const IDENTITY = new Set(["model.id", "model.architecture", "model.family"]);
/** @type {Record<string, string>} */
const IN_WORDS = {
  bool: "true or false",
  int: "a whole number",
  float: "a number",
  word: "a word",
  version: 'a quoted version such as "12.8"',
  any: "a word, a number, true or false",
  list: "a list, of which a relation asks any(…) or all(…)",
};

/** The declaration behind a name, whatever its scope and stage. @param {Registry} registry @param {string} name @returns {Fact | null} */
export function lookup(registry, name) {
  for (const spelling of spellings(name)) {
    if (Object.hasOwn(registry, spelling)) return registry[spelling];
    if (SETTING.test(spelling)) return { name: spelling, type: "any", kind: "given" };
    const ending = scopeOf(spelling) ? undefined : OF_COMPONENT.exec(spelling)?.[2];
    if (ending === "version") return { name: spelling, type: "version", kind: "given" };
    if (ending) return { name: spelling, type: "int", kind: "given", several: true, told: true };
  }
  return null;
}

/** The id in a fact such as flashinfer.version that is not declared by name; null for any other fact. @param {Registry} registry @param {string} name */
export function componentOf(registry, name) {
  const found = lookup(registry, name)?.name ?? "";
  return Object.hasOwn(registry, found) || SETTING.test(found) ? null : (OF_COMPONENT.exec(found)?.[1] ?? null);
}

/** As written, then without its stage, its scope, and both. @param {string} name */
export function spellings(name) {
  const stage = STAGES.find((ending) => name.endsWith(ending)) ?? "";
  const bare = name.slice(0, name.length - stage.length);
  const scope = scopeOf(name).length;
  return [...new Set([name, bare, name.slice(scope), bare.slice(scope)])];
}

/** @param {string} name */
export function scopeOf(name) {
  return SCOPES.find((scope) => name.startsWith(scope)) ?? "";
}

/** A name without its scope and its stage. @param {string} name */
export function bareName(name) {
  const stage = STAGES.find((ending) => name.endsWith(ending)) ?? "";
  return name.slice(scopeOf(name).length, name.length - stage.length);
}

/** Whether a value is a range. @param {any} value @returns {value is Range} */
export function isRange(value) {
  return typeof value === "object" && value !== null && "low" in value;
}

/**
 * The value as tests compare it; one that is not of the fact's type, such as "auto" for a number, tells nothing.
 * @param {Fact} fact @param {any} value @returns {Value | undefined}
 */
export function read(fact, value) {
  if (value === null || isRange(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => read(fact, item));
    return items.includes(undefined) ? undefined : /** @type {any} */ (items);
  }
  if (fact.type === "version") return readVersion(String(value));
  return isOfType(fact, value) ? value : undefined;
}

/**
 * A version as conditions compare it: by PEP 440, or a build number such as b10488. Commits, images and nightlies without a tag have no
 * order and tell nothing; a local label is not looked at.
 * @param {string} text @returns {import("./types.js").Dotted | undefined}
 */
export function readVersion(text) {
  if (COMMIT.test(text)) return undefined; // PEP 440 would read the commit 4b12345 as a beta
  const version = dotted(/^b\d+$/.test(text) ? text.slice(1) : text);
  return version && !(version.dev && !version.pre && UNTAGGED.has(version.release.join("."))) ? version : undefined;
}

/** @param {Fact} fact @param {any} value */
function isOfType(fact, value) {
  if (fact.type === "any") return ["boolean", "number", "string"].includes(typeof value);
  if (fact.type === "list") return false;
  return typeof value === { bool: "boolean", int: "number", float: "number", word: "string", version: "string" }[fact.type];
}

/**
 * Why a fact cannot have the value; empty where it can.
 * @param {Fact} fact @param {any} value @param {string[]} words those of its vocabulary list
 */
export function complaint(fact, value, words) {
  const whole = fact.type !== "int" || Number.isInteger(value);
  const known = fact.type !== "version" || readVersion(String(value)) !== undefined;
  if (!isOfType(fact, value) || !whole || !known) return `${fact.name} is ${IN_WORDS[fact.type]}, not ${written(value)}`;
  const allowed = fact.values ?? words;
  return allowed.length && !allowed.includes(value) ? `${fact.name} is never ${written(value)}; it is one of ${allowed.join(", ")}` : "";
}

/** @param {any} value */
function written(value) {
  return typeof value === "string" ? `"${value}"` : String(value);
}
