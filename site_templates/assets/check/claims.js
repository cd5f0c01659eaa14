// @ts-check
// join/claims.py: what each snapshot says of one proposition, including what the silence of a whole registry says.

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Claim} Claim */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Statement} Statement */
/** @typedef {import("./types.js").Source} Source */
/** @typedef {(tree: any) => import("./types.js").Truth} Holds decides a claim's condition for the model and stack in question */

export const POSITIVE = new Set(["native", "fallback", "plugin", "redirected", "rewritten", "partial", "known-issues"]);
export const NEGATIVE = new Set(["removed", "unsupported"]);
/** What stands before a weight format where an offer is named. */
export const WEIGHTS = "weights.";
/** What stands before a platform there: a claim about nothing else says whether the engine runs on it, one about a model besides whether it runs that there. */
export const PLATFORM = "platform.";
/** What stands before a feature; of two that are asked for together, both with a plus between them. */
export const FEATURE = "features.";
// One registry may list an architecture in several of its tables; any table that has it supports it.
const STRENGTH = ["native", "rewritten", "known-issues", "partial", "redirected", "plugin", "fallback", "untested", "removed", "unsupported"];

/** A citation as evidence. @param {Data} data @param {string} id @param {string} [at] @returns {Source} */
export function sourceOf(data, id, at = "") {
  const found = data.citations[id];
  return { id: found.id ?? id, at, rank: found.rank, type: found.type, pinned: found.pinned, opened: found.opened, url: found.url };
}

/** @param {Data} data @param {{id: string, at?: string}[] | undefined} cites @returns {Source[]} */
export function sourcesOf(data, cites) {
  return (cites ?? []).map((cite) => sourceOf(data, cite.id, cite.at ?? ""));
}

/** Each source once. @param {Source[]} sources */
export function distinct(sources) {
  return [...new Map(sources.map((source) => [`${source.id}\n${source.at}`, source])).values()];
}

/**
 * @param {Data} data @param {Snapshot} snapshot @param {string} status @param {Claim | null} claim @param {string} [undecided]
 * @returns {Statement}
 */
function statement(data, snapshot, status, claim, undecided = "") {
  const [id, at] = (claim ?? snapshot).source;
  return { snapshot, status, source: sourceOf(data, id, at), claim, undecided, version: snapshot.version };
}

/** What each snapshot of an engine says of the model's architecture. @param {Data} data @param {Engine} engine @param {Holds} holds */
export function onArchitecture(data, engine, holds) {
  const key = engine.data.model_key ?? "architecture";
  return engine.snapshots.flatMap((snapshot) => inRegistry(data, engine, snapshot, key, holds) ?? []);
}

/** @param {Data} data @param {Engine} engine @param {Snapshot} snapshot @param {string} key @param {Holds} holds @returns {Statement | null} */
function inRegistry(data, engine, snapshot, key, holds) {
  const exact = data.model.claims[engine.id]?.[snapshot.id]?.exact ?? {};
  const named = exact[key] ?? exact[key === "model_type" ? "architecture" : "model_type"];
  if (named) return strongest(data, snapshot, named, holds);
  if (!snapshot.complete) return null;
  const fallbacks = snapshot.fallbacks.map((claim) => ({ claim, holding: "when" in claim ? holds(claim.when).value : true }));
  const sure = fallbacks.find((one) => one.holding) ?? fallbacks.find((one) => one.holding === null);
  if (!sure) return statement(data, snapshot, "unsupported", null);
  const { claim, holding } = sure;
  if (holding) return statement(data, snapshot, claim.holds, claim);
  return statement(data, snapshot, "unknown", claim, `${claim.holds} if ${conditionWords(claim)}`);
}

/** @param {Data} data @param {Snapshot} snapshot @param {Claim[]} claims @param {Holds} holds */
function strongest(data, snapshot, claims, holds) {
  const ranked = sortedBy(claims, (claim) => [placeIn(STRENGTH, claim.holds)]);
  const claim = ranked.find((one) => !("when" in one) || holds(one.when).value === true);
  if (claim) return statement(data, snapshot, claim.holds, claim);
  return statement(data, snapshot, "unknown", ranked[0], `${ranked[0].holds} if ${conditionWords(ranked[0])}`);
}

/**
 * Claims on an offer that speak of this model, the narrowest of each snapshot only; with `backend` those of that attention backend,
 * with `named` those that name the model, or those that name none.
 * @param {Data} data @param {Engine} engine @param {string} wanted @param {{backend?: string, named?: boolean}} [which]
 */
export function onOffer(data, engine, wanted, { backend, named } = {}) {
  /** @param {Claim[] | undefined} claims */
  const fitting = (claims) => (claims ?? []).filter((claim) => backend === undefined || claim.about.backend === backend);
  return engine.snapshots.flatMap((snapshot) => {
    const own = named === false ? [] : fitting(data.model.claims[engine.id]?.[snapshot.id]?.requirements[wanted]);
    const narrowest = own.length || named ? own : fitting(snapshot.requirements[wanted]);
    return narrowest.map((claim) => statement(data, snapshot, claim.holds, claim));
  });
}

/** @param {Claim} claim */
export function conditionWords(claim) {
  return claim.if ?? "its condition holds";
}

/** The place of a word in a list, and past its end for others. @param {string[]} list @param {string} word */
export function placeIn(list, word) {
  const place = list.indexOf(word);
  return place < 0 ? list.length : place;
}

/**
 * A sorted copy, by keys that are compared from left to right; equal ones keep their order.
 * @template T @param {T[]} list @param {(item: T) => (number | string | boolean)[]} key
 */
export function sortedBy(list, key) {
  const keyed = list.map((item) => ({ item, keys: key(item) }));
  keyed.sort((one, other) => {
    const place = one.keys.findIndex((value, index) => value !== other.keys[index]);
    return place < 0 ? 0 : one.keys[place] < other.keys[place] ? -1 : 1;
  });
  return keyed.map(({ item }) => item);
}
