"""Bytes of weights that the fullest rank of an engine loads: the decoder cut as engines cut it, the image tower, and drafting layers if asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from infercompat.derive.config import Config
from infercompat.derive.layers import Unknown
from infercompat.derive.weights import Weights, weight_bytes
from infercompat.derive.weights.beside import draft_elements, drafts, tower_elements, tower_heads
from infercompat.derive.weights.count import ENCODERS
from infercompat.derive.weights.formats import Bounds
from infercompat.derive.weights.ranks import Split, stages
from infercompat.derive.weights.stored import Stored, own_word, stored


@dataclass(frozen=True)
class Beside:
    """Bytes beside the decoder: of the image tower and of drafting layers, and what is neither for sure."""

    tower: Bounds
    drafting: Bounds
    other: Bounds


def loaded_weights(
    parameters: int | None, weight_format: str | None, values: Mapping[str, Any], split: Split, whole: Weights | None = None
) -> Weights | Unknown:
    """What the fullest rank holds of a checkpoint. `whole` is what the checkpoint takes where a source states it.

    Drafting layers are loaded where `split.drafts`; a second copy of a tied matrix never is. Where the tensors are not known, the
    whole is cut evenly and says so. A decoder whose format is known within bounds is placed between them by the stated whole.
    """
    total = whole or weight_bytes(parameters, weight_format, values)
    config = Config(values)
    word = weight_format or own_word(config)
    found = stored(word, config, with_encoders=True)
    if isinstance(found, Unknown):
        return found if isinstance(total, Unknown) else _evenly(total, split, found.reason)
    light, heavy = found.bytes_of(found.tensors)
    if isinstance(total, Unknown):
        total = Weights(light, heavy, "computed", (f"the text decoder alone: {total.reason}",))
    if light > total.high * 1.02:
        return _evenly(total, split, "the config describes more than that")
    beside = _beside(config, found, total, (light, heavy))
    low, high = _fullest(config, found, split)
    expanded = _expanded(found, split)
    if beside is None:
        low, high = _between(total, (light, heavy), (low, high))
        return Weights(low + expanded, high + expanded, total.basis, total.notes)
    extra = [_of_tower(config, beside.tower, split)]
    if split.drafts:
        extra.append((beside.drafting[0] // split.tensor, beside.drafting[1]))
    extra.append((0, beside.other[1]))
    extra.append((expanded, expanded))
    return Weights(low + sum(pair[0] for pair in extra), high + sum(pair[1] for pair in extra), total.basis, total.notes)


def _evenly(total: Weights, split: Split, why: str) -> Weights:
    notes = total.notes if split.ranks == 1 else (*total.notes, f"cut evenly over {split.ranks} ranks: {why}")
    return Weights(total.low // split.ranks, total.high // split.ranks, total.basis, notes)


def _fullest(config: Config, found: Stored, split: Split) -> Bounds:
    """Bytes of the decoder on the rank that holds most of it."""
    tied = not any(tensor.part == "output" for tensor in found.tensors)
    count = config.peek("num_hidden_layers") or 1
    held = [found.bytes_of(tensors) for tensors in stages(found.tensors, split, count, tied)]
    return max(low for low, _ in held), max(high for _, high in held)


def _between(total: Weights, decoder: Bounds, rank: Bounds) -> Bounds:
    """The rank's bytes where the checkpoint holds nothing but the decoder: as far between the bounds as its own total lies."""
    light, heavy = decoder
    if total.low != total.high or light == heavy:
        # Headers and scales that are not counted make a stated total a little longer.
        excess = Fraction(total.low, light) if total.low == total.high else Fraction(1)
        return (ceil(rank[0] * excess), ceil(rank[1] * excess)) if Fraction(98, 100) < excess < Fraction(102, 100) else rank
    place = max(Fraction(0), min(Fraction(1), Fraction(total.low - light, heavy - light)))
    exact = ceil(rank[0] + place * (rank[1] - rank[0]))
    return exact, exact


def _beside(config: Config, found: Stored, total: Weights, decoder: Bounds) -> Beside | None:
    """What the checkpoint holds beside the decoder; None for nothing."""
    if found.alone:
        return None
    left = max(0, total.low - decoder[1]), max(0, total.high - decoder[0])
    encoder, drafting = any(config.anywhere(field) for field in ENCODERS), drafts(config)
    if not encoder and not drafting:
        output = sum(tensor.elements for tensor in found.tensors if tensor.name == "embed_tokens") * found.rest
        twice = not any(tensor.part == "output" for tensor in found.tensors) and left[0] <= output <= left[1] + 1
        unaccounted = left[0] > total.low // 50
        return Beside((0, 0), (0, 0), (0, 0)) if twice else Beside((0, 0), (0, 0), left) if unaccounted else None
    tower, draft = tower_elements(config) if encoder else 0, draft_elements(config, found.tensors) if drafting else 0
    of_tower = None if tower is None else (tower * found.rest,) * 2
    if encoder and not drafting:
        of_tower = of_tower or left
    of_tower = of_tower or (0, left[1])
    of_draft = (max(0, left[0] - of_tower[1]), max(0, left[1] - of_tower[0])) if draft is None else (ceil(draft * found.narrowest), draft * found.rest)
    return Beside(of_tower, of_draft, (0, 0))


def _expanded(found: Stored, split: Split) -> int:
    """Bytes of what leads out of the latents in 16 bits, which a rank keeps beside the quantized matrices."""
    if not split.expands_latent:
        return 0
    leading = [tensor for tensor in found.tensors if tensor.name.endswith("kv_b_proj") and found.schemes[0].format_of(tensor)]
    return sum(2 * tensor.elements for tensor in leading) // split.ranks


def _of_tower(config: Config, tower: Bounds, split: Split) -> Bounds:
    """The tower on a rank: its heads are cut where they can be (models/vision.py is_vit_use_data_parallel, vLLM), else it is whole."""
    if split.text_only:
        return 0, 0
    heads = tower_heads(config)
    if split.tower_whole or (heads and heads % split.tensor):
        return tower
    return (tower[0] // split.tensor, tower[1] // split.tensor if heads else tower[1])
