"""What log lines prove, engine by engine, with the line that proves it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.logs import SIGNS, read

INNOCENT = (Path(__file__).parent / "innocent.txt").read_text("utf-8")


def seen(real, text: str, kind: str) -> list:
    return [one for one in read(text.split("\n"), real.catalog).seen if one.kind == kind]


@pytest.mark.parametrize(
    ("line", "what", "value"),
    [
        ("INFO [cuda.py:411] Using FLASH_ATTN attention backend out of potential backends: ['FLASHINFER']", "attention backend", "FLASH_ATTN"),
        ("INFO [cuda.py:366] Using Flash Attention backend on V1 engine.", "attention backend", "Flash Attention"),
        ("INFO [cuda.py:300] Using AttentionBackendEnum.FLASHINFER backend.", "attention backend", "FLASHINFER"),
        ("INFO [flash_attn.py:588] Using FlashAttention version 3", "FlashAttention version", 3),
        ("INFO Using TRITON Fp8 MoE backend out of potential backends: ['TRITON']", "MoE backend", "TRITON"),
        ("INFO [model.py:547] Resolved architecture: GptOssForCausalLM", "architecture", "GptOssForCausalLM"),
        ("GPU KV cache size: 386,784 tokens", "cache size in tokens", 386_784),
        ("Maximum concurrency for 8,192 tokens per request: 47.21x", "concurrency", "47.21x at 8,192 tokens"),
        ("Available KV cache memory: 53.12 GiB", "memory for the cache", "53.12 GiB"),
        ("INFO # GPU blocks: 27000, # CPU blocks: 2048", "cache blocks", 27000),
        ("Model loading took 15.2683 GiB and 5.01 seconds", "memory of the weights", "15.2683 GiB"),
        ("INFO Using fp8 data type to store kv cache. It reduces", "cache type", "fp8"),
        (
            "WARNING TransformersForCausalLM has no vLLM implementation, falling back to Transformers implementation. Some",
            "fallback",
            "TransformersForCausalLM has no vLLM implementation, falling back to Transformers implementation",
        ),
        ("WARNING kernel not built; falling back to eager attention", "fallback", "falling back to eager attention"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.02 GiB. GPU 0", "out of memory", "1.02 GiB more were asked for"),
        ("[2026] Attention backend not explicitly specified. Use fa3 backend by default.", "attention backend", "fa3"),
        ("[2026] Attention backend not set. Use flashinfer backend by default.", "attention backend", "flashinfer"),
        ("KV Cache is allocated. dtype: torch.bfloat16, #tokens: 385024, K size: 26.44 GB", "cache size in tokens", 385024),
        ("max_total_num_tokens=385024, chunked_prefill_size=8192", "cache size in tokens", 385024),
        ("Use sliding window memory pool. full_layer_tokens=1000, swa_layer_tokens=800", "windowed cache", "1000 tokens full, 800 windowed"),
        ("llama_kv_cache: size =  512.00 MiB ( 16384 cells,   8 layers,  1/1 seqs)", "cache", "512.00 MiB: 16384 cells, 8 layers"),
        ("llama_context: n_ctx         = 16384", "context", 16384),
        ("llama_context: flash_attn    = auto", "flash attention", "auto"),
        ("load_tensors:        CUDA0 model buffer size =  6956.38 MiB", "memory of the weights", "6956.38 MiB on CUDA0"),
        ("load_tensors: offloaded 49/49 layers to GPU", "layers on the device", "49/49"),
        ("[MemUsageChange] Allocated 13.36 GiB for max tokens in paged KV cache (291840).", "cache size in tokens", 291840),
        ("[TRT-LLM] [I] Use 12.90 GB for model weights.", "memory of the weights", "12.90 GB"),
        ("[W] Attention window size 131073 exceeds upper bound 8224 for available blocks.", "window cut to the cache", "131073 to 8224"),
        ("Peak memory: 17.214 GB", "peak memory", "17.214 GB"),
    ],
)
def test_a_line_proves_something(real, line, what, value):
    found = [(one.name, one.value, one.line) for one in seen(real, f"first\n{line}\nlast", "log")]
    assert (what, value, 2) in found


def test_the_error_about_too_little_cache(real):
    text = "(4.54 GiB KV cache is needed, which is larger than the available KV cache memory (1.71 GiB). The estimated maximum model length is 49344."
    assert [(one.name, one.value) for one in seen(real, text, "log")] == [
        ("memory for the cache", "1.71 GiB"),
        ("memory that the cache needs", "4.54 GiB"),
        ("longest sequence that fits", 49344),
    ]


def test_the_error_about_state_blocks(real):
    text = "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (856). Each decode sequence requires at least one"
    assert [(one.name, one.value) for one in seen(real, text, "log")] == [("state blocks", "856 for 1024 sequences")]


def test_a_line_that_is_printed_again_is_told_once(real):
    text = "\n".join(f"(Worker_TP{rank}) GPU KV cache size: 386,784 tokens" for rank in range(8))
    assert [(one.value, one.line) for one in seen(real, text, "log")] == [(386_784, 1)]
    many = "\n".join(f"GPU KV cache size: {size} tokens" for size in range(100, 200))
    assert len(seen(real, many, "log")) == 6


@pytest.mark.parametrize(
    ("line", "engine", "version"),
    [
        ("(APIServer pid=1) INFO [api_server.py:1839] vLLM API server version 0.11.0", "vllm", "0.11.0"),
        ("Initializing a V1 LLM engine (v0.23.1rc1.dev925+g2afa3f7e9) with config: model='x/y-1'", "vllm", "0.23.1rc1.dev925+g2afa3f7e9"),
        ("vLLM Version                 : 0.26.0", "vllm", "0.26.0"),
        ("build: 6209 (a1b2c3d4) with cc", "llama.cpp", "b6209"),
        ("version: 9589 (11924d4c17)", "llama.cpp", "b9589"),
        ("[TensorRT-LLM] TensorRT LLM version: 1.3.0rc17", "tensorrt-llm", "1.3.0rc17"),
    ],
)
def test_a_line_names_the_engine_and_its_version(real, line, engine, version):
    assert [(one.name, one.value) for one in seen(real, line, "component")] == [(engine, version)]
    assert min(seen(real, line, "engine"), key=lambda one: one.value).name == engine


@pytest.mark.parametrize(
    ("line", "engine"),
    [
        ('File "site-packages/vllm/v1/engine/core.py", line 1', "vllm"),
        ('File "site-packages/sglang/srt/managers/scheduler.py", line 1', "sglang"),
        ('File "site-packages/mlx_lm/generate.py", line 1', "mlx-lm"),
        ("[TRT-LLM] [I] x", "tensorrt-llm"),
        ("llama_model_loader: - kv 0", "llama.cpp"),
    ],
)
def test_a_trace_names_the_engine(real, line, engine):
    assert {one.name for one in seen(real, line, "engine")} == {engine}


def options(real, text: str) -> dict:
    return {part.name: part.value for one in seen(real, text, "options") for part in one.value}


def test_vllms_own_settings(real):
    text = (
        "INFO Initializing a V1 LLM engine (v0.26.0) with config: model='google/gemma-4-31B-it', speculative_config=SpeculativeConfig(method='mtp', "
        "model='google/gemma-4-31B-it-assistant', num_spec_tokens=4), dtype=torch.bfloat16, max_seq_len=32768, tensor_parallel_size=2, "
        "quantization=None, enforce_eager=True, kv_cache_dtype=fp8, enable_prefix_caching=False"
    )
    assert options(real, text) == {
        "max_model_len": 32768,
        "tensor_parallel": 2,
        "cuda_graphs": "none",
        "cache.dtype": "fp8",
        "prefix_caching": False,
        "speculation.method": "mtp",
        "speculation.tokens": 4,
    }
    assert [one.value for one in seen(real, text, "model")] == ["google/gemma-4-31B-it"]


def test_arguments_that_differ_from_the_defaults(real):
    speculation = "{'method': 'eagle3', 'num_speculative_tokens': 3}"
    text = f"non-default args: {{'model_tag': 'openai/gpt-oss-20b', 'port': 8001, 'max_model_len': 4096, 'speculative_config': {speculation}}}"
    assert options(real, text) == {"max_model_len": 4096, "speculation.method": "eagle3", "speculation.tokens": 3}
    assert [one.value for one in seen(real, text, "model")] == ["openai/gpt-oss-20b"]


def test_sglangs_own_settings(real):
    text = "server_args=ServerArgs(model_path='openai/gpt-oss-20b', tp_size=4, attention_backend='fa3', disable_radix_cache=True, x=None)"
    assert options(real, text) == {"tensor_parallel": 4, "attention.backend": "fa3", "prefix_caching": False}


def test_a_backend_becomes_a_fact_where_the_record_knows_it(real):
    assert options(real, "Using Flash Attention backend on V1 engine.") == {"attention.backend": "FLASH_ATTN"}
    assert options(real, "Using SOMETHING_ELSE backend.") == {}


def test_the_model_of_llamacpp(real):
    text = "llama_model_loader: loaded meta data with 41 key-value pairs and 626 tensors from models/gemma-3-12b-it-Q4_K_M.gguf (version GGUF V3)"
    assert [one.value for one in seen(real, text, "model")] == ["models/gemma-3-12b-it-Q4_K_M.gguf"]


def test_every_sign_is_of_an_engine_of_the_catalog_and_holds_its_own_words(real):
    assert {sign.engine for sign in SIGNS if sign.engine and real.catalog.follow(sign.engine) is None} == set()
    assert len({(sign.what, sign.pattern) for sign in SIGNS}) == len(SIGNS)


def test_ordinary_logs_are_read_and_never_taken(real):
    found = read(INNOCENT.split("\n"), real.catalog)
    assert found.taken == frozenset()
    assert {"cache size in tokens", "memory of the weights", "attention backend"} <= {one.name for one in found.seen if one.kind == "log"}


@given(st.text(alphabet=st.sampled_from("non-default args: {}'\",=()\nServerArgs 12.GiB")))
def test_any_text(real, text):
    read(f"non-default args: {{{text}}}\nserver_args=ServerArgs({text})\n{text}".split("\n"), real.catalog)
