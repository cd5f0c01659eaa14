// @ts-check
// answer/repairs.py: the smallest sets of allowed changes after which the whole question comes out clean, each asked from the start.

import { changesFor } from "./changes.js";
import { sortedBy } from "./claims.js";
import { assess, blocking, couldBlock } from "./decide.js";
import { NAME as LENGTH_HOP } from "./length.js";
import { changed, releaseOf } from "./question.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Assessment} Assessment */
/** @typedef {import("./changes.js").Change} Change */
/** @typedef {{changes: Change[], after: Assessment}} Repair */
/**
 * The repairs; `partial`, those that clear what is met and leave unknown what was; whether any changes clear what blocks, whatever else is
 * unknown then; and whether all were tried.
 * @typedef {{repairs: Repair[], partial: Repair[], clears: boolean, complete: boolean}} Search
 */

const MOST_CHANGES = 3;
const MOST_TRIED = 400;
const MOST_FURTHER = 40; // sets that are one change larger, tried for a clean one where smaller ones clear what is met and leave something open
export const MOST_SHOWN = 5;

/**
 * The smallest sets of changes that clear the question, cheapest first; where none makes it clean, those after which it only depends on what
 * it depended on before. A clean set stands before a smaller one that leaves something open, and is looked for where some change that was
 * tried closes a part of that.
 * @param {Assessment} found @param {Data} data @returns {Search}
 */
export function search(found, data) {
  const changes = distinct(sortedBy([...changesFor(found, data)], (change) => [change.cost, change.distance, change.words]));
  /** @type {Repair[]} */
  const clean = [];
  /** @type {Repair[]} */
  const nearly = [];
  /** @type {Repair[]} */
  const partial = [];
  let [clears, tried, most, last] = [false, 0, MOST_TRIED, MOST_CHANGES];
  /** @type {string[] | null} */
  let left = null;
  /** @type {Set<string>[]} */
  const opened = [];
  const result = (/** @type {boolean} */ complete) => ({ repairs: (clean.length ? clean : nearly).slice(0, MOST_SHOWN), partial: partial.slice(0, MOST_SHOWN), clears, complete });
  for (let size = 1; size <= last; size += 1) {
    for (const chosen of sortedBy(combinations(changes, size), (some) => [some.reduce((sum, change) => sum + change.cost, 0)])) {
      if (clash(chosen)) continue;
      if (tried === most) return result(false);
      tried += 1;
      const after = assess(chosen.reduce(applied, found.resolved.question), data);
      const open = openIn(after);
      opened.push(new Set(open));
      if (!(blocking(after).length || after.verdict === "no")) [clears, left] = [true, left ?? open];
      if (after.verdict === "yes") clean.push({ changes: chosen, after });
      else if ([...nearly, ...partial].some((one) => one.changes.every((change) => chosen.includes(change)))) continue;
      else if (found.verdict === "no" && after.verdict === "only-with" && onlyDepends(after, found)) nearly.push({ changes: chosen, after });
      else if (clearsWhatIsMet(after, found)) partial.push({ changes: chosen, after });
    }
    const enough = nearly.length > 0 || (clears && found.verdict === "unknown");
    if (clean.length || (enough && !opened.some((other) => left?.some((name) => !other.has(name))))) break;
    if (enough) [last, most] = [Math.min(last, size + 1), Math.min(most, tried + MOST_FURTHER)];
  }
  return result(true);
}

/** @param {Question} question @param {Change} one @returns {Question} */
function applied(question, one) {
  const next = changed(question, Object.fromEntries(one.set), new Set(one.drop));
  return one.version === null ? next : { ...next, release: releaseOf(question.engine, one.version) };
}

/** Of changes that come to the same one, which has the words of the first and the place of the last. @param {Change[]} changes */
function distinct(changes) {
  /** @type {Map<string, Change>} */
  const kept = new Map();
  for (const one of [...changes].reverse()) kept.set(JSON.stringify([one.set, [...one.drop].sort(), one.version]), one);
  return [...kept.values()].reverse();
}

/** Every choice of so many, in the order of the list. @template T @param {T[]} list @param {number} size @returns {T[][]} */
function combinations(list, size) {
  if (size === 0) return [[]];
  return list.flatMap((first, place) => combinations(list.slice(place + 1), size - 1).map((rest) => [first, ...rest]));
}

/** @param {Change[]} chosen */
function clash(chosen) {
  const touched = chosen.flatMap((one) => [...new Set([...one.set.map(([name]) => name), ...one.drop, ...(one.version ? ["version"] : [])])]);
  return touched.length !== new Set(touched).size;
}

/**
 * Whether nothing blocks any more, and no more is unknown, or waits for facts, than before: an answer that stays unknown.
 * @param {Assessment} after @param {Assessment} before
 */
function clearsWhatIsMet(after, before) {
  if (!blocking(before).length || blocking(after).length || before.verdict !== "unknown" || after.verdict !== "unknown") return false;
  const open = (/** @type {Assessment} */ one) => one.hops.filter((hop) => hop.state === "unknown").map((hop) => hop.name);
  const [unknown, waiting] = [open, waitingIn].map((of) => of(after).every((name) => of(before).includes(name)));
  return unknown && waiting;
}

/** What is unknown of it, and what it waits for. @param {Assessment} one */
function openIn(one) {
  return [...one.hops.filter((hop) => hop.state === "unknown" && !hop.optional).map((hop) => hop.name), ...waitingIn(one)];
}

/** What waits for facts that nobody named, what can be avoided, memory that is tight, and a length beyond the model's that is taken. @param {Assessment} one */
function waitingIn(one) {
  const tight = [LENGTH_HOP, "memory"];
  const hops = one.hops.filter((hop) => (hop.state === "fails" && hop.avoided_by) || (hop.state === "gap" && tight.includes(hop.name)));
  return [...couldBlock(one).map((gate) => gate.gotcha.id), ...hops.map((hop) => hop.name)];
}

/**
 * Whether what blocked is cleared, and what is left was there before the change, too: facts that nobody named, failures that can be avoided.
 * @param {Assessment} after @param {Assessment} before
 */
function onlyDepends(after, before) {
  const [left, waiting] = [after, before].map(waitingIn);
  return left.length > 0 && left.every((id) => waiting.includes(id));
}
