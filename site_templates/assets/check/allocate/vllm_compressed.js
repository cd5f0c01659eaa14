// @ts-check
// infercompat/allocate/vllm_compressed.py: caches of DeepSeek V4, whose windows, compressed rows, index keys and states are packed into one pool.
import { ZERO, exact } from "../fraction.js";
import { unknown } from "../layers.js";
import { roundedUp } from "./terms.js";
import { bare, contextRanks } from "./vllm_layers.js";

/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./terms.js").Terms} Terms */
/** @typedef {import("./vllm.js").Plan} Plan */
/** @typedef {import("./vllm_layers.js").Spec} Spec */
/**
 * What files of the engine fix by number.
 * @typedef {{packing: string, row: number, align: number, block: number, window_block: number,
 *   state_blocks: {ratio: number, tokens: number}[]}} Facts
 */
/** Caches that need the same blocks: the spec of one of them, and the page of each. @typedef {{spec: Spec, pages: number[]}} Bucket */

/** Packings whose pages of windows and states are padded to the next size that rows or index keys have. */
const PADDED = ["tuples", "slots"];
const TYPES = ["auto", "bf16", "bfloat16", "fp8", "fp8_e4m3", "fp8_ds_mla"];

/** @param {Terms} terms */
export function isCompressed(terms) {
  return terms.layers.some((layer) => layer.compress_ratio);
}

/** The groups of a model with compressed layers. @param {Terms} terms @returns {Plan | Unknown} */
export function planCompressed(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  /** @type {Facts} */
  const facts = terms.parameters.compressed;
  const { packing } = facts;
  const natural = buckets(terms, facts);
  const sizes = [...new Set(natural[1].pages)].sort((one, other) => one - other);
  const tuples = packing !== "widest-group";
  const repeats = repeatsOf(natural.map(({ pages }) => pages), tuples);
  const padded = (/** @type {number} */ page) => sizes.find((size) => size >= page) ?? page;
  const all = PADDED.includes(packing) ? natural.map(({ spec, pages }) => ({ spec, pages: pages.map(padded) })) : natural;
  const groups = all.flatMap(({ spec, pages }) => {
    const number = repeats && isBalanced(pages) ? Math.ceil(Math.max(...counted(pages).values()) / repeats) : 1;
    const bySize = [...counted(pages.toSorted((one, other) => one - other))].map(([page, count]) => Array(count).fill(page));
    const every = (/** @type {number} */ start) => bySize.flatMap((same) => same.filter((_, place) => place % number === start));
    return Array.from({ length: number }, (_, start) => ({ spec, pages: every(start) }));
  });
  const most = (/** @type {number} */ size) => Math.max(...groups.map(({ pages }) => counted(pages).get(size) ?? 0));
  const checked = exact(total(sizes) * Math.max(...groups.map(({ pages }) => Math.max(...counted(pages).values()))));
  const slots = total(sizes.map((size) => size * most(size)));
  const widest = Math.max(...groups.map(({ pages }) => total(pages)));
  const block = packing === "tuples" ? checked : exact(packing === "slots" ? slots : widest);
  return {
    groups: groups.map(({ spec, pages }) => [spec, pages.length]),
    bytes_per_block: block,
    bytes_over_stages: block,
    block: facts.block,
    checked: tuples ? checked : null,
    shares: PADDED.includes(packing) ? groups.map(({ pages }) => exact(total(pages)).over(total(all[1].pages))) : [],
  };
}

/** @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  if (!("compressed" in terms.parameters)) {
    return unknown(["a grouping for compressed layers"], "how this version packs layers that compress several tokens into one was not read");
  }
  const dtype = terms.fact("cache.dtype") || "auto";
  if (!TYPES.includes(dtype)) return unknown(["cache.dtype"], `rows are packed in fp8, and ${dtype} is refused`);
  if (String(terms.fact("attention.backend") || "").toLowerCase().includes("flashinfer")) {
    return unknown(["attention.backend"], "FlashInfer keeps rows unpacked on some devices, in pages that are not worked out");
  }
  if (terms.fact("setting.disable_hybrid_kv_cache_manager") || contextRanks(terms) > 1) {
    return unknown(["a grouping for these layers"], "compressed layers without the hybrid manager, or over shared contexts, are not worked out");
  }
  if (terms.ranks("pipeline_parallel") > 1 || terms.speculativeTokens) {
    return unknown(["a grouping for these stages"], "compressed layers over pipeline stages, or with a head that drafts, are not worked out");
  }
  if (terms.layers.some((layer) => layer.compress_ratio && !stateBlock(terms.parameters.compressed, layer.compress_ratio))) {
    return unknown(["a rule for this compression"], "blocks of the compressor's states are fixed by number, and not for these layers");
  }
  return null;
}

/**
 * Caches in the order of the layers: windows, compressed rows with index keys, and the states of each kind of compressor.
 * @param {Terms} terms @param {Facts} facts @returns {Bucket[]}
 */
