"""The requirements that follow from any reading: what the layers say by themselves, and what stands in every family's config alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from infercompat.derive.config import Config
from infercompat.derive.context import weight_format
from infercompat.derive.layers import Layer

WIDEST_COMMON_HEAD = 256
"""Most attention kernels are built for heads up to this width."""

IMAGE_FIELDS = ("vision_config", "visual", "vision_tower", "mm_vision_tower", "img_processor", "embd_layer", "patch_size")
AUDIO_FIELDS = ("audio_config", "audio_encoder", "audio_tower", "audio_processor")


def from_layers(layers: Sequence[Layer]) -> dict[str, str]:
    """Requirement ids that the layers make necessary, each with its reason."""
    windowed = [layer for layer in layers if layer.window and layer.kind != "chunked"]
    chunked = [layer for layer in layers if layer.kind == "chunked"]
    wide = [layer for layer in layers if layer.attends and not layer.latent_width and layer.head_dim > WIDEST_COMMON_HEAD]
    crossing = [layer for layer in layers if layer.cross_tokens or layer.kind == "cross"]
    shared = sum(layer.shares for layer in layers)
    reasons = {
        "sliding-window": _spread("sliding_window", windowed, layers, lambda layer: layer.window),
        "chunked-attention": _spread("attention_chunk_size", chunked, layers, lambda layer: layer.window),
        "kv-sharing": f"{shared} of {len(layers)} layers use another layer's keys and values" if shared else "",
        "head-dim-over-256": _spread("head width", wide, layers, lambda layer: layer.head_dim),
        "cross-attention": _spread("cross-attention positions", crossing, layers, lambda layer: layer.cross_tokens),
    }
    return {requirement: reason for requirement, reason in reasons.items() if reason}


def from_config(config: Config) -> dict[str, str]:
    """Requirement ids that fields of any config make necessary, each with its reason."""
    found: dict[str, str] = {}
    experts, active = config.peek("num_experts") or 0, config.peek("num_experts_per_tok")
    if experts > 1:
        found["moe"] = f"{experts} experts" + (f", {active} for each token" if active else "")
    softcap = config.find("attn_logit_softcapping")
    if isinstance(softcap, (int, float)) and softcap:
        found["logit-softcap"] = f"attn_logit_softcapping {softcap}"
    if per_layer := config.peek("hidden_size_per_layer_input"):
        found["per-layer-embeddings"] = f"hidden_size_per_layer_input {per_layer}"
    if weight_format(config) == "mxfp4":
        found["mxfp4-weights"] = "quantization_config names mxfp4"
    for requirement, fields in (("image-input", IMAGE_FIELDS), ("audio-input", AUDIO_FIELDS)):
        if field := next((field for field in fields if config.anywhere(field)), None):
            found[requirement] = f"{field} present"
    return found


def _spread(what: str, some: Sequence[Layer], layers: Sequence[Layer], size: Callable[[Layer], int]) -> str:
    """For instance "sliding_window 1024 on 52 of 62 layers"; empty where no layer has it."""
    counts = Counter(map(size, some))
    return ", ".join(f"{what} {value} on {count} of {len(layers)} layers" for value, count in sorted(counts.items()))
