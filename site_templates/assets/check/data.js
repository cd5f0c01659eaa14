// @ts-check
// The files of export/check.py, put together for one question: layers spelled out, facts with their names, citations in one place.

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
 * The files that a question reads.
 * @param {Fetch} fetch @param {any} catalog @param {string} model @param {string} engine ids @returns {Promise<Data>}
 */
export async function loadData(fetch, catalog, model, engine) {
  const [own, asked] = await Promise.all([fetch(`check/engines/${engine}.json`), fetch(`check/models/${model}.json`)]);
  const others = await Promise.all(own.needs.map((/** @type {string} */ id) => fetch(`check/engines/${id}.json`)));
  const engines = Object.fromEntries([own, ...others].map((one) => [one.id, one]));
  const citations = Object.assign({}, ...[catalog, asked, ...Object.values(engines)].map((file) => file.citations));
  return { catalog, engine: own, model: once(asked, spellOut), engines, citations };
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
