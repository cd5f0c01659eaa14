// @ts-check
// Versions of packages, as answer/diagnose/packages.py: pip freeze, pip list, pip show, and the lines of environment reports.

import { every, match, own, search } from "./patterns.js";

/** @typedef {import("./flags.js").Seen} Seen */
/** @typedef {import("./patterns.js").Pattern} Pattern */
/** @typedef {{known: Record<string, string>, labels: Record<string, string>, frozen: Pattern, installed: Pattern, pinned: Pattern, headed: Pattern, bare: Pattern, row: Pattern, ruled: Pattern, head: Pattern, shown: Pattern, labelled: Pattern}} Packages */

/** @param {string[]} lines @param {import("../paste.js").Data} data @returns {import("./commands.js").Reading} */
export function read(lines, data) {
  const known = data.packages;
  /** @type {Map<string, Seen>} */
  const seen = new Map();
  const taken = new Set();
  let table = false, name = "";
  lines.forEach((line, place) => {
    if (line.length > 400 || !line.trim()) return void (table = false);
    table = (line.includes("Package") && Boolean(match(known.head, line))) || (table && Boolean(match(known.row, line) ?? match(known.ruled, line)));
    let [found, listed] = packageOf(line, table, known);
    const shown = /^(?:Name|Version):/.test(line) ? match(known.shown, line) : null;
    if (shown) {
      found = shown[3] && name ? [name, shown[3]] : null;
      name = shown[2] ?? "";
    }
    const id = found ? own(known.known, normal(found[0])) : undefined;
    if (found && id && !seen.has(`${id} ${found[1]}`)) seen.set(`${id} ${found[1]}`, { kind: "component", name: id, value: found[1], line: place + 1 });
    if (table || listed) taken.add(place + 1);
  });
  lines.forEach((line, place) => {
    const headed = line.startsWith("#") && line.length < 200 ? match(known.headed, line) : null, id = headed ? own(known.known, normal(headed[1])) : undefined;
    const below = id ? lines.slice(place + 1, place + 4).findIndex((each) => each.trim()) : -1;
    const version = below < 0 ? null : match(known.bare, lines[place + 1 + below]);
    if (id && version && !seen.has(`${id} ${version[1]}`)) seen.set(`${id} ${version[1]}`, { kind: "component", name: id, value: version[1], line: place + 2 + below });
  });
  lines.forEach((line, place) => {
    if (line.length >= 2000 || !line.includes("==") || taken.has(place + 1) || !search(known.installed, line)) return;
    for (const [, name, version] of every(known.pinned, line)) {
      const id = own(known.known, normal(name));
      if (id && !seen.has(`${id} ${version}`)) seen.set(`${id} ${version}`, { kind: "component", name: id, value: version, line: place + 1 });
    }
  });
  return { seen: [...seen.values()], taken };
}

/** The package and version of a line, and whether the line is one of a list of packages. @param {string} line @param {boolean} table @param {Packages} known @returns {[[string, string] | null, boolean]} */
function packageOf(line, table, known) {
  const frozen = line.includes("==") ? match(known.frozen, line) : null;
  if (frozen) return [[frozen[1], frozen[2]], true];
  const labelled = /[:\uff1a]/.test(line) ? match(known.labelled, line) : null;
  if (labelled && Object.hasOwn(known.labels, normal(labelled[1]))) return [[known.labels[normal(labelled[1])], labelled[2]], true];
  if (table || line.trimStart().startsWith("[") || Object.hasOwn(known.known, normal(line.trim().split(/\s+/)[0]))) {
    const row = match(known.row, line);
    return row ? [[row[1], row[2]], true] : [null, false];
  }
  return [null, false];
}

/** A package's name as package indexes compare it. @param {string} name */
function normal(name) {
  return name.trim().replace(/[\s_.-]+/g, "-").toLowerCase();
}
