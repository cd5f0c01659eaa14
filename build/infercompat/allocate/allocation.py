"""What an engine allocates: figures for one rank, each by the name that log patterns in engine records use."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil

from msgspec import Struct, field


class Group(Struct, frozen=True):
    """Layers on one rank that take their cache together. `step` tokens are taken at once, at most `most` tokens are held."""

    kind: str
    layers: int
    bytes_per_token: Fraction
    step: int = 1
    most: int | None = None

    def tokens(self, count: int) -> int:
        """Tokens that the cache has room for once a sequence has so many."""
        taken = -(-count // self.step) * self.step
        return taken if self.most is None else min(taken, self.most)

    def resident(self, count: int) -> Fraction:
        return self.bytes_per_token * self.tokens(count)


def gathered(layers: Iterable[tuple[str, int | None, Fraction]], step: int = 1) -> tuple[Group, ...]:
    """Layers as (kind, most tokens, bytes of a token), in groups of one kind and length."""
    held: dict[tuple[str, int | None], list[Fraction]] = {}
    for kind, most, size in layers:
        held.setdefault((kind, most), []).append(size)
    return tuple(Group(kind, len(sizes), sum(sizes, Fraction(0)), step, most) for (kind, most), sizes in held.items())


class Allocation(Struct, frozen=True):
    """The figures of one rank; sizes are bytes, lengths tokens. None is a figure that does not follow, and `missing` names the facts
    that would settle it.

    `block_size` and `bytes_per_block`: the unit of the pool, None for engines without blocks. `state_bytes`: what a sequence holds
    whatever its length. `reserved`: what start-up sets aside for one request of the longest length, or allocates at once.
    `needed_bytes`: what the engine demands before it starts; it differs from `reserved` where estimator and allocator do.
    `capacity_tokens` and `max_concurrency`: as the engine counts them, with the memory that is available. `longest`: the longest
    request that the engine says would fit. `most_requests`: those that the engine lets run at once, however short. `kept_as`: the
    layout that stands instead of the type asked for. `devices`: bytes set aside on each device, where layers are spread. `because` says
    why the figures are not the plain ones.
    """

    algorithm: str
    title: str
    groups: tuple[Group, ...]
    block_size: int | None = None
    bytes_per_block: int | None = None
    state_bytes: int = 0
    reserved: int | None = None
    needed_bytes: int | None = None
    blocks: int | None = None
    capacity_tokens: int | None = None
    max_concurrency: float | None = None
    longest: int | None = None
    most_requests: int | None = None
    kept_as: str | None = None
    devices: dict[str, int] | None = None
    because: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    figures: dict[str, float] = field(default_factory=dict)

    def resident(self, tokens: int) -> int:
        """Bytes that so many tokens of one sequence hold between steps, at most; states included."""
        return self.state_bytes + ceil(sum((group.resident(tokens) for group in self.groups), Fraction(0)))

    def figure(self, name: str) -> float | None:
        """A figure by the name that a log pattern has for it; None where it is not known."""
        return self.figures[name] if name in self.figures else getattr(self, name, None)

    def log_lines(self) -> tuple[str, ...]:
        """The engine's own words with these figures, without time and place."""
        return self.lines
