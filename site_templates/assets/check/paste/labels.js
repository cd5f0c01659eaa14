// @ts-check
// Devices by the labels of nodes, as answer/diagnose/labels.py: what manifests call an accelerator, and how many they ask for.

import { match } from "./patterns.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{labelled: Pattern, key: Pattern, value: Pattern, count: Pattern, words: string[], counted: string[]}} Labels */

const NEAR = 6; // lines below a label's name in which its values stand

/** The devices that labels name, as many as the same text asks for. @param {string[]} lines @param {import("../paste.js").Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.labels;
  const places = lines.flatMap((line, place) => (line.length < 400 && known.words.some((word) => line.includes(word)) ? [place] : []));
  if (!places.length) return { seen: [], taken: new Set() };
  const counts = lines.filter((line) => line.length < 400 && known.counted.some((word) => line.includes(word))).map((line) => Number(match(known.count, line)?.[1] ?? 1));
  const count = Math.max(1, ...counts);
  const seen = places.flatMap((place) => names(lines, place, known)).flatMap(([name, line]) => {
    const text = name.replace(/-SHARED$/, "").replace(/[-_]/g, " ");
    return Array.from({ length: count }, (_, index) => ({ kind: "device", name: "", value: { name: text, index: String(index), mebibytes: null, pci: "" }, line }));
  });
  return { seen, taken: new Set() };
}

/** @param {string[]} lines @param {number} place @param {Labels} known @returns {[string, number][]} */
function names(lines, place, known) {
  const labelled = match(known.labelled, lines[place]);
  if (labelled) return [[labelled[1], place + 1]];
  if (!match(known.key, lines[place])) return [];
  /** @type {[string, number][]} */
  const found = [];
  for (let below = place + 1; below < Math.min(place + NEAR, lines.length); below += 1) {
    const value = match(known.value, lines[below]);
    if (value) found.push([value[1], below + 1]);
  }
  return found;
}
