// @ts-check
// infercompat/allocate/turbomind.py: blocks over all layers that attend, drawn from slabs of one region or from one list.
import { exact, ratio, sum } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { allocation, group } from "./allocation.js";
import { divides, headsOnRank, stateElements, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Terms} Terms */
/** How many objects there are of each size. @typedef {Map<number, number>} Objects */

/** The region is cut into pages of so much; a slab of equal objects has a power of two of them, up to so much. */
const [PAGE, LARGEST_SLAB] = [2 ** 25, 2 ** 30];
/** A slab is doubled until its objects fill so much of it. */
const WELL_FILLED = 0.95;
/** The width of a latent that is kept once, as K and V. */
const ONE_HEAD = 576;
const PLAIN = [null, "none", "auto", "bf16", "bfloat16", "fp16", "float16"];
/** @type {Record<string, Fraction>} */
const SCALED = { int8: exact(1), int4: ratio(1, 2) };

/** The slab for objects of so many bytes: what it takes of the region, and how many it has. @param {number} size */
function slabOf(size) {
  let slab = PAGE;
  while (slab < size) slab *= 2;
  while ((Math.floor(slab / size) * size) / slab < WELL_FILLED && slab < LARGEST_SLAB) slab *= 2;
  return { pages: slab / PAGE, objects: Math.floor(slab / size) };
}

/**
 * The figures of one rank for `turbomind-objects/1`: blocks and states have slabs of the same region.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function objects(terms) {
  const states = refusal(terms) ?? statesOf(terms);
  if (isUnknown(states)) return states;
  const known = common(terms, states);
  const { available_bytes: region } = terms.request;
  if (known.bytes_per_block === null || region === null) return known;
  const [length, step] = [terms.maxModelLen, known.block_size ?? 1];
  const alone = fit(region, new Map([[known.bytes_per_block, 1]]));
  const figures = { ...known, blocks: alone, capacity_tokens: states.size ? null : alone * step };
  if (!length) return figures;
  const seats = fit(region, together(new Map([[known.bytes_per_block, Math.ceil(length / step)]]), states));
  return { ...figures, max_concurrency: states.size ? seats : (alone * step) / length };
}

/**
 * The figures of one rank for `turbomind-blocks/1`: one list of blocks, and slots of states for a full batch taken before it.
 * @param {Terms} terms @returns {Allocation | Unknown}
 */
function blocks(terms) {
  const states = refusal(terms) ?? statesOf(terms);
  if (isUnknown(states)) return states;
  const known = common(terms, states);
  const { available_bytes: available } = terms.request;
  if (known.bytes_per_block === null || available === null) return known;
  const slots = whole(terms.fact("max_num_seqs"));
  if (states.size && slots === null) return { ...known, missing: ["max_num_seqs"] };
  const count = Math.floor(Math.max(0, available - (slots ?? 0) * known.state_bytes) / known.bytes_per_block);
  const [length, tokens] = [terms.maxModelLen, count * (known.block_size ?? 1)];
  return { ...known, blocks: count, capacity_tokens: tokens, longest: tokens, max_concurrency: length ? tokens / length : null };
}

/** What is the same in both: a block of all layers, and the states of a sequence. @param {Terms} terms @param {Objects} states */
function common(terms, states) {
  const attending = attendingLayers(terms);
  const step = Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
  const token = sum(attending.map((layer) => tokenBytes(terms, layer)));
  return allocation({
    groups: attending.length ? [group("full", attending.length, token, step)] : [],
    block_size: attending.length ? step : null,
    bytes_per_block: attending.length ? token.times(step).ceil() : null,
    state_bytes: [...states].reduce((total, [size, count]) => total + size * count, 0),
  });
}

/** @param {Terms} terms */
function attendingLayers(terms) {
  return terms.layers.filter((layer) => layer.attends && layer.kind !== "recurrent");
}

