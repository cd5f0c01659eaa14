// @ts-check
// versions/tables.py: tables of an engine's record that were read whole at some versions, such as its attention backends and their order.

/** @typedef {{version?: string, cites: any[], also?: {version: string, cites: any[]}[], [field: string]: any}} Entry */
/** @typedef {{releases: {version: string}[], attention_version?: string, attention_backends?: Entry[], attention_selection?: Entry[], [field: string]: any}} Tabled the fields of an engine's record that are read */
/** @typedef {"attention_backends" | "attention_selection"} Field */

/** The version that entries are of which name none. @param {Tabled} engine */
function attentionVersion(engine) {
  return engine.attention_version ?? engine.releases[0].version;
}

/** Every version at which backends were read, each once, that of entries which name none first. @param {Tabled} engine */
export function versionsOf(engine) {
  const own = attentionVersion(engine);
  const found = new Set((engine.attention_backends ?? []).flatMap((entry) => readAt(entry, own).map(({ version }) => version)));
  return [...found].sort((one, other) => Number(one !== own) - Number(other !== own));
}

/**
 * The entries of one version, in the order of the record, each with the sources that were read at that version.
 * @param {Tabled} engine @param {Field} field @param {string} version @returns {Entry[]}
 */
export function tableOf(engine, field, version) {
  const own = attentionVersion(engine);
  return (engine[field] ?? []).flatMap((entry) => readAt(entry, own).flatMap((at) => (at.version === version ? { ...entry, cites: at.cites } : [])));
}

/** @param {Entry} entry @param {string} own */
function readAt(entry, own) {
  return [{ version: entry.version ?? own, cites: entry.cites }, ...(entry.also ?? [])];
}
