// @ts-check
// infercompat/allocate/allocation.py: what an engine allocates, in figures of one rank.
import { sum } from "../fraction.js";
import { roundedUp } from "./terms.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */

/**
 * Layers on one rank that take their cache together. `step` tokens are taken at once, at most `most` tokens are held.
 * @typedef {{kind: string, layers: number, bytes_per_token: Fraction, step: number, most: number | null}} Group
 */

/**
 * Sizes are bytes, lengths tokens; null is a figure that does not follow, and `missing` names the facts that would settle it.
 * `reserved`: what start-up sets aside for one request of the longest length, or allocates at once. `needed_bytes`: what the engine
 * demands before it starts. `longest`: the longest request that the engine says would fit.
 * @typedef {object} Allocation
 * @property {Group[]} groups
 * @property {number | null} block_size
 * @property {number | null} bytes_per_block
 * @property {number} state_bytes
 * @property {number | null} reserved
 * @property {number | null} needed_bytes
 * @property {number | null} blocks
 * @property {number | null} capacity_tokens
 * @property {number | null} max_concurrency
 * @property {number | null} longest
 * @property {number | null} most_requests
 * @property {string[]} missing
 */

/** @param {Partial<Allocation> & {groups: Group[]}} known @returns {Allocation} */
export function allocation(known) {
  const open = { block_size: null, bytes_per_block: null, reserved: null, needed_bytes: null, blocks: null, capacity_tokens: null };
  return { ...open, state_bytes: 0, max_concurrency: null, longest: null, most_requests: null, missing: [], ...known };
}

/** @param {string} kind @param {number} layers @param {Fraction} bytesPerToken @param {number} step @param {number | null} most @returns {Group} */
export function group(kind, layers, bytesPerToken, step = 1, most = null) {
  return { kind, layers, bytes_per_token: bytesPerToken, step, most };
}

/**
 * Layers as [kind, most tokens, bytes of a token], in groups of one kind and length.
 * @param {[string, number | null, Fraction][]} layers @returns {Group[]}
 */
export function gathered(layers, step = 1) {
  /** @type {Map<string, {kind: string, most: number | null, sizes: Fraction[]}>} */
  const held = new Map();
  for (const [kind, most, size] of layers) {
    const key = `${kind} ${most}`;
    const alike = held.get(key) ?? { kind, most, sizes: [] };
    alike.sizes.push(size);
    held.set(key, alike);
  }
  return [...held.values()].map(({ kind, most, sizes }) => group(kind, sizes.length, sum(sizes), step, most));
}

/** Tokens that the cache has room for once a sequence has so many. @param {Group} group @param {number} count */
export function tokensOf(group, count) {
  const taken = roundedUp(count, group.step);
  return group.most === null ? taken : Math.min(taken, group.most);
}

/** Bytes that so many tokens of one sequence hold between steps, at most; states included. @param {Allocation} answer @param {number} tokens */
export function resident(answer, tokens) {
  return answer.state_bytes + sum(answer.groups.map((one) => one.bytes_per_token.times(tokensOf(one, tokens)))).ceil();
}
