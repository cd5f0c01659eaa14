// @ts-check
// The files of export/check.py, put together for one question: layers spelled out, facts with their names, gotchas and citations in one place.

import { FEATURE, WEIGHTS } from "./claims.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {(path: string) => Promise<any>} Fetch gives a file below /api/v1 */

/** The catalog, ready to be asked. @param {Fetch} fetch */
export async function loadCatalog(fetch) {
  return once(await fetch("check/catalog.json"), (catalog) => {
    for (const [name, fact] of Object.entries(catalog.facts)) {
      fact.name = name;
      if (fact.absent?.high === null) fact.absent.high = Infinity;
    }
  });
}

/**
 * The files that a question reads. A model that is made of a config gets what engines say of its names.
 * @param {Fetch} fetch @param {any} catalog @param {string | import("./types.js").Model} model or its id @param {string} engine its id @returns {Promise<Data>}
 */
export async function loadData(fetch, catalog, model, engine) {
  if (typeof model !== "string") return loadForConfig(fetch, catalog, model, engine);
  const [engines, asked] = await Promise.all([loadEngines(fetch, engine), fetch(`check/models/${model}.json`)]);
  const citations = Object.assign({}, ...[catalog, asked, ...Object.values(engines)].map((file) => file.citations));
  return { catalog, engine: engines[engine], model: once(asked, spellOut), engines, citations };
}

/** @param {Fetch} fetch @param {any} catalog @param {import("./types.js").Model} model @param {string} engine @returns {Promise<Data>} */
async function loadForConfig(fetch, catalog, model, engine) {
  const engines = await loadEngines(fetch, engine);
  const files = Object.values(engines);
  const named = await Promise.all(files.map(({ id }) => fetch(`check/claims/${id}.json`)));
  const claims = Object.fromEntries(named.map(({ id, snapshots }) => [id, claimsOn(model, snapshots)]));
  const citations = Object.assign({}, ...[catalog, ...files, ...named].map((file) => file.citations));
  return { catalog, engine: engines[engine], model: { ...model, claims }, engines, citations };
}

/** An engine and those that a question to it reads besides, by id, each with its gotchas. @param {Fetch} fetch @param {string} engine @returns {Promise<Record<string, import("./types.js").Engine>>} */
async function loadEngines(fetch, engine) {
  const load = (/** @type {string} */ id) => Promise.all(["engines", "gotchas"].map((kind) => fetch(`check/${kind}/${id}.json`)));
  const own = await load(engine);
  const others = await Promise.all(own[0].needs.map(load));
  return Object.fromEntries([own, ...others].map(([about, { gotchas }]) => [about.id, { ...about, gotchas }]));
}

/** The claims that name the model, as export/check.py picks them for a model of the catalog. @param {import("./types.js").Model} model @param {Record<string, any>} snapshots */
function claimsOn({ names, derived }, snapshots) {
  const keys = /** @type {const} */ (["architecture", "model_type"]);
  const fits = (/** @type {import("./types.js").Claim} */ { about }) => keys.every((key) => (about[key] ?? "*") === "*" || about[key] === names[key]);
  /** @param {Record<string, any>} said */
  const on = (said) => {
    const exact = keys
      .filter((key) => Object.hasOwn(said.exact[key] ?? {}, names[key]))
      .map((key) => [key, said.exact[key][names[key]].map((/** @type {object} */ claim) => ({ about: { [key]: names[key] }, ...claim }))]);
    const demanded = derived.unknown ? [] : Object.keys(derived.requirements);
    const offers = [...demanded, ...Object.keys(said.requirements).filter((name) => name.startsWith(WEIGHTS) || name.startsWith(FEATURE))];
    const requirements = offers.map((id) => [id, (said.requirements[id] ?? []).filter(fits)]).filter(([, claims]) => claims.length);
    return { exact: Object.fromEntries(exact), requirements: Object.fromEntries(requirements) };
  };
  return Object.fromEntries(Object.entries(snapshots).map(([id, said]) => [id, on(said)]));
}

/** @param {any} model */
function spellOut(model) {
  const { derived } = model;
  if (derived.reason !== undefined) derived.unknown = true;
  else derived.layers = derived.layers.map((/** @type {number} */ index) => derived.layer_kinds[index]);
}

const ready = new WeakSet();

/** Changes a fetched file when it is first seen. @template {object} T @param {T} file @param {(file: T) => void} change */
function once(file, change) {
  if (!ready.has(file)) change(file);
  ready.add(file);
  return file;
}
