// @ts-check
// Serve commands in pasted text, as answer/diagnose/commands.py: which engine, which model, and what the flags say.

import { FlagTable, plain, written } from "./flags.js";
import { match, own, search, whole } from "./patterns.js";
import { cleaned } from "./redact.js";
import { arrayAt, commandAt, commentInside, expand, filled, flags, isFlag, untilOperator } from "./words.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./words.js").Word} Word */
/** @typedef {import("./words.js").Flag} Flag */
/** @typedef {{words: string[], engine: string, model_flags: string[], others: Record<string, string>}} Program */
/** @typedef {{flags: Record<string, string[]>, by_name: string[], methods: Record<string, string>}} Drafts */
/** @typedef {{programs: Program[], images: [string, string][], starts: string[], containers: string[], refuse_twice: string[], model_flags: string[], drafts: Drafts, assignment: Pattern, in_front: Pattern, version: Pattern, build: Pattern, moving: Pattern, model: Pattern}} Commands */
/** @typedef {{seen: Seen[], taken: Set<number>}} Reading */
/** @typedef {import("../paste.js").Data} Data */

const MOST_COMMANDS = 50;
const SHELL = /(?:^|[/\\])(?:(?:ba|z|da)?sh|cmd|powershell|pwsh)(?:\.exe)?$/;
const ASKING = ["--version", "--help", "-h"]; // flags with which a program starts nothing

/** The serve commands of a text, each with all that it says, as one thing seen. @param {string[]} lines @param {Data} data @returns {Reading} */
export function read(lines, data) {
  /** @type {Reading} */
  const reading = { seen: [], taken: new Set() };
  /** @type {Record<string, Word>} */
  const variables = Object.create(null);
  let number = 0, tried = 0, arrays = 0;
  /** @type {Word | null} */
  let inside = null;
  while (number < lines.length) {
    const line = lines[number];
    if (tried < MOST_COMMANDS && starts(line, data.commands)) {
      tried += 1;
      const [words, end] = commandAt(lines, number);
      const found = command(words, variables, data, inside);
      if (!found && words.some((word) => data.commands.containers.includes(word.text))) inside = words[imageAt(words, data.commands)] ?? inside;
      if (found) {
        reading.seen.push(found);
        const comment = commentInside(lines, number, end);
        if (comment) reading.seen.push({ kind: "note", name: "command", value: "a comment stands between the flags: a shell ends the command there, and those below are not given", line: comment });
        for (; number < end; number += 1) reading.taken.add(number + 1);
        continue;
      }
      reading.seen.push(...unknown(words, data));
    }
    arrays += Number(line.includes("=("));
    const array = line.includes("=(") && line.length < 500 && arrays <= MOST_COMMANDS ? arrayAt(lines, number) : null;
    if (array) variables[array[0]] = { text: (line.includes("+=(") && variables[array[0]] ? `${variables[array[0]].text} ` : "") + array[1], line: number + 1 };
    const assigned = !array && line.includes("=") && line.length < 500 ? match(data.commands.assignment, line) : null;
    if (assigned) {
      const text = assigned.slice(2).find((group) => group !== undefined) ?? "";
      variables[assigned[1]] = { text: assigned[3] === undefined ? filled(text, variables) : text, line: number + 1 };
    }
    number += 1;
  }
  return reading;
}

/** @param {string} line @param {Commands} known */
function starts(line, known) {
  return known.starts.some((start) => line.includes(start));
}

/** What a command says; null where it starts no engine or is a mention in a sentence. `inside` is the image of a container that was started before, with a shell. @param {Word[]} written @param {Record<string, Word>} variables @param {Data} data @param {Word | null} [inside] @returns {Seen | null} */
export function command(written, variables, data, inside = null) {
  const bare = unwrapped(written, data.commands);
  variables = { ...variables, ...setBefore(bare, data.commands) };
  let words = expand(bare, variables);
  let [program, start] = programOf(words, data.commands);
  let at = imageAt(program ? words.slice(0, start) : words, data.commands);
  let image = words[at];
  if (!program && image) {
    const entry = data.commands.images.find(([name]) => image.text.includes(name))?.[1] ?? "";
    program = data.commands.programs.find((each) => each.words.join(" ") === entry) ?? null;
    start = at + 1;
  }
  if (!program) return null;
  const given = untilOperator(words.slice(start));
  if (given.some((word) => ASKING.includes(word.text))) return null;
  if (!image && inside) [image, words, start, at] = [inside, [inside, ...words], start + 1, 0];
  program = byWords(program, words.slice(0, start), given);
  const environment = { ...variables, ...environmentOf(words.slice(0, image ? at + 1 : start), data.commands) };
  const said = [...pinned(program, words.slice(0, start), data), ...argumentsOf(program, given, environment, data), ...(image ? ofImage(program, image, data.commands) : [])];
  if (!said.length && !given.some((word) => isFlag(word.text))) return null;
  return { kind: "command", name: program.engine, value: said, line: words[Math.max(start - 1, 0)].line };
}

