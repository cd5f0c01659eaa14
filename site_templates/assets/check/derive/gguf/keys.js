// @ts-check
// infercompat/derive/gguf/keys.py: the keys of one architecture, read by their names below its prefix, with an account of what is missing.

import { Length } from "./header.js";

/** @typedef {import("./header.js").Header} Header */

const MOST_LAYERS = 4096;

/** Reading never fails: what is absent or of another kind is named in `missing`, and something harmless is given instead. */
export class Keys {
  /** @param {Header} header @param {string} architecture */
  constructor(header, architecture) {
    this.header = header;
    this.architecture = architecture;
    /** @type {string[]} */
    this.missing = [];
    const draft = this.find("nextn_predict_layers");
    this.draftLayers = typeof draft === "number" && draft >= 0 ? draft : 0;
    this.allLayers = this.number("block_count");
    this.layers = this.allLayers - this.draftLayers;
    if (0 < this.layers && this.layers <= MOST_LAYERS) return;
    this.miss(`block_count (${this.layers} layers)`);
    this.layers = 1;
  }

  /** The value as it is written; null if it is not. @param {string} name @returns {any} */
  find(name) {
    return this.header.fields.get(`${this.architecture}.${name}`) ?? null;
  }

  /** A whole number; without a default it has to be there. @param {string} name @param {number | null} [byDefault] @returns {number} */
  number(name, byDefault = null) {
    const value = this.find(name);
    if (value === null && byDefault !== null) return byDefault;
    return typeof value === "number" && value >= 0 ? value : this.miss(name);
  }

  /** A whole number, or null where the key is absent. @param {string} name @returns {number | null} */
  optional(name) {
    return this.find(name) === null ? null : this.number(name);
  }

  /** One value for each layer, from a list or from a number that holds for all. Entries of draft layers are dropped. @param {string} name @param {number | null} [byDefault] @returns {number[]} */
  each(name, byDefault = null) {
    const value = this.find(name);
    if (!Array.isArray(value)) return Array(this.layers).fill(this.number(name, byDefault));
    const entries = value.map((entry) => (typeof entry === "boolean" ? Number(entry) : entry));
    if (entries.length >= this.layers && entries.length <= this.allLayers && entries.every((entry) => typeof entry === "number" && entry >= 0)) return entries.slice(0, this.layers);
    this.miss(`${name} (not a number for each of ${this.layers} layers)`);
    return Array(this.layers).fill(0);
  }

  /** The one value that a list has, zeros aside. @param {string} name @param {number[]} values */
  one(name, values) {
    const found = [...new Set(values)].filter(Boolean).sort((one, other) => one - other);
    if (found.length > 1) return this.miss(`${name} (differs from layer to layer: ${found.slice(0, 4).join(", ")})`);
    return found[0] ?? 0;
  }

  /** @param {string} name */
  hasTensor(name) {
    return this.header.tensors.some((tensor) => tensor.name === name);
  }

  /** Tokens, by the key or by the length of the token list. @returns {number | null} */
  vocabulary() {
    const tokens = this.header.fields.get("tokenizer.ggml.tokens");
    return this.optional("vocab_size") || (tokens instanceof Length ? tokens.count : null);
  }

  /** @param {string} name */
  miss(name) {
    const entry = `${this.architecture}.${name}`;
    if (!this.missing.includes(entry)) this.missing.push(entry);
    return 0;
  }
}
