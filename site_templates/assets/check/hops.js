// @ts-check
// join/hops.py: the hops of a chain, from the architecture's place in the engine to what it offers for each requirement.

import { carry, minorsBetween } from "./carry.js";
import { NEGATIVE, PLATFORM, POSITIVE, WEIGHTS, conditionWords, onArchitecture, onOffer, placeIn, sortedBy, sourcesOf } from "./claims.js";
import { ALWAYS, evaluate } from "./condition.js";
import { says, withExceptions } from "./phrases.js";
import { parseVersion } from "./versions.js";
import { backendsOf, bestOffers, byPlace, byRank, disagree, forHardware, isConditional, isUnplaced, onAnyHardware, opposed, sourcesIn } from "./statements.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Engine} Engine */
/** @typedef {import("./types.js").Release} Release */
/** @typedef {import("./types.js").Statement} Statement */
/** @typedef {import("./stack.js").Stack} Stack */
/** @typedef {import("./statements.js").Result} Result */

// Weight formats that any implementation computes with: their silence is no gap.
const PLAIN_WEIGHTS = ["bf16", "fp16", "fp32"];
const WORST = ["fails", "unknown", "gap", "holds"];
const PLAIN = new Set(["native", "fallback", "redirected", "rewritten", "plugin", "known-issues"]);
/** @type {Record<string, string>} */
const BASIS = {
  official: "the publisher's config.json",
  mirror: "a copy of config.json",
  "engine-table": "a table in another project's code",
  "class-default": "the defaults of a class",
  "derived-facts": "another tool's summary",
};

/** @param {string} name @param {Hop["state"]} state @param {string} finding @param {Partial<Hop>} [more] @returns {Hop} */
export function hop(name, state, finding, more = {}) {
  const nothing = { value: null, consequence: null, version: null, avoided_by: null, basis: null };
  return { name, state, finding, ...nothing, optional: false, how: "exact", stale: false, sources: [], against: [], backends: [], settings: [], when: null, ...more };
}

/** The newest release of an engine in the catalog: the first of its list. @param {Engine} engine @returns {Release} */
export function newestRelease(engine) {
  const { version, date } = engine.data.releases[0];
  return { version, date, assumed: true };
}

/** @param {Engine} engine @returns {Record<string, string>} the day of each release */
export function datesOf(engine) {
  return Object.fromEntries(engine.data.releases.map((/** @type {any} */ entry) => [entry.version, entry.date]));
}

/** Joins one engine at one version with a model, hop by hop. */
export class Joiner {
  /** @param {Data} data @param {Engine} engine @param {Release} release */
  constructor(data, engine, release) {
    this.data = data;
    this.engine = engine;
    this.release = release;
    this.dates = datesOf(engine);
  }

  /** The engine's settings, by the fact that each decides. @returns {Record<string, any>} */
  get settings() {
    return this.engine.data.settings ?? {};
  }

  /** Whether the model's config can be read into layers, and what it was read from. @param {Stack} stack */
  config(stack) {
    const { config } = stack.model.data;
    const { derived } = stack.model;
    const sources = sourcesOf(this.data, config.cites);
    if (derived.unknown) return hop("config", "unknown", `cannot be read into layers: ${derived.missing.join(", ") || derived.reason}`, { sources });
    const { basis } = config;
    return hop("config", "holds", `${derived.layers.length} layers read from ${BASIS[basis]}`, { value: basis, sources, basis });
  }

  /** Whether the engine knows the model's architecture at this version. @param {Stack} stack @returns {Hop} */
  architecture(stack) {
    const { names } = stack.model;
    const statements = onArchitecture(this.data, this.engine, (tree) => evaluate(tree, stack));
    const name = names[this.engine.data.model_key ?? "architecture"] || names.architecture;
    if (!name) return hop("architecture", "unknown", "the config does not name its class under architectures");
    if (!statements.length) return hop("architecture", "unknown", `no source of ${this.engine.data.name} in the catalog speaks of ${name}`);
    const results = this.results(byRank(statements));
    for (const { rank, carried, deciding } of results) {
      if (carried.status === null && disagree(carried, deciding)) break;
      if (carried.status === null) continue;
      const common = { how: carried.how, version: deciding[0].version, sources: sourcesIn(deciding) };
      if (carried.status === "unknown") return hop("architecture", "unknown", `${name}: ${deciding[0].undecided}`, common);
      const state = POSITIVE.has(carried.status) ? "holds" : NEGATIVE.has(carried.status) ? "fails" : "unknown";
      const lacks = deciding[0].claim?.lacks ? `: ${deciding[0].claim.lacks}` : "";
      const finding = `${name} is ${says(carried.status, deciding[0])} (${deciding[0].snapshot.title})${lacks}`;
      const against = opposed(carried.status, results.filter((one) => one.rank < rank));
      return hop("architecture", state, finding, { ...common, value: carried.status, stale: carried.stale, against });
    }
    const reasons = [...new Set(results.map((one) => one.carried.reason))].join("; ");
    return hop("architecture", "unknown", `${name}: ${reasons}`, { sources: [statements[0].source], version: statements[0].version });
  }

