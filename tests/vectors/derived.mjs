// tests/vectors/configs.py, the way from a line to a config and from what is derived of it to what a line holds.

/** The configs of the lines, as `readJson` gives them, each with its changes made. */
export function configsOf(text, readJson) {
  const whole = new Map();
  return text.trim().split("\n").map((line) => {
    const read = readJson(line);
    if (read.has("config")) whole.set(read.get("of"), line);
    const config = readJson(whole.get(read.get("of"))).get("config");
    for (const [path, value] of read.get("set") ?? []) at(config, path, (part, name) => part.set(name, value));
    for (const path of read.get("drop") ?? []) at(config, path, (part, name) => part.delete(name));
    return config;
  });
}

function at(config, path, change) {
  const steps = path.split("."), last = steps.pop();
  change(steps.reduce((part, step) => part.get(step), config), last);
}

const ONE = { tensor: 1, pipeline: 1, expert: 1, vocabularyStep: 1, expertStep: [1, 1], byLayer: false, drafts: false, towerWhole: false, textOnly: false, expandsLatent: false, keepsTables: false };
/** SPLITS of configs.py. */
export const SPLITS = [
  ONE,
  { ...ONE, tensor: 3, byLayer: true },
  { ...ONE, tensor: 4, pipeline: 2, expert: 2, vocabularyStep: 64, expertStep: [128, 256], drafts: true, expandsLatent: true, keepsTables: true },
];

/** What a line holds of the reading of a config in some formats, which the functions of `page` read: derive, memoryOfConfig, rankWeights. */
export function told(config, words, page) {
  const memory = page.memoryOfConfig(config, words), { facts } = memory;
  const of = (word) => SPLITS.map((split) => page.rankWeights({ data: { checkpoints: [] }, memory }, split, null, word || null));
  const weights = Object.fromEntries(words.map((word) => [word, memory.words[word].reason ?? of(word)]));
  return { derived: reading(page.derive(config)), ...(Object.keys(facts).length ? { facts } : {}), weights };
}

/** What a line says beside the config itself. */
export function held({ derived, facts, weights }) {
  return { derived, ...(facts ? { facts } : {}), weights };
}

function reading(derived) {
  if (derived.unknown) return { missing: derived.missing, reason: derived.reason };
  const kinds = new Map(), layers = [];
  for (const layer of derived.layers) {
    const key = JSON.stringify(layer);
    if (!kinds.has(key)) kinds.set(key, { index: kinds.size, layer });
    layers.push(kinds.get(key).index);
  }
  return { ...derived, layer_kinds: [...kinds.values()].map(({ layer }) => layer), layers };
}

/** The same whatever the order of an object's members. */
export function same(one, other) {
  if (typeof one !== "object" || one === null || typeof other !== "object" || other === null) return one === other;
  const names = Object.keys(one);
  return Array.isArray(one) === Array.isArray(other) && names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]));
}
