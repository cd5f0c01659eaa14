// @ts-check
// Can I serve this? The form, its address, what is pasted or dropped, and the answer, which `ask` works out on this page.

import { find } from "./errors.js";
import { SITE, json, make } from "./page.js";
import { chip, copied, head, rest, said } from "./check/answer.js";
import { bar, lengths, room } from "./check/bar.js";
import { nearest } from "./check/config.js";
import { derive } from "./check/derive/model.js";
import { MOST_TEXT, NAMED, readDropped } from "./check/dropped.js";
import { NAMES, Unclear, changed, fromAddress, having, idOf, modelOf, nothing, quoted, toAddress, toCommand, toQuestion } from "./check/fields.js";
import { foreign, ofFile } from "./check/foreign.js";
import { plain } from "./check/from_config.js";
import { understand } from "./check/paste.js";
import { NotInCatalog, Refused } from "./check/question.js";
import { ask } from "./check/reply.js";
import { told } from "./check/told.js";

/** @typedef {import("./check/fields.js").Fields} Fields */
/** @typedef {import("./check/fields.js").Offered} Offered */
/** @typedef {import("./check/fields.js").Change} Change */
/** @typedef {import("./check/answer.js").Answer} Answer */
/** @typedef {import("./check/paste.js").Understood} Understood */

const SETTLED = 600; // milliseconds after which a screen reader hears of an answer
const TYPED = 500; // milliseconds without a key after which what is typed is asked

const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const form = /** @type {HTMLFormElement} */ (at("ck-form"));
const slider = /** @type {HTMLInputElement} */ (at("ck-context"));
const text = /** @type {HTMLTextAreaElement} */ (at("ck-text"));
const file = /** @type {HTMLInputElement} */ (at("ck-config"));

/** @type {Offered} */
let offered;
/** @type {Map<string, string>} */
let names;

/** @param {string} name @returns {HTMLInputElement | HTMLSelectElement} */
function field(name) {
  return /** @type {HTMLInputElement | HTMLSelectElement} */ (form.elements.namedItem(name));
}

// The form

/** @returns {Fields} */
function fields() {
  const data = new FormData(form), found = nothing();
  for (const name of NAMES) {
    const value = String(data.get(name) ?? "").trim();
    if (value) found[name] = value;
  }
  found.set = data.getAll("set").map((value) => String(value).trim()).filter(Boolean);
  found.require = data.getAll("require").map((value) => String(value).trim()).filter(Boolean);
  return found;
}

/** @param {Fields} found */
function fill(found) {
  found = having(found, { engine: idOf(found.engine ?? "", offered.engines), hardware: idOf(found.hardware ?? "", offered.hardware) });
  choices(found);
  for (const name of NAMES) place(name, found[name] ?? "");
  rows("set", found.set);
  rows("require", found.require);
}

/** Puts a value into a field; a select gets one more option where it has none of that value. @param {string} name @param {string} value */
function place(name, value) {
  const element = field(name);
  if (element instanceof HTMLSelectElement && ![...element.options].some((option) => option.value === value)) element.append(make("option", { value }, value));
  element.value = value;
}

/** @param {string} name @param {string[]} texts */
function rows(name, texts) {
  const set = at(`ck-${name}`), legend = /** @type {Element} */ (set.firstElementChild);
  set.replaceChildren(legend, ...[...texts, ""].map((value) => row(name, value)));
}

/** @param {string} name @param {string} value */
function row(name, value) {
  const input = /** @type {HTMLInputElement} */ (make("input", { name, type: "text", list: "ck-facts", spellcheck: "false", "aria-label": name === "set" ? "A setting, fact=value" : "A setting that stays, fact=value" }));
  input.value = value;
  input.placeholder = value ? "" : name === "set" ? "gpu_memory_utilization=0.95" : "cache.dtype=bf16";
  return input;
}

/** @param {string} value @param {string} [words] */
function option(value, words = value) {
  return make("option", { value }, words);
}

/** What follows from the engine and the model: versions, cache types, methods, checkpoints. @param {Fields} found */
function choices(found) {
  const engine = offered.engines.find(({ id }) => id === found.engine);
  at("ck-versions").replaceChildren(...(engine?.versions ?? []).map((version) => option(version)));
  /** @type {HTMLInputElement} */ (field("version")).placeholder = engine?.versions[0] ?? "";
  at("ck-methods").replaceChildren(...(engine?.settings["speculation.method"]?.values ?? []).map((word) => option(String(word))));
  const words = ["cache.dtype", "cache.k.dtype"].map((fact) => engine?.settings[fact]?.values ?? []).find((values) => values.length) ?? offered.dtypes;
  const types = words.map(String).filter((word) => word !== "auto");
  const model = modelOf(found.model ?? "", offered.models);
  refill("cache", [option("", "default"), ...types.map((word) => option(word))]);
  refill("checkpoint", [option("", "the first on record"), ...(model?.checkpoints ?? []).map(([hub, format]) => option(hub, `${hub} (${format})`))]);
}

