// @ts-check
// infercompat/derive/readers/requirements.py: what the layers say by themselves, and what stands in every family's config alike.

import { weightFormat } from "../context.js";
import { Float } from "../json.js";
import { isInt, str, truthy } from "../python.js";

/** @typedef {import("../config.js").Config} Config */
/** @typedef {import("../layers.js").Layer} Layer */

/** Most attention kernels are built for heads up to this width. */
const WIDEST_COMMON_HEAD = 256;
const IMAGE_FIELDS = ["vision_config", "visual", "vision_tower", "mm_vision_tower", "img_processor", "embd_layer", "patch_size"];
const AUDIO_FIELDS = ["audio_config", "audio_encoder", "audio_tower", "audio_processor"];

/** Requirement ids that the layers make necessary, each with its reason. @param {Layer[]} layers @returns {Record<string, string>} */
export function fromLayers(layers) {
  const windowed = layers.filter((layer) => layer.window && layer.kind !== "chunked");
  const chunked = layers.filter((layer) => layer.kind === "chunked");
  const wide = layers.filter((layer) => layer.attends && !layer.latent_width && layer.head_dim > WIDEST_COMMON_HEAD);
  const crossing = layers.filter((layer) => layer.cross_tokens || layer.kind === "cross");
  const shared = layers.filter((layer) => layer.shares).length;
  const reasons = {
    "sliding-window": spread("sliding_window", windowed, layers, (layer) => layer.window),
    "chunked-attention": spread("attention_chunk_size", chunked, layers, (layer) => layer.window),
    "kv-sharing": shared ? `${shared} of ${layers.length} layers use another layer's keys and values` : "",
    "head-dim-over-256": spread("head width", wide, layers, (layer) => layer.head_dim),
    "cross-attention": spread("cross-attention positions", crossing, layers, (layer) => layer.cross_tokens),
  };
  return Object.fromEntries(Object.entries(reasons).filter(([, reason]) => reason));
}

/** Requirement ids that fields of any config make necessary, each with its reason. @param {Config} config @returns {Record<string, string>} */
export function fromConfig(config) {
  /** @type {Record<string, string>} */
  const found = {};
  const experts = config.peek("num_experts") || 0, active = config.peek("num_experts_per_tok");
  if (experts > 1) found.moe = `${experts} experts${active ? `, ${active} for each token` : ""}`;
  const softcap = config.find("attn_logit_softcapping");
  if ((isInt(softcap) || typeof softcap === "boolean" || softcap instanceof Float) && truthy(softcap)) found["logit-softcap"] = `attn_logit_softcapping ${str(softcap)}`;
  const perLayer = config.peek("hidden_size_per_layer_input");
  if (perLayer) found["per-layer-embeddings"] = `hidden_size_per_layer_input ${perLayer}`;
  if (weightFormat(config) === "mxfp4") found["mxfp4-weights"] = "quantization_config names mxfp4";
  for (const [requirement, fields] of Object.entries({ "image-input": IMAGE_FIELDS, "audio-input": AUDIO_FIELDS })) {
    const field = fields.find((name) => truthy(config.anywhere(name)));
    if (field) found[requirement] = `${field} present`;
  }
  return found;
}

/**
 * For instance "sliding_window 1024 on 52 of 62 layers"; empty where no layer has it.
 * @param {string} what @param {Layer[]} some @param {Layer[]} layers @param {(layer: Layer) => number} size
 */
function spread(what, some, layers, size) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const layer of some) counts.set(size(layer), (counts.get(size(layer)) ?? 0) + 1);
  const sorted = [...counts].sort(([one], [other]) => one - other);
  return sorted.map(([value, count]) => `${what} ${value} on ${count} of ${layers.length} layers`).join(", ");
}
