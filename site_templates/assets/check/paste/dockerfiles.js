// @ts-check
// Dockerfiles and Ollama's Modelfiles, as answer/diagnose/dockerfiles.py: what an image starts, and a model by its parameters.

import { command } from "./commands.js";
import { FlagTable } from "./flags.js";
import { match, whole } from "./patterns.js";
import { commandAt, filled } from "./words.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./words.js").Word} Word */
/** @typedef {import("../paste.js").Data} Data */
/** @typedef {{from: Pattern, started: Pattern, set: Pattern, parameter: Pattern, modelfile: Pattern}} Dockerfiles */

const MOST_LINES = 400, MOST_BEFORE = 40;

/** What the stages of Dockerfiles start, and what Modelfiles set. @param {string[]} lines @param {Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.dockerfiles;
  /** @type {import("./commands.js").Reading} */
  const reading = { seen: [], taken: new Set() };
  const places = lines.flatMap((line, place) => (line.includes("FROM") && line.length < 400 && match(known.from, line) ? [place] : []));
  places.forEach((place, at) => {
    const end = Math.min(places[at + 1] ?? lines.length, place + MOST_LINES);
    const isModel = lines.slice(place, end).some((line) => match(known.modelfile, line));
    const [seen, used] = (isModel ? model : image)(lines, place, end, data);
    if (!seen) return;
    reading.seen.push(seen);
    for (const number of used) reading.taken.add(number);
  });
  return reading;
}

/** @param {string[]} lines @param {number} place @param {number} end @param {Data} data @returns {[Seen | null, number[]]} */
function model(lines, place, end, data) {
  const known = data.dockerfiles, table = new FlagTable("ollama", data.flags);
  /** @type {Seen[]} */
  const said = [{ kind: "model", name: "", value: match(known.from, lines[place])?.[1] ?? "", line: place + 1 }];
  for (let number = place; number < end; number += 1) {
    const found = match(known.parameter, lines[number]);
    if (found) said.push(...table.read({ name: found[1], value: found[2], line: number + 1, place: -1 }).filter((one) => one.kind === "fact"));
  }
  return [{ kind: "command", name: "ollama", value: said, line: place + 1 }, [place + 1]];
}

/** @param {string[]} lines @param {number} place @param {number} end @param {Data} data @returns {[Seen | null, number[]]} */
function image(lines, place, end, data) {
  const known = data.dockerfiles;
  /** @type {Record<string, Word[]>} */
  const started = {};
  /** @type {Record<string, Word>} */
  const variables = {};
  const used = [place + 1];
  for (let number = place + 1; number < end; number += 1) {
    const begun = lines[number].length < 4000 ? match(known.started, lines[number]) : null, set = match(known.set, lines[number]);
    if (begun) {
      const [texts, after] = commandAt(lines, number);
      started[begun[1]] = listed(lines, number, after, begun[2]) ?? texts.slice(1);
      for (let line = number + 1; line <= after; line += 1) used.push(line);
    } else if (set) setBy(lines, number, variables, data);
  }
  /** @type {Record<string, Word>} */
  const before = {};
  for (let number = Math.max(0, place - MOST_BEFORE); number < place; number += 1) {
    if (lines[number].trimStart().startsWith("ARG ")) setBy(lines, number, before, data);
  }
  const words = [{ text: filled(match(known.from, lines[place])?.[1] ?? "", before), line: place + 1 }, ...(started.ENTRYPOINT ?? []), ...(started.CMD ?? [])];
  const said = command(words, variables, data);
  return said?.value.some((/** @type {Seen} */ part) => part.kind !== "fact" || part.name !== "container") ? [said, used] : [null, []];
}

/** What ENV or ARG set in a line and in those that go on from it. @param {string[]} lines @param {number} number @param {Record<string, Word>} variables @param {Data} data */
function setBy(lines, number, variables, data) {
  for (const word of commandAt(lines, number)[0]) {
    const pair = whole(data.commands.in_front, word.text);
    if (pair) variables[pair[1]] = { text: filled(pair[2], variables), line: word.line };
  }
}

/** The words of a JSON list, which may go on over lines that end in a backslash. @param {string[]} lines @param {number} number @param {number} end @param {string} text @returns {Word[] | null} */
function listed(lines, number, end, text) {
  const written = [text, ...lines.slice(number + 1, end)].join(" ").replaceAll("\\ ", " ").trim();
  try {
    const found = JSON.parse(written.replace(/\\\s*$/, ""));
    return Array.isArray(found) && found.length ? found.map((word) => ({ text: String(word), line: number + 1 })) : null;
  } catch {
    return null;
  }
}
