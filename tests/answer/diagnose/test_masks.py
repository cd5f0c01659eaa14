"""A secret leaves in whatever form it stands in a line, and what looks like one stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from infercompat.answer.diagnose.redact import redact

SECRET, ENCODED = "zQ7pWm2LsXk9", "enFRN3BXbTJMc1hrOQ"
"""A secret without a shape of its own, and the same in base64."""
TOLD = [line.replace("\u23ce", "\n") for line in (Path(__file__).parent / "secrets.txt").read_text("utf-8").splitlines()]
"""Commands, settings and logs that tell it, with a sign for the ends of lines."""


def leaks(text: str) -> list[str]:
    return [secret for secret in (SECRET, SECRET.upper(), ENCODED, "abcdefabcdef") if secret in text]


def test_no_secret_stays():
    assert len(TOLD) > 300
    assert [text for text in TOLD if leaks(redact(text))] == []


def test_what_is_masked_stays_masked():
    assert [text for text in TOLD if leaks(redact(redact(text)))] == []


@pytest.mark.parametrize(
    "text",
    [
        "args: [--model, a/b-1, --api-key, $(KEY), --port, '8000']",
        '["--api-key", "--port", "8000"]',
        "- --api-key\n- $(API_KEY)\n- --port\n- '8000'",
        "vllm serve a/b-1 --max-num-batched-tokens 8192 --tokenizer c/d --tokens-only",
        "ENV VLLM_USE_V1 1",
        "ENV HF_HOME /models",
        "key: nvidia.com/gpu.product",
        "- key: cloud.google.com/gke-accelerator\n  operator: In\n  values:\n  - nvidia-l4",
        "missing keys: lm_head.weight, model.embed_tokens.weight",
        "KeyError: 'model.layers.0.self_attn.k_proj'",
        "PWD=/opt/models\nvllm serve $PWD/b-1",
        "tests pass 3 of 4",
        "kind: ConfigMap\ndata:\n  model: a/b-1",
        "Avg prompt throughput: 812.3 tokens/s, Avg generation throughput: 12 tokens/s, time_per_output_token: 0.3",
        "max_num_batched_tokens=8192, num_speculative_tokens=4, eos_token_id=1, image_token_index=262144",
        "the api key is not set, and no password was given",
        "authentication: none",
        "--ssl-keyfile-mode x",
    ],
)
def test_what_is_no_secret_stays(text):
    assert redact(text) == text
