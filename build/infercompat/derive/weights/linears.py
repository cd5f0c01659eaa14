"""The linear layers of a model's text decoder, for conditions that ask which widths are whole multiples on each rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.condition import MISSING, Missing
from infercompat.derive.config import Config
from infercompat.derive.layers import Unknown
from infercompat.derive.weights.count import tensors_of
from infercompat.derive.weights.ranks import cut_of
from infercompat.derive.weights.tensors import Tensor

TABLES = ("embed_tokens", "embed_tokens_per_layer")
"""Matrices of which rows are looked up."""


GENERATES = ("ForCausalLM", "ForConditionalGeneration")
"""Endings of the classes that have an output matrix over the vocabulary."""
INNER = ("attention", "mlp", "experts", "shared_experts", "router", "embedding")
"""Parts of which nothing is known where the decoder is not worked out."""


class Linear(Struct, frozen=True):
    """One shape: `n` output rows and `k` input columns over all ranks, the last part of the module's name, the part of the decoder that it
    belongs to, and how ranks share it: "rows", "columns", "heads", "vocabulary" or "whole" (condition/items.py). What is not known of
    it is MISSING.
    """

    n: int | Missing
    k: int | Missing
    name: str | Missing
    part: str
    cut: str | Missing


def linears_of(config_values: Mapping[str, Any], architecture: str | None = None) -> tuple[Linear, ...] | Unknown:
    """Each shape once, in the order of the decoder. A matrix that is both embedding and output is listed as the output.

    Of a decoder that is not worked out only the output is known, and of each other part one matrix stands for all that there may be.
    """
    tensors = tensors_of(config_values, architecture)
    if isinstance(tensors, Unknown):
        return _output_alone(Config(config_values, architecture)) or tensors
    matrices = [tensor for tensor in tensors if tensor.is_matrix and tensor.name not in TABLES]
    if not any(tensor.part == "output" for tensor in matrices):
        matrices += [replace(tensor, name="lm_head", part="output") for tensor in tensors if tensor.name == "embed_tokens"]
    return tuple(dict.fromkeys(map(_linear, matrices)))


def _output_alone(config: Config) -> tuple[Linear, ...]:
    rows, columns = config.peek("vocab_size"), config.peek("hidden_size")
    if not rows or not columns or not any(name.endswith(GENERATES) for name in config.names):
        return ()
    unknown = (Linear(MISSING, MISSING, MISSING, part, MISSING) for part in INNER)
    return (*unknown, Linear(rows, columns, "lm_head", "output", "vocabulary"))


def _linear(tensor: Tensor) -> Linear:
    cut = "heads" if tensor.kv_heads else cut_of(tensor)
    shared = {"expert rows": "rows", "expert halves": "rows", "expert columns": "columns"}.get(cut, cut)
    return Linear(*tensor.shape, tensor.name.rpartition(".")[2], tensor.part, shared)
