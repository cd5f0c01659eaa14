// @ts-check
// infercompat/allocate/vllm_layers.py: what each layer asks of vLLM's block pool on one rank: bytes of a token, tokens of a block, bytes of a page.
import { ZERO, exact, largest, ratio } from "../fraction.js";
import { isUnknown, keepsState, unknown } from "../layers.js";
import { divides, elementBytes, headsOnRank, isOneOf, stateElements, whole } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./terms.js").Terms} Terms */

/**
 * One layer's cache. Layers of one group agree in kind, window and `shape`; a state has a page, and no bytes for a token.
 * @typedef {{kind: string, token_bytes: Fraction, block: number, page: Fraction, window: number, shape: number[], positions: number}} Spec
 */
/** The specs with the index of their layer in the model. @typedef {{of_layers: [number, Spec][], block: number}} Specs */

/** Bytes an element of types that keep an fp32 scale for each K and V of a head. @type {Record<string, Fraction>} */
const PER_TOKEN_HEAD = { int8_per_token_head: exact(1), fp8_per_token_head: exact(1), int4_per_token_head: ratio(1, 2) };
const NVFP4 = ratio(9, 16);
/** Bytes a token where a latent of 512 + 64 is packed with its scales. @type {Record<string, number>} */
const PACKED_LATENT = { fp8_ds_mla: 656, nvfp4_ds_mla: 352 };
/** @type {Record<string, string>} */
const FULL_KINDS = { full: "full", "recurrent+full": "full", latent: "latent", indexed: "latent" };

/** Bytes an element of index keys beside heads, by what is asked for. @type {Record<string, number>} */
const INDEX_TYPES = { auto: 2, bf16: 2, fp8: 1, fp8_e4m3: 1 };

/** Whether layers keep index keys beside the heads of grouped-query attention. @param {Layer[]} layers */
function indexesHeads(layers) {
  return layers.some((layer) => layer.index_width && !layer.latent_width);
}

/**
 * The specs of all layers that own a cache. A layer can have two: attention and state, or a latent and its index key.
 * @param {Terms} terms @returns {Specs | Unknown}
 */
export function readSpecs(terms) {
  const problem = refusal(terms);
  if (problem) return problem;
  let block = Math.trunc(terms.fact("block_size") || terms.parameter("block_size"));
  if (indexesHeads(terms.layers)) block = Math.trunc(terms.given("block_size") || terms.parameter("index_beside_heads"));
  /** @type {[number, Spec][]} */
  let attending = terms.layers.flatMap((layer, index) => attention(terms, layer, block).map((spec) => /** @type {[number, Spec]} */ ([index, spec])));
  for (const layer of draftLayers(terms)) for (const spec of attention(terms, layer, block)) attending.push([terms.layers.length - 1, spec]);
  const states = terms.layers.map((layer, index) => ({ index, size: state(terms, layer) })).filter(({ size }) => size.compare(0) > 0);
  if (states.length && attending.length) {
    const page = largest(states.map(({ size }) => size));
    const widest = largest(attending.map(([, spec]) => spec.token_bytes));
    const step = alignment(terms, block);
    if (isUnknown(step)) return step;
    const aligned = step * page.over(widest.times(step)).ceil();
    if (aligned > block) {
      block = aligned;
      attending = attending.map(([index, spec]) => [index, withBlock(spec, aligned)]);
    }
  }
  const pages = attending.map(([, spec]) => spec.page);
  /** @type {[number, Spec][]} */
  const padded = states.map(({ index, size }) => [index, { ...bare("state", ZERO, block), page: largest([size, ...pages]) }]);
  return { of_layers: [...attending, ...padded].sort(([one], [other]) => one - other), block };
}

/** @param {Spec} spec @param {number} block @returns {Spec} */
export function withBlock(spec, block) {
  return { ...spec, block, page: spec.token_bytes.times(block) };
}

/**
 * The layers of a multi-token prediction head, like those that attend; none where these differ, since the head's kind then follows its code.
 * @param {Terms} terms @returns {Layer[]}
 */
function draftLayers(terms) {
  const attending = terms.layers.filter((layer) => layer.attends && !layer.shares);
  const drafts = terms.fact("speculation.method") === "mtp" && terms.speculativeTokens;
  const count = drafts ? whole(terms.fact("model.draft_layers")) : null;
  const shapes = attending.map((layer) => [layer.kind, layer.window, layer.kv_heads, layer.k_width, layer.v_width, layer.latent_width].join());
  return count && new Set(shapes).size === 1 ? Array(count).fill(attending[attending.length - 1]) : [];
}

