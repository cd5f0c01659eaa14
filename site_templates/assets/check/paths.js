// @ts-check
// join/paths.py: engines with several paths to a model, and paths that run models in another engine.

import { binary } from "./binary.js";
import { sortedBy } from "./claims.js";
import { features } from "./features.js";
import { gates } from "./gates.js";
import { Joiner, datesOf, newestRelease } from "./hops.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Release} Release */
/** @typedef {import("./stack.js").Stack} Stack */

/**
 * The joiner of an engine's best path for the model: the one with the fewest hops that fail, then that are unknown, then with a gap. Of equal
 * ones the engine's own comes first.
 * @param {Data} data @param {Engine} engine @param {Release} release @param {Stack} stack @param {string[]} demanded
 * @param {string[]} asked ids of features
 */
export function joinerFor(data, engine, release, stack, demanded, asked) {
  const paths = engine.snapshots.length || !engine.parts.length ? [joiner(data, engine, release)] : [];
  for (const part of engine.parts.map((id) => data.engines[id])) {
    const at = releaseOf(part, engine, release);
    if (at && part.snapshots.length) paths.push(new Through(joiner(data, part, at), new Joiner(data, engine, release)));
  }
  if (paths.length < 2) return paths[0] ?? new Joiner(data, engine, release);
  return sortedBy(paths, (path) => rank(path, stack, demanded, asked))[0];
}

/**
 * The gotchas of an engine and of the path that was taken, each once.
 * @param {Data} data @param {Engine} engine @param {Release} release @param {Joiner} taken @param {Stack} stack
 */
export function pathGates(data, engine, release, taken, stack) {
  const found = gates(data, engine, release, stack);
  if (taken.engine.id === engine.id) return found;
  const known = new Set(found.map((gate) => gate.gotcha.id));
  return [...found, ...gates(data, taken.engine, taken.release, stack).filter((gate) => !known.has(gate.gotcha.id))];
}

/** A part's joiner, for a question to the whole: it says which path it is. */
class Through extends Joiner {
  /** @param {Joiner} path @param {Joiner} whole */
  constructor(path, whole) {
    super(path.data, path.engine, path.release);
    this.path = path;
    this.whole = whole;
  }

  /** @override @returns {Record<string, any>} */
  get settings() {
    return { ...this.whole.settings, ...this.path.settings };
  }

  /** @override @param {Stack} stack @returns {Hop} */
  architecture(stack) {
    const hop = this.path.architecture(stack);
    return { ...hop, finding: `through ${this.engine.data.name}: ${hop.finding}` };
  }

  /** @override @param {string} requirement @param {Stack} stack @param {Hop | null} [architecture] */
  requirement(requirement, stack, architecture = null) {
    return this.path.requirement(requirement, stack, architecture);
  }

  /** @override @param {Stack} stack */
  weights(stack) {
    return this.path.weights(stack);
  }

  /** @override @param {Stack} stack */
  hardware(stack) {
    return this.path.hardware(stack);
  }

  /** @override @param {Stack} stack */
  modelThere(stack) {
    return this.path.modelThere(stack);
  }

  /** @override @param {string} offer @param {string} name @param {Stack} stack */
  feature(offer, name, stack) {
    return this.path.feature(offer, name, stack) ?? this.whole.feature(offer, name, stack);
  }

  /** @override @param {string} requirement @param {string} backend @param {Stack} stack */
  backendOffer(requirement, backend, stack) {
    return this.path.backendOffer(requirement, backend, stack);
  }
}

/** The joiner of a path that runs models in another engine. */
class Hosted extends Joiner {
  /** @param {Data} data @param {Engine} engine @param {Release} release @param {Joiner} inner */
  constructor(data, engine, release, inner) {
    super(data, engine, release);
    this.inner = inner;
  }

