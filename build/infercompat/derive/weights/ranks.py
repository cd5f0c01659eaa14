"""Which part of each tensor a rank holds, when an engine shares layers, stages or experts among devices.

Decided by the layers that engines build their models of, the same in vLLM (model_executor/layers/linear.py, layers/vocab_parallel_embedding.py,
distributed/utils.py get_pp_indices; models/deepseek_v2.py) and SGLang (srt/layers, srt/models/deepseek_v2.py): embedding and output are
cut by rows padded to a step, queries by heads, keys and values by heads of which each rank keeps at least one, outputs and down
projections by columns. Norms, routers, gates of shared experts and what leads into a latent are whole on every rank. llama.cpp puts
whole layers on each device (src/llama-model.cpp load_tensors) and leaves the input embedding in host memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import ceil

from msgspec import Struct
from msgspec.structs import replace

from infercompat.derive.weights.tensors import Tensor

VOCABULARY_STEP = 64
"""Rows that the vocabulary is padded to (DEFAULT_VOCAB_PADDING_SIZE, vLLM and SGLang)."""

COLUMNS = frozenset({"o_proj", "out_proj", "down_proj", "w2"})
"""Matrices that take what other ranks made: cut by their inputs, their biases whole."""

WHOLE = frozenset({"q_a_proj", "kv_a_proj_with_mqa", "per_layer_input_gate", "per_layer_projection"})
WHOLE_PARTS = frozenset({"norms", "router"})


class Split(Struct, frozen=True):
    """How many ranks share each layer, the layers and the experts (1: cut like the rest), and what an engine pads or leaves out.

    `vocabulary_step` and `expert_step` (of the experts' inner width and of the model's width) are what sizes are rounded up to. `by_layer`
    is llama.cpp's way: `tensor` devices hold whole layers, and the input embedding is in host memory. `drafts` says that drafting
    layers are loaded, `tower_whole` that each rank holds all of the image tower, `text_only` that none does. `expands_latent`: what leads
    out of a quantized latent is kept in 16 bits as well (W_UK_T and W_UV, layers/attention/mla_attention.py, vLLM; w_kc and w_vc, SGLang).
    `keeps_tables`: tables of positions, and V beside K where a file has one matrix for both, are held as well (tables.py).
    """

    tensor: int = 1
    pipeline: int = 1
    expert: int = 1
    vocabulary_step: int = 1
    expert_step: tuple[int, int] = (1, 1)
    by_layer: bool = False
    drafts: bool = False
    tower_whole: bool = False
    text_only: bool = False
    expands_latent: bool = False
    keeps_tables: bool = False

    @property
    def ranks(self) -> int:
        return self.tensor * self.pipeline


def stages(tensors: Iterable[Tensor], split: Split, count: int, tied: bool) -> list[list[Tensor]]:
    """The tensors of which the ranks of each stage or device hold a part (`on_rank`)."""
    if split.pipeline == 1 and not split.by_layer:
        return [list(tensors)]
    held: list[list[Tensor]] = [[] for _ in range(split.tensor if split.by_layer else split.pipeline)]
    for tensor in tensors:
        for place in _places(tensor, split, count, tied):
            held[place].append(tensor)
    return held


def place_of(tensor: Tensor) -> str:
    """Where a tensor belongs: to its "layer", to the "input" (the embedding), to "rows of layers" (gemma's embeddings for each layer), or to
    the "first" or "last" stage."""
    if tensor.name.startswith("layers."):
        return "layer"
    if tensor.part == "embedding":
        return {"embed_tokens": "input", "embed_tokens_per_layer": "rows of layers"}.get(tensor.name, "first")
    return "last"


def _places(tensor: Tensor, split: Split, count: int, tied: bool) -> Iterator[int]:
    """The stages that hold a tensor. Where input and output share a matrix, the first and the last stage both hold it."""
    place, last = place_of(tensor), (split.tensor if split.by_layer else split.pipeline) - 1
    if place == "layer":
        yield _stage_of(int(tensor.name.split(".", 2)[1]), split, count)
    elif place == "last":
        yield last
    else:
        if place == "first" or not split.by_layer:
            yield 0
        if place == "input" and tied and (split.by_layer or last):
            yield last


def _stage_of(layer: int, split: Split, count: int) -> int:
    """llama.cpp cuts layers and output by equal shares; the others give what is left over to stages from the last but one on down."""
    if split.by_layer:
        return layer * split.tensor // (count + 1)
    least, left = divmod(count, split.pipeline)
    for stage in range(split.pipeline):
        size = least + (2 <= split.pipeline - stage <= left + 1)
        if layer < size:
            return stage
        layer -= size
    return split.pipeline - 1


def cut_of(tensor: Tensor) -> str:
    """How ranks share a tensor: each holds the "whole", a part of the "rows" or "columns", or of the "vocabulary"; of experts rows ("expert
    rows"), rows of two matrices in one ("expert halves"), or columns ("expert columns")."""
    name = tensor.name.removesuffix(".bias").rpartition(".")[2]
    if tensor.part == "experts":
        return "expert columns" if name in COLUMNS else "expert halves" if name == "gate_up_proj" else "expert rows"
    if tensor.part in ("embedding", "output") and not name.endswith("_projection"):
        return "vocabulary"
    if tensor.part in WHOLE_PARTS or name in WHOLE or ".indexer." in tensor.name or (name in COLUMNS and not tensor.is_matrix):
        return "whole"
    return "columns" if name in COLUMNS else "rows"


def on_rank(tensor: Tensor, split: Split) -> Tensor:
    """What one rank of a layer holds of a tensor."""
    cut = "whole" if split.by_layer else cut_of(tensor)
    if cut.startswith("expert"):
        return _expert(tensor, cut, split)
    if cut == "vocabulary":
        rows = ceil(tensor.shape[0] / split.vocabulary_step) * split.vocabulary_step
        return replace(tensor, shape=(ceil(rows / split.tensor), *tensor.shape[1:]))
    if cut == "columns":
        return replace(tensor, shape=(tensor.shape[0], ceil(tensor.shape[1] / split.tensor)))
    return tensor if cut == "whole" else replace(tensor, shape=(_rows(tensor, split.tensor), *tensor.shape[1:]))


def _rows(tensor: Tensor, ranks: int) -> int:
    """Rows of a rank; with fewer key and value heads than ranks, each keeps one head."""
    alone = ceil((tensor.shape[0] - tensor.kv_rows) / ranks)
    return alone + (ceil(tensor.kv_rows * max(1, ceil(tensor.kv_heads / ranks)) / tensor.kv_heads) if tensor.kv_heads else 0)


def _expert(tensor: Tensor, cut: str, split: Split) -> Tensor:
    """Whole experts where ranks share them, else every expert's inner width cut; both widths rounded up to what kernels want."""
    inner, outer = split.expert_step
    ranks = 1 if split.expert > 1 else split.tensor
    copies = ceil(tensor.copies / split.expert)
    if cut == "expert columns":
        rows = ceil(tensor.shape[0] / outer) * outer
        return replace(tensor, copies=copies, shape=(rows, *(_up(width, ranks, inner) for width in tensor.shape[1:])))
    halves = 2 if cut == "expert halves" else 1
    rows = halves * _up(tensor.shape[0] // halves, ranks, inner)
    return replace(tensor, copies=copies, shape=(rows, *(ceil(width / outer) * outer for width in tensor.shape[1:])))


def _up(width: int, ranks: int, step: int) -> int:
    return ceil(ceil(width / ranks) / step) * step
