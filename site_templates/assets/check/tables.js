// @ts-check
// versions/tables.py: tables of an engine's record that were read whole at some versions, such as its attention backends and their order.

/** @typedef {{version?: string, cites: any[], also?: Read[], [field: string]: any}} Entry */
/** @typedef {{version: string, cites: any[]}} Read */
/** @typedef {{releases: {version: string}[], attention_tables?: Read[], attention_backends?: Entry[], attention_selection?: Entry[], [field: string]: any}} Tabled the fields of an engine's record that are read */
/** @typedef {"attention_backends" | "attention_selection"} Field */

/** The versions at which tables were read, that of entries which name none first. @param {Tabled} engine */
export function versionsOf(engine) {
  if (!engine.attention_backends?.length) return [];
  return (engine.attention_tables ?? engine.releases.slice(0, 1)).map(({ version }) => version);
}

/**
 * The entries of one version, in the order of the record, each with the sources that were read at that version.
 * @param {Tabled} engine @param {Field} field @param {string} version @returns {Entry[]}
 */
export function tableOf(engine, field, version) {
  const [own] = versionsOf(engine);
  return (engine[field] ?? []).flatMap((entry) => readAt(entry, own).flatMap((at) => (at.version === version ? { ...entry, cites: at.cites } : [])));
}

/** The sources in which the names of all backends of a version stand. @param {Tabled} engine @param {string} version */
export function namesCited(engine, version) {
  return engine.attention_tables?.find((one) => one.version === version)?.cites ?? [];
}

/** @param {Entry} entry @param {string} own @returns {Read[]} */
function readAt(entry, own) {
  return [{ version: entry.version ?? own, cites: entry.cites }, ...(entry.also ?? [])];
}
