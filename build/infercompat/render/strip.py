"""The layer strip: a drawing of a model's layers, one cell each, and the counts in words."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from infercompat.derive import Layer

KIND_NAMES = {
    "full": "full attention",
    "sliding": "sliding window",
    "chunked": "chunked attention",
    "latent": "latent (MLA)",
    "indexed": "indexed (sparse) attention",
    "recurrent": "recurrent state",
    "convolution": "short convolution",
    "cross": "cross-attention",
    "none": "no cache",
    "shared": "shares another layer's cache",
    "recurrent+full": "recurrent state and full attention",
}
LETTERS = {
    "full": "F", "sliding": "S", "chunked": "C", "latent": "L", "indexed": "I", "recurrent": "R", "convolution": "V",
    "cross": "X", "none": "–", "shared": "=", "recurrent+full": "B",
}  # fmt: skip
_CELL, _GAP, _ROW = 24, 3, 24


def shown_kind(layer: Layer) -> str:
    """The kind a layer is counted under: one that shares counts only as shared."""
    return "shared" if layer.shares else layer.kind


def _title(index: int, layer: Layer) -> str:
    parts = [f"layer {index}: {KIND_NAMES[layer.kind]}"]
    if layer.shares:
        parts.append("shares another layer's cache")
    if layer.window:
        parts.append(f"window {layer.window:,}")
    if layer.kv_heads:
        parts.append(f"{layer.kv_heads} KV heads × {layer.head_dim}")
    return ", ".join(parts)


def layer_strip(layers: Sequence[Layer]) -> Markup:
    """An SVG with a lettered cell a layer, in rows of 24, and a legend of the kinds that occur."""
    step = _CELL + _GAP
    rows = -(-len(layers) // _ROW)
    columns = min(len(layers), _ROW)
    kinds = list(dict.fromkeys(shown_kind(layer) for layer in layers))
    counts = {kind: sum(shown_kind(layer) == kind for layer in layers) for kind in kinds}
    summary = ", ".join(f"{counts[kind]} {KIND_NAMES[kind]}" for kind in kinds)
    cells = []
    for index, layer in enumerate(layers):
        kind = shown_kind(layer)
        x, y = index % _ROW * step, index // _ROW * step
        name = kind.replace("+", "-")
        cells.append(
            f'<g class="ic-layer ic-{name}"><title>{escape(_title(index, layer))}</title>'
            f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" rx="3"/>'
            f'<text x="{x + _CELL / 2:g}" y="{y + 17}">{LETTERS[kind]}</text></g>'
        )
    width, height = columns * step - _GAP, rows * step - _GAP
    legend = "".join(
        f'<li><span class="ic-key ic-{kind.replace("+", "-")}">{LETTERS[kind]}</span>{counts[kind]} {escape(KIND_NAMES[kind])}</li>' for kind in kinds
    )
    return Markup(
        f'<svg class="ic-strip" viewBox="0 0 {width} {height}" style="max-width:{width}px" role="img" '
        f'aria-label="{escape(f"{len(layers)} layers: {summary}")}">{"".join(cells)}</svg>'
        f'<ul class="ic-legend">{legend}</ul>'
    )
