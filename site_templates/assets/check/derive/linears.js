// @ts-check
// infercompat/derive/weights/{linears,count,feed_forward,gemma4,ranks}.py: the linear layers of a text decoder, from its config.

import { BY_NAME, GATED, flag } from "./anatomy.js";
import { Config } from "./config.js";

/** @typedef {import("../types.js").Linear} Linear */
/** @typedef {import("../types.js").Layer} Layer */
/** @typedef {import("./anatomy.js").Anatomy} Anatomy */
/** A module's name and part, rows, columns, and whether some of the rows are of key and value heads. @typedef {[string, string, number, number, boolean?]} Matrix */

const GENERATES = ["ForCausalLM", "ForConditionalGeneration"];
const INNER = ["attention", "mlp", "experts", "shared_experts", "router", "embedding"];
const COLUMNS = ["o_proj", "out_proj", "down_proj", "w2"];
const WHOLE = ["q_a_proj", "kv_a_proj_with_mqa", "per_layer_input_gate", "per_layer_projection"];
const EVERY = ["decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq"];

/**
 * Each shape once, in the order of the decoder; null where nothing is known. Of a decoder that is not worked out only the output is known.
 * @param {Map<string, any>} values @param {string | null} architecture @param {Layer[]} layers @returns {Linear[] | null}
 */
export function linearsOf(values, architecture, layers) {
  const config = new Config(values, architecture);
  const name = config.names.find((one) => BY_NAME.has(one));
  const anatomy = name === undefined ? undefined : BY_NAME.get(name);
  const matrices = anatomy ? [...decoder(config, anatomy, layers)] : [];
  if (!anatomy || config.missing.length) return outputAlone(new Config(values, architecture));
  const each = new Map(matrices.map(linear).map((one) => [JSON.stringify(one), one]));
  return [...each.values()];
}

/** @param {Config} config @returns {Linear[] | null} */
function outputAlone(config) {
  const [n, k] = [config.peek("vocab_size"), config.peek("hidden_size")];
  if (!n || !k || !config.names.some((name) => GENERATES.some((ending) => name.endsWith(ending)))) return null;
  return [...INNER.map((part) => ({ part })), { n, k, name: "lm_head", part: "output", cut: "vocabulary" }];
}

/** @param {Matrix} matrix @returns {Linear} */
function linear([module, part, n, k, ofHeads = false]) {
  const name = module.slice(module.lastIndexOf(".") + 1);
  return { n, k, name, part, cut: ofHeads ? "heads" : cutOf(module, name, part) };
}

/** @param {string} module @param {string} name @param {string} part */
function cutOf(module, name, part) {
  if (part === "experts") return COLUMNS.includes(name) ? "columns" : "rows";
  if ((part === "embedding" || part === "output") && !name.endsWith("_projection")) return "vocabulary";
  if (part === "router" || WHOLE.includes(name) || module.includes(".indexer.")) return "whole";
  return COLUMNS.includes(name) ? "columns" : "rows";
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer[]} layers @returns {Generator<Matrix>} */
function* decoder(config, anatomy, layers) {
  const hidden = config.positive("hidden_size");
  const vocabulary = config.size("vocab_size", anatomy.vocabulary ?? null, "class default");
  for (const [index, layer] of layers.entries()) {
    yield* mixer(config, anatomy, layer);
    if (anatomy.gemma4) yield* gemma4(config, layer, hidden);
    else yield* feedForward(config, anatomy, index, layers.length);
  }
  const own = anatomy.gemma4 ? config.peek("hidden_size_per_layer_input") : null;
  if (own) {
    config.size("vocab_size_per_layer_input");
    yield ["per_layer_model_projection", "embedding", layers.length * own, hidden];
  }
  isTied(config, anatomy);
  flag(config, anatomy.outputBias);
  yield ["lm_head", "output", vocabulary, hidden];
}

