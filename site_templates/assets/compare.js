// @ts-check
// Compare: two to four models, or engines, side by side, what differs first. The choice is in the address; the facts are those of /api/v1.

/** @typedef {"models" | "engines"} Kind */
/** @typedef {{word: string, chip?: string, href?: string}} Value A word, drawn as a chip of that class, or a link below the site */
/** @typedef {{section: string, label: string, href?: string, values: Value[]}} Row One fact of each of those compared, in their order */
/** @typedef {{id: string, name: string}} Named */
/** @typedef {Record<string, any>} Item A file of /api/v1, which has the schema of its own beside it */

import { formatBytes } from "./check/units.js";
import { GLYPH, SITE, json, make } from "./page.js";

const [FEWEST, MOST] = [2, 4];
const UNKNOWN = { word: "unknown", chip: "unknown" };

// Facts: each function gives the rows of one kind, without a look at the page

/** @param {unknown} value @returns {Value} */
function plain(value) {
  return value === null || value === undefined || value === "" ? { word: "–" } : { word: typeof value === "number" ? value.toLocaleString("en") : String(value) };
}

/** @param {Item | undefined} cell @returns {Value} */
function verdict(cell) {
  return cell ? { word: cell.verdict, chip: cell.verdict } : UNKNOWN;
}

/** The names of all items, each once, in the order in which they first come. @param {string[][]} lists */
function union(lists) {
  return [...new Set(lists.flat())];
}

/** @param {Item[]} models @param {Map<string, string>} names of engines @returns {Row[]} */
export function modelRows(models, names) {
  /** @type {Row[]} */
  const rows = [];
  /** @param {string} section @param {string} label @param {(model: Item) => Value} value @param {string} [href] */
  const add = (section, label, value, href) => rows.push({ section, label, values: models.map(value), ...(href && { href }) });
  const fits = models.map((model) => Object.fromEntries(model.cells.map((/** @type {Item} */ cell) => [cell.engine, cell])));

  for (const engine of union(fits.map(Object.keys))) {
    const href = `engines/${engine}/`;
    rows.push({ section: "Engines", label: names.get(engine) ?? engine, href, values: fits.map((cells) => ({ ...verdict(cells[engine]), ...(cells[engine] && { href: cells[engine].page }) })) });
  }
  add("Facts", "Architecture", (model) => plain(model.record.architecture));
  add("Facts", "Family", (model) => plain(model.record.family));
  add("Facts", "Parameters", (model) => plain(model.record.parameters?.total));
  add("Facts", "Active parameters", (model) => plain(model.record.parameters?.active));
  add("Facts", "Licence", (model) => plain(model.record.licence?.name));
  add("Facts", "Released", (model) => plain(model.record.released?.date));
  add("Facts", "Takes", (model) => plain(model.record.modalities?.inputs.join(", ")));
  add("Facts", "Context in tokens", (model) => (model.derived.known ? plain(model.derived.context.native) : UNKNOWN));
  add("Facts", "Lightest checkpoint", (model) => {
    const known = model.weights.map((/** @type {Item} */ each) => each.low_bytes).filter((/** @type {number | null} */ bytes) => bytes !== null);
    return known.length ? { word: formatBytes(Math.min(...known)) } : UNKNOWN;
  });
  for (const kind of union(models.map((model) => Object.keys(model.derived.layers ?? {})))) {
    add("Layers", kind, (model) => (model.derived.known ? plain(model.derived.layers[kind] ?? 0) : UNKNOWN));
  }
  for (const [bound, name] of [["ideal", "what layers need"], ["naive", "every layer full"]]) {
    for (const tokens of union(models.map((model) => Object.keys(model.derived.cache?.[bound].at ?? {})))) {
      const beyond = (/** @type {Item} */ model) => model.derived.context.native && Number(tokens) > model.derived.context.native;
      add("Cache of one sequence in bf16", `${Number(tokens).toLocaleString("en")} tokens: ${name}`, (model) => {
        if (!model.derived.known) return UNKNOWN;
        return beyond(model) ? { word: "beyond its context" } : { word: formatBytes(model.derived.cache[bound].at[tokens]) };
      });
    }
  }
  for (const requirement of union(models.map((model) => Object.keys(model.derived.requirements ?? {})))) {
    add("Requirements", requirement, (model) => (model.derived.known ? { word: requirement in model.derived.requirements ? "demands it" : "does not" } : UNKNOWN), `requirements/${requirement}/`);
  }
  for (const id of union(models.map((model) => model.cells.flatMap((/** @type {Item} */ cell) => cell.gates.map((/** @type {Item} */ gate) => gate.id))))) {
    add("Gotchas that a stack with it can meet", id, (model) => {
      const engines = model.cells.filter((/** @type {Item} */ cell) => cell.gates.some((/** @type {Item} */ gate) => gate.id === id));
      return { word: engines.map((/** @type {Item} */ cell) => names.get(cell.engine) ?? cell.engine).join(", ") || "–" };
    }, `gotchas/${id}/`);
  }
  return rows;
}

