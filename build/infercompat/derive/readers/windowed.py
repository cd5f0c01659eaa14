"""Families that alternate: most layers look back over a window or within a chunk, some over everything."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import (
    CHUNKED,
    FULL,
    SLIDING,
    Pattern,
    Reader,
    assemble,
    attention,
    demands,
    interleaved,
    layer_types,
    one_full_in,
    rotary_pattern,
    split_width,
    windowed,
)

STATED = "num_key_value_heads head_dim"


def gpt_oss(config: Config) -> Demands | Unknown:
    """Every other layer slides, layer 0 first; each head has a learned attention sink.

    Decided by models/gpt_oss/configuration_gpt_oss.py, and modeling_gpt_oss.py for the sinks (transformers).
    """
    sinks = {"attention-sinks": "attention sinks are in the code of GptOss (transformers modeling_gpt_oss.py)"}
    layers = interleaved(config, attention(config, stated=STATED), one_full_in(2, 1), "GptOssConfig: every other, sliding first")
    return demands(config, layers, sinks)


def cohere2(config: Config) -> Demands | Unknown:
    """One layer in sliding_window_pattern (4) is full. Heads are always hidden_size // heads wide, whatever head_dim says.

    Decided by models/cohere2/configuration_cohere2.py (transformers).
    """
    split = split_width(config)
    full = replace(attention(config), k_width=split, v_width=split)
    period = 4 if config.states("layer_types") else config.size("sliding_window_pattern", 4, "Cohere2Config", least=1)
    return demands(config, interleaved(config, full, one_full_in(period, period - 1), f"Cohere2Config: one full in {period}"))


def one_in_four(config: Config) -> Demands | Unknown:
    """The fourth of each four layers is full; a null window makes all layers full.

    Decided by models/olmo3/configuration_olmo3.py (transformers).
    """
    full = attention(config)
    if config.find("sliding_window") is None:
        return demands(config, [full] * config.layer_count())
    return demands(config, interleaved(config, full, one_full_in(4, 3), "Olmo3Config: one full in 4"))


def exaone4(config: Config) -> Demands | Unknown:
    """One layer in sliding_window_pattern is full; published configs spell the pattern out as LLLG. A null window: all full.

    Decided by models/exaone4/configuration_exaone4.py and models/exaone_moe (transformers).
    """
    full = attention(config, stated="num_key_value_heads")
    if config.find("sliding_window") is None:
        return demands(config, [full] * config.layer_count())
    spelled = config.find("sliding_window_pattern")
    if config.states("layer_types"):
        pattern = None
    elif isinstance(spelled, str) and spelled and set(spelled) <= {"L", "G"}:
        pattern = _spelled(spelled)
    else:
        period = config.size("sliding_window_pattern", 4, "Exaone4Config", least=1)
        pattern = one_full_in(period, period - 1)
    return demands(config, interleaved(config, full, pattern, "Exaone4Config: sliding_window_pattern"))


def _spelled(letters: str) -> Pattern:
    return lambda index, count: FULL if letters[index % len(letters)] == "G" else SLIDING


def llama4(config: Config) -> Demands | Unknown:
    """Layers with a rotary embedding attend within chunks, those without (no_rope_layers 0, one in four) over everything.

    Decided by models/llama4/configuration_llama4.py Llama4TextConfig (transformers). An empty list is treated as none.
    """
    full = attention(config, stated=STATED)
    chunk = 0 if config.find("attention_chunk_size") is None else config.size("attention_chunk_size", least=1)
    pattern = rotary_pattern(config, CHUNKED if chunk else FULL, FULL, "Llama4TextConfig")
    words = layer_types(config, pattern, "Llama4TextConfig: no_rope_layers")
    return demands(config, assemble(config, words, {FULL: full, CHUNKED: windowed(full, chunk, "chunked")}))


def ministral(config: Config) -> Demands | Unknown:
    """All layers slide if sliding_window is set, unless layer_types says otherwise.

    Decided by models/ministral/configuration_ministral.py (transformers).
    """
    full = attention(config, stated="num_key_value_heads sliding_window")
    word = SLIDING if config.states("sliding_window") else FULL
    return demands(config, interleaved(config, full, lambda index, count: word, "MinistralConfig: all layers alike"))


def mimo_v2(config: Config) -> Demands | Unknown:
    """hybrid_layer_pattern has 1 where a layer slides. K is wider than V, and sliding layers have heads of their own and sinks.

    Decided by models/mimo_v2_flash/modeling_mimo_v2_flash.py (transformers) and models/mimo_v2.py (vLLM). The attention_chunk_size
    of the published config belongs to no layer. The window is sliding_window; transformers adds 1 for the token itself.
    """
    pattern = config.sizes("hybrid_layer_pattern")
    if pattern is not None:
        slides = config.per_layer(pattern, config.layer_count(), "hybrid_layer_pattern")
        words = [SLIDING if sliding else FULL for sliding in slides]
    else:
        words = layer_types(config, missing="hybrid_layer_pattern")
    full = Layer("full", config.size("num_key_value_heads"), config.size("head_dim"), config.size("v_head_dim"))
    own = Layer("full", config.size("swa_num_key_value_heads"), config.size("swa_head_dim"), config.size("swa_v_head_dim"))
    layers = {FULL: full, SLIDING: windowed(own, config.size("sliding_window", least=1))}
    sinks = {"attention-sinks": "attention sinks of the sliding layers are in the code of MiMoV2 (transformers modeling_mimo_v2_flash.py)"}
    return demands(config, assemble(config, words, layers), sinks if SLIDING in words else None)


def step3p5(config: Config) -> Demands | Unknown:
    """layer_types with one full layer in four, layer 0 first. attention_other_setting may give the sliding layers other KV groups.

    Decided by models/step3p7/configuration_step3p7.py (transformers); step3p5.py of mlx-lm reads the other setting's KV groups.
    """
    full, words = attention(config, stated=STATED), layer_types(config)
    groups = config.section("attention_other_setting").peek("num_key_value_heads") or full.kv_heads
    window = config.size("sliding_window", least=1) if SLIDING in words else 0
    return demands(config, assemble(config, words, {FULL: full, SLIDING: windowed(replace(full, kv_heads=groups), window)}))


def listed(config: Config) -> Demands | Unknown:
    """Full and sliding layers as layer_types lists them; without the list nothing is known.

    Decided by models/<model_type>/configuration_<model_type>.py of each family (transformers), whose own patterns are not used here.
    """
    return demands(config, interleaved(config, attention(config, stated=STATED)))


def listed_with_sinks(config: Config) -> Demands | Unknown:
    """As `listed`, with a learned attention sink on each head.

    Decided by models/granite_swa, granitemoe_swa and flint modeling files (transformers).
    """
    name = config.names[0]
    sinks = {"attention-sinks": f"attention sinks are in the code of this family (transformers, modeling file of {name})"}
    return demands(config, interleaved(config, attention(config)), sinks)


def dots1(config: Config) -> Demands | Unknown:
    """Layers from max_window_layers on slide, where sliding_window is set.

    Decided by models/dots1/configuration_dots1.py (transformers).
    """
    if config.states("layer_types"):
        pattern = None
    else:
        pattern = _from_layer(config.size("max_window_layers") if config.states("sliding_window") else config.layer_count())
    return demands(config, interleaved(config, attention(config, stated="num_key_value_heads"), pattern, "Dots1Config: max_window_layers"))


def _from_layer(first: int) -> Pattern:
    return lambda index, count: SLIDING if index >= first else FULL


def unlimited_ocr(config: Config) -> Demands | Unknown:
    """The prompt is kept whole and generated tokens slide; without knowing which is which, all tokens are counted as prompt.

    Decided by models/unlimited_ocr/modeling_unlimited_ocr.py, layer type reference_sliding_attention (transformers).
    """
    config.note("only generated tokens are bounded by the window; every token is counted as prompt, which is an upper bound")
    return demands(config, [attention(config)] * config.layer_count())


def dory(config: Config) -> Demands | Unknown:
    """Middle layers run n_recurrent_loops times, and each run has a cache of its own unless recurrent_kv_cache_mode is last_loop.

    Decided by models/dory/configuration_dory.py and modeling_dory.py DoryModel (transformers). Older configs count the feed-forward
    blocks as layers too, named mlp.
    """
    words = layer_types(config)
    halves = 2 if "mlp" in words else 1
    words = words[::halves]
    first = config.size("n_input_layers") // halves
    last = len(words) - config.size("n_output_layers") // halves
    loops = 1 if config.find("recurrent_kv_cache_mode") == "last_loop" else config.size("n_recurrent_loops", least=1)
    if words and (loops > 64 or not first <= last):
        config.miss("n_recurrent_loops or n_input_layers (out of range)", None)
        loops = 1
    if loops > 1:
        config.note(f"{last - first} layers run {loops} times with a cache for each run; the layers counted here are caches")
    full = attention(config, stated=STATED)
    layers = {FULL: full, SLIDING: windowed(full, config.size("sliding_window", least=1))}
    return demands(config, assemble(config, words[:first] + words[first:last] * loops + words[last:], layers))


READERS = (
    Reader(gpt_oss, "gpt_oss", "GptOssForCausalLM"),
    Reader(cohere2, "cohere2", "Cohere2ForCausalLM Cohere2VisionForConditionalGeneration"),
    Reader(one_in_four, "olmo3", "Olmo3ForCausalLM"),
    Reader(
        exaone4,
        "exaone4 exaone4_5_text exaone_moe",
        "Exaone4ForCausalLM Exaone4_5_ForConditionalGeneration ExaoneMoeForCausalLM ExaoneMoEForCausalLM",
    ),
    Reader(llama4, "llama4 llama4_text", "Llama4ForCausalLM Llama4ForConditionalGeneration"),
    Reader(ministral, "ministral", "MinistralForCausalLM"),
    Reader(mimo_v2, "mimo_v2_flash mimo_v2", "MiMoV2FlashForCausalLM MiMoV2ForCausalLM"),
    Reader(step3p5, "step3p5 step3p7", "Step3p5ForCausalLM Step3p7ForCausalLM Step3p7FlashForCausalLM Step3p7ForConditionalGeneration"),
    Reader(
        listed,
        "afmoe beam cohere2_moe cwm kolibri1 laguna mellum muse_glimmer_text muse_spark_text",
        "AfmoeForCausalLM BeamForCausalLM Cohere2MoeForCausalLM CwmForCausalLM Kolibri1ForCausalLM LagunaForCausalLM MellumForCausalLM "
        "MuseGlimmerForCausalLM MuseGlimmerForConditionalGeneration MuseSparkForConditionalGeneration",
    ),
    Reader(listed_with_sinks, "granite_swa granitemoe_swa flint", "GraniteSWAForCausalLM GraniteMoeSWAForCausalLM FlintForCausalLM"),
    Reader(dots1, "dots1", "Dots1ForCausalLM"),
    Reader(unlimited_ocr, "unlimited_ocr_text", "UnlimitedOCRForCausalLM UnlimitedOcrForConditionalGeneration"),
    Reader(dory, "dory", "DoryForCausalLM"),
)