/** Ranks that share the tokens of each request among them. @param {Terms} terms */
export function contextRanks(terms) {
  return Math.max(1, Math.trunc(terms.fact("setting.decode_context_parallel_size") || 1));
}

/** What keeps the layers from being worked out. @param {Terms} terms @returns {Unknown | null} */
function refusal(terms) {
  const ranks = terms.ranks("tensor_parallel");
  const layers = [...terms.layers, ...draftLayers(terms)];
  if (layers.some((layer) => layer.kind === "cross")) {
    return unknown(["an engine that serves these layers"], "layers that attend to an image alone are not served since 0.10.2");
  }
  if (layers.some((layer) => layer.cross_tokens) && !terms.parameters.cross_attention) {
    return unknown(["a rule for cross-attention"], "how this version counts cross-attention was not read");
  }
  if (indexesHeads(layers)) {
    if (!("index_beside_heads" in terms.parameters)) {
      return unknown(["a rule for this index"], "how this version keeps index keys beside grouped-query attention was not read");
    }
    if (`${terms.fact("hardware.class") ?? ""}`.startsWith("gfx")) {
      return unknown(["a rule for this index"], "the heads of layers with index keys are kept apart on such a device, which is not worked out");
    }
    const named = terms.fact("setting.indexer_kv_dtype") ?? "auto";
    if (!(named in INDEX_TYPES)) return unknown(["setting.indexer_kv_dtype"], `the size of index keys of ${named} is not known`);
  }
  if (!layers.every((layer) => divides(layer.latent_width ? 0 : layer.kv_heads, ranks))) {
    return unknown(["tensor_parallel"], `the KV heads cannot be spread evenly over ${ranks} ranks`);
  }
  if (ranks > 1 && "mamba2" in terms.request.derived.requirements) {
    return unknown(["the number of Mamba-2 groups"], "groups of Mamba-2 that do not divide by the ranks are kept by several");
  }
  if (layers.some(keepsState) && terms.speculativeTokens && !whole(terms.fact("model.conv_kernel"))) {
    return unknown(["model.conv_kernel"], "convolutions keep a column more for each drafted token, and the kernel's length is not known");
  }
  if (contextRanks(terms) > 1 && layers.some((layer) => layer.window || keepsState(layer) || layer.index_width)) {
    return unknown(["a rule for shared contexts"], "how windows, states and index keys are kept where ranks share a context is not worked out");
  }
  if (cacheWidth(terms, layers) === null) {
    return unknown(["cache.dtype"], `the size of a cache of ${terms.fact("cache.dtype") ?? "None"} is not known for these layers`);
  }
  return null;
}

/**
 * Bytes of an element, and bytes of scales for a head of a token; null for a type that these layers cannot have.
 * @param {Terms} terms @param {Layer[]} layers @returns {[Fraction, number] | null}
 */
function cacheWidth(terms, layers) {
  const dtype = terms.fact("cache.dtype") || "auto";
  if (dtype in PER_TOKEN_HEAD) return [PER_TOKEN_HEAD[dtype], 8];
  if (dtype in PACKED_LATENT) return layers.every((layer) => [0, 576].includes(layer.latent_width)) ? [exact(1), 0] : null;
  if (["nvfp4", "nvfp4_4over6"].includes(dtype)) return layers.some((layer) => layer.latent_width) ? null : [NVFP4, 0];
  // Sparse backends serve fp8 by the packed layout or as plain elements, so the type alone does not tell.
  if (dtype.startsWith("fp8") && layers.some((layer) => layer.kind === "indexed" && layer.latent_width)) return null;
  const size = elementBytes(dtype);
  return size && isOneOf(size, [1, 2, 4]) ? [size, 0] : null;
}

/**
 * What a layer keeps of each token: K and V of its heads on this rank, or a latent, which every rank keeps, and an index key.
 * @param {Terms} terms @param {Layer} layer @param {number} block @returns {Spec[]}
 */