/** @param {string} name @param {HTMLElement[]} options */
function refill(name, options) {
  const select = /** @type {HTMLSelectElement} */ (field(name)), { value } = select;
  select.replaceChildren(...options);
  place(name, value);
}

/** The parts of the form that never change. */
function offer() {
  at("ck-models").replaceChildren(...offered.models.flatMap(({ id, name, checkpoints }) => [option(id, name), ...checkpoints.map(([hub]) => option(hub, name))]));
  at("ck-facts").replaceChildren(...offered.facts.flatMap(({ name, values, meaning }) => (values.length ? values.map((value) => option(`${name}=${value}`, meaning)) : [option(`${name}=`, meaning)])));
  field("engine").replaceChildren(option("", "choose"), ...offered.engines.map(({ id, name }) => option(id, name)));
  const vendors = [...new Set(offered.hardware.map(({ vendor }) => vendor))];
  const groups = vendors.map((vendor) => make("optgroup", { label: vendor }, ...offered.hardware.filter((one) => one.vendor === vendor).map(({ id, name }) => option(id, name))));
  field("hardware").replaceChildren(option("", "not said"), ...groups);
}

// The answer

let turn = 0;
/** @type {number | undefined} */
let hearing;

/** @param {string} words */
function hear(words) {
  clearTimeout(hearing);
  hearing = setTimeout(() => (at("ck-status").textContent = words), SETTLED);
}

/** Asks what stands in the form, and shows the answer. @param {"replace" | "push" | "keep"} [address] what becomes of the address */
async function answer(address = "replace") {
  const mine = ++turn, found = fields();
  if (address !== "keep") history[address === "push" ? "pushState" : "replaceState"](null, "", `${location.pathname}${toAddress(found)}`);
  document.documentElement.dataset.check = "asking";
  try {
    const config = dropped.get(found.model);
    const lost = !config && FILE.test(found.model ?? "");
    const shown = found.model && found.engine && !lost ? /** @type {Answer} */ (await ask({ ...toQuestion(found), config })) : null;
    if (mine !== turn) return; // another question came meanwhile
    if (shown) show(shown, found);
    else if (lost) dropAgain(found.model);
    else invite(found);
  } catch (error) {
    if (mine === turn) refuse(error);
    else return;
  }
  document.documentElement.dataset.check = "ready";
}

/** What cannot be asked as it stands, or is in no catalog, which leaves the answer unknown. @param {unknown} error */
function refuse(error) {
  const refused = error instanceof Refused || error instanceof Unclear;
  const words = refused ? error.message : `This page could not work it out (${error}); the command line can: ${command(fields())}`;
  const unknown = error instanceof NotInCatalog ? [chip("unknown"), " "] : [];
  clear(make("p", { class: `ck-card ${unknown.length ? "" : "ck-fault"}` }, ...unknown, words));
  hear(words);
}

/** @param {HTMLElement} words */
function clear(words) {
  at("ck-head").replaceChildren(words);
  at("ck-memory").hidden = true;
  at("ck-rest").replaceChildren();
}

/** The command line that asks what stands in the form. @param {Fields} found */
function command(found) {
  return toCommand(found, dropped.has(found.model)).map(quoted).join(" ");
}

/** An address has the name of a config's file, and never what stands in it. @param {string} name */
function dropAgain(name) {
  const words = `${name} is the name of a file that somebody dropped here. A link does not hold the file: drop it again, and it is read on this page.`;
  clear(make("p", { class: "ck-card" }, chip("unknown"), " ", words));
  hear(words);
}

/** @param {Fields} found */
function invite(found) {
  const model = modelOf(found.model ?? "", offered.models);
  const missing = [!found.model && "a model", !found.engine && "an engine"].filter(Boolean).join(" and ");
  const page = model ? [" ", make("a", { href: new URL(`models/${model.id}/`, SITE).href }, `${model.name} on every engine`), "."] : [];
  clear(make("p", { class: "ck-card" }, `Choose ${missing}, or paste what you run.`, ...page));
  hear(`Choose ${missing}.`);
}

