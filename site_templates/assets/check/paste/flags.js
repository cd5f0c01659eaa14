// @ts-check
// From an engine's flags to facts, as answer/diagnose/flags.py; the table of each engine is data.

import { RANKS } from "../question.js";
import { match, own, whole } from "./patterns.js";

/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {import("./words.js").Flag} Flag */
/** @typedef {{kind: string, name: string, value: any, line: number}} Seen one thing that a text says, as answer/diagnose/seen.py has it */
/** @typedef {{type: string, words: string[]}} Declared */
/** @typedef {{default?: any, values: any[], words?: Record<string, string>, argument?: string}} Setting */
/** @typedef {{targets: Record<string, string | Record<string, any>>, own: Record<string, string>, package: string, variables: string[], flags_as_variables: boolean, settings: Record<string, Setting>, facts: Record<string, Declared>}} EngineFlags */
/** @typedef {{switched_on: Pattern, length: Pattern, long_forms: Record<string, string>, dtypes: Record<string, string>, formats: Record<string, string>, on_off: Record<string, boolean>, scales: Record<string, number>, version: Pattern}} Spelling */
/** @typedef {{spelling: Spelling, engines: Record<string, EngineFlags>}} Tables */

/** A value as people write it. @param {any} value @returns {string} */
export function plain(value) {
  return typeof value === "boolean" ? String(value) : written(value);
}

/** A value as Python writes it. @param {any} value @returns {string} */
export function written(value) {
  return value === null || value === undefined ? "None" : value === true ? "True" : value === false ? "False" : String(value);
}

export class FlagTable {
  /** @param {string} engine @param {Tables} tables */
  constructor(engine, tables) {
    this.engine = engine;
    this.spelling = tables.spelling;
    this.table = own(tables.engines, engine) ?? { targets: {}, own: {}, package: "", variables: [], flags_as_variables: false, settings: {}, facts: {} };
  }

  /** The flag that an environment variable stands for, often itself; null for one that is not the engine's. @param {string} name @returns {string | null} */
  variable(name) {
    if (this.table.variables.some((start) => name.startsWith(start)) || (isVariable(name) && this.target(name) !== undefined)) return name;
    const flag = name.toLowerCase().replaceAll("_", "-");
    return this.table.flags_as_variables && isVariable(name) && this.target(flag) !== undefined ? `--${flag}` : null;
  }

  /** Whether the engine takes vLLM's speculative config, whose methods may be of a single family. */
  get namesMethods() {
    return this.target("speculative-config.method") !== undefined;
  }

  /** @param {string} fact @returns {any} what holds where its flag is left out */
  default(fact) {
    return this.setting(fact).default ?? null;
  }

  /** @param {string} fact @returns {Setting} */
  setting(fact) {
    return this.table.settings[fact] ?? { values: [] };
  }

  /** One spelling for a flag. @param {string} name */
  normal(name) {
    name = name.replace(/^-+/, "");
    for (const [short, long] of Object.entries(this.spelling.long_forms)) if (name.startsWith(short)) name = long + name.slice(short.length);
    return /^[A-Z][A-Z0-9_]+$/.test(name) ? name : name.toLowerCase().replaceAll("_", "-");
  }

  /** @param {string} name @returns {string | Record<string, any> | undefined} */
  target(name) {
    return Object.hasOwn(this.table.targets, name) ? this.table.targets[name] : undefined;
  }

  /** Whether a flag stands alone, so that the word behind it is no value of it. @param {string} written */
  bare(written) {
    const name = this.normal(written), target = this.target(name);
    const switched = Boolean(match(this.spelling.switched_on, name));
    if (typeof target !== "string") return !(target && Object.hasOwn(this.table.own, name)) && switched;
    const setting = this.setting(target);
    const unknown = "default" in setting && setting.default === null && this.table.facts[target]?.type === "any";
    return (this.isSwitch(target) && !setting.argument) || (unknown && switched);
  }

  /** Whether a flag decides a fact whatever other flags say of it, as --enforce-eager does. @param {string} written */
  fixes(written) {
    const name = this.normal(written), target = this.target(name);
    return target !== undefined && typeof target !== "string" && !Object.hasOwn(this.table.own, name);
  }

  /** @param {string} fact */
  isSwitch(fact) {
    return typeof this.setting(fact).default === "boolean" || this.table.facts[fact]?.type === "bool";
  }