function buckets(terms, facts) {
  const windowed = terms.layers.filter((layer) => layer.window);
  const squeezed = terms.layers.filter((layer) => layer.compress_ratio);
  const ratios = [...new Set(squeezed.map((layer) => layer.compress_ratio))];
  const window = roundedUp(facts.window_block * facts.row, facts.align);
  return [
    { spec: bare("sliding", ZERO, facts.window_block, windowed[0].window), pages: windowed.map(() => window) },
    { spec: bare("latent", ZERO, facts.block), pages: squeezed.flatMap((layer) => rowPages(layer, facts)) },
    ...ratios.map((ratio) => ({
      // One in four: two blocks of tokens overlap, so that the window is twice the ratio.
      spec: bare("sliding", ZERO, stateBlock(facts, ratio), ratio * overlap(ratio)),
      pages: squeezed.filter((layer) => layer.compress_ratio === ratio).flatMap((layer) => statePages(layer, facts)),
    })),
  ];
}

/** @param {Layer} layer @param {Facts} facts @returns {number[]} */
function rowPages(layer, facts) {
  const rows = Math.floor(facts.block / layer.compress_ratio);
  const widths = [facts.row, ...(layer.index_width ? [layer.index_width + 4 * Math.floor(layer.index_width / 128)] : [])];
  return widths.map((width) => roundedUp(rows * width, facts.align));
}

/** Keys and scores in fp32, of the rows and, where there are index keys, of these. @param {Layer} layer @param {Facts} facts @returns {number[]} */
function statePages(layer, facts) {
  const ratio = layer.compress_ratio;
  const rows = stateBlock(facts, ratio) * 2 * overlap(ratio);
  return [layer.latent_width, layer.index_width].filter(Boolean).map((width) => roundedUp(rows * width * 4, facts.align));
}

/** Tokens of a block of a compressor's states; 0 for a ratio that has none. @param {Facts} facts @param {number} ratio */
function stateBlock(facts, ratio) {
  return facts.state_blocks.find((row) => row.ratio === ratio)?.tokens ?? 0;
}

/** @param {number} ratio */
const overlap = (ratio) => (ratio === 4 ? 2 : 1);

/** @param {number[]} pages */
const total = (pages) => pages.reduce((one, other) => one + other, 0);

/** How often each size is there. @param {number[]} pages @returns {Map<number, number>} */
function counted(pages) {
  const counts = new Map();
  for (const page of pages) counts.set(page, (counts.get(page) ?? 0) + 1);
  return counts;
}

/** Whether there are equally many pages of each size. @param {number[]} pages */
const isBalanced = (pages) => new Set(counted(pages).values()).size === 1;

/**
 * Layers of a size in a group, at which groups are padded least; null where nothing of different sizes is balanced. Packing in tuples
 * counts the rows, too, however many of each size there are, and takes no fewer than these.
 * @param {number[][]} all @param {boolean} tuples
 */
function repeatsOf(all, tuples) {
  /** @param {number[]} pages */
  const most = (pages) => Math.max(...counted(pages).values());
  const sizes = all.filter((pages) => tuples || isBalanced(pages)).map(most);
  const mixed = tuples ? [all[1]] : all.filter((pages) => isBalanced(pages) && counted(pages).size > 1);
  const least = Math.max(0, ...mixed.map(most));
  if (!least) return null;
  let best = least;
  /** @param {number} size */
  const padding = (size) => sizes.reduce((sum, count) => sum + ((size - (count % size)) % size), 0);
  for (let size = least; size <= Math.max(...sizes); size++) if (padding(size) <= padding(best)) best = size;
  return best;
}
