// @ts-check
// What a pasted command, log, machine report or list of packages says of a stack, as answer/diagnose/understanding.py; nothing leaves the page.

import * as commands from "./paste/commands.js";
import * as dockerfiles from "./paste/dockerfiles.js";
import { written } from "./paste/flags.js";
import * as labels from "./paste/labels.js";
import * as logs from "./paste/logs.js";
import * as machines from "./paste/machines.js";
import * as models from "./paste/models.js";
import * as packages from "./paste/packages.js";
import { clean, redact } from "./paste/redact.js";
import * as snippets from "./paste/snippets.js";
import * as stated from "./paste/stated.js";
import { steps } from "./paste/steps.js";
import { ranksOf } from "./question.js";

/** @typedef {import("./paste/flags.js").Seen} Seen */
/** @typedef {{id: string | null, name: string, count: number, line: number}} Hardware */
/** @typedef {{redact: import("./paste/redact.js").Rules, commands: commands.Commands, flags: import("./paste/flags.js").Tables, packages: packages.Packages, logs: logs.Logs, machines: machines.Machines, models: models.Models, stated: stated.Stated, labels: labels.Labels, dockerfiles: dockerfiles.Dockerfiles, snippets: snippets.Snippets, references: string[], steps: import("./paste/steps.js").Steps, engines: string[], takes_all: string[]}} Data what export/check_paste.py delivers */
/** @typedef {{engine: Seen | null, version: Seen | null, components: Seen[], model: Seen | null, modelId: string | null, exact: boolean, hardware: Hardware[], given: Record<string, Seen>, unread: Seen[], log: Seen[], notes: Seen[], gpus: number, text: string, steps: import("./paste/steps.js").Step[]}} Understood */

