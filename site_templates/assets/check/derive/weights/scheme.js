// @ts-check
// infercompat/derive/weights/scheme.py: which tensors of a checkpoint are quantized, and how, as quantization_config says in its dialects.

import { clipped, isDict, str, truthy } from "../python.js";
import { FP8_CHANNEL, FP8_TENSOR, MXFP4, MXFP8, NVFP4, awq, fp8, gptq, int8, mlx, packed } from "./formats.js";
import { Names } from "./names.js";
import { PARTS } from "./tensors.js";

/** @typedef {import("./formats.js").Format} Format */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {Map<string, any>} Section */

/** The matrices within the layers, routers aside: what every scheme quantizes unless told otherwise. */
const BLOCKS = ["attention", "mlp", "experts", "shared_experts"];
export const LINEAR = [...BLOCKS, "router", "output"];
const IGNORE_FIELDS = ["ignore", "exclude_modules", "modules_to_not_convert", "ignored_layers"];
const NOTHING = new Names([]);

/** Formats with the modules they are for (null: all), the parts that are quantized at all, and the modules left alone. */
export class Scheme {
  /** @param {[Names | null, Format][]} groups @param {string[]} [parts] @param {Names} [ignored] */
  constructor(groups, parts = BLOCKS, ignored = NOTHING) {
    this.groups = groups;
    this.parts = parts;
    this.ignored = ignored;
  }

  /** The format of a tensor; null if it is left as it was. @param {Tensor} tensor @returns {Format | null} */
  formatOf(tensor) {
    if (tensor.shape.length !== 2 || !this.parts.includes(tensor.part) || this.ignored.has(tensor.name)) return null;
    return this.groups.find(([names]) => names === null || names.has(tensor.name))?.[1] ?? null;
  }

  /** Patterns that could not be read. */
  get unread() {
    return [this.ignored, ...this.groups.map(([names]) => names)].flatMap((names) => names?.unread ?? []);
  }
}

/** The scheme of a quantization_config, or what of it is not worked out. @param {Section} section @returns {Scheme | string} */
export function readScheme(section) {
  const method = section.get("quant_method") ?? null, algorithm = section.get("quant_algo") ?? null;
  const ignored = new Names(IGNORE_FIELDS.flatMap((name) => list(section.get(name))));
  if (method === null && section.has("group_size") && section.has("bits")) return ofMlx(section);
  if (algorithm === "MIXED_PRECISION") return mixed(section, ignored);
  if (isDict(section.get("config_groups"))) return configGroups(section, ignored);
  if (method === "mxfp4") return new Scheme([[null, MXFP4]], ["experts"], ignored);
  if (method === "awq" || method === "gptq") return integers(section, ignored);
  const format = ["fp8", "fbgemm_fp8"].includes(method) ? ofFp8(section) : ofAlgorithm(algorithm, section);
  const named = [method, algorithm].find((word) => typeof word === "string" && word) ?? "its method";
  if (format === null) return `${clipped(named, 40)} is not worked out`;
  // A list that is there and does not name the output matrix has it quantized.
  return new Scheme([[null, format]], ignored.all.length ? [...BLOCKS, "output"] : BLOCKS, ignored);
}

/** @param {Section} section @returns {Format | null} */
function ofFp8(section) {
  if (section.get("quant_method") === "fbgemm_fp8") return FP8_CHANNEL;
  const block = section.get("weight_block_size") ?? null, isStatic = section.get("activation_scheme") === "static";
  if (block === null) return fp8([0, 0], [4, 4], isStatic);
  return isBlock(block) ? fp8([block[0], block[1]], [section.get("scale_fmt") === "ue8m0" ? 1 : 2, 4], isStatic) : null;
}

/** ModelOpt's words. @param {any} algorithm @param {Section} section @returns {Format | null} */
function ofAlgorithm(algorithm, section) {
  const group = size(section.get("group_size"));
  const nvfp4 = [0, 16].includes(group) ? NVFP4 : null;
  const formats = new Map([
    ["FP8", fp8([0, 0], [4, 4], true)],
    ["FP8_PER_CHANNEL_PER_TOKEN", FP8_CHANNEL],
    ["FP8_PB_WO", fp8([128, 128], [2, 4])],
    ["NVFP4", nvfp4],
    ["W4A16_NVFP4", nvfp4],
    ["MXFP8", MXFP8],
  ]);
  return formats.get(algorithm) ?? null;
}

/** @param {Section} section @param {Names} ignored @returns {Scheme | string} */
function integers(section, ignored) {
  const bits = size(section.has("bits") ? section.get("bits") : section.get("w_bit"));
  const group = section.has("group_size") ? section.get("group_size") : section.get("q_group_size");
  if (![2, 3, 4, 8].includes(bits) || !(group === -1 || size(group))) return "its bits and group_size are not those of a known layout";
  if (truthy(section.get("dynamic") ?? null) || truthy(section.get("modules_in_block_to_quantize"))) return "rules for single modules are not worked out";
  const make = section.get("quant_method") === "awq" ? awq : gptq;
  return new Scheme([[null, make(bits, Math.max(group, 0))]], section.get("lm_head") === true ? [...BLOCKS, "output"] : BLOCKS, ignored);
}

/** Every matrix with whole groups, the embedding too; entries by a module's name override. @param {Section} section @returns {Scheme | string} */
function ofMlx(section) {
  const modules = [...section].filter(([name, entry]) => isDict(entry) || (entry === false && name.includes(".")));
  const formats = modules.filter(([, entry]) => entry !== false).map(([name, entry]) => ({ name, format: mlxFormat(section, entry) }));
  const whole = mlxFormat(section, new Map());
  if (whole === null || formats.some(({ format }) => format === null)) return "its bits and group_size are not those of MLX";
  const groups = formats.map(({ name, format }) => /** @type {[Names, Format]} */ ([new Names([name]), format]));
  const ignored = new Names(modules.filter(([, entry]) => entry === false).map(([name]) => name));
  return new Scheme([...groups, [null, whole]], PARTS, ignored);
}

