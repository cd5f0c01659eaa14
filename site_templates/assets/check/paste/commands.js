// @ts-check
// Serve commands in pasted text, as answer/diagnose/commands.py: which engine, which model, and what the flags say.

import { FlagTable } from "./flags.js";
import { match, search, whole } from "./patterns.js";
import { redact } from "./redact.js";
import { commandAt, expand, flags, isFlag, untilOperator } from "./words.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./words.js").Word} Word */
/** @typedef {import("./words.js").Flag} Flag */
/** @typedef {{words: string[], engine: string, model_flags: string[], others: Record<string, string>}} Program */
/** @typedef {{programs: Program[], images: [string, string][], starts: string[], assignment: Pattern, in_front: Pattern, version: Pattern, model: Pattern}} Commands */
/** @typedef {{seen: Seen[], taken: Set<number>}} Reading */
/** @typedef {import("../paste.js").Data} Data */

const MOST_COMMANDS = 50;
const DRAFTS = ["eagle3", "eagle", "dflash", "mtp", "assistant"];
const MOVING = ["latest", "nightly", "dev", "main", "server", "server-cuda", "full-cuda"];

/** The serve commands of a text, each with all that it says, as one thing seen. @param {string[]} lines @param {Data} data @returns {Reading} */
export function read(lines, data) {
  /** @type {Reading} */
  const reading = { seen: [], taken: new Set() };
  /** @type {Record<string, Word>} */
  const variables = {};
  let number = 0, tried = 0;
  while (number < lines.length) {
    const line = lines[number];
    if (tried < MOST_COMMANDS && starts(line, data.commands)) {
      tried += 1;
      const [words, end] = commandAt(lines, number);
      const found = command(words, variables, data);
      if (found) {
        reading.seen.push(found);
        for (; number < end; number += 1) reading.taken.add(number + 1);
        continue;
      }
    }
    const assigned = line.includes("=") && line.length < 500 ? match(data.commands.assignment, line) : null;
    if (assigned) variables[assigned[1]] = { text: assigned.slice(2).find((group) => group !== undefined) ?? "", line: number + 1 };
    number += 1;
  }
  return reading;
}

/** @param {string} line @param {Commands} known */
function starts(line, known) {
  return known.starts.some((start) => line.includes(start));
}

/** What a command says; null where it starts no engine or is a mention in a sentence. @param {Word[]} written @param {Record<string, Word>} variables @param {Data} data @returns {Seen | null} */
function command(written, variables, data) {
  const known = Object.fromEntries(Object.entries(variables).map(([name, word]) => [name, word.text]));
  const words = expand(unwrapped(written, data.commands), known);
  let [program, start] = programOf(words, data.commands);
  const at = imageAt(program ? words.slice(0, start) : words, data.commands);
  const image = words[at];
  if (!program && image) {
    const entry = data.commands.images.find(([name]) => image.text.includes(name))?.[1] ?? "";
    program = data.commands.programs.find((each) => each.words.join(" ") === entry) ?? null;
    start = at + 1;
  }
  if (!program) return null;
  const given = untilOperator(words.slice(start));
  program = byArgument(program, given);
  const environment = { ...variables, ...environmentOf(words.slice(0, image ? at + 1 : start), data.commands) };
  const said = [...argumentsOf(program, given, environment, data), ...(image ? ofImage(program, image, data.commands) : [])];
  if (!said.some((one) => one.kind === "model") && !given.some((word) => isFlag(word.text))) return null;
  return { kind: "command", name: program.engine, value: said, line: words[Math.max(start - 1, 0)].line };
}

/** The words with the script behind `bash -c` taken apart. @param {Word[]} words @param {Commands} known @returns {Word[]} */
function unwrapped(words, known) {
  for (let index = 1; index < words.length - 1; index += 1) {
    const inner = words[index + 1];
    if (["-c", "-lc", "-ec"].includes(words[index].text) && /(?:^|\/)(?:ba|z|da)?sh$/.test(words[index - 1].text) && inner.text.includes(" ")) {
      const lines = inner.text.split("\n");
      const first = Math.max(0, lines.findIndex((line) => starts(line, known)));
      return [...words.slice(0, index), ...commandAt(lines, first)[0].map((word) => ({ text: word.text, line: word.line + inner.line - 1 }))];
    }
  }
  return words;
}

/** The program with the engine that --backend names instead of its own. @param {Program} program @param {Word[]} given @returns {Program} */
function byArgument(program, given) {
  const named = String(flags(given, () => false)[0].find((flag) => flag.name === "--backend")?.value);
  return Object.hasOwn(program.others, named) ? { ...program, engine: program.others[named] } : program;
}

