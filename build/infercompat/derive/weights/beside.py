"""What a checkpoint stores beside its text decoder, where that can be counted: towers for images, and layers that draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infercompat.derive.config import Config
from infercompat.derive.weights.tensors import Tensor, counted

DRAFTS = ("num_nextn_predict_layers", "mtp_num_hidden_layers")
"""Fields that say how many layers draft."""

_TOWER = ("hidden_size", "intermediate_size", "out_hidden_size", "in_channels", "temporal_patch_size", "patch_size", "num_position_embeddings", "depth")


def tower_elements(config: Config) -> int | None:
    """Numbers of an image tower as Qwen3-VL and Qwen3.5 have it (models/qwen3_vl/modeling_qwen3_vl.py, transformers); else None."""
    tower = config.anywhere("vision_config")
    if not isinstance(tower, Mapping) or not all(type(tower.get(name)) is int and 0 < tower[name] < 1 << 24 for name in _TOWER):
        return None
    hidden, inner, out, channels, frames, patch, positions, depth = (tower[name] for name in _TOWER)
    merge = tower.get("spatial_merge_size", 2)
    if type(merge) is not int or not 0 < merge < 1 << 8:
        return None
    merged = merge**2 * hidden
    # Biases everywhere; a layer has two norms of weight and bias.
    layer = 4 * hidden * hidden + 4 * hidden + 2 * hidden * inner + inner + hidden + 4 * hidden
    into_text = merged * merged + merged + merged * out + out
    deep = tower.get("deepstack_visual_indexes")
    mergers = into_text + 2 * hidden + (len(deep) if isinstance(deep, list) else 0) * (into_text + 2 * merged)
    return channels * frames * patch**2 * hidden + hidden + positions * hidden + depth * layer + mergers


def tower_heads(config: Config) -> int | None:
    """Attention heads of the image tower."""
    tower: Any = config.anywhere("vision_config")
    heads = next((tower[name] for name in ("num_heads", "num_attention_heads") if tower.get(name)), None) if isinstance(tower, Mapping) else None
    return heads if type(heads) is int and 0 < heads < 1 << 16 else None


def draft_elements(config: Config, tensors: list[Tensor]) -> int | None:
    """Numbers of the drafting head of Qwen3-Next and Qwen3.5: a full layer, a matrix of two widths into one, and three norms
    (models/qwen3_5_mtp.py, vLLM); embedding and output are those of the model. None where this does not hold or is not said."""
    if not config.peek("mtp_num_hidden_layers") or config.anywhere("mtp_use_dedicated_embeddings"):
        return None
    attending = [tensor.name.split(".")[1] for tensor in tensors if tensor.name.endswith("self_attn.q_proj")]
    hidden = config.peek("hidden_size")
    if not attending or not hidden:
        return None
    layer = counted(tensor for tensor in tensors if tensor.name.startswith(f"layers.{attending[-1]}.")).total
    return (config.peek("mtp_num_hidden_layers") or 0) * layer + 2 * hidden * hidden + 3 * hidden


def drafts(config: Config) -> bool:
    """Whether the config says that layers of the checkpoint draft."""
    return any(config.peek(name) for name in DRAFTS)
