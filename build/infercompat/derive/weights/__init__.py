"""Bytes of a checkpoint's weights: what a file's index says, else what the weight format makes of the tensors that the config describes."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from msgspec import Struct

from infercompat.derive.config import Config
from infercompat.derive.layers import Unknown
from infercompat.derive.weights.count import count_parameters
from infercompat.derive.weights.formats import GGUF_BLOCKS, PLAIN
from infercompat.derive.weights.stored import Stored, own_word, section_of, stored
from infercompat.derive.weights.tensors import PARTS, Parameters

__all__ = ["GGUF_BLOCKS", "PARTS", "Parameters", "Weights", "count_parameters", "weight_bytes"]

Values = Mapping[str, Any]
MOST_PARAMETERS = 1 << 60


class Weights(Struct, frozen=True):
    """Bytes of all weights: at least `low`, at most `high`. `basis` is "index" (what a source states of the files) or "computed"; `notes` say how."""

    low: int
    high: int
    basis: str
    notes: tuple[str, ...] = ()

    @property
    def bytes(self) -> int | None:
        """The figure where it is exact; None where only bounds are known."""
        return self.low if self.low == self.high else None


def weight_bytes(parameters: int | None, weight_format: str | None, config_values: Values, index_bytes: int | None = None) -> Weights | Unknown:
    """Bytes of a checkpoint's weights.

    `index_bytes` is total_size of its safetensors index. Else `parameters` (all that the checkpoint stores; None counts the text
    decoder) in `weight_format`, a word of the catalog's vocabulary or a GGUF file type; None reads it from the config. Where the
    config's quantization_config is of another format, it belongs to another checkpoint and is not used.
    """
    if index_bytes is not None:
        return Weights(index_bytes, index_bytes, "index", ("total_size of the safetensors index",))
    config = Config(config_values if isinstance(config_values, Mapping) else {})
    if parameters is not None and not 0 < parameters < MOST_PARAMETERS:
        return _no_count(parameters)
    word = weight_format or own_word(config)
    if word is None and not section_of(config):
        return Unknown(("weight_format", "torch_dtype"), "neither the format nor the config says how weights are stored")
    if word in PLAIN and parameters is not None:
        return _plain(parameters, word)
    found = stored(word, config, with_encoders=parameters is not None)
    if isinstance(found, Unknown):
        return found
    return weighed(parameters, word, found)


def weighed(parameters: int | None, word: str | None, found: Stored) -> Weights | Unknown:
    """The same as weight_bytes where it is known already how the decoder is stored."""
    if parameters is not None and not 0 < parameters < MOST_PARAMETERS:
        return _no_count(parameters)
    return _plain(found.elements if parameters is None else parameters, word) if word in PLAIN else _sum(found, parameters)


def _no_count(parameters: int) -> Unknown:
    return Unknown(("parameters",), f"{str(parameters)[:20]} is no count of parameters")


def _plain(parameters: int, word: str) -> Weights:
    """A plain format takes the same for every weight."""
    size = parameters * PLAIN[word]
    return Weights(size, size, "computed", (f"{parameters:,} parameters of {PLAIN[word]} bytes",))


def _sum(found: Stored, parameters: int | None) -> Weights | Unknown:
    """Bytes over all tensors, and over the parameters that are beyond the text decoder, which may be quantized or not."""
    light, heavy = found.schemes
    total, notes = found.elements, list(found.notes)
    beyond = parameters - total if parameters is not None and not found.alone else 0
    if beyond < 0:
        reason = f"{parameters:,} are fewer than the {total:,} of the text decoder; packed weights count one by one"
        return Unknown(("parameters",), reason)
    if light is heavy:
        quantized = sum(tensor.elements for tensor in found.tensors if light.format_of(tensor))
        notes.append(f"{quantized:,} of {total:,} weights of the text decoder are quantized")
    if beyond:
        notes.append(f"{beyond:,} parameters beyond the text decoder, at {float(found.narrowest):g} to {found.rest} bytes")
    low, high = found.bytes
    return Weights(low + ceil(beyond * found.narrowest), high + beyond * found.rest, "computed", tuple(notes))
