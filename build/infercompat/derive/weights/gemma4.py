"""What Gemma 4 stores beyond a plain decoder: experts beside the network, wide networks where keys are shared, per-layer embeddings.

Decided by models/gemma4/modeling_gemma4.py Gemma4TextDecoderLayer and Gemma4TextModel (transformers).
"""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.derive.config import Config
from infercompat.derive.layers import Layer
from infercompat.derive.weights.tensors import Tensor


def layer_tensors(config: Config, layer: Layer, at: str) -> Iterator[Tensor]:
    """A layer's tensors after its attention and four norms."""
    hidden, width = config.size("hidden_size"), config.size("intermediate_size")
    width *= 2 if layer.shares and config.flag("use_double_wide_mlp") else 1
    for name, shape in {"gate_proj": (width, hidden), "up_proj": (width, hidden), "down_proj": (hidden, width)}.items():
        yield Tensor(f"{at}mlp.{name}", "mlp", shape)
    yield Tensor(f"{at}layer_scalar", "norms", (1,))
    if config.flag("enable_moe_block"):
        yield from _experts(config, at, hidden)
    if own := config.peek("hidden_size_per_layer_input"):
        yield Tensor(f"{at}per_layer_input_gate", "mlp", (own, hidden))
        yield Tensor(f"{at}per_layer_projection", "mlp", (hidden, own))
        yield Tensor(f"{at}post_per_layer_input_norm", "norms", (hidden,))


def _experts(config: Config, at: str, hidden: int) -> Iterator[Tensor]:
    experts, active, width = config.size("num_experts"), config.size("num_experts_per_tok"), config.size("moe_intermediate_size")
    for name, shape in {"gate_proj": (width, hidden), "up_proj": (width, hidden), "down_proj": (hidden, width)}.items():
        yield Tensor(f"{at}experts.0.{name}", "experts", shape, experts, active)
    yield Tensor(f"{at}router.proj", "router", (experts, hidden))
    yield Tensor(f"{at}router.scales", "router", (hidden + experts,))
    yield Tensor(f"{at}expert_norms", "norms", (3 * hidden,))


def embedding_tensors(config: Config, count: int) -> Iterator[Tensor]:
    """The per-layer embeddings of a model of `count` layers, where it has them."""
    if own := config.peek("hidden_size_per_layer_input"):
        yield Tensor("embed_tokens_per_layer", "embedding", (config.size("vocab_size_per_layer_input"), count * own))
        yield Tensor("per_layer_model_projection", "embedding", (count * own, config.size("hidden_size")))
        yield Tensor("per_layer_projection_norm", "norms", (own,))
