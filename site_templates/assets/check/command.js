// @ts-check
// answer/command.py: what to start for a question, with which flags, and why each is there.

import { ALWAYS, evaluate } from "./condition.js";
import { PARTS, UNDECIDED, asWritten, ownWord } from "./facts.js";
import { RANKS } from "./question.js";
import { lookup } from "./registry.js";
import { isWithin } from "./spans.js";
import { Stack } from "./stack.js";

/** @typedef {import("./types.js").Facts} Facts */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./repairs.js").Repair} Repair */
/** @typedef {{argv: string[], because: string[], environment: Record<string, string>, objects: Record<string, Record<string, any>>, unsaid: string[]}} Line a command line as it is put together */

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
  const { serve, settings: every = {} } = question.engine.data;
  if (!serve) return null;
  const there = Object.entries(every).filter(([, setting]) => isWithin(question.engine.data, /** @type {any} */ (setting), question.release.version, question.release.date));
  /** @type {Record<string, any>} */
  const settings = Object.fromEntries(there);
  const checkpoint = question.checkpoint ?? question.model.data.checkpoints[0]?.hub ?? question.model.id;
  const { argv: start, prepare } = serving(serve, checkpoint, resolved.facts["weights.format"], resolved.facts.task);
  /** @type {Line} */
  const line = { argv: start, because: [`${start.join(" ")}: the engine's own way to serve ${checkpoint}`], environment: {}, objects: {}, unsaid: [] };
  const wanted = Object.entries(wantedIn(resolved, settings)).filter(([name, value]) => !saysNothing(catalog, name, settings[name], value));
  const repaired = new Set(repair?.changes.flatMap((change) => change.set.map(([name]) => name)));
  for (const [name, value] of wanted) {
    const shared = name === "tensor_parallel" && !Object.hasOwn(question.given, name);
    say(line, name, settings[name], value, repaired.has(name) ? "the repair" : shared ? `${question.gpus} devices share the model` : "asked for");
  }
  const stack = new Stack(question.model, resolved.facts, catalog);
  for (const need of wanted.flatMap(([name]) => settings[name]?.needs ?? [])) {
    const said = need.json_key ? Object.hasOwn(line.objects[need.flag] ?? {}, need.json_key) : line.argv.includes(need.flag);
    if (!said && applies(need, stack)) add(line, need.flag, need.json_key, need.argument, need.why);
  }
  const argv = [...line.argv, ...Object.entries(line.objects).flatMap(([flag, members]) => [flag, pythonJson(members)])];
  const recipe = question.model.recipes[question.engine.id];
  const found = { prepare, argv, environment: line.environment, because: line.because, without_flag: line.unsaid };
  return recipe ? { ...found, ...withRecipe(argv, line.because, recipe, stack) } : found;
}

/**
 * answer/serving.py: the words of the command, and of the steps that go before it where the engine loads files of its own.
 * @param {any} serve @param {string} checkpoint @param {string | undefined} format @param {string | undefined} task @returns {{argv: string[], prepare: {argv: string[], why: string}[]}}
 */
function serving(serve, checkpoint, format, task) {
  const name = checkpoint.replace(/\/+$/, "").split("/").at(-1) ?? "";
  const filled = (/** @type {string[]} */ words) => words.map((word) => word.replaceAll("{checkpoint}", checkpoint).replaceAll("{name}", name));
  const stored = serve.stored?.[format ?? ""];
  const steps = stored ? [] : serve.prepare ?? [];
  return { argv: filled(stored ?? serve.tasks?.[task ?? ""] ?? serve.argv), prepare: steps.map((/** @type {any} */ step) => ({ argv: filled(step.argv), why: step.why })) };
}

