// @ts-check
// What a person states in a line of its own, as answer/diagnose/stated.py: model: …, engine: …, hardware: ….

import { isModel } from "./commands.js";
import { match, own } from "./patterns.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{stated: Pattern, counted: Pattern, words: string[], engines: Record<string, string>, hardware: Record<string, string>}} Stated */
/** @typedef {import("../paste.js").Data} Data */

/** @param {string[]} lines @param {Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const seen = lines.flatMap((line, place) => (line.length < 300 && data.stated.words.some((word) => line.includes(word)) ? ofLine(line, place + 1, data) : []));
  return { seen, taken: new Set() };
}

/** @param {string} line @param {number} number @param {Data} data @returns {Seen[]} */
function ofLine(line, number, data) {
  const counted = match(data.stated.counted, line);
  if (counted) return devices(counted[2], Number(counted[1]), number, data);
  const [, what, text, version] = match(data.stated.stated, line) ?? [];
  if (what === "model") return isModel(text, data.commands) ? [{ kind: "model", name: "", value: text, line: number }] : [];
  if (what && what !== "engine") return devices(text, 1, number, data);
  const [name, at] = (text ?? "").split(/@(.*)/s), engine = own(data.stated.engines, name.toLowerCase());
  if (what !== "engine" || !engine) return [];
  const said = version || at;
  return [{ kind: "engine", name: engine, value: 1, line: number }, ...(said ? [{ kind: "component", name: engine, value: said, line: number }] : [])];
}

/** @param {string} name @param {number} count @param {number} number @param {Data} data @returns {Seen[]} */
function devices(name, count, number, data) {
  const id = own(data.stated.hardware, name.toLowerCase().replaceAll(" ", "-"));
  const bytes = data.machines.products.find((product) => product.id === id)?.bytes ?? null;
  if (!id) return [];
  const value = (/** @type {number} */ index) => ({ name: id.replaceAll("-", " "), index: String(index), mebibytes: bytes === null ? null : Math.floor(bytes / 2 ** 20), pci: "" });
  return Array.from({ length: Math.min(count, 64) }, (_, index) => ({ kind: "device", name: "", value: value(index), line: number }));
}
