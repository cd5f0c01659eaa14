"""The programs, containers and variables that start each engine: what the engine's own parser makes of them."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand
from infercompat.answer.diagnose.programs import IMAGES, PROGRAMS

from .test_commands import commands, said

LLAMA = "ghcr.io/ggml-org/llama.cpp"
TGI = "ghcr.io/huggingface/text-generation-inference"


@pytest.mark.parametrize(
    ("text", "engine", "model", "facts"),
    [
        # launcher/src/main.rs of TGI 3.3.7: every flag is a variable, too
        (
            "text-generation-launcher --model-id a/b-1 --num-shard 2 --quantize awq --max-total-tokens 8192 --kv-cache-dtype fp8_e5m2",
            "tgi",
            "a/b-1",
            {"tensor_parallel": 2, "weights.format": "awq", "max_model_len": 8192, "cache.dtype": "fp8_e5m2"},
        ),
        (
            "text-generation-launcher --model-id a/b-1 --speculate 3 --cuda-graphs 0",
            "tgi",
            "a/b-1",
            {"speculation.method": "ngram", "speculation.tokens": 3, "cuda_graphs": "none", "setting.cuda_graphs": 0},
        ),
        ("text-generation-launcher --model-id a/b-1 --sharded false", "tgi", "a/b-1", {"tensor_parallel": 1}),
        ("text-generation-launcher --model-id a/b-1 --cuda-graphs 1,2", "tgi", "a/b-1", {"setting.cuda_graphs": "1,2"}),
        ("text-generation-launcher --model-id a/b-1 --speculate 0", "tgi", "a/b-1", {"speculation.method": "none", "speculation.tokens": 0}),
        ("NUM_SHARD=4 PREFIX_CACHING=0 text-generation-launcher --model-id a/b-1", "tgi", "a/b-1", {"tensor_parallel": 4, "prefix_caching": False}),
        ("MODEL_ID=a/b-1 QUANTIZE=bitsandbytes-nf4 text-generation-launcher", "tgi", "a/b-1", {"weights.format": "bitsandbytes"}),
        ("python -m mlx_vlm.server --model a/b-1 --kv-bits 8 --max-num-seqs 4", "mlx-vlm", "a/b-1", {"setting.kv_bits": 8, "max_num_seqs": 4}),
        ("mlx_vlm server --model a/b-1 --max-kv-size 4096", "mlx-vlm", "a/b-1", {"setting.max_kv_size": 4096}),
        (
            "mlx_vlm.server --model a/b-1 --draft-model c/d-eagle --draft-kind dflash",
            "mlx-vlm",
            "a/b-1",
            {"setting.draft_model": "c/d-eagle", "speculation.method": "dflash"},
        ),
        ("APC_ENABLED=1 mlx_vlm.generate --model a/b-1", "mlx-vlm", "a/b-1", {"prefix_caching": True}),
        (
            "lmdeploy serve api_server a/b-1 --backend pytorch --eager-mode --quant-policy 8",
            "lmdeploy-pytorch",
            "a/b-1",
            {"setting.backend": "pytorch", "cuda_graphs": "none", "cache.dtype": "int8"},
        ),
        (
            "lmdeploy serve api_server a/b-1 --backend turbomind --quant-policy 0",
            "lmdeploy-turbomind",
            "a/b-1",
            {"setting.backend": "turbomind", "cache.dtype": "auto"},
        ),
        (
            "python -m sglang.launch_server --model a/b-1 --kt-weight-path /w --kt-cpuinfer 60 --kt-method AMXINT4 --tp 2",
            "ktransformers",
            "a/b-1",
            {"setting.kt_weight_path": "/w", "setting.kt_cpuinfer": 60, "setting.kt_method": "AMXINT4", "tensor_parallel": 2},
        ),
        ("python ktransformers/server/main.py --model_path a/b-1 --gguf_path /x.gguf", "ktransformers", "a/b-1", {}),
        (
            "./llama-server -m b-1.gguf -mla 3 -amb 512 -fmoe -ctk q8_0",
            "ik-llama.cpp",
            "b-1.gguf",
            {"setting.mla_use": 3, "setting.attention_max_batch": 512, "cache.k.dtype": "q8_0"},
        ),
        ("~/ik_llama.cpp/build/bin/llama-server -m b-1.gguf -c 512", "ik-llama.cpp", "b-1.gguf", {"max_model_len": 512}),
        (
            "llama-server -hf a/b-1-GGUF:Q4_K_M -ngl 99 -np 2 --spec-type draft-mtp -md d.gguf",
            "llama.cpp",
            "a/b-1-GGUF:Q4_K_M",
            {"setting.gpu_layers": 99, "max_num_seqs": 2, "speculation.method": "draft-mtp", "setting.draft_model": "d.gguf"},
        ),
        (
            "LLAMA_ARG_CTX_SIZE=8192 LLAMA_ARG_HF_REPO=a/b-1-GGUF LLAMA_ARG_FLASH_ATTN=on llama-server",
            "llama.cpp",
            "a/b-1-GGUF",
            {"max_model_len": 8192, "setting.flash_attn": "on"},
        ),
        (
            "mlc_llm serve HF://mlc-ai/b-1-q4f16_1-MLC --mode server --overrides 'tensor_parallel_shards=2;context_window_size=8192'",
            "mlc-llm",
            "HF://mlc-ai/b-1-q4f16_1-MLC",
            {"setting.mode": "server", "tensor_parallel": 2, "max_model_len": 8192},
        ),
        (
            "ovms --source_model a/b-1-int4-ov --cache_size 4 --enable_prefix_caching true --kv_cache_precision u8",
            "openvino-genai",
            "a/b-1-int4-ov",
            {"setting.cache_size": 4, "prefix_caching": True, "cache.dtype": "u8"},
        ),
        ("cd /opt/ovms && ./ovms --source_model a/b-1", "openvino-genai", "a/b-1", {}),
        ("optimum-cli export openvino --model a/b-1 --weight-format int4 out", "optimum-intel", "a/b-1", {"weights.format": "int4"}),
        (
            "transformers serve --force-model a/b-1 --continuous-batching --quantization bnb-4bit",
            "transformers",
            "a/b-1",
            {"setting.continuous_batching": True, "weights.format": "bitsandbytes"},
        ),
        (
            "python ~/tabbyAPI/main.py --model-name b-1-exl3 --max-seq-len 32768 --cache-mode 8,8",
            "exllamav3",
            "b-1-exl3",
            {"max_model_len": 32768, "setting.cache_quant": "8,8"},
        ),
        ("trtllm-serve serve a/b-1 --backend pytorch --ep_size 2", "tensorrt-llm", "a/b-1", {"setting.backend": "pytorch", "expert_parallel": 2}),
    ],
)
def test_a_program(real, text, engine, model, facts):
    assert said(real, text) == (engine, model, facts)


def test_the_tables_name_engines_and_programs(real):
    engines = {engine for program in PROGRAMS for engine in (program.engine, *program.others.values())}
    assert {engine for engine in engines if real.catalog.follow(engine) is None} == set()
    assert {entry for _, entry in IMAGES if entry} <= {" ".join(program.words) for program in PROGRAMS}


@pytest.mark.parametrize(
    ("text", "engine", "version", "model"),
    [
        (f"docker run --gpus all -v $PWD:/data {TGI}:3.3.5 --model-id a/b-1 --num-shard 4", "tgi", "3.3.5", "a/b-1"),
        (f"docker run --gpus all -e MODEL_ID=a/b-1 -e NUM_SHARD=2 {TGI}:3.3.4-rocm", "tgi", "3.3.4", "a/b-1"),
        (f"docker run {TGI}:latest-rocm --model-id a/b-1", "tgi", None, "a/b-1"),
        (f"docker run {TGI}:sha-b70ae09 --model-id a/b-1", "tgi", None, "a/b-1"),
        (f"docker run -e LLAMA_ARG_HF_REPO=a/b-1-GGUF {LLAMA}:server-cuda", "llama.cpp", None, "a/b-1-GGUF"),
        (f"docker run {LLAMA}:server-cuda-b6209 -m b-1.gguf", "llama.cpp", "b6209", "b-1.gguf"),
        ("docker run openvino/model_server:2026.1-gpu --source_model a/b-1", "openvino-genai", "2026.1", "a/b-1"),
        ("docker run --gpus all lmsysorg/sglang:latest-cu130 sglang serve --model-path a/b-1", "sglang", None, "a/b-1"),
        ("docker run rocm/vllm:rocm6.4.1_vllm_0.10.1_20250909 vllm serve a/b-1", "vllm", "0.10.1", "a/b-1"),
        ("docker run quay.io/ascend/vllm-ascend:v0.11.0rc1 vllm serve a/b-1", "vllm-ascend", "0.11.0rc1", "a/b-1"),
        ("docker run vllm/vllm-tpu:v0.12.0 vllm serve a/b-1", "tpu-inference", "0.12.0", "a/b-1"),
        ("docker run nvcr.io/nvidia/vllm:25.11-py3 vllm serve a/b-1", "vllm", None, "a/b-1"),
    ],
)
def test_a_container(real, text, engine, version, model):
    found = understand(text, real.catalog)
    assert (found.engine.name, found.version and found.version.value, found.model.value) == (engine, version, model)


@pytest.mark.parametrize(
    "text",
    [
        "OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0 ollama serve &\nollama run gemma3:27b",
        "[Service]\nEnvironment=\"OLLAMA_FLASH_ATTENTION=1\"\nEnvironment='OLLAMA_KV_CACHE_TYPE=q8_0'\n$ ollama run gemma3:27b",
        "docker run -d -e OLLAMA_FLASH_ATTENTION=1 -e OLLAMA_KV_CACHE_TYPE=q8_0 ollama/ollama\ndocker exec -it ollama ollama run gemma3:27b",
    ],
)
def test_ollama_is_started_in_two_halves(real, text):
    found = understand(text, real.catalog)
    facts = {name: value for name, value in found.facts.items() if name != "container"}
    assert facts == {"setting.flash_attn": "on", "cache.dtype": "q8_0"}
    assert (found.engine.name, found.model_id) == ("ollama", "gemma-3-27b")
    assert [note.value for note in found.notes] == ["gemma3:27b is taken for gemma-3-27b by its name"]


def test_a_second_model_is_a_second_command(real):
    found = understand("OLLAMA_NUM_PARALLEL=2 ollama serve\nollama run gemma3:27b\nollama run qwen3:8b", real.catalog)
    assert found.model_id == "gemma-3-27b"
    assert found.notes[0].value == "a second serve command, of ollama, is left out"


def test_variables_of_the_engine_that_nobody_reads_are_told(real):
    text = "export NCCL_DEBUG=INFO\nK=plain\nVLLM_USE_FLASHINFER_MOE_FP8=1 VLLM_API_KEY=$K VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve a/b-1"
    (command,) = commands(real, text).seen
    assert [(one.name, one.value) for one in command.value if one.kind == "flag"] == [
        ("VLLM_API_KEY", "REDACTED"),
        ("VLLM_USE_FLASHINFER_MOE_FP8", "1"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("docker run --gpus all ghcr.io/me/mine:1 --model Qwen/Qwen3-8B -tp 2", True),
        ("podman run ghcr.io/me/mine:1 serve --model-id=Qwen/Qwen3-8B", True),
        ("docker run hello-world", False),
        ("docker run -v /models:/models ubuntu ls --color", False),
    ],
)
def test_a_container_of_no_engine_on_record_is_told(real, text, told):
    found = understand(text, real.catalog)
    notes = ["a container is started that shows no engine on record: its command is not understood"] if told else []
    assert (found.engine, [note.value for note in found.notes]) == (None, notes)


def test_the_options_of_a_json_value_that_nobody_reads_are_told(real):
    text = """vllm serve a/b-1 --speculative-config '{"method":"eagle3","model":"c/d","num_speculative_tokens":3}' \\
  --compilation-config '{"cudagraph_mode":"FULL","level":3}' --kv-transfer-config '{"kv_connector":"NixlConnector","kv_role":"kv_both"}'"""
    (command,) = commands(real, text).seen
    assert said(real, text)[2] == {
        **{"speculation.method": "eagle3", "setting.draft_model": "c/d", "speculation.tokens": 3},
        **{"cuda_graphs": "full", "kv_connector": "NixlConnector"},
    }
    assert [(one.name, one.value) for one in command.value if one.kind == "flag"] == [
        ("--compilation-config.level", 3),
        ("--kv-transfer-config.kv_role", "kv_both"),
    ]


COMPOSE = f"""services:
  tgi:
    image: {TGI}:3.3.5
    command: --model-id Qwen/Qwen3-8B --num-shard 2
    environment:
      - HF_TOKEN=hf_AbCdEfGhIjKlMnOp
      - MAX_TOTAL_TOKENS=4096
"""


def test_a_compose_file_of_tgi(real):
    found = understand(COMPOSE, real.catalog)
    assert (found.engine.name, found.version.value, found.model_id) == ("tgi", "3.3.5", "qwen3-8b")
    assert found.facts["tensor_parallel"] == 2
    assert (found.given["max_model_len"].value, found.given["max_model_len"].line) == (4096, 7)
    assert found.unread == ()


POD = """apiVersion: v1
kind: Pod
spec:
  containers:
    - name: llama
      image: ghcr.io/ggml-org/llama.cpp:server-cuda-b6209
      args: ["-hf", "unsloth/gpt-oss-20b-GGUF:Q4_K_M", "--parallel", "2"]
      env:
        - {name: LLAMA_ARG_CTX_SIZE, value: "32768"}
        - {name: HF_TOKEN, valueFrom: {secretKeyRef: {name: hf, key: token}}}
"""


def test_a_manifest_with_variables(real):
    found = understand(POD, real.catalog)
    assert (found.engine.name, found.version.value, found.model_id) == ("llama.cpp", "b6209", "gpt-oss-20b")
    assert (found.facts["max_num_seqs"], found.facts["max_model_len"]) == (2, 32768)
