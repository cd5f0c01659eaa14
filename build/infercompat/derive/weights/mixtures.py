"""GGUF file types that mix tensor types: which type each tensor of such a file has.

Decided by src/llama-quant.cpp llama_tensor_get_type_impl, tensor_allows_quantization and tensor_type_fallback (llama.cpp 007dbbf3). What the
quantizer is told besides is not known from a file type's name: an importance matrix, which two types heed, is in `imatrix`.
Publishers' own mixtures (UD-…) follow other rules and are not worked out.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from infercompat.derive.config import Config
from infercompat.derive.weights.formats import GGUF_BLOCKS, Format, gguf
from infercompat.derive.weights.tensors import Tensor

BASE: Mapping[str, str] = {
    "Q4_0": "Q4_0", "Q4_1": "Q4_1", "Q5_0": "Q5_0", "Q5_1": "Q5_1", "Q2_K": "Q2_K", "Q3_K_S": "Q3_K", "Q3_K_M": "Q3_K", "Q3_K_L": "Q3_K",
    "Q4_K_S": "Q4_K", "Q4_K_M": "Q4_K", "Q5_K_S": "Q5_K", "Q5_K_M": "Q5_K", "Q6_K": "Q6_K", "MXFP4_MOE": "MXFP4",
}  # fmt: skip
"""File types that are worked out, and the type that most of their matrices have."""

FALLBACK = {"Q2_K": "Q4_0", "Q3_K": "Q4_0", "Q4_K": "Q5_0", "Q5_K": "Q5_1", "Q6_K": "Q8_0"}
"""What a matrix gets whose rows are no whole blocks of its type."""

_VALUES = frozenset({"v_proj", "qkv_proj", "in_proj_qkv", "in_proj_qkvz"})
_DOWN = frozenset({"down_proj", "w2"})


class Mixture(Struct, frozen=True):
    """A file type over a model of `layers` layers: groups of `queries` heads share a value head, `experts` is 1 where there are none."""

    type: str
    layers: int
    queries: int
    experts: int
    tied: bool
    large: bool
    imatrix: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        return (f"tensor types as llama.cpp's quantizer chooses them for {self.type}",)

    def format_of(self, tensor: Tensor) -> Format | None:
        """The format of a tensor; None for what stays in F32: vectors, routers, convolutions."""
        if not tensor.is_matrix or tensor.part == "router":
            return None
        if tensor.name == "per_layer_model_projection":
            return gguf("F16")
        name = self._type(tensor)
        width = tensor.shape[1]
        if width % GGUF_BLOCKS[name][0]:
            name = FALLBACK.get(name, "F16")
        return gguf(name if width % GGUF_BLOCKS[name][0] == 0 else "F16")

    def _type(self, tensor: Tensor) -> str:
        base, last = BASE[self.type], tensor.name.rpartition(".")[2]
        embedding = tensor.part == "embedding"
        if tensor.part == "output" or (embedding and self.tied):
            return "Q8_0" if self.type == "MXFP4_MOE" or tensor.shape[1] % GGUF_BLOCKS[base][0] else "Q6_K"
        if self.type == "MXFP4_MOE":
            return "MXFP4" if tensor.part == "experts" else "Q8_0"
        if embedding:
            return base
        layer = int(tensor.name.split(".", 2)[1]) if tensor.name.startswith("layers.") else 0
        if last in _VALUES:
            return self._value(base, layer)
        if last == "k_proj" and self.experts == 8:
            return "Q8_0"
        if last == "o_proj":
            return self._out(base)
        return self._down(base, layer) if last in _DOWN else base

    def _value(self, base: str, layer: int) -> str:
        if self.experts == 8:
            return "Q8_0"
        chosen = {
            "Q2_K": "Q4_K" if self.queries >= 4 else "Q3_K",
            "Q3_K_M": "Q5_K" if layer < 2 else "Q4_K",
            "Q3_K_L": "Q5_K",
            "Q4_K_S": "Q5_K" if layer < 4 else base,
            "Q4_K_M": "Q6_K" if self._more(layer) else base,
            "Q5_K_M": "Q6_K" if self._more(layer) else base,
        }.get(self.type, base)
        return "Q5_K" if self.large and chosen in ("Q3_K", "Q4_K") else chosen

    def _out(self, base: str) -> str:
        if self.experts == 8:
            return "Q5_K" if self.type in ("Q2_K", "Q3_K_S", "Q3_K_M", "Q4_K_S", "Q4_K_M") else base
        return {"Q2_K": "Q3_K", "Q3_K_M": "Q4_K", "Q3_K_L": "Q5_K"}.get(self.type, base)

    def _down(self, base: str, layer: int) -> str:
        first = layer < self.layers // 8
        if self.type in ("Q4_0", "Q5_0") and self.imatrix and first:
            return {"Q4_0": "Q4_1", "Q5_0": "Q5_1"}[self.type]
        return {
            "Q2_K": "Q3_K",
            "Q3_K_M": "Q5_K" if layer < self.layers // 16 else "Q4_K",
            "Q3_K_L": "Q5_K",
            "Q4_K_S": "Q5_K" if first else base,
            "Q4_K_M": "Q6_K" if self._more(layer) else base,
            "Q5_K_M": "Q6_K" if self._more(layer) else base,
        }.get(self.type, base)

    def _more(self, layer: int) -> bool:
        """The first and last eighth of the layers and every third between them get more bits."""
        count = self.layers
        return layer < count // 8 or layer >= 7 * count // 8 or (layer - count // 8) % 3 == 2


def mixture_of(word: str, config: Config, imatrix: bool = False) -> Mixture | None:
    """The mixture of a file type for a model; None for one that is not worked out, and for a config that lacks what decides."""
    layers, heads = config.peek("num_hidden_layers"), config.peek("num_attention_heads")
    if word not in BASE or not layers or not heads:
        return None
    shared = config.peek("num_key_value_heads") or heads
    tied = config.anywhere("tie_word_embeddings")
    large = layers == 80 and any(name in ("llama", "qwen2") for name in config.names)
    of_class = any(name.startswith("gemma") for name in config.names)
    return Mixture(word, layers, heads // shared, config.peek("num_experts") or 1, tied if isinstance(tied, bool) else of_class, large, imatrix)
