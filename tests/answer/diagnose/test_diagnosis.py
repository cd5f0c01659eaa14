"""Whole diagnoses: real questions from public threads in our own short form, and what must hold of every one."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from answer.diagnose.examples import EXAMPLES
from infercompat.answer.diagnose import as_data, diagnose
from infercompat.answer.diagnose.diagnosis import concerns
from infercompat.cli import main


def told(real, text: str) -> dict:
    return as_data(diagnose(real, [("", text)]))


def matched(data: dict) -> dict[str, str | None]:
    return {one["id"]: one["state"] for one in data["matched"]}


def states(data: dict) -> dict[str, str]:
    return {one["id"]: one["state"] for one in data["gotchas"]}


# The questions, by the ids under which they are shared; the threads are cited by the records.


def test_gptoss20b_rtxpro6000_flashinfer(real):
    data = told(
        real,
        """CUDA_VISIBLE_DEVICES=0 vllm serve openai/gpt-oss-20b --attention-backend FLASHINFER
(APIServer pid=1) INFO 04-18 [api_server.py:1200] vLLM API server version 0.17.0
ValueError: Selected backend AttentionBackendEnum.FLASHINFER is not valid for this configuration. Reason: ['sink setting not supported']
GPU 0: NVIDIA RTX PRO 6000 Blackwell Workstation Edition (UUID: GPU-1)""",
    )
    assert matched(data) == {"vllm-gptoss-flashinfer-sink-rejected-sm120": "hit"}
    assert (data["matched"][0]["line"], data["matched"][0]["workarounds"][0]["set"]) == (3, {"attention.backend": "TRITON_ATTN"})
    assert data["check"]["question"]["hardware"] == "rtx-pro-6000-blackwell"
    assert states(data)["vllm-gptoss-flashinfer-sink-rejected-sm120"] == "hit"


def test_fp8kv_3090_v0110(real):
    data = told(
        real,
        """vllm serve Qwen/Qwen3-8B --kv-cache-dtype fp8 -tp 2
vLLM API server version 0.11.0
ERROR ValueError("type fp8e4nv not supported in this architecture. The supported fp8 dtypes are ('fp8e4b15', 'fp8e5')")
GPU 0: NVIDIA GeForce RTX 3090
GPU 1: NVIDIA GeForce RTX 3090""",
    )
    assert list(matched(data)) == ["vllm-fp8e4nv-kv-ampere"]
    assert (data["verdict"], data["check"]["question"]["gpus"], data["check"]["question"]["version"]) == ("only-with", 2, "0.11.0")


def test_gemma4_mlxlm_kvbits(real):
    data = told(
        real,
        """mlx_lm.server --model mlx-community/gemma-4-26b-a4b-it-4bit --kv-bits 8
mlx-lm==0.31.3
NotImplementedError: RotatingKVCache Quantization NYI""",
    )
    # Two gotchas share the error; without --max-kv-size the second cannot be met.
    assert matched(data) == {"mlx-kv-bits-crashes-on-first-request-for-hybrid-attention": "hit"}


def test_gptoss120b_h100_131k(real):
    data = told(
        real,
        """vllm serve openai/gpt-oss-120b --gpu-memory-utilization 0.95 --max-num-batched-tokens 1024
