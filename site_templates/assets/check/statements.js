// @ts-check
// join/hops.py: what statements say together, by the rank of their sources, by backend and by hardware.

import { NEGATIVE, POSITIVE, distinct, placeIn, sortedBy } from "./claims.js";
import { ALWAYS } from "./condition.js";
import { missing as missingIn } from "./truth.js";

/** @typedef {import("./types.js").Statement} Statement */
/** @typedef {import("./stack.js").Stack} Stack */
/** @typedef {{rank: number, carried: import("./carry.js").Carried, deciding: Statement[]}} Result what the sources of one rank say together */

const MACHINE = ["platform", "hardware.class", "hardware.id"];
const OFFERS = ["native", "redirected", "rewritten", "fallback", "known-issues", "plugin", "partial"];

/** @param {Iterable<Statement>} statements */
export function byRank(statements) {
  /** @type {Map<number, Statement[]>} */
  const ranks = new Map();
  for (const one of statements) ranks.set(one.source.rank, [...(ranks.get(one.source.rank) ?? []), one]);
  return ranks;
}

/** By rank: of one snapshot's claims, one backend that has it is enough; with `isWorst`, one that lacks it. @param {Statement[]} statements @param {boolean} [isWorst] */
export function bestOffers(statements, isWorst = false) {
  /** @type {Map<string, Statement>} */
  const best = new Map();
  for (const one of sortedBy(statements, ({ status }) => [isWorst ? -placeIn(OFFERS, status) : placeIn(OFFERS, status)])) {
    if (!best.has(one.snapshot.id)) best.set(one.snapshot.id, one);
  }
  return byRank(best.values());
}

/** @param {string} status @param {Result[]} lower */
export function opposed(status, lower) {
  const opposite = POSITIVE.has(status) ? NEGATIVE : POSITIVE;
  const against = lower.filter(({ carried }) => opposite.has(carried.status ?? "") && ["exact", "same-minor", "interpolated"].includes(carried.how));
  return against.map(({ deciding }) => deciding[0]);
}

/** @param {Statement[]} statements */
export function backendsOf(statements) {
  const named = statements.flatMap((one) => (one.status === "native" && one.claim?.about.backend ? [one.claim.about.backend] : []));
  return [...new Set(named)].sort();
}

/** Whether nobody said on which hardware. @param {Stack} stack */
export function isUnplaced(stack) {
  return stack.get("hardware.class") === undefined && stack.get("platform") === undefined;
}

/**
 * Statements as they are read where nobody named hardware: what only that decides holds where it is good news, and is left out where it is bad.
 * @param {Statement[]} statements @param {(tree: any) => import("./types.js").Truth} holds @returns {Statement[]}
 */
export function onAnyHardware(statements, holds) {
  return statements.flatMap((one) => {
    const truth = one.claim && "when" in one.claim ? holds(one.claim.when) : null;
    const missing = truth ? missingIn(truth) : [];
    if (!truth || truth.value !== null || !missing.length || missing.some((name) => !MACHINE.includes(name))) return [one];
    return POSITIVE.has(one.status) && one.claim ? [{ ...one, claim: { ...one.claim, when: ALWAYS } }] : [];
  });
}

/** Whether it says something under a condition. @param {Statement} one */
export function isConditional(one) {
  return Boolean(one.claim && "when" in one.claim);
}

/**
 * Those that speak of the stack's class or platform, and those that speak of none. What a snapshot says of a place, or of the model by name
 * (those in `narrower`), stands before what it says of all, but for what it says under a condition. On unknown hardware no place refuses it.
 * @param {Statement[]} statements @param {Stack} stack @param {Set<string>} narrower @returns {[Statement[], Statement[]]}
 */
export function byPlace(statements, stack, narrower) {
  const isPlaced = (/** @type {Statement} */ one) => "platform" in (one.claim?.about ?? {});
  const placed = statements.filter(isPlaced), anywhere = statements.filter((one) => !isPlaced(one));
  const nowhere = isUnplaced(stack);
  const here = nowhere ? [] : forHardware(placed, stack);
  const special = new Set([...narrower, ...here.map((one) => one.snapshot.id)]);
  const left = anywhere.filter((one) => isConditional(one) || !special.has(one.snapshot.id));
  return [here, anywhere.length || !nowhere ? left : placed.filter((one) => POSITIVE.has(one.status))];
}

/**
 * Those that speak of the stack's class, else of its platform, else of none; on unknown hardware those of none, else all.
 * @param {Statement[]} statements @param {Stack} stack
 */
export function forHardware(statements, stack) {
  const places = [stack.get("hardware.class"), stack.get("platform"), undefined];
  /** @param {Statement} one */
  const about = (one) => one.claim?.about ?? {};
  if (isUnplaced(stack)) {
    const silent = statements.filter((one) => !("platform" in about(one)));
    return silent.length ? silent : statements;
  }
  /** @param {Statement} one how far its place is from the stack's class */
  const distance = (one) => (about(one).platform === undefined ? 2 : places.indexOf(about(one).platform));
  const near = statements.filter((one) => distance(one) >= 0);
  /** @type {Map<string | undefined, number>} */
  const narrowest = new Map();
  for (const one of near) narrowest.set(about(one).backend, Math.min(distance(one), narrowest.get(about(one).backend) ?? 2));
  // What one backend lacks on a class says nothing of the others there; what the engine lacks there holds for all of them.
  const widest = narrowest.get(undefined) ?? places.length;
  return near.filter((one) => {
    const least = narrowest.get(about(one).backend) ?? 2;
    return distance(one) === least && least <= widest;
  });
}

/**
 * Whether sources of one rank contradict each other at one version, which no lower rank can settle.
 * @param {import("./carry.js").Carried} carried @param {Statement[]} statements
 */
export function disagree(carried, statements) {
  return carried.how === "none" && new Set(statements.filter((one) => carried.basis.includes(one.version)).map((one) => one.status)).size > 1;
}

/** @param {Statement[]} statements */
export function sourcesIn(statements) {
  return distinct(statements.map((one) => one.source));
}
