// @ts-check
// Which model of the catalog a hub id, a path or a file name means, as answer/diagnose/models.py.

import { own, replaced, search } from "./patterns.js";

/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{ids: Record<string, string>, hubs: Record<string, [string, string]>, names: Record<string, string>, added: Pattern, parts: Pattern, endings: Pattern, tag: Pattern, snapshot: Pattern, formats: [Pattern, string][]}} Models */
/** @typedef {{model: string, format: string | null, exact: boolean}} Match a model's id, the format where the name gives it, and whether it is a checkpoint's own name */

/** @param {string} text @param {Models} known @returns {Match | null} */
export function find(text, known) {
  const written = text.trim().replace(/^['"`]+|['"`]+$/g, "").replace(/\/+$/, "");
  if (written.length > 400) return null;
  const snapshot = search(known.snapshot, written);
  const hub = snapshot ? `${snapshot[1]}/${snapshot[2]}` : replaced(known.tag, written, () => "");
  const [stored, format] = own(known.hubs, hub.toLowerCase()) ?? [null, null];
  const id = own(known.ids, hub) ?? own(known.ids, hub.toLowerCase()) ?? stored;
  if (hub && id) return { model: id, format: (stored === id ? format : null) ?? formatOf(written, known), exact: stored === id };
  const name = readings(written, hub, known).find((each) => Object.hasOwn(known.names, each));
  return name === undefined ? null : { model: known.names[name], format: formatOf(written, known), exact: false };
}

/** The weight format that a name ends in. @param {string} written @param {Models} known */
function formatOf(written, known) {
  return known.formats.find(([pattern]) => search(pattern, written.toLowerCase()))?.[1] ?? null;
}

/** @param {string} name */
function normal(name) {
  return name.toLowerCase().replace(/[\s_:]+/g, "-");
}

/** The name as it stands, then with one added word less each time; a tag may be a size, as in gemma3:27b. @param {string} written @param {string} hub @param {Models} known @returns {string[]} */
function readings(written, hub, known) {
  const bare = (/** @type {string} */ text) => replaced(known.endings, text, () => "");
  const last = bare(written.toLowerCase()).split(/[/\\]/).at(-1) ?? "";
  const starts = [replaced(known.parts, bare(hub.toLowerCase().split(/[/\\]/).at(-1) ?? ""), () => ""), last.replaceAll(":", "-")];
  starts.push(starts[1].replace(/^([a-z-]+?)(\d)/, "$1-$2"));
  const found = [];
  for (const start of new Set(starts)) {
    let name = normal(start);
    for (let turn = 0; turn < 8; turn += 1) {
      found.push(name);
      const shorter = replaced(known.added, name, () => "");
      if (shorter === name || !shorter) break;
      name = shorter;
    }
  }
  return found;
}
