"""Families of Mamba layers, alone or between layers of attention."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers import states
from infercompat.derive.readers.common import FULL, HYBRID, LINEAR, NO_MIXING, Reader, attention, layer_types
from infercompat.derive.readers.states import hybrid


def mamba(config: Config) -> Demands | Unknown:
    """Mamba-1 on every layer; intermediate_size channels, or expand * hidden_size.

    Decided by models/mamba/modeling_mamba.py and models/falcon_mamba (transformers), mamba.py (vLLM).
    """
    inner = config.size("intermediate_size") if config.states("intermediate_size") else config.size("expand") * config.size("hidden_size")
    return hybrid(config, [LINEAR] * config.layer_count(), {LINEAR: states.mamba1(config, inner)}, "mamba1")


def mamba2(config: Config) -> Demands | Unknown:
    """Mamba-2 on every layer, num_heads of head_dim.

    Decided by models/mamba2/modeling_mamba2.py (transformers).
    """
    layer = states.mamba2(config, config.size("num_heads"), config.size("head_dim"))
    return hybrid(config, [LINEAR] * config.layer_count(), {LINEAR: layer}, "mamba2")


def jamba(config: Config) -> Demands | Unknown:
    """Attention where index % attn_layer_period == attn_layer_offset, Mamba-1 of expand * hidden_size channels elsewhere.

    Decided by models/jamba/configuration_jamba.py and modeling_jamba.py (transformers).
    """
    period, offset = config.size("attn_layer_period", least=1), config.size("attn_layer_offset")
    words = [FULL if index % period == offset else LINEAR for index in range(config.layer_count())]
    layers = {LINEAR: states.mamba1(config, _expanded(config)), FULL: attention(config, stated="num_key_value_heads")}
    return hybrid(config, words, layers, "mamba1")


def zamba(config: Config) -> Demands | Unknown:
    """Mamba-1 on every layer; the layers named hybrid also run the shared attention block, each with K and V of its own.

    Decided by models/zamba/configuration_zamba.py and modeling_zamba.py (transformers). The attention sees the hidden state and the
    embedding side by side, so its heads are 2 * hidden_size // heads wide.
    """
    recurrent = states.mamba1(config, _expanded(config))
    return _zamba(config, recurrent, "mamba1")


def zamba2(config: Config) -> Demands | Unknown:
    """As Zamba, with Mamba-2 layers.

    Decided by models/zamba2/configuration_zamba2.py and modeling_zamba2.py (transformers).
    """
    return _zamba(config, states.mamba2(config, *_mamba2_heads(config, _expanded(config))), "mamba2")


def _zamba(config: Config, recurrent: Layer, requirement: str) -> Demands | Unknown:
    width = 2 * config.size("hidden_size") // config.size("num_attention_heads", least=1)
    both = replace(recurrent, kind="recurrent+full", kv_heads=attention(config).kv_heads, k_width=width, v_width=width)
    words = layer_types(config, missing="layers_block_type")
    return hybrid(config, words, {LINEAR: recurrent, HYBRID: both}, requirement)


PATTERN_LETTERS = {"M": LINEAR, "*": FULL, "-": NO_MIXING, "E": NO_MIXING}


def nemotron_h(config: Config) -> Demands | Unknown:
    """hybrid_override_pattern spells the layers: M Mamba-2, * attention, - feed-forward, E experts; newer configs name them.

    Decided by models/nemotron_h/configuration_nemotron_h.py (transformers), whose class default for the state is float32, as is
    vLLM's (model_executor/models/config.py NemotronHForCausalLMConfig).
    """
    spelled = config.find("hybrid_override_pattern")
    if isinstance(spelled, str):
        letters = config.per_layer(list(spelled), config.layer_count(), "hybrid_override_pattern")
        words = [PATTERN_LETTERS.get(letter, f"{letter} in hybrid_override_pattern") for letter in letters]
    else:
        words = layer_types(config, missing="hybrid_override_pattern")
    recurrent = states.mamba2(config, config.size("mamba_num_heads"), config.size("mamba_head_dim"))
    if not config.states("mamba_ssm_cache_dtype"):
        config.use_default("mamba_ssm_cache_dtype", "float32", "NemotronHConfig")
        recurrent = replace(recurrent, state_dtype="fp32")
    full = attention(config, stated="num_key_value_heads", head_dim=128, why="NemotronHConfig")
    layers = {LINEAR: recurrent, FULL: full, NO_MIXING: Layer("none")}
    return hybrid(config, words, layers, "mamba2")


def granite_hybrid(config: Config) -> Demands | Unknown:
    """layer_types names Mamba-2 and attention layers; without the list all are Mamba-2. No kind present, no state: some are all attention.

    Decided by models/granitemoehybrid/configuration_granitemoehybrid.py (transformers).
    """
    words = layer_types(config, lambda index, count: LINEAR, "GraniteMoeHybridConfig: all Mamba-2")
    return _granite(config, words)


def bamba(config: Config) -> Demands | Unknown:
    """Attention on the layers of attn_layer_indices, Mamba-2 elsewhere.

    Decided by models/bamba/configuration_bamba.py (transformers).
    """
    attending = set(config.sizes("attn_layer_indices") or [])
    return _granite(config, [FULL if index in attending else LINEAR for index in range(config.layer_count())])


def _granite(config: Config, words: list[str]) -> Demands | Unknown:
    layers = {}
    if LINEAR in words:
        layers[LINEAR] = states.mamba2(config, *_mamba2_heads(config, _expanded(config)))
    if FULL in words:
        layers[FULL] = attention(config)
    return hybrid(config, words, layers, "mamba2")


def falcon_h1(config: Config) -> Demands | Unknown:
    """Every layer runs attention and Mamba-2 side by side and keeps both; mamba_d_ssm channels, or expand * hidden_size.

    Decided by models/falcon_h1/configuration_falcon_h1.py and modeling_falcon_h1.py (transformers).
    """
    inner = config.size("mamba_d_ssm") if config.states("mamba_d_ssm") else _expanded(config)
    full, recurrent = attention(config, stated="num_key_value_heads"), states.mamba2(config, *_mamba2_heads(config, inner))
    layer = replace(recurrent, kind="recurrent+full", kv_heads=full.kv_heads, k_width=full.k_width, v_width=full.v_width)
    return hybrid(config, [HYBRID] * config.layer_count(), {HYBRID: layer}, "mamba2")


def _expanded(config: Config) -> int:
    return config.size("expand") * config.size("hidden_size")


def _mamba2_heads(config: Config, inner: int) -> tuple[int, int]:
    """Heads and their width; "auto" or an absent width divides the inner channels among the heads."""
    state_heads = config.size("mamba_num_heads", least=1)
    stated = config.states("mamba_head_dim") and config.find("mamba_head_dim") != "auto"
    return state_heads, config.size("mamba_head_dim") if stated else inner // state_heads


READERS = (
    Reader(mamba, "mamba falcon_mamba", "MambaForCausalLM FalconMambaForCausalLM"),
    Reader(mamba2, "mamba2", "Mamba2ForCausalLM"),
    Reader(jamba, "jamba", "JambaForCausalLM JambaForSequenceClassification"),
    Reader(zamba, "zamba", "ZambaForCausalLM"),
    Reader(zamba2, "zamba2", "Zamba2ForCausalLM"),
    Reader(nemotron_h, "nemotron_h", "NemotronHForCausalLM NemotronH_Nano_VL_V2 NemotronH_Omni_Reasoning_V3"),
    Reader(granite_hybrid, "granitemoehybrid", "GraniteMoeHybridForCausalLM"),
    Reader(bamba, "bamba", "BambaForCausalLM"),
    Reader(falcon_h1, "falcon_h1", "FalconH1ForCausalLM"),
)
