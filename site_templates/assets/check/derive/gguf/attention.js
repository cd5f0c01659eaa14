// @ts-check
// infercompat/derive/gguf/mapping.py, architectures whose layers attend: from keys to the fields of a config.json.

/** @typedef {import("./keys.js").Keys} Keys */
/** @typedef {Record<string, any>} Fields objects and lists inside become Maps and arrays of values later */
/** @typedef {(keys: Keys) => Fields} Read */

export const [FULL, SLIDING] = ["full_attention", "sliding_attention"];

/** The width of a head: key_length, or the embedding divided among the heads. Values have to be as wide. @param {Keys} keys */
function width(keys) {
  const count = keys.one("attention.head_count", keys.each("attention.head_count"));
  const split = count ? Math.floor(keys.number("embedding_length") / count) : 0;
  const found = keys.number("attention.key_length", split);
  if (keys.number("attention.value_length", found) !== found) keys.miss(`attention.value_length (other than key_length, which ${keys.architecture} does not have)`);
  return found;
}

/** Attention with heads that are alike in all layers that have any. @type {Read} */
export function heads(keys) {
  const query = keys.one("attention.head_count", keys.each("attention.head_count"));
  const shared = keys.each("attention.head_count_kv", query);
  return {
    num_attention_heads: query,
    num_key_value_heads: keys.one("attention.head_count_kv", shared),
    head_dim: width(keys),
    intermediate_size: keys.one("feed_forward_length", keys.each("feed_forward_length", 0)),
  };
}

/** Full attention on every layer. @type {Read} */
export function plain(keys) {
  if (keys.each("attention.head_count_kv", 1).includes(0)) keys.miss("attention.head_count_kv (a layer without attention)");
  return heads(keys);
}

/** Layers that slide as a list says, or all but the last of each `period`. `window` is the class default; without one no layer slides. @param {number} period @param {number} [window] @returns {Read} */
export function windowed(period, window = 0) {
  return (keys) => {
    const tokens = keys.number("attention.sliding_window", window);
    const slides = tokens ? sliding(keys, period) : Array(keys.layers).fill(false);
    return { ...heads(keys), layer_types: slides.map((slides) => (slides ? SLIDING : FULL)), sliding_window: tokens || keys.number("context_length") };
  };
}

/** A list says of each layer whether it slides, a number how far full ones are apart. @param {Keys} keys @param {number} period @returns {boolean[]} */
function sliding(keys, period) {
  const name = "attention.sliding_window_pattern";
  if (Array.isArray(keys.find(name))) return keys.each(name).map(Boolean);
  const apart = keys.number(name, period);
  return Array.from({ length: keys.layers }, (_, index) => apart === 0 || index % apart < apart - 1);
}

/** One window for all layers, or none. @type {Read} */
export function oneWindow(keys) {
  return { ...plain(keys), sliding_window: keys.optional("attention.sliding_window") || null };
}

/** Layers from the 20th on share, unless the file says how many do. @type {Read} */
export function gemma3n(keys) {
  const shared = keys.number("attention.shared_kv_layers", Math.max(keys.layers - 20, 0));
  const perLayer = keys.number("embedding_length_per_layer_input");
  return { ...windowed(5)(keys), num_kv_shared_layers: shared, hidden_size_per_layer_input: perLayer };
}

/** Full layers have a width and KV heads of their own, sliding ones those of the keys that end in _swa. @type {Read} */
export function gemma4(keys) {
  if (!Array.isArray(keys.find("attention.sliding_window_pattern"))) keys.miss("attention.sliding_window_pattern");
  const slides = sliding(keys, 1), shared = keys.each("attention.head_count_kv");
  const local = keys.one("attention.head_count_kv", shared.filter((_, index) => slides[index]));
  const wide = keys.number("attention.key_length");
  const own = shared.map((count, index) => [String(index), new Map([["head_dim", wide], ["num_key_value_heads", count]])]).filter((_, index) => !slides[index]);
  return {
    num_attention_heads: keys.one("attention.head_count", keys.each("attention.head_count")),
    num_key_value_heads: local,
    head_dim: keys.number("attention.key_length_swa"),
    sliding_window: keys.number("attention.sliding_window"),
    layer_types: slides.map((slides) => (slides ? SLIDING : FULL)),
    per_layer_config: new Map(/** @type {[string, Map<string, number>][]} */ (own)),
    num_kv_shared_layers: keys.number("attention.shared_kv_layers", 0),
    hidden_size_per_layer_input: keys.number("embedding_length_per_layer_input", 0),
  };
}

/** Latent attention. Files from before it was cached as a latent have the widths of a head in key_length and value_length. @type {Read} */
export function latent(keys) {
  const rotary = keys.number("rope.dimension_count"), expanded = keys.find("attention.key_length_mla") === null;
  const found = keys.number(expanded ? "attention.key_length" : "attention.key_length_mla");
  if (found < rotary) keys.miss("attention.key_length_mla (narrower than its rotary part)");
  return {
    num_attention_heads: keys.one("attention.head_count", keys.each("attention.head_count")),
    kv_lora_rank: keys.number("attention.kv_lora_rank"),
    q_lora_rank: keys.optional("attention.q_lora_rank"),
    qk_rope_head_dim: rotary,
    qk_nope_head_dim: Math.max(found - rotary, 0),
    v_head_dim: keys.number(expanded ? "attention.value_length" : "attention.value_length_mla"),
    intermediate_size: keys.one("feed_forward_length", keys.each("feed_forward_length", 0)),
  };
}
