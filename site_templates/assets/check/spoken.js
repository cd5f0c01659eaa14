// @ts-check
// answer/spoken.py: words that engines have for a backend or a way to draft, and their settings. A slip is told, and refused where the engine's own list is closed.

import { carry } from "./carry.js";
import { closeMatches } from "./close.js";
import { DRAFT_KINDS, UNDECIDED, asWritten } from "./facts.js";
import { newestRelease } from "./hops.js";
import { Refused, newestBefore } from "./question.js";
import { lookup } from "./registry.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {{words: string, closed: boolean}} Told a word that is not known, said with the nearest that are */

/** Words that are taken whether or not a record has them. @type {Record<string, string[]>} */
const ALWAYS = {
  "attention.backend": ["auto", "none", "null"],
  "speculation.method": [...Object.keys(DRAFT_KINDS), "auto", "none", "null", "mtp", "eagle", "eagle3", "medusa"],
  cuda_graphs: ["auto", "none", "null"],
  kv_connector: ["auto", "none", "null"],
};
const MOST_KNOWN = 12;

/** Refuses a word that no record knows, where the engine's words are a closed list at that version. @param {Question} question @param {Data} data */
export function checkWords(question, data) {
  for (const { words, closed } of told(question, data)) if (closed) throw new Refused(words);
}

/** What a reader has to know of words that no record knows, or that are none of the engine's list, and of a pre-release that is newer. @param {Question} question @param {Data} data */
export function notes(question, data) {
  return [...newer(question), ...told(question, data).map(({ words }) => words)];
}

/** Where nobody named a version: the pre-release that is newer than the one that is meant, which the matrix shows. @param {Question} question */
function newer({ engine, release }) {
  const newest = newestRelease(engine).version;
  if (!release.assumed || newest === release.version) return [];
  return [`${release.version} is the newest final release on record; ${engine.id}@${newest} asks of the pre-release that the matrix shows`];
}

/** @param {Question} question @param {Data} data @returns {Told[]} */
function told(question, data) {
  return [...unknown(question, data), ...ofSettingsGiven(question, data)];
}

/** @param {Question} question @param {Data} data @returns {Generator<Told>} */
function* unknown(question, data) {
  const { engine: { id }, release: { version } } = question;
  for (const [name, value] of Object.entries(question.given)) {
    const base = Object.keys(ALWAYS).find((one) => lookup(data.catalog.facts, name) === data.catalog.facts[one]);
    if (!base || typeof value !== "string") continue;
    const own = ofSettings(question.engine.data.settings?.[base]);
    const listed = own.length > 0 && isReadHere(question, data);
    for (const word of value.split(",").map((part) => part.split(":")[0].trim())) {
      if (has([...own, ...ALWAYS[base]], word)) continue;
      const known = has(data.catalog.spoken[base], word);
      if (known && !(listed && base !== "speculation.method")) continue;
      const close = nearest(word, listed ? own : data.catalog.spoken[base]);
      const rest = close.length ? `; nearest: ${close.join(", ")}` : listed ? all(own) : "";
      if (listed && !known) yield { words: `${name} is never ${word} on ${id} ${version}${rest}`, closed: true };
      else if (listed) yield { words: `${word} is none of the words of ${id} ${version} for ${name}${rest}`, closed: false };
      else {
        // No engine of any version has the word, and one that is nearly the same is there: only what is newer than all may have it.
        const slip = base === "speculation.method" && close.length > 0 && newestBefore(question.engine, question.release) === null;
        yield { words: `no record knows ${word} as a word for ${name}${rest}`, closed: slip };
      }
    }
  }
}

/** Settings by the engine's own name that nothing on record of it knows, and values that are none of a closed list. @param {Question} question @param {Data} data @returns {Generator<Told>} */
function* ofSettingsGiven(question, data) {
  const { engine, release: { version } } = question;
  const bare = (/** @type {string} */ name) => name.slice("setting.".length);
  for (const [name, value] of Object.entries(question.given)) {
    const fact = lookup(data.catalog.facts, name)?.name ?? "";
    if (!fact.startsWith("setting.")) continue;
    const setting = engine.data.settings?.[fact];
    if (!setting) {
      const known = [...Object.keys(engine.data.settings ?? {}).filter((one) => one.startsWith("setting.")), ...engine.spoken_settings];
      if (known.includes(fact)) continue;
      const close = nearest(bare(fact), known.map(bare));
      const rest = close.length ? `; nearest: ${close.map((one) => `setting.${one}`).join(", ")}` : "";
      yield { words: `nothing on record of ${engine.id} knows ${name}, so that it decides nothing here${rest}`, closed: false };
      continue;
    }
    const own = setting.values ?? [], written = asWritten(setting, value);
    if (!own.length || UNDECIDED.includes(written) || own.includes(written) || Object.hasOwn(setting.words ?? {}, written) || written === setting.default) continue;
    const words = own.map(String);
    const close = typeof written === "string" ? nearest(written, words) : [];
    const rest = close.length ? `; nearest: ${close.join(", ")}` : `; known: ${words.join(", ")}`;
    if (isReadHere(question, data)) yield { words: `${name} is never ${written} on ${engine.id} ${version}${rest}`, closed: true };
    else yield { words: `${written} is none of the words of ${engine.id} ${newestRelease(engine).version} for ${name}${rest}`, closed: false };
  }
}

/** Whatever the case of the letters. @param {string[]} words @param {string} word */
function has(words, word) {
  return words.some((one) => one.toLowerCase() === word.toLowerCase());
}

/** @param {string[]} words */
function all(words) {
  return words.length <= MOST_KNOWN ? `; known: ${[...words].sort().join(", ")}` : "";
}

/** The known words that come nearest. @param {string} word @param {string[]} known */
function nearest(word, known) {
  /** @type {Map<string, string>} */
  const spelled = new Map();
  for (const one of [...known].sort()) if (!spelled.has(one.toLowerCase())) spelled.set(one.toLowerCase(), one);
  return closeMatches(word.toLowerCase(), [...spelled.keys()]).map((one) => /** @type {string} */ (spelled.get(one)));
}

/** Whether the engine's list, which was read at its newest release, is that of the version in question: of the same X.Y. @param {Question} question @param {Data} data */
function isReadHere({ engine, release }, data) {
  const newest = newestRelease(engine);
  const seen = [{ version: newest.version, date: newest.date, status: "native" }];
  const { status, how } = carry(engine.data.scheme, seen, release.version, release.date, { ...data.catalog.thresholds, carry_minor_releases: 0, carry_days: 0 });
  return status !== null && ["exact", "same-minor"].includes(how);
}

/** The closed list of an engine's setting, with its own words for them; empty where it has none. @param {any} setting @returns {string[]} */
function ofSettings(setting) {
  const own = [...new Set((setting?.values ?? []).map(pythonWord))];
  return own.length ? [...new Set([...own, ...Object.entries(setting.words ?? {}).flat()])] : [];
}

/** A value in the record's words. @param {any} value */
const pythonWord = (value) => (typeof value === "boolean" ? { true: "True", false: "False" }[`${value}`] : String(value));
