// Asks the page's script every question of foreign.jsonl about the configs of configs.jsonl, and prints the lines whose answer differs.
//   node tests/vectors/run_foreign.mjs SITE
// SITE is a folder that holds api/v1/check/.

import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { isDeepStrictEqual } from "node:util";

import { readJson } from "../../site_templates/assets/check/derive/json.js";
import { ask } from "../../site_templates/assets/check/reply.js";
import { configsOf } from "./derived.mjs";
import { askedOf, short } from "./short.mjs";

const files = new Map();

function file(path) {
  if (!files.has(path)) files.set(path, readFile(`${argv[2]}/api/v1/${path}`, "utf-8").then(JSON.parse));
  return files.get(path);
}

const read = (name) => readFile(new URL(name, import.meta.url), "utf-8");
const text = await read("configs.jsonl"), lines = (await read("foreign.jsonl")).trim().split("\n").map((line) => JSON.parse(line));
const names = text.trim().split("\n").map((line) => JSON.parse(line)).map(({ of, config }) => config && of);
const configs = new Map(configsOf(text, readJson).map((values, index) => [names[index], { name: "config.json", values }]));
let wrong = 0;
for (const { ask: [name, engine, options], answer } of lines) {
  const found = await ask({ ...askedOf("config.json", engine, options), config: configs.get(name) }, file).then((reply) => short(reply, options, true), (error) => ({ error: error.stack }));
  const differs = [...new Set([...Object.keys(answer), ...Object.keys(found)])].filter((part) => !isDeepStrictEqual(answer[part], found[part]));
  if (!differs.length) continue;
  wrong += 1;
  console.log(name, engine, JSON.stringify(options));
  for (const part of differs) console.log(`  ${part}: ${JSON.stringify(answer[part])} but ${part === "error" ? found[part] : JSON.stringify(found[part])}`);
}
console.log(`${lines.length - wrong} of ${lines.length} answers agree`);
exit(wrong ? 1 : 0);
