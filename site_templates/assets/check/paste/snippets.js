// @ts-check
// Calls in Python code that start an engine, as answer/diagnose/snippets.py: LLM(model=…), sgl.Engine(…), from_pretrained(…) and their like.

import { clean, isModel } from "./commands.js";
import { FlagTable } from "./flags.js";
import { every, match, own, whole } from "./patterns.js";
import { isTable, leaves, literal } from "./words.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("../paste.js").Data} Data */
/** @typedef {{name: string, engine: string, word: string, model: string[]}} Call */
/** @typedef {{calls: Call[], by_class: Record<string, string>, flags: Record<string, string>, apart: string[], words: string[], name: Pattern, assigned: Pattern, keyword: Pattern, inner: Pattern}} Snippets */
/** @typedef {[string, any, number]} Value an argument's name, its value, and its line; = stands for the class of a call inside */

const [MOST_CALLS, MOST_CHARACTERS, MOST_ARGUMENTS, MOST_NESTING, LONGEST] = [20, 20_000, 30, 6, 1000];

/** The calls of a text that start an engine, each with all that it says, as one thing seen. @param {string[]} lines @param {Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.snippets;
  /** @type {import("./commands.js").Reading} */
  const reading = { seen: [], taken: new Set() };
  const holds = (/** @type {string} */ line) => known.words.some((word) => line.includes(word));
  if (!lines.some(holds)) return reading;
  const text = lines.join("\n");
  const set = lines.map((line) => (line.includes("=") && line.length < LONGEST ? match(known.assigned, line) : null));
  const variables = Object.fromEntries(set.flatMap((found) => (found ? [[found[1], literal(found[2])]] : [])));
  let start = 0, tried = 0;
  lines.forEach((line, place) => {
    if (holds(line) && !reading.taken.has(place + 1) && line.length < MOST_CHARACTERS && tried < MOST_CALLS) {
      for (const found of every(known.name, line)) {
        const behind = start + /** @type {number} */ (found.index) + found[0].length;
        const call = known.calls.find((each) => text.includes(each.word) && new RegExp(`^(?:${each.name})$`).test(found[1]));
        const end = call ? closing(text, behind) : null;
        if (!call || end === null) continue;
        tried += 1;
        const said = saidBy(call, text.slice(behind, end), place + 1, variables, data);
        if (said) {
          reading.seen.push(said);
          const last = place + 1 + (text.slice(behind, end).match(/\n/g)?.length ?? 0);
          for (let number = place + 1; number <= last; number += 1) reading.taken.add(number);
        }
        break;
      }
    }
    start += line.length + 1;
  });
  return reading;
}

/** The place of the bracket that closes one opened before a place; null where none does in reach. @param {string} text @param {number} start @returns {number | null} */
function closing(text, start) {
  const limit = Math.min(text.length, start + MOST_CHARACTERS);
  let depth = 1;
  for (let at = start; at < limit; at += 1) {
    const letter = text[at];
    if (letter === "'" || letter === '"') {
      const end = text.indexOf(letter, at + 1);
      if (end < 0 || end >= limit || text.slice(at, end).includes("\n")) return null;
      at = end;
    } else if (letter === "#") {
      at = text.indexOf("\n", at);
      if (at < 0 || at >= limit) return null;
    } else if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) {
      depth -= 1;
      if (!depth) return at;
    }
  }
  return null;
}

/** The arguments of a call as they are written, without comments, each with the lines that stand before it. @param {string} text @returns {[string, number][]} */
function argumentsIn(text) {
  /** @type {[string, number][]} */
  const found = [];
  let depth = 0, part = "", at = 0, lines = 0, began = 0;
  while (at < text.length) {
    const letter = text[at];
    if (letter === "'" || letter === '"') {
      const end = text.indexOf(letter, at + 1) + 1 || text.length;
      part += text.slice(at, end);
      at = end;
      continue;
    }
    if (letter === "#") {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
      continue;
    }
    if (letter === "," && !depth) {
      found.push([part, began]);
      [part, began] = ["", lines];
    } else {
      depth += Number("([{".includes(letter)) - Number(")]}".includes(letter));
      part += letter;
    }
    lines += Number(letter === "\n");
    if (!part.trim()) began = lines;
    at += 1;
  }
  return part.trim() ? [...found, [part, began]] : found;
}

/** The arguments of a call with their values. @param {string} text @param {number} line @param {Record<string, any>} variables @param {Snippets} known @param {number} [depth] @returns {Value[]} */
function values(text, line, variables, known, depth = 0) {
  return argumentsIn(text).flatMap(([part, before]) => {
    const keyword = whole(known.keyword, part.trim());
    const name = keyword ? keyword[1] : "", written = keyword ? keyword[2] : part.trim(), at = line + before;
    const inner = depth < MOST_NESTING ? whole(known.inner, written) : null;
    if (inner && known.apart.includes(name)) return [/** @type {Value} */ (["=", inner[1].split(".").at(-1), at]), ...values(inner[2], at, variables, known, depth + 1)];
    if (inner?.[1] === "dict") return [/** @type {Value} */ ([name, Object.fromEntries(values(inner[2], at, variables, known, depth + 1).filter(([key]) => key !== "=")), at])];
    const isName = /^[A-Za-z_]\w*$/.test(written) && !["True", "False", "None"].includes(written);
    const value = isName ? (own(variables, written) ?? null) : (literal(written) ?? null);
    if (known.apart.includes(name) && isTable(value)) return Object.entries(value).map(([key, one]) => /** @type {Value} */ ([key, one, at]));
    return [/** @type {Value} */ ([name, value, at])];
  });
}

/** @param {Call} call @param {string} text @param {number} line @param {Record<string, any>} variables @param {Data} data @returns {Seen | null} */
function saidBy(call, text, line, variables, data) {
  const known = data.snippets, found = values(text, line, variables, known);
  const named = found.find(([name, value]) => name === "=" && Object.hasOwn(known.by_class, value));
  const engine = named ? known.by_class[named[1]] : call.engine, table = new FlagTable(engine, data.flags);
  const models = [...call.model, ""].flatMap((key) => found.filter(([name, value]) => name === key && typeof value === "string" && isModel(value, data.commands)));
  const given = found.filter(([name, value]) => !["", "=", ...call.model].includes(name) && value !== null);
  const said = given.flatMap(([name, value, at]) => flagsOf(own(known.flags, name) ?? name, value, at)).flatMap((flag) => table.read(clean(flag, data)));
  const dumped = found.length >= MOST_ARGUMENTS;
  const facts = said.filter((one) => one.kind === "fact" && (!dumped || one.value !== table.default(one.name)));
  const sure = said.some((one) => one.kind === "fact") || engine === "transformers" || call.word || /hf|\//.test(text);
  if (!(models.length || facts.length) || !sure) return null;
  const model = models.slice(0, 1).map(([, value, at]) => ({ kind: "model", name: "", value, line: at }));
  return { kind: "command", name: engine, value: [...model, ...(dumped ? facts : said)], line };
}

/** @param {string} name @param {any} value @param {number} line @returns {import("./words.js").Flag[]} */
function flagsOf(name, value, line) {
  if (!isTable(value)) return [{ name: `--${name}`, value, line, place: -1 }];
  return leaves(value).map(([key, inner]) => ({ name: `--${name}.${key}`, value: inner, line, place: -1 }));
}
