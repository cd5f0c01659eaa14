// @ts-check
// infercompat/derive/weights/loaded.py (`laid_out` of a config alone) and export/check_memory.py: what ../../weights.js cuts among ranks.

import { ratio } from "../../fraction.js";
import { bytesAt } from "../../weights.js";
import { Config } from "../config.js";
import { unknown } from "../layers.js";
import { truthy } from "../python.js";
import { draftElements, drafts, towerElements, towerHeads } from "./beside.js";
import { ENCODERS } from "./count.js";
import { cutOf, placeOf } from "./ranks.js";
import { narrowestBits, ownWord, stored } from "./stored.js";
import { positionTables, withoutValues } from "./tables.js";
import { layerOf, total } from "./tensors.js";

/** @typedef {import("./stored.js").Stored} Stored */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {import("../../types.js").Unknown} Unknown */
/** @typedef {import("../../weights.js").Bounds} Bounds */
/** @typedef {import("../../weights.js").Delivered} Delivered */
/** @typedef {import("../../weights.js").Format} Format */
/** @typedef {import("../../weights.js").LaidOut} LaidOut */
/** @typedef {import("../../weights.js").Layout} Layout */
/** @typedef {import("../../weights.js").Triple} Triple */

const WIDEST = 64; // times the numbers of a model, bits and bytes of all of them stay whole numbers
const LARGE = unknown(["sizes below 2^53"], "this page does not count numbers as large as the config's");

/** The layout of a config in a format, or in its own where the word is empty. @param {Map<string, any>} values @param {string} word @param {Tables} tables @returns {Layout} */
export function laidOut(values, word, tables) {
  const config = new Config(values);
  const found = stored(word || ownWord(config), config);
  if ("missing" in found) return found;
  const tower = towerElements(config), draft = draftElements(config, found.tensors), kept = positionTables(config);
  const counts = [total(found.tensors), tower ?? 0, draft ?? 0, kept];
  if (!counts.every((count) => Number.isSafeInteger(count * WIDEST))) return LARGE;
  const layout = tables.laidOut(found), [low, high] = layout.decoder;
  const encodes = ENCODERS.some((name) => truthy(config.anywhere(name)));
  return { ...layout, ...beside(found, encodes ? tower : 0, drafts(config) ? draft : 0, high - low), tower_heads: towerHeads(config), tables: kept };
}

/** The layout of a GGUF file, which holds nothing beside its decoder. @param {Map<string, any>} values @param {Stored | Unknown} found as its header has it @param {Tables} tables @returns {Layout} */
export function laidOutFile(values, found, tables) {
  if ("missing" in found) return found;
  const kept = positionTables(new Config(values));
  if (![total(found.tensors), kept].every((count) => Number.isSafeInteger(count * WIDEST))) return LARGE;
  const layout = tables.laidOut(found);
  return layout.decoder[0] ? { ...layout, tables: kept } : unknown(["the tensors of the file"], "the header lists no tensors");
}

/** Bytes beside the decoder; what cannot be counted is nothing at least, and at most the room that the bounds of the decoder leave. @param {Stored} found @param {number | null} tower @param {number | null} draft @param {number} left @returns {{tower: Bounds, drafting: Bounds}} */
function beside(found, tower, draft, left) {
  const wide = found.rest; // towers are left in the wide type by every scheme seen
  return {
    tower: tower === null ? [0, left] : [tower * wide, tower * wide],
    drafting: draft === null ? [0, left] : [ratio(narrowestBits(found), 8).times(draft).ceil(), draft * wide],
  };
}

/** Shapes and formats that layouts of one model share, in the order in which they were met. */
export class Tables {
  constructor() {
    /** @type {Pick<Delivered, "shapes" | "formats">} */
    this.lists = { shapes: [], formats: [] };
    /** @type {Map<string, number>} */
    this.places = new Map();
  }

  /** A decoder with nothing beside it. @param {Stored} found @returns {LaidOut} */
  laidOut(found) {
    /** @type {Triple[][]} */
    const layers = [];
    /** @type {Record<string, Triple[]>} */
    const outside = {};
    for (const tensor of found.tensors) {
      const place = placeOf(tensor), triple = this.triple(found, tensor);
      (place === "layer" ? (layers[layerOf(tensor)] ??= []) : (outside[place] ??= [])).push(triple);
    }
    const every = Array.from(layers.length ? layers : [[]], (layer) => layer ?? []);
    const kinds = new Map(every.map((layer) => [layer.join(";"), layer])), keys = [...kinds.keys()];
    const copied = withoutValues(found.tensors);
    const decoder = this.bytesOf(found, found.tensors);
    const expanded = found.tensors.filter((tensor) => tensor.name.endsWith("kv_b_proj") && found.schemes[0].formatOf(tensor));
    return {
      ...{ decoder, actual: decoder, tower: [0, 0], drafting: [0, 0], other: [0, 0], expanded: 2 * total(expanded), rest: found.rest },
      ...{ tower_heads: null, tied: !found.tensors.some((tensor) => tensor.part === "output"), tables: 0 },
      ...{ copied: this.bytesOf(found, copied), copied_heads: Math.max(1, ...copied.map((tensor) => tensor.kvHeads)) },
      ...{ kinds: [...kinds.values()], layers: every.map((layer) => keys.indexOf(layer.join(";"))), outside },
    };
  }

  /** Bytes of all copies of the tensors, each stored for itself. @param {Stored} found @param {Tensor[]} tensors @returns {Bounds} */
  bytesOf(found, tensors) {
    /** @param {0 | 1} end */
    const at = (end) => tensors.reduce((sum, tensor) => sum + bytesAt(tensor, found.schemes[end].formatOf(tensor), end, found.rest), 0);
    return [at(0), at(1)];
  }

  /** @param {Stored} found @param {Tensor} tensor @returns {Triple} */
  triple({ schemes }, tensor) {
    const { copies, kvRows, kvHeads, shape } = tensor;
    const [light, heavy] = schemes.map((scheme) => scheme.formatOf(tensor)).map((format) => (format ? this.place("formats", format) : -1));
    return [this.place("shapes", [cutOf(tensor), copies, kvRows, kvHeads, shape]), light, heavy];
  }

  /** @param {"shapes" | "formats"} list @param {any} entry */
  place(list, entry) {
    const key = `${list} ${JSON.stringify(entry)}`;
    if (!this.places.has(key)) this.places.set(key, this.lists[list].push(entry) - 1);
    return /** @type {number} */ (this.places.get(key));
  }
}