/** @param {Answer} shown @param {Fields} found */
function show(shown, found) {
  const open = new Map([...document.querySelectorAll("#ck-rest details")].map((one) => [one.getAttribute("data-key"), /** @type {HTMLDetailsElement} */ (one).open]));
  const config = dropped.has(found.model);
  const page = { names: (/** @type {string} */ id) => (config && id === shown.question.model ? found.model : (names.get(id) ?? id)), apply };
  at("ck-head").replaceChildren(...head(shown, page));
  memory(shown, found);
  const asks = make(
    "section", { class: "ck-card" },
    make("h2", {}, "The same question elsewhere"),
    copied(command(found), "the infercompat command", "ck-command"),
    copied(location.href, "the link to this question", "ck-link"),
    ...(config ? [make("p", { class: "ic-dim", id: "ck-again" }, `The link names ${found.model} and does not hold it: whoever opens it has to drop the file again.`)] : []),
  );
  at("ck-rest").replaceChildren(...rest(shown, page), asks);
  for (const one of document.querySelectorAll("#ck-rest details")) {
    const kept = open.get(one.getAttribute("data-key"));
    if (kept !== undefined) /** @type {HTMLDetailsElement} */ (one).open = kept;
  }
  const room = shown.memory?.fits === null || !shown.memory ? "" : shown.memory.fits ? " It fits." : " It does not fit.";
  hear(`${said(shown)}.${room} ${shown.gotchas.filter((gotcha) => gotcha.state === "hit").length} known faults are met.`);
}

/** @type {number[]} */
let stops = [];

/** @param {Answer} shown @param {Fields} found */
function memory(shown, found) {
  const config = dropped.get(found.model);
  const own = config ? config.context : (modelOf(found.model, offered.models)?.context ?? null);
  at("ck-memory").hidden = !found.model;
  stops = lengths(own);
  const context = Number(found.context) || own || null;
  slider.max = String(stops.length - 1);
  const nearest = stops.findIndex((length) => length >= (context ?? 0));
  if (Number(slider.value) !== nearest) slider.value = String(nearest < 0 ? stops.length - 1 : nearest);
  const words = context ? `${context.toLocaleString("en")} tokens` : "not known";
  slider.setAttribute("aria-valuetext", words);
  at("ck-tokens").textContent = found.context ? words : `${words}, the model's own`;
  if (!shown.memory) {
    const why = found.hardware ? "The memory of this model cannot be worked out." : "Name the hardware to see what it holds.";
    at("ck-bar").replaceChildren(make("p", {}, why));
    at("ck-room").replaceChildren();
    return;
  }
  at("ck-bar").replaceChildren(...bar(shown.memory));
  at("ck-room").replaceChildren(...room(shown.memory, context));
}

/** @param {Change} change */
function apply(change) {
  fill(changed(fields(), change));
  answer("push").then(() => at("answer")?.scrollIntoView({ block: "nearest" }));
}

// What is pasted

/** @type {number | undefined} */
let reading;

async function read() {
  const place = at("ck-understood");
  if (!text.value.trim()) return place.replaceChildren();
  try {
    const [data, { errors }] = await Promise.all([json("check/paste.json"), json("errors.json")]);
    const found = understand(text.value, data);
    if (found.text !== text.value.replaceAll("\r\n", "\n")) text.value = found.text; // without its secrets
    const faults = find(errors, found.text);
    place.replaceChildren(...told(found, faults, offered.engines));
    if (found.engine || found.modelId || found.hardware.length || Object.keys(found.given).length) {
      fill(filled(found, fields()));
      await answer("push");
    }
  } catch (error) {
    place.replaceChildren(make("p", {}, `The text could not be read: ${error}`));
  }
}

/** The fields with what a paste says: it names a new stack where it names an engine or a model, else it adds to what is there. @param {Understood} found @param {Fields} before @returns {Fields} */
function filled(found, before) {
  const starts = found.engine && (found.modelId || found.model);
  const start = starts ? nothing() : before;
  /** @type {Record<string, any>} */
  const set = Object.fromEntries(Object.entries(found.given).map(([name, one]) => [name, one.value]));
  for (const one of found.components) set[`${one.name}.version`] = one.value;
  const after = changed(start, { set });
  const hardware = found.hardware.find((kind) => kind.id)?.id;
  if (starts && !hardware) Object.assign(after, { ...(before.hardware && { hardware: before.hardware }) });
  const engine = idOf(found.engine?.name ?? "", offered.engines);
  if (offered.engines.some(({ id }) => id === engine)) after.engine = engine;
  if (found.version) after.version = String(found.version.value);
  if (found.model) after.model = found.exact || !found.modelId ? String(found.model.value) : found.modelId;
  if (hardware) after.hardware = hardware;
  if (found.exact) after.set = after.set.filter((each) => !each.startsWith("weights.format=")); // the checkpoint says it
  if (found.gpus > 1) after.gpus = String(found.gpus);
  return after;
}

