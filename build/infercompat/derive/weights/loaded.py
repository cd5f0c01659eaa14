"""Bytes of weights that the fullest rank of an engine loads: the decoder cut as engines cut it, the image tower, and drafting layers if asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil
from typing import Any

from msgspec import Struct

from infercompat.derive.config import Config
from infercompat.derive.layers import Unknown
from infercompat.derive.weights import Weights, weighed, weight_bytes
from infercompat.derive.weights.beside import draft_elements, drafts, tower_elements, tower_heads
from infercompat.derive.weights.count import ENCODERS
from infercompat.derive.weights.formats import Bounds
from infercompat.derive.weights.ranks import Split, stages
from infercompat.derive.weights.stored import Stored, own_word, stored
from infercompat.derive.weights.tables import position_tables, without_values
from infercompat.derive.weights.tensors import Tensor

NEAR = Fraction(2, 100)
"""How far a stated total may lie from the decoder's and still be meant to be the same: headers and scales that are not counted."""


class Beside(Struct, frozen=True):
    """Bytes beside the decoder: of the image tower, of drafting layers, and of what is neither for sure."""

    tower: Bounds = (0, 0)
    drafting: Bounds = (0, 0)
    other: Bounds = (0, 0)

    @property
    def nothing(self) -> bool:
        return self.tower[1] == self.drafting[1] == self.other[1] == 0


class Evenly(Struct, frozen=True):
    """A checkpoint whose tensors are not known: ranks are taken to share the whole evenly, and `why` says so."""

    total: Weights
    why: str


class LaidOut(Struct, frozen=True):
    """A checkpoint of which all is known but how ranks share it.

    The decoder takes `actual` bytes, which lie between those of its lightest and its heaviest format (`decoder`). `layers` are those of
    the decoder; `tower_heads` are heads of the image tower, None where they are not known.
    """

    stored: Stored
    decoder: Bounds
    actual: Bounds
    beside: Beside
    layers: int
    tower_heads: int | None
    total: Weights
    tables: int = 0
    copied: Bounds = (0, 0)
    copied_heads: int = 1

    @property
    def tied(self) -> bool:
        """Whether input and output share a matrix."""
        return not any(tensor.part == "output" for tensor in self.stored.tensors)

    @property
    def expanded(self) -> int:
        """Bytes in 16 bits of what leads out of the latents, where that is quantized."""
        leading = [tensor for tensor in self.stored.tensors if tensor.name.endswith("kv_b_proj") and self.stored.schemes[0].format_of(tensor)]
        return sum(2 * tensor.elements for tensor in leading)


def loaded_weights(
    parameters: int | None, weight_format: str | None, values: Mapping[str, Any], split: Split, whole: Weights | None = None
) -> Weights | Unknown:
    """What the fullest rank holds of a checkpoint. `whole` is what the checkpoint takes where a source states it.

    Drafting layers are loaded where `split.drafts`; a second copy of a tied matrix never is. Where the tensors are not known, the
    whole is cut evenly and says so. A decoder whose format is known within bounds is placed between them by the stated whole.
    """
    found = laid_out(parameters, weight_format, values, whole)
    return found if isinstance(found, Unknown) else rank_of(found, split)


def rank_of(found: LaidOut | Evenly, split: Split) -> Weights:
    """What the fullest rank holds of a checkpoint that is laid out."""
    return _on_fullest(found, split) if isinstance(found, LaidOut) else _cut_evenly(found, split)


def laid_out(parameters: int | None, weight_format: str | None, values: Mapping[str, Any], whole: Weights | None = None) -> LaidOut | Evenly | Unknown:
    """The part of `loaded_weights` that is the same however ranks share the checkpoint."""
    config = Config(values)
    word = weight_format or own_word(config)
    found = stored(word, config, with_encoders=True)
    if isinstance(found, Unknown):
        total = whole or weight_bytes(parameters, weight_format, values)
        return found if isinstance(total, Unknown) else Evenly(total, found.reason)
    counts_all = parameters is not None or found.alone or not any(config.anywhere(field) for field in ENCODERS)
    total = whole or (weighed(parameters, word, found) if counts_all else weight_bytes(None, weight_format, values))
    decoder = found.bytes
    if isinstance(total, Unknown):
        total = Weights(*decoder, "computed", (f"the text decoder alone: {total.reason}",))
    if decoder[0] > total.high * (1 + NEAR):
        return Evenly(total, "the config describes more than that")
    beside = Beside() if found.alone else _beside(config, found, parameters, total.high - decoder[0])
    actual = _of_decoder(total, decoder, beside) if whole else decoder
    copied = without_values(found)
    again = (found.bytes_of(copied), max([1, *(tensor.kv_heads for tensor in copied)]))
    return LaidOut(found, decoder, actual, beside, layers_of(found.tensors), tower_heads(config), total, position_tables(config), *again)


