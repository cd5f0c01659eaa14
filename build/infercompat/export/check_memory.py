"""The memory part of a model's file for the page that answers `check`: what its weights are made of, so that the script only cuts and sums.

`memory` of `check/models/<id>.json`:

`facts`
  facts for the allocation that layers do not tell, such as model.conv_kernel.
`shapes`
  the tensors of the decoder by shape: how ranks share it (`cut_of` in derive/weights/ranks.py), copies, rows of key and value heads and
  the number of these heads, and the shape itself.
`formats`
  how matrices are stored: bits, rows and columns of a block, bytes of a scale at least and at most, bits of a zero point, bytes a matrix at
  least and at most, bytes a column.
`checkpoints`, `words`
  the layout of each listed checkpoint in its own format, and by a word for a format ("" for none) of a checkpoint in another than its own.
  One is {missing, reason}; or {even: bytes at least and at most}, which ranks share evenly; or else has, in bytes at least and at most,
  `decoder`, `actual`, `tower`, `drafting`, `other` and `copied`, and `expanded`, `tables`, `copied_heads`, `rest` (bytes of a weight
  without a format), `tower_heads`, `tied`, and the tensors: `kinds` of layers and for each layer its index in them (`layers`), and those
  outside layers by place (`outside`). A tensor is a triple: the index of its shape, and of its formats at its lightest and at its
  heaviest, -1 for none.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, field

from infercompat.allocate.request import facts_of_config
from infercompat.derive import Unknown
from infercompat.derive.weights.formats import Format
from infercompat.derive.weights.loaded import Evenly, LaidOut
from infercompat.derive.weights.ranks import cut_of, place_of
from infercompat.derive.weights.tensors import Tensor
from infercompat.records import Record
from infercompat.weighing import layout

Triple = tuple[int, int, int]


def memory_of_model(model: Record, words: Iterable[str]) -> dict[str, Any]:
    """The memory part of a model's file; `words` are those that a format may be given by."""
    tables = _Tables()
    checkpoints = [tables.layout(layout(model, entry, None)) for entry in model.data["checkpoints"]]
    others = {word: tables.layout(layout(model, None, word or None)) for word in ("", *words)}
    return {
        "facts": facts_of_config(model.data["config"]["values"]),
        "shapes": list(tables.shapes),
        "formats": list(tables.formats),
        "checkpoints": checkpoints,
        "words": others,
    }


class _Tables(Struct):
    """Shapes and formats that layouts of one model share, in the order in which they were met."""

    shapes: dict[tuple, int] = field(default_factory=dict)
    formats: dict[tuple, int] = field(default_factory=dict)

    def layout(self, found: LaidOut | Evenly | Unknown) -> dict[str, Any]:
        """One layout as plain data."""
        if isinstance(found, Unknown):
            return {"missing": list(found.missing), "reason": found.reason}
        if isinstance(found, Evenly):
            return {"even": [found.total.low, found.total.high]}
        return {
            **{"decoder": found.decoder, "actual": found.actual},
            **{name: getattr(found.beside, name) for name in ("tower", "drafting", "other")},
            **{"expanded": found.expanded, "rest": found.stored.rest, "tower_heads": found.tower_heads, "tied": found.tied},
            **{"tables": found.tables, "copied": found.copied, "copied_heads": found.copied_heads},
            **self._tensors(found),
        }

    def _tensors(self, found: LaidOut) -> dict[str, Any]:
        layers: list[list[Triple]] = [[] for _ in range(found.layers)]
        outside: dict[str, list[Triple]] = {}
        for tensor in found.stored.tensors:
            place, triple = place_of(tensor), self._triple(found, tensor)
            (layers[int(tensor.name.split(".", 2)[1])] if place == "layer" else outside.setdefault(place, [])).append(triple)
        kinds = list(dict.fromkeys(map(tuple, layers)))
        return {"kinds": kinds, "layers": [kinds.index(tuple(layer)) for layer in layers], "outside": outside}

    def _triple(self, found: LaidOut, tensor: Tensor) -> Triple:
        shape = (cut_of(tensor), tensor.copies, tensor.kv_rows, tensor.kv_heads, tensor.shape)
        thin, thick = found.stored.schemes
        light = self._format(thin.format_of(tensor))
        heavy = light if thick is thin else self._format(thick.format_of(tensor))
        return self.shapes.setdefault(shape, len(self.shapes)), light, heavy

    def _format(self, format: Format | None) -> int:
        if format is None:
            return -1
        row = (format.bits, *format.block, *format.scale_bytes, format.zero_bits, *format.tensor_bytes, format.column_bytes)
        return self.formats.setdefault(row, len(self.formats))
