// @ts-check
// packaging.version: versions as PEP 440 orders them, of engines and of components such as a driver.

/** @typedef {number | string | boolean | any[]} Key compared from left to right; of lists that are equal so far the shorter comes first */
/** @typedef {{text: string, key: Key, public: Key, release: number[], pre: boolean, dev: boolean}} Dotted */

const PATTERN = new RegExp(
  "^\\s*v?(?:(?<epoch>[0-9]+)!)?(?<release>[0-9]+(?:\\.[0-9]+)*)" +
    "(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>[0-9]+)?)?" +
    "(?<post>-(?<bare>[0-9]+)|[-_.]?(?:post|rev|r)[-_.]?(?<postNumber>[0-9]+)?)?" +
    "(?<dev>[-_.]?dev[-_.]?(?<devNumber>[0-9]+)?)?(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?\\s*$",
  "i",
);
/** @type {Record<string, string>} */
const LETTERS = { alpha: "a", beta: "b", c: "rc", pre: "rc", preview: "rc" };

/** @type {Map<string, Dotted | null>} */
const known = new Map();

/** A version, or null where the text is none. @param {string} text @returns {Dotted | null} */
export function dotted(text) {
  const found = known.has(text) ? known.get(text) : parsed(text);
  known.set(text, found ?? null);
  return found ?? null;
}

/** @param {string} text @returns {Dotted | null} */
function parsed(text) {
  const found = PATTERN.exec(text)?.groups;
  if (!found) return null;
  const release = found.release.split(".").map(Number);
  const trimmed = [...release];
  while (trimmed.length > 1 && trimmed[trimmed.length - 1] === 0) trimmed.pop();
  const letter = found.pre && (LETTERS[found.pre.toLowerCase()] ?? found.pre.toLowerCase());
  // A version that is only under development comes before its pre-releases, a final one after them.
  const pre = letter ? [1, letter, Number(found.preNumber ?? 0)] : found.dev && !found.post ? [0] : [2];
  const post = found.post ? Number(found.bare ?? found.postNumber ?? 0) : -1;
  const dev = found.dev ? Number(found.devNumber ?? 0) : Infinity;
  const open = [Number(found.epoch ?? 0), trimmed, pre, post, dev];
  const local = found.local ? [1, ...found.local.toLowerCase().split(/[-_.]/).map(part)] : [0];
  return { text: text.trim(), key: [...open, local], public: open, release, pre: Boolean(letter), dev: Boolean(found.dev) };
}

/** Numbers of a local label come after its words. @param {string} word @returns {Key} */
function part(word) {
  return /^[0-9]+$/.test(word) ? [1, Number(word)] : [0, word];
}

/** Below 0, 0 or above 0. @param {Key} one @param {Key} other @returns {number} */
export function order(one, other) {
  if (!Array.isArray(one) || !Array.isArray(other)) return one < other ? -1 : one > other ? 1 : 0;
  for (let place = 0; place < Math.min(one.length, other.length); place += 1) {
    const found = order(one[place], other[place]);
    if (found) return found;
  }
  return one.length - other.length;
}
