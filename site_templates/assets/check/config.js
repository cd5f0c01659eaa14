// @ts-check
// Which model of the catalog a dropped config.json is that of: the same class, and the same value in every field that decides cache and weights.

/** @typedef {{models: Record<string, Record<string, Record<string, any>>>, deciding: string[]}} Known what export/check_form.py delivers: by class and model, the fields of its config */
/** @typedef {{field: string, yours: any, theirs: any}} Difference undefined stands for a field that is not there */
/** @typedef {{model: string, differs: Difference[]}} Nearest */

/** Every value that is no mapping and not null, by its dotted path; `dtype` is the newer name of `torch_dtype`. @param {Record<string, any>} values @param {string} [prefix] @returns {[string, any][]} */
function flat(values, prefix = "") {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = prefix + (name === "dtype" ? "torch_dtype" : name);
    if (value === null || value === undefined) return [];
    return typeof value === "object" && !Array.isArray(value) ? flat(value, `${path}.`) : [/** @type {[string, any]} */ ([path, value])];
  });
}

/** @param {Record<string, any>} fields of a model's record @param {Map<string, any>} yours @param {Set<string>} deciding @returns {Difference[]} */
function differences(fields, yours, deciding) {
  const theirs = new Map(flat(fields));
  const last = (/** @type {string} */ path) => path.slice(path.lastIndexOf(".") + 1);
  const paths = [...theirs.keys(), ...[...yours.keys()].filter((path) => !theirs.has(path) && deciding.has(last(path)))];
  return paths.filter((path) => JSON.stringify(theirs.get(path)) !== JSON.stringify(yours.get(path))).map((field) => ({ field, yours: yours.get(field), theirs: theirs.get(field) }));
}

/** The models whose config is nearest, the nearest first; none of another class. @param {Record<string, any>} values of the config @param {Known} known @returns {Nearest[]} */
export function nearest(values, known) {
  const yours = new Map(flat(values)), deciding = new Set(known.deciding);
  const named = Array.isArray(values.architectures) ? values.architectures.map(String) : [];
  const classes = Object.entries(known.models).filter(([name, models]) => (named.length ? named.includes(name) : Object.values(models).some((fields) => fields.model_type === values.model_type)));
  const found = classes.flatMap(([, models]) => Object.entries(models).map(([model, fields]) => ({ model, differs: differences(fields, yours, deciding) })));
  return found.sort((one, other) => one.differs.length - other.differs.length);
}
