"""The RWKV generations: a state of fixed size on every layer, a wider one from the fifth on."""

from __future__ import annotations

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import Reader, demands


def rwkv(config: Config) -> Demands | Unknown:
    """RWKV-4: two shifted inputs in the model's dtype, and numerator, denominator and maximum in fp32, each hidden_size a layer.

    Decided by models/rwkv/modeling_rwkv.py RwkvModel (transformers).
    """
    hidden = config.size("hidden_size")
    return _rwkv(config, 2 * hidden, 3 * hidden)


def rwkv5(config: Config) -> Demands | Unknown:
    """RWKV-5: two shifted inputs in the model's dtype, and a square matrix a head in fp32: hidden_size * head_size a layer.

    Decided by python/mlc_llm/model/rwkv5/rwkv5_model.py create_rnn_state (mlc-llm), where heads fill hidden_size.
    """
    hidden, width = config.size("hidden_size", least=1), config.size("head_dim", 64, "RWKV5Config of mlc-llm", least=1)
    if hidden % width:
        return Unknown(("head_size",), "the heads do not fill hidden_size")
    return _rwkv(config, 2 * hidden, hidden * width)


def rwkv7(config: Config) -> Demands | Unknown:
    """RWKV-7: two shifted inputs in the model's dtype, and a matrix a head in fp32, as wide as a head's keys and as its values.

    Decided by fla/layers/rwkv7.py RWKV7Attention and fla/ops/rwkv7/fused_recurrent.py (flash-linear-attention). Values may have a
    width of their own a layer (value_dim); layers of softmax attention (attn) are not worked out.
    """
    if config.states("attn"):
        return Unknown(("attn",), "layers of softmax attention among those of RWKV-7 are not worked out")
    if config.states("value_dim"):
        return Unknown(("value_dim",), "values of a width of their own are not worked out for RWKV-7")
    hidden = config.size("hidden_size", least=1)
    width = config.size("head_dim", least=1) if config.states("head_dim") else hidden // config.size("num_heads", least=1)
    if not config.missing and (not width or hidden % width):
        return Unknown(("head_dim",), "the heads do not fill hidden_size")
    return _rwkv(config, 2 * hidden, hidden * width)


def _rwkv(config: Config, shifted: int, state: int) -> Demands | Unknown:
    layer = Layer("recurrent", conv_elements=shifted, state_elements=state, state_dtype="fp32")
    return demands(config, [layer] * config.layer_count(), {"rwkv": "the RWKV recurrence on every layer"})


READERS = (
    Reader(rwkv, "rwkv"),
    Reader(rwkv5, "rwkv5", "Rwkv5ForCausalLM"),
    Reader(rwkv7, "rwkv7", "RWKV7ForCausalLM"),
)
