"""Dockerfiles and Modelfiles."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand

IMAGE = "FROM vllm/vllm-openai:v0.11.0"


# Forms in use, written from knowledge of Docker's reference of ENTRYPOINT and CMD, and of Ollama's docs/modelfile.mdx.
@pytest.mark.parametrize(
    ("text", "engine", "version", "model", "fact"),
    [
        ('ARG V=0.31.0\nFROM vllm/vllm-openai:v${V}\nCMD ["--model", "a/b-1", "-tp", "2"]', "vllm", "0.31.0", "a/b-1", ("tensor_parallel", 2)),
        (
            f'{IMAGE}\nENV HF_HOME=/m \\\n    VLLM_ATTENTION_BACKEND=FLASHINFER\nCMD ["--model", "a/b-1"]',
            "vllm",
            "0.11.0",
            "a/b-1",
            ("attention.backend", "FLASHINFER"),
        ),
        (f'{IMAGE}\nCMD ["--model", "a/b-1", "--max-model-len", "8192"]', "vllm", "0.11.0", "a/b-1", ("max_model_len", 8192)),
        (
            f'{IMAGE} AS serve\nENV HF_HOME=/m\nENTRYPOINT ["python3", "-m", "vllm.entrypoints.openai.api_server"]\nCMD ["--model", "a/b-1", \\\n  "-tp", "2"]',
            "vllm",
            "0.11.0",
            "a/b-1",
            ("tensor_parallel", 2),
        ),
        (
            'FROM nvidia/cuda:12.8.0-devel-ubuntu22.04\nRUN pip install vllm==0.10.2\nCMD ["vllm", "serve", "a/b-1", "-tp=2"]',
            "vllm",
            "0.10.2",
            "a/b-1",
            ("tensor_parallel", 2),
        ),
        (
            "FROM lmsysorg/sglang:v0.5.5\nENV MODEL=a/b-1\nCMD python3 -m sglang.launch_server --model-path $MODEL \\\n    --tp 2",
            "sglang",
            "0.5.5",
            "a/b-1",
            ("tensor_parallel", 2),
        ),
        ("FROM gemma3:27b\nPARAMETER num_ctx 32768\nPARAMETER temperature 1", "ollama", None, "gemma3:27b", ("max_model_len", 32768)),
        ("FROM ./b-1.gguf\nTEMPLATE x", "ollama", None, "./b-1.gguf", None),
        (f"{IMAGE}\nRUN apt-get update", "vllm", "0.11.0", None, None),
        ("SELECT x\nFROM table\nWHERE y", None, None, None, None),
        ('FROM python:3.11\nCMD ["python", "app.py"]', None, None, None, None),
    ],
)
def test_what_a_file_starts(real, text, engine, version, model, fact):
    found = understand(text, real.catalog)
    assert (found.engine and found.engine.name, found.version and found.version.value, found.model and found.model.value) == (engine, version, model)
    assert fact is None or found.facts[fact[0]] == fact[1]
