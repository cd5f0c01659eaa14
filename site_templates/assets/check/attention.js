// @ts-check
// answer/attention.py: one attention backend must meet all demands of a layer at once, and the engine's own priority picks among those that do.

import { choose, classesLeft, isUndecided, read, reasonsOf, tablesOf } from "./backends.js";
import { distinct, sourcesOf } from "./claims.js";
import { PARTS, platformOf } from "./facts.js";
import { hop } from "./hops.js";
import { versionsOf } from "./tables.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Resolved} Resolved */
/** @typedef {import("./hops.js").Joiner} Joiner */
/** @typedef {import("./backends.js").Choice} Choice */
/** @typedef {import("./backends.js").Table} Table */

const BACKEND = "attention.backend";
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
  const { status, how, stale, basis } = read(joiner);
  if (status === null) {
    const finding = `the backends of ${versionsOf(engine.data).join(", ")} are on record, those of ${joiner.release.version} are not`;
    return { found: hop("attention", "unknown", finding, { optional: !narrows(resolved) }), backend: null };
  }
  const tables = tablesOf(joiner, basis);
  const choices = tables.map((table) => choose(resolved, joiner, table));
  const hops = choices.map((choice, index) => hopOf(choice, tables[index], resolved, joiner));
  const found = hops.length === 1 ? withAnother(hops[0], choices[0], tables[0], resolved, joiner) : together(hops, choices, tables);
  return { found: { ...found, how: found.how === "exact" ? how : found.how, stale }, backend: found.value };
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
  const { status, how, stale, basis } = read(joiner);
  if (status === null) return null;
  const tables = tablesOf(joiner, basis);
  const { choices, good, changing, lost } = classesLeft(resolved, joiner, tables);
  const classes = Object.keys(choices);
  const first = Object.values(choices)[0]?.[0];
  if (changing.length && !good.length) {
    const finding = `whether a backend is left changed in (${tables[0].version}, ${tables[1].version}], of ${inShort(changing, classes)}`;
    return hop("attention", "unknown", finding, { how: "changed", stale });
  }
  if (!good.length) {
    const finding = `no class of hardware leaves a backend: ${first ? reasonsOf(first.removed) : ""}`;
    const sources = first ? hopOf(first, tables[0], resolved, joiner).sources : [];
    return hop("attention", "fails", finding, { consequence: "refuses", sources, how, stale });
  }
  const sources = sourcesIn(choices[good[0]][0].takes.slice(0, 1), joiner.data);
  if (!lost.length) return hop("attention", "holds", `a backend is left on ${inShort(good, classes)}`, { sources, how, stale });
  const isFew = good.length <= MOST_CLASSES && lost.length > MOST_CLASSES;
  const finding = isFew ? `a backend is left on ${good.join(", ")} alone` : `no backend is left on ${inShort(lost, classes)}`;
  const avoided_by = `Take hardware of class ${inShort(good, classes)}.`;
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

/** @param {Choice} choice @param {Table} table @param {Resolved} resolved @param {Joiner} joiner @returns {Hop} */
function hopOf(choice, table, resolved, joiner) {
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
  const removed = Object.keys(choice.removed).map((name) => table.backends.get(name) ?? table.listed);
  const sources = sourcesIn(removed.length ? removed.slice(0, 1) : table.selection.slice(0, 1), data);
  if (Object.keys(choice.open).length) return hop("attention", "unknown", reasonsOf({ ...choice.removed, ...choice.open }), { sources });
  return hop("attention", "fails", `no backend is left: ${reasonsOf(choice.removed)}`, { consequence: "refuses", sources });
}

/**
 * A choice that the engine makes by itself and that does not take the model can be changed, where a backend that it did not try does.
 * Where the person named a type of the cache and the like, that is what can be taken back.
 * @param {Hop} found @param {Choice} choice @param {Table} table @param {Resolved} resolved @param {Joiner} joiner @returns {Hop}
 */
function withAnother(found, choice, table, resolved, joiner) {
  if (found.state !== "fails" || narrows(resolved) || !(BACKEND in joiner.settings)) return found;
  const others = [...table.backends.keys()].filter((name) => {
    if (Object.hasOwn(choice.removed, name)) return false;
    return choose({ ...resolved, facts: { ...resolved.facts, [BACKEND]: name } }, joiner, table).chosen !== null;
  });
  return others.length ? { ...found, settings: [BACKEND], when: { not: { fact: BACKEND, test: others } } } : found;
}

/**
 * The hop at a version between two that were read: theirs where they say the same, else what differs, with both named.
 * @param {Hop[]} hops @param {Choice[]} choices @param {Table[]} tables
 */
function together([one, other], choices, tables) {
  const [lower, upper] = tables.map(({ version }) => version);
  const sources = distinct([...one.sources, ...other.sources]);
  const names = choices.map((choice) => [...Object.keys(choice.open), ...choice.takes.map((entry) => entry.name)].join(" or "));
  if (one.state === other.state && (names[0] === names[1] || one.state !== "holds")) {
    const both = one.value ? `${one.finding.split(", because")[0]}, at ${lower} as at ${upper}` : `at ${lower} ${one.finding}; at ${upper} ${other.finding}`;
    const finding = one.finding === other.finding ? one.finding : both;
    return { ...one, finding, sources };
  }
  const changed = `changed in (${lower}, ${upper}]`;
  if (one.state === other.state) {
    return hop("attention", "holds", `${names[0]} at ${lower}, ${names[1]} at ${upper}: which one it takes ${changed}`, { sources });
  }
  return hop("attention", "unknown", `at ${lower} ${one.finding}; at ${upper} ${other.finding}; ${changed}`, { how: "changed", sources });
}

/** @param {any[]} entries @param {Data} data */
function sourcesIn(entries, data) {
  return entries.flatMap((entry) => sourcesOf(data, entry.cites));
}
