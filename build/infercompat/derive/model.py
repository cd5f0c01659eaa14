"""From a config's values to what the model asks for: layers, requirements, cache cost, context; or what is missing to say so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.context import Context, image_tokens, most_image_tokens, read_context, weight_format
from infercompat.derive.cost import CacheCost, cache_cost
from infercompat.derive.layers import KINDS, Demands, Layer, Unknown
from infercompat.derive.readers import BY_NAME

AT_TOKENS = re.compile(r"cache\.(naive|ideal|overpay)\.(at|per_token_at)\.([0-9]{1,14})")


class Derived(Struct, frozen=True):
    """A model as its config describes it. `name` is the model_type or class name whose reader was used."""

    name: str
    demands: Demands
    context: Context
    image_tokens: int | None
    most_image_tokens: int | None
    weight_format: str | None
    _costs: dict[tuple, CacheCost] = field(default_factory=dict)

    @property
    def layers(self) -> tuple[Layer, ...]:
        return self.demands.layers

    @property
    def requirements(self) -> dict[str, str]:
        """Requirement ids, each with its reason."""
        return self.demands.requirements

    @property
    def defaults_used(self) -> tuple[str, ...]:
        """Fields that the config leaves to its class, as "field=value (why)"."""
        return self.demands.defaults_used

    @property
    def notes(self) -> tuple[str, ...]:
        return self.demands.notes

    @property
    def window(self) -> int | None:
        """Tokens of the one window (or chunk) there is; None without one, or with several."""
        windows = {layer.window for layer in self.layers if layer.window}
        return windows.pop() if len(windows) == 1 else None

    @property
    def kv_heads(self) -> int | None:
        """KV heads, the most of any layer; None without attention."""
        return max((layer.kv_heads for layer in self.layers if layer.kv_heads), default=None)

    @property
    def head_dim(self) -> int | None:
        """Width of a head in elements, the largest of any layer's K or V; None without attention."""
        return max((layer.head_dim for layer in self.layers if layer.head_dim), default=None)

    def counts(self) -> dict[str, int]:
        """Layers by kind, for the kinds that occur; a layer that shares is counted as shared only."""
        counted = Counter("shared" if layer.shares else layer.kind for layer in self.layers)
        return {kind: counted[kind] for kind in (*KINDS, "shared") if counted[kind]}

    def cost(self, dtype: str = "bf16", state_dtype: str | None = None, **parts: str) -> CacheCost:
        """The cache cost with elements of `dtype`; see `cost.cache_cost`."""
        key = (dtype, state_dtype, *sorted(parts.items()))
        if key not in self._costs:
            self._costs[key] = cache_cost(self.demands, dtype, state_dtype, **parts)
        return self._costs[key]

    def lookup(self, name: str) -> int | float | None:
        """A figure by the name that prose has for it, such as cache.ideal.at.8192 (bytes in bf16); None where there is none."""
        if match := AT_TOKENS.fullmatch(name):
            return self._at(match[1], match[2], int(match[3]))
        return FIGURES[name](self) if name in FIGURES else None

    def _at(self, what: str, how: str, tokens: int) -> int | float | None:
        cost = self.cost()
        if how == "per_token_at":
            return _plain(Fraction(cost.ideal_bytes(tokens), tokens)) if what == "ideal" and tokens else None
        if what == "overpay":
            ratio = cost.overpay(tokens)
            return None if ratio is None else float(ratio)
        return cost.ideal_bytes(tokens) if what == "ideal" else cost.naive_bytes(tokens)


def _layers_of(kind: str) -> Callable[[Derived], int]:
    return lambda derived: derived.counts().get(kind, 0)


FIGURES: dict[str, Callable[[Derived], int | None]] = {
    "layers.total": lambda derived: len(derived.layers),
    **{f"layers.{kind}": _layers_of(kind) for kind in (*KINDS, "shared")},
    "window": lambda derived: derived.window,
    "kv_heads": lambda derived: derived.kv_heads,
    "head_dim": lambda derived: derived.head_dim,
    "context.native": lambda derived: derived.context.native,
    "context.extended": lambda derived: derived.context.extended,
    "image.tokens": lambda derived: derived.image_tokens,
    "image.most_tokens": lambda derived: derived.most_image_tokens,
    "cache.naive.bytes_per_token": lambda derived: derived.cost().naive.bytes_per_token,
    "cache.ideal.growing_bytes_per_token": lambda derived: derived.cost().ideal.growing_bytes_per_token,
    "cache.ideal.window_bytes": lambda derived: derived.cost().ideal.window_bytes,
    "cache.ideal.state_bytes_per_sequence": lambda derived: derived.cost().ideal.state_bytes_per_sequence,
}
AT_LENGTH = ("cache.naive.at", "cache.ideal.at", "cache.overpay.at", "cache.ideal.per_token_at")

LOOKUP_NAMES = (*FIGURES, *(f"{name}.8192" for name in AT_LENGTH))
"""The names that `Derived.lookup` answers to; those at a length answer to any number of tokens."""


def derive(config_values: Mapping[str, Any], architecture: str | None = None) -> Derived | Unknown:
    """What a config.json asks for. `architecture` is the class name, for configs that lack both model_type and architectures."""
    if not isinstance(config_values, Mapping):
        return Unknown(("model_type",), "the config is not a mapping")
    config = Config(config_values, architecture)
    name = next((name for name in config.names if name in BY_NAME), None)
    if name is None:
        if not config.names:
            return Unknown(("model_type", "architectures"), "the config does not say which architecture it belongs to")
        return Unknown((f"a reader for {config.names[0][:80]}",), "this architecture is not worked out")
    reading = BY_NAME[name](config)
    if isinstance(reading, Unknown):
        return reading
    context = read_context(config)
    reading = replace(reading, defaults_used=tuple(dict.fromkeys((*reading.defaults_used, *config.defaults_used))))
    return Derived(name, reading, context, image_tokens(config), most_image_tokens(config), weight_format(config))


def _plain(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