/** What leaves it to its class is none in another tool's summary. @param {Config} config @param {Anatomy} anatomy */
function isTied(config, anatomy) {
  if (typeof config.anywhere("tie_word_embeddings") !== "boolean") config.useDefault("tie_word_embeddings", Boolean(anatomy.tied), "class default");
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @returns {Generator<Matrix>} */
function* mixer(config, anatomy, layer) {
  if (layer.latent_width && !layer.window) yield* latent(config, anatomy, layer);
  else if (["full", "sliding", "chunked"].includes(layer.kind)) yield* heads(config, anatomy, layer);
  else if (layer.kind === "recurrent" && config.states("linear_num_value_heads")) yield* deltaNet(config);
  else config.miss(`the tensors of a layer of the kind ${layer.kind}`, null);
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @returns {Generator<Matrix>} */
function* heads(config, anatomy, layer) {
  const [hidden, count] = [config.size("hidden_size"), config.size("num_attention_heads")];
  const [keys, values] = [layer.kv_heads * layer.k_width, layer.kv_heads * layer.v_width];
  const asked = count * layer.k_width * (anatomy.outputGate ? 2 : 1);
  /** @type {Matrix[]} */
  let rows = [["q_proj", "attention", asked, hidden], ["k_proj", "attention", keys, hidden, keys > 0 && layer.kv_heads > 0], ["v_proj", "attention", values, hidden, values > 0 && layer.kv_heads > 0]];
  if (anatomy.fused?.includes("qkv")) rows = [["qkv_proj", "attention", asked + keys + values, hidden, keys + values > 0 && layer.kv_heads > 0]];
  else if (layer.shares) rows = rows.slice(0, 1);
  else if (layer.kind === "full" && config.flag("attention_k_eq_v")) rows = rows.slice(0, 2);
  for (const row of rows) {
    flag(config, anatomy.qkv);
    yield row;
  }
  flag(config, anatomy.out);
  yield ["o_proj", "attention", hidden, count * layer.v_width];
  if (anatomy.normsIf) config.flag(anatomy.normsIf);
}

/** @param {Config} config @param {Anatomy} anatomy @param {Layer} layer @returns {Generator<Matrix>} */
function* latent(config, anatomy, layer) {
  const [hidden, count, rank] = [config.size("hidden_size"), layer.kv_heads, config.size("kv_lora_rank")];
  const queryRank = config.optionalSize("q_lora_rank");
  flag(config, anatomy.qkv);
  if (queryRank) yield ["q_a_proj", "attention", queryRank, hidden];
  yield [queryRank ? "q_b_proj" : "q_proj", "attention", count * layer.k_width, queryRank || hidden];
  yield ["kv_a_proj_with_mqa", "attention", layer.latent_width, hidden];
  yield ["kv_b_proj", "attention", count * (config.size("qk_nope_head_dim") + layer.v_width), rank];
  yield ["o_proj", "attention", hidden, count * layer.v_width];
  if (!layer.index_width) return;
  const indexers = config.size("index_n_heads");
  yield ["self_attn.indexer.wq_b", "attention", indexers * layer.index_width, queryRank || hidden];
  yield ["self_attn.indexer.wk", "attention", layer.index_width, hidden];
  yield ["self_attn.indexer.weights_proj", "router", indexers, hidden];
}

/** @param {Config} config @returns {Generator<Matrix>} */
function* deltaNet(config) {
  const [hidden, count, width] = ["hidden_size", "linear_num_value_heads", "linear_value_head_dim"].map((name) => config.size(name));
  const keys = config.size("linear_num_key_heads") * config.size("linear_key_head_dim"), values = count * width;
  config.size("linear_conv_kernel_dim");
  const together = config.names.includes("qwen3_next");
  /** @type {[string, number][]} */
  const rows = together
    ? [["in_proj_qkvz", 2 * keys + 2 * values], ["in_proj_ba", 2 * count]]
    : [["in_proj_qkv", 2 * keys + values], ["in_proj_z", values], ["in_proj_b", count], ["in_proj_a", count]];
  for (const [name, n] of rows) yield [name, "attention", n, hidden];
  yield ["out_proj", "attention", hidden, values];
}

/** @param {Config} config @param {Anatomy} anatomy @param {number} index @param {number} count @returns {Generator<Matrix>} */
function* feedForward(config, anatomy, index, count) {
  if ((config.peek("num_experts") || 0) > 1 && isSparse(config, anatomy, index, count)) {
    yield* experts(config, anatomy);
    yield* shared(config, anatomy);
  } else {
    // Llama 4 has two widths, and intermediate_size is that of its experts.
    const width = config.size(config.states("intermediate_size_mlp") ? "intermediate_size_mlp" : "intermediate_size");
    yield* network(config, anatomy, "mlp", width);
  }
}

/** Each family has its own way to say so, and its config only those fields. @param {Config} config @param {Anatomy} anatomy @param {number} index @param {number} count */
function isSparse(config, anatomy, index, count) {
  const named = config.words("mlp_layer_types");
  if (named !== null) return config.perLayer(named, count, "mlp_layer_types")[index] === "sparse";
  const listed = config.sizes("moe_layers");
  if (listed !== null) return listed.includes(index);
  if (Array.isArray(config.find("moe_layer_freq"))) return Boolean(config.perLayer(config.sizes("moe_layer_freq") ?? [], count, "moe_layer_freq")[index]);
  if (anatomy.denseFirst && !config.states("first_k_dense_replace")) return config.miss("first_k_dense_replace", false);
  const first = config.peek("first_k_dense_replace") || config.peek("moe_layer_start_index") || 0;
  const last = config.peek("moe_layer_end_index") || count;
  const every = EVERY.map((name) => config.peek(name)).find(Boolean) ?? 1;
  const counted = config.peek("moe_layer_freq") ? index : index + 1; // from 0 by DeepSeek, from 1 by the others
  return first <= index && index <= last && counted % every === 0 && !(config.sizes("mlp_only_layers") ?? []).includes(index);
}

/** @param {Config} config @param {Anatomy} anatomy @returns {Generator<Matrix>} */
function* experts(config, anatomy) {
  const [hidden, count] = [config.size("hidden_size"), config.size("num_experts")];
  config.size("num_experts_per_tok");
  const width = config.size(config.states("moe_intermediate_size") ? "moe_intermediate_size" : "intermediate_size");
  yield [anatomy.router ?? "gate", "router", count, hidden];
  const names = anatomy.expert ?? GATED, inner = names.slice(0, -1);
  if (anatomy.fused?.includes("experts")) {
    yield ["gate_up_proj", "experts", inner.length * width, hidden];
    yield ["down_proj", "experts", hidden, width];
    return;
  }
  for (const name of inner) yield [name, "experts", width, hidden];
  yield [names[names.length - 1], "experts", hidden, width];
}

/** @param {Config} config @param {Anatomy} anatomy @returns {Generator<Matrix>} */
function* shared(config, anatomy) {
  const one = config.peek("moe_intermediate_size") || config.peek("intermediate_size") || 0;
  const count = config.peek("n_shared_experts") || config.peek("num_shared_experts") || config.peek("moe_num_shared_experts") || 0;
  const width = anatomy.alwaysShared ? one : config.peek("shared_expert_intermediate_size") || count * one;
  if (!width) return;
  yield* network(config, anatomy, "shared_experts", width);
  if (anatomy.sharedGate) yield ["shared_expert_gate", "router", 1, config.size("hidden_size")];
}

/** @param {Config} config @param {Anatomy} anatomy @param {string} part @param {number} width @returns {Generator<Matrix>} */
function* network(config, anatomy, part, width) {
  const hidden = config.size("hidden_size"), names = anatomy.mlp ?? GATED, inner = names.slice(0, -1);
  flag(config, anatomy.mlpBias);
  if (anatomy.fused?.includes("mlp")) yield ["gate_up_proj", part, inner.length * width, hidden];
  else for (const name of inner) yield [name, part, width, hidden];
  yield [names[names.length - 1], part, hidden, width];
}

/** @param {Config} config @param {Layer} layer @param {number} hidden @returns {Generator<Matrix>} */
function* gemma4(config, layer, hidden) {
  const width = config.size("intermediate_size") * (layer.shares && config.flag("use_double_wide_mlp") ? 2 : 1);
  yield* /** @type {Matrix[]} */ ([["gate_proj", "mlp", width, hidden], ["up_proj", "mlp", width, hidden], ["down_proj", "mlp", hidden, width]]);
  if (config.flag("enable_moe_block")) {
    const count = config.size("num_experts");
    config.size("num_experts_per_tok");
    const inner = config.size("moe_intermediate_size");
    yield* /** @type {Matrix[]} */ ([["gate_proj", "experts", inner, hidden], ["up_proj", "experts", inner, hidden], ["down_proj", "experts", hidden, inner]]);
    yield ["proj", "router", count, hidden];
  }
  const own = config.peek("hidden_size_per_layer_input");
  if (own) yield* /** @type {Matrix[]} */ ([["per_layer_input_gate", "mlp", own, hidden], ["per_layer_projection", "mlp", hidden, own]]);
}
