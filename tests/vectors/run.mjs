// Asks the page's script every question of a file of vectors, and prints the lines whose answer differs.
//   node tests/vectors/run.mjs SITE tests/vectors/defaults.jsonl [fields that are not compared…]
// SITE is a folder that holds api/v1/check/.

import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { isDeepStrictEqual } from "node:util";

import { ask } from "../../site_templates/assets/check/reply.js";
import { askedOf, short } from "./short.mjs";

const [site, vectors, ...skipped] = argv.slice(2);
const files = new Map();

function file(path) {
  if (!files.has(path)) files.set(path, readFile(`${site}/api/v1/${path}`, "utf-8").then(JSON.parse));
  return files.get(path);
}

const lines = (await readFile(vectors, "utf-8")).trim().split("\n").map((line) => JSON.parse(line));
let wrong = 0;
for (const { ask: [model, engine, options], answer } of lines) {
  const found = await ask(askedOf(model, engine, options), file).then((reply) => short(reply, options), (error) => ({ error: error.stack }));
  const differs = [...new Set([...Object.keys(answer), ...Object.keys(found)])].filter((name) => !skipped.includes(name) && !isDeepStrictEqual(answer[name], found[name]));
  if (!differs.length) continue;
  wrong += 1;
  console.log(model, engine, JSON.stringify(options));
  for (const name of differs) console.log(`  ${name}: ${JSON.stringify(answer[name])} but ${name === "error" ? found[name] : JSON.stringify(found[name])}`);
}
console.log(`${lines.length - wrong} of ${lines.length} answers agree`);
exit(wrong ? 1 : 0);
