// @ts-check
// fractions.Fraction of Python: figures are exact inside and rounded once, at the end.

/** @typedef {Fraction | number} Exact a number here is a whole one */

export class Fraction {
  /** @param {bigint} top @param {bigint} bottom above 0 */
  constructor(top, bottom = 1n) {
    const common = divisor(top < 0n ? -top : top, bottom);
    this.top = top / common;
    this.bottom = bottom / common;
  }

  /** @param {Exact} other */
  plus(other) {
    const { top, bottom } = exact(other);
    return new Fraction(this.top * bottom + top * this.bottom, this.bottom * bottom);
  }

  /** @param {Exact} other */
  minus(other) {
    return this.plus(exact(other).times(-1));
  }

  /** @param {Exact} other */
  times(other) {
    const { top, bottom } = exact(other);
    return new Fraction(this.top * top, this.bottom * bottom);
  }

  /** @param {Exact} other */
  over(other) {
    const { top, bottom } = exact(other);
    return top < 0n ? new Fraction(-this.top * bottom, -this.bottom * top) : new Fraction(this.top * bottom, this.bottom * top);
  }

  /** @param {Exact} other @returns {number} below 0, 0 or above 0 */
  compare(other) {
    const { top, bottom } = exact(other);
    const apart = this.top * bottom - top * this.bottom;
    return apart < 0n ? -1 : apart > 0n ? 1 : 0;
  }

  get whole() {
    return this.bottom === 1n;
  }

  floor() {
    const quotient = this.top / this.bottom;
    return Number(this.top % this.bottom < 0n ? quotient - 1n : quotient);
  }

  ceil() {
    return -new Fraction(-this.top, this.bottom).floor() || 0;
  }

  toString() {
    return this.whole ? `${this.top}` : `${this.top}/${this.bottom}`;
  }
}

export const ZERO = new Fraction(0n);

/** @param {bigint} one @param {bigint} other */
function divisor(one, other) {
  while (other) [one, other] = [other, one % other];
  return one;
}

/** @param {Exact} value */
export function exact(value) {
  return value instanceof Fraction ? value : new Fraction(BigInt(value));
}

/** @param {Exact} top @param {Exact} bottom */
export function ratio(top, bottom) {
  return exact(top).over(bottom);
}

/** A decimal number as it is written, such as 0.8. @param {string | number} written */
export function decimal(written) {
  const [, sign, whole, part = "", power = "0"] = /^\s*([-+]?)(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?\s*$/i.exec(String(written)) ?? [];
  if (!whole && !part) throw new Error(`${written} is no number`);
  const shift = Number(power) - part.length;
  const digits = BigInt(`${whole}${part}`) * (sign === "-" ? -1n : 1n);
  return shift < 0 ? new Fraction(digits, 10n ** BigInt(-shift)) : new Fraction(digits * 10n ** BigInt(shift));
}

/** @param {Iterable<Exact>} values */
export function sum(values) {
  let total = ZERO;
  for (const value of values) total = total.plus(value);
  return total;
}

/** @param {Iterable<Exact>} values none gives 0 */
export function largest(values) {
  let most = ZERO;
  for (const value of values) if (exact(value).compare(most) > 0) most = exact(value);
  return most;
}
