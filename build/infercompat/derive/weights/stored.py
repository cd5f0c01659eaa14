"""How a checkpoint's decoder is stored: its tensors, and the format of each at its lightest and at its heaviest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.context import weight_format as format_word
from infercompat.derive.layers import Unknown
from infercompat.derive.weights.count import ENCODERS, tensors_of
from infercompat.derive.weights.formats import DTYPE_WORDS, GGUF_BLOCKS, GGUF_UNIFORM, PLAIN, Bounds, Format, gguf
from infercompat.derive.weights.mixtures import Mixture, mixture_of
from infercompat.derive.weights.ranks import Split, on_rank
from infercompat.derive.weights.scheme import LIGHTEST_AND_HEAVIEST, LINEAR, Scheme, read_scheme
from infercompat.derive.weights.tensors import PARTS, Tensor, counted

SECTIONS = ("quantization_config", "quantization", "compression_config")


class Stored(Struct, frozen=True, dict=True):
    """The tensors of a text decoder with two schemes, the lightest and the heaviest it may be; `rest` is bytes a weight of what they leave
    alone. A GGUF file is of the decoder `alone`: image towers are files of their own, and drafting layers are mostly left out."""

    tensors: list[Tensor]
    schemes: tuple[Scheme | Mixture, Scheme | Mixture]
    rest: int
    notes: tuple[str, ...] = ()
    alone: bool = False

    @property
    def narrowest(self) -> Fraction:
        """The fewest bytes that a weight beside the decoder may take."""
        light = self.schemes[0]
        groups = light.groups if isinstance(light, Scheme) else ()
        return min(Fraction(self.rest), *(Fraction(format.bits or 8 * self.rest, 8) for _, format in groups), Fraction(self.rest))

    @cached_property
    def elements(self) -> int:
        """Numbers of the decoder."""
        return counted(self.tensors).total

    @cached_property
    def bytes(self) -> Bounds:
        """Bytes of the decoder."""
        return self.bytes_of(self.tensors)

    def bytes_of(self, tensors: Iterable[Tensor], split: Split | None = None) -> Bounds:
        """Bytes of all copies of the tensors, each stored for itself; with a split, of what one rank holds of them."""
        light, heavy = self.schemes
        alike: dict[tuple[object, ...], Bounds] = {}
        low = high = 0
        for tensor in tensors:
            # A cut tensor keeps the format that the whole one has.
            thin = light.format_of(tensor)
            thick = thin if heavy is light else heavy.format_of(tensor)
            # Layers repeat each other: what differs in nothing but the layer's number is measured once.
            kind = (_within(tensor.name), tensor.part, tensor.shape, tensor.copies, tensor.kv_rows, tensor.kv_heads, thin, thick)
            held = alike.get(kind)
            if held is None:
                part = tensor if split is None else on_rank(tensor, split)
                held = alike[kind] = _bytes(part, thin, self.rest)[0], _bytes(part, thick, self.rest)[1]
            low += held[0]
            high += held[1]
        return low, high


def _within(name: str) -> str:
    """A tensor's name, within its layer if it is of one."""
    return name.split(".", 2)[-1] if name.startswith("layers.") else name


def _bytes(tensor: Tensor, format: Format | None, rest: int) -> Bounds:
    low, high = (tensor.elements * rest,) * 2 if format is None else format.bytes_of(*tensor.shape)
    return (low, high) if format is None else (tensor.copies * low, tensor.copies * high)


def section_of(config: Config) -> Mapping[str, Any]:
    """The config's section on quantization, empty where it has none."""
    return next((found for name in SECTIONS if isinstance(found := config.anywhere(name), dict) and found), {})


def dtype_of(config: Config) -> str | None:
    """The plain format that the config names."""
    return DTYPE_WORDS.get(str(config.anywhere("torch_dtype") or config.anywhere("dtype")))


def own_word(config: Config) -> str | None:
    """The format that the config says itself."""
    return format_word(config) if section_of(config) else dtype_of(config)