  /**
   * What its own registry takes, else what the other engine takes in a file that was made ready elsewhere.
   * @override @param {Stack} stack @returns {Hop}
   */
  architecture(stack) {
    const own = super.architecture(stack);
    if (own.state === "holds") return own;
    const inner = this.inner.architecture(stack.inside(this.inner.engine.defaults));
    if (inner.state === "fails") return own.state === "fails" ? own : inner;
    const where = `${this.inner.engine.data.name} ${this.inner.release.version}`;
    return { ...inner, finding: `${own.finding}. A file made ready for ${where} is another way: ${inner.finding}` };
  }

  /** @override @param {Stack} stack */
  hardware(stack) {
    return super.hardware(stack) ?? this.inner.hardware(stack.inside(this.inner.engine.defaults));
  }

  /** @override @param {Stack} stack */
  modelThere(stack) {
    return super.modelThere(stack) ?? this.inner.modelThere(stack.inside(this.inner.engine.defaults));
  }

  /** What it hands on, if the other engine does not refuse it then. @override @param {string} offer @param {string} name @param {Stack} stack @returns {Hop | null} */
  feature(offer, name, stack) {
    const own = super.feature(offer, name, stack);
    const inner = this.inner.feature(offer, name, stack.inside(this.inner.engine.defaults));
    const isRefused = ["holds", "gap"].includes(own?.state ?? "") && inner?.state === "fails";
    return isRefused && inner ? { ...inner, finding: `${this.inner.engine.data.name}: ${inner.finding}` } : own ?? inner;
  }

  /** @override @param {string} requirement @param {any} record @param {Stack} stack @returns {Hop} */
  offered(requirement, record, stack) {
    const own = super.offered(requirement, record, stack);
    return own.state !== "unknown" || own.sources.length ? own : this.inner.offered(requirement, record, stack.inside(this.inner.engine.defaults));
  }
}

/** @param {Data} data @param {Engine} engine @param {Release} release */
function joiner(data, engine, release) {
  const runs = engine.data.runs ? data.engines[engine.data.runs] : null;
  const version = runs ? bundled(engine, release, runs.id) : null;
  if (!runs || !version) return new Joiner(data, engine, release);
  // A build that the other engine's record has no date for is no younger than the release that brings it.
  const inner = { version, date: datesOf(runs)[version] ?? release.date, assumed: release.assumed };
  return new Hosted(data, engine, release, new Joiner(data, runs, inner));
}

/**
 * The release of a part that goes with one of the whole: of the same version, else bundled, else the newest if none was named.
 * @param {Engine} part @param {Engine} engine @param {Release} release @returns {Release | null}
 */
function releaseOf(part, engine, release) {
  const dates = datesOf(part);
  const version = release.version in dates ? release.version : bundled(engine, release, part.id);
  if (version) return { version, date: dates[version] ?? null, assumed: release.assumed };
  if (release.assumed) return newestRelease(part);
  return part.data.scheme === engine.data.scheme && part.data.repository === engine.data.repository ? release : null;
}

/** @param {Engine} engine @param {Release} release @param {string} name @returns {string | null} */
function bundled(engine, release, name) {
  return engine.data.releases.find((/** @type {any} */ entry) => entry.version === release.version)?.bundles?.[name] ?? null;
}

/**
 * How far a path is from a plain yes: by whether something fails, how many hops are unknown, and how many have a gap.
 * @param {Joiner} path @param {Stack} stack @param {string[]} demanded @param {string[]} asked
 */
function rank(path, stack, demanded, asked) {
  const first = path.architecture(stack);
  const rest = first.state === "fails" ? [] : demanded.map((requirement) => path.requirement(requirement, stack, first));
  const more = first.state === "fails" ? [] : [...[binary(path, stack), path.modelThere(stack), path.weights(stack)].filter((hop) => hop !== null), ...features(path, asked, stack)];
  const states = [first, ...rest, ...more].filter((hop) => !hop.optional).map((hop) => hop.state);
  const count = (/** @type {string} */ wanted) => states.filter((state) => state === wanted).length;
  return [states.includes("fails"), count("unknown"), count("gap")];
}
