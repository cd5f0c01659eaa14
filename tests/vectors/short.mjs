// tests/vectors/make.py, the way from a line to the script's question and from its answer to what a line holds of it.

/** The question of a line. */
export function askedOf(model, engine, { hardware, gpus, tp, context, cache_dtype, checkpoint, set = [], require = [] }) {
  const settings = Object.fromEntries(set.map((text) => text.split(/=(.*)/s).slice(0, 2)));
  return { model, engine, hardware, gpus, tp, context, cache_dtype, checkpoint, settings, required: require };
}

/** What a line holds of an answer. */
export function short(data, options, isOfConfig = false) {
  const found = Object.fromEntries(["verdict", "grade", "confidence", "missing", "provided"].map((name) => [name, data[name]]));
  for (const state of ["gap", "fails", "unknown"]) found[state] = data.chain.filter((hop) => hop.state === state).map((hop) => hop.hop);
  for (const state of ["hit", "maybe"]) found[state] = data.gotchas.filter((gotcha) => gotcha.state === state).map((gotcha) => gotcha.id);
  const figures = Object.entries(data.memory ?? {}).filter(([name, value]) => ["number", "boolean"].includes(typeof value) && (isOfConfig || !name.startsWith("longest")));
  found.memory = data.memory && Object.fromEntries(figures);
  found.argv = Object.keys(options).length && data.command ? data.command.argv : null;
  found.repairs = data.repairs.map((repair) => repair.changes);
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null && (typeof value !== "object" || Object.keys(value).length)));
}
