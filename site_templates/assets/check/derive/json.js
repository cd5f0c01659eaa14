// @ts-check
// Python's json.loads: JSON read so that nothing of it is lost that readers tell apart. Its grammar is Python's, with NaN and Infinity.

/** A number that is written with a point or an exponent, which is no whole number whatever its value. */
export class Float {
  /** @param {number} value */
  constructor(value) {
    this.value = value;
  }
}

/**
 * What a JSON text holds: an object as a Map in its order, whole numbers as numbers (as bigint where these are not exact), others as Float.
 * @typedef {null | boolean | string | number | bigint | Float | any[] | Map<string, any>} Value
 */

const DEEPEST = 500; // arrays and objects inside each other
const TOKEN = /[ \t\n\r]*(?:([{}[\],:])|"((?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][+-]?[0-9]+)?|(null|true|false|NaN|-?Infinity))/y;
/** @type {Record<string, Value>} */
const WORDS = { null: null, true: true, false: false, NaN: new Float(NaN), Infinity: new Float(Infinity), "-Infinity": new Float(-Infinity) };

/** @param {string} text @returns {Value} Throws SyntaxError for what is no JSON. */
export function readJson(text) {
  const tokens = new Tokens(text.replace(/^\ufeff/, ""));
  const value = valueOf(tokens, tokens.next(), 0);
  tokens.end();
  return value;
}

class Tokens {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  /** The next token: a sign as a string in `sign`, else a value. @returns {{sign?: string, value?: Value}} */
  next() {
    TOKEN.lastIndex = this.at;
    const found = TOKEN.exec(this.text);
    if (!found) throw this.fault();
    this.at = TOKEN.lastIndex;
    const [whole, sign, , digits, point, exponent, word] = found;
    if (sign) return { sign };
    if (word) return { value: WORDS[word] };
    if (digits === undefined) return { value: /** @type {string} */ (JSON.parse(whole)) };
    if (point !== undefined || exponent !== undefined) return { value: new Float(Number(digits + (point ?? "") + (exponent ?? ""))) };
    const number = Number(digits);
    return { value: Number.isSafeInteger(number) ? number + 0 : BigInt(digits) };
  }

  end() {
    if (this.text.slice(this.at).trim()) throw this.fault();
  }

  fault() {
    const before = this.text.slice(0, this.at).split("\n");
    return new SyntaxError(`${before.length}:${before[before.length - 1].length + 1}: not JSON`);
  }
}

/** @param {Tokens} tokens @param {{sign?: string, value?: Value}} token @param {number} depth @returns {Value} */
function valueOf(tokens, token, depth) {
  if (token.sign === undefined) return /** @type {Value} */ (token.value);
  if (depth > DEEPEST) throw new SyntaxError("nested too deeply");
  if (token.sign === "[") return listOf(tokens, depth);
  if (token.sign === "{") return mappingOf(tokens, depth);
  throw tokens.fault();
}

/** @param {Tokens} tokens @param {number} depth */
function listOf(tokens, depth) {
  /** @type {Value[]} */
  const items = [];
  let token = tokens.next();
  if (token.sign === "]") return items;
  for (;;) {
    items.push(valueOf(tokens, token, depth + 1));
    const { sign } = tokens.next();
    if (sign === "]") return items;
    if (sign !== ",") throw tokens.fault();
    token = tokens.next();
  }
}

/** @param {Tokens} tokens @param {number} depth */
function mappingOf(tokens, depth) {
  /** @type {Map<string, Value>} */
  const found = new Map();
  let token = tokens.next();
  if (token.sign === "}") return found;
  for (;;) {
    if (typeof token.value !== "string" || tokens.next().sign !== ":") throw tokens.fault();
    found.set(token.value, valueOf(tokens, tokens.next(), depth + 1));
    const { sign } = tokens.next();
    if (sign === "}") return found;
    if (sign !== ",") throw tokens.fault();
    token = tokens.next();
  }
}