/** The program that the words start, and the index of its first argument. @param {Word[]} words @param {Commands} known @returns {[Program | null, number]} */
function programOf(words, known) {
  const names = words.map(({ text }) => (text.replace(/^[`'"]+|[`'"]+$/g, "").split(/[/\\]/).at(-1) ?? "").replace(/\.exe$/, ""));
  for (let index = 0; index < names.length; index += 1) {
    const program = known.programs.find(({ words: wanted }) => wanted.every((word, place) => names[index + place] === word));
    if (program) return [program, index + program.words.length];
  }
  return [null, 0];
}

/** @param {Word[]} words @param {Commands} known */
function imageAt(words, known) {
  return words.findIndex((word) => known.images.some(([name]) => word.text.includes(name)));
}

/** Variables in front of a command, and those that `-e` and `--env` give to a container. @param {Word[]} words @param {Commands} known @returns {Record<string, Word>} */
function environmentOf(words, known) {
  /** @type {Record<string, Word>} */
  const found = {};
  for (const word of words) {
    const pair = whole(known.in_front, word.text.replace(/^--env=/, ""));
    if (pair) found[pair[1]] = { text: pair[2], line: word.line };
  }
  return found;
}

/** @param {Program} program @param {Word[]} words @param {Record<string, Word>} environment @param {Data} data @returns {Seen[]} */
function argumentsOf(program, words, environment, data) {
  const table = new FlagTable(program.engine, data.flags);
  const [raw, between] = flags(words, (name) => table.bare(name));
  const found = raw.map((flag) => ({ ...flag, value: clean(flag, data) }));
  const named = found.find((flag) => program.model_flags.includes(flag.name) && flag.value);
  const first = between.find((word) => isModel(word.text, data.commands));
  /** @type {Seen[]} */
  const model = named ? [{ kind: "model", name: "", value: String(named.value), line: named.line }] : [];
  if (!named && first) model.push({ kind: "model", name: "", value: first.text.replace(/[`.,;)]+$/, ""), line: first.line });
  const said = found.filter((flag) => flag !== named).flatMap((flag) => table.read(flag));
  for (const name of table.variables.sort()) {
    if (Object.hasOwn(environment, name)) said.push(...table.read({ name, value: environment[name].text, line: environment[name].line }));
  }
  const method = program.engine === "vllm" && !said.some((one) => one.name === "speculation.method") ? methodOf(found) : [];
  return [...model, ...said, ...method];
}

/** A flag's value without the secret that a variable may have brought in. @param {Flag} flag @param {Data} data */
function clean(flag, data) {
  return typeof flag.value === "string" ? redact(`${flag.name} ${flag.value}`, data.redact).slice(flag.name.length + 1) : flag.value;
}

/** The method that vLLM takes from the draft, where a command names the draft and no method. @param {Flag[]} found @returns {Seen[]} */
function methodOf(found) {
  return found.filter((flag) => flag.name.endsWith("speculative-config.model") && flag.value).flatMap((flag) => {
    const word = DRAFTS.find((each) => String(flag.value).toLowerCase().includes(each)) ?? "draft_model";
    const method = word === "assistant" ? "mtp" : word;
    return [
      { kind: "fact", name: "speculation.method", value: method, line: flag.line },
      { kind: "note", name: "speculation.method", value: `no method is named: ${method}, by the name of the draft`, line: flag.line },
    ];
  });
}

/** The container, and the version that its tag gives. @param {Program} program @param {Word} image @param {Commands} known @returns {Seen[]} */
function ofImage(program, image, known) {
  /** @type {Seen[]} */
  const found = [{ kind: "fact", name: "container", value: image.text, line: image.line }];
  const [, tag = ""] = /^[^:]*:?(.*)$/.exec(image.text.split("@")[0].split("/").at(-1) ?? "") ?? [];
  const version = match(known.version, tag);
  const component = version ? version[1] : tag && !MOVING.includes(tag) ? (/\bb\d{3,}\b/.exec(tag)?.[0] ?? tag) : null;
  return component ? [...found, { kind: "component", name: program.engine, value: component, line: image.line }] : found;
}

/** Whether a word can be a hub id, a path or a model's name, and not a word of a sentence. @param {string} text @param {Commands} known */
function isModel(text, known) {
  return Boolean(whole(known.model, text)) && Boolean(search({ pattern: "[/\\\\\\d:~$]|-\\w|\\.gguf", flags: "" }, text)) && !/^[\d.:]+[.,]?$/.test(text);
}