/** @param {Item[]} engines @param {Map<string, string>} names of models @returns {Row[]} */
export function engineRows(engines, names) {
  /** @type {Row[]} */
  const rows = [];
  /** @param {string} section @param {string} label @param {(engine: Item) => Value} value */
  const add = (section, label, value) => rows.push({ section, label, values: engines.map(value) });
  const fits = engines.map((engine) => Object.fromEntries(engine.cells.map((/** @type {Item} */ cell) => [cell.model, cell])));

  for (const model of union(fits.map(Object.keys))) {
    const values = engines.map(({ id }, place) => ({ ...verdict(fits[place][model]), ...(fits[place][model] && { href: `models/${model}/#on-${id}` }) }));
    rows.push({ section: "Models", label: names.get(model) ?? model, href: `models/${model}/`, values });
  }
  add("Facts", "Role", (engine) => plain(engine.record.role));
  add("Facts", "Newest release here", (engine) => plain(engine.record.releases[0].version));
  add("Facts", "Of", (engine) => plain(engine.record.releases[0].date));
  add("Facts", "Platforms", (engine) => plain(engine.record.platforms?.join(", ")));
  add("Facts", "Tasks", (engine) => plain(engine.record.tasks?.join(", ")));
  for (const word of Object.keys(GLYPH)) {
    add("Counts", `Models with ${word}`, (engine) => plain(engine.cells.filter((/** @type {Item} */ cell) => cell.verdict === word).length));
  }
  for (const fact of union(engines.map((engine) => Object.keys(engine.record.settings ?? {})))) {
    add("Settings", fact, (engine) => {
      const setting = engine.record.settings?.[fact];
      return setting ? { word: [setting.flag, setting.default !== null && setting.default !== undefined && `default ${setting.default}`].filter(Boolean).join(", ") } : plain(null);
    });
  }
  return rows;
}

/** @param {Row} row */
export function differs(row) {
  return row.values.some(({ word }) => word !== row.values[0].word);
}

// The address

/** What an address asks for: at most four ids, each once. @param {string} search @returns {{kind: Kind, ids: string[]}} */
export function asked(search) {
  const query = new URLSearchParams(search);
  const kind = query.has("engines") && !query.has("models") ? "engines" : "models";
  const ids = (query.get(kind) ?? "").split(",").map((id) => id.trim()).filter(Boolean);
  return { kind, ids: [...new Set(ids)].slice(0, MOST) };
}

// The page

/** @param {string} text @param {string | undefined} href */
function linked(text, href) {
  return href ? make("a", { href: new URL(href, SITE).href }, text) : text;
}

/** @param {Value} value */
function shown(value) {
  if (!value.chip) return linked(value.word, value.href);
  const glyph = make("span", { "aria-hidden": "true" }, GLYPH[value.chip]);
  const chip = make("span", { class: `ic-chip ic-${value.chip}` }, glyph, ` ${value.word}`);
  return value.href ? make("a", { href: new URL(value.href, SITE).href, class: "ic-plain" }, chip) : chip;
}

