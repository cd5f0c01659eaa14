// @ts-check
// What a paste was understood to say, line by line: facts, what was left out, notes, and the known faults that it shows.

import { SITE, make } from "../page.js";
import { idOf } from "./fields.js";

/** @param {import("./paste.js").Understood} found @param {ReturnType<typeof import("../errors.js").find>} faults @param {import("./fields.js").Engine[]} engines @returns {HTMLElement[]} */
export function told(found, faults, engines) {
  const line = (/** @type {{line: number}} */ one) => (one.line ? make("span", { class: "ic-dim" }, ` line ${one.line}`) : "");
  const item = (/** @type {string} */ words, /** @type {{line: number}} */ one) => make("li", {}, words, line(one));
  const engine = idOf(found.engine?.name ?? "", engines);
  const known = engines.some(({ id }) => id === engine) ? "" : ", which is not in the catalog";
  const understood = [
    ...(found.engine ? [item(`engine ${found.engine.name}${known}${found.version ? ` ${found.version.value}` : ", no version said"}`, found.engine)] : []),
    ...(found.model ? [item(`model ${found.model.value}${found.modelId ? ` → ${found.modelId}` : ", which is not in the catalog"}`, found.model)] : []),
    ...found.hardware.map((kind) => item(`hardware ${kind.count} × ${kind.id ?? kind.name}`, kind)),
    ...Object.values(found.given).map((one) => item(`${one.name} = ${one.value}`, one)),
    ...found.components.map((one) => item(`${one.name} ${one.value}`, one)),
    ...found.log.map((one) => item(`${one.name}: ${one.value}`, one)),
  ];
  const unread = found.unread.map((one) => item(`${one.name}${one.value === null ? "" : ` ${one.value}`}`, one));
  const section = (/** @type {string} */ title, /** @type {HTMLElement[]} */ items) => (items.length ? [make("h3", { class: "ck-small" }, title), make("ul", { class: "ck-plain" }, ...items)] : []);
  return [
    ...(understood.length ? section("Understood", understood) : [make("p", {}, "Nothing in it names an engine, a model, a machine or a version that this catalog knows.")]),
    ...section("Not understood, and left out", unread),
    ...section("To know", found.notes.map((one) => item(String(one.value), one))),
    ...section("For an answer, add a line such as", found.steps.map(({ add, why }) => make("li", {}, make("code", {}, add), make("span", { class: "ic-dim" }, ` ${why}`)))),
    ...section("Known faults that it shows", faults.map(({ known, line }) => make("li", {}, make("a", { href: new URL(`gotchas/${known.gotcha}/`, SITE).href }, known.title), make("span", { class: "ic-dim" }, ` line ${line}`)))),
  ];
}
