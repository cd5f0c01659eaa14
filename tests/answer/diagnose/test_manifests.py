"""Commands in compose files, Kubernetes manifests and option files, alone and between other text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.manifests import read

COMPOSE = """services:
  llm:
    image: vllm/vllm-openai:v0.11.0
    environment:
      - VLLM_USE_V2_MODEL_RUNNER=1
    ports: ["8000:8000"]
    command: >
      --model google/gemma-3-27b-it
      --tensor-parallel-size 2
      --max-model-len 32768
    deploy: {resources: {limits: {memory: 10g}}}
"""
KUBERNETES = """apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
        - name: sglang
          image: lmsysorg/sglang:v0.5.13
          command: ["python3", "-m", "sglang.launch_server"]
          args:
            - --model-path
            - openai/gpt-oss-120b
            - --tp=8
            - "--disable-radix-cache"
          env:
            - name: SGLANG_USE_AITER_UNIFIED_ATTN
              value: "1"
"""
SCRIPT = """spec:
  containers:
  - name: vllm
    image: vllm/vllm-openai:v0.11.2
    command: ["/bin/sh", "-c"]
    args:
    - |
      echo starting
      vllm serve $(MODEL) \\
        --max-num-seqs 64 \\
        --speculative-config '{"method": "ngram", "num_speculative_tokens": 4}'
    env:
    - {name: MODEL, value: Qwen/Qwen3-8B}
"""
OPTIONS = """kv_cache_config:
  dtype: fp8
  enable_block_reuse: false
  free_gpu_memory_fraction: 0.8
attn_backend: TRTLLM
cuda_graph_config:
  enable_padding: true
"""


def said(real, text: str) -> tuple[str, str | None, dict, dict]:
    """The engine, the model, the facts and their lines."""
    (command,) = read(text.split("\n"), real.catalog).seen
    facts = {one.name: one for one in command.value if one.kind == "fact"}
    model = next((one.value for one in command.value if one.kind == "model"), None)
    return command.name, model, {name: one.value for name, one in facts.items()}, {name: one.line for name, one in facts.items()}


def test_compose(real):
    engine, model, facts, lines = said(real, COMPOSE)
    assert (engine, model) == ("vllm", "google/gemma-3-27b-it")
    assert facts == {
        "container": "vllm/vllm-openai:v0.11.0",
        "tensor_parallel": 2,
        "max_model_len": 32768,
        "setting.use_v2_model_runner": True,
    }
    assert (lines["container"], lines["setting.use_v2_model_runner"]) == (3, 5)


@pytest.mark.parametrize(
    "command",
    [
        'command: ["--model", "google/gemma-3-27b-it", "-tp", "2"]',
        "command: --model google/gemma-3-27b-it -tp 2",
        'command: "--model google/gemma-3-27b-it -tp 2"',
        "command:\n      - --model google/gemma-3-27b-it\n      - -tp 2",
        "entrypoint: vllm serve\n    command: google/gemma-3-27b-it -tp 2",
        "command: |\n      --model google/gemma-3-27b-it\n      -tp 2",
    ],
)
def test_every_form_of_a_command(real, command):
    text = f"services:\n  a:\n    image: vllm/vllm-openai:v0.11.0\n    {command}\n"
    assert said(real, text)[:3] == ("vllm", "google/gemma-3-27b-it", {"container": "vllm/vllm-openai:v0.11.0", "tensor_parallel": 2})


def test_kubernetes(real):
    engine, model, facts, lines = said(real, KUBERNETES)
    assert (engine, model) == ("sglang", "openai/gpt-oss-120b")
    assert facts == {
        "container": "lmsysorg/sglang:v0.5.13",
        "tensor_parallel": 8,
        "prefix_caching": False,
        "setting.sglang_use_aiter_unified_attn": True,
    }
    assert (lines["tensor_parallel"], lines["prefix_caching"], lines["setting.sglang_use_aiter_unified_attn"]) == (13, 14, 17)


def test_a_script_in_arguments(real):
    engine, model, facts, lines = said(real, SCRIPT)
    assert (engine, model) == ("vllm", "Qwen/Qwen3-8B")
    assert facts == {"container": "vllm/vllm-openai:v0.11.2", "max_num_seqs": 64, "speculation.method": "ngram", "speculation.tokens": 4}
    assert (lines["max_num_seqs"], lines["speculation.tokens"]) == (10, 11)


def test_an_option_file(real):
    (options,) = read(OPTIONS.split("\n"), real.catalog).seen
    assert (options.kind, options.name) == ("options", "tensorrt-llm")
    assert {(one.name, one.value, one.line) for one in options.value} == {
        ("cache.dtype", "fp8", 2),
        ("prefix_caching", False, 3),
        ("setting.free_gpu_memory_fraction", 0.8, 4),
        ("attention.backend", "TRTLLM", 5),
    }


def test_between_other_text(real):
    text = f"here is my file\n\n{COMPOSE}\nINFO:     Started server process [1]\nvllm serve a/b-1 -tp 4\n"
    found = read(text.split("\n"), real.catalog)
    assert [one.line for one in found.seen] == [5]
    assert {3, 4, 13} <= found.taken
    assert found.taken.isdisjoint({1, 2, 16})


def test_what_is_no_serve_command_is_left(real):
    for text in (
        "services:\n  db:\n    image: postgres:16\n    command: postgres -c x=1\n",
        "image: a\ncommand: [broken\n",
        "args: x",
        "a: &a [*a]\nargs: 1\nb: 2",
    ):
        found = read(text.split("\n"), real.catalog)
        assert (found.seen, found.taken) == ((), frozenset())


def test_aliases_that_refer_to_themselves_end(real):
    text = "services: &all\n  a: *all\n  b: *all\n  c:\n    image: vllm/vllm-openai:v0.11.0\n    command: --model a/b-1\n    x: *all\n"
    assert said(real, text)[1] == "a/b-1"


@pytest.mark.parametrize("nested", ["command: " + "[" * 3000, "command: " + "{a: " * 900, "\n".join("  " * depth + "args:" for depth in range(900))])
def test_deep_nesting_ends(real, nested):
    read(f"image: x\n{nested}".split("\n"), real.catalog)


@given(st.text(alphabet=st.sampled_from("image: commandrgs[]{}&*-|>'\"\n\t#!%@`")))
def test_any_text(real, text):
    read(f"image: x\ncommand: y\n{text}".split("\n"), real.catalog)
