// @ts-check
// The explorer: filters, columns, keyboard and the panel over the static table. The whole table stands in the page; once this
// runs only the rows and columns in sight are drawn, which keeps a filter quick however many models and engines there are.

/** @typedef {{element: HTMLTableRowElement, cells: HTMLTableCellElement[], family: string, id: string, words: string, requires: Set<string>, parameters: number, licence: string, lightest: number, downloads: number, verdicts: string[], grades: string[]}} Row */
/** @typedef {{hop: string, state: string, finding: string, cites: {id: string, url: string, at: string}[]}} Hop */
/** @typedef {{id: string, title: string, severity: string, proven: boolean, needs: string[]}} Gate */
/** @typedef {{engine: string, version: string, verdict: string, reason: string, grade: string | null, confidence: number | null, chain: Hop[], gates: Gate[], conditions: string[], page: string}} Cell */
/** @typedef {{versions: string[], cells: Record<string, string[]>}} OverTime */

import { GLYPH, SITE, json, make } from "./page.js";

const BEYOND = { rows: 12, columns: 3 }; // drawn around those in sight: with a scroll, and once a filter's own rows are painted
const JUST = { rows: 1, columns: 0 }; // for a filter's first picture
const SHOWN = 2; // sources of a hop in the panel; the model's page has all
const GIB = 2 ** 30;
const SUPPORT = { native: "yes", rewritten: "yes", redirected: "yes", plugin: "yes", fallback: "yes", "known-issues": "only-with", partial: "only-with", unsupported: "no", removed: "no" };

const form = /** @type {HTMLFormElement} */ (document.getElementById("ex-filters"));
const count = /** @type {HTMLElement} */ (document.getElementById("ex-count"));
const scroll = /** @type {HTMLElement} */ (document.getElementById("ex-scroll"));
const table = /** @type {HTMLTableElement} */ (document.getElementById("ex-table"));
const panel = /** @type {HTMLElement} */ (document.getElementById("ex-panel"));

// The table as data

const heads = [.../** @type {HTMLTableRowElement} */ (table.tHead?.rows[0]).cells].slice(1);
const engines = heads.map((head) => ({ id: head.dataset.engine ?? "", platforms: (head.dataset.platforms ?? "").split(" ").filter(Boolean) }));
/** @type {Map<string, HTMLTableRowElement>} */
const groups = new Map();
/** @type {Row[]} */
const rows = [];
for (const body of [...table.tBodies]) {
  for (const element of [...body.rows]) {
    if (element.className === "ex-group") {
      groups.set(body.id, element);
      continue;
    }
    const { id = "", words = "", requires = "", parameters, licence = "", lightest, downloads } = element.dataset;
    const cells = [...element.cells].slice(1);
    rows.push({
      element, cells, family: body.id, id, words, licence,
      requires: new Set(requires.split(" ")),
      parameters: Number(parameters) || NaN,
      lightest: Number(lightest) || NaN,
      downloads: Number(downloads) || 0,
      verdicts: cells.map((cell) => /v-(\S+)/.exec(cell.className)?.[1] ?? ""),
      grades: cells.map(gradeOf),
    });
  }
  body.remove();
}
const mostFirst = rows.toSorted((a, b) => b.downloads - a.downloads);
const body = table.createTBody();
const [above, below] = [make("tr", { "aria-hidden": "true" }), make("tr", { "aria-hidden": "true" })];
table.classList.add("ex-live");

/**
 * A cell's grade; the one that most have is told by its confidence alone, and gets its class here.
 * @param {HTMLTableCellElement} cell
 * @returns {string} one of the words, or "" for a cell without a grade
 */
function gradeOf(cell) {
  if (!/ g-/.test(cell.className) && /^\d/.test(cell.querySelector("small")?.textContent ?? "")) cell.classList.add("g-verified");
  return / g-(\S+)/.exec(cell.className)?.[1] ?? "";
}

// State: the form, and with it the address

/** @returns {Record<string, string>} */
function state() {
  const data = new FormData(form);
  const chosen = data.getAll("engine").map(String);
  data.delete("engine");
  const found = Object.fromEntries([...data].filter(([, value]) => String(value).trim()).map(([name, value]) => [name, String(value).trim()]));
  if (chosen.length < engines.length) found.engine = chosen.join(",") || "none";
  return found;
}

