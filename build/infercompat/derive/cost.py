"""From layers to bytes: what the layers need (ideal), and what an engine pays that treats every layer as full and unshared (naive)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil

from msgspec import Struct

from infercompat.derive.layers import PARTS, Demands, Elements, Layer
from infercompat.units import ELEMENT_BYTES

STATE_PARTS = ("convolution", "state")
UNQUANTIZED = ("fp32", "bf16", "fp16")


class Naive(Struct, frozen=True):
    """Every layer that has attention grows with each token: no window, nothing shared, a latent expanded to its heads."""

    bytes_per_token: int


class Ideal(Struct, frozen=True):
    """What the layers need: growth a token past all windows, the windows when full, and what a sequence holds whatever its length."""

    growing_bytes_per_token: int
    window_bytes: int
    state_bytes_per_sequence: int


class CacheCost(Struct, frozen=True):
    """The cache of one sequence over all ranks. Figures are exact inside and rounded up once, at the end.

    `dtypes` has the dtype of each part. `state_dtype` overrides what a layer says of its own recurrent state; None leaves it.
    """

    groups: tuple[tuple[Layer, int], ...]
    dtypes: Mapping[str, str]
    state_dtype: str | None

    @property
    def naive(self) -> Naive:
        return Naive(ceil(self._naive_per_token))

    @property
    def ideal(self) -> Ideal:
        return Ideal(ceil(self._sum(lambda layer: layer.growth)), ceil(self._sum(lambda layer: layer.windowed)), ceil(self._fixed))

    @property
    def state_dtypes(self) -> tuple[str, ...]:
        """The dtypes that recurrent states are counted in; an answer about a recurrent model names them."""
        return tuple(sorted({self._dtype(layer, "state") for layer, _ in self.groups if layer.state_elements}))

    def ideal_bytes(self, tokens: int) -> int:
        """Bytes that the layers need for this many tokens, states included."""
        return ceil(self._ideal(tokens))

    def naive_bytes(self, tokens: int) -> int:
        """Bytes that the naive cache takes for this many tokens. States are held either way and are included."""
        return ceil(self._naive(tokens))

    def overpay(self, tokens: int) -> Fraction | None:
        """Naive over ideal; None where nothing is needed."""
        ideal = self._ideal(tokens)
        return self._naive(tokens) / ideal if ideal else None

    def _ideal(self, tokens: int) -> Fraction:
        return self._sum(lambda layer: layer.held(tokens)) + self._fixed

    def _naive(self, tokens: int) -> Fraction:
        return tokens * self._naive_per_token + self._fixed

    @property
    def _naive_per_token(self) -> Fraction:
        return self._sum(lambda layer: layer.naive)

    @property
    def _fixed(self) -> Fraction:
        return self._sum(lambda layer: layer.fixed)

    def _sum(self, elements_of: Callable[[Layer], Elements]) -> Fraction:
        return sum((count * self._bytes(layer, elements_of(layer)) for layer, count in self.groups), Fraction(0))

    def _bytes(self, layer: Layer, elements: Elements) -> Fraction:
        return sum((count * ELEMENT_BYTES[self._dtype(layer, part)] for part, count in elements.items() if count), Fraction(0))

    def _dtype(self, layer: Layer, part: str) -> str:
        own = layer.state_dtype if part == "state" and self.state_dtype is None else None
        return own or self.dtypes[part]


def cache_cost(demands: Demands, dtype: str = "bf16", state_dtype: str | None = None, **parts: str) -> CacheCost:
    """The cost of a model's cache with elements of `dtype` (a key of units.ELEMENT_BYTES).

    Keywords k, v, latent, index and convolution give a part a dtype of its own. States follow `state_dtype`, else the layer's own
    word, else `dtype`; where that is a quantized one, states and convolutions stay at bf16, as no engine quantizes them along.
    """
    if unknown := set(parts) - set(PARTS):
        raise TypeError(f"no such part of a cache: {', '.join(sorted(unknown))}")
    wide = dtype if dtype in UNQUANTIZED else "bf16"
    dtypes = {part: wide if part in STATE_PARTS else dtype for part in PARTS} | parts
    if state_dtype:
        dtypes["state"] = state_dtype
    return CacheCost(tuple(Counter(demands.layers).items()), dtypes, parts.get("state", state_dtype))
