// @ts-check
// An answer of `ask` as elements: verdict, repairs, command, gotchas and chain. The memory has a module of its own.

import { GLYPH, SITE, make } from "../page.js";
import { quoted } from "./fields.js";

/** @typedef {import("./fields.js").Change} Change */
/** @typedef {{id: string, url: string | null, at: string}} Cite */
/** @typedef {{hop: string, state: string, finding: string, value: string | null, cites: Cite[]}} Hop */
/** @typedef {Record<string, any>} Workaround */
/** @typedef {{id: string, title: string, state: "hit" | "maybe" | "almost", severity: string, proven: boolean, blocks: boolean, untested: boolean, because: string[], workarounds: Workaround[]}} Gotcha */
/** @typedef {{prepare: {argv: string[], why: string}[], argv: string[], environment: Record<string, string>, because: string[], without_flag: string[], options?: {for: string, argv: string[], why: string, if?: string}[], image?: string | null, recipe?: string}} Command */
/** @typedef {{changes: string[], verdict: string} & Change} Repair */
/** @typedef {{verdict: string, reason: string, grade: string | null, confidence: number | null, question: Record<string, any>, notes: string[], chain: Hop[], missing: string[], provided: string[], gotchas: Gotcha[], command: Command | null, memory: import("./bar.js").Memory | null, repairs: Repair[]}} Answer as the JSON of `check` has it */
/** @typedef {{names: (id: string) => string, apply: (change: Change) => void}} Page what an answer asks of the page: names of records, and changes of the form */

const SEVERITIES = ["blocker", "major", "minor"];
const CITED = 2; // sources of a hop at once, the others behind them
/** @type {Record<string, [string, string]>} */
const STATES = { holds: ["yes", "✓"], gap: ["only-with", "◐"], fails: ["no", "✕"], unknown: ["unknown", "?"] };

/** @param {string} verdict */
export function chip(verdict) {
  return make("span", { class: `ic-chip ic-${verdict} ck-chip` }, make("span", { "aria-hidden": "true" }, GLYPH[verdict] ?? "?"), ` ${verdict}`);
}

/** The verdict in a sentence, for whoever hears the page. @param {Answer} answer */
export function said(answer) {
  const silent = unjudged(answer);
  return `${answer.verdict}: ${answer.reason}${silent ? ` (memory was not judged: ${silent})` : ""}`;
}

/** Why an answer that lets the stack be says nothing of the memory, as answer/reply.py has it; null where that was judged, or stands in no one's way. @param {Answer} answer */
export function unjudged({ verdict, question, chain, memory }) {
  if (!["yes", "only-with"].includes(verdict) || chain.some(({ hop }) => hop === "memory")) return null;
  if (!question.hardware) return "no hardware was named";
  if (!memory) return "the config cannot be read into layers";
  if (memory.device_bytes === null) return `that of ${question.hardware} is not on record`;
  return memory.fits || "max_model_len" in question.given ? null : "no length was asked for";
}

/** @param {string} path @param {string} text */
function link(path, text) {
  return make("a", { href: new URL(path, SITE).href }, text);
}

/** A part that can be folded; `key` lets the page keep it as the person left it. @param {string} key @param {string} title @param {boolean} open @param {(Node | string)[]} children */
function folded(key, title, open, ...children) {
  return make("details", { class: "ck-fold ck-card", "data-key": key, ...(open && { open: "" }) }, make("summary", {}, title), ...children);
}

