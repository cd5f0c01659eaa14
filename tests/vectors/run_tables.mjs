// Decides the rows of tables that tests of the command line hold, by the page's script, and prints the rows that come out otherwise.
//   node tests/vectors/run_tables.mjs FILE
// FILE has `facts`, the registry as export/check.py delivers it, and rows of five kinds: `conditions`, `told`, `named`, `affected` and
// `linears`, of which `config` is the text of a config.json.

import { readFile } from "node:fs/promises";
import { argv, exit } from "node:process";
import { isDeepStrictEqual } from "node:util";

import { affected } from "../../site_templates/assets/check/affected.js";
import { changesNamed, told } from "../../site_templates/assets/check/builds.js";
import { evaluate } from "../../site_templates/assets/check/condition.js";
import { readJson } from "../../site_templates/assets/check/derive/json.js";
import { modelOfConfig } from "../../site_templates/assets/check/from_config.js";
import { Stack } from "../../site_templates/assets/check/stack.js";
import { missing } from "../../site_templates/assets/check/truth.js";

const tables = JSON.parse(await readFile(argv[2], "utf-8"));
for (const [name, fact] of Object.entries(tables.facts)) fact.name = name;

/** A range has null for an open end. */
function value(given) {
  return given?.high === null ? { ...given, high: Infinity } : given;
}

const kinds = {
  conditions({ tree, facts, layers, linears, always }) {
    const derived = layers ? { layers, requirements: {} } : linears ? { layers: [], requirements: {} } : { unknown: true };
    const given = Object.fromEntries(Object.entries(facts).map(([name, one]) => [name, value(one)]));
    const truth = evaluate(tree, new Stack({ facts: {}, derived, linears }, given, { facts: tables.facts }), always);
    return [truth.value, missing(truth)];
  },
  linears: ({ config }) => modelOfConfig({ name: "config.json", values: readJson(config) }, []).linears,
  told: ({ text }) => told(text),
  named: ({ text }) => changesNamed(text),
  affected({ scheme, component, gotcha, version, date, dates, today, changes, repository }) {
    const { truth, stale } = affected(scheme, component, gotcha, version, date, dates, today, 180, changes, repository);
    return [truth.value, stale];
  },
};

let wrong = 0, rows = 0;
for (const [kind, decide] of Object.entries(kinds)) {
  for (const row of tables[kind] ?? []) {
    rows += 1;
    const found = decide(row);
    if (isDeepStrictEqual(found, row.wanted)) continue;
    wrong += 1;
    console.log(kind, JSON.stringify(row), "but", JSON.stringify(found));
  }
}
console.log(`${rows - wrong} of ${rows} rows agree`);
exit(wrong ? 1 : 0);
