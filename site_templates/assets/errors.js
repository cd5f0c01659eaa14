// @ts-check
// The error lookup: which gotchas a pasted log speaks of, by the same patterns as `infercompat diagnose`. Nothing leaves the page.

/** @typedef {{gotcha: string, title: string, engine: string, severity: string, status: string, by: string, pattern: string, flags: string, workarounds: string[]}} Known */
/** @typedef {{known: Known, line: number, text: string, count: number}} Match */

import { SITE, json, make } from "./page.js";

const LONGEST_SEARCHED = 4000; // characters of a line, as in the command

/** @param {Known} known @returns {RegExp | null} */
function compiled(known) {
  try {
    return new RegExp(known.pattern, `g${known.flags}`);
  } catch {
    return null; // a browser that lacks a part of the syntax
  }
}

/** @param {Known[]} all @param {string} text @returns {Match[]} */
export function find(all, text) {
  const lines = text.split("\n");
  const searched = lines.map((line) => line.slice(0, LONGEST_SEARCHED)).join("\n");
  /** @type {Map<string, Match>} */
  const found = new Map();
  for (const known of all) {
    const pattern = found.has(known.gotcha) ? null : compiled(known);
    const matches = pattern ? [...searched.matchAll(pattern)] : [];
    if (!matches.length) continue;
    const end = matches[0].index + matches[0][0].length;
    const line = searched.slice(0, end).split("\n").length;
    found.set(known.gotcha, { known, line, text: lines[line - 1].trim().slice(0, 400), count: matches.length });
  }
  return [...found.values()];
}

/** @param {Match} match */
function shown({ known, line, text, count }) {
  const what = known.by === "detector" ? "gives it away" : "is its error";
  return make(
    "li", {},
    make("span", { class: `ic-sev ic-${known.severity}` }, known.severity), " ",
    make("a", { href: new URL(`gotchas/${known.gotcha}/`, SITE).href }, known.title),
    make("span", { class: "ic-dim" }, ` ${known.engine}, ${known.status}; line ${line} ${what}${count > 1 ? `, ${count} times` : ""}`),
    make("pre", {}, make("code", {}, text)),
    ...(known.workarounds.length ? [make("p", {}, `What helps: ${known.workarounds.join("; or ")}`)] : []),
  );
}

const form = /** @type {HTMLFormElement} */ (document.getElementById("er-form"));
const text = /** @type {HTMLTextAreaElement} */ (document.getElementById("er-text"));
const place = /** @type {HTMLElement} */ (document.getElementById("er-found"));

async function look() {
  if (!text.value.trim()) return place.replaceChildren();
  try {
    const found = find((await json("errors.json")).errors, text.value);
    const words = found.length === 1 ? "One known fault:" : `${found.length} known faults:`;
    place.replaceChildren(
      ...(found.length
        ? [make("h2", {}, words), make("ul", { class: "er-list" }, ...found.map(shown))]
        : [make("p", {}, "No known fault prints this. That is no proof that there is none: with the serve command and versions, infercompat diagnose looks further.")]),
    );
  } catch (error) {
    place.replaceChildren(make("p", {}, `The known errors could not be read: ${error}`));
  }
}

if (form) {
  /** @type {number | undefined} */
  let waiting;
  text.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(look, 150);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
  document.documentElement.dataset.errors = "ready";
}
