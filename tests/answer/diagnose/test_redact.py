"""Secrets, people and machines leave a text; everything that an answer needs stays, on the same line."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.redact import MASK, redact

HOME = "/" + "home"
SECRETS = {
    "export HF_TOKEN=hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ012345": "hf_aBc",
    "token hf_abcdefghijklmnopqrstuvwx in a sentence": "hf_abc",
    "vllm serve x --api-key sk-proj-abcdefgh12345678": "sk-proj",
    "--api-key=plain-word-key": "plain-word-key",
    "--hf-token 'quoted secret'": "quoted",
    "--openai-key another1": "another1",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE": "AKIA",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "wJalr",
    "-H 'Authorization: Bearer abc.def-123456'": "abc.def",
    "Authorization: Basic dXNlcjpwYXNz": "dXNlc",
    "curl with bearer 0123456789abcdef": "0123456789abcdef",
    '"apiKey": "very-private-1"': "very-private",
    "password: hunter2": "hunter2",
    "MYSQL_PASSWORD=hunter3": "hunter3",
    "postgresql://admin:pa55w0rd@db.example.com:5432/x": "pa55w0rd",
    "https://user:p@ss@registry.example.com/v2/": "p@ss",
    "GITHUB_TOKEN=ghp_0123456789abcdefghij": "ghp_",
    "github_pat_11ABCDEFG0123456789_abcdef": "github_pat_11",
    "NGC_API_KEY=nvapi-abcdefghijklmnop": "nvapi-abc",
    "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_123": "eyJhbG",
    "WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567": "0123456789abcdef",
    "auth_token=abcdef123456": "abcdef123456",
    "client_secret='s3cr3t'": "s3cr3t",
    "xoxb-123456789012-abcdefghij": "xoxb-1",
    "--hf-token 'two words'": "words",
    'password = "two words"': "words",
    "{'password': 'two words', 'x': 1}": "words",
    'password: "open quote': "open",
    "secret: a,b&c;d": "b&c",
}
MACHINES = {
    "(Worker pid=7, ip=10.150.236.219) hello": "10.150.236.219",
    "listening on 192.168.1.20:8000": "192.168.1.20",
    "peer 203.0.113.7 closed": "203.0.113.7",
    "addr fe80::1ff:fe23:4567:890a up": "fe80",
    "addr 2001:db8:0:0:0:0:0:1 up": "2001:db8",
    "mac 0a:1b:2c:3d:4e:5f": "0a:1b",
    "curl http://gpu-node7:8000/v1/models": "gpu-node7",
    "curl https://llm.corp.example.com/v1": "corp.example",
    "s3://private-bucket/gemma": "private-bucket",
    "node gpu17.cluster.internal is ready": "gpu17",
    "joined ray at box.lan": "box.lan",
    "svc vllm.prod.svc is up": "vllm.prod",
    "--dist-init-addr headnode01:5000 --nnodes 2": "headnode01",
    "MASTER_ADDR=headnode02": "headnode02",
    "--host myserver --port 1": "myserver",
    "args: host='gpubox', port=8000": "gpubox",
    "nodeName: worker-17": "worker-17",
    "ip-172-31-5-6 joined": "172-31",
    "somebody@gpubox:~$ vllm serve x": "somebody",
    "mail somebody@example.com": "example.com",
    "connected to gpu01.cs.some.edu": "gpu01",
    "docker pull registry.some-place.de:5000/vllm/vllm-openai:v0.11.0": "some-place",
    "image: registry.some-place.de/vllm/vllm-openai:v0.11.0": "some-place",
    "Oct 14 12:00:00 gpubox vllm[99]: started": "gpubox",
    "Linux gpubox 6.8.0-57-generic": "gpubox",
    f"--model {HOME}/somebody/models/gemma": "somebody",
    r"C:\Users\somebody\models\gemma.gguf": "somebody",
}


@pytest.mark.parametrize("text", [*SECRETS, *MACHINES])
def test_what_is_private_leaves(text):
    private = {**SECRETS, **MACHINES}[text]
    cleaned = redact(f"before\n{text}\nafter")
    assert private not in cleaned
    assert MASK in cleaned
    assert cleaned.split("\n")[0] == "before"
    assert cleaned.split("\n")[-1] == "after"


@pytest.mark.parametrize(
    "text",
    [
        "vllm serve google/gemma-3-27b-it --max-num-batched-tokens 8192 --kv-cache-dtype fp8_e4m3",
        "--hf-overrides '{\"max_position_embeddings\": 8192}' --hf_config_path x",
        "--tokenizer Qwen/Qwen3-8B --tokenizer-mode auto",
        "#new-token: 8192, #cached-token: 10, token usage: 0.49, #running-req: 42",
        "eos_token='<|im_end|>', pad_token: <pad>, bos_token=None",
        "HF_TOKEN=$HF_TOKEN --api-key ${KEY}",
        "Uvicorn running on http://0.0.0.0:8000 and http://localhost:8000 and http://127.0.0.1:1",
        "see https://github.com/vllm-project/vllm/issues/1 and https://docs.vllm.ai/en/latest",
        "vllm==0.10.1.1",
        "vllm 0.10.1.1 and nvidia-cublas-cu12==12.8.4.1",
        "image: vllm/vllm-openai@sha256:0123456789abcdef",
        "c10::Error at std::vector<int>::at",
        "10:15:30 INFO 00000000:18:00.0 Off",
        "python-3.11.7 CUDA 12.8 driver 570.86.15",
        "hf://google/gemma-3-27b-it",
        "image: vllm/vllm-openai:v0.11.0 ghcr.io/ggml-org/llama.cpp:server nvcr.io/nvidia/tensorrt-llm/release:1.2.0",
        "torch.nn.modules.module.Module docs.vllm.ai www.github.com 0.1.dev20073",
        "gemma-3-27b-it-Q4_K_M.gguf",
        "mlx_lm.server --kv-bits 8",
        "disk-sk-learn hf_overrides hf_config hf_transfer",
        "host memory: 12 GiB, server started, --host 0.0.0.0 --host localhost",
    ],
)
def test_what_an_answer_needs_stays(text):
    assert redact(text) == text


def test_a_private_key_leaves_whole_and_its_lines_stay():
    text = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIBOgIBAAJBAK\nabc/def+==\n-----END RSA PRIVATE KEY-----\nvllm serve x"
    cleaned = redact(text)
    assert "MIIB" not in cleaned
    assert cleaned.split("\n")[5] == "vllm serve x"


def test_the_value_below_a_name_leaves():
    cleaned = redact("env:\n  - name: HUGGING_FACE_HUB_TOKEN\n    value: abcdef\n  - name: VLLM_USE_V1\n    value: '1'")
    assert "abcdef" not in cleaned
    assert "value: '1'" in cleaned


@given(st.text())
def test_any_text_keeps_its_lines(text):
    assert redact(text).count("\n") == text.count("\n")


@pytest.mark.parametrize("unit", ["a.", "1.", "key", "token ", "host", "a@", "::", "name:\n", "://", "-----BEGIN PRIVATE KEY-----", "eyJ", "--"])
def test_repetition_costs_no_more_than_its_length(unit):
    began = time.process_time()
    redact(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 5
