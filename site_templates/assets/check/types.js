// @ts-check
// What the modules hand to each other. A value is undefined where nothing is known and null where the thing has none, as MISSING and None.

/** @typedef {string | number | boolean} Scalar */
/** @typedef {{low: number, high: number}} Range everything from low to high, both included */
/** @typedef {import("./pep440.js").Dotted} Dotted */
/** @typedef {Scalar | Dotted} Single */
/** @typedef {Single | Range | Single[] | null} Value several at once in a list */
/** @typedef {Record<string, any>} Facts values by the name of the fact */

/** @typedef {{type: "bool" | "int" | "float" | "word" | "version" | "any" | "list", kind: "given" | "resolved" | "derived" | "workload", name: string, absent?: Value, values?: string[], vocabulary?: string, part_of?: string, up_to?: string[], several?: boolean, told?: boolean, unit?: string, least?: number, most?: number}} Fact */
/** @typedef {Scalar[] | {min?: Scalar, max?: Scalar, above?: Scalar, below?: Scalar}} Test */
/** A number, a fact's or property's name, a sign with two terms, or what is written out. @typedef {number | string | [string, any, any] | {word: string}} Term */
/** @typedef {{left: Term, sign: string, right: Term}} Comparison */
/** Of `items` any or all pass where all comparisons of one of the alternatives are true. @typedef {{items?: "any" | "all", list?: string, alternatives?: Comparison[][]}} OfItems */
/** @typedef {OfItems & {text?: string, fact?: string, test?: Test, relation?: Comparison, facts?: string[], requires?: string, layer?: Record<string, Test>}} Leaf */
/** A linear layer; what is not known of it is left out. @typedef {{n?: number, k?: number, name?: string, part: string, cut?: string}} Linear */
/** @typedef {Leaf & {all?: Tree[], any?: Tree[], not?: Tree}} Tree */
/** @typedef {{text: string, fact: string, kind: "missing" | "untested" | "false" | "true"}} Reason */
/** @typedef {{value: boolean | null, because: Reason[]}} Truth */

/** @typedef {{id: string, at: string, rank: number, type: string, pinned: boolean, opened: string | null, url: string | null}} Source */
/** @typedef {{about: Record<string, string>, holds: string, source: [string, string], when?: Tree | null, if?: string, note?: string, lacks?: string, consequence?: string, loads_as?: string, last_version?: string}} Claim */
/** @typedef {{id: string, version: string, read_on: string, title: string, complete?: boolean, source: [string, string], fallbacks: Claim[], requirements: Record<string, Claim[]>}} Snapshot */
/** @typedef {{snapshot: Snapshot, status: string, source: Source, claim: Claim | null, undecided: string, version: string}} Statement */
/** @typedef {{name: string, state: "holds" | "gap" | "fails" | "unknown", finding: string, value: string | null, consequence: string | null, optional: boolean, how: string, stale: boolean, version: string | null, sources: Source[], against: Statement[], backends: string[], avoided_by: string | null, basis: string | null, settings: string[], when: Tree | null}} Hop */
/** @typedef {{version: string, date: string | null, assumed: boolean}} Release */
/** @typedef {{gotcha: any, state: "hit" | "maybe" | "almost", truth: Truth, stale: boolean, proven: boolean}} Gate */
/** @typedef {{word: string, confidence: number}} Grade */

/** @typedef {{kind: string, kv_heads: number, k_width: number, v_width: number, window: number, latent_width: number, index_width: number, compress_ratio: number, conv_elements: number, state_elements: number, state_dtype: string | null, cross_tokens: number, shares: boolean, attends: boolean, head_dim: number}} Layer */
/** @typedef {{unknown?: undefined, name: string, requirements: Record<string, string>, context: {native: number | null, method: string | null, factor: number | null, original: number | null, extended: number | null}, weight_format: string | null, image_tokens: number | null, most_image_tokens: number | null, layers: Layer[]}} Known */
/** @typedef {{unknown: true, missing: string[], reason: string}} Unknown */
/** @typedef {Known | Unknown} Derived */
/** @typedef {{id: string, data: any, names: Record<string, string>, facts: Facts, derived: Derived, claims: Record<string, Record<string, {exact: Record<string, Claim[]>, requirements: Record<string, Claim[]>}>>, recipes: Record<string, any>, measurements: any[], linears: Linear[] | null, memory: import("./weights.js").Delivered}} Model */
/** @typedef {{id: string, data: any, defaults: Facts, spoken_settings: string[], parts: string[], needs: string[], snapshots: Snapshot[], gotchas: any[], overheads: number[]}} Engine */
/** @typedef {{id: string, data: any}} Hardware */
/** @typedef {{catalog: any, engine: Engine, model: Model, engines: Record<string, Engine>, citations: Record<string, any>}} Data the delivered files; `engines` holds that of the question and those it reads besides */

/** @typedef {{model: Model, derived: Derived, engine: Engine, release: Release, hardware: Hardware | null, gpus: number, given: Facts, required: Set<string>, checkpoint: string | null, context: number | null}} Question as answer/question.py has it */
/** @typedef {{fact: string, value: any, because: string, cites: any[]}} Assumed */
/** @typedef {{question: Question, facts: Facts, assumed: Assumed[]}} Resolved */
/** @typedef {{resolved: Resolved, hops: Hop[], gates: Gate[], verdict: string, reason: string, missing: string[], provided: string[], grade: Grade | null, memory: any, observed: any[]}} Assessment */

export {};