function attention(terms, layer, block) {
  if (!layer.attends || layer.shares) return [];
  const [size, scales] = cacheWidth(terms, [...terms.layers, ...draftLayers(terms)]) ?? [ZERO, 0];
  const specs = [];
  if (layer.latent_width) {
    const packed = PACKED_LATENT[terms.fact("cache.dtype") || ""];
    specs.push(bare("latent", packed ? exact(packed) : size.times(layer.latent_width).plus(scales), block, 0, [layer.latent_width]));
  } else if (layer.kind !== "recurrent") {
    const heads = headsOnRank(layer.kv_heads, terms.ranks("tensor_parallel"));
    const tokenBytes = size.times(layer.k_width + layer.v_width).plus(scales).times(heads);
    const shape = [heads, layer.k_width, layer.v_width];
    specs.push(bare(FULL_KINDS[layer.kind] ?? layer.kind, tokenBytes, block, layer.window, shape));
    if (layer.cross_tokens) specs.push({ ...bare("cross", tokenBytes, block, 0, shape), positions: layer.cross_tokens });
  }
  // An index key beside a latent is fp8 with an fp32 scale for 128 elements, whatever the cache's type.
  const index = layer.index_width;
  const beside = index * (INDEX_TYPES[terms.fact("setting.indexer_kv_dtype") ?? "auto"] ?? 0);
  if (index) specs.push(bare("latent", exact(layer.latent_width ? index + 4 * Math.floor(index / 128) : beside), block, 0, [index, 1]));
  return specs;
}

/** @param {string} kind @param {Fraction} tokenBytes @param {number} block @param {number} window @param {number[]} shape @returns {Spec} */
export function bare(kind, tokenBytes, block, window = 0, shape = []) {
  return { kind, token_bytes: tokenBytes, block, page: tokenBytes.times(block), window, shape, positions: 0 };
}

/**
 * Bytes of one recurrent state: its own type where the config or the code has one, else that of the model, as convolutions have.
 * @param {Terms} terms @param {Layer} layer
 */
function state(terms, layer) {
  const elements = stateElements(layer, terms.ranks("tensor_parallel"), terms.speculativeTokens, whole(terms.fact("model.conv_kernel")));
  const [convolution, recurrent] = elements ?? [ZERO, ZERO];
  const asked = terms.fact("setting.mamba_ssm_cache_dtype");
  return convolution.times(2).plus(recurrent.times(elementBytes([null, "auto"].includes(asked) ? layer.state_dtype : asked) ?? 0));
}

/** Tokens that an attention block beside states is a multiple of. @param {Terms} terms @param {number} block @returns {number | Unknown} */
function alignment(terms, block) {
  let least = block;
  if (terms.layers.some((layer) => layer.latent_width)) {
    const aligned = terms.parameters.latent_alignment ?? null;
    if (aligned === null) {
      return unknown(["attention.backend"], "in this version the block of latent attention beside states follows the attention backend");
    }
    least = Math.max(block, aligned);
  }
  if (!cachesStates(terms)) return least;
  const checkpoint = prefillCheckpoint(terms);
  if (checkpoint === null) {
    return unknown(["hardware.class"], "whether prefill leaves checkpoints of the state, on blocks of more tokens, follows its kernels");
  }
  return commonMultiple(least, checkpoint[1]);
}

/** @param {number} one @param {number} other */
function commonMultiple(one, other) {
  return one * Number(ratio(other, one).top);
}

/**
 * Whether prefixes are cached beside recurrent states; where nothing is said, as the version does for models that also attend.
 * @param {Terms} terms
 */
export function cachesStates(terms) {
  const given = terms.given("prefix_caching");
  return Boolean(given === null ? terms.parameter("state_prefix_caching") && terms.layers.some((layer) => layer.attends) : given);
}

/**
 * State blocks that a prefill may leave as a checkpoint, and the tokens that blocks are then multiples of; null where not known.
 * @param {Terms} terms @returns {[number, number] | null}
 */
export function prefillCheckpoint(terms) {
  const rule = terms.parameter("checkpoints").find((/** @type {any} */ one) => one.requirement in terms.request.derived.requirements);
  if (!rule) return [0, 1];
  const kernel = "setting" in rule ? terms.fact(rule.setting) : null;
  const device = terms.fact("hardware.class");
  const asked = kernel === null ? (rule.hardware ?? []).includes(device) : kernel === rule.kernel;
  if (!("setting" in rule) || asked) return [rule.blocks, rule.alignment];
  return kernel !== null || (rule.not_hardware ?? []).includes(device) ? [0, 1] : null;
}

/**
 * The first layer of each pipeline stage and the one after its last: what is left over goes to the stages before the last, from the back.
 * @param {Terms} terms @returns {[number, number][]}
 */
export function stages(terms) {
  const count = terms.layers.length;
  const ranks = terms.ranks("pipeline_parallel");
  let end = 0;
  return Array.from({ length: ranks }, (_, stage) => {
    const start = end;
    end += Math.floor(count / ranks) + (ranks - 1 - (count % ranks) <= stage && stage < ranks - 1 ? 1 : 0);
    return [start, end];
  });
}

/** @param {[number, number]} stage @param {number} index */
export function within(stage, index) {
  return stage[0] <= index && index < stage[1];
}