// What is dropped

const FILE = /^\.\/|\.(json|gguf)$/i;

/** The configs that were dropped and are of no model on record, by the name that stands in the form. @type {Map<string, import("./check/from_config.js").Dropped & {context: number | null}>} */
const dropped = new Map();

/** @param {File} given */
async function take(given) {
  const place = at("ck-config-said");
  /** @type {HTMLDetailsElement} */ (at("ck-fields")).open = true;
  try {
    const { values, file } = await readDropped(given);
    const [best] = file ? [] : nearest(plain(values), await json("check/configs.json"));
    if (best && !best.differs.length) {
      fill(having(fields(), { model: best.model, checkpoint: "" }));
      place.replaceChildren(make("p", {}, `${given.name} is the config of ${names.get(best.model)}: the same class, and the same in every field that decides cache and weights.`));
    } else {
      const name = FILE.test(given.name) && !modelOf(given.name, offered.models) ? given.name : `./${given.name}`;
      const derived = derive(values);
      dropped.set(name, { name, values, file, context: derived.unknown ? null : derived.context.native });
      fill(having(fields(), { model: name, checkpoint: "" }));
      if (file) place.replaceChildren(...ofFile(name, values, derived, file));
      else place.replaceChildren(...foreign(name, values, derived, best && { ...best, title: names.get(best.model) ?? best.model, choose: () => instead(best.model) }));
    }
    await answer("push");
  } catch (error) {
    place.replaceChildren(make("p", {}, `${given.name} is no ${/\.gguf$/i.test(given.name) ? "model that can be read" : "config"}: ${error instanceof Error ? error.message : error}`));
  }
}

/** Asks about the nearest model on record in place of a config. @param {string} model */
function instead(model) {
  fill(having(fields(), { model, checkpoint: "" }));
  answer("push");
}

// Wiring

/** @type {number | undefined} */
let waiting;

/** Asks again, once for all events until then: what is typed waits for a pause. @param {number} [pause] in milliseconds */
function soon(pause = 0) {
  clearTimeout(waiting);
  waiting = setTimeout(() => answer(), pause);
}

form.addEventListener("input", (event) => {
  const target = /** @type {HTMLInputElement} */ (event.target);
  if (target === file) return;
  if (target.name === "engine" || target.name === "model") choices(fields());
  if ((target.name === "set" || target.name === "require") && target === target.parentElement?.lastElementChild && target.value) target.after(row(target.name, ""));
  soon(target.type === "text" ? TYPED : 0);
});
form.addEventListener("change", (event) => {
  if (/** @type {HTMLInputElement} */ (event.target).type === "text") soon();
});
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", (event) => {
  event.preventDefault();
  fill(nothing());
  text.value = "";
  for (const id of ["ck-understood", "ck-config-said"]) at(id).replaceChildren();
  answer("push");
});
slider.addEventListener("input", () => {
  place("context", String(stops[Number(slider.value)]));
  soon();
});
text.addEventListener("input", () => {
  clearTimeout(reading);
  reading = setTimeout(read, 250);
});
file.addEventListener("change", () => {
  if (file.files?.[0]) take(file.files[0]);
  file.value = "";
});
addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  at("ck-drop").classList.add("ck-over");
});
addEventListener("dragleave", () => at("ck-drop").classList.remove("ck-over"));
addEventListener("drop", (event) => {
  const dropped = event.dataTransfer?.files[0];
  if (!dropped) return;
  event.preventDefault();
  at("ck-drop").classList.remove("ck-over");
  if (NAMED.test(dropped.name) || dropped.size > MOST_TEXT) take(dropped);
  else dropped.text().then((words) => ((text.value = words), read()));
});
addEventListener("popstate", () => {
  fill(fromAddress(location.search));
  answer("keep");
});

try {
  offered = await json("check/form.json");
  names = new Map([...offered.models, ...offered.engines, ...offered.hardware].map(({ id, name }) => [id, name]));
  offer();
  fill(fromAddress(location.search));
  at("ck-stage").hidden = false;
  if (innerWidth < 700 && location.search) /** @type {HTMLDetailsElement} */ (at("ck-fields")).open = false; // on a phone the answer comes first
  await answer("keep");
} catch (error) {
  at("ck-stage").before(make("p", {}, `The form could not be made: ${error}`));
}
