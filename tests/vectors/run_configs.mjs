// Derives every config of a file of vectors, and prints the lines that come out otherwise.
//   node tests/vectors/run_configs.mjs tests/vectors/configs.jsonl

import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";

import { readJson } from "../../site_templates/assets/check/derive/json.js";
import { derive } from "../../site_templates/assets/check/derive/model.js";
import { memoryOfConfig } from "../../site_templates/assets/check/from_config.js";
import { rankWeights } from "../../site_templates/assets/check/weights.js";
import { configsOf, held, same, told } from "./derived.mjs";

const text = await readFile(argv[2], "utf-8");
const lines = text.trim().split("\n");
let wrong = 0;
configsOf(text, readJson).forEach((config, index) => {
  const line = JSON.parse(lines[index]), { of, set, drop } = line, wanted = held(line);
  let found;
  try {
    found = told(config, Object.keys(line.weights), { derive, memoryOfConfig, rankWeights });
  } catch (error) {
    found = { error: error.stack };
  }
  if (same(found, wanted)) return;
  wrong += 1;
  if (wrong > 20) return;
  console.log(of, JSON.stringify(set ?? {}), JSON.stringify(drop ?? []));
  for (const name of new Set([...Object.keys(wanted), ...Object.keys(found)])) {
    if (!same(found[name], wanted[name])) console.log(`  ${name}: ${JSON.stringify(wanted[name])?.slice(0, 400)} but ${name === "error" ? found[name] : JSON.stringify(found[name])?.slice(0, 400)}`);
  }
});
console.log(`${lines.length - wrong} of ${lines.length} configs agree`);
exit(wrong ? 1 : 0);
