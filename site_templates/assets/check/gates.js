// @ts-check
// join/gates.py: which gotchas a stack meets, can meet or just misses, and what decides whether it does.

import { affected } from "./affected.js";
import { together, told } from "./builds.js";
import { sortedBy } from "./claims.js";
import { ALWAYS, applies, factsOf, leaves } from "./condition.js";
import { YES, allOf, anyOf, decided, maybe, missing } from "./truth.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Release} Release */
/** @typedef {import("./types.js").Gate} Gate */
/** @typedef {import("./types.js").Truth} Truth */
/** @typedef {import("./stack.js").Stack} Stack */

/** Symptoms that block; slow, overpaid memory, lost features and wrong documents are listed and never do. */
export const BLOCKING = new Set(["silent-wrong-output", "crash-at-init", "crash-on-first-request", "hang", "unsupported-combination"]);
const STATES = ["hit", "maybe", "almost"];

/**
 * The gotchas of an engine that this stack meets, can meet or just misses, worst first.
 * @param {Data} data @param {Engine} engine @param {Release} release @param {Stack} stack
 */
export function gates(data, engine, release, stack) {
  const own = stack.inside({ [`${engine.id}.version`]: release.version });
  const found = engine.gotchas.flatMap((gotcha) => gate(data, gotcha, engine, release, own) ?? []);
  const severities = data.catalog.words.severity;
  return sortedBy(found, (one) => [STATES.indexOf(one.state), severities.indexOf(one.gotcha.severity), !one.proven, one.gotcha.id]);
}

/** Whether it is met, proven, and blocks by its symptom. @param {Gate} one */
export function blocks(one) {
  return one.state === "hit" && one.proven && BLOCKING.has(one.gotcha.symptom);
}

/** The facts that a person could still name and that would decide. @param {Gate} one */
export function leftOut(one) {
  return missing(one.truth);
}

/** The condition of a gotcha; one without any is met wherever its version is. @param {any} gotcha */
export function conditionOf(gotcha) {
  return "when" in gotcha ? gotcha.when : ALWAYS;
}

/** @param {Data} data @param {any} gotcha @param {Engine} engine @param {Release} release @param {Stack} stack @returns {Gate | null} */
function gate(data, gotcha, engine, release, stack) {
  const when = conditionOf(gotcha);
  const image = "container" in stack.given && leaves(when).some((leaf) => factsOf(leaf).includes("container"));
  // An image has one build, and the condition names it.
  const { truth: versions, stale } = image ? { truth: YES, stale: false } : components(data, gotcha, engine, release, stack);
  if (versions.value === false && !oneChangeAway(versions)) return null;
  const truth = allOf([versions, onHardware(gotcha.hardware, stack), applies(when, gotcha.clean_when, stack)]);
  if (truth.value === false && !oneChangeAway(truth)) return null;
  const state = truth.value ? "hit" : truth.value === false ? "almost" : "maybe";
  return { gotcha, state, truth, stale, proven: gotcha.proven };
}

/** Whether exactly one leaf keeps it from being met, and that a setting, version or hardware rather than the model. @param {Truth} truth */
function oneChangeAway(truth) {
  return truth.because.length === 1 && !/^(model|checkpoint)\./.test(truth.because[0].fact);
}

/**
 * Whether the components at fault are in the stack at affected versions, and whether what says so is stale.
 * @param {Data} data @param {any} gotcha @param {Engine} engine @param {Release} release @param {Stack} stack
 */
function components(data, gotcha, engine, release, stack) {
  const [mode, entries] = Object.entries(/** @type {Record<string, any[]>} */ (gotcha.affects))[0];
  const found = entries
    .filter((entry) => (entry.engine ?? engine.id) === engine.id)
    .map((entry) => {
      const name = entry.engine ?? entry.component;
      const { version, date, scheme } = versionOf(data, name, engine, release, stack);
      return affected(scheme, entry, gotcha, version, date, datesOf(data, name), data.catalog.today, data.catalog.thresholds.stale_days, changesOf(data, name, stack), repositoryOf(data, name));
    });
  const truths = found.map((one) => one.truth);
  return { truth: mode === "all" ? allOf(truths) : anyOf(truths), stale: found.some((one) => one.stale) };
}

