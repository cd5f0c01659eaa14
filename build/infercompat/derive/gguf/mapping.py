"""From the keys of a GGUF file to the fields of a config.json, for the architectures whose keys say enough.

What the keys mean is decided by src/models/<architecture>.cpp load_arch_hparams (llama.cpp), how they were written by
conversion/<family>.py there. Layers are always listed one by one, so that no class default is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from infercompat.derive.gguf.keys import Keys

Fields = dict[str, Any]
FULL, SLIDING, LINEAR, CONVOLUTION = "full_attention", "sliding_attention", "linear_attention", "conv"


def common(keys: Keys) -> Fields:
    """Fields that every architecture has."""
    found = {
        "num_hidden_layers": keys.layers,
        "hidden_size": keys.number("embedding_length"),
        "max_position_embeddings": keys.number("context_length"),
        "vocab_size": keys.vocabulary(),
        "num_nextn_predict_layers": keys.draft_layers or None,
        "num_experts": keys.optional("expert_count") or None,
        "first_k_dense_replace": keys.optional("leading_dense_block_count"),
        "n_shared_experts": keys.optional("expert_shared_count") or None,
        "shared_expert_intermediate_size": keys.optional("expert_shared_feed_forward_length") or None,
        "attn_logit_softcapping": keys.find("attn_logit_softcapping"),
        "rope_scaling": _rope(keys),
        "tie_word_embeddings": not keys.has_tensor("output.weight") if keys.header.tensors else None,
    }
    if found["num_experts"]:
        found["num_experts_per_tok"] = keys.one("expert_used_count", keys.each("expert_used_count"))
        found["moe_intermediate_size"] = keys.one("expert_feed_forward_length", keys.each("expert_feed_forward_length", 0)) or None
    return {name: value for name, value in found.items() if value is not None}


def _rope(keys: Keys) -> Fields | None:
    method, factor = keys.find("rope.scaling.type"), keys.find("rope.scaling.factor")
    if not isinstance(method, str) or method == "none":
        return None
    return {"rope_type": method, "factor": factor, "original_max_position_embeddings": keys.find("rope.scaling.original_context_length")}


def _width(keys: Keys) -> int:
    """The width of a head: key_length, or the embedding divided among the heads. Values have to be as wide."""
    heads = keys.one("attention.head_count", keys.each("attention.head_count"))
    split = keys.number("embedding_length") // heads if heads else 0
    width = keys.number("attention.key_length", split)
    if keys.number("attention.value_length", width) != width:
        keys.miss(f"attention.value_length (other than key_length, which {keys.architecture} does not have)")
    return width


def heads(keys: Keys) -> Fields:
    """Attention with heads that are alike in all layers that have any."""
    query = keys.one("attention.head_count", keys.each("attention.head_count"))
    shared = keys.each("attention.head_count_kv", query)
    return {
        "num_attention_heads": query,
        "num_key_value_heads": keys.one("attention.head_count_kv", shared),
        "head_dim": _width(keys),
        "intermediate_size": keys.one("feed_forward_length", keys.each("feed_forward_length", 0)),
    }


def plain(keys: Keys) -> Fields:
    """Full attention on every layer."""
    if 0 in keys.each("attention.head_count_kv", 1):
        keys.miss("attention.head_count_kv (a layer without attention)")
    return heads(keys)


def windowed(period: int, window: int | None = None) -> Callable[[Keys], Fields]:
    """Layers that slide as sliding_window_pattern lists them, or all but the last of each `period` where no list or number says so.
    `window` is the class default; without a window no layer slides."""

    def read(keys: Keys) -> Fields:
        tokens = keys.number("attention.sliding_window", window or 0)
        slides = _sliding(keys, period) if tokens else [False] * keys.layers
        found = heads(keys) | {"layer_types": [SLIDING if sliding else FULL for sliding in slides]}
        return found | {"sliding_window": tokens or keys.number("context_length")}

    return read


def _sliding(keys: Keys, period: int) -> list[bool]:
    """llama_hparams::set_swa_pattern (llama.cpp): a list says of each layer whether it slides, a number how far full ones are apart."""
    if isinstance(keys.find("attention.sliding_window_pattern"), tuple):
        return [bool(entry) for entry in keys.each("attention.sliding_window_pattern")]
    period = keys.number("attention.sliding_window_pattern", period)
    return [period == 0 or index % period < period - 1 for index in range(keys.layers)]


def one_window(keys: Keys) -> Fields:
    """One window for all layers, or none. llama.cpp itself does not use it for Phi-3."""
    return plain(keys) | {"sliding_window": keys.optional("attention.sliding_window") or None}


def gemma3n(keys: Keys) -> Fields:
    """Layers from the 20th on share, unless the file says how many do."""
    shared = keys.number("attention.shared_kv_layers", max(keys.layers - 20, 0))
    per_layer = keys.number("embedding_length_per_layer_input")
    return windowed(5)(keys) | {"num_kv_shared_layers": shared, "hidden_size_per_layer_input": per_layer}


def gemma4(keys: Keys) -> Fields:
    """Full layers have a width and KV heads of their own, sliding ones those of the keys that end in _swa."""
    if not isinstance(keys.find("attention.sliding_window_pattern"), tuple):
        keys.miss("attention.sliding_window_pattern")
    slides, kv_heads = _sliding(keys, 1), keys.each("attention.head_count_kv")
    local = keys.one("attention.head_count_kv", [count for count, sliding in zip(kv_heads, slides, strict=True) if sliding])
    wide = {"head_dim": keys.number("attention.key_length")}
    return {
        "num_attention_heads": keys.one("attention.head_count", keys.each("attention.head_count")),
        "num_key_value_heads": local,
        "head_dim": keys.number("attention.key_length_swa"),
        "sliding_window": keys.number("attention.sliding_window"),
        "layer_types": [SLIDING if sliding else FULL for sliding in slides],
        "per_layer_config": {str(i): wide | {"num_key_value_heads": kv_heads[i]} for i, sliding in enumerate(slides) if not sliding},
        "num_kv_shared_layers": keys.number("attention.shared_kv_layers", 0),
        "hidden_size_per_layer_input": keys.number("embedding_length_per_layer_input", 0),
    }


def latent(keys: Keys) -> Fields:
    """Latent attention. Files from before it was cached as a latent have the widths of a head in key_length and value_length."""
    rotary, expanded = keys.number("rope.dimension_count"), keys.find("attention.key_length_mla") is None
    width = keys.number("attention.key_length" if expanded else "attention.key_length_mla")
    if width < rotary:
        keys.miss("attention.key_length_mla (narrower than its rotary part)")
    return {
        "num_attention_heads": keys.one("attention.head_count", keys.each("attention.head_count")),
        "kv_lora_rank": keys.number("attention.kv_lora_rank"),
        "q_lora_rank": keys.optional("attention.q_lora_rank"),
        "qk_rope_head_dim": rotary,
        "qk_nope_head_dim": max(width - rotary, 0),
        "v_head_dim": keys.number("attention.value_length" if expanded else "attention.value_length_mla"),
        "intermediate_size": keys.one("feed_forward_length", keys.each("feed_forward_length", 0)),
    }


def kimi_linear(keys: Keys) -> Fields:
    """Layers without KV heads are Kimi Delta Attention, whose heads are as many as those of the attention."""
    recurrent = [index + 1 for index, count in enumerate(keys.each("attention.head_count_kv")) if not count]
    found = latent(keys)
    delta = {"kda_layers": recurrent, "num_heads": found["num_attention_heads"], "head_dim": keys.number("kda.head_dim")}
    return found | {"linear_attn_config": delta | {"short_conv_kernel_size": keys.number("ssm.conv_kernel")}}


def delta_net(keys: Keys) -> Fields:
    """Gated DeltaNet, in the words that conversion/qwen.py found for it among the ssm keys."""
    values = keys.number("ssm.time_step_rank")
    inner = keys.number("ssm.inner_size")
    if not values or inner % values:
        keys.miss("ssm.inner_size (not divided by ssm.time_step_rank)")
    if keys.find("attention.recurrent_layers") is not None:
        recurrent = [bool(entry) for entry in keys.each("attention.recurrent_layers")]
    else:
        period = max(keys.number("full_attention_interval", 4), 1)
        recurrent = [(index + 1) % period != 0 for index in range(keys.layers)]
    return heads(keys) | {
        "layer_types": [LINEAR if kept else FULL for kept in recurrent],
        "linear_num_value_heads": values,
        "linear_value_head_dim": inner // values if values else 0,
        "linear_num_key_heads": keys.number("ssm.group_count"),
        "linear_key_head_dim": keys.number("ssm.state_size"),
        "linear_conv_kernel_dim": keys.number("ssm.conv_kernel"),
    }


def mamba(keys: Keys) -> Fields:
    """Mamba-1 on every layer."""
    state, kernel, inner = (keys.number(f"ssm.{name}") for name in ("state_size", "conv_kernel", "inner_size"))
    return {"state_size": state, "conv_kernel": kernel, "intermediate_size": inner}


def _mamba2(keys: Keys) -> Fields:
    """Mamba-2; its heads are in ssm.time_step_rank."""
    count, inner = keys.number("ssm.time_step_rank"), keys.number("ssm.inner_size")
    if not count or inner % count:
        keys.miss("ssm.inner_size (not divided by ssm.time_step_rank)")
    return {
        "mamba_num_heads": count,
        "mamba_head_dim": inner // count if count else 0,
        "ssm_state_size": keys.number("ssm.state_size"),
        "conv_kernel": keys.number("ssm.conv_kernel"),
        "n_groups": keys.number("ssm.group_count"),
    }


def mamba2(keys: Keys) -> Fields:
    """Mamba-2 on every layer."""
    found = _mamba2(keys)
    return found | {"num_heads": found["mamba_num_heads"], "head_dim": found["mamba_head_dim"]}


def jamba(keys: Keys) -> Fields:
    """Layers without KV heads are Mamba-1; those with have to lie at even distances, as the config of Jamba says it."""
    attending = [index for index, count in enumerate(keys.each("attention.head_count_kv")) if count]
    period = attending[1] - attending[0] if len(attending) > 1 else keys.layers
    if not attending or attending != list(range(attending[0], keys.layers, period)) or attending[0] >= period:
        keys.miss("attention.head_count_kv (attention not at even distances)")
    hidden, inner = keys.number("embedding_length"), keys.number("ssm.inner_size")
    if not hidden or inner % hidden:
        keys.miss("ssm.inner_size (not a multiple of embedding_length)")
    state = {"mamba_d_state": keys.number("ssm.state_size"), "mamba_d_conv": keys.number("ssm.conv_kernel")}
    layout = {"attn_layer_period": period, "attn_layer_offset": attending[0] if attending else 0}
    return heads(keys) | state | layout | {"mamba_expand": inner // hidden if hidden else 0}


def _kinds(keys: Keys, other: str) -> list[str]:
    return [FULL if count else other for count in keys.each("attention.head_count_kv")]


def granite_hybrid(keys: Keys) -> Fields:
    """Layers without KV heads are Mamba-2."""
    words = _kinds(keys, LINEAR)
    found = heads(keys) | {"layer_types": words}
    if LINEAR not in words:
        return found
    return found | _mamba2(keys) | {"expand": keys.number("ssm.inner_size") // max(keys.number("embedding_length"), 1)}


def nemotron_h(keys: Keys) -> Fields:
    """Layers with KV heads attend, those with a feed-forward length only are networks, the others are Mamba-2."""
    networks, kv_heads = keys.each("feed_forward_length"), keys.each("attention.head_count_kv")
    letters = ["*" if count else "-" if width else "M" for count, width in zip(kv_heads, networks, strict=True)]
    return heads(keys) | _mamba2(keys) | {"hybrid_override_pattern": "".join(letters)}


def falcon_h1(keys: Keys) -> Fields:
    """Attention and Mamba-2 side by side on every layer."""
    return plain(keys) | _mamba2(keys) | {"mamba_d_ssm": keys.number("ssm.inner_size")}


def lfm2(keys: Keys) -> Fields:
    """Layers without KV heads are short convolutions; the others slide where a window is set."""
    window = keys.optional("attention.sliding_window") or None
    words = [SLIDING if window and word == FULL else word for word in _kinds(keys, CONVOLUTION)]
    return heads(keys) | {"layer_types": words, "conv_L_cache": keys.number("shortconv.l_cache"), "sliding_window": window}


class Architecture(Struct, frozen=True):
    """A GGUF architecture: the model_type that reads its fields, how the keys become fields, and the class that it is made of.

    Where conversion/<family>.py registers several classes for one architecture, that is the class of the text decoder alone, which is
    what a file holds.
    """

    name: str
    model_type: str
    read: Callable[[Keys], Fields]
    made_of: str


ARCHITECTURES = {
    entry.name: entry
    for entry in (
        Architecture("llama", "llama", plain, "LlamaForCausalLM"),
        Architecture("mistral3", "ministral3", plain, "Ministral3ForCausalLM"),
        Architecture("gemma", "gemma", plain, "GemmaForCausalLM"),
        Architecture("gemma2", "gemma2", windowed(2, 4096), "Gemma2ForCausalLM"),
        Architecture("gemma3", "gemma3_text", windowed(6), "Gemma3ForCausalLM"),
        Architecture("gemma3n", "gemma3n_text", gemma3n, "Gemma3nForCausalLM"),
        Architecture("gemma4", "gemma4_text", gemma4, "Gemma4ForCausalLM"),
        Architecture("gpt-oss", "gpt_oss", windowed(2), "GptOssForCausalLM"),
        Architecture("qwen2", "qwen2", plain, "Qwen2ForCausalLM"),
        Architecture("qwen2moe", "qwen2_moe", plain, "Qwen2MoeForCausalLM"),
        Architecture("qwen2vl", "qwen2_vl_text", plain, "Qwen2VLForConditionalGeneration"),
        Architecture("qwen3", "qwen3", plain, "Qwen3ForCausalLM"),
        Architecture("qwen3moe", "qwen3_moe", plain, "Qwen3MoeForCausalLM"),
        Architecture("qwen3vl", "qwen3_vl_text", plain, "Qwen3VLForConditionalGeneration"),
        Architecture("qwen3vlmoe", "qwen3_vl_moe_text", plain, "Qwen3VLMoeForConditionalGeneration"),
        Architecture("qwen3next", "qwen3_next", delta_net, "Qwen3NextForCausalLM"),
        Architecture("qwen35", "qwen3_5_text", delta_net, "Qwen3_5ForCausalLM"),
        Architecture("qwen35moe", "qwen3_5_moe_text", delta_net, "Qwen3_5MoeForCausalLM"),
        Architecture("deepseek2", "deepseek_v3", latent, "DeepseekV3ForCausalLM"),
        Architecture("kimi-linear", "kimi_linear", kimi_linear, "KimiLinearForCausalLM"),
        Architecture("phi3", "phi3", one_window, "Phi3ForCausalLM"),
        Architecture("phimoe", "phimoe", one_window, "PhiMoEForCausalLM"),
        Architecture("cohere2", "cohere2", windowed(4), "Cohere2ForCausalLM"),
        Architecture("command-r", "cohere", plain, "CohereForCausalLM"),
        Architecture("olmo2", "olmo3", windowed(4), "Olmo2ForCausalLM"),
        Architecture("exaone4", "exaone4", windowed(4, 4096), "Exaone4ForCausalLM"),
        Architecture("glm4", "glm4", plain, "Glm4ForCausalLM"),
        Architecture("glm4moe", "glm4_moe", plain, "Glm4MoeForCausalLM"),
        Architecture("granite", "granite", plain, "GraniteForCausalLM"),
        Architecture("seed_oss", "seed_oss", plain, "SeedOssForCausalLM"),
        Architecture("smollm3", "smollm3", plain, "SmolLM3ForCausalLM"),
        Architecture("minimax-m2", "minimax_m2", plain, "MiniMaxM2ForCausalLM"),
        Architecture("jamba", "jamba", jamba, "JambaForCausalLM"),
        Architecture("mamba", "mamba", mamba, "MambaForCausalLM"),
        Architecture("mamba2", "mamba2", mamba2, "Mamba2ForCausalLM"),
        Architecture("granitehybrid", "granitemoehybrid", granite_hybrid, "GraniteMoeHybridForCausalLM"),
        Architecture("lfm2", "lfm2", lfm2, "Lfm2ForCausalLM"),
        Architecture("lfm2moe", "lfm2_moe", lfm2, "Lfm2MoeForCausalLM"),
        Architecture("nemotron_h", "nemotron_h", nemotron_h, "NemotronHForCausalLM"),
        Architecture("nemotron_h_moe", "nemotron_h", nemotron_h, "NemotronHForCausalLM"),
        Architecture("falcon-h1", "falcon_h1", falcon_h1, "FalconH1ForCausalLM"),
    )
}
