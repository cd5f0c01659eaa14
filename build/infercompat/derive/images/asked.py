"""A question about one image: its size, the model's config and the processor's file, with an account of the values that were used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from infercompat.derive.config import Config

LONGEST_SIDE = 1 << 20
"""Pixels; more than any image a processor would take."""


class ImageTokens(Struct, frozen=True):
    """Positions that one image takes in the sequence, with the markers of its rows and tiles but without the pair around it.

    `low` and `high` are the least and the most for images of any size under the same processor values. `how` names the rule and
    the values, and says which of them are class defaults. `around` counts the markers before and after the image.
    """

    tokens: int
    low: int
    high: int
    how: str
    around: int = 0


class Asked(Struct):
    """One image of `width` x `height` pixels. Values are looked up in `processor` (preprocessor_config.json) or in the config; what
    cannot be found or used is in `missing`."""

    config: Config
    width: int
    height: int
    processor: Mapping[str, Any]
    used: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def processed(self, name: str, default: int, *, most: int = 1 << 31) -> int:
        """A whole number of the processor's file by a dotted name, else the default of its class."""
        value = _dig(self.processor, name)
        if value is None:
            self.used.append(f"{name}={default} (class default)")
            return default
        return self._keep(name, value, most)

    def switched(self, name: str, default: bool) -> bool:
        """A switch of the processor's file, else the default of its class."""
        value = _dig(self.processor, name)
        self.used.append(f"{name}={'yes' if (default if value is None else value) else 'no'}{' (class default)' if value is None else ''}")
        return default if value is None else bool(value)

    def configured(self, name: str, default: int | None = None, *, most: int = 1 << 31) -> int:
        """A whole number of the config, beside the text part or, after a dot, in a section such as vision_config."""
        first, _, inner = name.partition(".")
        value = self.config.anywhere(first)
        value = value.get(inner) if inner and isinstance(value, Mapping) else None if inner else value
        if value is None:
            if default is None:
                self.missing.append(name)
                return 1
            self.used.append(f"{name}={default} (class default)")
            return default
        return self._keep(name, value, most)

    def either(self, name: str, config_name: str, default: int | None, *, most: int = 1 << 31) -> int:
        """A whole number of the processor's file, else what the config has in its place, else the class default."""
        if _dig(self.processor, name) is not None:
            return self.processed(name, 1, most=most)
        value = self.configured(config_name, default, most=most)
        if name.rpartition(".")[2] != config_name.rpartition(".")[2]:
            self.used[-1:] = [f"{entry} (in place of {name})" for entry in self.used[-1:]]
        return value

    def answer(self, tokens: int, low: int, high: int, rule: str, around: int = 0) -> ImageTokens:
        used = ", ".join(dict.fromkeys(self.used))
        return ImageTokens(tokens, low, high, f"{rule}; {used}" if used else rule, around)

    def _keep(self, name: str, value: object, most: int) -> int:
        if type(value) is not int or not 0 < value <= most:
            self.missing.append(f"{name} ({str(value)[:20]} is not a size)")
            return 1
        self.used.append(f"{name}={value}")
        return value


def _dig(values: Any, dotted: str) -> Any:
    for step in dotted.split("."):
        values = values.get(step) if isinstance(values, Mapping) else None
    return values
