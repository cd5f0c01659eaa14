"""Small configs, as facts: the fields of published config.json files that decide the cache, by the name of the model."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from infercompat.allocate import Allocation, Request, allocate
from infercompat.derive import Derived, derive
from infercompat.read import parse

GIB = 1 << 30
ENGINES = Path(__file__).parents[2] / "catalog" / "engines"


def every(period: int, at: int, special: str, other: str, count: int) -> list[str]:
    """`special` where index % period == at, `other` elsewhere."""
    return [special if index % period == at else other for index in range(count)]


def gemma4(layers: int, kv_heads: int, full_kv_heads: int, period: int, shared: int = 0, window: int = 1024) -> dict[str, Any]:
    return {
        "model_type": "gemma4_text",
        "num_hidden_layers": layers,
        "num_attention_heads": 16,
        "num_key_value_heads": kv_heads,
        "num_global_key_value_heads": full_kv_heads,
        "head_dim": 256,
        "global_head_dim": 512,
        "attention_k_eq_v": True,
        "num_kv_shared_layers": shared,
        "sliding_window": window,
        "layer_types": every(period, period - 1, "full_attention", "sliding_attention", layers),
        "max_position_embeddings": 262144,
    }


def delta_net(layers: int, kv_heads: int, value_heads: int) -> dict[str, Any]:
    """A Qwen 3.5 or 3.6: heads of 256, Gated DeltaNet of 128 by 128 with 16 key heads, kernels of 4, states in fp32."""
    return {
        "model_type": "qwen3_5_text",
        "num_hidden_layers": layers,
        "num_attention_heads": 24,
        "num_key_value_heads": kv_heads,
        "head_dim": 256,
        "hidden_size": 4096,
        "full_attention_interval": 4,
        "linear_num_key_heads": 16,
        "linear_num_value_heads": value_heads,
        "linear_key_head_dim": 128,
        "linear_value_head_dim": 128,
        "linear_conv_kernel_dim": 4,
        "mamba_ssm_dtype": "float32",
        "max_position_embeddings": 262144,
    }


CONFIGS: dict[str, dict[str, Any]] = {
    "llama-3.1-8b": {
        "model_type": "llama",
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "hidden_size": 4096,
        "max_position_embeddings": 131072,
    },
    "tinyllama-1.1b": {
        "model_type": "llama",
        "num_hidden_layers": 22,
        "num_attention_heads": 32,
        "num_key_value_heads": 4,
        "hidden_size": 2048,
        "max_position_embeddings": 2048,
    },
    "gemma-2-2b": {
        "model_type": "gemma2",
        "num_hidden_layers": 26,
        "num_attention_heads": 8,
        "num_key_value_heads": 4,
        "head_dim": 256,
        "hidden_size": 2304,
        "sliding_window": 4096,
        "max_position_embeddings": 8192,
    },
    "gemma-3-27b": {
        "model_type": "gemma3_text",
        "num_hidden_layers": 62,
        "num_attention_heads": 32,
        "num_key_value_heads": 16,
        "head_dim": 128,
        "hidden_size": 5376,
        "sliding_window": 1024,
        "max_position_embeddings": 131072,
    },
    "gemma-3n-e2b": {
        "model_type": "gemma3n_text",
        "num_hidden_layers": 30,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "head_dim": 256,
        "hidden_size": 2048,
        "sliding_window": 512,
        "num_kv_shared_layers": 10,
        "max_position_embeddings": 32768,
    },
    "gemma-4-e4b": gemma4(42, 2, 2, 6, shared=18, window=512),
    "gemma-4-26b-a4b": gemma4(30, 8, 2, 6),
    "gemma-4-31b": gemma4(60, 16, 4, 6),
    "gpt-oss-120b": {
        "model_type": "gpt_oss",
        "num_hidden_layers": 36,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "head_dim": 64,
        "hidden_size": 2880,
        "sliding_window": 128,
        "max_position_embeddings": 131072,
    },
    "llama-4-scout": {
        "model_type": "llama4_text",
        "num_hidden_layers": 48,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "hidden_size": 5120,
        "attention_chunk_size": 8192,
        "max_position_embeddings": 10485760,
    },
    "mistral-7b-v0.1": {
        "model_type": "mistral",
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "hidden_size": 4096,
        "head_dim": 128,
        "sliding_window": 4096,
        "max_position_embeddings": 32768,
    },
    "mimo-v2-flash": {
        "model_type": "mimo_v2_flash",
        "num_hidden_layers": 48,
        "hidden_size": 4096,
        "num_attention_heads": 64,
        "num_key_value_heads": 4,
        "head_dim": 192,
        "v_head_dim": 128,
        "sliding_window": 128,
        "swa_num_attention_heads": 64,
        "swa_num_key_value_heads": 8,
        "swa_head_dim": 192,
        "swa_v_head_dim": 128,
        "hybrid_layer_pattern": [0, *[int(index % 6 != 5) for index in range(1, 48)]],
        "max_position_embeddings": 262144,
    },
    "qwen3-235b-a22b": {
        "model_type": "qwen3_moe",
        "num_hidden_layers": 94,
        "num_attention_heads": 64,
        "num_key_value_heads": 4,
        "head_dim": 128,
        "hidden_size": 4096,
        "max_position_embeddings": 40960,
    },
    "deepseek-v2": {
        "model_type": "deepseek_v2",
        "num_hidden_layers": 27,
        "num_attention_heads": 16,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "max_position_embeddings": 163840,
    },
    "deepseek-v3": {
        "model_type": "deepseek_v3",
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "max_position_embeddings": 163840,
    },
    "deepseek-v3.2": {
        "model_type": "deepseek_v32",
        "num_hidden_layers": 61,
        "num_attention_heads": 128,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "index_head_dim": 128,
        "max_position_embeddings": 163840,
    },
    "deepseek-v4-flash": {
        "model_type": "deepseek_v4",
        "num_hidden_layers": 43,
        "num_attention_heads": 64,
        "head_dim": 512,
        "sliding_window": 128,
        "index_head_dim": 128,
        "compress_ratios": [0, 0, *[4, 128] * 20, 4],
        "max_position_embeddings": 1048576,
    },
    "kimi-linear-48b": {
        "model_type": "kimi_linear",
        "num_hidden_layers": 27,
        "num_attention_heads": 32,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "linear_attn_config": {
            "kda_layers": [index for index in range(1, 28) if index % 4 and index != 27],
            "num_heads": 32,
            "head_dim": 128,
            "short_conv_kernel_size": 4,
        },
        "max_position_embeddings": 1048576,
    },
    "nemotron-nano-9b-v2": {
        "model_type": "nemotron_h",
        "num_hidden_layers": 56,
        "hybrid_override_pattern": "M-M-M-MM-M-M-M*-M-M-M*-M-M-M-M*-M-M-M-M*-M-MM-M-M-M-M-M-",
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "hidden_size": 4480,
        "mamba_num_heads": 128,
        "mamba_head_dim": 80,
        "n_groups": 8,
        "ssm_state_size": 128,
        "conv_kernel": 4,
        "max_position_embeddings": 131072,
    },
    "qwen3.5-9b": delta_net(32, 4, 32),
    "qwen3.5-27b": delta_net(64, 4, 48),
    "qwen3.6-35b-a3b": delta_net(40, 2, 32),
}


ARCHITECTURES = {
    "llama-3.1-8b": "LlamaForCausalLM",
    "tinyllama-1.1b": "LlamaForCausalLM",
    "gemma-2-2b": "Gemma2ForCausalLM",
    "gemma-3-27b": "Gemma3ForConditionalGeneration",
    "gemma-3n-e2b": "Gemma3nForConditionalGeneration",
    "gemma-4-e4b": "Gemma4ForConditionalGeneration",
    "gemma-4-26b-a4b": "Gemma4ForConditionalGeneration",
    "gemma-4-31b": "Gemma4ForConditionalGeneration",
    "gpt-oss-120b": "GptOssForCausalLM",
    "llama-4-scout": "Llama4ForConditionalGeneration",
    "mimo-v2-flash": "MiMoV2FlashForCausalLM",
    "mistral-7b-v0.1": "MistralForCausalLM",
    "qwen3-235b-a22b": "Qwen3MoeForCausalLM",
    "deepseek-v2": "DeepseekV2ForCausalLM",
    "deepseek-v3": "DeepseekV3ForCausalLM",
    "deepseek-v3.2": "DeepseekV32ForCausalLM",
    "deepseek-v4-flash": "DeepseekV4ForCausalLM",
    "kimi-linear-48b": "KimiLinearForCausalLM",
    "nemotron-nano-9b-v2": "NemotronHForCausalLM",
    "qwen3.5-9b": "Qwen3_5ForConditionalGeneration",
    "qwen3.5-27b": "Qwen3_5ForConditionalGeneration",
    "qwen3.6-35b-a3b": "Qwen3_5MoeForConditionalGeneration",
}
"""The class names that config.json files have for these."""


@cache
def engine(name: str) -> dict[str, Any]:
    """The data of an engine's record in the catalog."""
    diagnostics: list = []
    document = parse(f"{name}.yaml", (ENGINES / f"{name}.yaml").read_bytes(), diagnostics)
    assert document and not diagnostics
    return document.data


@cache
def model(name: str) -> Derived:
    derived = derive(CONFIGS[name])
    assert isinstance(derived, Derived), derived
    return derived


def ask(engine_name: str, version: str, model_name: str, **request: Any):
    return allocate(engine(engine_name), version, Request(model(model_name), **request))


def sized(engine_name: str, version: str, model_name: str, **request: Any) -> Allocation:
    answer = ask(engine_name, version, model_name, **request)
    assert isinstance(answer, Allocation), answer
    return answer
