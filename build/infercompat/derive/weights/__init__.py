"""Bytes of a checkpoint's weights: what a file's index says, else what the weight format makes of the tensors that the config describes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from infercompat.derive.config import Config
from infercompat.derive.context import weight_format as format_word
from infercompat.derive.layers import Unknown
from infercompat.derive.weights.count import ENCODERS, count_parameters, tensors_of
from infercompat.derive.weights.formats import DTYPE_WORDS, GGUF_BLOCKS, GGUF_UNIFORM, PLAIN, Bounds, gguf
from infercompat.derive.weights.scheme import LIGHTEST_AND_HEAVIEST, LINEAR, Scheme, read_scheme
from infercompat.derive.weights.tensors import PARTS, Parameters, Tensor, counted

__all__ = ["GGUF_BLOCKS", "PARTS", "Parameters", "Weights", "count_parameters", "weight_bytes"]

Values = Mapping[str, Any]
SECTIONS = ("quantization_config", "quantization", "compression_config")
MOST_PARAMETERS = 1 << 60


@dataclass(frozen=True)
class Weights:
    """Bytes of all weights: at least `low`, at most `high`. `basis` is "index" (a file's own sum) or "computed"; `notes` say how."""

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
    decoder) in `weight_format`, a word of the catalog's vocabulary or a GGUF tensor type; None reads it from the config. Where the
    config's quantization_config is of another format, it belongs to another checkpoint and is not used.
    """
    if index_bytes is not None:
        return Weights(index_bytes, index_bytes, "index", ("total_size of the safetensors index",))
    config = Config(config_values if isinstance(config_values, Mapping) else {})
    if parameters is not None and not 0 < parameters < MOST_PARAMETERS:
        return Unknown(("parameters",), f"{str(parameters)[:20]} is no count of parameters")
    section = next((found for name in SECTIONS if isinstance(found := config.anywhere(name), dict) and found), {})
    own = format_word(config) if section else _dtype(config)
    word = weight_format or own
    if word is None and not section:
        return Unknown(("weight_format", "torch_dtype"), "neither the format nor the config says how weights are stored")
    if word in PLAIN:
        return _plain(parameters, word, config)
    if word == "gguf":
        return Unknown(("the header of the GGUF file",), "a GGUF file mixes types; its header lists them")
    if word and word not in LIGHTEST_AND_HEAVIEST and (kind := _gguf_type(word.upper())):
        return _gguf(parameters, kind, config)
    return _quantized(parameters, word, section if own in (None, word) else {}, config)


def _gguf_type(word: str) -> str | None:
    """The main tensor type of a GGUF file type such as Q4_K_M, or the type itself."""
    return next((name for name in (word, word.rpartition("_")[0]) if name in GGUF_BLOCKS), None)


def _dtype(config: Config) -> str | None:
    return DTYPE_WORDS.get(str(config.anywhere("torch_dtype") or config.anywhere("dtype")))


def _plain(parameters: int | None, word: str, config: Config) -> Weights | Unknown:
    """A plain format takes the same for every weight."""
    if parameters is None:
        tensors = _only_decoder(config)
        if isinstance(tensors, Unknown):
            return tensors
        parameters = counted(tensors).total
    size = parameters * PLAIN[word]
    return Weights(size, size, "computed", (f"{parameters:,} parameters of {PLAIN[word]} bytes",))


def _only_decoder(config: Config) -> list[Tensor] | Unknown:
    """The tensors of a model that is a text decoder and nothing else."""
    if encoder := next((field for field in ENCODERS if config.anywhere(field)), None):
        return Unknown(("parameters",), f"only the text decoder can be counted from the config, and there is a {encoder}")
    return tensors_of(config.parts[0])


def _gguf(parameters: int | None, word: str, config: Config) -> Weights | Unknown:
    """A file of one type: matrices in it, vectors and routers in F32 (src/llama-quant.cpp tensor_allows_quantization, llama.cpp)."""
    weights, size = GGUF_BLOCKS[word]
    if word not in GGUF_UNIFORM:
        reason = f"{word} is {8 * size / weights:g} bits a weight, but files of that name mix it with other types"
        return Unknown(("the header of the GGUF file",), reason)
    tensors = _only_decoder(config) if parameters is None else tensors_of(config.parts[0])
    if isinstance(tensors, Unknown):
        return tensors
    scheme = Scheme(((None, gguf(word)),), frozenset(PARTS) - {"router"})
    return _sum(tensors, parameters, (scheme, scheme), 4, [f"matrices in {word}, vectors and routers in F32"])


def _quantized(parameters: int | None, word: str | None, section: Mapping[str, Any], config: Config) -> Weights | Unknown:
    schemes = _schemes(word, section)
    if isinstance(schemes, Unknown):
        return schemes
    tensors = _only_decoder(config) if parameters is None else tensors_of(config.parts[0])
    if isinstance(tensors, Unknown):
        return tensors
    rest, notes = 4 if _dtype(config) == "fp32" else 2, []
    if not section:
        heavy = "experts" if any(tensor.part == "experts" for tensor in tensors) else "mlp"
        schemes = (schemes[0], Scheme(schemes[1].groups, frozenset({heavy})))
        notes = [f"no quantization_config says which modules are {word}: counted for all in the layers, and for {heavy} only"]
    return _sum(tensors, parameters, schemes, rest, notes)


def _schemes(word: str | None, section: Mapping[str, Any]) -> tuple[Scheme, Scheme] | Unknown:
    """The scheme at its lightest and at its heaviest; one and the same where the config has it."""
    if section:
        scheme = read_scheme(section)
        if isinstance(scheme, str):
            return Unknown(("quantization_config",), f"quantization_config: {scheme}")
        return Unknown(tuple(scheme.unread), "patterns of quantization_config that could not be read") if scheme.unread else (scheme, scheme)
    if word not in LIGHTEST_AND_HEAVIEST:
        return Unknown(("quantization_config",), f"how {str(word)[:40]} weights are laid out is not given")
    light, heavy = LIGHTEST_AND_HEAVIEST[word]
    return Scheme(((None, light),), LINEAR), Scheme(((None, heavy),))


def _sum(tensors: list[Tensor], parameters: int | None, schemes: tuple[Scheme, Scheme], rest: int, notes: list[str]) -> Weights | Unknown:
    """Bytes over all tensors, and over the parameters that are beyond the text decoder, which may be quantized or not."""
    light, heavy = schemes
    total, quantized = counted(tensors).total, sum(tensor.elements for tensor in tensors if light.format_of(tensor))
    beyond = parameters - total if parameters is not None else 0
    if beyond < 0:
        reason = f"{parameters:,} are fewer than the {total:,} of the text decoder; packed weights count one by one"
        return Unknown(("parameters",), reason)
    if light is heavy:
        notes = [*notes, f"{quantized:,} of {total:,} weights of the text decoder are quantized"]
    narrow = min(rest, *(Fraction(format.bits or 8 * rest, 8) for _, format in light.groups))
    if beyond:
        notes = [*notes, f"{beyond:,} parameters beyond the text decoder, at {float(narrow):g} to {rest} bytes"]
    low = sum(_bytes(tensor, light, rest)[0] for tensor in tensors) + ceil(beyond * narrow)
    high = sum(_bytes(tensor, heavy, rest)[1] for tensor in tensors) + beyond * rest
    return Weights(low, high, "computed", tuple(notes))


def _bytes(tensor: Tensor, scheme: Scheme, rest: int) -> Bounds:
    """Bytes of all copies of a tensor, each stored for itself."""
    format = scheme.format_of(tensor)
    low, high = (tensor.elements * rest,) * 2 if format is None else format.bytes_of(*tensor.shape)
    return (low, high) if format is None else (tensor.copies * low, tensor.copies * high)
