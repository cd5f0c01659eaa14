"""The Gemma families: heads of a fixed width, windows on most layers, and from 3n on layers that share keys and values."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import (
    FULL,
    SLIDING,
    Reader,
    assemble,
    attention,
    demands,
    interleaved,
    layer_types,
    one_full_in,
    windowed,
)

STATED = "num_key_value_heads head_dim"


def gemma(config: Config) -> Demands | Unknown:
    """Full attention with heads of 256, which the published text parts of PaliGemma leave out.

    Decided by models/gemma/configuration_gemma.py (transformers).
    """
    full = attention(config, stated="num_key_value_heads", head_dim=256, why="GemmaConfig")
    return demands(config, [full] * config.layer_count())


def gemma2(config: Config) -> Demands | Unknown:
    """Every other layer slides, layer 0 first.

    Decided by models/gemma2/configuration_gemma2.py and models/vaultgemma (transformers).
    """
    layers = interleaved(config, attention(config, stated=STATED), one_full_in(2, 1), "Gemma2Config: every other, sliding first")
    return demands(config, layers)


def gemma3(config: Config) -> Demands | Unknown:
    """One layer in sliding_window_pattern (6) is full. Bidirectional attention, as in an embedding model, halves the window.

    Decided by models/gemma3/configuration_gemma3.py (transformers). Published text parts leave out heads and head width where these
    are the class's own: 4 KV heads in the 4B, 256 wide in the 4B and 12B.
    """
    full = attention(config, kv_heads=4, head_dim=256, why="Gemma3TextConfig")
    period = config.size("sliding_window_pattern", least=1) if config.states("sliding_window_pattern") else 6
    window = config.size("sliding_window", least=1)
    if config.find("use_bidirectional_attention"):
        window = window // 2 + 1
    pattern = one_full_in(period, period - 1)
    return demands(config, interleaved(config, full, pattern, f"Gemma3TextConfig: one full in {period}", window=window))


def gemma3n(config: Config) -> Demands | Unknown:
    """One layer in five is full; the last num_kv_shared_layers use the keys and values of earlier layers of their kind.

    Decided by models/gemma3n/configuration_gemma3n.py Gemma3nTextConfig.kv_sharing_modes (transformers).
    """
    layers = interleaved(config, attention(config, stated=STATED), one_full_in(5, 4), "Gemma3nTextConfig: one full in 5")
    own = {"per-layer-embeddings": "per-layer embeddings are in the code of Gemma3n (transformers modeling_gemma3n.py)"}
    return demands(config, _share_last(config, layers, config.size("num_kv_shared_layers")), own)


def gemma4(config: Config) -> Demands | Unknown:
    """Full layers are wider and may have fewer KV heads; the last layer is always full; the last num_kv_shared_layers share.

    Decided by models/gemma4/configuration_gemma4.py Gemma4TextConfig (transformers). attention_k_eq_v saves a weight matrix, and
    makes num_global_key_value_heads count; K and V are both cached (modeling_gemma4.py Gemma4TextAttention). Newer configs say the
    same in per_layer_config.
    """
    local = attention(config, stated=STATED)
    window = config.size("sliding_window", least=1)
    if config.find("use_bidirectional_attention") == "all":
        window = window // 2 + 1
    words = layer_types(config, one_full_in(6, 5), "Gemma4TextConfig: one full in 6")
    if words:
        words[-1] = FULL
    full = local if config.states("per_layer_config") else _global(config, local)
    layers = assemble(config, words, {FULL: full, SLIDING: windowed(local, window)})
    shared = config.size("num_kv_shared_layers", 0, "Gemma4TextConfig")
    return demands(config, _share_last(config, _override(config, layers), shared))


def _global(config: Config, local: Layer) -> Layer:
    """A full layer by the older fields, which say what the full layers have of their own."""
    width, kv_heads = config.size("global_head_dim", 512, "Gemma4TextConfig"), local.kv_heads
    # The unified class has no attention_k_eq_v and reads the global heads whenever they are there.
    if config.states("num_global_key_value_heads") and config.flag("attention_k_eq_v", "unified" in config.names[0]):
        kv_heads = config.size("num_global_key_value_heads")
    return Layer("full", kv_heads, width, width)


def _override(config: Config, layers: list[Layer]) -> list[Layer]:
    """The layers with what per_layer_config gives some of them; its keys are layer indexes, such as "05"."""
    given, changed = config.find("per_layer_config"), list(layers)
    for key in given if isinstance(given, dict) else ():
        index = int(key) if str(key).isascii() and str(key).isdecimal() and len(str(key)) < 6 else len(layers)
        if index >= len(layers):
            config.miss(f"per_layer_config (no layer {str(key)[:20]!r})", None)
            continue
        own = config.section("per_layer_config").section(key)
        width = own.optional_size("head_dim") or layers[index].k_width
        kv_heads = own.optional_size("num_key_value_heads") or layers[index].kv_heads
        changed[index] = replace(layers[index], kv_heads=kv_heads, k_width=width, v_width=width)
    return changed


def _share_last(config: Config, layers: list[Layer], count: int) -> list[Layer]:
    """The layers with the last `count` of them sharing; some must be left to share from."""
    if count and count >= len(layers):
        config.miss(f"num_kv_shared_layers ({count} of {len(layers)} layers)", None)
    return [replace(layer, shares=index >= len(layers) - count) for index, layer in enumerate(layers)]


READERS = (
    Reader(gemma, "gemma", "GemmaForCausalLM PaliGemmaForConditionalGeneration"),
    Reader(gemma2, "gemma2 vaultgemma", "Gemma2ForCausalLM Gemma2Model VaultGemmaForCausalLM"),
    Reader(gemma3, "gemma3 gemma3_text", "Gemma3ForCausalLM Gemma3ForConditionalGeneration Gemma3TextModel"),
    Reader(gemma3n, "gemma3n gemma3n_text", "Gemma3nForCausalLM Gemma3nForConditionalGeneration"),
    Reader(
        gemma4,
        "gemma4 gemma4_text gemma4_unified gemma4_unified_text",
        "Gemma4ForCausalLM Gemma4ForConditionalGeneration Gemma4UnifiedForCausalLM Gemma4UnifiedForConditionalGeneration",
    ),
)