const READERS = [stated.read, labels.read, dockerfiles.read, snippets.read, commands.read, logs.read, packages.read, machines.read];
const FORK = "ik-llama.cpp";
const ESCAPES = /\x1b\[[0-9;?]{0,20}[A-Za-z]/g;

/** What one text says, after secrets were taken out of it; `text` is what is left of it then. @param {string} pasted @param {Data} data @returns {Understood} */
export function understand(pasted, data) {
  const text = redact(pasted.replace(/^\ufeff/, "").replaceAll("\r\n", "\n").replace(ESCAPES, ""), data.redact);
  const lines = text.split("\n");
  /** @type {Seen[]} */
  const seen = [];
  for (const read of READERS) {
    const found = read(lines, data);
    seen.push(...found.seen.map((one) => clean(one, data.redact)));
    for (const number of found.taken) lines[number - 1] = "";
  }
  return fold(seen, data, text);
}

/** Makes one stack of what was seen. @param {Seen[]} seen @param {Data} data @param {string} text @returns {Understood} */
function fold(seen, data, text) {
  const of = (/** @type {string} */ kind, /** @type {Seen[]} */ among = seen) => among.filter((one) => one.kind === kind);
  const started = of("command").sort((one, other) => Number(data.references.includes(one.name)) - Number(data.references.includes(other.name)) || one.line - other.line);
  const command = started[0];
  const halves = halvesOf(started), read = halves.map(said);
  /** @type {Seen[]} */
  const parts = halves.flatMap((half) => half.value);
  const engine = command ?? engineOf(seen, data);
  const notes = of("note", [...parts, ...seen]);
  for (const other of started) {
    if (!read.includes(said(other))) notes.push({ kind: "note", name: other.name, value: `a second serve command, of ${other.name}, is left out`, line: other.line });
  }
  const versions = [...of("component"), ...of("component", parts)];
  // ik_llama.cpp prints its own version as llama.cpp does: it counts builds of its own, and is known by its commits.
  const commits = of("build").slice(0, 1).map((one) => ({ ...one, kind: "component", name: FORK }));
  const [components, clashes] = componentsOf(engine?.name === FORK ? [...versions.filter((one) => one.name !== "llama.cpp"), ...commits] : versions);
  const [model, match] = modelOf([...parts, ...seen], data);
  const options = engine ? of("options").filter((one) => one.name === engine.name).flatMap((one) => one.value) : [];
  const given = firstOf(of("fact", [...parts, ...options, ...seen]));
  if (given.expert_parallel?.value === true) {
    // A switch: the ranks of the other kinds share the experts.
    const ranks = ["tensor_parallel", "data_parallel"].map((name) => given[name]?.value ?? 1);
    given.expert_parallel = { ...given.expert_parallel, value: ranks[0] * ranks[1] };
  }
  if (match && model && match.format && !given["weights.format"]) given["weights.format"] = { kind: "fact", name: "weights.format", value: match.format, line: model.line };
  if (match && model && !match.exact) notes.push({ kind: "note", name: "model", value: `${model.value} is taken for ${match.model} by its name`, line: model.line });
  const [hardware, devices] = hardwareOf(of("device"), data);
  const packaged = (/** @type {string} */ name) => data.flags.engines[name]?.package;
  const alike = (/** @type {Seen} */ one) => Boolean(engine && packaged(one.name) && packaged(one.name) === packaged(engine.name));
  const bare = engine ? (components.find((one) => one.name === engine.name) ?? components.find(alike)) : undefined;
  const named = { engine: engine ?? null, version: bare ?? null, model, modelId: match?.model ?? null, hardware };
  return {
    ...named,
    components: components.filter((one) => one !== bare),
    exact: match?.exact ?? false,
    given,
    unread: of("flag", parts),
    log: of("log"),
    notes: [...notes, ...clashes, ...devices],
    gpus: devicesOf(given, hardware, engine?.name ?? null, data),
    text,
    steps: steps(named, data.steps),
  };
}

/** The first command, and where it names no model the next of its engine that does: `ollama serve`, then `ollama run`. @param {Seen[]} commands */
function halvesOf([first, ...others]) {
  const namesModel = (/** @type {Seen} */ command) => command.value.some((/** @type {Seen} */ part) => part.kind === "model");
  if (!first || namesModel(first)) return first ? [first] : [];
  return [first, ...others.filter((command) => command.name === first.name && namesModel(command)).slice(0, 1)];
}

/** What a command says, for comparing it with another. @param {Seen} command */
function said(command) {
  const parts = command.value.map((/** @type {Seen} */ part) => [part.kind, part.name, written(part.value)].join(" "));
  return JSON.stringify([command.name, [...new Set(parts)].sort()]);
}

/** @param {Seen[]} seen @returns {Record<string, Seen>} */
function firstOf(seen) {
  /** @type {Record<string, Seen>} */
  const found = Object.create(null);
  for (const one of seen) found[one.name] ??= one;
  return found;
}

/** The engine where no command names it: by the log's own words, by the packages, by file paths. @param {Seen[]} seen @param {Data} data @returns {Seen | undefined} */
function engineOf(seen, data) {
  const listed = seen.filter((one) => one.kind === "component" && data.engines.includes(one.name));
  const alone = new Set(listed.map((one) => one.name)).size === 1 ? listed : [];
  const found = [
    ...seen.filter((one) => one.kind === "engine"),
    ...alone.map((one) => ({ ...one, value: 2 })),
    ...seen.filter((one) => one.kind === "options").map((one) => ({ ...one, value: 3 })),
  ];
  return found.reduce((/** @type {Seen | undefined} */ best, one) => (best && best.value <= one.value ? best : one), undefined);
}

/** The first version of each component, and notes on those of which two are named. @param {Seen[]} seen @returns {[Seen[], Seen[]]} */
function componentsOf(seen) {
  const bare = (/** @type {Seen} */ one) => String(one.value).split("+")[0];
  const components = firstOf(seen);
  const clashes = seen.filter((one) => bare(components[one.name]) !== bare(one));
  const notes = clashes.map((one) => {
    const first = components[one.name];
    return { kind: "note", name: one.name, value: `${one.name} ${one.value} is left out: line ${first.line} says ${first.value}`, line: one.line };
  });
  return [Object.values(components), notes.slice(0, 10)];
}

/** The model as written first, and its record; the name that a server gives to it is asked where the path tells nothing. @param {Seen[]} seen @param {Data} data @returns {[Seen | null, models.Match | null]} */
function modelOf(seen, data) {
  const named = seen.filter((one) => one.kind === "model");
  const served = seen.filter((one) => one.kind === "flag" && ["--served-model-name", "--alias"].includes(one.name) && one.value);
  for (const one of [...named, ...served.map((one) => ({ ...one, kind: "model", value: String(one.value) }))]) {
    const match = models.find(String(one.value), data.models);
    if (match) return [one, match];
  }
  return [named[0] ?? null, null];
}

/** The kinds of devices, each device counted once however many tools name it, most frequent first. @param {Seen[]} seen @param {Data} data @returns {[Hardware[], Seen[]]} */
function hardwareOf(seen, data) {
  /** @type {Map<string, {id: string | null, first: Seen, indexes: Set<string>}>} */
  const kinds = new Map();
  /** @type {Seen[]} */
  const notes = [];
  const found = seen.map((one) => ({ one, product: machines.hardware(one.value, data.machines) }));
  const there = new Set(found.map(({ product }) => product?.id));
  for (const { one, product } of found) {
    const shared = product ? [] : machines.sharing(one.value, data.machines);
    const id = product?.id ?? shared.find((each) => there.has(each.id))?.id ?? null;
    const kind = kinds.get(id ?? one.value.name) ?? { id, first: one, indexes: new Set() };
    if (!kind.indexes.size && !id) {
      const value = shared.length ? `${one.value.name} is the id of ${shared[0].id} and of other products, too: its name is needed` : `the catalog has no record of ${one.value.name}`;
      notes.push({ kind: "note", name: "hardware", value, line: one.line });
    }
    kinds.set(id ?? one.value.name, kind);
    kind.indexes.add(one.value.index);
  }
  const told = [...kinds.values()].map(({ id, first, indexes }) => ({ id, name: first.value.name, count: indexes.size, line: first.line }));
  return [told.sort((one, other) => Number(one.id === null) - Number(other.id === null) || other.count - one.count), notes];
}

/** How many devices serve: what the flags say, else all where the engine takes all. @param {Record<string, Seen>} given @param {Hardware[]} hardware @param {string | null} engine @param {Data} data */
function devicesOf(given, hardware, engine, data) {
  const ranks = ranksOf(Object.fromEntries(Object.entries(given).map(([name, one]) => [name, one.value])));
  const said = Object.values(ranks).reduce((product, number) => product * number, 1);
  const counted = hardware.filter((kind) => kind.id).reduce((sum, kind) => sum + kind.count, 0);
  const takesAll = !engine || data.takes_all.includes(engine);
  return Math.min(Math.max(said, takesAll && said === 1 ? counted : 1, 1), 4096);
}
