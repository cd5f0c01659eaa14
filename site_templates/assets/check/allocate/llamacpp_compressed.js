// @ts-check
// infercompat/allocate/llamacpp_compressed.py: the caches of DeepSeek V4 in llama.cpp, each slot with its own.
import { ratio as over, sum } from "../fraction.js";
import { group } from "./allocation.js";
import { roundedUp } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */

/**
 * The buffers of one slot: `cells` are those of its context, `window` those of the window.
 * @param {Layer[]} layers @param {number} cells @param {number} window @param {number} padding @param {Fraction} element
 */
export function compressedGroups(layers, cells, window, padding, element) {
  const squeezed = layers.filter((layer) => layer.compress_ratio);
  const ratios = [...new Set(squeezed.map((layer) => layer.compress_ratio))].sort((one, other) => one - other);
  const windowed = group("windowed", layers.length, sum(layers.map((layer) => element.times(layer.latent_width))), 1, window);
  const compressed = ratios.map((ratio) => {
    const ofRatio = squeezed.filter((layer) => layer.compress_ratio === ratio);
    const rows = roundedUp(Math.max(1, Math.ceil(cells / ratio)), padding);
    const width = sum(ofRatio.map((layer) => layer.latent_width + layer.index_width));
    return group(`compressed 1:${ratio}`, ofRatio.length, over(width.times(element), ratio), ratio, rows * ratio);
  });
  return [windowed, ...compressed];
}

/**
 * Bytes of the states of one slot: of a ratio of 4 two overlapping blocks of double width, else one block of the ratio's length.
 * @param {Layer[]} layers @param {number} snapshots
 */
export function compressorStates(layers, snapshots) {
  const sizes = layers.map((layer) => {
    const overlap = layer.compress_ratio === 4 ? 2 : 1;
    return 2 * 4 * overlap * overlap * layer.compress_ratio * (layer.latent_width + layer.index_width);
  });
  return sum(sizes).times(1 + snapshots);
}
