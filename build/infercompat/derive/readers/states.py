"""Layers that keep a state of fixed size: the element counts of each kind, and the end of a hybrid reading.

Convolution states hold one column less than the kernel is long, the least that works, as vLLM does
(model_executor/layers/mamba/mamba_utils.py MambaStateShapeCalculator); transformers keeps a column more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import assemble, demands

DTYPE_WORDS = {"float32": "fp32", "fp32": "fp32", "bfloat16": "bf16", "bf16": "bf16", "float16": "fp16", "fp16": "fp16"}


def state_dtype(config: Config) -> str | None:
    """The recurrent state's dtype where the config has a word for it; "auto" and absent leave it to the model's dtype."""
    word = config.find("mamba_ssm_cache_dtype")
    return DTYPE_WORDS.get(word) if isinstance(word, str) else None


def mamba1(config: Config, inner: int) -> Layer:
    """A Mamba-1 layer: inner * (kernel - 1) convolution, inner * state_size recurrent elements."""
    return _recurrent(config, inner, config.size("conv_kernel", least=1), inner * config.size("ssm_state_size"))


def mamba2(config: Config, state_heads: int, width: int) -> Layer:
    """A Mamba-2 layer: the convolution also runs over B and C of each group; the state is heads * width * state_size."""
    state, groups = config.size("ssm_state_size"), config.size("n_groups")
    channels = state_heads * width + 2 * groups * state
    return _recurrent(config, channels, config.size("conv_kernel", least=1), state_heads * width * state)


def gated_delta_net(config: Config) -> Layer:
    """A Gated DeltaNet layer: the convolution runs over queries, keys and values; the state is value heads * V width * K width."""
    keys, values = config.size("linear_num_key_heads"), config.size("linear_num_value_heads")
    key_width, value_width = config.size("linear_key_head_dim"), config.size("linear_value_head_dim")
    channels = 2 * keys * key_width + values * value_width
    return _recurrent(config, channels, config.size("linear_conv_kernel_dim", least=1), values * value_width * key_width)


def kimi_delta(state_heads: int, width: int, kernel: int) -> Layer:
    """A Kimi Delta Attention layer: three convolutions, and a square state a head that code keeps in fp32 unless told otherwise."""
    inner = state_heads * width
    return Layer("recurrent", conv_elements=3 * inner * max(kernel - 1, 0), state_elements=inner * width, state_dtype="fp32")


def lightning(state_heads: int, width: int) -> Layer:
    """A lightning attention layer: a square state a head, no convolution."""
    return Layer("recurrent", state_elements=state_heads * width * width)


def short_convolution(channels: int, kernel: int) -> Layer:
    """A layer that only convolves."""
    return Layer("convolution", conv_elements=channels * max(kernel - 1, 0))


def _recurrent(config: Config, channels: int, kernel: int, state: int) -> Layer:
    return Layer("recurrent", conv_elements=channels * (kernel - 1), state_elements=state, state_dtype=state_dtype(config))


def hybrid(config: Config, words: Sequence[str], layers: Mapping[str, Layer], requirement: str, own: Mapping[str, str] | None = None) -> Demands | Unknown:
    """The end of a reading with stateful layers: adds their requirement, unless the model at hand has none of them."""
    assembled = assemble(config, words, layers)
    stateful = sum(bool(layer.state_elements or layer.conv_elements) for layer in assembled)
    reason = {requirement: f"a state of fixed size on {stateful} of {len(assembled)} layers"} if stateful else {}
    return demands(config, assembled, reason | dict(own or {}))
