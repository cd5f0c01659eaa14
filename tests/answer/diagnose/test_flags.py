"""Flags to facts by the settings tables of the engines' records."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose.flags import FlagTable, normal, number
from infercompat.answer.diagnose.words import Flag


def said(real, engine: str, name: str, value=None) -> list[tuple]:
    table = FlagTable(real.catalog.follow(engine), real.catalog)
    return [(seen.kind, seen.name, seen.value) for seen in table.read(Flag(name, value, 3)) if seen.line == 3]


@pytest.mark.parametrize(
    ("engine", "name", "value", "fact", "expected"),
    [
        ("vllm", "--kv-cache-dtype", "fp8_e4m3", "cache.dtype", "fp8_e4m3"),
        ("vllm", "--kv_cache_dtype", "bfloat16", "cache.dtype", "bf16"),
        ("vllm", "--attention-backend", "flashinfer", "attention.backend", "FLASHINFER"),
        ("vllm", "--attention-config.backend", "TRITON_ATTN", "attention.backend", "TRITON_ATTN"),
        ("vllm", "-ac.backend", "TRITON_ATTN", "attention.backend", "TRITON_ATTN"),
        ("vllm", "VLLM_ATTENTION_BACKEND", "FLASHINFER", "attention.backend", "FLASHINFER"),
        ("vllm", "VLLM_USE_V2_MODEL_RUNNER", "1", "setting.use_v2_model_runner", True),
        ("vllm", "VLLM_ROCM_USE_AITER", "0", "setting.vllm_rocm_use_aiter", False),
        ("vllm", "--tensor-parallel-size", "8", "tensor_parallel", 8),
        ("vllm", "-tp", "8", "tensor_parallel", 8),
        ("vllm", "--max-model-len", "128k", "max_model_len", 128_000),
        ("vllm", "--max-model-len", "128K", "max_model_len", 131_072),
        ("vllm", "--max-model-len", "0.5M", "max_model_len", 524_288),
        ("vllm", "--gpu-memory-utilization", ".95", "gpu_memory_utilization", 0.95),
        ("vllm", "--enable-prefix-caching", None, "prefix_caching", True),
        ("vllm", "--no-enable-prefix-caching", None, "prefix_caching", False),
        ("vllm", "--enable-prefix-caching", "false", "prefix_caching", False),
        ("vllm", "--disable-hybrid-kv-cache-manager", None, "setting.disable_hybrid_kv_cache_manager", True),
        ("vllm", "--no-disable-hybrid-kv-cache-manager", None, "setting.disable_hybrid_kv_cache_manager", False),
        ("vllm", "--attention-config.disable_flashinfer_q_quantization", True, "setting.disable_flashinfer_q_quantization", True),
        ("vllm", "--attention-config.use_trtllm_attention", "false", "setting.use_trtllm_attention", False),
        ("vllm", "--speculative-config.method", "deepseek_mtp", "speculation.method", "mtp"),
        ("vllm", "--speculative-config.num_speculative_tokens", 7, "speculation.tokens", 7),
        ("vllm", "--quantization", "awq_marlin", "weights.format", "awq"),
        ("vllm", "--enforce-eager", None, "cuda_graphs", "none"),
        ("vllm", "-cc.cudagraph_mode", "FULL_AND_PIECEWISE", "cuda_graphs", "full_and_piecewise"),
        ("vllm", "--enable-lora", None, "lora", True),
        ("sglang", "--tp", "4", "tensor_parallel", 4),
        ("sglang", "--disable-radix-cache", None, "prefix_caching", False),
        ("sglang", "--disable-overlap-schedule", None, "async_scheduling", False),
        ("sglang", "--enable-hierarchical-cache", None, "kv_offload", True),
        ("sglang", "--speculative-algorithm", "nextn", "speculation.method", "NEXTN"),
        ("sglang", "--decode-attention-backend", "triton", "decode.attention.backend", "triton"),
        ("sglang", "--swa-full-tokens-ratio", "0.4", "setting.swa_full_tokens_ratio", 0.4),
        ("sglang", "--disaggregation-mode", "decode", "disaggregation", "decode"),
        ("sglang", "--disaggregation-decode-enable-radix-cache", None, "setting.disaggregation_decode_enable_radix_cache", True),
        ("sglang", "--chunked-prefill-size", "8192", "setting.chunked_prefill_size", 8192),
        ("sglang", "--cuda-graph-backend-decode", "disabled", "cuda_graphs", "none"),
        ("vllm", "-ep", None, "expert_parallel", True),
        ("sglang", "--enable-multimodal", None, "setting.enable_multimodal", True),
        ("tensorrt-llm", "--max_seq_len", "4096", "max_model_len", 4096),
        ("tensorrt-llm", "--ep-size", "2", "expert_parallel", 2),
        ("tensorrt-llm", "kv_cache_config.enable_block_reuse", "false", "prefix_caching", False),
        ("tensorrt-llm", "kv_cache_config.dtype", "fp8", "cache.dtype", "fp8"),
        ("llama.cpp", "-ctk", "q8_0", "cache.k.dtype", "q8_0"),
        ("llama.cpp", "-c", "65536", "max_model_len", 65536),
        ("llama.cpp", "-fa", None, "setting.flash_attn", "on"),
        ("llama.cpp", "-fa", "1", "setting.flash_attn", "on"),
        ("llama.cpp", "--flash-attn", "off", "setting.flash_attn", "off"),
        ("llama.cpp", "--flash-attn", "auto", "setting.flash_attn", "auto"),
        ("llama.cpp", "--swa-full", None, "setting.swa_full", True),
        ("llama.cpp", "--no-kv-unified", None, "setting.kv_unified", False),
        ("llama.cpp", "--split-mode", "tensor", "setting.split_mode", "tensor"),
        ("llama.cpp", "--spec-type", "draft-mtp", "speculation.method", "draft-mtp"),
        ("mlx-lm", "--kv-bits", "8", "setting.kv_bits", 8),
        ("mlx-lm", "--num-draft-tokens", "3", "speculation.tokens", 3),
        ("vllm", "--enable-expert-parallel", None, "expert_parallel", True),
        ("vllm", "--kv-offloading-size", "20", "kv_offload", True),
        ("vllm", "--kv-transfer-config.kv_role", "kv_producer", "disaggregation", "prefill"),
        ("lmdeploy-pytorch", "--role", "Decode", "disaggregation", "decode"),
        ("lmdeploy-pytorch", "--role", "Hybrid", "disaggregation", "none"),
        ("llama.cpp", "-ngl", "99", "setting.gpu_layers", 99),
        ("lmdeploy-pytorch", "--quant-policy", "17", "cache.dtype", "fp8_e5m2"),
        ("lmdeploy-pytorch", "--quant-policy", "int4", "cache.dtype", "int4"),
        ("llama.cpp", "--lora", "adapter.gguf", "lora", True),
    ],
)
def test_a_flag_sets_a_fact(real, engine, name, value, fact, expected):
    assert said(real, engine, name, value) == [("fact", fact, expected)]


@pytest.mark.parametrize(
    ("engine", "name", "value"),
    [
        ("vllm", "--port", "8000"),
        ("vllm", "--trust-remote-code", None),
        ("vllm", "--max-model-len", "long"),
        ("vllm", "--tensor-parallel-size", "0"),
        ("vllm", "--pipeline-parallel-size", "1.5"),
        ("vllm", "--quantization", "some-plugin"),
        ("vllm", "--speculative-config", "{broken"),
        ("llama.cpp", "--no-mmap", None),
    ],
)
def test_a_flag_without_a_fact_is_kept(real, engine, name, value):
    assert said(real, engine, name, value) == [("flag", name, value)]


@pytest.mark.parametrize(
    ("engine", "name", "value"),
    [
        ("llama.cpp", "-c", "0"),
        ("llama.cpp", "-np", "-1"),
        ("vllm", "--max-model-len", "auto"),
        ("vllm", "--max-model-len", "-1"),
        ("sglang", "--disaggregation-mode", "null"),
        ("vllm", "--enforce-eager", "false"),
        ("vllm", "--kv-cache-dtype", ""),
    ],
)
def test_a_flag_that_leaves_the_choice_says_nothing(real, engine, name, value):
    assert said(real, engine, name, value) == []


def test_switches_take_no_value(real):
    vllm = FlagTable(real.catalog.follow("vllm"), real.catalog)
    assert all(map(vllm.bare, ("--enable-prefix-caching", "--enforce-eager", "--trust-remote-code", "--no-enable-x", "--disable-log-requests")))
    assert not any(map(vllm.bare, ("--max-model-len", "--tensor-parallel-size", "--speculative-config", "--port", "--quantization")))
    sglang = FlagTable(real.catalog.follow("sglang"), real.catalog)
    assert sglang.bare("--enable-multimodal")


def test_every_setting_of_every_engine_is_read(real):
    """No flag of a settings table is lost on the way to its fact."""
    for engine in real.catalog.of_kind("engine"):
        table = FlagTable(engine, real.catalog)
        flags = {setting["flag"] for setting in table.settings.values()}
        assert {flag for flag in flags if normal(flag) not in table.targets} == set()


def test_small_parts():
    assert normal("--KV_cache-dtype") == "kv-cache-dtype"
    assert normal("VLLM_USE_V1") == "VLLM_USE_V1"
    assert [number(text) for text in ("1", "0.5", "true", "x", "nan", "9" * 400)] == [1, 0.5, True, "x", "nan", "9" * 400]
