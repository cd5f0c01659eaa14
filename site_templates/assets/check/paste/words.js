// @ts-check
// Shell text to words and flags, as answer/diagnose/words.py: continuations, quotes, variables and JSON values, each word with its line.

import { own } from "./patterns.js";

/** @typedef {{text: string, line: number}} Word */
/** @typedef {{name: string, value: any, line: number, place: number}} Flag a flag as written, its value or null where it stands alone, and its line; `place` tells which JSON value of the command holds it */

const [MOST_LINES, MOST_CHARACTERS, MOST_NUMBER] = [200, 20_000, 2 ** 53];
const VARIABLE = /\$(?:(\w+)|\((\w+)\)|\{(\w+)(?:\[[@*]\])?(?::?-([^}]*))?\})/g;
const FLAG_LINE = /^\s+--?[A-Za-z]/;
const PAIRED = "--overrides"; // the flag of MLC LLM whose value is a list of pairs, a=1;b=2
const END = /^(?:&&|\|\|?|;|&|\d?&?>.*|<.*|#.*)$/;

/** The words of the command that begins on a line (counted from 0), and the line after it. @param {string[]} lines @param {number} start @returns {[Word[], number]} */
export function commandAt(lines, start) {
  let [text, end] = joined(lines, start);
  if (text.length >= MOST_CHARACTERS) text = text.slice(0, MOST_CHARACTERS).replace(/ ?[^ ]*$/, "");
  let texts = split(text);
  if (!texts) {
    let openText = text, openEnd = end;
    while (!texts && openEnd < lines.length && openEnd - start < MOST_LINES && openText.length < MOST_CHARACTERS) {
      const [more, next] = joined(lines, openEnd);
      openText += `\n${more}`;
      openEnd = next;
      texts = /['"]/.test(more) ? split(openText) : null;
    }
    if (texts) end = openEnd;
  }
  return [placed(texts ?? text.split(/\s+/).filter(Boolean), lines, start, end), end];
}

/** The words of a shell line; null where a quote is left open. @param {string} text @returns {string[] | null} */
export function split(text) {
  if (text.length >= MOST_CHARACTERS) return [];
  /** @type {string[]} */
  const words = [];
  /** @type {string | null} */
  let word = null;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (quote) {
      if (letter === quote) quote = "";
      else if (letter === "\\" && quote === '"' && at + 1 < text.length) word += '"\\'.includes(text[at + 1]) ? text[(at += 1)] : letter;
      else word += letter;
    } else if (" \t\r\n".includes(letter)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word ??= "";
      if (letter === "'" || letter === '"') quote = letter;
      else if (letter !== "\\") word += letter;
      else if (at + 1 < text.length) word += text[(at += 1)];
      else return null;
    }
  }
  if (quote) return null;
  return word === null ? words : [...words, word];
}

/** A line with those that continue it: after a backslash, or with flags alone on an indented line. @param {string[]} lines @param {number} start @returns {[string, number]} */
function joined(lines, start) {
  const parts = [];
  let end = start;
  while (end < lines.length && end - start < MOST_LINES) {
    const line = lines[end];
    end += 1;
    const continued = /(?:\\|(?<=\s)`|\^)\s*$/.exec(line);
    parts.push(continued ? line.slice(0, continued.index) : line);
    if (!continued && !(end < lines.length && /^\s+--?[A-Za-z]/.test(lines[end]))) break;
  }
  const text = parts.join(" ").replace(/(?<=\w)'(?=\w)/g, "’");
  return [/(?<!\w)[A-Za-z]:\\/.test(text) ? text.replace(/(?<=[\w:.])\\(?=[\w.])/g, "\\\\") : text, end];
}

/** @param {string[]} texts @param {string[]} lines @param {number} start @param {number} end @returns {Word[]} */
function placed(texts, lines, start, end) {
  let at = start;
  return texts.map((text) => {
    const head = text.split(/[\s"'\\=]/, 1)[0].slice(0, 60);
    for (let number = at; head && number < end; number += 1) {
      if (lines[number].includes(head)) {
        at = number;
        break;
      }
    }
    return { text, line: at + 1 };
  });
}

/** The words of one command: what a pipe, a redirection, a second command or a comment begins is left out. @param {Word[]} words */
export function untilOperator(words) {
  const kept = [];
  for (const word of words) {
    if (END.test(word.text)) break;
    if (word.text.endsWith(";")) return [...kept, { text: word.text.slice(0, -1), line: word.line }];
    kept.push(word);
  }
  return kept;
}

/** A text with the variables in it put in, as it is where that makes a text beyond all commands of it. @param {string} text @param {Record<string, Word>} variables */
export function filled(text, variables) {
  /** @type {(text: string, ...names: string[]) => string} */
  const value = (text, bare, round, curly, fallback) => {
    const name = bare ?? round ?? curly;
    return own(variables, name)?.text ?? fallback ?? text;
  };
  const found = text.replace(VARIABLE, value);
  return found.length <= MOST_CHARACTERS ? found : text;
}

/** The words with shell variables replaced. @param {Word[]} words @param {Record<string, Word>} variables */
export function expand(words, variables) {
  return words.flatMap((word) => {
    const expanded = { text: filled(word.text, variables), line: word.line };
    return new RegExp(`^(?:${VARIABLE.source})$`).test(word.text) ? apart(expanded) : [expanded];
  });
}

/** The words in the value of a variable; a JSON value is one. @param {Word} word @returns {Word[]} */
function apart(word) {
  const texts = /\s/.test(word.text) && !/^\s*[{[]/.test(word.text) ? split(word.text) : null;
  return texts?.length ? texts.map((text) => ({ text, line: word.line })) : [word];
}

/** The name and the words of a shell array that a line begins, `ARGS=(`, as one text; comments in it are none. @param {string[]} lines @param {number} start @returns {[string, string] | null} */
export function arrayAt(lines, start) {
  const found = /^\s*(?:(?:declare|local|readonly)\s+(?:-a\s+)?)?([A-Za-z_]\w*)\+?=\((.*)$/.exec(lines[start]);
  if (!found) return null;
  const parts = [found[2]];
  for (const line of lines.slice(start + 1, start + MOST_LINES)) {
    if (parts.at(-1)?.trimEnd().endsWith(")") || line.length > MOST_CHARACTERS) break;
    parts.push(line.trimStart().startsWith("#") ? "" : line);
  }
  const text = parts.join(" ").trim();
  return text.endsWith(")") ? [found[1], text.slice(0, -1)] : null;
}

/** The line, counted from 1, of a comment between flags: a shell ends the command there. @param {string[]} lines @param {number} start @param {number} end */
export function commentInside(lines, start, end) {
  for (let number = start + 1; number < end; number += 1) {
    if (lines[number].trimStart().startsWith("#") && lines.slice(number + 1, end).some((line) => FLAG_LINE.test(line))) return number + 1;
  }
  return 0;
}

/** @param {string} text */
export function isFlag(text) {
  return /^--?[A-Za-z]/.test(text);
}

/** The flags of a command and the words between them. @param {Word[]} words @param {(name: string) => boolean} bare which flags take no value @returns {[Flag[], Word[]]} */
export function flags(words, bare) {
  /** @type {Flag[]} */
  const found = [];
  const between = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at], next = words[at + 1];
    if (!isFlag(word.text)) {
      between.push(word);
      continue;
    }
    const equals = word.text.indexOf("=");
    const name = equals < 0 ? word.text : word.text.slice(0, equals);
    /** @type {string | null} */
    let value = equals < 0 ? null : word.text.slice(equals + 1);
    if (!/^--?[A-Za-z][\w.-]*$/.test(name)) continue;
    if (value === null && next && !isFlag(next.text) && (!bare(name) || ["true", "false"].includes(next.text.toLowerCase()))) {
      value = next.text;
      at += 1;
    }
    found.push(...flattened(name, value, word.line, at));
  }
  return [found, between];
}

/** A flag with a JSON object as one flag for each of its keys, behind a dot; one with pairs as a flag for each of them. @param {string} name @param {string | null} value @param {number} line @param {number} place @returns {Flag[]} */
function flattened(name, value, line, place) {
  if (name === PAIRED && value) {
    const pairs = value.split(";").filter((pair) => pair.includes("="));
    return pairs.map((pair) => ({ name: pair.split("=", 1)[0], value: pair.slice(pair.indexOf("=") + 1), line, place: -1 }));
  }
  const table = value?.trimStart().startsWith("{") ? asTable(value) : null;
  if (!table) return [{ name, value: value && !/^[{[]/.test(value) ? value.replace(/[,;)`]+$/, "") : value, line, place: -1 }];
  return leaves(table).map(([key, inner]) => ({ name: `${name}.${key}`, value: inner, line, place }));
}