def layers_of(tensors: Iterable[Tensor]) -> int:
    """How many layers the tensors are of: the config may say it by its list of kinds alone."""
    return 1 + max((int(tensor.name.split(".", 2)[1]) for tensor in tensors if tensor.name.startswith("layers.")), default=0)


def _on_fullest(found: LaidOut, split: Split) -> Weights:
    low, high = _placed(found.actual, found.decoder, _fullest(found, split))
    # What leads out of the latents is kept in 16 bits beside the quantized matrices.
    extra = [_of_tower(found, split), found.beside.other, (found.expanded // split.ranks if split.expands_latent else 0,) * 2]
    if split.keeps_tables:
        heads = min(split.tensor, found.copied_heads)
        extra += [(found.tables,) * 2, (found.copied[0] // heads // split.pipeline, ceil(Fraction(found.copied[1], heads)))]
    if split.drafts:
        light, heavy = found.beside.drafting
        extra.append((light // split.tensor, heavy if light == 0 else ceil(heavy / split.tensor)))
    return Weights(low + sum(pair[0] for pair in extra), high + sum(pair[1] for pair in extra), found.total.basis, found.total.notes)


def _cut_evenly(found: Evenly, split: Split) -> Weights:
    total = found.total
    notes = total.notes if split.ranks == 1 else (*total.notes, f"cut evenly over {split.ranks} ranks: {found.why}")
    return Weights(total.low // split.ranks, total.high // split.ranks, total.basis, notes)


def _fullest(found: LaidOut, split: Split) -> Bounds:
    """Bytes of the decoder on the rank that holds most of it."""
    held = [found.stored.bytes_of(tensors, split) for tensors in stages(found.stored.tensors, split, found.layers, found.tied)]
    return max(low for low, _ in held), max(high for _, high in held)


def _of_decoder(total: Weights, decoder: Bounds, beside: Beside) -> Bounds:
    """What a stated total leaves for the decoder. Whether drafting layers are in it is not known for sure."""
    taken_low, taken_high = beside.tower[0], beside.tower[1] + beside.drafting[1] + beside.other[1]
    low, high = total.low - taken_high, total.high - taken_low
    if beside.nothing and abs(total.high - decoder[0]) > NEAR * decoder[0] and decoder[0] == decoder[1]:
        return decoder
    # Only what holds nothing else may be a little longer than the decoder.
    return (low, high) if beside.nothing else (min(max(low, decoder[0]), decoder[1]), max(min(high, decoder[1]), decoder[0]))


def _placed(actual: Bounds, decoder: Bounds, rank: Bounds) -> Bounds:
    """The rank's bytes, as far between its bounds as the decoder's actual bytes lie between theirs."""

    def place(size: int) -> int:
        light, heavy = decoder
        if light == heavy:
            return ceil(rank[0] * Fraction(size, light))
        if size <= light or size >= heavy:
            return ceil(rank[0] * Fraction(size, light)) if size <= light else ceil(rank[1] * Fraction(size, heavy))
        return ceil(rank[0] + Fraction(size - light, heavy - light) * (rank[1] - rank[0]))

    return place(actual[0]), place(actual[1])


def _beside(config: Config, found: Stored, parameters: int | None, left: int) -> Beside:
    """What the checkpoint holds beside the decoder. `left` is the most that there is room for."""
    left = max(0, left)
    encoder, drafting = any(config.anywhere(field) for field in ENCODERS), drafts(config)
    beyond = None if parameters is None else parameters - found.elements
    if not encoder and not drafting:
        return Beside() if not beyond or beyond < 0 or _twice(found, beyond) else Beside(other=(0, min(left, beyond * found.rest)))
    tower, draft = tower_elements(config) if encoder else 0, draft_elements(config, found.tensors) if drafting else 0
    if beyond is not None and beyond >= 0:
        tower = beyond if encoder and not drafting else tower
        draft = max(0, beyond - tower) if drafting and draft is None and tower is not None else draft
    # Towers are left in the wide type by every scheme seen.
    of_tower = (0, left) if tower is None else (tower * found.rest,) * 2
    return Beside(of_tower, (0, left) if draft is None else (ceil(draft * found.narrowest), draft * found.rest))


def _twice(found: Stored, beyond: int) -> bool:
    """Whether what is beyond the decoder is a second copy of the matrix that input and output share."""
    tied = not any(tensor.part == "output" for tensor in found.tensors)
    return tied and beyond == sum(tensor.elements for tensor in found.tensors if tensor.name == "embed_tokens")


def _of_tower(found: LaidOut, split: Split) -> Bounds:
    """The tower on a rank: its heads are cut where they can be (models/vision.py is_vit_use_data_parallel, vLLM), else it is whole."""
    if split.text_only:
        return 0, 0
    tower, heads = found.beside.tower, found.tower_heads
    if split.tower_whole or (heads and heads % split.tensor):
        return tower
    return tower[0] // split.tensor, ceil(tower[1] / split.tensor) if heads else tower[1]
