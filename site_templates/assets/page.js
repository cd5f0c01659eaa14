// @ts-check
// What the scripts of several pages share: where the site lies, elements made of data, and the files of /api/v1, each fetched once.

export const SITE = new URL("..", import.meta.url);
/** @type {Record<string, string>} */
export const GLYPH = { yes: "✓", "only-with": "◐", unknown: "?", no: "✕" };

/** @param {string} name @param {Record<string, string>} [attributes] @param {(Node | string)[]} children */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** @type {Map<string, Promise<any>>} */
const fetched = new Map();

/** @param {string} path below /api/v1 @returns {Promise<any>} */
export function json(path) {
  const found = fetched.get(path) ?? fetch(new URL(`api/v1/${path}`, SITE)).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(`${path}: ${answer.status}`))));
  fetched.set(path, found);
  return found;
}
