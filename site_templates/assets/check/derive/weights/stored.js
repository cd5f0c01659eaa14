// @ts-check
// infercompat/derive/weights/stored.py: how a checkpoint's decoder is stored, its tensors and the format of each at its lightest and heaviest.

import { weightFormat } from "../context.js";
import { unknown } from "../layers.js";
import { clipped, isDict, truthy } from "../python.js";
import { tensorsOf } from "./count.js";
import { DTYPE_WORDS, PLAIN } from "./formats.js";
import { LIGHTEST_AND_HEAVIEST, LINEAR, Scheme, readScheme } from "./scheme.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("./tensors.js").Tensor} Tensor */
/** @typedef {import("../../types.js").Unknown} Unknown */
/** What a scheme is asked: the format of a tensor, and those that it has. @typedef {Pick<Scheme, "formatOf" | "groups">} Formats */
/** The tensors with two schemes, the lightest and the heaviest; `rest` is bytes a weight of what they leave alone. @typedef {{tensors: Tensor[], schemes: [Formats, Formats], rest: number}} Stored */

const SECTIONS = ["quantization_config", "quantization", "compression_config"];

/** The config's section on quantization; null where it has none. @param {Config} config @returns {Map<string, any> | null} */
export function sectionOf(config) {
  return SECTIONS.map((name) => config.anywhere(name)).find((found) => isDict(found) && found.size > 0) ?? null;
}

/** The plain format that the config names. @param {Config} config @returns {string | null} */
export function dtypeOf(config) {
  const older = config.anywhere("torch_dtype"), named = truthy(older) ? older : config.anywhere("dtype");
  return typeof named === "string" && Object.hasOwn(DTYPE_WORDS, named) ? DTYPE_WORDS[named] : null;
}

/** The format that the config says itself. @param {Config} config */
export function ownWord(config) {
  return sectionOf(config) ? weightFormat(config) : dtypeOf(config);
}

/**
 * How the decoder is stored in a format of the vocabulary. File types of GGUF are in no question about a config: a file's header has its
 * types. @param {string | null} word @param {Config} config @returns {Stored | Unknown}
 */
export function stored(word, config) {
  const own = ownWord(config);
  if (word !== null && Object.hasOwn(PLAIN, word)) return over(config, [new Scheme([]), new Scheme([])], PLAIN[word]);
  if (word === "gguf") return unknown(["the header of the GGUF file"], "a GGUF file mixes types; its header lists them");
  const section = own === null || own === word || word === null ? sectionOf(config) : null;
  const schemes = schemesOf(word, section);
  if ("missing" in schemes) return schemes;
  const found = over(config, schemes, dtypeOf(config) === "fp32" ? 4 : 2);
  if (section || "missing" in found) return found;
  const heavy = found.tensors.some((tensor) => tensor.part === "experts") ? "experts" : "mlp";
  return { ...found, schemes: [schemes[0], new Scheme(schemes[1].groups, [heavy])] };
}

/** @param {Config} config @param {[Scheme, Scheme]} schemes @param {number} rest @returns {Stored | Unknown} */
function over(config, schemes, rest) {
  const tensors = tensorsOf(config.parts[0]);
  return "missing" in tensors ? tensors : { tensors, schemes, rest };
}

/** One and the same scheme where the config has it. @param {string | null} word @param {Map<string, any> | null} section @returns {[Scheme, Scheme] | Unknown} */
function schemesOf(word, section) {
  if (section) {
    const scheme = readScheme(section);
    if (typeof scheme === "string") return unknown(["quantization_config"], `quantization_config: ${scheme}`);
    return scheme.unread.length ? unknown(scheme.unread, "patterns of quantization_config that could not be read") : [scheme, scheme];
  }
  if (word === null) return unknown(["weight_format", "torch_dtype"], "neither the format nor the config says how weights are stored");
  const found = LIGHTEST_AND_HEAVIEST.get(word);
  if (!found) return unknown(["quantization_config"], `how ${clipped(word, 40)} weights are laid out is not given`);
  return [new Scheme([[null, found[0]]], LINEAR), new Scheme([[null, found[1]]])];
}

/** The fewest bits that a weight beside the decoder may take. @param {Stored} found */
export function narrowestBits({ schemes, rest }) {
  return Math.min(8 * rest, ...schemes[0].groups.map(([, [bits]]) => bits || 8 * rest));
}
