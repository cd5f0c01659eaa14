// @ts-check
// A file that is dropped on the page, a config.json or a GGUF file, read as answer/cache.py `of_file` reads it.

import { configOfHeader } from "./derive/gguf/mapping.js";
import { readHeader } from "./derive/gguf/header.js";
import { storedInFile } from "./derive/gguf/placing.js";
import { readJson } from "./derive/json.js";

/** @typedef {import("./derive/weights/stored.js").Stored} Stored */
/** @typedef {import("./types.js").Unknown} Unknown */

/** What a dropped file may be called, so that it is read as one that describes a model. */
export const NAMED = /\.(json|gguf)$/i;
/** Bytes of a file that is read as text; a config has some thousand. */
export const MOST_TEXT = 1 << 24;

/**
 * The config that the file holds or describes, and of a GGUF file its tensors. Of a GGUF file no more than the header is read. Throws an
 * error that says what the file is not.
 * @param {File} given @returns {Promise<{values: Map<string, any>, file: Stored | Unknown | null}>}
 */
export async function readDropped(given) {
  if (await isGguf(given)) {
    const header = await readHeader(given), values = configOfHeader(header);
    if (values instanceof Map) return { values, file: storedInFile(header, values) };
    throw new Error(`${values.reason} (missing: ${values.missing.join(", ")})`);
  }
  if (given.size > MOST_TEXT) throw new Error(`a config has no ${(given.size / (1 << 20)).toFixed(0)} MiB`);
  const values = readJson(await given.text());
  if (!(values instanceof Map)) throw new SyntaxError("a config is a JSON object");
  return { values, file: null };
}

/** By its name, or by the letters that it begins with. @param {File} given */
async function isGguf(given) {
  return /\.gguf$/i.test(given.name) || (await given.slice(0, 4).text()) === "GGUF";
}
