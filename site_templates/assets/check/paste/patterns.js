// @ts-check
// Regular expressions that Python delivers as data, with its three ways of asking them.

/** @typedef {{pattern: string, flags: string}} Pattern */

/** @type {Map<string, RegExp>} */
const compiled = new Map();

/** @param {string} source @param {string} flags @returns {RegExp} */
function regexp(source, flags) {
  const key = `${flags} ${source}`;
  const found = compiled.get(key) ?? new RegExp(source, flags);
  compiled.set(key, found);
  return found;
}

/** What a table holds itself under a name, and nothing that every object has. @template T @param {Record<string, T>} table @param {string} name @returns {T | undefined} */
export function own(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Anywhere in the text. @param {Pattern} asked @param {string} text */
export function search({ pattern, flags }, text) {
  return regexp(pattern, flags).exec(text);
}

/** At the start of the text. @param {Pattern} asked @param {string} text */
export function match({ pattern, flags }, text) {
  return regexp(`^(?:${pattern})`, flags).exec(text);
}

/** The whole text. @param {Pattern} asked @param {string} text */
export function whole({ pattern, flags }, text) {
  return regexp(`^(?:${pattern})$`, flags).exec(text);
}

/** Every place in the text. @param {Pattern} asked @param {string} text */
export function every({ pattern, flags }, text) {
  return text.matchAll(regexp(pattern, `${flags}g`));
}

/** The text with every place changed. @param {Pattern} asked @param {string} text @param {(found: RegExpMatchArray) => string} change */
export function replaced(asked, text, change) {
  let at = 0, out = "";
  for (const found of every(asked, text)) {
    out += text.slice(at, found.index) + change(found);
    at = /** @type {number} */ (found.index) + found[0].length;
  }
  return out + text.slice(at);
}
