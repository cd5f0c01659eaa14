// @ts-check
// infercompat/allocate/vllm.py: layers in groups that draw blocks of one size from one pool.
import { ZERO, decimal, largest, sum } from "../fraction.js";
import { isUnknown, unknown } from "../layers.js";
import { allocation } from "./allocation.js";
import { isCompressed, planCompressed } from "./vllm_compressed.js";
import { figures } from "./vllm_figures.js";
import { readSpecs, stages, withBlock, within } from "./vllm_layers.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */
/** @typedef {import("./vllm_layers.js").Spec} Spec */
/** @typedef {import("./vllm_layers.js").Specs} Specs */

/**
 * The groups of layers, each with its spec and number of layers. A block has `bytes_per_block` on the pipeline stage that holds most.
 * @typedef {{groups: [Spec, number][], bytes_per_block: Fraction, bytes_over_stages: Fraction, block: number, checked?: Fraction | null,
 *   shares?: Fraction[]}} Plan
 */

const EAGLE = ["eagle", "eagle3", "mtp"];

/** The figures of one rank for `vllm-blocks/1`. @param {Terms} terms @returns {Allocation | Unknown} */
function blocks(terms) {
  if (isCompressed(terms)) {
    const packed = planCompressed(terms);
    return isUnknown(packed) ? packed : figures(terms, { of_layers: [], block: packed.block }, packed);
  }
  const specs = readSpecs(terms);
  if (isUnknown(specs)) return specs;
  if (!specs.of_layers.length) return allocation({ groups: [], reserved: 0, needed_bytes: 0 });
  const plan = planGroups(terms, withoutHybridManager(terms, specs));
  return isUnknown(plan) ? plan : figures(terms, specs, plan);
}

/**
 * Windowed layers as full ones where the hybrid manager is off; a model without a full layer keeps its windows.
 * @param {Terms} terms @param {Specs} specs @returns {Specs}
 */
function withoutHybridManager(terms, specs) {
  if (!managerIsOff(terms, specs) || !specs.of_layers.some(([, spec]) => ["full", "latent"].includes(spec.kind))) return specs;
  return { ...specs, of_layers: specs.of_layers.map(([index, spec]) => [index, spec.window ? { ...spec, kind: "full", window: 0 } : spec]) };
}

/** What a KV connector supports is not looked into. @param {Terms} terms @param {Specs} specs */
function managerIsOff(terms, specs) {
  if (terms.fact("setting.disable_hybrid_kv_cache_manager")) return true;
  const chunked = specs.of_layers.some(([, spec]) => spec.kind === "chunked");
  return chunked && (EAGLE.includes(terms.fact("speculation.method")) || !terms.parameter("chunks_in_hybrid_manager"));
}

/**
 * Layers of one type form one group, whatever their widths; else pages are made equal and layers grouped by number.
 * @param {Terms} terms @param {Specs} specs @returns {Plan | Unknown}
 */
function planGroups(terms, specs) {
  const all = specs.of_layers.map(([, spec]) => spec);
  if (areOneType(all)) {
    const ofStage = stages(terms).map((stage) => sum(specs.of_layers.map(([index, spec]) => (within(stage, index) ? spec.page : ZERO))));
    return { groups: [[all[0], all.length]], bytes_per_block: largest(ofStage), bytes_over_stages: sum(ofStage), block: specs.block };
  }
  if (managerIsOff(terms, specs) && all.some((spec) => spec.kind === "state")) {
    return unknown(["setting.disable_hybrid_kv_cache_manager"], "a model with recurrent states does not start without the hybrid manager");
  }
  const unified = withEqualPages(terms, specs);
  return isUnknown(unified) ? unified : grouped(terms, unified);
}

/** Whether all layers need the same number of token slots. @param {Spec[]} specs */
function areOneType(specs) {
  const types = new Set(specs.map((spec) => `${spec.kind === "latent" ? "full" : spec.kind} ${spec.window} ${spec.block}`));
  return types.size === 1 && (specs[0].kind !== "state" || new Set(specs.map((spec) => `${spec.page}`)).size === 1);
}

/**
 * All pages as large as the largest: by more tokens in a block where that fits, else by padding.
 * @param {Terms} terms @param {Specs} specs @returns {Specs | Unknown}
 */
function withEqualPages(terms, specs) {
  const most = largest(specs.of_layers.map(([, spec]) => spec.page));
  /** @type {[number, Spec][]} */
  const changed = [];
  for (const [index, spec] of specs.of_layers) {
    const times = most.over(spec.page);
    if (times.compare(1) === 0) changed.push([index, spec]);
    else if (spec.kind !== "state" && times.whole) changed.push([index, withBlock(spec, spec.block * times.floor())]);
    else if (spec.kind === "latent" || (spec.kind !== "state" && terms.parameter("uneven_pages") !== "pad")) {
      return unknown(["a common page"], "pages of different sizes cannot be made equal: the engine does not start");
    } else changed.push([index, { ...spec, page: most }]);
  }
  return { ...specs, of_layers: changed };
}

/**
 * Groups of equally many layers of one kind: as many as the rarest kind has, or as the commonest where that is little more.
 * @param {Terms} terms @param {Specs} specs @returns {Plan}
 */
function grouped(terms, specs) {
  /** @type {Map<string, {spec: Spec, indexes: number[]}>} */
  const kinds = new Map();
  for (const [index, spec] of specs.of_layers) {
    const key = Object.values(spec).map(String).join(" ");
    const alike = kinds.get(key) ?? { spec, indexes: [] };
    alike.indexes.push(index);
    kinds.set(key, alike);
  }
  const counts = [...kinds.values()].map(({ indexes }) => indexes.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const size = decimal(terms.parameter("group_slack")).times(least).compare(most) > 0 ? most : least;
  const groups = [...kinds.values()].flatMap(({ spec, indexes }) => split(indexes, size).map((members) => ({ spec, members })));
  const widest = Math.max(...groups.flatMap(({ members }) => stages(terms).map((stage) => members.filter((index) => within(stage, index)).length)));
  const page = specs.of_layers[0][1].page;
  return {
    groups: groups.map(({ spec, members }) => [spec, members.length]),
    bytes_per_block: page.times(widest),
    bytes_over_stages: page.times(size),
    block: specs.block,
  };
}

/**
 * Layers in groups of at most `size`, each group with layers from every part of the model.
 * @param {number[]} indexes @param {number} size @returns {number[][]}
 */
function split(indexes, size) {
  const number = Math.ceil(indexes.length / size);
  return Array.from({ length: number }, (_, start) => indexes.filter((_, place) => place % number === start));
}

export const ALGORITHMS = { "vllm-blocks/1": blocks };
