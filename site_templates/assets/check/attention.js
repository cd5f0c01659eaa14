// @ts-check
// answer/attention.py: one attention backend must meet all demands of a layer at once, and the engine's own priority picks among those that do.

import { choose, classesLeft, isUndecided, read, reasonsOf } from "./backends.js";
import { sourcesOf } from "./claims.js";
import { PARTS, platformOf } from "./facts.js";
import { hop, newestRelease } from "./hops.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./hops.js").Joiner} Joiner */
/** @typedef {import("./backends.js").Choice} Choice */

const MOST_CLASSES = 5; // of hardware that are named one by one

/**
 * The hop and the backend it resolves to; no hop for engines whose backends the catalog does not list.
 * @param {Resolved} resolved @param {Joiner} joiner @returns {{found: Hop | null, backend: string | null}}
 */
export function attention(resolved, joiner) {
  const { engine, derived } = resolved.question;
  const nothing = { found: null, backend: null };
  if (!engine.data.attention_backends?.length || derived.unknown || !derived.layers.some((layer) => layer.attends)) return nothing;
  const nowhere = !resolved.facts["hardware.class"] && !resolved.facts.platform;
  if (nowhere) return narrows(resolved) ? { found: anywhere(resolved, joiner), backend: null } : nothing;
  const { status, how, stale } = read(joiner);
  if (status === null) {
    const finding = `the backends of ${newestRelease(engine).version} are on record, those of ${joiner.release.version} are not`;
    return { found: hop("attention", "unknown", finding, { optional: !narrows(resolved) }), backend: null };
  }
  const choice = choose(resolved, joiner);
  return { found: { ...hopOf(choice, resolved, joiner), how, stale }, backend: choice.chosen };
}

/** Whether the person named something that decides among backends. @param {Resolved} resolved */
function narrows({ question: { given } }) {
  return ["attention.backend", "cache.dtype", ...PARTS, "block_size"].some((fact) => fact in given && given[fact] !== "auto");
}

/**
 * Where nobody named hardware: whether what the person did name leaves a backend, and on which classes.
 * @param {Resolved} resolved @param {Joiner} joiner @returns {Hop | null}
 */
function anywhere(resolved, joiner) {
  const { status, how, stale } = read(joiner);
  if (status === null) return null;
  const { choices, good, lost } = classesLeft(resolved, joiner);
  const first = Object.values(choices)[0];
  if (!good.length) {
    const finding = `no class of hardware leaves a backend: ${first ? reasonsOf(first.removed) : ""}`;
    const sources = first ? hopOf(first, resolved, joiner).sources : [];
    return hop("attention", "fails", finding, { consequence: "refuses", sources, how, stale });
  }
  const sources = sourcesIn(choices[good[0]].takes.slice(0, 1), joiner.data);
  if (!lost.length) return hop("attention", "holds", `a backend is left on ${inShort(good, Object.keys(choices))}`, { sources, how, stale });
  const isFew = good.length <= MOST_CLASSES && lost.length > MOST_CLASSES;
  const finding = isFew ? `a backend is left on ${good.join(", ")} alone` : `no backend is left on ${inShort(lost, Object.keys(choices))}`;
  const avoided_by = `Take hardware of class ${inShort(good, Object.keys(choices))}.`;
  return hop("attention", "fails", finding, { consequence: "refuses", avoided_by, sources, how, stale });
}

/**
 * Classes of hardware one by one where they are few, else by platform: all of it, or from one class on.
 * @param {string[]} some @param {string[]} classes
 */
function inShort(some, classes) {
  if (some.length <= MOST_CLASSES) return some.join(", ");
  const parts = [...new Set(some.map(platformOf))].map((platform) => {
    const [mine, all] = [some, classes].map((words) => words.filter((word) => platformOf(word) === platform));
    if (mine.length > 1 && mine.length === all.length) return `any ${platform}`;
    const isTail = mine.length > 2 && mine.every((word, place) => word === all[all.length - mine.length + place]);
    return isTail ? `${platform} from ${mine[0]} on` : mine.join(", ");
  });
  return parts.join(", ");
}

/** @param {Choice} choice @param {Resolved} resolved @param {Joiner} joiner @returns {Hop} */
function hopOf(choice, resolved, joiner) {
  const { data } = joiner;
  if (choice.chosen) {
    const asked = !isUndecided(resolved.facts["attention.backend"]);
    const why = Object.keys(choice.removed).length ? `, because ${reasonsOf(choice.removed)}` : "";
    const how = asked ? "as asked" : choice.founded ? `auto resolves to it${why}` : "the only one that takes it";
    return hop("attention", "holds", `${choice.chosen}: ${how}`, { value: choice.chosen, sources: sourcesIn(choice.takes, data) });
  }
  if (choice.takes.length) {
    const names = [...Object.keys(choice.open), ...choice.takes.map((entry) => entry.name)].join(" or ");
    const which = reasonsOf(choice.open) || "which one the engine takes is not on record";
    return hop("attention", "holds", `${names}: ${which}`, { sources: sourcesIn(choice.takes.slice(0, 1), data) });
  }
  const { attention_backends: backends, attention_selection: selection = [] } = resolved.question.engine.data;
  const removed = Object.keys(choice.removed).flatMap((name) => backends.find((/** @type {any} */ entry) => entry.name === name) ?? []);
  const sources = sourcesIn(removed.length ? removed.slice(0, 1) : selection.slice(0, 1), data);
  if (Object.keys(choice.open).length) return hop("attention", "unknown", reasonsOf({ ...choice.removed, ...choice.open }), { sources });
  return hop("attention", "fails", `no backend is left: ${reasonsOf(choice.removed)}`, { consequence: "refuses", sources });
}

/** @param {any[]} entries @param {Data} data */
function sourcesIn(entries, data) {
  return entries.flatMap((entry) => sourcesOf(data, entry.cites));
}
