// @ts-check
// condition/evaluate.py, values.py and relation.py: deciding a condition from the facts there are, as yes, no, or maybe with what is missing.

import { order } from "./pep440.js";
import { IDENTITY, isRange, lookup, read, spellings } from "./registry.js";
import { allOf, anyOf, decided, maybe, not } from "./truth.js";

/** @typedef {import("./types.js").Tree} Tree */
/** @typedef {import("./types.js").Leaf} Leaf */
/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./types.js").Test} Test */
/** @typedef {import("./types.js").Term} Term */
/** @typedef {import("./types.js").Value} Value */
/** @typedef {import("./types.js").Range} Range */
/** @typedef {import("./stack.js").Stack} Stack */
/** @typedef {[number, number]} Span */

const UNREADABLE = maybe("a condition that cannot be read", "condition", "untested");
/** @type {Tree} The condition of what has none. */
export const ALWAYS = { all: [], text: "" };

/** A fact's value under the first of its spellings that has one, else what its absence means. @param {string} name @param {Stack} stack @returns {Value | undefined} */
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

/** Whether the condition can be true within what is asked for, or with `always` whether it is true for all of it. @param {Tree | null | undefined} tree null where it could not be read @param {Stack} stack @param {boolean} [always] */
export function evaluate(tree, stack, always = false) {
  return tree ? truthOf(tree, stack, always, new Set()) : UNREADABLE;
}

/** Whether a fault is met: no where it was tested clean, else yes where `when` holds, maybe at values that nobody tried. @param {Tree | null} when @param {Tree | null | undefined} cleanWhen @param {Stack} stack @returns {Truth} */
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

/** Below a negation the two questions change places. @param {Tree} tree @param {Stack} stack @param {boolean} always @param {Set<string>} untested @returns {Truth} */
function truthOf(tree, stack, always, untested) {
  if (tree.all) return allOf(tree.all.map((part) => truthOf(part, stack, always, untested)));
  if (tree.any) return anyOf(tree.any.map((part) => truthOf(part, stack, always, untested)));
  if (tree.not) return not(truthOf(tree.not, stack, !always, untested));
  return untested.has(tree.text) ? maybe(tree.text, firstFact(tree), "untested") : truthOfLeaf(tree, stack, always);
}

/** @param {Leaf} leaf @param {Stack} stack @param {boolean} always @returns {Truth} */
function truthOfLeaf(leaf, stack, always) {
  if (leaf.fact && leaf.test) {
    const value = valueOf(leaf.fact, stack);
    if (value === undefined || !fits(leaf.test, value)) return maybe(leaf.text, leaf.fact);
    return decided(passes(leaf.test, value, always && isPossibility(leaf.fact, value, stack)), leaf.text, leaf.fact);
  }
  if (leaf.relation) return relates(leaf, stack, always);
  if (leaf.requires) {
    const known = stack.requires(leaf.requires);
    return known === null ? maybe(leaf.text, firstFact(leaf)) : decided(known, leaf.text, firstFact(leaf));
  }
  const layers = stack.layers();
  const tests = Object.entries(leaf.layer ?? {});
  if (!layers) return maybe(leaf.text, firstFact(leaf));
  const found = layers.some((layer) => tests.every(([name, test]) => passes(test, /** @type {any} */ (layer)[name] ?? null, false)));
  return decided(found, leaf.text, firstFact(leaf));
}

