"""The Qwen families before the hybrid ones, and their relatives: a window that counts only if a flag says so."""

from __future__ import annotations

from collections.abc import Callable

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Unknown
from infercompat.derive.readers.common import FULL, SLIDING, Reader, attention, demands, interleaved, windowed


def qwen2(config: Config) -> Demands | Unknown:
    """sliding_window counts only with use_sliding_window; then the layers from max_window_layers on slide.

    Decided by models/qwen2/configuration_qwen2.py and the same lines of its relatives (transformers); mimo.py and dots_ocr.py (vLLM) for MiMo and dots.ocr.
    """
    return _with_flag(config, lambda index, first: index >= first, "num_key_value_heads")


def qwen3(config: Config) -> Demands | Unknown:
    """As Qwen2, with a head width that the config must state: the class has 128, whatever hidden_size is.

    Decided by models/qwen3/configuration_qwen3.py (transformers).
    """
    return _with_flag(config, lambda index, first: index >= first, "num_key_value_heads head_dim")


def qwen2_moe(config: Config) -> Demands | Unknown:
    """With use_sliding_window every other layer below max_window_layers slides, layer 0 first: not the rule of Qwen2.

    Decided by models/qwen2_moe/configuration_qwen2_moe.py (transformers).
    """
    return _with_flag(config, lambda index, first: index % 2 == 0 and index < first, "num_key_value_heads")


def qwen3_moe(config: Config) -> Demands | Unknown:
    """With use_sliding_window all layers slide, else none.

    Decided by models/qwen3_moe/configuration_qwen3_moe.py and cache_utils.py get_layer_types_and_kwargs (transformers).
    """
    full = attention(config, stated="num_key_value_heads")
    used = config.flag("use_sliding_window") and config.find("sliding_window") is not None
    layer = windowed(full, config.size("sliding_window", least=1)) if used else full
    return demands(config, [layer] * config.layer_count())


def _with_flag(config: Config, slides: Callable[[int, int], bool], stated: str) -> Demands | Unknown:
    """Layers slide as `slides` says of their index and max_window_layers, if use_sliding_window is set."""
    full = attention(config, stated=stated)
    if config.flag("use_sliding_window") and config.find("sliding_window") is not None:
        first = config.size("max_window_layers")
        layers = interleaved(config, full, lambda index, count: SLIDING if slides(index, first) else FULL, "max_window_layers")
        return demands(config, layers)
    return demands(config, [full] * config.layer_count())


READERS = (
    Reader(
        qwen2,
        "qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_5_omni_text mimo dots_ocr",
        "Qwen2ForCausalLM Qwen2Model Qwen2VLForConditionalGeneration Qwen2_5_VLForConditionalGeneration Qwen2_5OmniModel "
        "Qwen2_5OmniForConditionalGeneration MiMoForCausalLM DotsOCRForCausalLM",
    ),
    Reader(qwen3, "qwen3", "Qwen3ForCausalLM Qwen3Model"),
    Reader(qwen2_moe, "qwen2_moe", "Qwen2MoeForCausalLM"),
    Reader(qwen3_moe, "qwen3_moe qwen3_omni_moe_text", "Qwen3MoeForCausalLM Qwen3OmniMoeForConditionalGeneration"),
)
