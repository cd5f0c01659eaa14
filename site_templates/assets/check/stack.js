// @ts-check
// join/stack.py: the facts of one question. What is not known here is missing, never assumed.

/** @typedef {import("./types.js").Model} Model */
/** @typedef {import("./types.js").Facts} Facts */

export class Stack {
  /** @param {Model} model @param {Facts} given @param {any} catalog the delivered one */
  constructor(model, given, catalog) {
    this.model = model;
    this.given = given;
    this.catalog = catalog;
    /** @type {import("./registry.js").Registry} */
    this.registry = catalog.facts;
  }

  /** The value under exactly this name; undefined where nothing is known. @param {string} name @returns {any} */
  get(name) {
    if (this.given[name] !== undefined) return this.given[name];
    if (name !== "sequence_length") return this.model.facts[name];
    const context = this.get("model.context");
    return context === undefined ? undefined : { low: 1, high: context };
  }

  /** Whether the model has the requirement; null where it cannot be read. @param {string} requirement */
  requires(requirement) {
    const { derived } = this.model;
    return derived.unknown ? null : Object.hasOwn(derived.requirements, requirement);
  }

  layers() {
    const { derived } = this.model;
    return derived.unknown ? null : derived.layers;
  }

  /** The items of a list, each as its properties; null where they are not known. @param {string | undefined} list @returns {Record<string, any>[] | null} */
  items(list) {
    return list === "model.linears" ? (this.model.derived.unknown ? null : (this.model.linears ?? null)) : this.layers();
  }

  /** The same question with other defaults where nothing is said. @param {Facts} defaults */
  inside(defaults) {
    return new Stack(this.model, { ...defaults, ...this.given }, this.catalog);
  }
}