def stored(word: str | None, config: Config, with_encoders: bool = False) -> Stored | Unknown:
    """How the decoder is stored in a format. Where there is an encoder beside it, that has to be known (`with_encoders`)."""
    own = own_word(config)
    if word in PLAIN:
        return _over(config, (Scheme(()),) * 2, PLAIN[word], with_encoders)
    if word == "gguf":
        return Unknown(("the header of the GGUF file",), "a GGUF file mixes types; its header lists them")
    if word and word not in LIGHTEST_AND_HEAVIEST and (kind := gguf_type(word.upper())):
        return _gguf(kind, word.upper(), config, with_encoders)
    section = section_of(config) if own in (None, word) or word is None else {}
    schemes = _schemes(word, section)
    if isinstance(schemes, Unknown):
        return schemes
    found = _over(config, schemes, 4 if dtype_of(config) == "fp32" else 2, with_encoders)
    if section or isinstance(found, Unknown):
        return found
    heavy = "experts" if any(tensor.part == "experts" for tensor in found.tensors) else "mlp"
    note = f"no quantization_config says which modules are {word}: counted for all in the layers, and for {heavy} only"
    return replace(found, schemes=(schemes[0], Scheme(schemes[1].groups, frozenset({heavy}))), notes=(note,))


def gguf_type(word: str) -> str | None:
    """The main tensor type of a GGUF file type such as Q4_K_M, or the type itself."""
    return next((name for name in (word, word.rpartition("_")[0]) if name in GGUF_BLOCKS), None)


def _over(config: Config, schemes: Any, rest: int, with_encoders: bool, alone: bool = False, notes: tuple[str, ...] = ()) -> Stored | Unknown:
    if not (with_encoders or alone) and (encoder := next((field for field in ENCODERS if config.anywhere(field)), None)):
        return Unknown(("parameters",), f"only the text decoder can be counted from the config, and there is a {encoder}")
    tensors = tensors_of(config.parts[0])
    return tensors if isinstance(tensors, Unknown) else Stored(tensors, schemes, rest, notes, alone)


def _gguf(kind: str, word: str, config: Config, with_encoders: bool) -> Stored | Unknown:
    """A file of one type: matrices in it, vectors and routers in F32 (src/llama-quant.cpp tensor_allows_quantization, llama.cpp)."""
    if word in GGUF_UNIFORM:
        scheme = Scheme(((None, gguf(word)),), frozenset(PARTS) - {"router"})
        return _over(config, (scheme, scheme), 4, with_encoders, True, (f"matrices in {word}, vectors and routers in F32",))
    light, heavy = (mixture_of(word, config, imatrix) for imatrix in (False, True))
    if light is None or heavy is None:
        weights, size = GGUF_BLOCKS[kind]
        reason = f"{word} is {8 * size / weights:g} bits a weight, but files of that name mix it with other types"
        return Unknown(("the header of the GGUF file",), reason)
    return _over(config, (light, heavy), 4, with_encoders, True, light.notes)


def _schemes(word: str | None, section: Mapping[str, Any]) -> tuple[Scheme, Scheme] | Unknown:
    """The scheme at its lightest and at its heaviest; one and the same where the config has it."""
    if section:
        scheme = read_scheme(section)
        if isinstance(scheme, str):
            return Unknown(("quantization_config",), f"quantization_config: {scheme}")
        return Unknown(tuple(scheme.unread), "patterns of quantization_config that could not be read") if scheme.unread else (scheme, scheme)
    if word is None:
        return Unknown(("weight_format", "torch_dtype"), "neither the format nor the config says how weights are stored")
    if word not in LIGHTEST_AND_HEAVIEST:
        return Unknown(("quantization_config",), f"how {word[:40]} weights are laid out is not given")
    light, heavy = LIGHTEST_AND_HEAVIEST[word]
    return Scheme(((None, light),), LINEAR), Scheme(((None, heavy),))