/** Variables that a line sets before its command: `MODEL=a/b; vllm serve $MODEL`. @param {Word[]} words @param {Commands} known */
function setBefore(words, known) {
  /** @type {Record<string, Word>} */
  const found = {};
  words.slice(0, -1).forEach((word, place) => {
    const pair = word.text.endsWith(";") || ["&&", ";"].includes(words[place + 1].text) ? whole(known.in_front, word.text.replace(/;$/, "")) : null;
    if (pair) found[pair[1]] = { text: pair[2], line: word.line };
  });
  return found;
}

/** The words with the script behind `bash -c` taken apart. @param {Word[]} words @param {Commands} known @returns {Word[]} */
function unwrapped(words, known) {
  for (let index = 1; index < words.length - 1; index += 1) {
    const inner = words[index + 1];
    if (["-c", "-lc", "-ec", "/c", "/k", "-Command"].includes(words[index].text) && SHELL.test(words[index - 1].text) && inner.text.includes(" ")) {
      const lines = inner.text.split("\n");
      const first = Math.max(0, lines.findIndex((line) => starts(line, known)));
      return [...words.slice(0, index), ...commandAt(lines, first)[0].map((word) => ({ text: word.text, line: word.line + inner.line - 1 }))];
    }
  }
  return words;
}

/** What is said of a container that serves a model and is of no engine on record; nothing of any other command. @param {Word[]} words @param {Data} data @returns {Seen[]} */
function unknown(words, data) {
  const table = new FlagTable("", data.flags), known = data.commands;
  const models = words.filter((word) => isFlag(word.text) && known.model_flags.includes(table.normal(word.text.split("=", 1)[0])));
  if (!models.length || !words.some((word) => known.containers.includes(word.text))) return [];
  return [{ kind: "note", name: "command", value: "a container is started that shows no engine on record: its command is not understood", line: models[0].line }];
}

/** The program with the engine that a word or a flag means instead of its own. @param {Program} program @param {Word[]} before @param {Word[]} given @returns {Program} */
function byWords(program, before, given) {
  const texts = [...before.map((word) => word.text), ...flags(given, () => false)[0].map((flag) => `${flag.name}=${written(flag.value)}`)];
  const named = Object.entries(program.others).find(([pattern]) => texts.some((text) => new RegExp(`^(?:${pattern})`).test(text)));
  return named ? { ...program, engine: named[1] } : program;
}

