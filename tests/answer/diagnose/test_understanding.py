"""One stack from everything that was seen: what wins where two say the same, and what is noted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.understanding import READERS, fold, gather, understand

COMMAND = "vllm serve google/gemma-4-31B-it --kv-cache-dtype fp8 -tp 2 --port 8000"
REPORT = """Collecting environment information...
==============================
        System Info
==============================
OS                           : Ubuntu 22.04.5 LTS (x86_64)
==============================
       PyTorch Info
==============================
PyTorch version              : 2.11.0+cu130
CUDA used to build PyTorch   : 13.0
==============================
       CUDA / GPU Info
==============================
GPU models and configuration :
GPU 0: NVIDIA B200
GPU 1: NVIDIA B200

Nvidia driver version        : 580.95.05
==============================
Versions of relevant libraries
==============================
[pip3] flashinfer-python==0.6.14
[pip3] transformers==5.12.0
==============================
         vLLM Info
==============================
vLLM Version                 : 0.26.0
GPU Topology:
VLLM_USE_V2_MODEL_RUNNER=1
"""


def test_a_command_alone(real):
    found = understand(COMMAND, real.catalog)
    assert (found.engine.name, found.version, found.model.value, found.model_id) == ("vllm", None, "google/gemma-4-31B-it", "gemma-4-31b")
    assert found.facts == {"cache.dtype": "fp8", "tensor_parallel": 2, "weights.format": "bf16"}
    assert [(one.name, one.value) for one in found.unread] == [("--port", "8000")]
    assert (found.hardware, dict(found.components), found.log, found.notes) == ((), {}, (), ())


@pytest.mark.parametrize(("ranks", "experts"), [("", 1), ("--tensor-parallel-size 8", 8), ("-tp 4 --data-parallel-size 2", 8)])
def test_a_switch_for_experts_counts_the_ranks_of_the_others(real, ranks, experts):
    found = understand(f"vllm serve deepseek-ai/DeepSeek-V3 --enable-expert-parallel {ranks}", real.catalog)
    assert found.facts["expert_parallel"] == experts


def test_collect_env(real):
    found = understand(REPORT, real.catalog)
    assert (found.engine.name, found.version.value, found.version.line, found.model) == ("vllm", "0.26.0", 27, None)
    assert [(kind.id, kind.count, kind.line) for kind in found.hardware] == [("b200", 2, 15)]
    assert {name: one.value for name, one in found.components.items()} == {"torch": "2.11.0+cu130", "flashinfer": "0.6.14", "transformers": "5.12.0"}
    assert found.facts == {"os": "linux", "cuda.version": "13.0", "driver.version": "580.95.05"}


def test_a_mixture_is_one_stack(real):
    found = understand(f"{COMMAND}\n\n{REPORT}", real.catalog)
    assert (found.engine.line, found.version.value, found.version.line) == (1, "0.26.0", 29)
    assert found.facts["cache.dtype"] == "fp8"
    assert found.hardware[0].count == 2


def test_what_a_person_typed_wins_over_the_log(real):
    log = "non-default args: {'model': 'google/gemma-3-4b-it', 'max_model_len': 4096, 'kv_cache_dtype': 'fp8_e5m2'}\nUsing FLASHINFER backend."
    found = understand(f"{COMMAND}\n{log}", real.catalog)
    assert found.model_id == "gemma-4-31b"
    assert {name: found.facts[name] for name in ("cache.dtype", "max_model_len", "attention.backend")} == {
        "cache.dtype": "fp8",
        "max_model_len": 4096,
        "attention.backend": "FLASHINFER",
    }


def test_a_log_alone_is_a_stack(real):
    log = "Initializing a V1 LLM engine (v0.26.0) with config: model='openai/gpt-oss-20b', max_seq_len=4096, kv_cache_dtype=auto"
    found = understand(log, real.catalog)
    assert (found.engine.name, found.version.value, found.model_id, found.facts["max_model_len"]) == ("vllm", "0.26.0", "gpt-oss-20b", 4096)
    assert "cache.dtype" not in found.facts


def test_the_installed_version_wins_over_a_tag(real):
    found = understand("docker run vllm/vllm-openai:v0.25.0 --model a/b-1\nvllm==0.26.0+cu129", real.catalog)
    assert found.version.value == "0.26.0+cu129"
    assert [one.value for one in found.notes] == ["vllm 0.25.0 is left out: line 2 says 0.26.0+cu129"]


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("sglang==0.5.13", "sglang"),
        ("vllm==0.26.0\nsglang==0.5.13", None),
        ("vllm==0.26.0\nsglang==0.5.13\nsglang/srt/managers/scheduler.py", "sglang"),
        ("transformers==5.12.0\nflashinfer-python==0.6.14", None),
        ("kv_cache_config:\n  dtype: fp8", "tensorrt-llm"),
        ("nothing to see", None),
    ],
)
def test_the_engine_without_a_command(real, text, engine):
    found = understand(text, real.catalog)
    assert (found.engine.name if found.engine else None) == engine


def test_options_of_another_engine_do_not_count(real):
    assert understand("vllm serve a/b-1\nkv_cache_config:\n  dtype: fp8", real.catalog).facts == {}
    assert understand("trtllm-serve a/b-1\nkv_cache_config:\n  dtype: fp8", real.catalog).facts == {"cache.dtype": "fp8"}


def test_a_second_command_is_noted_and_a_repeated_one_is_not(real):
    found = understand("vllm serve a/b-1 -tp 2\nroot 9 vllm serve a/b-1 -tp 2\nsglang serve --model-path c/d-1", real.catalog)
    assert (found.engine.name, found.facts) == ("vllm", {"tensor_parallel": 2})
    assert [(one.value, one.line) for one in found.notes] == [("a second serve command, of sglang, is left out", 3)]


def test_the_name_under_which_a_model_is_served_tells_where_its_path_does_not(real):
    found = understand("vllm serve models/current-1 --served-model-name openai/gpt-oss-20b", real.catalog)
    assert (found.model.value, found.model_id) == ("openai/gpt-oss-20b", "gpt-oss-20b")
    assert understand("vllm serve models/current-1", real.catalog).model.value == "models/current-1"


def test_a_model_by_its_name_is_noted(real):
    found = understand("llama-server -m gemma-3-27b-it-Q4_K_M.gguf", real.catalog)
    assert (found.model_id, found.facts["weights.format"]) == ("gemma-3-27b", "gguf")
    assert [one.value for one in found.notes] == ["gemma-3-27b-it-Q4_K_M.gguf is taken for gemma-3-27b by its name"]


def test_a_device_counts_once_however_many_tools_name_it(real):
    smi = "|   0  NVIDIA L40S                    On  | 00000000:01:00.0 Off |\n|   1  NVIDIA L40S                    On  | 00000000:02:00.0 Off |"
    text = f"| NVIDIA-SMI 570.1 |\n{smi}\nGPU 0: NVIDIA L40S (UUID: GPU-1)\nGPU 1: NVIDIA L40S (UUID: GPU-2)\nGPU 2: NVIDIA H800"
    found = understand(text, real.catalog)
    assert [(kind.id, kind.name, kind.count) for kind in found.hardware] == [("l40s", "NVIDIA L40S", 2), (None, "NVIDIA H800", 1)]
    assert [one.value for one in found.notes] == ["the catalog has no record of NVIDIA H800"]


def test_an_argument_names_the_path_and_the_package_its_version(real):
    text = "lmdeploy==0.18.0\nlmdeploy serve api_server Qwen/Qwen3-8B --backend {} --quant-policy 8"
    for path in ("turbomind", "pytorch"):
        found = understand(text.format(path), real.catalog)
        assert (found.engine.name, found.version.value, found.model_id, found.unread) == (f"lmdeploy-{path}", "0.18.0", "qwen3-8b", ())


def test_colours_and_windows_line_ends_are_no_hindrance(real):
    found = understand("vllm serve a/b-1 \\\r\n  -tp 2\r\n\x1b[32mINFO\x1b[0m GPU KV cache size: \x1b[1m100\x1b[0m tokens\r\n", real.catalog)
    assert (found.facts, [(one.value, one.line) for one in found.log]) == ({"tensor_parallel": 2}, [(100, 3)])


def test_several_texts_keep_their_names(real):
    texts = [("cmd.sh", "vllm serve openai/gpt-oss-20b"), ("freeze.txt", "vllm==0.26.0"), ("server.log", "\nGPU KV cache size: 100 tokens")]
    seen, rest = gather(texts, real.catalog)
    found = fold(seen, real.catalog)
    assert [(one.source, one.line) for one in (found.engine, found.version, found.log[0])] == [("cmd.sh", 1), ("freeze.txt", 1), ("server.log", 2)]
    assert [(name, [line for line in lines if line]) for name, lines in rest] == [
        ("cmd.sh", []),
        ("freeze.txt", []),
        ("server.log", ["GPU KV cache size: 100 tokens"]),
    ]


def test_the_readers_are_a_plain_tuple():
    assert [reader.__module__.rpartition(".")[2] for reader in READERS] == [
        *("stated", "labels", "dockerfiles", "manifests", "snippets", "commands", "logs", "packages", "machines"),
    ]


@given(st.text())
def test_any_text(real, text):
    understand(text, real.catalog)


LINES = [
    *COMMAND.split(" "),
    *REPORT.split("\n"),
    "services:",
    "  image: x",
    "command: [",
    "'",
    '"',
    "{",
    "\\",
    "vllm serve",
    "docker run",
    "server_args=ServerArgs(",
]


@given(st.lists(st.sampled_from(LINES), max_size=30), st.sampled_from([" ", "\n", "\n  ", "="]))
def test_any_mixture(real, parts, between):
    understand(between.join(parts), real.catalog)