  /**
   * What the engine offers for one requirement of the model, and what its lack means.
   * @param {string} requirement @param {Stack} stack @param {Hop | null} [architecture] @returns {Hop}
   */
  requirement(requirement, stack, architecture = null) {
    const record = this.data.catalog.requirements[requirement] ?? {};
    const found = this.offered(requirement, record, stack);
    const own = architecture !== null && ["native", "rewritten", "redirected"].includes(architecture.value ?? "");
    if (found.state === "unknown" && record.part_of_architecture && own) {
      return { ...architecture, name: requirement, finding: "a part of the architecture, which the engine implements itself", against: [] };
    }
    return { ...found, optional: Boolean(record.optional) };
  }

  /** Whether the engine loads the checkpoint's weight format on this hardware; null where that is not known, or plain tensors. @param {Stack} stack @returns {Hop | null} */
  weights(stack) {
    const format = stack.get("weights.format");
    if (typeof format !== "string") return null;
    const found = this.offered(WEIGHTS + format, { name: `${format} weights`, consequence: "refuses" }, stack);
    const silent = found.state === "unknown" && !found.sources.length;
    if (PLAIN_WEIGHTS.includes(format) && ["holds", "unknown"].includes(found.state)) return null;
    if (silent && stack.requires(`${format}-weights`)) return null;
    const consequence = found.state !== "fails" && found.consequence === "refuses" ? null : found.consequence; // what is loaded in part is not refused
    return { ...found, consequence, name: "weights", finding: silent ? found.finding : `${format}: ${found.finding}` };
  }

  /**
   * What a source says of the stack's platform and of nothing else: whether the engine runs there at all. null where none speaks of it.
   * @param {Stack} stack @returns {Hop | null}
   */
  hardware(stack) {
    const platform = stack.get("platform");
    if (typeof platform !== "string") return null;
    const found = this.onPlatform(platform, onOffer(this.data, this.engine, PLATFORM + platform, { named: false }), stack);
    return found.sources.length ? { ...found, name: "hardware" } : null;
  }

  /** What a source says of this very model on the stack's class, else on its platform, whatever builds have code for; null where none does. @param {Stack} stack @returns {Hop | null} */
  modelThere(stack) {
    for (const place of [stack.get("hardware.class"), stack.get("platform")]) {
      if (typeof place !== "string") continue;
      const found = this.onPlatform(place, onOffer(this.data, this.engine, PLATFORM + place, { named: true }), stack);
      if (!found.sources.length) continue;
      return { ...found, name: "architecture on hardware", finding: `${stack.model.names.architecture} on ${place}: ${found.finding}` };
    }
    return null;
  }

  /** @param {string} place @param {Statement[]} statements @param {Stack} stack */
  onPlatform(place, statements, stack) {
    const known = this.notExcluded(statements, stack);
    return this.judged(PLATFORM + place, { name: place, consequence: "refuses" }, stack, known, known);
  }

  /**
   * The worst of what is said of a feature of this model and of any, here and anywhere, since all of it has to hold; null where nothing is.
   * @param {string} offer @param {string} name @param {Stack} stack @returns {Hop | null}
   */
  feature(offer, name, stack) {
    /** @type {Hop[]} */
    const found = [];
    /** @type {Set<string>} */
    let narrower = new Set();
    for (const named of [true, false]) {
      const said = this.notExcluded(onOffer(this.data, this.engine, offer, { named }), stack);
      const every = isUnplaced(stack) ? onAnyHardware(said, (tree) => evaluate(tree, stack)) : said;
      for (const statements of byPlace(every, stack, narrower)) {
        const met = new Set(statements.filter((one) => isConditional(one) && this.fits(one, stack) === true).map((one) => one.snapshot.id));
        const chosen = statements.filter((one) => isConditional(one) || !met.has(one.snapshot.id)); // a condition that is met stands before none
        const hop = this.judged(offer, { name, consequence: "refuses" }, stack, chosen, every, true);
        if (hop.sources.length && hop.value !== "not-applicable") found.push(hop);
      }
      narrower = new Set(every.filter((one) => one.status !== "not-applicable").map((one) => one.snapshot.id));
    }
    return sortedBy(found, ({ state }) => [placeIn(WORST, state)])[0] ?? null;
  }

