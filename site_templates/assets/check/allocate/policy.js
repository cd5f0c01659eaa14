// @ts-check
// infercompat/allocate/policy.py: which cache policy of an engine applies to a version, and the allocation that follows from it.
import { isUnknown, unknown } from "../layers.js";
import { reach } from "../spans.js";
import { parseVersion } from "../versions.js";
import * as exllamav3 from "./exllamav3.js";
import * as ikllamacpp from "./ikllamacpp.js";
import * as ktransformers from "./ktransformers.js";
import * as llamacpp from "./llamacpp.js";
import * as lmdeploy from "./lmdeploy.js";
import * as mlcllm from "./mlcllm.js";
import * as mlxlm from "./mlxlm.js";
import * as mlxvlm from "./mlxvlm.js";
import * as ollama from "./ollama.js";
import * as ollamamlx from "./ollamamlx.js";
import * as openvino from "./openvino.js";
import * as ortgenai from "./ortgenai.js";
import * as sglang from "./sglang.js";
import * as tensorrtllm from "./tensorrtllm.js";
import { Lacking, MOST_RANKS, Terms, Unfit } from "./terms.js";
import * as tgi from "./tgi.js";
import * as transformers from "./transformers.js";
import * as turbomind from "./turbomind.js";
import * as vllm from "./vllm.js";
import * as vllmplugins from "./vllmplugins.js";

/** @typedef {import("../types.js").Unknown} Unknown */
/** @typedef {import("./allocation.js").Allocation} Allocation */
/** @typedef {import("./terms.js").Request} Request */
/**
 * @typedef {{title: string, algorithm: string, since?: string, until?: string, seen_at: string[], parameters: Record<string, any>,
 *   cites: {id: string, at?: string}[]}} Policy
 */
/**
 * @typedef {{name: string, scheme: string, releases: {version: string, date: string | null}[], settings?: Record<string, any>,
 *   cache_policies?: Policy[]}} Engine
 */

const OF_POOLS = [vllm, vllmplugins, sglang, ktransformers, tensorrtllm, lmdeploy, turbomind, exllamav3, tgi];
const OF_CELLS_AND_ARRAYS = [llamacpp, ikllamacpp, ollama, ollamamlx, mlxlm, mlxvlm, transformers];
const MODULES = [...OF_POOLS, ...OF_CELLS_AND_ARRAYS, mlcllm, ortgenai, openvino];
/** @type {Record<string, (terms: Terms) => Allocation | Unknown>} */
const ALGORITHMS = Object.assign({}, ...MODULES.map((module) => module.ALGORITHMS));

/**
 * What an engine at a version allocates for a request.
 * @param {Engine} engine @param {string} version @param {Request} request @returns {Allocation | Unknown}
 */
export function allocate(engine, version, request) {
  const policy = choose(engine, version);
  if (isUnknown(policy)) return policy;
  const algorithm = ALGORITHMS[policy.algorithm];
  if (!algorithm) return unknown([`the algorithm ${policy.algorithm}`], "this version of the program does not know the policy's algorithm");
  const terms = new Terms(request, engine.settings ?? {}, policy.parameters, policy.algorithm);
  if (terms.ranks("pipeline_parallel") > MOST_RANKS) return unknown(["pipeline_parallel"], `more than ${MOST_RANKS} pipeline stages are not worked out`);
  try {
    return algorithm(terms);
  } catch (error) {
    if (error instanceof Unfit) return unknown([error.fact], error.message);
    if (!(error instanceof Lacking)) throw error;
    return unknown([`the parameter ${error.message}`], `the policy '${policy.title}' lacks the parameter ${error.message}`);
  }
}

/** The policy that holds at a version; the newest that fits wins. @param {Engine} engine @param {string} version @returns {Policy | Unknown} */
export function choose(engine, version) {
  const { name, scheme } = engine;
  if (!parseVersion(scheme, version)) return unknown(["version"], `${version} is no version of ${name}`);
  const reasons = [];
  for (const policy of engine.cache_policies ?? []) {
    const carried = reach(engine, policy, version);
    if (carried === null) continue;
    if (carried.status) return policy;
    reasons.push(carried.reason);
  }
  const why = reasons.length ? `: ${reasons[0]}` : "";
  return unknown(["a cache policy"], `no cache policy of ${name} is known for ${version}${why}`);
}
