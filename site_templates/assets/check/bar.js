// @ts-check
// The memory of one device as a bar, with the same figures as a table, and the lengths that the context slider stops at.

import { make } from "../page.js";
import { formatBytes } from "./units.js";

/** @typedef {{weights_bytes: number | null, weights_low_bytes: number | null, cache_bytes: number | null, cache_bounds_bytes: number[] | null, state_bytes: number | null, device_bytes: number | null, available_bytes: number | null, available_low_bytes: number | null, fits: boolean | null, longest_context: number | null, sequences: number | null, missing: string[], logged: any[]}} Memory as the JSON of `check` has it */
/** @typedef {{key: string, name: string, letter: string, bytes: number, why: string}} Part */

const [SHORTEST, LONGEST_UNKNOWN, STEPS_PER_DOUBLING, GRAIN] = [512, 1 << 20, 4, 256];

/** The lengths of the slider, shortest first: four to a doubling, and the longest itself. @param {number | null} longest @returns {number[]} */
export function lengths(longest) {
  const most = longest ?? LONGEST_UNKNOWN, found = [];
  for (let step = 0; ; step += 1) {
    const exact = SHORTEST * 2 ** (step / STEPS_PER_DOUBLING);
    if (exact > most - GRAIN) return [...found, most];
    found.push(Math.round(exact / GRAIN) * GRAIN);
  }
}

/** The parts of a device, in their order. What is not known is left out. @param {Memory} memory @returns {Part[]} */
export function parts(memory) {
  const { device_bytes: device, weights_bytes: weights, weights_low_bytes: low, state_bytes: state, available_bytes: available } = memory;
  const cache = memory.cache_bytes ?? memory.cache_bounds_bytes?.[1] ?? null;
  const kept = Math.min(state ?? 0, cache ?? 0);
  const reserved = device !== null && low !== null && available !== null ? Math.max(0, device - low - Math.max(0, available)) : 0;
  const left = device === null ? 0 : device - (weights ?? 0) - (cache ?? 0) - (weights === null ? 0 : reserved - ((weights ?? 0) - (low ?? 0)));
  const all = [
    { key: "weights", name: "weights", letter: "W", bytes: weights ?? 0, why: low !== null && low !== weights ? `at least ${formatBytes(low)}` : "" },
    { key: "cache", name: "cache of one sequence", letter: "C", bytes: (cache ?? 0) - kept, why: memory.cache_bounds_bytes && memory.cache_bytes === null ? `at least ${formatBytes(memory.cache_bounds_bytes[0])}: its policy is not on record` : "" },
    { key: "state", name: "state, whatever the length", letter: "S", bytes: kept, why: "" },
    { key: "kept", name: "not for the cache", letter: "–", bytes: weights === null ? 0 : reserved, why: "beyond the share that the engine takes" },
    { key: "left", name: "left for more cache", letter: "", bytes: Math.max(0, left), why: "at most: less what the engine takes itself" },
    { key: "short", name: "does not fit", letter: "!", bytes: Math.max(0, -left), why: "" },
  ];
  return all.filter((part) => part.bytes > 0);
}

/** @param {Memory} memory @returns {HTMLElement[]} */
export function bar(memory) {
  const { device_bytes: device } = memory;
  if (device === null) return [make("p", {}, "The memory of the device is not on record.")];
  const found = parts(memory), short = found.find((part) => part.key === "short");
  const shown = short ? shortened(found, short.bytes) : found;
  const words = found.map((part) => `${part.name} ${formatBytes(part.bytes)}`).join(", ");
  const whole = make("div", { class: "ck-bar", role: "img", "aria-label": `Of ${formatBytes(device)} a device: ${words}` });
  for (const part of shown) {
    whole.append(make("span", { class: `ck-part ck-${part.key}`, style: `flex-grow:${part.bytes / device}`, title: `${part.name}: ${exact(part.bytes)}` }, make("b", { "aria-hidden": "true" }, part.letter)));
  }
  return [whole, table(found, device)];
}

/** Where more is asked for than there is, what does not fit is taken off the cache's part of the bar. @param {Part[]} found @param {number} beyond */
function shortened(found, beyond) {
  let over = beyond;
  const cut = ["cache", "state", "weights"].flatMap((key) => {
    const part = found.find((one) => one.key === key);
    if (!part) return [];
    const taken = Math.min(over, part.bytes);
    over -= taken;
    return [{ ...part, bytes: part.bytes - taken }];
  });
  return found.map((part) => cut.find((one) => one.key === part.key) ?? part);
}

/** The same as words, which is the legend for the eye and the data for a screen reader. @param {Part[]} found @param {number} device */
function table(found, device) {
  const row = (/** @type {Part} */ part) =>
    make(
      "tr", {},
      make("th", { scope: "row" }, make("span", { class: `ck-key ck-${part.key}`, "aria-hidden": "true" }, part.letter), part.name, ...(part.why ? [make("small", {}, part.why)] : [])),
      make("td", { title: exact(part.bytes) }, formatBytes(part.bytes)),
      make("td", {}, `${Math.round((100 * part.bytes) / device)}%`),
    );
  const head = make("tr", {}, make("th", { scope: "col" }, "Part"), make("th", { scope: "col" }, "Size"), make("th", { scope: "col" }, `Of ${formatBytes(device)}`));
  return make("table", { class: "ic-table ic-numbers ck-parts" }, make("caption", { class: "ck-unseen" }, "What one device holds"), make("thead", {}, head), make("tbody", {}, ...found.map(row)));
}

/** @param {number} bytes */
function exact(bytes) {
  return `${bytes.toLocaleString("en")} bytes`;
}

/** What fits, and what logs of such a stack say. @param {Memory} memory @param {number | null} context @returns {HTMLElement[]} */
export function room(memory, context) {
  const lines = [];
  const tokens = (/** @type {number} */ count) => `${count.toLocaleString("en")} tokens`;
  if (memory.longest_context) lines.push(make("li", {}, "Longest that surely fits: ", make("b", {}, tokens(memory.longest_context))));
  if (memory.sequences !== null && context) lines.push(make("li", {}, "Sequences of ", tokens(context), " at once: ", make("b", {}, memory.sequences.toLocaleString("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 }))));
  if (memory.fits === null && memory.available_bytes !== null) lines.push(make("li", {}, "Whether it fits depends on what the engine takes itself, which no log bounds here."));
  for (const why of memory.missing) lines.push(make("li", {}, `Not known: ${why}`));
  for (const one of (memory.logged ?? []).slice(0, 3)) {
    const value = typeof one.value === "number" ? one.value.toLocaleString("en") : one.value;
    const what = String(one.metric).split(".").slice(1).join(".").replaceAll("_", " ");
    const cite = one.cites?.[0];
    lines.push(make("li", {}, `A log of such a stack: ${what} ${value} ${one.unit}${one.context ? ` at ${one.context.toLocaleString("en")}` : ""}, ${one.version ?? "no version said"} `, ...(cite?.url ? [make("a", { class: "ic-cite", href: cite.url, rel: "noopener" }, cite.id)] : [])));
  }
  return lines.length ? [make("ul", { class: "ck-plain" }, ...lines)] : [];
}
