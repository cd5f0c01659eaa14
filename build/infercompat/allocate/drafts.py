"""Models and heads that draft tokens: which policies count their cache, and what of it there is."""

from __future__ import annotations

from infercompat.derive import Derived, Layer

ALGORITHMS = ("vllm-blocks/1", "sglang-pools/1", "llamacpp-cells/1", "mlx-arrays/1", "lmdeploy-blocks/1")
"""Algorithms that know what the layers of a draft take."""

WITHOUT_CACHE = ("medusa", "ngram", "suffix")
"""Methods that draft without attending to earlier tokens: heads over one hidden state, or no model at all."""


def cached_layers(draft: Derived | None) -> tuple[Layer, ...]:
    """The layers of a draft that keep something of each token; recurrent ones keep states, and are not among them."""
    return () if draft is None else tuple(layer for layer in draft.layers if layer.attends and layer.kind != "recurrent")
