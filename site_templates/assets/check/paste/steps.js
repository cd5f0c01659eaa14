// @ts-check
// What a paste has to say before there is a verdict, as answer/diagnose/steps.py, with the line that says it.

/** @typedef {{missing: string, why: string, add: string}} Step */
/** @typedef {{examples: Record<string, string>, newest: Record<string, string>}} Steps */

/** What to add where there is no verdict, hardware at the end. @param {Pick<import("../paste.js").Understood, "engine" | "version" | "model" | "modelId" | "hardware">} found @param {Steps} known @returns {Step[]} */
export function steps(found, known) {
  const { examples, newest } = known;
  const engine = found.engine && Object.hasOwn(newest, found.engine.name) ? found.engine.name : null;
  if (engine && found.modelId) return [];
  /** @type {Step[]} */
  const told = [];
  if (!found.modelId) {
    const written = String(found.model?.value ?? "");
    const why = written.startsWith("$") ? `nothing says what ${written} is` : found.model ? `the catalog has no model ${found.model.value}: name the one that it was made from` : "no model is named";
    told.push({ missing: "model", why, add: `model: ${examples.model}` });
  }
  const add = `engine: ${engine ?? examples.engine} ${newest[engine ?? examples.engine]}`;
  if (!engine) {
    const why = found.engine ? `${found.engine.name} is no engine of the catalog` : "no engine is named: the serve command names it, too";
    told.push({ missing: "engine", why, add });
  } else if (!found.version) {
    told.push({ missing: "version", why: "no version is named", add });
  }
  if (!found.hardware.some((kind) => kind.id)) {
    told.push({ missing: "hardware", why: "no hardware on record is named: the output of nvidia-smi or rocm-smi names it, too", add: `hardware: 1x ${examples.hardware}` });
  }
  return told;
}
