"""What a checkpoint is made of: its tensors by module name and shape, and counts of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from msgspec import Struct

PARTS = ("embedding", "output", "attention", "mlp", "experts", "shared_experts", "router", "norms")
"""Parts of a decoder. A tied output matrix is counted once, as embedding; biases belong to the part that they are added in."""


class Tensor(Struct, frozen=True):
    """One tensor, or `copies` of one shape: the experts of a layer. `name` is the module's path below the model, such as
    layers.3.self_attn.q_proj; that of the first expert stands for all. A matrix has its outputs as rows. A token uses `active` copies.
    Of the rows, `kv_rows` are those of `kv_heads` key and value heads, which ranks repeat rather than cut.
    """

    name: str
    part: str
    shape: tuple[int, ...]
    copies: int = 1
    active: int = 1
    kv_rows: int = 0
    kv_heads: int = 0

    @property
    def elements(self) -> int:
        return self.copies * prod(self.shape)

    @property
    def is_matrix(self) -> bool:
        return len(self.shape) == 2


class Parameters(Struct, frozen=True):
    """Counts of stored numbers. `active` leaves out the experts that a token does not go through; the embedding, of which a token
    uses one row, counts in full. `by_part` has the total by the words in PARTS, `defaults_used` what the config leaves to its class,
    `notes` what of the model is not in the counts.
    """

    total: int
    active: int
    by_part: dict[str, int]
    defaults_used: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def counted(tensors: Iterable[Tensor], defaults_used: Iterable[str] = (), notes: Iterable[str] = ()) -> Parameters:
    """The sums over tensors."""
    total, active, by_part = 0, 0, dict.fromkeys(PARTS, 0)
    for tensor in tensors:
        total += tensor.elements
        active += tensor.active * prod(tensor.shape)
        by_part[tensor.part] += tensor.elements
    return Parameters(total, active, {part: count for part, count in by_part.items() if count}, tuple(defaults_used), tuple(notes))


def linear(
    name: str, part: str, rows: int, columns: int, bias: bool = False, copies: int = 1, active: int = 1, kv_rows: int = 0, kv_heads: int = 0
) -> Iterator[Tensor]:
    """A matrix, and its bias if it has one."""
    yield Tensor(name, part, (rows, columns), copies, active, kv_rows, kv_heads)
    if bias:
        yield Tensor(f"{name}.bias", part, (rows,), copies, active, kv_rows, kv_heads)
