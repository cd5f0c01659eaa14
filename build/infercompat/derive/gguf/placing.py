"""The tensors of a GGUF file as those of a decoder, each in the type that the header gives it, so that devices can share them.

Names of tensors are decided by gguf-py/gguf/constants.py (llama.cpp); what each device holds of them by derive/weights/ranks.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod
from typing import Any

from msgspec import Struct

from infercompat.derive.config import MOST_LAYERS, Config
from infercompat.derive.gguf.header import Header, TensorInfo
from infercompat.derive.layers import Unknown
from infercompat.derive.weights import Weights
from infercompat.derive.weights.formats import GGUF_BLOCKS, Format, gguf
from infercompat.derive.weights.loaded import Beside, LaidOut, layers_of
from infercompat.derive.weights.stored import Stored
from infercompat.derive.weights.tables import position_tables, without_values
from infercompat.derive.weights.tensors import Tensor

OUTSIDE = {
    "token_embd.weight": ("embed_tokens", "embedding"),
    "per_layer_token_embd.weight": ("embed_tokens_per_layer", "embedding"),
    "output.weight": ("lm_head", "output"),
}
"""Tensors outside of layers that are no norms: what they are here, and the part they belong to."""

INSIDE = {
    **{f"attn_{letter}": (f"self_attn.{letter}_proj", "attention") for letter in ("q", "k", "v", "qkv")},
    **{"attn_output": ("self_attn.o_proj", "attention"), "ffn_gate_inp": ("mlp.gate", "router")},
    **{f"ffn_{name}": (f"mlp.{name}_proj", "mlp") for name in ("gate", "up", "down")},
    **{f"ffn_{name}_exps": (f"mlp.experts.0.{name}_proj", "experts") for name in ("gate", "up", "gate_up", "down")},
    **{f"ffn_{name}_shexp": (f"mlp.shared_experts.{name}_proj", "shared_experts") for name in ("gate", "up", "down")},
}
"""The same for those of a layer, below blk.N; all others are cut by rows, and norms are whole."""

_BLOCK = re.compile(r"blk\.([0-9]{1,4})\.(.+)", re.DOTALL)
_PARTS_OF_KV = ("self_attn.k_proj", "self_attn.v_proj")


class ByType(Struct, frozen=True):
    """The format of each tensor by its name; None for one in F32."""

    formats: Mapping[str, Format]

    def format_of(self, tensor: Tensor) -> Format | None:
        """The format of a tensor."""
        return self.formats.get(tensor.name)


def laid_out_file(header: Header, values: Mapping[str, Any]) -> LaidOut | Unknown:
    """The decoder of a file whose config is `values`. Unknown for a part of a split file, a type that is not known and a file without tensors."""
    split = header.fields.get("split.count")
    if type(split) is int and split > 1:
        return Unknown(("the other files of the model",), f"this file is one of {split}, and the others hold weights, too")
    tensors, formats, kv_heads = [], {}, Config(values).peek("num_key_value_heads") or 0
    for info in header.tensors:
        tensor = _tensor(info, kv_heads)
        if tensor is None:
            return Unknown((f"the size of {info.name[:60]}",), "the header lists a tensor whose type or place is not worked out")
        tensors.append(tensor)
        if info.type != "F32":
            formats[tensor.name] = gguf(info.type)
    scheme = ByType(formats)
    stored = Stored(tensors, (scheme, scheme), 4, ("tensor types as the header of the file lists them",), alone=True)
    low, high = stored.bytes
    if not low:
        return Unknown(("the tensors of the file",), "the header lists no tensors")
    total, copied = Weights(low, high, "header", stored.notes), without_values(stored)
    again = (stored.bytes_of(copied), max([1, *(tensor.kv_heads for tensor in copied)]))
    return LaidOut(stored, (low, high), (low, high), Beside(), layers_of(tensors), None, total, position_tables(Config(values)), *again)


def _tensor(info: TensorInfo, kv_heads: int) -> Tensor | None:
    """A tensor as matrices of whole rows, the experts of a layer as copies of one; a vector in F32 stays a vector."""
    row, *more = info.dimensions or (1,)
    block = re.match(_BLOCK, info.name)
    if info.type not in GGUF_BLOCKS or row % GGUF_BLOCKS[info.type][0] or (block and int(block[1]) >= MOST_LAYERS):
        return None
    name, part = _place(info.name, block)
    copies, rows = (more[-1], prod(more[:-1])) if part == "experts" and len(more) > 1 else (1, prod(more))
    shape = (row,) if not more and info.type == "F32" else (rows, row)
    outputs = row if len(shape) == 1 else rows
    shared = outputs if kv_heads and name.removesuffix(".bias").endswith(_PARTS_OF_KV) else 0
    return Tensor(name, part, shape, copies, copies, shared, kv_heads if shared else 0)


def _place(name: str, block: re.Match[str] | None) -> tuple[str, str]:
    if block is None:
        return OUTSIDE.get(name) or (name, "norms")
    module, _, end = block[2].rpartition(".")
    own, part = INSIDE.get(module) or (module or end, "norms" if "norm" in module else "attention")
    return f"layers.{int(block[1])}.{own}" + ("" if end == "weight" or not module else f".{end}"), part
