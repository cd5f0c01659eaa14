// @ts-check
// infercompat/weighing.py and derive/weights/{ranks,loaded}.py: bytes of the weights of the fullest rank, of what export/check_memory.py delivers.
import { exact, ratio } from "./fraction.js";
import { isUnknown, unknown } from "./layers.js";

/** @typedef {import("./types.js").Unknown} Unknown */
/** @typedef {import("./types.js").Model} Model */
/** At least, and at most. @typedef {[number, number]} Bounds */
/**
 * How ranks share it, copies, rows of key and value heads, the number of these heads, and the shape.
 * @typedef {[string, number, number, number, number[]]} Tensor
 */
/**
 * Bits, rows and columns of a block, bytes of a scale, bits of a zero point, bytes a matrix, bytes a column.
 * @typedef {[number, number, number, number, number, number, number, number, number]} Format
 */
/** A shape, and its formats at its lightest and at its heaviest; -1 for none. @typedef {[number, number, number]} Triple */
/**
 * Bytes of the decoder and of what is beside it, and its tensors, as export/check_memory.py says.
 * @typedef {object} LaidOut
 * @property {Bounds} decoder
 * @property {Bounds} actual
 * @property {Bounds} tower
 * @property {Bounds} drafting
 * @property {Bounds} other
 * @property {number} expanded
 * @property {number} tables
 * @property {Bounds} copied
 * @property {number} copied_heads
 * @property {number} rest
 * @property {number | null} tower_heads
 * @property {boolean} tied
 * @property {Triple[][]} kinds
 * @property {number[]} layers
 * @property {Record<string, Triple[]>} outside
 */
/** @typedef {LaidOut | {even: Bounds} | {missing: string[], reason: string}} Layout */
/** @typedef {{facts: Record<string, number | string>, shapes: Tensor[], formats: Format[], checkpoints: Layout[], words: Record<string, Layout>}} Delivered */

/**
 * How many ranks share each layer, the layers and the experts, and what an engine pads or leaves out, as derive/weights/ranks.py has it.
 * @typedef {object} Split
 * @property {number} tensor
 * @property {number} pipeline
 * @property {number} expert
 * @property {number} vocabularyStep
 * @property {[number, number]} expertStep
 * @property {boolean} byLayer
 * @property {boolean} drafts
 * @property {boolean} towerWhole
 * @property {boolean} textOnly
 * @property {boolean} expandsLatent
 * @property {boolean} keepsTables
 */

export const BY_LAYER = ["ik-llama.cpp", "llama.cpp", "ollama", "ollama-gguf"];
const PADDING = ["vllm", "sglang"];
const TABLES = ["vllm"];
const VOCABULARY_STEP = 64;
/** What MXFP4 experts are rounded up to by the kernels that run them: inner width and model width. @type {Record<string, [number, number]>} */
const EXPERT_STEPS = { marlin: [128, 256], triton: [64, 1], trtllm: [128, 256] };
/** The kernels that hardware leads to; on sm90 it hangs on whether Triton's are installed. @type {Record<string, string>} */
const KERNELS = { sm100: "trtllm", sm103: "trtllm", sm80: "marlin", sm86: "marlin", sm89: "marlin", sm120: "marlin", sm121: "marlin" };

/**
 * The checkpoint of a hub id, or of a hub id and GGUF file type as in publisher/name:Q4_K_M; the first where none is named.
 * @param {any[]} listed @param {string | null} name
 */
function placeOf(listed, name) {
  if (name === null) return listed.length ? 0 : -1;
  const [hub, ...type] = name.toLowerCase().split(":");
  const wanted = type.join(":");
  const exact = listed.findIndex((entry) => entry.hub.toLowerCase() === name.toLowerCase()); // the name of a file may have a colon
  if (exact >= 0) return exact;
  return listed.findIndex((entry) => entry.hub.toLowerCase() === hub && (!wanted || (entry.type ?? "").toLowerCase() === wanted));
}

/**
 * Bytes of the weights of the fullest rank, at least and at most.
 * @param {Model & {memory: Delivered}} model @param {Split} split @param {string | null} checkpoint @param {string | null} word
 * @returns {Bounds | Unknown}
 */
export function rankWeights(model, split, checkpoint, word) {
  const listed = model.data.checkpoints;
  const place = placeOf(listed, checkpoint);
  if (checkpoint !== null && place < 0 && word === null) return unknown(["the checkpoint's format"], `the record does not list ${checkpoint}`);
  const own = place >= 0 && (word === null || word === listed[place].format);
  const layout = own ? model.memory.checkpoints[place] : model.memory.words[word ?? ""];
  if ("reason" in layout) return unknown(layout.missing, layout.reason);
  const ranks = split.tensor * split.pipeline;
  if ("even" in layout) return [Math.floor(layout.even[0] / ranks), Math.floor(layout.even[1] / ranks)];
  return onFullest(layout, model.memory, split);
}

