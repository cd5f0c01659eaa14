// Reads pastes by the page's script, and prints for each what is left of its text and what it says.
//   node tests/answer/diagnose/run_pastes.mjs FILE
// FILE has `data`, as export/check_paste.py delivers it, and `texts`.

import { readFile } from "node:fs/promises";
import { argv } from "node:process";

import { understand } from "../../../site_templates/assets/check/paste.js";

const { data, texts } = JSON.parse(await readFile(argv[2], "utf-8"));

/** @param {string} text */
function said(text) {
  const found = understand(text, data);
  return {
    text: found.text,
    engine: found.engine?.name ?? null,
    version: found.version?.value ?? null,
    model: found.model?.value ?? null,
    facts: Object.fromEntries(Object.values(found.given).map((one) => [one.name, one.value])),
    hardware: found.hardware.map(({ id, count }) => [id, count]),
    unread: found.unread.map(({ name, value }) => [name, value]),
    notes: found.notes.map(({ value }) => value),
  };
}

console.log(JSON.stringify(texts.map(said)));
