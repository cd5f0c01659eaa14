// @ts-check
// infercompat/derive/weights/names.py: which modules a quantization_config means; its lists mix names, wildcards and regular expressions.

const PREFIXES = ["", "model.", "language_model.model.", "model.language_model."];
const PREFIX = /^(?:language_model\.|model\.)+/;
const [MOST_REPEATS, LONGEST] = [4, 200];
/** What Python and the browser read alike of a regular expression; the rest is told to be unread. */
const ALIKE = /^(?:\\[dDwWsSbB]|\\[^\w\s]|\[(?:\^(?!\])|(?!\^))(?:\\[dDwWsS]|\\[^\w\s]|[^\]\\[])+\]|\((?:\?[:=!]|(?!\?))|\{\d+(?:,\d*)?\}|[^\\[({}\]])*$/s;

/**
 * A list of module names that knows whether it means a module. A plain name means the module and all below it, or any module that ends in
 * it; so does one with wildcards. "re:" starts a regular expression that matches from the start. What could not be read is in `unread`.
 */
export class Names {
  /** @param {any[]} patterns */
  constructor(patterns) {
    /** @type {string[]} */
    this.unread = [];
    /** @type {Set<string>} */
    this.plain = new Set();
    /** @type {RegExp[]} */
    this.patterns = [];
    this.all = patterns.filter((pattern) => typeof pattern === "string" && pattern);
    for (const pattern of this.all) {
      if (pattern.startsWith("re:")) this.addExpression(pattern.slice(3));
      else if (!/[*?[]/.test(pattern)) this.plain.add(pattern.replace(PREFIX, ""));
    }
    for (const pattern of this.all) if (!pattern.startsWith("re:") && /[*?[]/.test(pattern)) this.addWild(pattern);
  }

  /** @param {string} name */
  has(name) {
    if (!this.all.length) return false;
    const steps = name.split(".");
    const isPlain = steps.some((_, count) => this.plain.has(steps.slice(0, count + 1).join(".")) || this.plain.has(steps.slice(count).join(".")));
    return isPlain || PREFIXES.some((prefix) => this.patterns.some((pattern) => pattern.test(prefix + name)));
  }

  /** @param {string} expression */
  addExpression(expression) {
    const repeats = expression.match(/[*+{]/g)?.length ?? 0;
    const long = repeats > MOST_REPEATS || [...expression].length > LONGEST || /[*+}]\)+[*+{]/.test(expression);
    const read = long || !ALIKE.test(expression) ? null : compiled(`^(?:${expression})`);
    if (read) this.patterns.push(read);
    else this.unread.push(`re:${[...expression].slice(0, 80).join("")}`);
  }

  /** Wildcards also mean what is below the modules that they name. @param {string} pattern */
  addWild(pattern) {
    const letters = [...pattern], short = letters.length <= LONGEST && letters.filter((letter) => letter === "*").length <= MOST_REPEATS;
    const read = short ? compiled(`^${translated(pattern)}(?:\\..*)?$`, "s") : null;
    if (read) this.patterns.push(read);
    else this.unread.push(letters.slice(0, 80).join(""));
  }
}

/** @param {string} expression @param {string} [flags] */
function compiled(expression, flags = "") {
  try {
    return new RegExp(expression, flags);
  } catch {
    return null;
  }
}

/** As fnmatch.translate has it. @param {string} pattern */
function translated(pattern) {
  return pattern.replace(/\[(!?\]?[^\]]*)\]|([^])/g, (_, inside, sign) => {
    if (sign) return sign === "*" ? ".*" : sign === "?" ? "." : sign.replace(/[\\^$.*+?()[\]{}|/-]/, "\\$&");
    const [not, listed] = inside.startsWith("!") ? ["^", inside.slice(1)] : ["", inside];
    return listed ? `[${not}${listed.replace(/[\\[\]^]/g, "\\$&")}]` : ".";
  });
}
