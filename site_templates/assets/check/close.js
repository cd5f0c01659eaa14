// @ts-check
// difflib.get_close_matches of Python: the names that come nearest to one that is not there.

/** The closest of the possibilities first. @param {string} word @param {string[]} possibilities @param {number} [count] @param {number} [cutoff] */
export function closeMatches(word, possibilities, count = 3, cutoff = 0.6) {
  const scored = possibilities.map((one) => ({ one, score: ratio(one, word) })).filter(({ score }) => score >= cutoff);
  scored.sort((a, b) => b.score - a.score || (a.one < b.one ? 1 : -1));
  return scored.slice(0, count).map(({ one }) => one);
}

/** Twice the characters in matching blocks over all characters. @param {string} one @param {string} other */
function ratio(one, other) {
  const length = one.length + other.length;
  return length ? (2 * matching(one, other)) / length : 1;
}

/**
 * Characters in the longest common block and, on both sides of it, in those that are left.
 * @param {string} one @param {string} other @returns {number}
 */
function matching(one, other) {
  const { start, at, size } = longest(one, other);
  if (!size) return 0;
  return size + matching(one.slice(0, start), other.slice(0, at)) + matching(one.slice(start + size), other.slice(at + size));
}

/** The longest common block, the first of several. @param {string} one @param {string} other */
function longest(one, other) {
  let best = { start: 0, at: 0, size: 0 };
  let row = new Array(other.length + 1).fill(0);
  for (let i = 0; i < one.length; i += 1) {
    const next = new Array(other.length + 1).fill(0);
    for (let j = 0; j < other.length; j += 1) {
      if (one[i] !== other[j]) continue;
      next[j + 1] = row[j] + 1;
      if (next[j + 1] > best.size) best = { start: i - next[j + 1] + 1, at: j - next[j + 1] + 1, size: next[j + 1] };
    }
    row = next;
  }
  return best;
}
