// @ts-check
// join/hops.py and answer/attention.py: how statuses and reasons are put into words.

/** @typedef {import("./types.js").Statement} Statement */
/** @typedef {import("./types.js").Reason} Reason */

/** @type {Record<string, string>} */
const PHRASES = {
  native: "implemented by the engine itself",
  fallback: "run through the engine's generic path",
  plugin: "served through a plugin",
  redirected: "handed to the engine's other path",
  rewritten: "loaded as another architecture",
  partial: "supported in part",
  "known-issues": "listed with known issues",
  untested: "listed as untested",
  removed: "no longer supported",
  unsupported: "not supported",
  "not-applicable": "marked not applicable, which decides nothing",
};
const MOST_ALTERNATIVES = 5; // how many values a reason lists; of more, it gives their number

/** A status in words, as the statement has it. @param {string} status @param {Statement} statement */
export function says(status, statement) {
  const { claim } = statement;
  if (status === "unsupported" && claim === null) return "absent from the whole registry";
  if (status === "rewritten" && claim?.loads_as) return `loaded as ${claim.loads_as}`;
  const phrase = PHRASES[status] ?? status;
  return status === "removed" && claim?.last_version ? `${phrase} after ${claim.last_version}` : phrase;
}

/** A finding, and the classes and platforms on which the whole engine lacks what it speaks of. @param {string} finding @param {string[]} places */
export function withExceptions(finding, places) {
  return places.length ? `${finding.replace(/\.$/, "")}; not on ${places.join(" or ")}` : finding;
}

/** A reason in words, turned round where its leaf is false; what is said of a version stands as it is. @param {Reason} reason */
export function said(reason) {
  const text = shortened(reason);
  const ofVersion = reason.fact.endsWith(".version") && reason.text.startsWith(`${reason.fact.slice(0, -".version".length)} `);
  if (reason.kind !== "false" || ofVersion) return text;
  for (const [positive, negative] of [[" is one of ", " is none of "], [" is ", " is not "], [" requires ", " does not require "]]) {
    if (text.includes(positive)) return text.replace(positive, () => negative);
  }
  return `not so: ${text}`;
}

/** A reason's words, with a long row of alternatives counted instead of listed. @param {Reason} reason */
function shortened(reason) {
  const place = reason.text.indexOf(" is ");
  const row = place < 0 ? "" : reason.text.slice(place + " is ".length);
  const count = row.split(" or ").length;
  if (place < 0 || count <= MOST_ALTERNATIVES || reason.text.slice(0, place) !== reason.fact) return reason.text;
  return `${reason.fact} is one of the ${count} that are listed`;
}