/**
 * @param {Data} data @param {string} name @param {Engine} engine @param {Release} release @param {Stack} stack
 * @returns {{version: string | null, date: string | null, scheme: string}}
 */
function versionOf(data, name, engine, release, stack) {
  if (name === engine.id) return { version: release.version, date: release.date, scheme: engine.data.scheme };
  const scheme = data.catalog.engines[name]?.scheme ?? "pep440";
  const entry = engine.data.releases.find((/** @type {any} */ one) => one.version === release.version);
  const given = stack.given[`${name}.version`];
  const { version, date } = given ? told(given) : { version: entry?.bundles?.[name] || null, date: null };
  return { version, date: date ?? (version && datesOf(data, name)[version]) ?? null, scheme };
}

/**
 * The changes that the build of a component is told to hold. What is told of one path of an engine, or of the engine, is told of all that
 * are built from the same repository.
 * @param {Data} data @param {string} name @param {Stack} stack
 */
function changesOf(data, name, stack) {
  const repository = repositoryOf(data, name);
  const isSame = (/** @type {string} */ of) => of === name || (repository !== null && repositoryOf(data, of) === repository);
  const said = Object.entries(stack.given).filter(([fact]) => fact.endsWith(".has_pr") && isSame(fact.slice(0, -".has_pr".length)));
  return together([...told(stack.given[`${name}.version`] ?? "").changes, ...said.flatMap(([, changes]) => changes)]);
}

/** @param {Data} data @param {string} name @returns {string | null} */
function repositoryOf(data, name) {
  return data.catalog.engines[name]?.repository ?? null;
}

/** @param {Data} data @param {string} name @returns {Record<string, string>} */
function datesOf(data, name) {
  return data.catalog.engines[name]?.dates ?? {};
}

/** @param {any} hardware where it was seen @param {Stack} stack @returns {Truth} */
function onHardware(hardware, stack) {
  const [seenOn, cleanOn] = [hardware.seen_on ?? [], hardware.clean_on ?? []];
  const found = stack.get("hardware.class");
  const names = [stack.get("hardware.id"), found].filter((name) => name !== undefined);
  if (hardware.scope === "any") return [...names, stack.get("platform")].some((name) => cleanOn.includes(name)) ? decided(false, `hardware is none of ${cleanOn.join(", ")}`, "hardware.class") : YES;
  const text = `hardware is one of ${seenOn.join(", ") || `${hardware.min ?? "None"} and up`}`;
  if (!names.length) return maybe(text, "hardware");
  if (names.some((name) => seenOn.includes(name)) || inRange(hardware, found)) return decided(true, text, "hardware.class");
  if (names.some((name) => cleanOn.includes(name)) || isOfAnotherMaker(hardware, found)) return decided(false, text, "hardware.class");
  return maybe(text, "hardware.class", "untested");
}

/** @param {any} hardware @param {any} found */
function inRange(hardware, found) {
  const [lowest, highest, own] = [hardware.min, hardware.max, found].map(capability);
  return lowest !== null && own !== null && lowest <= own && own <= (highest ?? own);
}

/** The compute capability in a class word: sm120 is 120; null for other makers' classes. @param {any} word */
function capability(word) {
  const match = /^sm(\d+)$/.exec(typeof word === "string" ? word : "");
  return match && Number(match[1]);
}

const OTHER_MAKERS = /^(?:gfx\w+|apple-gpu|intel-xpu|gaudi|ascend|tpu|cpu)$/;

/**
 * Whether a fault seen on one maker's classes only is asked for on another's: kernels are not shared between makers.
 * @param {any} hardware @param {any} found
 */
function isOfAnotherMaker(hardware, found) {
  const words = [...(hardware.seen_on ?? []), hardware.min].filter(Boolean);
  const nvidia = words.some((word) => capability(word) !== null);
  const others = words.some((word) => OTHER_MAKERS.test(word));
  return nvidia !== others && nvidia !== (capability(found) !== null);
}
