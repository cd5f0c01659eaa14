// @ts-check
// answer/repairs.py: the smallest sets of allowed changes after which the whole question comes out clean, each asked from the start.

import { changesFor, isShort } from "./changes.js";
import { sortedBy } from "./claims.js";
import { assess, blocking, couldBlock } from "./decide.js";
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
export const MOST_SHOWN = 5;

/**
 * The smallest sets of changes that clear the question, cheapest first; where none makes it clean, those after which it only depends on what
 * it depended on before.
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
  let [clears, tried] = [false, 0];
  const result = (/** @type {boolean} */ complete) => ({ repairs: (clean.length ? clean : nearly).slice(0, MOST_SHOWN), partial: partial.slice(0, MOST_SHOWN), clears, complete });
  for (let size = 1; size <= MOST_CHANGES; size += 1) {
    for (const chosen of sortedBy(combinations(changes, size), (some) => [some.reduce((sum, change) => sum + change.cost, 0)])) {
      if (clash(chosen)) continue;
      if (tried === MOST_TRIED) return result(false);
      tried += 1;
      const after = assess(chosen.reduce(applied, found.resolved.question), data);
      clears ||= !(blocking(after).length || after.verdict === "no");
      if (after.verdict === "yes") clean.push({ changes: chosen, after });
      else if (found.verdict === "no" && after.verdict === "only-with" && onlyDepends(after, found)) nearly.push({ changes: chosen, after });
      else if (clearsWhatIsMet(after, found)) partial.push({ changes: chosen, after });
    }
    if (clean.length || nearly.length || (clears && found.verdict === "unknown")) break;
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

/** What waits for facts that nobody named, or can be avoided. @param {Assessment} one */
function waitingIn(one) {
  const avoidable = one.hops.filter((hop) => hop.state === "fails" && hop.avoided_by).map((hop) => hop.name);
  return [...couldBlock(one).map((gate) => gate.gotcha.id), ...avoidable];
}

/**
 * Whether what blocked is cleared, and what is left was there before the change, too: facts that nobody named, failures that can be avoided.
 * @param {Assessment} after @param {Assessment} before
 */
function onlyDepends(after, before) {
  const [left, waiting] = [after, before].map(waitingIn);
  return left.length > 0 && left.every((id) => waiting.includes(id)) && !isShort(after);
}
