"""The feed-forward half of a layer: one network, or experts with a router and perhaps some that every token shares."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.derive.config import Config
from infercompat.derive.weights.anatomy import Anatomy, flag
from infercompat.derive.weights.tensors import Tensor, linear

EVERY = ("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", "moe_layer_freq")
"""Fields that put experts into every so many layers."""


def feed_forward(config: Config, anatomy: Anatomy, index: int, count: int) -> Iterator[Tensor]:
    """The feed-forward tensors of the layer at `index` of `count`."""
    at = f"layers.{index}.{anatomy.feed_forward}."
    if (config.peek("num_experts") or 0) > 1 and _is_sparse(config, anatomy, index, count):
        yield from _experts(config, anatomy, at)
        yield from _shared(config, anatomy, at)
    else:
        # Llama 4 has two widths, and intermediate_size is that of its experts.
        width = config.size("intermediate_size_mlp" if config.states("intermediate_size_mlp") else "intermediate_size")
        yield from _network(config, anatomy, at, "mlp", width)


def _is_sparse(config: Config, anatomy: Anatomy, index: int, count: int) -> bool:
    """Whether the layer has experts. Each family has its own way to say so, and its config only those fields."""
    if (named := config.words("mlp_layer_types")) is not None:
        return config.per_layer(named, count, "mlp_layer_types")[index] == "sparse"
    if (listed := config.sizes("moe_layers")) is not None:
        return index in listed
    if isinstance(config.find("moe_layer_freq"), list):
        return bool(config.per_layer(config.sizes("moe_layer_freq") or [], count, "moe_layer_freq")[index])
    if anatomy.dense_first and not config.states("first_k_dense_replace"):
        return config.miss("first_k_dense_replace", False)
    first = config.peek("first_k_dense_replace") or config.peek("moe_layer_start_index") or 0
    last = config.peek("moe_layer_end_index") or count
    every = next((config.peek(name) for name in EVERY if config.peek(name)), 1)
    # Counted from 0 by DeepSeek, from 1 by the others.
    counted = index if config.peek("moe_layer_freq") else index + 1
    return first <= index <= last and counted % every == 0 and index not in (config.sizes("mlp_only_layers") or [])


def _experts(config: Config, anatomy: Anatomy, at: str) -> Iterator[Tensor]:
    hidden, experts, active = config.size("hidden_size"), config.size("num_experts"), config.size("num_experts_per_tok")
    width = config.size("moe_intermediate_size" if config.states("moe_intermediate_size") else "intermediate_size")
    yield from linear(f"{at}{anatomy.router}", "router", experts, hidden, flag(config, anatomy.router_bias))
    if anatomy.router_correction:
        yield Tensor(f"{at}{anatomy.router}.e_score_correction_bias", "router", (experts,))
    *inner, last = anatomy.expert
    rows = {f"experts.0.{name}": width for name in inner}
    if "experts" in anatomy.fused:
        rows, last = {"experts.gate_up_proj": len(inner) * width}, "experts.down_proj"
    else:
        last = f"experts.0.{last}"
    for name, outputs in rows.items():
        yield from linear(f"{at}{name}", "experts", outputs, hidden, anatomy.expert_bias, experts, active)
    yield from linear(f"{at}{last}", "experts", hidden, width, anatomy.expert_bias, experts, active)


def _shared(config: Config, anatomy: Anatomy, at: str) -> Iterator[Tensor]:
    """Experts that every token goes through, stored as one network of their summed width."""
    one = config.peek("moe_intermediate_size") or config.peek("intermediate_size") or 0
    count = config.peek("n_shared_experts") or config.peek("num_shared_experts") or config.peek("moe_num_shared_experts") or 0
    width = config.peek("shared_expert_intermediate_size") or count * one
    if anatomy.always_shared:
        width = one
    if width:
        name = "shared_experts" if count else "shared_expert"
        yield from _network(config, anatomy, f"{at}{name}.", "shared_experts", width)
        if anatomy.shared_gate:
            yield Tensor(f"{at}shared_expert_gate", "router", (1, config.size("hidden_size")))


def _network(config: Config, anatomy: Anatomy, at: str, part: str, width: int) -> Iterator[Tensor]:
    """Matrices into the width and one out of it."""
    hidden, bias = config.size("hidden_size"), flag(config, anatomy.mlp_bias)
    *inner, last = anatomy.mlp
    rows = {name: width for name in inner}
    if "mlp" in anatomy.fused:
        rows = {"gate_up_proj": len(inner) * width}
    for name, outputs in rows.items():
        yield from linear(f"{at}{name}", part, outputs, hidden, bias)
    yield from linear(f"{at}{last}", part, hidden, width, bias)
