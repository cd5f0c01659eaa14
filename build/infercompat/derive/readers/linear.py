"""Families of linear attention and short convolutions between layers of softmax attention."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers import states
from infercompat.derive.readers.common import (
    CONVOLUTION,
    FULL,
    HYBRID,
    HYBRID_SLIDING,
    INDEXED,
    LINEAR,
    SLIDING,
    Reader,
    attention,
    layer_types,
    one_full_in,
    windowed,
)
from infercompat.derive.readers.latent import indexer_types, latent_layer
from infercompat.derive.readers.states import hybrid

STATED = "num_key_value_heads head_dim"
WITH_FEATURES = "n-gram features and "


def delta_net(config: Config) -> Demands | Unknown:
    """One layer in full_attention_interval (4) attends, the others are Gated DeltaNet.

    Decided by models/qwen3_next/configuration_qwen3_next.py and models/qwen3_5, qwen3_5_moe (transformers).
    """
    period = 4 if config.states("layer_types") else config.size("full_attention_interval", 4, "Qwen3NextConfig", least=1)
    words = layer_types(config, one_full_in(period, period - 1, LINEAR), f"one full in {period}")
    layers = {LINEAR: states.gated_delta_net(config), FULL: attention(config, stated=STATED)}
    return hybrid(config, words, layers, "gated-deltanet")


def qwen4_exp(config: Config) -> Demands | Unknown:
    """As `delta_net` with an index on each layer that attends; layers named in ple_layer_ids, counting from 1, also convolve n-gram features.

    Decided by models/qwen4_exp/configuration_qwen4_exp.py and modeling_qwen4_exp.py, Qwen4ExpTextQSAIndexer and Qwen4ExpTextPLELayer
    (transformers). Of indexer_compress_ratio tokens one index key is kept, their mean, as srt/mem_cache/qsa_kv_pool.py (SGLang) and
    models/qwen4_exp/common/qsa_cache.py (vLLM) do, and counted as a part of its width for each. Keys that wait for their mean and the
    tokens that an n-gram looks back on are not counted.
    """
    period = 4 if config.states("layer_types") else config.size("full_attention_interval", 4, "Qwen4ExpTextConfig", least=1)
    listed = layer_types(config, one_full_in(period, period - 1, LINEAR), f"one full in {period}")
    words = [FULL if word in (INDEXED, "hybrid_indexed") else word for word in listed]
    full, own = attention(config, stated=STATED), {}
    if config.states("indexer_n_heads"):
        width, ratio = config.size("indexer_head_dim"), config.size("indexer_compress_ratio", least=1)
        full = replace(full, kind="indexed", index_width=-(-width // ratio))
        keyed = f"an index key of {width} for {ratio} tokens on {words.count(FULL)} of {len(words)} layers"
        own = {"sparse-gqa": f"{keyed}, beside grouped-query attention"}
        config.note(f"an index key of {width} for {ratio} tokens is counted as {full.index_width} for each; transformers keeps one for every token")
    layers = {LINEAR: states.gated_delta_net(config), FULL: full}
    if convolving := config.sizes("ple_layer_ids"):
        if any(not 1 <= index <= len(words) for index in convolving):
            config.miss(f"ple_layer_ids (an index outside 1 to {len(words)})", None)
        columns = max(config.size("ple_conv_kernel_size") - 1, 0) * config.size("ngram_size")
        features = config.size("hc_count") * config.size("hidden_size") * columns
        layers |= {WITH_FEATURES + word: replace(one, conv_elements=one.conv_elements + features) for word, one in layers.items()}
        words = [WITH_FEATURES + word if index in convolving else word for index, word in enumerate(words, 1)]
    return hybrid(config, words, layers, "gated-deltanet", own)


def olmo_hybrid(config: Config) -> Demands | Unknown:
    """Gated DeltaNet and attention as layer_types lists them, one in four attending where it does not.

    Decided by models/olmo_hybrid/configuration_olmo_hybrid.py (transformers).
    """
    words = layer_types(config, one_full_in(4, 3, LINEAR), "OlmoHybridConfig: one full in 4")
    layers = {LINEAR: states.gated_delta_net(config), FULL: attention(config)}
    return hybrid(config, words, layers, "gated-deltanet")


def lara_mini(config: Config) -> Demands | Unknown:
    """Gated DeltaNet, sliding and full layers as layer_types lists them.

    Decided by models/lara_mini/configuration_lara_mini.py (transformers).
    """
    words = layer_types(config)
    full = attention(config, stated=STATED)
    layers = {LINEAR: states.gated_delta_net(config), FULL: full, SLIDING: windowed(full, config.size("sliding_window", least=1))}
    return hybrid(config, words, layers, "gated-deltanet")


def kimi_linear(config: Config) -> Demands | Unknown:
    """linear_attn_config lists the KDA layers, counting from 1; the others are latent attention.

    Decided by models/kimi_linear/configuration_kimi_linear.py and modeling_kimi_linear.py (transformers), kda_state_shape and
    kda_state_dtype in mamba_utils.py (vLLM): fp32 unless bfloat16 is asked for. Kimi K3 uses the same.
    """
    return _kimi(config, config.section("linear_attn_config"), first=1)


def glm5_next(config: Config) -> Demands | Unknown:
    """As Kimi-Linear with kda_layers counting from 0, one layer in four attending without a list, and an index on those that do.

    Decided by models/glm5_next/configuration_glm5_next.py (transformers) and srt/configs/glm5_next.py (SGLang). Index keys are
    counted for every token; index_kpool merges them, while transformers keeps key, gate and a flag.
    """
    config.note("index keys are counted for every token; what an engine keeps of a pool of index_kpool tokens differs")
    index, types = config.size("index_head_dim"), indexer_types(config)
    reading = _kimi(config, config.section("linear_attn_config"), first=0)
    if isinstance(reading, Unknown):
        return reading
    layers = [
        replace(layer, kind="indexed", index_width=index if word == "full" else 0) if layer.kind == "latent" else layer
        for layer, word in zip(reading.layers, types, strict=True)
    ]
    keyed = sum(bool(layer.index_width) for layer in layers)
    sparse = {"sparse-mla": f"an index key a token on {keyed} of {len(layers)} layers"}
    return replace(reading, layers=tuple(layers), requirements=reading.requirements | sparse)


def bailing_hybrid(config: Config) -> Demands | Unknown:
    """The last of each layer_group_size layers is latent attention, the others KDA with the attention's number of heads.

    Decided by models/bailing_hybrid/configuration_bailing_hybrid.py (transformers).
    """
    group = 6 if config.states("layer_types") else config.size("layer_group_size", least=1)
    words = layer_types(config, one_full_in(group, group - 1, LINEAR), f"one full in {group}")
    width = config.size("linear_head_dim" if config.states("linear_head_dim") else "head_dim")
    linear = states.kimi_delta(config.size("num_attention_heads"), width, config.size("short_conv_kernel_size"))
    return hybrid(config, words, {LINEAR: linear, FULL: latent_layer(config)}, "kda", {"mla": "latent attention on the other layers"})


def _kimi(config: Config, linear: Config, first: int) -> Demands | Unknown:
    count, listed = config.layer_count(), linear.sizes("kda_layers")
    if listed is not None and any(not first <= index < count + first for index in listed):
        config.miss(f"linear_attn_config.kda_layers (an index outside {first} to {count + first - 1})", None)
    if listed is None or config.states("layer_types"):
        pattern = one_full_in(4, 3, LINEAR) if first == 0 else None
        words = layer_types(config, pattern, "one full in 4", missing="linear_attn_config.kda_layers")
        words = [FULL if word == INDEXED else word for word in words]
    else:
        words = [LINEAR if index + first in set(listed) else FULL for index in range(count)]
    if config.states("linear_attn_config"):
        kda = states.kimi_delta(linear.size("num_heads"), linear.size("head_dim"), linear.size("short_conv_kernel_size"))
    else:
        kda = states.kimi_delta(config.size("linear_num_heads"), config.size("linear_head_dim"), config.size("linear_conv_kernel_dim"))
    return hybrid(config, words, {LINEAR: kda, FULL: latent_layer(config)}, "kda", {"mla": "latent attention on the other layers"})


def minimax(config: Config) -> Demands | Unknown:
    """attn_type_list has 1 where a layer attends, 0 where it is lightning attention; newer configs have layer_types.

    Decided by models/minimax/modeling_minimax.py (transformers). The class default alternates, which is wrong for the published
    models, so one of the lists must be there.
    """
    flags = config.sizes("attn_type_list")
    if flags is not None:
        words = [FULL if flag else LINEAR for flag in config.per_layer(flags, config.layer_count(), "attn_type_list")]
    else:
        words = layer_types(config, missing="attn_type_list")
    full = attention(config, stated="num_key_value_heads")
    linear = states.lightning(config.size("num_attention_heads"), full.head_dim)
    return hybrid(config, words, {LINEAR: linear, FULL: full}, "lightning")


def lfm(config: Config) -> Demands | Unknown:
    """Short convolutions over hidden_size channels between layers of attention, some of which slide in LFM3.

    Decided by models/lfm2/modeling_lfm2.py, lfm2_moe and lfm3 (transformers). Older configs list the attention in full_attn_idxs.
    """
    if config.states("layer_types") or not config.states("full_attn_idxs"):
        words = layer_types(config)
    else:
        attending = set(config.sizes("full_attn_idxs") or [])
        words = [FULL if index in attending else CONVOLUTION for index in range(config.layer_count())]
    full = attention(config, stated="num_key_value_heads")
    sliding = windowed(full, config.size("sliding_window", least=1) if SLIDING in words else 0)
    convolution = states.short_convolution(config.size("hidden_size"), config.size("conv_L_cache"))
    return hybrid(config, words, {CONVOLUTION: convolution, FULL: full, SLIDING: sliding}, "short-conv")


def inkling(config: Config) -> Demands | Unknown:
    """Attention whose keys, values and two residual streams each pass a short convolution; sliding layers have heads of their own.

    Decided by models/inkling/modeling_inkling.py and configuration_inkling.py (transformers), and models/inkling2_loop for layers that
    run several times with a cache for each pass. Published configs of the first Inkling list the sliding layers in local_layer_ids.
    """
    words = _local(config)
    kernel, hidden = config.size("conv_kernel_size", least=1), config.size("hidden_size")

    def layer(kind: str, kv_heads: int, width: int, window: int = 0) -> Layer:
        return Layer(kind, kv_heads, width, width, window, conv_elements=(2 * kv_heads * width + 2 * hidden) * (kernel - 1))

    window = config.size("sliding_window", least=1)
    layers = {
        HYBRID: layer("full", config.size("num_key_value_heads"), config.size("head_dim")),
        HYBRID_SLIDING: layer("sliding", config.size("swa_num_key_value_heads"), config.size("swa_head_dim"), window),
    }
    return hybrid(config, _looped(config, words), layers, "short-conv")


def _local(config: Config) -> list[str]:
    listed = config.sizes("local_layer_ids")
    if listed is None or config.states("layer_types"):
        return layer_types(config, _one_in_six, "InklingTextConfig: one full in 6")
    count, local = config.layer_count(), set(listed)
    if any(index >= count for index in local):
        config.miss(f"local_layer_ids (an index outside 0 to {count - 1})", None)
    return [HYBRID_SLIDING if index in local else HYBRID for index in range(count)]


def _one_in_six(index: int, count: int) -> str:
    return HYBRID if index % 6 == 5 else HYBRID_SLIDING


def _looped(config: Config, words: list[str]) -> list[str]:
    if not config.states("loop_num_passes"):
        return words
    first, last = config.size("loop_layer_index_start"), config.size("loop_layer_index_end")
    passes = config.size("loop_num_passes", least=1)
    if passes > 64 or not first <= last <= len(words):
        return config.miss("loop_num_passes (or the layers it names are out of range)", words)
    config.note(f"{last - first} layers run {passes} times with a cache for each pass; the layers counted here are caches")
    return words + words[first:last] * (passes - 1)


READERS = (
    Reader(
        delta_net,
        "qwen3_next qwen3_5 qwen3_5_text qwen3_5_moe qwen3_5_moe_text",
        "Qwen3NextForCausalLM Qwen3_5ForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForCausalLM Qwen3_5MoeForConditionalGeneration",
    ),
    Reader(qwen4_exp, "qwen4_exp qwen4_exp_text", "Qwen4ExpForCausalLM Qwen4ExpForConditionalGeneration"),
    Reader(olmo_hybrid, "olmo_hybrid", "OlmoHybridForCausalLM"),
    Reader(lara_mini, "lara_mini", "LaraMiniForCausalLM"),
    Reader(kimi_linear, "kimi_linear", "KimiLinearForCausalLM KimiK3ForConditionalGeneration"),
    Reader(glm5_next, "glm5_next glm5_next_text", "Glm5NextForConditionalGeneration"),
    Reader(bailing_hybrid, "bailing_hybrid", "BailingHybridForCausalLM BailingMoeV3ForCausalLM"),
    Reader(minimax, "minimax minimax_m1 minimax_text_01", "MiniMaxForCausalLM MiniMaxM1ForCausalLM MiniMaxText01ForCausalLM"),
    Reader(
        lfm,
        "lfm2 lfm2_moe lfm3",
        "Lfm2ForCausalLM Lfm2MoeForCausalLM Lfm3ForCausalLM Lfm2VlForConditionalGeneration Lfm3VlForConditionalGeneration",
    ),
    Reader(
        inkling,
        "inkling_text inkling2_text inkling2_loop_text",
        "InklingForCausalLM Inkling2ForCausalLM Inkling2LoopForCausalLM InklingForConditionalGeneration Inkling2ForConditionalGeneration "
        "Inkling2LoopForConditionalGeneration",
    ),
)