/** @param {Leaf} leaf @param {Stack} stack @param {boolean} always @returns {Truth} */
function relates(leaf, stack, always) {
  const { left, sign, right } = /** @type {{left: Term, sign: string, right: Term}} */ (leaf.relation);
  const names = leaf.facts ?? [];
  const bare = typeof left === "string" && typeof right === "string" && (sign === "==" || sign === "!=");
  const values = names.map((name) => {
    const value = valueOf(name, stack);
    return value === undefined || bare || isQuantity(value) ? value : undefined;
  });
  // A quantity that the model does not have leaves nothing to compare, whatever the others are.
  if (values.includes(null)) return decided(false, leaf.text, names[0]);
  const unknown = names.filter((_, place) => values[place] === undefined);
  if (unknown.length) return { value: null, because: unknown.map((fact) => ({ text: leaf.text, fact, kind: "missing" })) };
  const choices = product(values.map((value) => (Array.isArray(value) ? value : [value])));
  /** @param {boolean} all */
  const found = (all) => choices.some((choice) => holds(left, sign, right, new Map(names.map((name, place) => [name, choice[place]])), all));
  const open = names.find((name, place) => isRange(values[place]) && lookup(stack.registry, name)?.kind !== "workload");
  if (open && found(always) !== found(!always)) return maybe(leaf.text, open); // known between bounds only, which leave it open
  return decided(found(always), leaf.text, names[0]);
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

/** Whether the test can be held against the value at all: a range cannot against a word or a flag. @param {Test} test @param {Value} value */
function fits(test, value) {
  return Array.isArray(test) || !(Array.isArray(value) ? value : [value]).some((item) => typeof item === "boolean" || typeof item === "string");
}

/** Of several values or of a range whether one passes, or with `always` whether all do. null never passes. @param {Test} test @param {Value} value @param {boolean} always */
function passes(test, value, always) {
  if (value === null) return false;
  if (Array.isArray(value)) return always ? value.length > 0 && value.every((item) => accepts(test, item)) : value.some((item) => accepts(test, item));
  if (isRange(value)) return always ? must(test, value) : can(test, value);
  return accepts(test, value);
}

/** @param {Test} test @param {any} value */
function accepts(test, value) {
  return Array.isArray(test) ? test.some((wanted) => isSame(value, wanted)) : reachesUp(test, value) && reachesDown(test, value);
}

/** @param {Test} test @param {Range} span */
function can(test, span) {
  if (!Array.isArray(test)) return reachesUp(test, span.high) && reachesDown(test, span.low);
  return test.some((value) => typeof value === "number" && span.low <= value && value <= span.high);
}

/** A range that is wider than a point is one of whole numbers. @param {Test} test @param {Range} span */
function must(test, span) {
  if (!Array.isArray(test)) return accepts(test, span.low) && accepts(test, span.high);
  return new Set(test.filter((value) => typeof value === "number" && span.low <= value && value <= span.high)).size === span.high - span.low + 1;
}

/** @param {Exclude<Test, any[]>} test @param {any} value */
function reachesUp(test, value) {
  return (test.min === undefined || apart(value, test.min) >= 0) && (test.above === undefined || apart(value, test.above) > 0);
}

/** @param {Exclude<Test, any[]>} test @param {any} value */
function reachesDown(test, value) {
  return (test.max === undefined || apart(value, test.max) <= 0) && (test.below === undefined || apart(value, test.below) < 0);
}

/** @param {any} value @param {any} wanted */
function isSame(value, wanted) {
  return isVersion(value) ? apart(value, wanted) === 0 : value === wanted;
}

/** How a value stands to the end of a test, which spells a version as text. @param {any} value @param {any} end */
function apart(value, end) {
  if (!isVersion(value)) return value - end;
  const other = read({ name: "", type: "version", kind: "given" }, end);
  return order(value.key, /** @type {import("./types.js").Dotted} */ (other).key);
}

/** @param {any} value @returns {value is import("./types.js").Dotted} */
function isVersion(value) {
  return typeof value === "object" && value !== null && "key" in value;
}

/** @type {Record<string, string>} */
const NEGATED = { "<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==" };

/** Whether the relation can hold for the values, or with `always` whether it must; a division by zero makes it false. @param {Term} left @param {string} sign @param {Term} right @param {Map<string, any>} values @param {boolean} always */
function holds(left, sign, right, values, always) {
  const [one, other] = [compute(left, values), compute(right, values)];
  if (one === null || other === null) return false;
  if (!Array.isArray(one) || !Array.isArray(other)) return (sign === "==" || sign === "!=") && (one === other) === (sign === "==");
  const [left_, right_] = /** @type {[Span, Span]} */ ([one, other]);
  return always ? !possible(NEGATED[sign], left_, right_) : possible(sign, left_, right_);
}

/** @param {string} sign @param {Span} left @param {Span} right */
function possible(sign, left, right) {
  if (sign === "<") return left[0] < right[1];
  if (sign === "<=") return left[0] <= right[1];
  if (sign === ">") return left[1] > right[0];
  if (sign === ">=") return left[1] >= right[0];
  if (sign === "==") return left[0] <= right[1] && right[0] <= left[1];
  return !(left[0] === left[1] && left[1] === right[0] && right[0] === right[1]);
}

/** The span of values that a term can take, a value that is no quantity as it is, or null. @param {Term} term @param {Map<string, any>} values @returns {Span | any} */
function compute(term, values) {
  if (typeof term === "number") return [term, term];
  if (typeof term === "string") {
    const value = values.get(term);
    return isRange(value) ? [value.low, value.high] : typeof value === "number" ? [value, value] : value;
  }
  const [left, right] = [compute(term[1], values), compute(term[2], values)];
  return left === null || right === null ? null : combine(term[0], left, right);
}

/** A remainder of a range may come out too wide, never too narrow. @param {string} sign @param {Span} a @param {Span} b @returns {Span | null} */
function combine(sign, a, b) {
  if (sign === "+") return [a[0] + b[0], a[1] + b[1]];
  if (sign === "-") return [a[0] - b[1], a[1] - b[0]];
  if (sign === "*") return hull(a.flatMap((x) => b.map((y) => (x === 0 || y === 0 ? 0 : x * y))));
  if (b[0] <= 0 && 0 <= b[1]) return null;
  const quotient = hull(a.flatMap((x) => b.map((y) => (Number.isFinite(y) ? x / y : 0))));
  const whole = /** @type {Span} */ (quotient.map(Math.floor));
  if (sign === "/") return quotient;
  if (sign === "//") return whole;
  if (whole[0] === whole[1] && b[0] === b[1]) return [a[0] - whole[0] * b[0], a[1] - whole[0] * b[0]];
  return [Math.min(0, b[0]), Math.max(0, b[1])];
}

/** @param {number[]} corners @returns {Span} */
function hull(corners) {
  return [Math.min(...corners), Math.max(...corners)];
}
