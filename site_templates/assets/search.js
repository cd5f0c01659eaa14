// @ts-check
// The search of every page: a button in the header, "/" from anywhere, a dialog with the results. The index of Pagefind is asked for
// once the box has the focus, and then in parts. A build of the site that has no index loses the button at the first try.

/** @typedef {{raw_url: string, meta: {title: string}, excerpt: string}} Found A page, its excerpt HTML with marks */
/** @typedef {{id: string, data: () => Promise<Found>}} Result */
/** @typedef {{options: (options: object) => Promise<void>, init: () => Promise<void>, search: (query: string | null, options?: object) => Promise<{results: Result[]}>}} Engine */

import { SITE, make } from "./page.js";

const STEP = 8; // results shown at a time
const PAUSE = 120; // milliseconds without a key before a search
const LONGEST = 160; // letters of a query: more of a log is not words to look for
/** @type {Record<string, string>} */
const KINDS = { models: "model", engines: "engine", gotchas: "gotcha", requirements: "requirement", hardware: "hardware", measurements: "measurement", reference: "reference" };

/** What kind of page an address is of, in a word. @param {string} path below the site, with a slash before it */
export function kind(path) {
  const [, folder, name, inner] = path.split("/");
  return folder === "engines" && inner ? "recipe or source" : name ? (KINDS[folder] ?? "") : "";
}

const box = /** @type {HTMLInputElement} */ (make("input", { type: "search", "aria-label": "Search", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: "id, name, checkpoint, architecture or error" }));
const status = make("p", { role: "status", class: "se-status" });
const list = make("ul", { class: "se-list" });
const more = make("button", { type: "button", class: "se-more", hidden: "" }, "More");
const close = make("button", { type: "button", class: "se-close", "aria-label": "Close the search" }, "Esc");
const hint = make("p", { class: "se-hint" }, "A whole log is looked up at ", make("a", { href: new URL("errors/", SITE).href }, "Errors"), ".");
const dialog = /** @type {HTMLDialogElement} */ (make("dialog", { class: "se-dialog", "aria-label": "Search" },
  make("div", { class: "se-top", role: "search" }, box, close), status, list, more, hint));
const open = make("button", { type: "button", class: "se-open", "aria-haspopup": "dialog", "aria-keyshortcuts": "/", "aria-label": "Search" },
  make("span", { class: "se-glyph", "aria-hidden": "true" }, "⌕"), make("span", { class: "se-word" }, "Search"), make("kbd", { class: "se-word" }, "/"));

/** @type {Promise<Engine> | undefined} */
let loading;

/** The engine, loaded once; without one the search goes away. */
function engine() {
  loading ??= import(new URL("pagefind/pagefind.js", SITE).href).then(async (/** @type {Engine} */ found) => {
    await found.options({ noWorker: true, excerptLength: 24, ranking: { metaWeights: { title: 1 } } }); // headings have weights by kind of page
    await found.init();
    return found;
  });
  loading.catch(() => {
    dialog.close();
    dialog.remove();
    open.remove();
  });
  return loading;
}

/** @param {Found} found */
function entry({ raw_url, meta, excerpt }) {
  const words = make("span", { class: "se-excerpt" });
  words.innerHTML = excerpt; // Pagefind escapes the text, and marks the words found
  const link = make("a", { href: new URL(raw_url.slice(1), SITE).href }, make("b", {}, meta.title), make("span", { class: "se-kind" }, kind(raw_url)), words);
  return make("li", {}, link);
}

/** @type {Result[]} */
let results = [];
let turn = 0;
let waiting = 0;

/** What a page may be named by a query: itself, and the name of a checkpoint without its publisher. @param {string} query */
function names(query) {
  const name = query.toLowerCase();
  return [name, name.slice(name.lastIndexOf("/") + 1)];
}

/** Shows the next few results, after those that stand there. @param {number} mine */
async function show(mine) {
  const shown = list.childElementCount;
  const pages = await Promise.all(results.slice(shown, shown + STEP).map((result) => result.data()));
  if (mine !== turn) return; // another search came meanwhile
  list.append(...pages.map(entry));
  more.hidden = list.childElementCount >= results.length;
}

async function search() {
  clearTimeout(waiting);
  const mine = ++turn;
  const query = box.value.trim().slice(0, LONGEST);
  if (!query) {
    list.replaceChildren();
    more.hidden = true;
    return void (status.textContent = "");
  }
  const { search: ask } = await engine();
  const [named, worded] = await Promise.all([ask(null, { filters: { name: { any: names(query) } } }), ask(query)]);
  if (mine !== turn) return;
  results = [...new Map([...named.results, ...worded.results].map((result) => [result.id, result])).values()]; // the page of that very name first
  list.replaceChildren();
  status.textContent = results.length === 1 ? "1 page" : results.length ? `${results.length} pages` : `Nothing is found for “${query}”.`;
  await show(mine);
}

function links() {
  return [...list.querySelectorAll("a")];
}

/** Arrow keys go from the box through the results and back; Enter in the box opens the first. @param {KeyboardEvent} event */
function move(event) {
  const all = links();
  const place = all.indexOf(/** @type {HTMLAnchorElement} */ (document.activeElement));
  if (event.key === "ArrowDown" && place + 1 < all.length) all[place + 1].focus();
  else if (event.key === "ArrowUp" && place >= 0) (all[place - 1] ?? box).focus();
  else if (event.key === "Enter" && document.activeElement === box) search().then(() => links()[0]?.click()); // of what stands in the box by now
  else return;
  event.preventDefault();
}

/** Whether keys are letters of something else just now. @param {EventTarget | null} target */
function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

function start() {
  if (!dialog.open) dialog.showModal();
  box.focus();
  box.select();
}

const header = document.querySelector(".md-header__inner");
if (header) {
  header.append(open);
  document.body.append(dialog);
  open.addEventListener("click", start);
  close.addEventListener("click", () => dialog.close());
  more.addEventListener("click", () => show(turn));
  box.addEventListener("focus", () => void engine().catch(() => {}));
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(search, PAUSE);
  });
  dialog.addEventListener("keydown", move);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    event.preventDefault();
    start();
  });
}
