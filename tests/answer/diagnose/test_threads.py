"""What people paste in threads: texts of the forms that public issues have, and what has to be understood of them.

Each names the thread whose form it has; texts are our own short ones.
"""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand

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