/** @param {string} label @param {Item[]} items @param {Row[]} rows */
function table(label, items, rows) {
  const head = make("tr", {}, make("th", { scope: "col" }, "What"), ...items.map((item) => make("th", { scope: "col" }, linked(item.record.name, item.page))));
  const bodies = union([rows.map(({ section }) => section)]).map((section) =>
    make(
      "tbody", {},
      make("tr", { class: "cp-section" }, make("th", { scope: "rowgroup", colspan: String(items.length + 1) }, section)),
      ...rows.filter((row) => row.section === section).map((row) => make("tr", {}, make("th", { scope: "row" }, linked(row.label, row.href)), ...row.values.map((value) => make("td", {}, shown(value))))),
    ),
  );
  const whole = make("table", { class: "ic-table ic-matrix" }, make("thead", {}, head), ...bodies);
  return make("div", { class: "ic-scroll", tabindex: "0", role: "region", "aria-label": label }, whole);
}

const form = /** @type {HTMLFormElement} */ (document.getElementById("cp-form"));
const choices = /** @type {HTMLElement} */ (document.getElementById("cp-choices"));
const place = /** @type {HTMLElement} */ (document.getElementById("cp-found"));
const status = /** @type {HTMLElement} */ (document.getElementById("cp-status"));

let turn = 0;

/** @param {Kind} kind @param {string[]} ids @param {Record<Kind, Named[]>} records */
async function compare(kind, ids, records) {
  const mine = ++turn;
  place.replaceChildren();
  const missing = ids.filter((id) => !records[kind].some((record) => record.id === id));
  const known = ids.filter((id) => !missing.includes(id));
  const lost = missing.length ? `There is no ${kind.slice(0, -1)} ${missing.join(" or ")} here. ` : "";
  if (known.length < FEWEST) return void (status.textContent = `${lost}Choose two to four ${kind}.`);
  status.textContent = "Reading …";
  try {
    const items = await Promise.all(known.map((id) => json(`${kind}/${id}.json`)));
    if (mine !== turn) return; // another choice came meanwhile
    const others = new Map(records[kind === "models" ? "engines" : "models"].map(({ id, name }) => [id, name]));
    const rows = kind === "models" ? modelRows(items, others) : engineRows(items, others);
    const [different, same] = [rows.filter(differs), rows.filter((row) => !differs(row))];
    status.textContent = `${lost}${different.length} differ, ${same.length} are the same.`;
    place.replaceChildren(
      make("h2", {}, `What differs (${different.length})`),
      different.length ? table("What differs", items, different) : make("p", {}, "Nothing that this catalog has."),
      make("details", {}, make("summary", {}, `The same in all (${same.length})`), table("The same in all", items, same)),
    );
  } catch (error) {
    status.textContent = `The records could not be read: ${error}`;
  }
}

/** The choices of one kind as selects. @param {Kind} kind @param {string[]} ids @param {Named[]} records */
function offer(kind, ids, records) {
  const option = (/** @type {Named} */ { id, name }) => make("option", { value: id }, name);
  choices.replaceChildren(
    ...Array.from({ length: MOST }, (_, number) => {
      const select = /** @type {HTMLSelectElement} */ (make("select", { name: "id" }, make("option", { value: "" }, number < FEWEST ? "choose" : "none"), ...records.map(option)));
      select.value = ids[number] ?? "";
      if (select.selectedIndex < 0) select.selectedIndex = 0;
      return make("label", {}, `${kind === "models" ? "Model" : "Engine"} ${number + 1} `, select);
    }),
  );
}

async function start() {
  /** @type {Record<Kind, Named[]>} */
  const records = (await json("index.json")).records;
  const first = () => {
    const { kind, ids } = asked(location.search);
    /** @type {RadioNodeList} */ (form.elements.namedItem("kind")).value = kind;
    offer(kind, ids, records[kind]);
    return compare(kind, ids, records);
  };
  form.addEventListener("change", (event) => {
    const data = new FormData(form);
    const kind = data.get("kind") === "engines" ? "engines" : "models";
    const turned = /** @type {HTMLInputElement} */ (event.target).name === "kind";
    const ids = turned ? [] : [...new Set(data.getAll("id").map(String).filter(Boolean))];
    if (turned) offer(kind, [], records[kind]);
    history.pushState(null, "", `?${kind}=${ids.map(encodeURIComponent).join(",")}`);
    compare(kind, ids, records);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("popstate", first);
  form.hidden = false;
  await first();
}

if (form) {
  start()
    .catch((error) => (status.textContent = `The list of records could not be read: ${error}`))
    .finally(() => (document.documentElement.dataset.compare = "ready"));
}