  /** @param {string} requirement @param {any} record @param {Stack} stack @returns {Hop} */
  offered(requirement, record, stack) {
    const everywhere = this.notExcluded(onOffer(this.data, this.engine, requirement), stack);
    return this.judged(requirement, record, stack, this.here(everywhere, stack), everywhere);
  }

  /**
   * Those of the narrowest place; where none of them reaches the version in question, those of a wider one that does, and that all of the
   * narrower agree with. An exception that was read long ago may still be one, so where they differ nothing is known.
   * @param {Statement[]} statements @param {Stack} stack @returns {Statement[]}
   */
  here(statements, stack) {
    const here = forHardware(statements, stack);
    const rest = isUnplaced(stack) ? [] : statements.filter((one) => !here.includes(one));
    if (!here.length || !rest.length || this.reaching(here, stack) !== null) return here;
    const wider = this.here(rest, stack);
    const status = this.reaching(wider, stack) ?? "";
    const alike = [POSITIVE, NEGATIVE].find((polarity) => polarity.has(status));
    return alike && here.every((one) => alike.has(one.status)) ? wider : here;
  }

  /** What statements come to at the version in question; null where none reaches it. @param {Statement[]} statements @param {Stack} stack @returns {string | null} */
  reaching(statements, stack) {
    const decided = statements.filter((one) => this.fits(one, stack) === true);
    if (!decided.length) return statements.length ? "unknown" : null;
    return highest(this.results(bestOffers(decided))).carried.status;
  }

  /** Statements whose conditions are not known to fail. @param {Statement[]} statements @param {Stack} stack */
  notExcluded(statements, stack) {
    return statements.filter((one) => this.fits(one, stack) !== false);
  }

  /**
   * What statements of this hardware come to; `everywhere` are those of any. `isWorst`: of one snapshot's, the worst decides rather than the best.
   * @param {string} requirement @param {any} record @param {Stack} stack @param {Statement[]} here @param {Statement[]} everywhere @param {boolean} [isWorst]
   * @returns {Hop}
   */
  judged(requirement, record, stack, here, everywhere, isWorst = false) {
    const decided = here.filter((one) => this.fits(one, stack) === true);
    if (here.length && !decided.length) {
      const finding = `${says(here[0].status, here[0])} if ${conditionWords(/** @type {any} */ (here[0].claim))}`;
      return hop(requirement, "unknown", finding, { sources: [here[0].source], version: here[0].version });
    }
    if (!decided.length) {
      return hop(requirement, "unknown", `no source of ${this.engine.data.name} in the catalog speaks of ${record.name ?? requirement}`);
    }
    const results = this.results(bestOffers(decided, isWorst));
    const { rank, carried, deciding } = highest(results);
    const chosen = deciding[0];
    const at = { version: chosen.version };
    if (carried.status === null || !(POSITIVE.has(carried.status) || NEGATIVE.has(carried.status))) {
      const reason = carried.status === null ? carried.reason : says(carried.status, chosen);
      return hop(requirement, "unknown", reason, { ...at, how: carried.how, value: carried.status, sources: [chosen.source] });
    }
    const refused = POSITIVE.has(carried.status) && !isWorst ? this.refusedHere(requirement, chosen, stack) : null;
    if (refused) {
      const general = refused.claim?.lacks || says(refused.status, refused);
      const finding = `${says(carried.status, chosen)} for this architecture; and in general: ${general}`;
      return hop(requirement, "unknown", finding, { ...at, sources: sourcesIn([chosen, refused]) });
    }
    const against = opposed(carried.status, results.filter((one) => one.rank < rank));
    const reached = { ...at, how: carried.how, stale: carried.stale, value: carried.status };
    const common = { ...reached, sources: sourcesIn(deciding), backends: backendsOf(decided), against, when: chosen.claim?.when ?? null };
    if (PLAIN.has(carried.status)) {
      const finding = chosen.claim?.note || says(carried.status, chosen);
      return hop(requirement, "holds", withExceptions(finding, this.lacking(everywhere, stack, isWorst)), common);
    }
    return this.lack(requirement, record, chosen, stack, common);
  }

  /**
   * What it means that the engine lacks something, or has it in part.
   * @param {string} requirement @param {any} record @param {Statement} chosen @param {Stack} stack @param {Partial<Hop>} common
   */
  lack(requirement, record, chosen, stack, common) {
    const consequence = chosen.claim?.consequence || record.consequence || null;
    const lacks = chosen.claim?.lacks || record.without_it || chosen.claim?.note || says(chosen.status, chosen);
    const more = { ...common, consequence, optional: Boolean(record.optional) };
    const bearable = !["refuses", "wrong-output"].includes(consequence) || more.optional || common.value === "partial";
    if (bearable) return hop(requirement, "gap", lacks, more);
    const tree = "matters_when" in record ? record.matters_when : ALWAYS;
    if (evaluate(tree, stack).value === false) return hop(requirement, "holds", `${lacks} It does not show here.`, { ...more, consequence: null });
    const avoidable = evaluate(tree, stack, true).value !== true;
    return hop(requirement, "fails", lacks, { ...more, avoided_by: avoidable ? record.avoided_by : null });
  }

