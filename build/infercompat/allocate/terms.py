"""What holds for one allocation: the request over the engine's defaults, and the parameters of the policy that applies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NoReturn

from msgspec import Struct

from infercompat.allocate.request import Request
from infercompat.derive import Layer, Unknown
from infercompat.units import ELEMENT_BYTES

SPELLINGS = {"auto": "bf16", "bfloat16": "bf16", "float16": "fp16", "half": "fp16", "f16": "fp16", "float32": "fp32", "f32": "fp32"}
"""Engines' names for element types that units.py has under another name. auto is the model's own type, of two bytes for all but fp32."""

MOST_RANKS = 4096
"""Ranks of one kind at most, as many as devices can be counted: pipeline stages are worked out each by itself."""

NOT_COUNTED = "the layers of a draft model are not counted"


class Lacking(Exception):
    """A policy does not say what its algorithm asks of it; the message is the parameter's name."""


class Unfit(Exception):
    """A setting has a value that it cannot have; the arguments are the fact and what is wrong with it."""


class Parameters(dict[str, Any]):
    """The parameters of a policy."""

    def __missing__(self, name: str) -> NoReturn:
        raise Lacking(name)


class Terms(Struct, frozen=True):
    """`settings` are those of the engine record, by fact; `parameters` those of the policy."""

    request: Request
    settings: Mapping[str, Any]
    parameters: Mapping[str, Any]
    algorithm: str
    title: str

    def __getitem__(self, fact: str) -> Any:
        """A fact's value: given, else the default of the engine's setting; None where neither says."""
        given, default = self.request.given(fact), self.settings.get(fact, {}).get("default")
        if fact.startswith("setting.") and (wrong := complaint(fact, given, default)):
            raise Unfit(fact, wrong)
        return default if given is None else given

    def ranks(self, fact: str) -> int:
        return int(self[fact] or 1)

    @property
    def layers(self) -> tuple[Layer, ...]:
        return self.request.derived.layers

    @property
    def max_model_len(self) -> int | None:
        """The longest sequence: given, else what the config says."""
        context = self.request.derived.context
        return self["max_model_len"] or context.extended or context.native

    @property
    def speculative_tokens(self) -> int:
        """Tokens drafted in a step: given, else the engine's default where a method of drafting is given."""
        method = self.request.given("speculation.method")
        return int((self.request.given("speculation.tokens") if method in (None, "none") else self["speculation.tokens"]) or 0)

    @property
    def notes(self) -> Iterator[str]:
        """What is true of every engine's figures, where the engine's own rule does not count a draft."""
        if self.speculative_tokens and self["speculation.method"] not in ("ngram", "suffix"):
            yield NOT_COUNTED


def complaint(fact: str, value: Any, default: Any) -> str:
    """Why a setting with this default cannot have a value; empty where it can. A default that is a word may have -1 beside it."""
    if value is None:
        return ""
    if _is_number(default) and not _is_number(value):
        return f"{fact} is a number, not {value}"
    below = _is_number(value) and value < 0 and (default is None or _is_number(default))
    return f"{fact} is 0 or more, not {value}" if below else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def element_bytes(dtype: str | None) -> Fraction | None:
    """Bytes of a cache element by an engine's or our own name for its type; None for a type that is not known."""
    return ELEMENT_BYTES.get(SPELLINGS.get(dtype or "auto", dtype or "auto"))


def unlike(layers: Sequence[Layer]) -> Unknown | None:
    """Why layers are not all of one shape of plain attention, for engines that have one number of heads and one width; None where they are."""
    if any(layer.kind not in ("full", "sliding", "chunked") or layer.latent_width or layer.cross_tokens for layer in layers):
        return Unknown(("a rule for these layers",), "latents, states and cross-attention are not worked out")
    if any(layer.shares or layer.index_width for layer in layers) or len({(layer.kv_heads, layer.k_width, layer.v_width) for layer in layers}) > 1:
        return Unknown(("a rule for these layers",), "the engine has one number of heads and one width for all layers, which these do not have")
    return None


def heads_on_rank(heads: int, ranks: int) -> int:
    """KV heads that one of so many tensor parallel ranks keeps: its share, or one head that others keep too."""
    return max(1, heads // ranks) if heads else 0


def divides(heads: int, ranks: int) -> bool:
    """Whether heads can be spread over ranks evenly, or each head over the same number of ranks."""
    return not heads or heads % ranks == 0 or ranks % heads == 0


def state_elements(layer: Layer, ranks: int, extra_columns: int, kernel: int | None) -> tuple[Fraction, Fraction] | None:
    """Convolution and recurrent elements on one rank. With further columns in the convolution its kernel must be known, else None."""
    convolution = Fraction(layer.conv_elements)
    if extra_columns and convolution:
        if not kernel or kernel < 2:
            return None
        convolution += convolution / (kernel - 1) * extra_columns
    return convolution / ranks, Fraction(layer.state_elements, ranks)


def whole(value: Any) -> int | None:
    """A value as a whole number, None where it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None