/** How an engine cuts weights with such settings. @param {string} engine @param {Record<string, any>} facts @returns {Split} */
export function splitOf(engine, facts) {
  /** @param {string} name */
  const ranks = (name) => (Number.isInteger(facts[name]) && facts[name] > 0 ? facts[name] : 1);
  const [tensor, pipeline] = [ranks("tensor_parallel"), ranks("pipeline_parallel")];
  const pads = PADDING.includes(engine);
  const byLayer = BY_LAYER.includes(engine);
  const kernels = facts["setting.moe_backend"] || KERNELS[facts["hardware.class"]];
  return {
    tensor: byLayer ? tensor * pipeline : tensor,
    pipeline: byLayer ? 1 : pipeline,
    expert: byLayer ? 1 : Math.min(ranks("expert_parallel"), 2 ** 16),
    vocabularyStep: pads ? VOCABULARY_STEP : 1,
    expertStep: (pads && facts["weights.format"] === "mxfp4" && EXPERT_STEPS[String(kernels)]) || [1, 1],
    byLayer,
    drafts: !byLayer && (facts["speculation.draft_kind"] === "head" || String(facts["speculation.method"]).toLowerCase().includes("mtp")),
    towerWhole: !byLayer && facts["setting.mm_encoder_tp_mode"] === "data",
    textOnly: !byLayer && facts["setting.language_model_only"] === true,
    expandsLatent: pads,
    keepsTables: TABLES.includes(engine),
  };
}

/** @param {LaidOut} layout @param {Delivered} delivered @param {Split} split @returns {Bounds} */
function onFullest(layout, delivered, split) {
  const rank = fullest(layout, delivered, split);
  const expanded = split.expandsLatent ? Math.floor(layout.expanded / (split.tensor * split.pipeline)) : 0;
  const [light, heavy] = layout.drafting;
  const drafting = split.drafts ? [Math.floor(light / split.tensor), light ? Math.ceil(heavy / split.tensor) : heavy] : [0, 0];
  const tower = ofTower(layout, split);
  const heads = Math.min(split.tensor, layout.copied_heads);
  const copied = [Math.floor(Math.floor(layout.copied[0] / heads) / split.pipeline), Math.ceil(layout.copied[1] / heads)];
  const kept = split.keepsTables ? copied.map((size) => layout.tables + size) : [0, 0];
  /** @param {0 | 1} end */
  const bytes = (end) => placed(layout.actual[end], layout.decoder, rank) + tower[end] + layout.other[end] + expanded + drafting[end] + kept[end];
  return [bytes(0), bytes(1)];
}

/**
 * The rank's bytes, as far between its bounds as the decoder's actual bytes lie between theirs.
 * @param {number} size @param {Bounds} decoder @param {Bounds} rank
 */
function placed(size, [light, heavy], rank) {
  if (light === heavy || size <= light) return ratio(size, light).times(rank[0]).ceil();
  if (size >= heavy) return ratio(size, heavy).times(rank[1]).ceil();
  return exact(rank[0]).plus(ratio(size - light, heavy - light).times(rank[1] - rank[0])).ceil();
}

/** The tower on a rank: its heads are cut where they can be, else it is whole. @param {LaidOut} layout @param {Split} split @returns {Bounds} */
function ofTower({ tower, tower_heads: heads }, split) {
  if (split.textOnly) return [0, 0];
  if (split.towerWhole || (heads && heads % split.tensor)) return tower;
  return [Math.floor(tower[0] / split.tensor), heads ? Math.ceil(tower[1] / split.tensor) : tower[1]];
}

/**
 * Bytes of the decoder on the rank that holds most of it.
 * @param {LaidOut} layout @param {Delivered} delivered @param {Split} split @returns {Bounds}
 */
function fullest(layout, delivered, split) {
  const count = split.byLayer ? split.tensor : split.pipeline;
  /** @type {Bounds[]} */
  const held = Array.from({ length: count }, () => [0, 0]);
  /** @param {number} stage @param {Bounds} bytes */
  const add = (stage, bytes) => bytes.forEach((size, end) => (held[stage][end] += size));
  const ofKinds = layout.kinds.map((triples) => bytesOf(triples, layout, delivered, split));
  layout.layers.forEach((kind, index) => add(stageOf(index, split, layout.layers.length), ofKinds[kind]));
  for (const [place, triples] of Object.entries(layout.outside)) {
    for (const stage of stagesOf(place, split, layout.tied, count - 1)) add(stage, bytesOf(triples, layout, delivered, split));
  }
  return [Math.max(...held.map(([low]) => low)), Math.max(...held.map(([, high]) => high))];
}

