// @ts-check
// Takes secrets, people and machines out of pasted text before anything else looks at it, as answer/diagnose/redact.py does; its rules are data.

import { maskBelow } from "./below.js";
import { every, replaced } from "./patterns.js";

/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {{hints: string[], pattern: Pattern, change: string}} Rule `change` is a template, or the name of a function below behind an = */
/** @typedef {{mask: string, public: string[], local: string[], spelt: {letters: Record<string, string>, dashes: Pattern, single: Pattern}, given: {names: string, pattern: string, named: Pattern, taken: Pattern}, line: Rule[], below: import("./below.js").Below}} Rules */

const MOST_NAMES = 200;

/** @param {string} text @param {Rules} rules @returns {string} the text without secrets, line by line as it was */
export function redact(text, rules) {
  const lines = typed(text, rules).split("\n");
  const suspect = lines.flatMap((line, place) => (holds(line, rules.below.hints) ? [place] : []));
  maskGiven(lines, suspect, rules);
  maskBelow(lines, suspect, rules.below, rules.mask);
  return lines.map((line) => (line.length < 4 ? line : apply(rules.line, line, rules))).join("\n");
}

/** A thing seen without the secrets that variables may have brought into it. @param {Seen} seen @param {Rules} rules @returns {Seen} */
export function clean(seen, rules) {
  if (["command", "options"].includes(seen.kind)) return { ...seen, value: seen.value.map((/** @type {Seen} */ part) => clean(part, rules)) };
  return { ...seen, value: cleaned(seen.value, seen.name === "container" ? "image" : seen.name, rules) };
}

/** A value without secrets, as if its name stood in front of it. @param {any} value @param {string} name @param {Rules} rules @returns {any} */
export function cleaned(value, name, rules) {
  if (typeof value === "string") return name ? redact(`${name}=${value}`, rules).replace(`${name}=`, "") : redact(value, rules);
  if (Array.isArray(value)) return value.map((inner) => cleaned(inner, name, rules));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleaned(inner, key, rules)]));
}

/** What was typed where word processors and web pages made something else of it. @param {string} text @param {Rules} rules */
function typed(text, { spelt }) {
  if (!/[^\x00-\x7f]/.test(text)) return text;
  const plain = text.replace(/[^\x00-\x7f]/g, (letter) => (Object.hasOwn(spelt.letters, letter) ? spelt.letters[letter] : letter));
  return replaced(spelt.single, replaced(spelt.dashes, plain, () => "--"), (found) => `'${found[1]}'`);
}

/** @param {string} line @param {string[]} hints */
function holds(line, hints) {
  const lowered = line.toLowerCase();
  return hints.some((hint) => lowered.includes(hint));
}

/** Masks what is set to variables that a secret is taken from, in place. @param {string[]} lines @param {number[]} places @param {Rules} rules */
function maskGiven(lines, places, { given, mask }) {
  const near = places.filter((place) => /key|token|secret|passw/.test(lines[place])).map((place) => `${lines[place]}\n${lines[place + 1] ?? ""}`);
  const names = new Set(near.flatMap((pair) => [...every(given.named, pair)].map(([, name, other]) => name ?? other)));
  if (!names.size) return;
  const taken = lines.filter((line) => line.includes("$")).flatMap((line) => [...every(given.taken, line)]);
  for (let turn = 0; turn < 5; turn += 1) for (const [, name, source] of taken) if (names.has(name)) names.add(source);
  const pattern = { pattern: given.pattern.replaceAll(given.names, [...names].sort().slice(0, MOST_NAMES).join("|")), flags: "" };
  lines.forEach((line, place) => {
    lines[place] = replaced(pattern, line, (found) => found[1] + mask);
  });
}

/** @param {Rule[]} chosen @param {string} text @param {Rules} rules */
function apply(chosen, text, rules) {
  const lowered = text.toLowerCase(), whole = text;
  for (const rule of chosen) {
    if (rule.hints.some((hint) => (/[A-Z]/.test(hint) ? whole : lowered).includes(hint))) text = replaced(rule.pattern, text, (found) => changed(rule.change, found, rules));
  }
  return text;
}

/** @param {string} change @param {RegExpMatchArray} found @param {Rules} rules */
function changed(change, found, rules) {
  if (change === "=address") return isPrivate(found[0]) ? rules.mask : found[0];
  if (change === "=host") return host(found, rules);
  return change.replace(/\\(\d)/g, (_, number) => found[Number(number)] ?? "");
}

/** Whether a text is an address or a machine's own number; loopback, the wildcard and versions such as 0.10.1.1 are none. @param {string} text */
function isPrivate(text) {
  if (/^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text)) return true;
  const four = /^\d+(?:\.\d+){3}$/.test(text);
  if (four) return text.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part) && !/^(?:127|0)\./.test(text);
  if (!text.includes(":") || !URL.canParse(`http://[${text}]/`)) return false;
  return !["[::1]", "[::]"].includes(new URL(`http://[${text}]/`).hostname);
}

/** @param {RegExpMatchArray} found @param {Rules} rules */
function host(found, rules) {
  const { before = "", host: written = "" } = found.groups ?? {};
  const [name, colon, port] = written.startsWith("[") ? [written, "", ""] : cut(written);
  const bare = name.toLowerCase().replace(/\.+$/, "");
  const known = rules.local.includes(bare) || bare.startsWith("$") || rules.public.some((each) => bare === each || bare.endsWith(`.${each}`));
  return known ? found[0] : `${before}${rules.mask}${colon}${port}`;
}

/** @param {string} text @returns {[string, string, string]} */
function cut(text) {
  const at = text.indexOf(":");
  return at < 0 ? [text, "", ""] : [text.slice(0, at), ":", text.slice(at + 1)];
}
