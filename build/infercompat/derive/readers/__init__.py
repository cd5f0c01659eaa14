"""One reader for each family of architectures; a new family is one function in one of these modules and one entry in its READERS."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Unknown
from infercompat.derive.readers import encoder_decoder, encoders, gemma, latent, linear, qwen, recurrent, rwkv, standard, windowed
from infercompat.derive.readers.common import Reader

Read = Callable[[Config], Demands | Unknown]

MODULES = (standard, qwen, gemma, windowed, latent, recurrent, linear, rwkv, encoder_decoder, encoders)
READERS: tuple[Reader, ...] = tuple(reader for module in MODULES for reader in module.READERS)


def unique(pairs: Iterable[tuple[str, Read]]) -> dict[str, Read]:
    """A table in which each name leads to one reader; a name that is claimed twice is an error."""
    table: dict[str, Read] = {}
    for name, read in pairs:
        if name in table:
            raise ValueError(f"two readers answer to {name!r}")
        table[name] = read
    return table


BY_NAME: dict[str, Read] = unique((name, reader.read) for reader in READERS for name in f"{reader.model_types} {reader.architectures}".split())
"""From a model_type, or a class name for configs without one, to the reader."""
