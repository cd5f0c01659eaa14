// @ts-check
// answer/command.py: what to start for a question, with which flags, and why each is there.

import { PARTS, asWritten, ownWord } from "./facts.js";
import { lookup } from "./registry.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./repairs.js").Repair} Repair */

/** Facts that no flag sets: they describe the machine, the model or its weights. */
const SKIPPED = ["hardware.", "model.", "checkpoint.", "platform", "weights.format", "task"];
const NEEDED = "serving"; // what a flag of a recipe is for that belongs in every command; the others are offered beside it
/** @type {Record<string, string>} Words of llama.cpp for element types that are called otherwise here. */
const LETTERS = { f16: "fp16", f32: "fp32" };

/**
 * `argv`, `environment`, `because` and what has no flag; null for engines whose way of serving the catalog does not hold.
 * @param {Resolved} asked @param {Repair | null} repair @param {any} catalog
 */
export function command(asked, repair, catalog) {
  const resolved = repair ? repair.after.resolved : asked;
  const { question } = resolved;
  const { serve, settings = {} } = question.engine.data;
  if (!serve) return null;
  const checkpoint = question.checkpoint ?? question.model.data.checkpoints[0]?.hub ?? question.model.id;
  /** @type {string[]} */
  const argv = serve.argv.map((/** @type {string} */ part) => part.replaceAll("{checkpoint}", checkpoint));
  const because = [`${argv.join(" ")}: the engine's own way to serve ${checkpoint}`];
  const repaired = new Set(repair?.changes.flatMap((change) => change.set.map(([name]) => name)));
  /** @type {{unsaid: string[], environment: Record<string, string>, objects: Record<string, Record<string, any>>}} */
  const { unsaid, environment, objects } = { unsaid: [], environment: {}, objects: {} };
  for (const [name, value] of Object.entries(wantedIn(resolved, settings))) {
    const setting = settings[name];
    if (SKIPPED.some((start) => name.startsWith(start)) || (!setting && saysNoFlag(catalog, name))) continue;
    const flag = setting?.flag ?? "";
    let shown = flag;
    if (isUpper(flag)) environment[flag] = word(setting, typeof value === "boolean" ? Number(value) : value);
    else if (!flag.startsWith("-")) {
      unsaid.push(`${name} = ${value}`);
      continue;
    } else if ("json_key" in setting) {
      (objects[flag] ??= {})[setting.json_key] = inItsWords(setting, value);
      shown = `${flag} ${setting.json_key}`;
    } else {
      const words = flagOf(name, setting, value);
      argv.push(...words);
      shown = words[0];
    }
    if (shown) because.push(`${shown}: ${repaired.has(name) ? "the repair" : "asked for"}`);
  }
  for (const [flag, members] of Object.entries(objects)) argv.push(flag, pythonJson(members));
  const recipe = question.model.recipes[question.engine.id];
  const found = { argv, environment, because, without_flag: unsaid };
  return recipe ? { ...found, ...withRecipe(argv, because, recipe) } : found;
}

/**
 * What a recipe adds: flags that are not there yet, those that serving needs in the command and the others beside it.
 * @param {string[]} argv @param {string[]} because @param {any} recipe
 */
function withRecipe(argv, because, recipe) {
  const options = [];
  for (const flag of recipe.flags) {
    if (argv.includes(flag.argv[0])) continue;
    if (flag.for === NEEDED) {
      argv = [...argv, ...flag.argv];
      because = [...because, `${flag.argv[0]}: ${flag.why}`];
    } else options.push({ for: flag.for, argv: flag.argv, why: flag.why, cites: flag.cites });
  }
  return { argv, because, options, image: recipe.image?.name ?? null, recipe: recipe.id, recipe_version: recipe.version };
}

/**
 * What was named, with the ranks that follow from several devices, and a type for the whole cache where K and V have flags of their own.
 * @param {Resolved} resolved @param {Record<string, any>} settings @returns {Facts}
 */
function wantedIn({ question, facts }, settings) {
  const wanted = Object.fromEntries(Object.entries(question.given).map(([name, value]) => [name, asWritten(settings[name] ?? {}, value)]));
  if (question.gpus > 1 && "tensor_parallel" in settings && "tensor_parallel" in facts) wanted.tensor_parallel ??= facts.tensor_parallel;
  const parts = PARTS.filter((part) => part in settings);
  if (!("cache.dtype" in wanted) || "cache.dtype" in settings || !parts.length) return wanted;
  const { "cache.dtype": whole, ...others } = wanted;
  return { ...Object.fromEntries(parts.map((part) => [part, whole])), ...others };
}

/** Whether a fact is none that a command could say: a version, or something of the workload. @param {any} catalog @param {string} name */
function saysNoFlag(catalog, name) {
  const fact = lookup(catalog.facts, name);
  return !fact || /\.(version|has_pr)$/.test(name) || fact.kind === "workload" || ["os", "container"].includes(name);
}

/**
 * A flag as the engine takes it: bare for what is switched on, --no-… for what is switched off; a flag that turns off is left out where the
 * fact is on.
 * @param {string} name @param {any} setting @param {any} value @returns {string[]}
 */
function flagOf(name, setting, value) {
  const { flag } = setting;
  if (typeof setting.default === "boolean" && Number.isInteger(value)) value = value > 1; // a switch for what is counted elsewhere
  if (setting.argument && typeof value === "boolean") return value ? [flag, setting.argument] : [];
  if (flag.includes(".") || typeof value !== "boolean") return [flag, word(setting, value)];
  const turnsOff = flag.includes("disable");
  if (turnsOff && !name.includes("disable")) return value ? [] : [flag];
  if (value) return [flag];
  return turnsOff || setting.default === false ? [] : [flag.replace("--", "--no-")];
}

/** @param {any} setting @param {any} value */
function word(setting, value) {
  return String(inItsWords(setting, value));
}

/** The value as the engine spells it, where its record lists the words. @param {any} setting @param {any} value */
function inItsWords(setting, value) {
  if (Object.hasOwn(setting.words ?? {}, value)) return setting.words[value];
  const listed = setting.values ?? [];
  if (listed.includes(value) || typeof value !== "string") return value;
  const own = ownWord(value);
  const same = (/** @type {any} */ one) => String(one).toLowerCase() === value.toLowerCase() || own === ownWord(one) || own === LETTERS[one];
  return listed.find(same) ?? value;
}

/** As Python's str.isupper: some letters, none of them small. @param {string} text */
function isUpper(text) {
  return text === text.toUpperCase() && text !== text.toLowerCase();
}

/** An object of plain values in the spacing of Python's json. @param {Record<string, any>} members */
function pythonJson(members) {
  return `{${Object.entries(members).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(", ")}}`;
}