/** Every value of nested mappings with its dotted key. @param {Record<string, any>} table @param {string} [prefix] @returns {[string, any][]} */
export function leaves(table, prefix = "") {
  return Object.entries(table).flatMap(([key, value]) => (isTable(value) ? leaves(value, `${prefix}${key}.`) : [/** @type {[string, any]} */ ([prefix + key, value])]));
}

/** @param {any} value @returns {value is Record<string, any>} */
export function isTable(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A JSON object or a Python dict from its text; null for what is neither. @param {string} text @returns {Record<string, any> | null} */
export function asTable(text) {
  const found = literal(text);
  return isTable(found) ? found : null;
}

/** A plain value from its text, in JSON's writing or Python's; undefined for what is none, and for what JSON cannot hold. @param {string} text @returns {any} */
export function literal(text) {
  for (const read of [JSON.parse, ofPython]) {
    try {
      const found = read(text.trim());
      return isHeld(found) ? found : undefined;
    } catch {
      continue;
    }
  }
}

/** Whether numbers are small enough and texts are whole. @param {any} value @returns {boolean} */
function isHeld(value) {
  if (typeof value === "number") return Math.abs(value) < MOST_NUMBER;
  if (typeof value === "string") return !/\p{Surrogate}/u.test(value);
  return typeof value !== "object" || value === null || Object.entries(value).every(([key, inner]) => isHeld(key) && isHeld(inner));
}

const STRING = /([rRuU]?)('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")/;
const NUMBER = /[-+]?(?:0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+|(?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?)(?![\w.])/;
const TOKEN = new RegExp(`\\s*(?:([{}[\\](),:])|${STRING.source}|(${NUMBER.source})|(\\w+))\\s*`, "y");
const ESCAPE = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|([\s\S]))/g;
/** @type {Record<string, any>} */
const CONSTANTS = { None: null, True: true, False: false };
/** @type {Record<string, string>} */
const CLOSING = { "{": "}", "[": "]", "(": ")" };
/** @type {Record<string, string>} */
const ESCAPED = { n: "\n", t: "\t", r: "\r", "\\": "\\", "'": "'", '"': '"', "\n": "" };

/** @param {string} digits */
function number(digits) {
  const text = digits.replaceAll("_", "").replace(/^\+/, "");
  if (/^-?0\d+$/.test(text) && Number(text)) throw new SyntaxError(digits);
  return text.startsWith("-") ? -Number(text.slice(1)) : Number(text);
}

/** @param {string} prefix @param {string} quoted */
function string(prefix, quoted) {
  const inner = quoted.slice(1, -1);
  if (/r/i.test(prefix)) return inner;
  return inner.replace(ESCAPE, (whole, two, four, letter) => (letter === undefined ? String.fromCharCode(parseInt(two ?? four, 16)) : (own(ESCAPED, letter) ?? whole)));
}

/** What Python's own writing of a value says; a SyntaxError for anything else. @param {string} text @returns {any} */
function ofPython(text) {
  /** @type {(string | undefined)[][]} */
  const tokens = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (!found) throw new SyntaxError(text);
    tokens.push(found.slice(1));
  }
  let at = 0;
  const mark = () => tokens[at]?.[0];
  /** @returns {any} */
  const value = () => {
    const [sign, prefix = "", quoted, digits, word] = tokens[at++] ?? [];
    if (quoted) {
      let whole = string(prefix, quoted);
      for (; tokens[at]?.[2]; at += 1) whole += string(tokens[at][1] ?? "", tokens[at][2] ?? "");
      return whole;
    }
    if (digits) return number(digits);
    if (word && Object.hasOwn(CONSTANTS, word)) return CONSTANTS[word];
    if (!sign || !Object.hasOwn(CLOSING, sign)) throw new SyntaxError(text);
    const items = [];
    let comma = false;
    while (mark() !== CLOSING[sign]) {
      const item = value();
      if (sign === "{" && (typeof item !== "string" || tokens[at++]?.[0] !== ":")) throw new SyntaxError(text);
      items.push(sign === "{" ? [item, value()] : item);
      comma = mark() === ",";
      if (comma) at += 1;
      else if (mark() !== CLOSING[sign]) throw new SyntaxError(text);
    }
    at += 1;
    if (sign === "(" && items.length === 1 && !comma) return items[0];
    return sign === "{" ? Object.fromEntries(items) : items;
  };
  const found = value();
  if (at !== tokens.length) throw new SyntaxError(text);
  return found;
}