/** @param {Section} section @param {Section} entry @returns {Format | null} */
function mlxFormat(section, entry) {
  const own = (/** @type {string} */ name) => (entry.has(name) ? entry : section).get(name);
  const [bits, group] = [size(own("bits")), size(own("group_size"))];
  const mode = entry.has("mode") || section.has("mode") ? own("mode") : "affine";
  return [2, 3, 4, 5, 6, 8].includes(bits) && [16, 32, 64, 128].includes(group) && typeof mode === "string" ? mlx(bits, group, mode) : null;
}

/** ModelOpt's mixtures name the algorithm of each module that is quantized. @param {Section} section @param {Names} ignored @returns {Scheme | string} */
function mixed(section, ignored) {
  const layers = section.get("quantized_layers");
  /** @type {Map<string, {format: Format, modules: string[]}>} */
  const named = new Map();
  for (const [name, entry] of isDict(layers) ? layers : []) {
    const format = isDict(entry) ? ofAlgorithm(entry.get("quant_algo"), entry) : null;
    if (format === null) return "an algorithm of its quantized_layers is not worked out";
    const key = format.join();
    if (!named.has(key)) named.set(key, { format, modules: [] });
    named.get(key)?.modules.push(name);
  }
  if (!named.size || section.get("quant_method") === "fp8") return "a mixture that does not name the algorithm of every module is not worked out";
  return new Scheme([...named.values()].map(({ format, modules }) => [new Names(modules), format]), LINEAR, ignored);
}

/** Groups of compressed-tensors, which ModelOpt writes as well; the latter never quantizes routers. @param {Section} section @param {Names} ignored @returns {Scheme | string} */
function configGroups(section, ignored) {
  /** @type {[Names | null, Format][]} */
  const groups = [];
  for (const entry of section.get("config_groups").values()) {
    const group = isDict(entry) ? entry : new Map(), weights = group.get("weights");
    const targets = list(group.has("targets") ? group.get("targets") : "Linear");
    const format = isDict(weights) ? ofWeights(weights, group, section) : null;
    if (format === null) return "the weights of one of its config_groups are not worked out";
    groups.push([targets.includes("Linear") ? null : new Names(targets), format]);
  }
  const theirs = section.has("quant_algo") || isDict(section.get("producer"));
  // What is named goes before what is meant by its kind.
  const ordered = [...groups.filter(([names]) => names !== null), ...groups.filter(([names]) => names === null)];
  return new Scheme(ordered, theirs ? [...BLOCKS, "output"] : LINEAR, ignored);
}

/** @param {Section} weights @param {Section} group @param {Section} section @returns {Format | null} */
function ofWeights(weights, group, section) {
  const kind = weights.get("type"), strategy = weights.get("strategy") ?? null, block = weights.get("block_structure");
  const [bits, wide] = [size(weights.get("num_bits")), size(weights.get("group_size"))];
  const word = str([group, section].map((one) => one.get("format")).find((one) => truthy(one)) ?? "");
  if (strategy !== null && typeof strategy !== "string") return null;
  if (kind === "float" && bits === 4) {
    const mx = word.includes("mxfp4") || str(weights.get("scale_dtype") ?? "").includes("uint8");
    return mx && wide === 32 ? MXFP4 : wide === 16 && !mx ? NVFP4 : null;
  }
  if (kind === "float" && bits === 8 && strategy === "block" && isBlock(block)) return fp8([block[0], block[1]], [2, 4]);
  if (kind === "float" && bits === 8 && !wide) {
    const inputs = group.get("input_activations"), isStatic = isDict(inputs) && inputs.get("dynamic") === false;
    if (strategy === "channel") return FP8_CHANNEL;
    return strategy === null ? fp8([0, 0], [4, 4], isStatic) : strategy === "tensor" ? fp8([0, 0], [2, 4], isStatic) : null;
  }
  if (kind === "int" && [2, 3, 4, 8].includes(bits) && word.includes("pack") && (strategy === "group" || strategy === "channel")) {
    return packed(bits, strategy === "group" ? wide : 0, weights.get("symmetric") !== false);
  }
  return kind === "int" && bits === 8 ? (strategy === "channel" ? int8(0) : strategy === "tensor" ? int8(null) : null) : null;
}

/** For a format whose scheme is not known: what it takes at least and at most where it is applied. @type {Map<string, [Format, Format]>} */
export const LIGHTEST_AND_HEAVIEST = new Map([
  ["fp8", [FP8_TENSOR, fp8([128, 128], [4, 4])]],
  ["mxfp4", [MXFP4, MXFP4]],
  ["mxfp8", [MXFP8, MXFP8]],
  ["nvfp4", [NVFP4, NVFP4]],
  ["awq", [awq(4, 0), awq(4, 32)]],
  ["gptq", [awq(4, 0), gptq(4, 32)]],
  ["int8", [int8(null), int8(0)]],
  ["int4", [awq(4, 0), gptq(4, 32)]],
]);

/** @param {any} value @returns {any[]} */
function list(value) {
  return Array.isArray(value) ? value : value === null || value === undefined ? [] : [value];
}

/** @param {any} block @returns {block is [number, number]} */
function isBlock(block) {
  return Array.isArray(block) && block.length === 2 && block.every((side) => size(side) > 0);
}

/** A positive whole number, else 0. @param {any} value @returns {number} */
function size(value) {
  return typeof value === "number" && 0 < value && value < 2 ** 32 ? value : 0;
}