/** @param {Answer} answer @param {Page} page @returns {HTMLElement[]} */
export function head(answer, page) {
  const { question } = answer;
  const where = question.hardware ? `on ${question.gpus} × ${page.names(question.hardware)}` : "on hardware that nobody named";
  const version = question.version ? `${question.version}${question.version_assumed ? ", the newest on record" : ""}` : "";
  const silent = unjudged(answer);
  const title = [page.names(question.model), question.engine && `on ${page.names(question.engine)}`].filter(Boolean).join(" ");
  const found = [
    make("p", { class: "ck-verdict" }, chip(answer.verdict), answer.grade ? make("span", { class: "ic-grade" }, ` ${answer.grade} · ${answer.confidence?.toFixed(2)}`) : "", silent ? make("span", { class: "ic-dim" }, ` memory was not judged: ${silent}`) : ""),
    make("h2", { class: "ck-title", id: "answer" }, title, make("small", {}, [version, where].filter(Boolean).join(" · "))),
    make("p", { class: "ck-reason" }, answer.reason),
  ];
  if (question.newest_known) found.push(make("p", { class: "ic-dim" }, `${question.version} is newer than any release on record (the newest known is ${question.newest_known}): what follows is carried over from there as far as that is safe.`));
  for (const note of answer.notes) found.push(make("p", { class: "ic-dim" }, `Note: ${note}.`));
  if (answer.provided.length) found.push(make("p", {}, make("b", {}, "Say more to decide: "), answer.provided.join(", ")));
  if (answer.missing.length) found.push(make("p", {}, make("b", {}, "Missing in the catalog: "), answer.missing.join(", ")));
  for (const [title, partial] of /** @type {[string, boolean][]} */ ([["Cleared by, cheapest first", false], ["Clears what is met, and what is unknown stays unknown", true]])) {
    const some = answer.repairs.filter((repair) => (repair.verdict === "unknown") === partial);
    if (some.length) found.push(make("h3", { class: "ck-small" }, title), make("ul", { class: "ck-repairs" }, ...some.map((repair) => repaired(repair, page))));
  }
  if (!answer.repairs.length && isStuck(answer)) {
    const known = answer.missing.includes("repairs") ? "Not all changes were tried, and none of those that were" : "No change is known that";
    found.push(make("p", {}, `${known} clears what stands in the way.`));
  }
  return [make("div", { class: `ck-card ck-head ck-is-${answer.verdict}` }, ...found)];
}

/** Whether something stands in the way that only a change can clear. @param {Answer} answer */
function isStuck(answer) {
  return answer.verdict === "no" || (answer.verdict === "unknown" && answer.gotchas.some((gotcha) => gotcha.blocks));
}

/** @param {Repair} repair @param {Page} page */
function repaired(repair, page) {
  const words = repair.changes.join(", and ");
  return make("li", {}, applying(repair, words, page), " ", make("span", { class: "ic-dim" }, "then "), chip(repair.verdict));
}

/** @param {Change} change @param {string} words @param {Page} page */
function applying(change, words, page) {
  const button = make("button", { type: "button", class: "ck-apply" }, words);
  button.addEventListener("click", () => page.apply(change));
  return button;
}

/** A text to copy, with a button beside it. @param {string} text @param {string} label @param {string} [id] */
export function copied(text, label, id) {
  const button = make("button", { type: "button", class: "ck-copy", "aria-label": `Copy ${label}` }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed here";
    }
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  return make("div", { class: "ck-line" }, make("pre", { tabindex: "0" }, make("code", id ? { id } : {}, text)), button);
}

/** @param {Command} command */
export function commandLine({ environment, argv }) {
  return [...Object.entries(environment).map(([name, value]) => `${name}=${quoted(String(value))}`), ...argv.map(quoted)].join(" ");
}

/** @param {Command} command @param {Repair | undefined} repair that the command has in it */
function serving(command, repair) {
  const options = command.options ?? [];
  return make(
    "section", { class: "ck-card" },
    make("h2", {}, "The command"),
    ...command.prepare.flatMap(({ argv, why }) => [make("p", {}, why), copied(argv.map(quoted).join(" "), "this step")]),
    copied(commandLine(command), "the serve command", "ck-serve"),
    ...(repair ? [make("p", {}, `With the first repair in it: ${repair.changes.join(", and ")}.`)] : []),
    ...(command.without_flag.length ? [make("p", {}, `Asked for, and without a flag on record: ${command.without_flag.join(", ")}.`)] : []),
    ...(command.image ? [make("p", {}, "In the container ", make("code", {}, command.image), ", which the recipe starts; other hardware can need another.")] : []),
    make("details", { "data-key": "why", class: "ck-inner" }, make("summary", {}, "Why each part is there"), make("ul", {}, ...command.because.map((why) => make("li", {}, why)))),
    ...(options.length
      ? [make("details", { "data-key": "options", class: "ck-inner" }, make("summary", {}, `Flags that this model can have besides (${options.length})`), make("ul", {}, ...options.map((one) => make("li", {}, `${one.for}: `, make("code", {}, one.argv.map(quoted).join(" ")), ` ${one.why}${one.if ? ` Where ${one.if}.` : ""}`))))]
      : []),
  );
}

/** A workaround in a few words. @param {Workaround} workaround */
export function inWords(workaround) {
  const pairs = (/** @type {Record<string, any>} */ all, /** @type {string} */ between) => Object.entries(all).map(([name, value]) => `${name}${between}${value}`).join(", ");
  if (workaround.set) return `set ${pairs(workaround.set, " = ")}`;
  if (workaround.drop) return `leave out ${workaround.drop}`;
  for (const verb of ["upgrade", "downgrade"]) if (workaround[verb]) return `${verb} to ${pairs(workaround[verb], " ")}`;
  return String(workaround.advice ?? "");
}