  /**
   * Where nobody named hardware, the classes and platforms on which the whole engine lacks it at this version.
   * @param {Statement[]} statements @param {Stack} stack @param {boolean} isWorst @returns {string[]}
   */
  lacking(statements, stack, isWorst) {
    if (!isUnplaced(stack)) return [];
    const fitting = statements.filter((one) => {
      const { platform, backend } = one.claim?.about ?? {};
      return platform && !backend && this.fits(one, stack) === true;
    });
    const places = [...new Set(fitting.map((one) => one.claim?.about.platform ?? ""))];
    return places.filter((place) => {
      const { carried } = highest(this.results(bestOffers(fitting.filter((one) => one.claim?.about.platform === place), isWorst)));
      return NEGATIVE.has(carried.status ?? "");
    });
  }

  /**
   * What says that the stack's hardware lacks the requirement, where the deciding claim is narrower by model and silent on hardware: neither
   * is the narrower one.
   * @param {string} requirement @param {Statement} chosen @param {Stack} stack @returns {Statement | null}
   */
  refusedHere(requirement, chosen, stack) {
    const about = chosen.claim?.about ?? {};
    if ("platform" in about || !("architecture" in about || "model_type" in about)) return null;
    const places = [stack.get("hardware.class"), stack.get("platform")];
    const general = onOffer(this.data, this.engine, requirement, { named: false }).filter((one) => {
      const { platform, backend } = one.claim?.about ?? {};
      return platform && places.includes(platform) && !backend && this.fits(one, stack) === true;
    });
    const here = forHardware(general, stack);
    if (!here.length) return null;
    const { carried, deciding } = this.carried(here);
    return carried.status !== null && NEGATIVE.has(carried.status) ? deciding[0] : null;
  }

  /**
   * What one attention backend offers for a requirement on the stack's hardware; null where no source speaks of it.
   * @param {string} requirement @param {string} backend @param {Stack} stack
   */
  backendOffer(requirement, backend, stack) {
    const fitting = onOffer(this.data, this.engine, requirement, { backend }).filter((one) => this.fits(one, stack) === true);
    const results = this.results(bestOffers(forHardware(fitting, stack)));
    return results.length ? highest(results).carried.status : null;
  }

  /** Whether a statement's condition holds; null where that is open. @param {Statement} one @param {Stack} stack */
  fits(one, stack) {
    return one.claim && "when" in one.claim ? evaluate(one.claim.when, stack).value : true;
  }

  /**
   * The statements of each rank carried to the version in question, the highest rank first.
   * @param {Map<number, Statement[]>} ranks @returns {Result[]}
   */
  results(ranks) {
    const highestFirst = [...ranks].sort(([one], [other]) => other - one);
    return highestFirst.map(([rank, statements]) => ({ rank, ...this.carried(statements) }));
  }

  /** @param {Statement[]} statements of one rank */
  carried(statements) {
    const seen = statements.map((one) => ({ version: one.version, date: this.dates[one.version] ?? null, status: one.status }));
    const { version, date } = this.release;
    const reached = carry(this.engine.data.scheme, seen, version, date, this.data.catalog.thresholds);
    const isOld = reached.status !== null && reached.basis.length > 0 && reached.basis.every((one) => this.isLeftBehind(one));
    const carried = isOld ? { ...reached, stale: true } : reached;
    const agreeing = statements.filter((one) => one.status === carried.status);
    const deciding = sortedBy(agreeing, (one) => [one.version !== version, !carried.basis.includes(one.version), one.snapshot.id]);
    return { carried, deciding: deciding.length ? deciding : statements };
  }

  /** Whether upstream has gone on so far since a version that it is stale for whoever asks for none by name. @param {string} version */
  isLeftBehind(version) {
    const { scheme, upstream } = this.engine.data;
    if (!upstream || !this.release.assumed) return false;
    const [old, newest] = [parseVersion(scheme, version), parseVersion(scheme, upstream.version)];
    const minors = old && newest ? minorsBetween(old, newest) : null;
    return minors !== null && minors >= this.data.catalog.thresholds.stale_minor_releases;
  }
}

/**
 * The highest rank that reaches the version in question: a page about this release stands before code that was last read long before it. The
 * highest of all where none reaches it; one whose own sources disagree hides the lower ones.
 * @param {Result[]} results the highest rank first @returns {Result}
 */
function highest(results) {
  return results.find(({ carried, deciding }) => carried.status !== null || disagree(carried, deciding)) ?? results[0];
}