  /** The facts that a flag sets; where there are none, the flag itself. @param {Flag} flag @returns {Seen[]} */
  read(flag) {
    const name = this.normal(flag.name), { value, line } = flag;
    const negated = this.target(name) === undefined && name.startsWith("no-");
    const exact = this.target(`${name}=${written(value)}`);
    let target = exact ?? this.target(negated ? name.slice(3) : name);
    if (target === undefined || written(value).startsWith("{")) return [{ kind: "flag", name: flag.name, value, line }];
    /** @type {Seen[]} */
    const found = [];
    if (typeof target !== "string") {
      if (exact !== undefined || (!negated && written(value).toLowerCase() !== "false")) found.push(...Object.entries(target).map(([fact, fixed]) => ({ kind: "fact", name: fact, value: fixed, line })));
      target = Object.hasOwn(target, this.table.own[name]) ? undefined : this.table.own[name];
    }
    if (target && (typeof value !== "object" || value === null) && !["null", ""].includes(written(value).toLowerCase())) {
      const word = own(this.spelling.on_off, written(value).toLowerCase()) !== undefined && (this.onOff(target) || isVariable(flag.name));
      const turned = value === null || word || this.isSwitch(target);
      found.push(...this.checked(target, turned ? this.switched(target, name, value, negated) : this.value(target, value), flag));
    }
    return found;
  }

  /** @param {string} fact @param {any} value @param {Flag} flag @returns {Seen[]} */
  checked(fact, value, flag) {
    const declared = this.table.facts[fact];
    if (value === true && declared?.type === "int") return [{ kind: "fact", name: fact, value, line: flag.line }]; // a switch for what other flags count
    if (!declared || !this.accepts(declared, value) || (RANKS.includes(fact) && value < 1)) {
      return ["auto", "none"].includes(written(value).toLowerCase()) ? [] : [{ kind: "flag", name: flag.name, value: flag.value, line: flag.line }];
    }
    const leftToTheEngine = declared.type === "int" && value < (fact === "max_model_len" ? 1 : 0);
    return leftToTheEngine ? [] : [{ kind: "fact", name: fact, value, line: flag.line }];
  }

  /** Whether a fact can have a value. @param {Declared} declared @param {any} value */
  accepts({ type, words }, value) {
    if (words.length && !words.includes(value)) return false;
    if (type === "bool") return typeof value === "boolean";
    if (type === "int") return Number.isInteger(value);
    if (type === "float") return typeof value === "number";
    if (type === "version") return typeof value === "string" && Boolean(whole(this.spelling.version, value));
    return type === "word" ? typeof value === "string" : ["boolean", "number", "string"].includes(typeof value);
  }

  /** @param {string} fact */
  onOff(fact) {
    const { values } = this.setting(fact);
    return values.includes("on") && values.includes("off");
  }

  /** @param {string} fact @param {string} name @param {any} value @param {boolean} negated */
  switched(fact, name, value, negated) {
    let on = value === null || (own(this.spelling.on_off, written(value).toLowerCase()) ?? true);
    on = on !== (negated || (name.includes("disable") && !fact.includes("disable")));
    return this.onOff(fact) ? (on ? "on" : "off") : on;
  }

  /** @param {string} fact @param {any} given */
  value(fact, given) {
    const text = written(given).trim(), lowered = text.toLowerCase(), { dtypes, formats, scales } = this.spelling;
    const ours = Object.entries(this.setting(fact).words ?? {}).find(([, theirs]) => theirs.toLowerCase() === lowered);
    if (ours) return ours[0];
    const same = this.setting(fact).values.filter((word) => written(word).toLowerCase() === lowered);
    const type = this.table.facts[fact]?.type ?? "any";
    if (fact.endsWith("dtype")) return own(dtypes, lowered) ?? (same.length ? written(same[0]) : text);
    if (fact === "weights.format") return own(formats, lowered) ?? lowered;
    if (fact === "speculation.method") return this.method(same.length ? written(same[0]) : text);
    if (fact === "cuda_graphs") return lowered;
    if (same.length) return same[0];
    const length = type === "int" ? whole(this.spelling.length, text) : null;
    if (length && (length[2] || !text.includes("."))) return Math.trunc(Number(length[1]) * scales[length[2]]);
    return ["int", "float", "any"].includes(type) ? number(text) : text;
  }

  /** vLLM treats the methods of single families, such as deepseek_mtp, as mtp. @param {string} text */
  method(text) {
    return this.namesMethods && text.endsWith("_mtp") ? "mtp" : text;
  }
}

/** @param {string} name */
function isVariable(name) {
  return name === name.toUpperCase() && /[A-Z]/.test(name);
}

/** A number or a truth value from its text, else the text. @param {string} text @returns {any} */
export function number(text) {
  if (["true", "false"].includes(text.toLowerCase())) return text.toLowerCase() === "true";
  const found = /^[+-]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text.replaceAll("_", "")) : NaN;
  return Math.abs(found) < 1e18 ? found : text;
}
