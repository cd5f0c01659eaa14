// @ts-check
// infercompat/derive/model.py: from a config's values to what the model asks for: layers, requirements, context; or what is missing to say so.

import { Config } from "./config.js";
import { imageTokens, mostImageTokens, readContext, weightFormat } from "./context.js";
import { isExact, isUnread, unknown } from "./layers.js";
import { clipped, isDict } from "./python.js";
import { BY_NAME } from "./readers/index.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("../types.js").Known & {defaults_used: string[], notes: string[]}} Known */

/**
 * What a config.json, as readJson gives it, asks for. `architecture` is the class name, for configs that lack both model_type and architectures.
 * Python's integers have no end; what is past 2^53 is unknown here.
 * @param {import("./json.js").Value} values @param {string | null} [architecture] @returns {Known | Unknown}
 */
export function derive(values, architecture = null) {
  if (!isDict(values)) return unknown(["model_type"], "the config is not a mapping");
  const config = new Config(values, architecture);
  const { names } = config;
  const name = names.find((one) => BY_NAME.has(one));
  if (name === undefined) {
    if (!names.length) return unknown(["model_type", "architectures"], "the config does not say which architecture it belongs to");
    return unknown([`a reader for ${clipped(names[0], 80)}`], "this architecture is not worked out");
  }
  const read = /** @type {import("./readers/common.js").Read} */ (BY_NAME.get(name));
  const reading = read(config);
  if (isUnread(reading)) return reading;
  if (!reading.layers.every(isExact)) return unknown(["sizes below 2^53"], "this page does not count numbers as large as the config's");
  const context = readContext(config);
  return {
    name,
    requirements: reading.requirements,
    context,
    weight_format: weightFormat(config),
    image_tokens: imageTokens(config),
    most_image_tokens: mostImageTokens(config),
    layers: reading.layers,
    defaults_used: [...new Set([...reading.defaults_used, ...config.defaults_used])],
    notes: reading.notes,
  };
}
