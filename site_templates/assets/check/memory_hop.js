// @ts-check
// answer/memory.py, the hop: where hardware and context were given and the figures decide something.
import { sourcesOf } from "./claims.js";
import { hop } from "./hops.js";
import { RAN, decides, servesCheckpoint, sourcesOfSeen } from "./observed.js";
import { formatBytes } from "./units.js";

/** @typedef {import("./types.js").Data} Data */
/** @typedef {import("./types.js").Hop} Hop */
/** @typedef {import("./types.js").Question} Question */
/** @typedef {import("./types.js").Source} Source */
/** @typedef {import("./observed.js").Seen} Seen */
/** @typedef {import("./memory.js").Memory} Memory */

/**
 * The hop; what is too large in itself needs no context, and weights decide nothing on an engine that serves another file than the checkpoint.
 * @param {Memory} found @param {Data} data @param {Question} question @returns {Hop | null}
 */
export function memoryHop(found, data, question) {
  const { hardware, model } = question;
  if (hardware && servesCheckpoint(question.engine) && found.weights_low !== null && found.total !== null && found.weights_low > found.total) {
    const finding = `weights of ${formatBytes(found.weights_low)} a device exceed its ${formatBytes(found.total)}`;
    const cites = [...(model.data.parameters ?? model.data.config).cites, ...hardware.data.cites];
    return hop("memory", "fails", finding, { consequence: "refuses", sources: sourcesOf(data, cites) });
  }
  if (!("max_model_len" in question.given)) return atItsOwnLength(found, data, question);
  if (found.seen && decides(found.seen.kind)) return asSeen(found, found.seen, data);
  const sources = sourcesFor(found, data, question);
  if (found.file !== null && found.fits === null) return ofFile(found, found.file, sources);
  if (found.fits === null && (found.cache === null || found.available === null)) return hop("memory", "unknown", found.why.join("; "), { sources });
  const needed = neededWords(found);
  const [low, high] = found.available ?? [null, 0];
  const beside = `is left beside weights of ${formatBytes(found.weights ?? 0)}${found.seen ? ", as a log of this stack says" : ""}`;
  if (found.fits === false) {
    const finding = `the cache needs ${needed} a device and at most ${formatBytes(Math.max(0, high))} ${beside}`;
    return hop("memory", "fails", finding, { consequence: "refuses", sources });
  }
  if (found.fits === null) {
    const finding = `the cache needs ${needed} a device; at most ${formatBytes(high)} ${beside}, less what the engine takes itself`;
    return hop("memory", "gap", finding, { sources });
  }
  const left = low === high ? formatBytes(high) : `${formatBytes(low ?? 0)} to ${formatBytes(high)}`;
  return hop("memory", "holds", `${left} a device is left for a cache of ${needed}`, { sources });
}

/**
 * Where nobody named a length: whether that of the model is surely too long for what is left beside the weights.
 * @param {Memory} found @param {Data} data @param {Question} question @returns {Hop | null}
 */
function atItsOwnLength(found, data, question) {
  if (found.seen || found.fits !== false || found.cache === null || !found.available) return null;
  const high = Math.max(0, found.available[1]);
  const needed = `the cache of the model's own ${question.context?.toLocaleString("en")} tokens needs ${formatBytes(found.cache)} a device`;
  const finding = `${needed} and at most ${formatBytes(high)} is left beside weights of ${formatBytes(found.weights ?? 0)}`;
  const sources = sourcesOf(data, found.cites.slice(0, 1));
  return high === 0 || found.longest ? hop("memory", "fails", finding, { consequence: "refuses", sources }) : hop("memory", "gap", finding, { sources });
}

/** @param {Memory} found @param {Data} data @param {Question} question */
function sourcesFor(found, data, question) {
  if (found.cache === null && found.bounds !== null) return sourcesOf(data, question.model.data.config.cites.slice(0, 1));
  return found.seen ? sourcesOfSeen(found.seen, data) : sourcesOf(data, found.cites.slice(0, 1));
}

/** What the cache takes; where no policy of the engine is on record, the bounds of every policy. @param {Memory} found */
function neededWords(found) {
  if (found.cache !== null || found.bounds === null) return formatBytes(found.cache ?? 0);
  const [low, high] = found.bounds.map(formatBytes);
  return low === high ? low : `${low} to ${high} (its policy is not on record: what the layers need, or every layer full)`;
}

/** What ran or ran out of memory on this very stack decides, whatever the figures say. @param {Memory} found @param {Seen} seen @param {Data} data */
function asSeen(found, seen, data) {
  const needed = found.cache ? `; the cache needs ${formatBytes(found.cache)} a device` : "";
  const ran = seen.kind === RAN;
  const words = ran ? "it was seen to run" : "it was seen to run out of memory";
  const more = { value: seen.kind, consequence: ran ? null : "refuses", how: seen.how, stale: seen.stale, sources: sourcesOfSeen(seen, data) };
  return hop("memory", ran ? "holds" : "fails", `${words}: ${seen.measurement.name}${needed}`, more);
}

/**
 * Where nobody named the file of weights: how large it may be beside the cache.
 * @param {Memory} found @param {number} room @param {Source[]} sources
 */
function ofFile(found, room, sources) {
  const needed = neededWords(found);
  if (room <= 0 && found.cache === null) return hop("memory", "unknown", found.why.join("; "), { sources });
  if (room <= 0) {
    const finding = `the cache alone needs ${needed}, and a device has ${formatBytes(found.total ?? 0)}`;
    return hop("memory", "fails", finding, { consequence: "refuses", sources });
  }
  return hop("memory", "gap", `the cache needs ${needed}, which leaves room for a weights file of about ${formatBytes(room)} a device`, { sources });
}
