"""Lists that a condition can ask something of any or all items: which there are, and the properties of their items."""

from __future__ import annotations

from collections.abc import Mapping

from infercompat.condition.facts import Fact


def _by_name(*facts: Fact) -> dict[str, Fact]:
    return {fact.name: fact for fact in facts}


LAYER_PROPERTIES: Mapping[str, Fact] = _by_name(
    Fact("kind", "word", "derived", "What the layer mixes with, such as full, sliding or latent."),
    Fact("head_dim", "int", "derived", "Its head width.", "elements"),
    Fact("window", "int", "derived", "Its window; none where it sees all.", "tokens"),
    Fact("kv_heads", "int", "derived", "Its heads that keep keys and values."),
    Fact("k_width", "int", "derived", "The width of one cached key.", "elements"),
    Fact("v_width", "int", "derived", "The width of one cached value.", "elements"),
)

LINEAR_PROPERTIES: Mapping[str, Fact] = _by_name(
    Fact("n", "int", "derived", "Its output rows, over all ranks.", least=1),
    Fact("k", "int", "derived", "Its input columns, over all ranks.", least=1),
    Fact("name", "word", "derived", "The last part of the module's name in the checkpoint, such as down_proj."),
    Fact(
        "part",
        "word",
        "derived",
        "What it belongs to. The output matrix is there whether or not it is the embedding; embedding stands for matrices beside that.",
        values=("attention", "mlp", "experts", "shared_experts", "router", "output", "embedding"),
    ),
    Fact(
        "cut",
        "word",
        "derived",
        "How tensor-parallel ranks share it: each has n / tensor_parallel rows, k / tensor_parallel columns, heads of which it keeps at least "
        "one, rows of the vocabulary, or the whole. Where experts are shared out, each is whole.",
        values=("rows", "columns", "heads", "vocabulary", "whole"),
    ),
)

LISTS: Mapping[str, Mapping[str, Fact]] = {"model.layers": LAYER_PROPERTIES, "model.linears": LINEAR_PROPERTIES}
"""Properties by the name of the list. In a body they stand before facts of the same name."""