/** What of a workaround the form can take; null where it is advice. @param {Workaround} workaround @param {Record<string, any>} question @returns {Change | null} */
export function changeOf(workaround, question) {
  if (workaround.set) return { set: workaround.set };
  if (workaround.drop) {
    const drop = Object.keys(question.given).filter((name) => name === workaround.drop || name.startsWith(`${workaround.drop}.`));
    return drop.length ? { drop } : null;
  }
  const [name, version] = Object.entries(workaround.upgrade ?? workaround.downgrade ?? {})[0] ?? [];
  if (!name) return null;
  return name === question.engine ? { version } : { set: { [`${name}.version`]: version } };
}

/** @param {Gotcha} gotcha @param {Answer} answer @param {Page} page */
function bite(gotcha, answer, page) {
  const helps = gotcha.workarounds.map((workaround) => {
    const change = changeOf(workaround, answer.question), words = inWords(workaround);
    return make("li", {}, change ? applying(change, words, page) : words, ...(workaround.costs ? [make("small", {}, ` ${workaround.costs}`)] : []));
  });
  return make(
    "li", { "data-gotcha": gotcha.id },
    make("span", { class: `ic-sev ic-${gotcha.severity}` }, gotcha.severity), " ",
    link(`gotchas/${gotcha.id}/`, gotcha.title), gotcha.proven ? "" : make("span", { class: "ic-dim" }, " not proven"),
    make("small", { class: "ck-because" }, gotcha.because.join("; ")),
    ...(helps.length ? [make("ul", { class: "ck-helps" }, ...helps)] : []),
  );
}

/** @param {Answer} answer @param {Page} page @returns {HTMLElement[]} */
function bites(answer, page) {
  const of = (/** @type {string} */ state) => answer.gotchas.filter((gotcha) => gotcha.state === state).sort((one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity));
  const list = (/** @type {Gotcha[]} */ all) => make("ul", { class: "ck-gotchas" }, ...all.map((gotcha) => bite(gotcha, answer, page)));
  const [hit, maybe, almost] = [of("hit"), of("maybe"), of("almost")];
  if (!answer.gotchas.length) return [];
  return [
    make("section", { class: "ck-card" }, make("h2", {}, `What bites here (${hit.length})`), hit.length ? list(hit) : make("p", {}, "No known fault is met by what you said.")),
    ...(maybe.length ? [folded("maybe", `Can be met, depending on what you did not say (${maybe.length})`, false, list(maybe))] : []),
    ...(almost.length ? [folded("almost", `Just missed (${almost.length})`, false, list(almost))] : []),
  ];
}

/** @param {Hop} hop */
function step(hop) {
  const [word, glyph] = STATES[hop.state] ?? STATES.unknown;
  const cites = hop.cites.map((cite) => (cite.url ? make("a", { class: "ic-cite", href: cite.url, rel: "noopener" }, `${cite.id} ${cite.at}`.trim()) : make("span", { class: "ic-cite" }, cite.id)));
  const more = cites.slice(CITED);
  return make(
    "li", {},
    make("span", { class: `ic-chip ic-${word}` }, make("span", { "aria-hidden": "true" }, glyph), ` ${hop.hop} ${hop.state}`), ` ${hop.finding} `,
    ...cites.slice(0, CITED).flatMap((cite) => [cite, " "]),
    ...(more.length ? [make("details", { class: "ck-more", "data-key": `cites ${hop.hop}` }, make("summary", {}, `${more.length} more sources`), ...more.flatMap((cite) => [cite, " "]))] : []),
  );
}

/** @param {Answer} answer @param {Page} page @returns {HTMLElement[]} */
export function rest(answer, page) {
  const { assumed } = answer.question;
  return [
    ...(answer.command && (answer.repairs.length || !isStuck(answer)) ? [serving(answer.command, answer.repairs[0])] : []),
    ...bites(answer, page),
    ...(answer.chain.length ? [make("section", { class: "ck-card" }, make("h2", {}, "Why: the chain"), make("ol", { class: "ck-chain" }, ...answer.chain.map(step)))] : []),
    ...(assumed.length
      ? [folded("assumed", `Taken for granted (${assumed.length})`, false, make("ul", { class: "ck-plain" }, ...assumed.map((/** @type {any} */ one) => make("li", {}, make("code", {}, `${one.fact} = ${one.value}`), ` ${one.because}`))))]
      : []),
  ];
}