/** The program that the words start, and the index of its first argument: the first that has one. @param {Word[]} words @param {Commands} known @returns {[Program | null, number]} */
function programOf(words, known) {
  const paths = words.map(({ text }) => `/${text.replace(/^[`'"]+|[`'"]+$/g, "").replaceAll("\\", "/").replace(/\.exe$/, "")}`);
  /** @type {[Program, number][]} */
  const met = [];
  for (let index = 0; index < paths.length; index += 1) {
    for (const program of known.programs) {
      if (program.words.every((word, place) => paths[index + place]?.endsWith(`/${word}`))) met.push([program, index + program.words.length]);
      if (met.length === MOST_COMMANDS) index = paths.length;
    }
  }
  return met.find(([, start]) => untilOperator(words.slice(start)).length) ?? met[0] ?? [null, 0];
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
  const naming = program.model_flags.map((name) => table.normal(name));
  const [raw, between] = flags(words, (name) => !naming.includes(table.normal(name)) && table.bare(name));
  const found = raw.map((flag) => clean(flag, data));
  const named = namedBy(program, found.filter((flag) => naming.includes(table.normal(flag.name)) && flag.value), table);
  const first = between.find((word) => isModel(word.text, data.commands));
  const stated = program.model_flags.find((name) => Object.hasOwn(environment, name));
  const unflagged = first ? { value: first.text.replace(/[`.,;)]+$/, ""), line: first.line } : stated ? { value: environment[stated].text, line: environment[stated].line } : null;
  const model = named ?? unflagged;
  const given = wholes(found.filter((flag) => flag !== named && !(named && flag.value && table.normal(flag.name) === table.normal(named.name))), table);
  /** @type {Flag[]} */
  const beside = [];
  for (const name of Object.keys(environment).filter((name) => !program.model_flags.includes(name)).sort()) {
    const flag = table.variable(name);
    if (flag) beside.push(clean({ name: flag, value: environment[name].text, line: environment[name].line, place: -1 }, data));
  }
  const said = counting(given, beside, program, table, data);
  const method = said.some((one) => one.name === "speculation.method") ? [] : methodOf(program.engine, [...given, ...beside], table, data.commands.drafts);
  return [...(model ? [{ kind: "model", name: "", value: String(model.value), line: model.line }] : []), ...said, ...method];
}

/** The flag that names the model: the last of its spelling, and the first for `vllm serve`, which puts that one in front. @param {Program} program @param {Flag[]} naming @param {FlagTable} table @returns {Flag | undefined} */
function namedBy(program, naming, table) {
  const alike = naming.filter((flag) => table.normal(flag.name) === table.normal(naming[0].name));
  return program.words.join(" ") === "vllm serve" ? alike[0] : alike.at(-1);
}

/** The flags without those of a JSON value that counts no more: a later one, or keys written as flags of their own, stand in its place. @param {Flag[]} given @param {FlagTable} table */
function wholes(given, table) {
  const root = (/** @type {Flag} */ flag) => table.normal(flag.name).split(".")[0];
  const dotted = new Set(given.filter((flag) => flag.place < 0 && flag.name.includes(".")).map(root));
  const last = Object.fromEntries(given.filter((flag) => flag.place >= 0).map((flag) => [root(flag), flag.place]));
  return given.filter((flag) => flag.place < 0 || (flag.place === last[root(flag)] && !dotted.has(root(flag))));
}

/** What counts of what flags say: of one fact the last, but before all a flag that fixes it. Variables count where no flag speaks. @param {Flag[]} given @param {Flag[]} stated @param {Program} program @param {FlagTable} table @param {Data} data @returns {Seen[]} */
function counting(given, stated, program, table, data) {
  const last = Object.fromEntries(given.map((flag) => [table.normal(flag.name).replace(/^no-/, ""), flag]));
  const held = given.map((flag) => ({ flag, fixes: table.fixes(flag.name) })).filter(({ flag, fixes }) => !fixes || last[table.normal(flag.name)] === flag);
  const read = held.flatMap(({ flag, fixes }) => table.read(flag).map((one) => ({ one, fixes })));
  const beside = stated.flatMap((flag) => table.read(flag));
  const facts = [...beside, ...read.filter(({ fixes }) => !fixes).map(({ one }) => one), ...read.filter(({ fixes }) => fixes).map(({ one }) => one)];
  const counts = new Map(facts.filter((one) => one.kind === "fact").map((one) => [one.name, one]));
  const kept = [...read.map(({ one }) => one), ...beside].filter((one) => one.kind !== "fact" || counts.get(one.name) === one);
  const notes = [...counts.values()].flatMap(({ name, value, line }) => {
    if (!read.some(({ one }) => one.kind === "fact" && one.name === name && one.value !== value)) return [];
    const words = data.commands.refuse_twice.includes(program.engine) ? "its parser refuses that" : `${plain(value)} counts`;
    return [{ kind: "note", name, value: `${name} is said twice: ${words}`, line }];
  });
  return [...kept, ...notes];
}

/** A flag without the secret that a variable may have brought into its value. @param {Flag} flag @param {Data} data @returns {Flag} */
export function clean(flag, data) {
  return { ...flag, value: cleaned(flag.value, flag.name, data.redact) };
}

/** The method that an engine takes from the draft, where a command names the draft and no method. @param {string} engine @param {Flag[]} given @param {FlagTable} table @param {Drafts} drafts @returns {Seen[]} */
function methodOf(engine, given, table, drafts) {
  return given.filter((flag) => own(drafts.flags, engine)?.includes(table.normal(flag.name)) && flag.value).flatMap((flag) => {
    const named = Object.entries(drafts.methods).find(([word]) => drafts.by_name.includes(engine) && String(flag.value).toLowerCase().includes(word));
    const method = named ? named[1] : "draft_model";
    return [
      { kind: "fact", name: "speculation.method", value: method, line: flag.line },
      { kind: "note", name: "speculation.method", value: `no method is named: ${method}, by the name of the draft`, line: flag.line },
    ];
  });
}

/** The version that a launcher is told to take: `uvx --from vllm==0.11.0 vllm serve …`. @param {Program} program @param {Word[]} words @param {Data} data @returns {Seen[]} */
function pinned(program, words, data) {
  return words.flatMap(({ text, line }) => {
    const found = search(data.packages.pinned, text);
    return found?.[1].toLowerCase() === program.engine ? [{ kind: "component", name: program.engine, value: found[2], line }] : [];
  });
}

/** The container, and the version that its tag gives. @param {Program} program @param {Word} image @param {Commands} known @returns {Seen[]} */
function ofImage(program, image, known) {
  /** @type {Seen[]} */
  const found = [{ kind: "fact", name: "container", value: image.text, line: image.line }];
  const [, tag = ""] = /^[^:]*:?(.*)$/.exec(image.text.split("@")[0].split("/").at(-1) ?? "") ?? [];
  const version = match(known.version, tag);
  const component = version ? version[1] : (search(known.build, tag)?.[0] ?? (tag && !whole(known.moving, tag) ? tag : null));
  return component ? [...found, { kind: "component", name: program.engine, value: component, line: image.line }] : found;
}

/** Whether a word can be a hub id, a path or a model's name, and not a word of a sentence. @param {string} text @param {Commands} known */
export function isModel(text, known) {
  return Boolean(whole(known.model, text)) && Boolean(search({ pattern: "[/\\\\\\d:~$]|-\\w|\\.gguf", flags: "" }, text)) && !/^[\d.:]+[.,]?$/.test(text);
}