/** What keeps the layers from being worked out. @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const ranks = terms.ranks("tensor_parallel");
  const attending = attendingLayers(terms);
  const dtype = terms.fact("cache.dtype");
  if (terms.layers.some((layer) => layer.compress_ratio || ["cross", "indexed"].includes(layer.kind) || layer.cross_tokens || layer.shares)) {
    return unknown(["a rule for these layers"], "TurboMind has no compressed or indexed layers, no cross-attention and no shared caches");
  }
  const latents = attending.filter((layer) => layer.latent_width);
  if (latents.length && !terms.parameter("latent_as_one_head")) {
    return unknown(["a rule for latents"], "how this version keeps a latent was not read");
  }
  if (latents.some((layer) => layer.latent_width !== ONE_HEAD)) {
    return unknown(["a rule for this latent"], `a latent is kept once where it is ${ONE_HEAD} wide; others are not worked out`);
  }
  if (attending.some((layer) => !layer.latent_width && layer.k_width !== layer.v_width)) {
    return unknown(["a common width"], "K and V have one width, and these layers have two");
  }
  if (terms.ranks("pipeline_parallel") > 1) return unknown(["pipeline_parallel"], "there are no pipeline stages");
  if (!attending.every((layer) => divides(layer.latent_width ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (!PLAIN.includes(dtype) && !(dtype in SCALED)) return unknown(["cache.dtype"], `a cache of ${dtype} is refused: there are int8 and int4`);
  return null;
}

/**
 * Bytes of a token in a layer on one rank; a quantized one has a scale and a zero point in the model's type for each head.
 * @param {Terms} terms @param {Layer} layer
 */
function tokenBytes(terms, layer) {
  const scaled = SCALED[terms.fact("cache.dtype")];
  const [size, scales] = scaled ? [scaled, 4] : [exact(2), 0];
  if (layer.latent_width) return size.times(layer.latent_width).plus(scales);
  return size.times(layer.k_width).plus(scales).times(headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel")) * 2);
}

/**
 * Objects that a sequence has for its states: one a layer for the recurrent part, one for the convolutions of all layers.
 * @param {Terms} terms @returns {Objects | Unknown}
 */
function statesOf(terms) {
  const layers = terms.layers.filter(keepsState);
  if (!layers.length) return new Map();
  if (!terms.parameter("states").includes(terms.request.derived.name)) {
    return unknown(["a rule for these states"], "TurboMind keeps the states of Gated DeltaNet only");
  }
  const kernel = whole(terms.fact("model.conv_kernel"));
  const pairs = layers.map((layer) => stateElements(layer, terms.ranks("tensor_parallel"), 1, kernel));
  if (pairs.includes(null)) return unknown(["model.conv_kernel"], "convolutions keep as many columns as the kernel has, and its length is not known");
  const width = terms.fact("setting.fp32_mamba_ssm_dtype") ? 4 : 2;
  /** @type {Objects} */
  let held = new Map();
  for (const pair of pairs) held = together(held, new Map([[(pair?.[1] ?? exact(0)).times(width).floor(), 1]]));
  const convolution = sum(pairs.map((pair) => pair?.[0] ?? 0)).times(2).floor();
  return together(held, new Map([[convolution, 1]]));
}

/** Two sets of objects as one; objects of one size share slabs. @param {Objects} one @param {Objects} other @returns {Objects} */
function together(one, other) {
  return new Map([...one, ...other].map(([size]) => [size, (one.get(size) ?? 0) + (other.get(size) ?? 0)]));
}

/** How many times the objects fit into the region at once, each size in slabs of its own. @param {number} region @param {Objects} needs */
function fit(region, needs) {
  const pages = Math.floor(region / PAGE);
  const slabs = [...needs].map(([size, count]) => ({ ...slabOf(size), count }));
  if (slabs.length === 1) return Math.floor((Math.floor(pages / slabs[0].pages) * slabs[0].objects) / slabs[0].count);
  /** @param {number} times */
  const taken = (times) => slabs.reduce((total, slab) => total + Math.ceil((times * slab.count) / slab.objects) * slab.pages, 0);
  const size = [...needs].reduce((total, [each, count]) => total + each * count, 0);
  let [low, high] = [0, Math.floor(region / Math.max(1, size))];
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2);
    if (taken(middle) <= pages) low = middle;
    else high = middle - 1;
  }
  return low;
}

export const ALGORITHMS = { "turbomind-objects/1": objects, "turbomind-blocks/1": blocks };