vllm==0.11.0
NVIDIA H100 80GB HBM3, 81559 MiB
(EngineCore pid=9) INFO [gpu_model_runner.py:2653] Model loading took 64.38 GiB and 40.1 seconds
(4.54 GiB KV cache is needed, which is larger than the available KV cache memory (1.71 GiB), the estimated maximum model length is 49344.""",
    )
    assert [(one["what"], one["value"], one["line"]) for one in data["log"]] == [
        ("memory of the weights", "64.38 GiB", 4),
        ("memory for the cache", "1.71 GiB", 5),
        ("memory that the cache needs", "4.54 GiB", 5),
        ("longest sequence that fits", 49344, 5),
    ]
    given = {name: one["value"] for name, one in data["understood"]["given"].items()}
    assert given == {"gpu_memory_utilization": 0.95, "max_num_batched_tokens": 1024, "weights.format": "mxfp4"}


def test_gemma3_eagle_sglang(real):
    data = told(
        real,
        """python -m sglang.launch_server --model-path google/gemma-3-4b-it --speculative-algorithm EAGLE3 --speculative-eagle-topk 1
  File "sglang/srt/layers/attention/flashinfer_backend.py", line 1100, in update_sliding_window
    seq_lens - prefix_lens
TypeError: unsupported operand type(s) for -: 'Tensor' and 'NoneType'""",
    )
    assert "sglang-eagle-swa-cannot-start" in matched(data)
    assert (data["understood"]["version"], data["check"]["question"]["version_assumed"]) == (None, True)


def test_qwen36_27b_fp8_h100_defaults(real):
    data = told(
        real,
        """docker run --gpus all vllm/vllm-openai:v0.19.0 --model Qwen/Qwen3.6-27B-FP8 --max-num-seqs 1024
ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (856).""",
    )
    assert [(one["what"], one["value"]) for one in data["log"]] == [("state blocks", "856 for 1024 sequences")]
    assert (data["understood"]["model"]["id"], data["understood"]["version"]["value"]) == ("qwen3.6-27b", "0.19.0")


def test_gemma4_31b_sm120_flashinfer(real):
    data = told(
        real,
        """vllm serve google/gemma-4-31B-it --attention-backend FLASHINFER
vLLM Version                 : 0.19.1
GPU 0: NVIDIA RTX PRO 6000 Blackwell Workstation Edition
ValueError: Selected backend AttentionBackendEnum.FLASHINFER is not valid for this configuration. Reason: ['head_size not supported']""",
    )
    assert matched(data) == {"flashinfer-rejects-large-head-dim": "hit"}


def test_gptoss20b_3090_docker(real):
    """The tag of a custom image is no version: no release is taken in its place, and the error still finds its gotcha."""
    data = told(
        real,
        """docker run --gpus all vllm/vllm-openai:gptoss --model openai/gpt-oss-20b
AssertionError: Sinks are only supported in FlashAttention 3
NVIDIA GeForce RTX 3090, 24576 MiB""",
    )
    assert (data["verdict"], data["check"], data["missing"]) == (None, None, ["version"])
    assert matched(data) == {"vllm-gptoss-sinks-need-fa3-ada": None}


def test_kimi_linear_and_qwen35_logs(real):
    data = told(real, "GPU KV cache size: 75,840 tokens\nMaximum concurrency for 120,000 tokens per request: 2.48x")
    assert [(one["what"], one["value"]) for one in data["log"]] == [("cache size in tokens", 75840), ("concurrency", "2.48x at 120,000 tokens")]
    assert (data["understood"]["engine"]["id"], data["missing"]) == ("vllm", ["model"])


def test_gemma4_mtp_b200_fp8(real):
    """The case of the join's rules: fp8 cache, seven draft tokens, query quantization switched off by flag."""
    data = told(
        real,
        """vllm serve google/gemma-4-31B-it --kv-cache-dtype fp8_e4m3 --attention-backend FLASHINFER \\
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 7}' --attention-config.disable_flashinfer_q_quantization true
vllm==0.23.1rc1.dev843
flashinfer-python==0.6.14
GPU 0: NVIDIA B200""",
    )
    assert states(data)["gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa"] == "hit"
    clean = told(real, "vllm serve google/gemma-4-31B-it --kv-cache-dtype fp8_e4m3 --attention-backend FLASHINFER\nvllm==0.23.0\nGPU 0: NVIDIA B200")
    assert states(clean).get("gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa") != "hit"


# What holds of matches


@pytest.mark.parametrize(("ids", "text"), EXAMPLES.items(), ids=lambda value: value[0] if isinstance(value, tuple) else "")
def test_an_error_alone_finds_its_gotchas(real, ids, text):
    """Without a model and an engine, or with the engine that a trace names."""
    assert set(matched(told(real, text))) <= set(ids)
    assert matched(told(real, text))


def test_errors_of_another_engine_are_left_out(real):
    error = "type fp8e4nv not supported in this architecture"
    assert set(matched(told(real, error))) == {"sglang-fp8-weights-ampere", "vllm-fp8e4nv-kv-ampere"}
    assert set(matched(told(real, f"vllm==0.11.0\n{error}"))) == {"vllm-fp8e4nv-kv-ampere"}
    assert set(matched(told(real, f"sglang==0.5.13\n{error}"))) == {"sglang-fp8-weights-ampere"}


def test_a_library_concerns_every_engine(real):
    library, own = (real.catalog.follow(id) for id in ("flashinfer-fp8kv-h512-prefill-smem-99kb", "sglang-fp8-weights-ampere"))
    assert [concerns(library, engine, real.catalog) for engine in ("vllm", "sglang", None)] == [True, True, True]
    assert [concerns(own, engine, real.catalog) for engine in ("vllm", "sglang", None)] == [False, True, True]


def test_a_sign_of_a_fault_that_the_model_cannot_have_is_left_out(real):
    sign = "vllm==0.33.0\nUsing TRITON_ATTN backend."
    assert "vllm-gptoss-sm100-sinks-regression-triton-only" in matched(told(real, sign))
    assert "vllm-gptoss-sm100-sinks-regression-triton-only" not in matched(told(real, f"vllm serve Qwen/Qwen3-8B\n{sign}"))


def test_a_sign_in_the_log_of_a_stack_that_can_meet_it(real):
    line = "Hybrid KV cache manager is disabled for this hybrid model"
    text = f"vllm==0.33.0\nvllm serve google/gemma-3-4b-it --disable-hybrid-kv-cache-manager\n{line}"
    assert matched(told(real, text))["vllm-disable-hybrid-kv-manager-swa-overpay"] == "hit"


def test_a_command_is_no_log_line(real):
    assert told(real, "sglang serve --model-path a/b-1 # is incompatible with sliding window attention (SWA) models")["matched"] == []


# What holds of every diagnosis


def test_secrets_never_reach_an_answer(real):
    secrets = ("hf_aBcDeFgHiJkLmNoPqRsT", "sk-verysecret12345", "AKIAIOSFODNN7EXAMPLE", "hunter2", "10.20.30.40", "gpubox", "somebody", "pa55w0rd")
    home = "/" + "home"
    text = f"""somebody@gpubox:~$ export HF_TOKEN={secrets[0]}
vllm serve {home}/somebody/models/gemma-3-27b-it --api-key {secrets[1]} --host 10.20.30.40 --master-addr gpubox --unknown https://u:pa55w0rd@x.corp/y
AWS_ACCESS_KEY_ID={secrets[2]} password=hunter2
(Worker ip=10.20.30.40) NotImplementedError: RotatingKVCache Quantization NYI {secrets[0]} password: hunter2 at http://gpubox:8000
WARNING falling back to something at somebody@gpubox with key {secrets[1]}
Using TRITON_ATTN backend. token={secrets[0]}"""
    for name in ("", f"{home}/somebody/server.log"):
        data = json.dumps(as_data(diagnose(real, [(name, text)])))
        assert [secret for secret in secrets if secret in data] == []
        assert "REDACTED" in data
    assert told(real, text)["understood"]["model"]["id"] == "gemma-3-27b"


@pytest.mark.parametrize("text", ["", "hello", "vllm serve", "\n" * 100, "{", "services:", "vllm serve a/b-1", "vllm serve openai/gpt-oss-20b"])
def test_the_contract(real, text):
    data = told(real, text)
    assert list(data) == ["schema_version", "understood", "matched", "gotchas", "log", "verdict", "missing", "next", "check"]
    assert list(data["understood"]) == ["engine", "version", "model", "hardware", "components", "given", "not_understood", "notes"]
    assert data["schema_version"] == 1
    assert (data["verdict"] is None) == bool(data["missing"]) == (data["check"] is None)
    json.dumps(data)


def test_a_large_log_takes_seconds(real):
    line = "(EngineCore pid=1) INFO 10-14 12:00:00 Engine 000: Avg prompt throughput: {} tokens/s, Running: 12 reqs, GPU KV cache usage: 12.3%"
    text = "\n".join([*(line.format(number) for number in range(40_000)), "NotImplementedError: RotatingKVCache Quantization NYI"])
    text += "\n" + "x" * 4_000_000
    assert len(text) > 9_000_000
    began = time.process_time()
    data = told(real, text)
    assert time.process_time() - began < 10
    assert [one["line"] for one in data["matched"]] == [40_001, 40_001]


@given(st.text())
@settings(max_examples=50)
def test_any_text(real, text):
    json.dumps(told(real, text))


PARTS = [
    *("vllm serve openai/gpt-oss-20b", "sglang serve --model-path google/gemma-3-4b-it", "llama-server -m gemma-3-4b.gguf -c 999999999999999"),
    *("-tp 2", "-tp 999999999999", "-pp 0", "--max-model-len 1", "--kv-cache-dtype nonsense", "--quantization fp8"),
    *("vllm==0.26.0", "vllm==9!9", "GPU 0: NVIDIA B200", "\n"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=8), st.sampled_from([" ", "\n"]))
@settings(max_examples=60)
def test_any_stack(real, parts, between):
    json.dumps(told(real, between.join(parts)))


PASTED = "vllm serve google/gemma-3-27b-it -tp 2\n"


def run(*arguments: str, stdin: bytes = b""):
    return CliRunner().invoke(main, ["diagnose", *arguments], input=stdin)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_a_text_is_read_by_its_mark(tmp_path, encoding):
    path = tmp_path / "cmd.txt"
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(encoding, b"")
    path.write_bytes(mark + PASTED.encode(encoding))
    result = run(str(path))
    assert result.exit_code == 0
    assert "gemma-3-27b" in result.stdout.splitlines()[2]


def test_a_pipe_is_read(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(PASTED,))
    writer.start()
    result = run(str(path))
    writer.join()
    assert "gemma-3-27b" in result.stdout


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x01\0\0", bytes(range(128, 192)) + b"\0" * 64, b"PK\x03\x04\0\0"], ids=["program", "noise", "archive"])
def test_what_is_no_text_is_told(tmp_path, content):
    path = tmp_path / "binary"
    path.write_bytes(content)
    result = run(str(path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "is no text" in result.stderr


def test_a_folder_and_a_file_that_is_not_there_are_told(tmp_path):
    for path, words in ((tmp_path, "Is a directory"), (tmp_path / "gone", "No such file")):
        result = run(str(path))
        assert result.exit_code == 2
        assert words in result.stderr


def test_a_device_that_never_ends_is_told(monkeypatch):
    monkeypatch.setattr("infercompat.cli.ask.MOST_BYTES", 1 << 20)
    result = run("/dev/zero")
    assert result.exit_code == 2
    assert "has more than 1 MiB" in result.stderr


def test_standard_input_is_read_by_its_mark_too():
    assert "gemma-3-27b" in run("-", stdin=PASTED.encode("utf-16")).stdout
