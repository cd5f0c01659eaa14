// @ts-check
// infercompat/allocate/terms.py and request.py: what an engine is asked to hold, over its defaults, and the parameters of its policy.
import { exact } from "../fraction.js";
import { unknown } from "../layers.js";
import { ELEMENT_BYTES } from "../units.js";

/** @typedef {import("../fraction.js").Fraction} Fraction */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("../types.js").Known} Derived */

/**
 * `facts` are those that somebody stated; `available_bytes` is the memory that the engine gives to its cache after loading, of one rank.
 * @typedef {{derived: Derived, available_bytes: number | null, facts: Record<string, any>}} Request
 */

/** @type {Record<string, string>} */
const SPELLINGS = { auto: "bf16", bfloat16: "bf16", float16: "fp16", half: "fp16", f16: "fp16", float32: "fp32", f32: "fp32" };

/** Ranks of one kind at most, as many as devices can be counted: pipeline stages are worked out each by itself. */
export const MOST_RANKS = 4096;

/** A policy does not say what its algorithm asks of it; the message is the parameter's name. */
export class Lacking extends Error {}

/** A setting has a value that it cannot have; the message says what is wrong with it. */
export class Unfit extends Error {
  /** @param {string} fact @param {string} message */
  constructor(fact, message) {
    super(message);
    this.fact = fact;
  }
}

export class Terms {
  /** @param {Request} request @param {Record<string, {default?: any}>} settings @param {Record<string, any>} parameters @param {string} algorithm */
  constructor(request, settings, parameters, algorithm) {
    this.request = request;
    this.settings = settings;
    this.parameters = parameters;
    this.algorithm = algorithm;
  }

  /** A fact's value as the request states it; null where it does not. @param {string} fact @returns {any} */
  given(fact) {
    return this.request.facts[fact] ?? null;
  }

  /** A fact's value: given, else the default of the engine's setting; null where neither says. @param {string} fact @returns {any} */
  fact(fact) {
    const fallback = this.settings[fact]?.default ?? null;
    const wrong = fact.startsWith("setting.") ? complaint(fact, this.given(fact), fallback) : "";
    if (wrong) throw new Unfit(fact, wrong);
    return this.given(fact) ?? fallback;
  }

  /** A parameter of the policy, which has to be there. @param {string} name @returns {any} */
  parameter(name) {
    if (!(name in this.parameters)) throw new Lacking(name);
    return this.parameters[name];
  }

  /** Whether a parameter lists a value; one that is not there lists nothing. @param {string} name @param {any} value */
  lists(name, value) {
    return (this.parameters[name] ?? []).includes(value);
  }

  /** @param {string} fact */
  ranks(fact) {
    return Math.trunc(this.fact(fact) || 1);
  }

  get layers() {
    return this.request.derived.layers;
  }

  /** The longest sequence: given, else what the config says. @returns {number | null} */
  get maxModelLen() {
    const { extended, native } = this.request.derived.context;
    return this.fact("max_model_len") || extended || native || null;
  }

  /** Tokens drafted in a step: given, else the engine's default where a method of drafting is given. */
  get speculativeTokens() {
    const drafts = ![null, "none"].includes(this.given("speculation.method"));
    return Math.trunc((drafts ? this.fact("speculation.tokens") : this.given("speculation.tokens")) || 0);
  }
}

/** Why a setting with this default cannot have a value; empty where it can. @param {string} fact @param {any} value @param {any} fallback */
export function complaint(fact, value, fallback) {
  if (value === null) return "";
  const counts = typeof fallback === "number";
  if (counts && typeof value !== "number") return `${fact} is a number, not ${value}`;
  const below = typeof value === "number" && value < 0 && (fallback === null || counts);
  return below ? `${fact} is 0 or more, not ${value}` : "";
}

/** Bytes of a cache element by an engine's or our own name for its type; null for a type that is not known. @param {string | null} dtype */
export function elementBytes(dtype) {
  const name = dtype || "auto";
  return ELEMENT_BYTES[SPELLINGS[name] ?? name] ?? null;
}

/** Whether a size is one of these. @param {Fraction | null} size @param {number[]} listed */
export function isOneOf(size, listed) {
  return size !== null && listed.some((one) => size.compare(one) === 0);
}

/** Why layers are not all of one shape of plain attention, for engines that have one number of heads and one width; null where they are. @param {Layer[]} layers */
export function unlike(layers) {
  if (layers.some((layer) => !["full", "sliding", "chunked"].includes(layer.kind) || layer.latent_width || layer.cross_tokens)) {
    return unknown(["a rule for these layers"], "latents, states and cross-attention are not worked out");
  }
  const shapes = new Set(layers.map((layer) => [layer.kv_heads, layer.k_width, layer.v_width].join()));
  if (layers.some((layer) => layer.shares || layer.index_width) || shapes.size > 1) {
    return unknown(["a rule for these layers"], "the engine has one number of heads and one width for all layers, which these do not have");
  }
  return null;
}

/** KV heads that one tensor parallel rank keeps: its share, or one head that others keep too. @param {number} heads @param {number} ranks */
export function headsOnRank(heads, ranks) {
  return heads ? Math.max(1, Math.floor(heads / ranks)) : 0;
}

/** Whether heads can be spread over ranks evenly, or each head over the same number of ranks. @param {number} heads @param {number} ranks */
export function divides(heads, ranks) {
  return !heads || heads % ranks === 0 || ranks % heads === 0;
}

/**
 * Convolution and recurrent elements on one rank. With further columns in the convolution its kernel must be known, else null.
 * @param {Layer} layer @param {number} ranks @param {number} extraColumns @param {number | null} kernel @returns {[Fraction, Fraction] | null}
 */
export function stateElements(layer, ranks, extraColumns, kernel) {
  let convolution = exact(layer.conv_elements);
  if (extraColumns && layer.conv_elements) {
    if (!kernel || kernel < 2) return null;
    convolution = convolution.plus(convolution.times(extraColumns).over(kernel - 1));
  }
  return [convolution.over(ranks), exact(layer.state_elements).over(ranks)];
}

/** A value as a whole number, null where it is none. @param {any} value @returns {number | null} */
export function whole(value) {
  return Number.isInteger(value) ? value : null;
}

/** @param {number} count @param {number} step */
export function roundedUp(count, step) {
  return Math.ceil(count / step) * step;
}
