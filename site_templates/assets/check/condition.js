// @ts-check
// condition/evaluate.py: deciding a condition from the facts there are, as yes, no, or maybe with what is missing.

import { IDENTITY, bareName, isRange, lookup, read, spellings } from "./registry.js";
import { compare, isBare, namesIn } from "./relation.js";
import { allOf, anyOf, decided, maybe, not } from "./truth.js";
import { fits, passes } from "./values.js";

/** @typedef {import("./types.js").Tree} Tree */
/** @typedef {import("./types.js").Leaf} Leaf */
/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./types.js").Comparison} Comparison */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./stack.js").Stack} Stack */

const ENDS = { min: "at least", above: "more than", max: "at most", below: "less than" };
const UNREADABLE = maybe("a condition that cannot be read", "condition", "untested");
/** @type {Tree} The condition of what has none. */
export const ALWAYS = { all: [], text: "" };

/**
 * A fact's value under the first of its spellings that has one, else what its absence means.
 * @param {string} name @param {Stack} stack @returns {Value | undefined}
 */
export function valueOf(name, stack) {
  const fact = lookup(stack.registry, name);
  if (!fact) return undefined;
  for (const spelling of spellings(name)) {
    const value = stack.get(spelling);
    if (value !== undefined) return read(fact, value);
  }
  for (const other of fact.up_to ?? []) {
    const limit = valueOf(other, stack);
    if (typeof limit === "number") return { low: 1, high: limit };
  }
  if (fact.part_of && valueOf(fact.part_of, stack) !== stack.registry[fact.part_of].absent) return undefined;
  return fact.absent;
}

/**
 * Whether the condition can be true within what is asked for, or with `always` whether it is true for all of it.
 * @param {Tree | null | undefined} tree null where it could not be read @param {Stack} stack @param {boolean} [always]
 */
export function evaluate(tree, stack, always = false) {
  return tree ? truthOf(tree, stack, always, new Set()) : UNREADABLE;
}

/**
 * Whether a fault is met: no where it was tested clean, else yes where `when` holds, maybe at values that nobody tried.
 * @param {Tree | null} when @param {Tree | null | undefined} cleanWhen @param {Stack} stack @returns {Truth}
 */
export function applies(when, cleanWhen, stack) {
  const bad = evaluate(when, stack);
  if (!cleanWhen) return bad;
  const clean = evaluate(cleanWhen, stack, true);
  if (bad.value !== false) return clean.value === false ? bad : allOf([bad, not(clean)]);
  if (clean.value) return not(clean);
  const tried = new Set(leaves(cleanWhen).flatMap(factsOf).filter((name) => !IDENTITY.has(name)));
  const untested = new Set(bad.because.filter((reason) => tried.has(reason.fact)).map((reason) => reason.text));
  return when && untested.size ? truthOf(when, stack, false, untested) : bad;
}

/** Every leaf, in the order written. @param {Tree} tree @returns {Leaf[]} */
export function leaves(tree) {
  if (tree.not) return leaves(tree.not);
  return (tree.all ?? tree.any)?.flatMap(leaves) ?? [tree];
}

/** The facts that a leaf asks about. @param {Leaf} leaf */
export function factsOf(leaf) {
  return leaf.fact ? [leaf.fact] : (leaf.facts ?? []);
}

/** What a test asks for, in words. @param {import("./types.js").Test} test */
function wordsOf(test) {
  if (Array.isArray(test)) return test.join(" or ");
  return Object.entries(test).map(([end, value]) => `${ENDS[/** @type {keyof typeof ENDS} */ (end)]} ${value}`).join(" and ");
}

/** A leaf in words, which the data has only where they cannot be made of its tests. @param {Leaf} leaf @returns {string} */
function textOf(leaf) {
  if (leaf.text !== undefined) return leaf.text;
  if (leaf.requires) return `the model requires ${leaf.requires}`;
  if (leaf.layer) return `one layer has ${Object.entries(leaf.layer).map(([name, test]) => `${name} ${wordsOf(test)}`).join(" and ")}`;
  return `${leaf.fact} is ${leaf.test ? wordsOf(leaf.test) : ""}`;
}

/**
 * Below a negation the two questions change places.
 * @param {Tree} tree @param {Stack} stack @param {boolean} always @param {Set<string>} untested @returns {Truth}
 */
function truthOf(tree, stack, always, untested) {
  if (tree.all) return allOf(tree.all.map((part) => truthOf(part, stack, always, untested)));
  if (tree.any) return anyOf(tree.any.map((part) => truthOf(part, stack, always, untested)));
  if (tree.not) return not(truthOf(tree.not, stack, !always, untested));
  return untested.has(textOf(tree)) ? maybe(textOf(tree), firstFact(tree), "untested") : truthOfLeaf(tree, stack, always);
}

