// @ts-check
// Secrets that stand on other lines than their names, as answer/diagnose/below.py: below a flag, in a block, beside a name, in a manifest, in a key.

import { match, replaced, search } from "./patterns.js";

/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {"flag_end" | "flag_item" | "between" | "taken" | "lone" | "named" | "valued" | "scalar" | "another" | "block" | "open_end" | "item" | "bare" | "closed" | "kind" | "stored" | "stored_here" | "key_begins" | "key_ends" | "key_line"} Name */
/** @typedef {{hints: string[]} & Record<Name, Pattern>} Below */

const [MOST_LINES, NEAR] = [400, 6];

/** Masks, in place, the secrets whose names stand on one of some lines above or beside them. @param {string[]} lines @param {number[]} places @param {Below} known @param {string} mask */
export function maskBelow(lines, places, known, mask) {
  let stored = -1;
  for (const place of places) {
    const line = lines[place];
    if (search(known.key_begins, line)) key(lines, place, known, mask);
    if (place > stored && search(known.kind, line)) stored = manifest(lines, place, known, mask);
    const flagged = search(known.flag_end, line);
    if (flagged) flag(lines, place, Boolean(flagged.groups?.more || match(known.flag_item, line)), known, mask);
    if (match(known.named, line)) variable(lines, place, known, mask);
    const found = match(known.block, line) ?? (/[[({]$/.test(line) ? match(known.open_end, line) : null);
    if (found) block(lines, place, found, known, mask);
  }
}

/** @param {string[]} lines @param {number} place @param {boolean} sure @param {Below} known @param {string} mask */
function flag(lines, place, sure, known, mask) {
  for (let below = place + 1; below < Math.min(place + NEAR, lines.length); below += 1) {
    if (match(known.between, lines[below])) continue;
    const taken = sure || match(known.lone, lines[below]) ? match(known.taken, lines[below]) : null;
    if (taken) lines[below] = taken[1] + mask + lines[below].slice(taken[0].length);
    return;
  }
}

/** @param {string[]} lines @param {number} place @param {Below} known @param {string} mask */
function variable(lines, place, known, mask) {
  for (let below = place + 1; below < Math.min(place + NEAR, lines.length); below += 1) {
    const found = match(known.valued, lines[below]);
    if (found && match(known.scalar, found[2]) && below + 1 < lines.length) lines[below + 1] = masked(lines[below + 1], known, mask);
    else if (found) lines[below] = `${found[1]}"${mask}"${found[3]}`;
    if (found || match(known.another, lines[below])) break;
  }
  const above = place ? match(known.valued, lines[place - 1]) : null;
  if (above) lines[place - 1] = `${above[1]}"${mask}"${above[3]}`;
}

/** Masks what stands deeper than a line, or up to the bracket that closes one that it opens. @param {string[]} lines @param {number} place @param {RegExpExecArray} found @param {Below} known @param {string} mask */
function block(lines, place, found, known, mask) {
  const { open, brace, item } = found.groups ?? {};
  for (const below of within(lines, place, found[1].length, Boolean(item), open ?? brace, known)) lines[below] = masked(lines[below], known, mask);
}

/** @param {string[]} lines @param {number} place @param {number} indent @param {boolean} isItem @param {string | undefined} opened @param {Below} known @returns {Generator<number>} */
function* within(lines, place, indent, isItem, opened, known) {
  for (let below = place + 1; below < Math.min(place + MOST_LINES, lines.length); below += 1) {
    const line = lines[below], depth = line.length - line.trimStart().length;
    if (opened === '"""' || opened === "'''") {
      yield below;
      if (line.includes(opened)) return;
    } else if (opened) {
      if (match(known.closed, line) && depth <= indent) return;
      yield below;
    } else if (line.trim()) {
      if (depth <= indent && !(depth === indent && !isItem && match(known.flag_item, line))) return;
      yield below;
    }
  }
}

/** @param {string} line @param {Below} known @param {string} mask */
function masked(line, known, mask) {
  const found = match(known.bare, line) || !line.trim() ? null : match(known.item, line);
  return found ? found[1] + found[2] + mask + found[3] : line;
}

/** Masks what the manifest of a secret stores, to its last line; it reaches to the marks between documents. @param {string[]} lines @param {number} place @param {Below} known @param {string} mask */
function manifest(lines, place, known, mask) {
  let first = place, last = place;
  while (first > 0 && place - first < MOST_LINES && !lines[first - 1].startsWith("---")) first -= 1;
  while (last + 1 < lines.length && last - place < MOST_LINES && !lines[last + 1].startsWith("---")) last += 1;
  for (let at = first; at <= last; at += 1) {
    lines[at] = replaced(known.stored_here, lines[at], (found) => `${found[1]}"${mask}"`);
    const found = match(known.stored, lines[at]);
    if (found) block(lines, at, found, known, mask);
  }
  return last;
}

/** @param {string[]} lines @param {number} place @param {Below} known @param {string} mask */
function key(lines, place, known, mask) {
  if (search(known.key_ends, lines[place])) return;
  for (let below = place + 1; below < Math.min(place + MOST_LINES, lines.length); below += 1) {
    const found = match(known.key_line, lines[below]);
    if (!found || search(known.key_ends, lines[below])) return;
    if (lines[below].trim()) lines[below] = found[1] + mask;
  }
}
