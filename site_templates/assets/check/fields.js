// @ts-check
// The form of `check/` as data: to and from the address, to the question that `ask` takes, and to the command line that asks the same.

/** @typedef {Record<string, string> & {set: string[], require: string[]}} Fields what stands in each field; those that are empty are left out */
/** @typedef {{id: string, name: string, aliases: string[], checkpoints: [string, string][], context: number | null}} Model */
/** @typedef {{id: string, name: string, aliases: string[], versions: string[], settings: Record<string, {flag: string, values: any[]}>}} Engine */
/** @typedef {{id: string, name: string, vendor: string, aliases: string[], bytes: number | null}} Hardware */
/** @typedef {{name: string, meaning: string, values: string[]}} Fact */
/** @typedef {{models: Model[], engines: Engine[], hardware: Hardware[], facts: Fact[], dtypes: string[]}} Offered what export/check_form.py delivers */
/** @typedef {{set?: Record<string, any>, drop?: string[], version?: string | null}} Change as a repair has it */

/** The single fields, in the order of the address. */
export const NAMES = ["model", "checkpoint", "engine", "version", "hardware", "gpus", "context", "cache", "spec", "spec_tokens", "tp", "pp", "dp", "ep"];
const LISTS = /** @type {const} */ (["set", "require"]);

/** Facts that have a field of their own. @type {Record<string, string>} */
export const FIELD_OF = {
  "cache.dtype": "cache",
  max_model_len: "context",
  "speculation.method": "spec",
  "speculation.tokens": "spec_tokens",
  tensor_parallel: "tp",
  pipeline_parallel: "pp",
  data_parallel: "dp",
  expert_parallel: "ep",
};
const FACT_OF = Object.fromEntries(Object.entries(FIELD_OF).map(([fact, field]) => [field, fact]));

/** What stands in the form cannot be asked; the message says why. */
export class Unclear extends Error {}

/** @returns {Fields} */
export function nothing() {
  return /** @type {Fields} */ (/** @type {unknown} */ ({ set: [], require: [] }));
}

/** The same with other words in some of the single fields. @param {Fields} fields @param {Record<string, string>} words @returns {Fields} */
export function having(fields, words) {
  return Object.assign({ ...fields }, words);
}

/** @param {string} search @returns {Fields} */
export function fromAddress(search) {
  const query = new URLSearchParams(search), found = nothing();
  for (const name of NAMES) {
    const value = query.get(name)?.trim();
    if (value) found[name] = value;
  }
  for (const name of LISTS) found[name] = query.getAll(name).map((text) => text.trim()).filter(Boolean);
  return settled(found);
}

/** Settings that have a field of their own, moved there where it is empty. @param {Fields} fields @returns {Fields} */
function settled(fields) {
  const found = having(fields, {});
  found.set = fields.set.filter((text) => {
    const field = FIELD_OF[factOf(text)];
    if (!field || found[field]) return true;
    found[field] = text.slice(text.indexOf("=") + 1).trim();
    return false;
  });
  return found;
}

/** @param {Fields} fields @returns {string} with its question mark, or empty */
export function toAddress(fields) {
  const query = new URLSearchParams();
  for (const name of NAMES) if (fields[name]) query.set(name, fields[name]);
  for (const name of LISTS) for (const text of fields[name]) query.append(name, text);
  return query.size ? `?${query.toString().replaceAll("%2F", "/").replaceAll("%3D", "=")}` : "";
}

/** The question as `ask` takes it; settings stay the words that were typed. Throws where one fact has two values. @param {Fields} fields */
export function toQuestion(fields) {
  const number = (/** @type {string} */ name) => (fields[name] ? Number(fields[name]) : undefined);
  const own = ["spec", "spec_tokens", "pp", "dp", "ep"].filter((field) => fields[field]).map((field) => `${FACT_OF[field]}=${fields[field]}`);
  /** @type {Record<string, string>} */
  const settings = {};
  for (const text of [...own, ...fields.set]) {
    const fact = factOf(text), value = text.slice(text.indexOf("=") + 1).trim();
    if (!text.includes("=") || !value) throw new Unclear(`A setting is written fact=value, not '${text}'`);
    if (fact.endsWith(".has_pr") && fact in settings) {
      settings[fact] += `,${value}`;
      continue;
    }
    if ((settings[fact] ?? value) !== value) throw new Unclear(`${fact} is given as both ${settings[fact]} and ${value}`);
    settings[fact] = value;
  }
  return {
    model: fields.model,
    checkpoint: fields.checkpoint,
    engine: fields.engine,
    version: fields.version,
    hardware: fields.hardware,
    gpus: number("gpus"),
    tp: number("tp"),
    context: number("context"),
    cache_dtype: fields.cache,
    settings,
    required: fields.require,
  };
}

/** The words of the command that asks the same. @param {Fields} fields @param {boolean} [isConfig] whether the model is the name of a config's file */
export function toCommand(fields, isConfig = false) {
  const engine = fields.engine + (fields.version ? `@${fields.version}` : "");
  const words = ["infercompat", "check", ...(isConfig ? [engine, "--from-config", fields.model] : [fields.model, engine])];
  const options = { hardware: "--hardware", gpus: "--gpus", tp: "--tp", context: "--context", cache: "--cache-dtype", checkpoint: "--checkpoint" };
  for (const [name, option] of Object.entries(options)) if (fields[name]) words.push(option, fields[name]);
  for (const [name, fact] of Object.entries(FACT_OF)) if (fields[name] && !(name in options)) words.push("--set", `${fact}=${fields[name]}`);
  for (const text of fields.set) words.push("--set", text);
  for (const text of fields.require) words.push("--require", text);
  return words;
}

/** A word as a shell takes it. @param {string} word */
export function quoted(word) {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;
}

/** @param {string} text `fact=value` */
export function factOf(text) {
  return text.split("=", 1)[0].trim();
}

/** The fields after a change: facts set, facts taken back, another release. @param {Fields} fields @param {Change} change @returns {Fields} */
export function changed(fields, { set = {}, drop = [], version }) {
  const found = /** @type {Fields} */ ({ ...fields, set: fields.set.filter((text) => !drop.includes(factOf(text)) && !Object.hasOwn(set, factOf(text))), require: [...fields.require] });
  for (const fact of drop) if (FIELD_OF[fact]) delete found[FIELD_OF[fact]];
  for (const [fact, value] of Object.entries(set)) {
    if (FIELD_OF[fact]) found[FIELD_OF[fact]] = String(value);
    else found.set.push(`${fact}=${value}`);
  }
  if (version) found.version = version;
  return found;
}

/** The id of a record by its id or an alias, in any case; what names none stays. @param {string} text @param {{id: string, aliases: string[]}[]} records */
export function idOf(text, records) {
  const wanted = text.toLowerCase();
  return records.find(({ id, aliases }) => [id, ...aliases].some((name) => name.toLowerCase() === wanted))?.id ?? text;
}

/** The model that a text names: by id, alias, checkpoint or name, in any case. @param {string} text @param {Model[]} models */
export function modelOf(text, models) {
  const wanted = text.trim().toLowerCase();
  const is = (/** @type {string} */ name) => name.toLowerCase() === wanted;
  return models.find((model) => is(model.id)) ?? models.find((model) => model.aliases.some(is) || model.checkpoints.some(([hub]) => is(hub)) || is(model.name));
}
