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


THREADS = {
    # vllm-project/vllm-ascend issue 3479: a container with a shell, and the command that runs in it
    "docker run --rm -it --privileged=true quay.io/ascend/vllm-ascend:v0.11.0rc0-310p-openeuler /bin/bash\n\nvllm serve /m/Qwen3-4B -tp 1": (
        *("vllm-ascend", "0.11.0rc0", "qwen3-4b"),
        {"tensor_parallel": 1},
    ),
    # QwenLM/Qwen3-VL issue 1622: the log's dict holds what is not at its default, whatever the default is today
    "INFO [api_server.py:1839] vLLM API server version 0.11.0\nnon-default args: {'model': 'Qwen/Qwen3-8B', 'async_scheduling': True}": (
        *("vllm", "0.11.0", "qwen3-8b"),
        {"async_scheduling": True},
    ),
    # sgl-project/sglang issue 12722: the word behind --log-level is its value
    "`python -m sglang.launch_server --model-path /m/hub/Qwen/Qwen3-8B --log-level info --pp-size 1`": ("sglang", None, "qwen3-8b", {"pipeline_parallel": 1}),
    # ikawrakow/ik_llama.cpp issue 747: asking for the version starts no server, and the fork is known by its commit
    "./llama-server -m b/DeepSeek-V3.1-smol-IQ4_KSS-00001-of-00007.gguf -mla 3 -fmoe\n./llama-server --version\nversion: 3871 (d10d90ae)": (
        *("ik-llama.cpp", "d10d90ae", "deepseek-v3.1"),
        {"setting.mla_use": 3},
    ),
    # ggml-org/llama.cpp issue 24537: a closing backtick continues no line; a build of a shallow clone has no number
    "`llama-server --version`\nversion: 1 (1705d43)\n\n./llama-server -hf ggml-org/gemma-3-4b-it-GGUF -c 512": (
        *("llama.cpp", None, "gemma-3-4b"),
        {"max_model_len": 512},
    ),
    # ggml-org/llama.cpp issue 27749: the version as newer builds print it
    "llama-server --version\nversion: 0.2.0-dev (build 10586, commit b21e4de74)\nllama-server --model /m/gemma-3-4b-it-Q4_K_M.gguf -np 1": (
        *("llama.cpp", "b10586", "gemma-3-4b"),
        {"max_num_seqs": 1},
    ),
    # InternLM/lmdeploy issue 3455: a batch file
    '@echo off\ncmd /k "conda activate x && lmdeploy serve api_server E:\\\\m\\\\Qwen2.5-14B-Instruct-AWQ --backend turbomind --tp 2"': (
        *("lmdeploy-turbomind", None, "qwen2.5-14b"),
        {"tensor_parallel": 2},
    ),
    # InternLM/lmdeploy issues 3114 and 1580: versions as people write them
    "lmdeploy serve api_server Qwen/Qwen3-8B --tp 2\nlmdeploy版本：0.7.0.post2": ("lmdeploy-turbomind", "0.7.0.post2", "qwen3-8b", {"tensor_parallel": 2}),
    "lmdeploy: 0.7.0\n`lmdeploy serve api_server Qwen/Qwen3-8B --tp 2`": ("lmdeploy-turbomind", "0.7.0", "qwen3-8b", {"tensor_parallel": 2}),
    # huggingface/text-generation-inference issue 606: a list of what is used, and the launcher's dump
    "- model: Qwen/Qwen3-8B,\n- hardware (GPU): 2x NVIDIA L4.\ndocker run ghcr.io/huggingface/text-generation-inference:3.3.4 --model-id $model": (
        *("tgi", "3.3.4", "qwen3-8b"),
        {},
    ),
    'INFO text_generation_launcher: Args { model_id: "Qwen/Qwen3-8B", sharded: None, num_shard: Some(2), quantize: Some(Awq), port: 80 }': (
        *("tgi", None, "qwen3-8b"),
        {"tensor_parallel": 2, "weights.format": "awq"},
    ),
    # huggingface/text-generation-inference issue 1644: a space behind the sign
    "model= Qwen/Qwen3-8B\nv=$PWD # share it\ndocker run -v $v:/d ghcr.io/huggingface/text-generation-inference:3.3.4 --num-shard 4 --model-id $model": (
        *("tgi", "3.3.4", "qwen3-8b"),
        {"tensor_parallel": 4},
    ),
    # ollama/ollama issue 11471: the server's configuration; issue 15477: the form of its template
    'source=routes.go:1235 msg="server config" env="map[OLLAMA_KV_CACHE_TYPE:q8_0 OLLAMA_LLM_LIBRARY: OLLAMA_NUM_PARALLEL:4]"\nollama run gemma3:27b': (
        *("ollama", None, "gemma-3-27b"),
        {"cache.dtype": "q8_0", "max_num_seqs": 4},
    ),
    "ollama run gemma3:27b\n\n### OS\n\nmacOS\n\n### Ollama version\n\n0.32.15": ("ollama", "0.32.15", "gemma-3-27b", {}),
}


@pytest.mark.parametrize("text", THREADS)
def test_what_a_thread_shows(real, text):
    engine, version, model, facts = THREADS[text]
    found = understand(text, real.catalog)
    assert (found.engine.name, found.version and found.version.value, found.model_id) == (engine, version, model)
    assert facts.items() <= found.facts.items()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GPU: NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", [("rtx-pro-6000-blackwell", 1)]),
        ("- hardware (GPU): 2x NVIDIA L4.", [("l4", 2)]),
        ("GPUs: 8 x NVIDIA H200", [("h200-sxm", 8)]),
        ("GPU: none", []),
        ('msg="inference compute" id=GPU-1 library=cuda compute=8.9 name="NVIDIA GeForce RTX 4090" total="23.6 GiB"', [("rtx-4090", 1)]),
    ],
)
def test_the_hardware_that_people_write(real, text, expected):
    assert [(kind.id, kind.count) for kind in understand(text, real.catalog).hardware] == expected


def test_a_log_of_ollama_names_its_engine(real):
    assert understand('msg="inference compute" id=GPU-1 library=cpu total="23.6 GiB"', real.catalog).engine.name == "ollama"


def test_a_variable_that_nobody_sets_is_told(real):
    from infercompat.answer.diagnose import as_data, diagnose

    data = as_data(diagnose(real, [("", "vllm serve $MODEL -tp 2")]))
    assert data["next"][0] == {"missing": "model", "why": "nothing says what $MODEL is", "add": "model: google/gemma-3-27b-it"}
