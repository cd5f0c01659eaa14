"""From a config to the tensors of its text decoder: the layers as the readers see them, built as the family's anatomy says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from infercompat.derive.config import Config
from infercompat.derive.layers import Layer, Unknown
from infercompat.derive.model import derive
from infercompat.derive.weights import gemma4
from infercompat.derive.weights.anatomy import BY_NAME, Anatomy, flag
from infercompat.derive.weights.feed_forward import feed_forward
from infercompat.derive.weights.tensors import Parameters, Tensor, counted, linear

ENCODERS = ("vision_config", "audio_config", "visual", "audio_encoder", "img_processor")
"""Sections of a config that describe something beside the text decoder."""


def count_parameters(config_values: Mapping[str, Any], architecture: str | None = None) -> Parameters | Unknown:
    """How many numbers the text decoder stores, exactly; encoders for images or sound and draft layers are not in it."""
    config = Config(config_values, architecture) if isinstance(config_values, Mapping) else Config({})
    tensors = tensors_of(config_values, architecture, config)
    return tensors if isinstance(tensors, Unknown) else counted(tensors, config.defaults_used, _left_out(config))


def _left_out(config: Config) -> list[str]:
    """Parts of the model that are beyond its text decoder."""
    parts = [f"{field} is not counted" for field in ENCODERS if config.anywhere(field)]
    drafts = config.peek("num_nextn_predict_layers")
    return [*parts, f"{drafts} draft layers are not counted"] if drafts else parts


def tensors_of(config_values: Mapping[str, Any], architecture: str | None = None, config: Config | None = None) -> list[Tensor] | Unknown:
    """The tensors of the text decoder. `config` keeps the account of defaults where the caller wants to see it."""
    derived = derive(config_values, architecture)
    if isinstance(derived, Unknown):
        return derived
    config = config or Config(config_values, architecture)
    anatomy = next((BY_NAME[name] for name in config.names if name in BY_NAME), None)
    if anatomy is None:
        return Unknown((f"the tensors of {derived.name}",), "what this architecture stores is not worked out")
    tensors = list(_decoder(config, anatomy, derived.layers))
    if config.missing:
        return Unknown(tuple(config.missing), "the config lacks fields that decide how many weights there are")
    return tensors


def _decoder(config: Config, anatomy: Anatomy, layers: tuple[Layer, ...]) -> Iterator[Tensor]:
    hidden = config.size("hidden_size", least=1)
    vocabulary = config.size("vocab_size", anatomy.defaults.get("vocab_size"), "class default")
    yield Tensor("embed_tokens", "embedding", (vocabulary, hidden))
    for index, layer in enumerate(layers):
        at = f"layers.{index}."
        yield from _mixer(config, anatomy, layer, at)
        if anatomy.gemma4:
            yield from gemma4.layer_tensors(config, layer, at)
        else:
            yield from feed_forward(config, anatomy, index, len(layers))
        yield Tensor(f"{at}norms", "norms", (anatomy.norms * anatomy.norm_vectors * hidden,))
    if anatomy.gemma4:
        yield from gemma4.embedding_tensors(config, len(layers))
    yield Tensor("norm", "norms", ((anatomy.norm_vectors if anatomy.norms else 0) * hidden,))
    if not _tied(config, anatomy):
        yield Tensor("lm_head", "output", (vocabulary, hidden))
    if flag(config, anatomy.output_bias):
        yield Tensor("lm_head.bias", "output", (vocabulary,))


def _tied(config: Config, anatomy: Anatomy) -> bool:
    """tie_word_embeddings, which may stand beside the text part."""
    stated = config.anywhere("tie_word_embeddings")
    if isinstance(stated, bool):
        return stated
    config.use_default("tie_word_embeddings", str(anatomy.tied).lower(), "class default")
    return anatomy.tied


def _mixer(config: Config, anatomy: Anatomy, layer: Layer, at: str) -> Iterator[Tensor]:
    if layer.latent_width and not layer.window:
        return _latent(config, anatomy, layer, f"{at}self_attn.")
    if layer.kind in ("full", "sliding", "chunked"):
        return _heads(config, anatomy, layer, f"{at}self_attn.")
    if layer.kind == "recurrent" and config.states("linear_num_value_heads"):
        return _delta_net(config, f"{at}linear_attn.")
    config.miss(f"the tensors of a layer of the kind {layer.kind}", None)
    return iter(())


def _heads(config: Config, anatomy: Anatomy, layer: Layer, at: str) -> Iterator[Tensor]:
    """Attention with heads: queries, keys, values and output, and what the family has beside them."""
    hidden, heads = config.size("hidden_size"), config.size("num_attention_heads")
    queries, keys, values = heads * layer.k_width, layer.kv_heads * layer.k_width, layer.kv_heads * layer.v_width
    asked = queries * 2 if anatomy.output_gate else queries
    rows = {"q_proj": asked, "k_proj": keys, "v_proj": values}
    if "qkv" in anatomy.fused:
        rows = {"qkv_proj": asked + keys + values}
    elif layer.shares:
        rows, keys = {"q_proj": asked}, 0
    elif layer.kind == "full" and config.flag("attention_k_eq_v"):
        del rows["v_proj"]
    of_kv = {"qkv_proj": keys + values, "k_proj": keys, "v_proj": values}
    for name, count in rows.items():
        bias, kv_rows = flag(config, anatomy.qkv_bias), of_kv.get(name, 0)
        yield from linear(f"{at}{name}", "attention", count, hidden, bias, kv_rows=kv_rows, kv_heads=layer.kv_heads if kv_rows else 0)
    yield from linear(f"{at}o_proj", "attention", hidden, heads * layer.v_width, flag(config, anatomy.out_bias))
    if anatomy.head_norms and (not anatomy.head_norms_if or config.flag(anatomy.head_norms_if)):
        width = layer.k_width * (1 + (not layer.shares)) if anatomy.head_norms == "head" else queries + keys
        yield Tensor(f"{at}qk_norms", "norms", (width,))
    if anatomy.sinks:
        yield Tensor(f"{at}sinks", "attention", (heads,))


def _latent(config: Config, anatomy: Anatomy, layer: Layer, at: str) -> Iterator[Tensor]:
    """Multi-head latent attention (models/deepseek_v3/modeling_deepseek_v3.py); with an indexer as in models/deepseek_v32."""
    hidden, heads, rank = config.size("hidden_size"), layer.kv_heads, config.size("kv_lora_rank")
    query_rank, bias = config.optional_size("q_lora_rank"), flag(config, anatomy.qkv_bias)
    if query_rank:
        yield from linear(f"{at}q_a_proj", "attention", query_rank, hidden, bias)
        yield Tensor(f"{at}q_a_layernorm", "norms", (query_rank,))
    yield Tensor(f"{at}{'q_b_proj' if query_rank else 'q_proj'}", "attention", (heads * layer.k_width, query_rank or hidden))
    yield from linear(f"{at}kv_a_proj_with_mqa", "attention", layer.latent_width, hidden, bias)
    yield Tensor(f"{at}kv_a_layernorm", "norms", (rank,))
    expanded = config.size("qk_nope_head_dim") + layer.v_width
    yield Tensor(f"{at}kv_b_proj", "attention", (heads * expanded, rank))
    yield from linear(f"{at}o_proj", "attention", hidden, heads * layer.v_width, bias)
    if layer.index_width:
        indexers = config.size("index_n_heads")
        yield Tensor(f"{at}indexer.wq_b", "attention", (indexers * layer.index_width, query_rank or hidden))
        yield Tensor(f"{at}indexer.wk", "attention", (layer.index_width, hidden))
        yield Tensor(f"{at}indexer.k_norm", "norms", (2 * layer.index_width,))
        # Kept in the wide type by every scheme seen, so it counts with the routers.
        yield Tensor(f"{at}indexer.weights_proj", "router", (indexers, hidden))


def _delta_net(config: Config, at: str) -> Iterator[Tensor]:
    """Gated DeltaNet (models/qwen3_5/modeling_qwen3_5.py; qwen3_next stores the same numbers in fewer matrices)."""
    hidden, heads, value_width = (config.size(name) for name in ("hidden_size", "linear_num_value_heads", "linear_value_head_dim"))
    keys = config.size("linear_num_key_heads") * config.size("linear_key_head_dim")
    values, kernel = heads * value_width, config.size("linear_conv_kernel_dim")
    together = "qwen3_next" in config.names
    rows = {"in_proj_qkvz": 2 * keys + 2 * values} if together else {"in_proj_qkv": 2 * keys + values, "in_proj_z": values}
    rows |= {"in_proj_ba": 2 * heads} if together else {"in_proj_b": heads, "in_proj_a": heads}
    for name, count in rows.items():
        yield Tensor(f"{at}{name}", "attention", (count, hidden))
    yield Tensor(f"{at}out_proj", "attention", (hidden, values))
    yield Tensor(f"{at}conv1d", "attention", (2 * keys + values, 1, kernel))
    yield Tensor(f"{at}dt_bias and A_log", "attention", (2 * heads,))
    yield Tensor(f"{at}norm", "norms", (value_width,))