/** @param {Record<string, string>} found */
function remember(found) {
  const query = new URLSearchParams(found);
  const cell = new URLSearchParams(location.search).get("cell");
  if (cell && !panel.hidden) query.set("cell", cell);
  history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}${location.hash}`);
}

function recall() {
  const query = new URLSearchParams(location.search);
  for (const field of /** @type {HTMLInputElement[]} */ ([...form.elements])) {
    if (field.name === "engine") field.checked = !query.has("engine") || (query.get("engine") ?? "").split(",").includes(field.value);
    else if (field.name) field.value = query.get(field.name) ?? "";
  }
}

// Filters

/** @type {OverTime | null} */
let overTime = null;

/** @param {Record<string, string>} found */
function columns(found) {
  const chosen = found.engine?.split(",");
  const platform = machine(found)?.dataset.platform;
  return engines.map(({ id, platforms }) => (!chosen || chosen.includes(id)) && (!platform || !platforms.length || platforms.includes(platform)));
}

/** @param {Record<string, string>} found */
function machine(found) {
  const select = /** @type {HTMLSelectElement} */ (form.elements.namedItem("hardware"));
  return found.hardware ? [...select.options].find((option) => option.value === found.hardware) : undefined;
}

/** @param {Record<string, string>} found @returns {Record<string, (row: Row) => boolean>} */
function tests(found) {
  const seen = columns(found);
  const words = (found.model ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const room = Number(found.fits) || Number(machine(found)?.dataset.gib) || 0;
  /** @type {Record<string, (row: Row) => boolean>} */
  const all = {
    model: (row) => words.every((word) => row.words.includes(word)),
    family: (row) => row.family === found.family,
    requires: (row) => row.requires.has(found.requires),
    licence: (row) => row.licence === found.licence,
    verdict: (row) => verdicts(row).some((word, place) => word === found.verdict && (overTime || seen[place])),
    grade: (row) => row.grades.some((word, place) => word === found.grade && seen[place]),
    size: (row) => row.parameters <= Number(found.size) * 1e9,
    fits: (row) => row.lightest <= room * GIB,
  };
  const wanted = Object.keys(all).filter((name) => (name === "fits" ? room > 0 : found[name]));
  return Object.fromEntries(wanted.map((name) => [name, all[name]]));
}

/** @param {Row} row */
function verdicts(row) {
  return overTime ? (overTime.cells[row.id] ?? []).map((status) => SUPPORT[/** @type {keyof typeof SUPPORT} */ (status)] ?? "unknown") : row.verdicts;
}

/** @type {HTMLTableRowElement[]} */
let shown = [];
/** Places of the columns that are asked for: of engines, or of the versions of one. @type {number[]} */
let places = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let later;

function filter() {
  look(); // before anything is written: a question after it would have the browser lay out the old rows once more
  const found = state();
  const asked = Object.entries(tests(found));
  /** @type {Record<string, number>} */
  const alone = {};
  /** @type {HTMLTableRowElement[]} */
  const next = [];
  let models = 0, group = "";
  for (const row of found.order ? mostFirst : rows) {
    const failed = asked.filter(([, test]) => !test(row));
    if (failed.length === 1) alone[failed[0][0]] = (alone[failed[0][0]] ?? 0) + 1;
    if (failed.length) continue;
    if (!found.order && row.family !== group) next.push(/** @type {HTMLTableRowElement} */ (groups.get((group = row.family))));
    next.push(overTime ? timed(row) : row.element);
    models += 1;
  }
  shown = next;
  const seen = columns(found);
  places = (overTime ? overTime.versions.map(() => true) : seen).flatMap((visible, place) => (visible ? [place] : []));
  if (!overTime) heads.forEach((head, place) => (head.hidden = !seen[place]));
  table.style.setProperty("--ex-columns", String(places.length)); // a table of known width is laid out without measuring its cells
  table.dataset.verdict = found.verdict ?? "";
  table.dataset.grade = found.grade ?? "";
  say(models, seen.filter(Boolean).length, alone, found);
  remember(found);
  drawn = "";
  draw(JUST);
  clearTimeout(later);
  later = setTimeout(drawAll, 300);
}

const NAMES = { model: "the search", requires: "the requirement", size: "the size", fits: "what fits", licence: "the licence", family: "the family", verdict: "the verdict", grade: "the grade" };

/** @param {number} models @param {number} seen @param {Record<string, number>} alone @param {Record<string, string>} found */
function say(models, seen, alone, found) {
  const parts = [`${models} of ${rows.length} models, ${overTime ? `${overTime.versions.length} versions` : `${seen} of ${engines.length} engines`}`];
  for (const [name, number] of Object.entries(alone)) parts.push(`${NAMES[/** @type {keyof typeof NAMES} */ (name)] ?? name} alone hides ${number}`);
  const unsized = found.fits || found.hardware ? rows.filter((row) => Number.isNaN(row.lightest)).length : 0;
  if (unsized) parts.push(`${unsized} of unknown size are hidden`);
  count.textContent = parts.join(" · ");
}

// Support over time of one engine

/** @type {Map<string, HTMLTableRowElement>} */
let timedRows = new Map();

/** @param {Row} row */
function timed(row) {
  let made = timedRows.get(row.id);
  if (!made && overTime) {
    const cells = overTime.cells[row.id] ?? overTime.versions.map(() => "unknown");
    made = /** @type {HTMLTableRowElement} */ (make("tr", { "data-id": row.id }, row.element.cells[0].cloneNode(true)));
    const words = verdicts(row);
    const tds = cells.map((status, place) => make("td", { class: `v-${words[place] ?? "unknown"}` }, make("span", {}, `${GLYPH[words[place] ?? "unknown"]} ${status}`)));
    cellsOf.set(made, /** @type {HTMLTableCellElement[]} */ (tds));
    timedRows.set(row.id, made);
  }
  return /** @type {HTMLTableRowElement} */ (made);
}

async function columnsChanged() {
  const wanted = /** @type {HTMLSelectElement} */ (form.elements.namedItem("columns")).value;
  timedRows = new Map();
  const header = /** @type {HTMLTableRowElement} */ (table.tHead?.rows[0]);
  try {
    overTime = wanted ? (await json(`engines/${wanted}.json`)).over_time : null;
  } catch (error) {
    overTime = null;
    count.textContent = `Its versions could not be read: ${error}`;
  }
  header.replaceChildren(header.cells[0], ...(overTime ? overTime.versions.map((version) => make("th", { scope: "col" }, version)) : heads));
  filter();
}

// Drawing only what is in sight

let drawn = "", height = 0;
let view = { left: 0, top: 0, width: 0, height: 0, first: 0, column: 0 };

function look() {
  const [first = 0, ...others] = [.../** @type {HTMLTableRowElement} */ (table.tHead?.rows[0]).cells].map((cell) => cell.offsetWidth);
  view = { left: scroll.scrollLeft, top: scroll.scrollTop, width: scroll.clientWidth, height: scroll.clientHeight, first, column: Math.max(1, ...others) };
}

function drawAll() {
  look();
  draw(BEYOND);
}

/** The cells of a row by place; of a group none. @type {WeakMap<HTMLTableRowElement, HTMLTableCellElement[]>} */
const cellsOf = new WeakMap(rows.map(({ element, cells }) => [element, cells]));
/** What stands in a row for the columns left and right of those that are drawn. @type {WeakMap<HTMLTableRowElement, HTMLTableCellElement[]>} */
const gapsOf = new WeakMap();
/** Which columns a row holds. @type {WeakMap<HTMLTableRowElement, string>} */
const held = new WeakMap();

/** Makes the children those wanted. One that stays is not touched: taken out and put back it would lose the focus, and the place that is scrolled to with it. @param {Element} parent @param {Element[]} wanted */
function arrange(parent, wanted) {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  wanted.forEach((child, place) => {
    if (parent.children[place] !== child) parent.insertBefore(child, parent.children[place] ?? null);
  });
}

/** Puts the cells of some columns into a row. @param {HTMLTableRowElement} row @param {number} from @param {number} to */
function fill(row, from, to) {
  const cells = cellsOf.get(row), span = `${from} ${to} ${places.join()}`;
  if (!cells || held.get(row) === span) return;
  held.set(row, span);
  if (!gapsOf.has(row)) gapsOf.set(row, [0, 1].map(() => /** @type {HTMLTableCellElement} */ (make("td", { class: "ex-gap", "aria-hidden": "true" }))));
  const [left, right] = /** @type {HTMLTableCellElement[]} */ (gapsOf.get(row));
  [left.colSpan, right.colSpan] = [from || 1, places.length - to || 1];
  const inside = places.slice(from, to).map((place) => {
    cells[place].ariaColIndex = String(place + 2);
    return cells[place];
  });
  arrange(row, [/** @type {Element} */ (row.firstElementChild), ...(from ? [left] : []), ...inside, ...(to < places.length ? [right] : [])]);
}

/** @param {{rows: number, columns: number}} beyond */
function draw(beyond) {
  if (!height) {
    body.replaceChildren(...shown.slice(0, 2));
    height = body.rows[body.rows.length - 1]?.getBoundingClientRect().height || 48;
  }
  const first = Math.max(0, Math.floor(view.top / height) - beyond.rows);
  const last = Math.min(shown.length, Math.ceil((view.top + view.height) / height) + beyond.rows);
  const from = Math.max(0, Math.min(places.length - 1, Math.floor(view.left / view.column) - beyond.columns));
  const to = Math.min(places.length, Math.ceil((view.left + view.width - view.first) / view.column) + beyond.columns);
  if (drawn === `${first} ${last} ${from} ${to}`) return;
  drawn = `${first} ${last} ${from} ${to}`;
  above.style.height = `${first * height}px`;
  below.style.height = `${(shown.length - last) * height}px`;
  const slice = shown.slice(first, last);
  slice.forEach((row, place) => {
    row.ariaRowIndex = String(first + place + 2);
    if (cellsOf.has(row)) fill(row, from, to);
    else row.cells[0].colSpan = places.length + 1;
  });
  table.ariaRowCount = String(shown.length + 1);
  table.ariaColCount = String((overTime ? overTime.versions.length : engines.length) + 1);
  arrange(body, [above, ...slice, below]);
}

// Cells: keyboard, panel, permanent links

/** The place of a cell among all columns; -1 for the name of the row. @param {HTMLTableCellElement} cell */
function placeIn(cell) {
  return cellsOf.get(/** @type {HTMLTableRowElement} */ (cell.parentElement))?.indexOf(cell) ?? -1;
}

/** @param {HTMLTableCellElement} cell */
function placeOf(cell) {
  return { id: cell.closest("tr")?.dataset.id ?? "", engine: engines[placeIn(cell)]?.id ?? "" };
}

/** @param {HTMLTableCellElement} from @param {number} down @param {number} right */
function move(from, down, right) {
  let place = shown.indexOf(/** @type {HTMLTableRowElement} */ (from.parentElement)) + down;
  while (down && shown[place]?.className === "ex-group") place += down;
  const row = shown[place];
  if (!row) return;
  const column = Math.min(places.length - 1, Math.max(-1, places.indexOf(placeIn(from)) + right));
  const top = place * height, head = table.tHead?.offsetHeight ?? 0;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  else if (top + height > scroll.scrollTop + scroll.clientHeight - head) scroll.scrollTop = top + height - scroll.clientHeight + head;
  const start = column * view.column, room = view.width - view.first;
  if (column >= 0 && start < scroll.scrollLeft) scroll.scrollLeft = start;
  else if (start + view.column > scroll.scrollLeft + room) scroll.scrollLeft = start + view.column - room;
  drawAll();
  focusOn(column < 0 ? row.cells[0] : cellsOf.get(row)?.[places[column]]);
}

/** @param {HTMLTableCellElement | undefined} cell */
function focusOn(cell) {
  const target = cell?.querySelector("a") ?? cell;
  if (!target) return;
  if (target === cell) cell.tabIndex = -1;
  target.focus({ preventScroll: true });
  target.scrollIntoView({ block: "nearest", inline: "nearest" });
}

scroll.addEventListener("keydown", (event) => {
  const steps = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] };
  const step = steps[/** @type {keyof typeof steps} */ (event.key)];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  const cell = /** @type {Element} */ (event.target).closest("td, th[scope=row]");
  const start = shown.find((row) => row.isConnected && row.className !== "ex-group" && row.getBoundingClientRect().top >= scroll.getBoundingClientRect().top);
  if (cell) move(/** @type {HTMLTableCellElement} */ (cell), step[0], step[1]);
  else focusOn(start && cellsOf.get(start)?.[places[0]]);
});

table.addEventListener("click", (event) => {
  const target = /** @type {Element} */ (event.target);
  const cell = /** @type {HTMLTableCellElement | null} */ (target.closest("td"));
  if (overTime || !cell || placeIn(cell) < 0 || target.closest("small a") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const { id, engine } = placeOf(cell);
  open(id, engine, cell);
});

/** @type {HTMLTableCellElement | null} */
let opener = null;

/** @param {string} id @param {string} engine @param {HTMLTableCellElement | null} [from] */
async function open(id, engine, from = null) {
  opener = from;
  panel.hidden = false;
  panel.replaceChildren(make("p", {}, "Reading …"));
  const query = new URLSearchParams(location.search);
  query.set("cell", `${id}:${engine}`);
  history.replaceState(null, "", `?${query}`);
  try {
    const model = await json(`models/${id}.json`);
    const cell = /** @type {Cell | undefined} */ (model.cells.find((/** @type {Cell} */ each) => each.engine === engine));
    if (!cell) throw new Error(`nothing is known of ${id} on ${engine}`);
    panel.replaceChildren(...content(model, cell));
  } catch (error) {
    panel.replaceChildren(closer(), make("p", {}, `The chain could not be read: ${error}`));
  }
  panel.querySelector("button")?.focus();
}

function close() {
  panel.hidden = true;
  remember(state());
  focusOn(opener ?? undefined);
}

function closer() {
  const button = make("button", { type: "button", class: "ex-close", "aria-label": "Close" }, "✕");
  button.addEventListener("click", close);
  return button;
}

/** @param {string} address */
function link(address) {
  return new URL(address, SITE).href;
}

/** @param {{id: string, record: {name: string}}} model @param {Cell} cell */
function content(model, cell) {
  const glyph = GLYPH[cell.verdict];
  const grade = cell.grade ? `${cell.grade} · ${cell.confidence?.toFixed(2)}` : "";
  const hops = cell.chain.map((hop) =>
    make("li", { class: `h-${hop.state}` }, make("b", {}, hop.hop), ` ${hop.state}: ${hop.finding} `, ...hop.cites.slice(0, SHOWN).flatMap((cite) => [make("a", { class: "ic-cite", href: cite.url, rel: "noopener" }, `${cite.id} ${cite.at}`.trim()), " "]), hop.cites.length > SHOWN ? `and ${hop.cites.length - SHOWN} more` : ""),
  );
  const gates = cell.gates.map((gate) =>
    make("li", {}, make("span", { class: `ic-sev ic-${gate.severity}` }, gate.severity), " ", make("a", { href: link(`gotchas/${gate.id}/`) }, gate.title), gate.proven ? "" : " (not proven)", gate.needs.length ? make("span", { class: "ic-dim" }, ` waits for ${gate.needs.slice(0, 3).join(", ")}`) : ""),
  );
  return [
    closer(),
    make("h2", { class: "ex-name" }, `${model.record.name} on ${cell.engine} ${cell.version}`),
    make("p", {}, make("span", { class: `ic-chip ic-${cell.verdict}` }, `${glyph} ${cell.verdict}`), ` ${grade}`),
    make("p", {}, cell.reason),
    ...cell.conditions.map((condition) => make("p", {}, condition)),
    make("ol", { class: "ex-chain" }, ...hops),
    ...(gates.length ? [make("h3", {}, `Gotchas it can meet (${gates.length})`), make("ul", {}, ...gates)] : []),
    make("p", {}, make("a", { href: link(`check/?${new URLSearchParams({ model: model.id, engine: cell.engine })}`) }, "Ask about your stack"), " · ", make("a", { href: link(cell.page) }, "On the model's page"), " · ", make("a", { href: link(`api/v1/models/${model.id}.json`) }, "JSON")),
  ];
}

// Wiring

/** @type {number | undefined} */
let waiting;
form.addEventListener("input", (event) => {
  if (/** @type {HTMLInputElement} */ (event.target).name === "columns") return void columnsChanged();
  cancelAnimationFrame(waiting ?? 0);
  clearTimeout(later); // what is not in sight waits until nothing is typed
  waiting = requestAnimationFrame(filter);
});
form.addEventListener("reset", () => setTimeout(columnsChanged));
form.addEventListener("submit", (event) => event.preventDefault());
scroll.addEventListener("scroll", drawAll, { passive: true });
addEventListener("resize", drawAll);
addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden) close();
});
addEventListener("beforeprint", () => {
  for (const row of shown) fill(row, 0, places.length);
  body.replaceChildren(...shown);
});
addEventListener("afterprint", filter);

const more = /** @type {HTMLDetailsElement} */ (document.getElementById("ex-more"));
more.hidden = count.hidden = false;
if (innerWidth < 700) more.open = false; // on a phone the table comes first
recall();
const wanted = new URLSearchParams(location.search).get("cell")?.split(":"); // before the filter writes the address, where no panel is open
await columnsChanged();
const group = groups.get(decodeURIComponent(location.hash.slice(1)));
if (group) {
  scroll.scrollTop = shown.indexOf(group) * height;
  drawAll();
}
if (wanted?.length === 2) open(wanted[0], wanted[1]);
requestAnimationFrame(() => setTimeout(() => (document.documentElement.dataset.explorer = "ready"))); // once its rows are painted
