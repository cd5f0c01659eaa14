// @ts-check
// What the lines of an engine's log prove, as answer/diagnose/logs.py: version, settings, backend, cache size, lack of memory.

import { FlagTable } from "./flags.js";
import { every, match, own, search } from "./patterns.js";
import { asTable, leaves } from "./words.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("../paste.js").Data} Data */
/** @typedef {{what: string, engine: string, words: string, pattern: Pattern, value: string}} Sign */
/** @typedef {{signs: Sign[], versions: [string, string, Pattern][], traces: [string, string][], backends: Record<string, string>, known_backends: Record<string, string[]>, keys: Record<string, string>, dumps: [string, string, Pattern][], pair: Pattern, some: Pattern, speculation: Pattern, model_files: [string, Pattern][]}} Logs */

const [MOST_OF_A_KIND, MOST_LINES, LONGEST_LINE] = [6, 500, 20_000];

/** @param {string[]} lines @param {Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.logs;
  const seen = [...versions(lines, known), ...settings(lines, data), ...findings(lines, known)];
  for (const [engine, words] of known.traces) {
    const at = lines.findIndex((line) => line.includes(words));
    if (at >= 0) seen.push({ kind: "engine", name: engine, value: 3, line: at + 1 });
  }
  return { seen: seen.sort((one, other) => one.line - other.line), taken: new Set() };
}

/** The first lines that hold some words, with their numbers. @param {string[]} lines @param {string} words @returns {[number, string][]} */
function holding(lines, words) {
  /** @type {[number, string][]} */
  const found = [];
  for (let number = 0; number < lines.length && found.length < MOST_LINES; number += 1) {
    if (lines[number].includes(words)) found.push([number + 1, lines[number].slice(0, LONGEST_LINE)]);
  }
  return found;
}

/** The first of the lines that hold some words in which a pattern is found. @param {string[]} lines @param {string} words @param {Pattern} pattern @returns {[number, RegExpExecArray] | null} */
function first(lines, words, pattern) {
  for (const [number, line] of holding(lines, words)) {
    const found = search(pattern, line);
    if (found) return [number, found];
  }
  return null;
}

/** @param {string[]} lines @param {Logs} known @returns {Seen[]} */
function versions(lines, known) {
  return known.versions.flatMap(([engine, words, pattern]) => {
    const found = first(lines, words, pattern);
    if (!found) return [];
    const [line, [, version, commit]] = found;
    return [
      { kind: "engine", name: engine, value: 1, line },
      { kind: "component", name: engine, value: engine === "llama.cpp" ? `b${version}` : version, line },
      ...(commit ? [{ kind: "build", name: engine, value: commit, line }] : []),
    ];
  });
}

/** What an engine prints of its own arguments at the start. @param {string[]} lines @param {Data} data @returns {Seen[]} */
function settings(lines, data) {
  /** @type {Seen[]} */
  const seen = [];
  for (const [engine, words, pattern] of data.logs.dumps) {
    const found = first(lines, words, pattern);
    if (found) seen.push(...dumped(new FlagTable(engine, data.flags), found[1][1], found[0], data.logs));
  }
  for (const [words, pattern] of data.logs.model_files) {
    for (const [line, text] of holding(lines, words)) {
      const found = search(pattern, text);
      if (found) seen.push({ kind: "model", name: "", value: found[1], line });
    }
  }
  return seen;
}

/** The model and the facts of a dump; those at their defaults tell nothing. @param {FlagTable} table @param {string} text @param {number} line @param {Logs} known @returns {Seen[]} */
function dumped(table, text, line, known) {
  /** @type {Map<string, any>} */
  const given = new Map();
  for (const [name, value] of pairs(text, known)) if (!given.has(name)) given.set(name, value);
  /** @type {Seen[]} */
  const seen = [{ kind: "engine", name: table.engine, value: 1, line }];
  const model = ["model", "model_path", "model_tag", "model_id"].map((name) => given.get(name)).find(Boolean);
  if (model) seen.push({ kind: "model", name: "", value: String(model), line });
  const chosen = table.engine === "vllm" && text.startsWith("{"); // vLLM's dict holds what is not at its default
  const facts = [...given].filter(([, value]) => value !== null).flatMap(([name, value]) => table.read({ name: name === name.toUpperCase() ? name : `--${own(known.keys, name) ?? name}`, value, line, place: -1 }));
  const told = facts.filter((one) => one.kind === "fact" && (chosen || one.value !== table.default(one.name)));
  const speculation = search(known.speculation, text);
  if (speculation) {
    told.push({ kind: "fact", name: "speculation.method", value: speculation[1], line }, { kind: "fact", name: "speculation.tokens", value: Number(speculation[2]), line });
  }
  return [...seen, { kind: "options", name: table.engine, value: told, line }];
}

/** The arguments of a dump: a dict, else pairs of name and value. @param {string} text @param {Logs} known @returns {[string, any][]} */
function pairs(text, known) {
  const table = text.startsWith("{") ? asTable(text) : null;
  if (table) return leaves(table);
  if (match(known.some, text)) {
    const said = [...every(known.some, text)].map(([, name, some, plain]) => /** @type {[string, any]} */ ([name, (some || plain || "").replace(/^"+|"+$/g, "")]));
    return said.filter(([, value]) => !["None", ""].includes(value));
  }
  const found = [...every(known.pair, text)].filter(([, , value]) => !["None", "''", '""'].includes(value));
  return found.map(([, name, value]) => [name, value.replace(/^['"]+|['"]+$/g, "")]);
}

/** @param {string[]} lines @param {Logs} known @returns {Seen[]} */
function findings(lines, known) {
  /** @type {Seen[]} */
  const seen = [];
  const told = new Set();
  for (const sign of known.signs) {
    const values = new Set();
    for (const [line, text] of holding(lines, sign.words)) {
      const found = search(sign.pattern, text);
      const value = found ? sign.value.replace(/\{(\d)\}/g, (_, place) => found[Number(place) + 1]).trim() : "";
      if (!value || values.has(value) || told.has(`${sign.what} ${line}`) || values.size === MOST_OF_A_KIND) continue;
      values.add(value);
      told.add(`${sign.what} ${line}`);
      seen.push({ kind: "log", name: sign.what, value, line });
      if (sign.engine) seen.push({ kind: "engine", name: sign.engine, value: 2, line });
      if (sign.what === "attention backend") seen.push(...backend(value, sign.engine, line, known));
    }
  }
  return seen;
}

/** The backend as a fact, where the engine's record knows it by that name. @param {string} value @param {string} engine @param {number} line @param {Logs} known @returns {Seen[]} */
function backend(value, engine, line, known) {
  const name = own(known.backends, value) ?? value;
  const fact = { kind: "fact", name: "attention.backend", value: name, line };
  return own(known.known_backends, engine)?.includes(name) ? [{ kind: "options", name: engine, value: [fact], line }] : [];
}