/**
 * The stages that hold what is outside the layers; those of an input that is the output too are the first and the last. llama.cpp leaves
 * embeddings in host memory.
 * @param {string} place @param {Split} split @param {boolean} tied @param {number} last
 */
function stagesOf(place, split, tied, last) {
  if (place === "last") return [last];
  const first = place === "first" || !split.byLayer ? [0] : [];
  return place === "input" && tied && (split.byLayer || last) ? [...first, last] : first;
}

/**
 * llama.cpp cuts layers and output by equal shares; the others give what is left over to stages from the last but one on down.
 * @param {number} layer @param {Split} split @param {number} count
 */
function stageOf(layer, split, count) {
  if (split.byLayer) return Math.floor((layer * split.tensor) / (count + 1));
  const [least, left] = [Math.floor(count / split.pipeline), count % split.pipeline];
  let end = 0;
  for (let stage = 0; stage < split.pipeline; stage++) {
    const behind = split.pipeline - stage;
    end += least + (2 <= behind && behind <= left + 1 ? 1 : 0);
    if (layer < end) return stage;
  }
  return split.pipeline - 1;
}

/** @param {Triple[]} triples @param {LaidOut} layout @param {Delivered} delivered @param {Split} split @returns {Bounds} */
function bytesOf(triples, layout, delivered, split) {
  /** @type {Bounds} */
  const total = [0, 0];
  for (const [index, ...formats] of triples) {
    const held = onRank(delivered.shapes[index], split);
    formats.forEach((format, end) => (total[end] += bytesAt(held, format < 0 ? null : delivered.formats[format], end, layout.rest)));
  }
  return total;
}

/** Bytes of all copies of a tensor, each stored for itself; `rest` is what a number without a format takes. @param {{copies: number, shape: number[]}} tensor @param {Format | null} format @param {number} end @param {number} rest */
export function bytesAt({ copies, shape }, format, end, rest) {
  return copies * (format === null ? shape.reduce((one, other) => one * other, rest) : matrixBytes(format, end, shape));
}

/** Bytes of a matrix in a format, at least (end 0) or at most (end 1). @param {Format} format @param {number} end @param {number[]} shape */
function matrixBytes([bits, high, wide, ...format], end, [rows, columns]) {
  const [zeroBits, columnBytes] = [format[2], format[5]];
  const [scale, once] = [format[end], format[3 + end]];
  const scales = Math.ceil(rows / (high || rows || 1)) * Math.ceil(columns / (wide || columns || 1));
  return Math.ceil((rows * columns * bits) / 8) + Math.ceil((scales * zeroBits) / 8) + columns * columnBytes + scales * scale + once;
}

/** What one rank of a layer holds of a tensor. @param {Tensor} tensor @param {Split} split @returns {{copies: number, shape: number[]}} */
function onRank([cut, copies, kvRows, kvHeads, shape], split) {
  if (split.byLayer || cut === "whole") return { copies, shape };
  const [rows, ...columns] = shape;
  const [inner, outer] = split.expertStep;
  const experts = { ranks: split.expert > 1 ? 1 : split.tensor, copies: Math.ceil(copies / split.expert) };
  switch (cut) {
    case "vocabulary":
      return { copies, shape: [Math.ceil(up(rows, split.vocabularyStep) / split.tensor), ...columns] };
    case "columns":
      return { copies, shape: [rows, Math.ceil(columns[0] / split.tensor)] };
    case "expert columns":
      return { copies: experts.copies, shape: [up(rows, outer), ...columns.map((width) => up(Math.ceil(width / experts.ranks), inner))] };
    case "expert rows":
    case "expert halves": {
      const halves = cut === "expert halves" ? 2 : 1;
      const height = halves * up(Math.ceil(Math.floor(rows / halves) / experts.ranks), inner);
      return { copies: experts.copies, shape: [height, ...columns.map((width) => up(width, outer))] };
    }
    default: {
      // With fewer key and value heads than ranks, each keeps one head.
      const ofHeads = kvHeads ? Math.ceil((kvRows * Math.max(1, Math.ceil(kvHeads / split.tensor))) / kvHeads) : 0;
      return { copies, shape: [Math.ceil((rows - kvRows) / split.tensor) + ofHeads, ...columns] };
    }
  }
}

/** @param {number} width @param {number} step */
function up(width, step) {
  return Math.ceil(width / step) * step;
}