/** @param {Leaf} leaf @param {Stack} stack @param {boolean} always @returns {Truth} */
function truthOfLeaf(leaf, stack, always) {
  if (leaf.fact && leaf.test) {
    const value = valueOf(leaf.fact, stack);
    const untold = lookup(stack.registry, leaf.fact)?.told && value !== undefined && !passes(leaf.test, value, false);
    if (value === undefined || !fits(leaf.test, value) || untold) return maybe(textOf(leaf), leaf.fact, want(leaf.fact, stack));
    return decided(passes(leaf.test, value, always && isPossibility(leaf.fact, value, stack)), textOf(leaf), leaf.fact);
  }
  if (leaf.relation || leaf.items) return relates(leaf, stack, always);
  if (leaf.requires) {
    const known = stack.requires(leaf.requires);
    return known === null ? maybe(textOf(leaf), firstFact(leaf)) : decided(known, textOf(leaf), firstFact(leaf));
  }
  const layers = stack.layers();
  const tests = Object.entries(leaf.layer ?? {});
  if (!layers) return maybe(textOf(leaf), firstFact(leaf));
  const found = layers.some((layer) => tests.every(([name, test]) => passes(test, /** @type {any} */ (layer)[name] ?? null, false)));
  return decided(found, textOf(leaf), firstFact(leaf));
}

/** @param {Leaf} leaf a relation, or one of items @param {Stack} stack @param {boolean} always @returns {Truth} */
function relates(leaf, stack, always) {
  const alternatives = leaf.alternatives ?? [[/** @type {Comparison} */ (leaf.relation)]];
  const names = (leaf.facts ?? []).slice(leaf.items ? 1 : 0), [first] = leaf.facts ?? [];
  const values = names.map((name) => quantity(name, alternatives.flat(), stack));
  const items = leaf.items ? stack.items(leaf.list) : [{}];
  if (!items) return maybe(textOf(leaf), first, "untested");
  const each = (/** @type {any[]} */ all) => product(all.map((value) => (Array.isArray(value) ? value : [value])));
  const counts = (/** @type {string} */ name) => lookup(stack.registry, name)?.type === "int";
  /** @param {boolean} whole @param {any[]} [of] */
  const found = (whole, of = values) =>
    kleene(true, each(of).map((choice) => {
      const facts = new Map(names.map((name, place) => [name, choice[place]]));
      const bodies = items.map((item) => {
        const valueIn = (/** @type {string} */ name) => (facts.has(name) ? facts.get(name) : item[name]);
        return kleene(true, alternatives.map((every) => kleene(false, every.map((one) => compare(one, valueIn, whole, counts)))));
      });
      return kleene(leaf.items !== "all", bodies);
    }));
  const truth = found(always);
  if (truth === null) {
    const unknown = names.filter((_, place) => values[place] === undefined);
    if (!unknown.length) return maybe(textOf(leaf), first, "untested");
    const widened = values.map((value, place) => (value === undefined ? span(names[place], stack) : value));
    if (found(false, widened) === false) return decided(false, textOf(leaf), first); // whatever it is, no value of it does
    return { value: null, because: unknown.map((fact) => ({ text: textOf(leaf), fact, kind: want(fact, stack) })) };
  }
  const open = names.find((name, place) => isRange(values[place]) && lookup(stack.registry, name)?.kind !== "workload");
  if (open && truth !== found(!always)) return maybe(textOf(leaf), open); // known between bounds only, which leave it open
  return decided(truth, textOf(leaf), first);
}

/**
 * What an absent value is: missing, or untested where it follows from a model that is named already, so that nobody can give it.
 * @param {string} name @param {Stack} stack @returns {"missing" | "untested"}
 */
function want(name, stack) {
  return stack.get("model.id") !== undefined && bareName(name).startsWith("model.") ? "untested" : "missing";
}

/** Everything that a fact can be, where it is a number. @param {string} name @param {Stack} stack @returns {import("./types.js").Range | undefined} */
function span(name, stack) {
  const fact = lookup(stack.registry, name);
  return fact && ["int", "float"].includes(fact.type) ? { low: fact.least ?? 0, high: fact.most ?? Infinity } : undefined;
}

/**
 * The value of a fact in comparisons; where they need a number, one that is none tells nothing.
 * @param {string} name @param {Comparison[]} comparisons @param {Stack} stack
 */
function quantity(name, comparisons, stack) {
  const value = valueOf(name, stack);
  const needed = comparisons.some((one) => isOfQuantities(one, stack) && namesIn(one).includes(name));
  return needed && value !== undefined && !isQuantity(value) ? undefined : value;
}

/** Versions are compared, too, and words by == and !=. @param {Comparison} comparison @param {Stack} stack */
function isOfQuantities({ left, sign, right }, stack) {
  const sides = [left, right];
  if (sides.some((side) => typeof side === "string" && lookup(stack.registry, side)?.type === "version")) return false;
  return !(sides.every(isBare) && (sign === "==" || sign === "!="));
}

/** One of the parts is true (`any`), or all are; null where parts that are not known leave it open. @param {boolean} any @param {(boolean | null)[]} parts */
function kleene(any, parts) {
  return parts.includes(any) ? any : parts.includes(null) ? null : !any;
}

/** @param {any[][]} lists @returns {any[][]} */
function product(lists) {
  return lists.reduce((/** @type {any[][]} */ rows, list) => rows.flatMap((row) => list.map((item) => [...row, item])), [[]]);
}

/** The name that a reason gives; requirements follow from the architecture. @param {Leaf} leaf */
function firstFact(leaf) {
  return factsOf(leaf)[0] ?? (leaf.layer ? "model.layers" : "model.architecture");
}

/** @param {string} name @param {Value} value @param {Stack} stack */
function isPossibility(name, value, stack) {
  return isRange(value) || (Array.isArray(value) && lookup(stack.registry, name)?.kind === "workload");
}

/** @param {Value} value */
function isQuantity(value) {
  return (Array.isArray(value) ? value : [value]).every((item) => item === null || isRange(item) || typeof item === "number");
}