/** Adds what sets a fact: a variable, a member of an object, or a flag. @param {Line} line @param {string} name @param {any} setting @param {any} value @param {string} reason */
function say(line, name, setting, value, reason) {
  const flag = setting?.flag ?? "";
  if (isUpper(flag)) {
    line.environment[flag] = word(setting, typeof value === "boolean" ? Number(value) : value);
    line.because.push(`${flag}: ${reason}`);
  } else if (flag && line.argv.includes(flag)) {
    if (word(setting, value) !== line.argv[line.argv.indexOf(flag) + 1]) line.unsaid.push(`${name} = ${value}`);
  } else if (!flag.startsWith("-") || !canSay(setting, value)) line.unsaid.push(`${name} = ${value}`);
  else if ("json_key" in setting) add(line, flag, setting.json_key, inItsWords(setting, value), reason);
  else {
    const words = flagOf(name, setting, value);
    line.argv.push(...words);
    if (words.length) line.because.push(`${words[0]}: ${reason}`);
  }
}

/** Whether a flag has a word for a value, where it is a switch or all its words are listed; the default needs none. @param {any} setting @param {any} value */
function canSay(setting, value) {
  const words = "switch" in setting ? { [setting.switch]: "" } : "values" in setting ? null : (setting.words ?? null);
  return !words || Object.hasOwn(words, String(value)) || value === setting.default;
}

/** Adds a flag with its value, or a member of the object that it takes. @param {Line} line @param {string} flag @param {string | undefined} key @param {any} value @param {string} reason */
function add(line, flag, key, value, reason) {
  if (key) (line.objects[flag] ??= {})[key] = value;
  else line.argv.push(flag, String(value));
  line.because.push(`${flag}${key ? ` ${key}` : ""}: ${reason}`);
}

/**
 * What a recipe adds: flags that are not there yet, those that serving needs in the command and the others beside it. What is for other
 * stacks is left out; what may be stands beside the command with its condition.
 * @param {string[]} argv @param {string[]} because @param {any} recipe @param {Stack} stack
 */
function withRecipe(argv, because, recipe, stack) {
  const options = [];
  for (const flag of recipe.flags) {
    const holds = applies(flag, stack);
    if (argv.includes(flag.argv[0]) || holds === false) continue;
    if (flag.for === NEEDED && holds) {
      argv = [...argv, ...flag.argv];
      because = [...because, `${flag.argv[0]}: ${flag.why}`];
    } else options.push({ for: flag.for, argv: flag.argv, why: flag.why, cites: flag.cites, ...(holds ? {} : { if: flag.if }) });
  }
  const image = recipe.images?.find((/** @type {any} */ one) => applies(one, stack) !== false)?.name ?? null;
  return { argv, because, options, image, recipe: recipe.id, recipe_version: recipe.version };
}

/** Whether a flag or an image of a recipe, or what a setting needs, is for a stack; null where what decides it was left out. @param {any} part @param {Stack} stack */
function applies(part, stack) {
  return evaluate("when" in part ? part.when : ALWAYS, stack).value;
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

/**
 * Whether no flag is to be written: for what no command could say, for a choice that is left to the engine, for a feature that is off, and
 * for one rank where one is the default.
 * @param {any} catalog @param {string} name @param {any} setting @param {any} value
 */
function saysNothing(catalog, name, setting, value) {
  const fact = lookup(catalog.facts, name);
  if (SKIPPED.some((start) => name.startsWith(start))) return true;
  if (!setting) return !fact || /\.(version|has_pr)$/.test(name) || fact.kind === "workload" || ["os", "container"].includes(name);
  const undecided = UNDECIDED.includes(value);
  if (undecided || RANKS.includes(name)) return value === setting.default || (undecided && UNDECIDED.includes(setting.default));
  return value === fact?.absent && ["none", false, 0, setting.default].includes(value);
}

/**
 * A flag as the engine takes it: bare for what is switched on, --no-… for what is switched off; a flag that turns off is left out where the
 * fact is on.
 * @param {string} name @param {any} setting @param {any} value @returns {string[]}
 */
function flagOf(name, setting, value) {
  const { flag } = setting;
  if (typeof setting.default === "boolean" && Number.isInteger(value)) value = value > 1; // a switch for what is counted elsewhere
  if ("switch" in setting) return value === setting.switch ? [flag] : [];
  if (typeof value === "boolean" && setting.words) return Object.hasOwn(setting.words, String(value)) ? [flag, word(setting, value)] : [];
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
