"""Which record a hub id, a path, a GGUF file or a tag means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.models import find, format_of

ROOT = "/" + "root"


@pytest.mark.parametrize(
    ("written", "id", "format", "exact"),
    [
        ("google/gemma-3-27b-it", "gemma-3-27b", "bf16", True),
        ("GOOGLE/Gemma-3-27B-it/", "gemma-3-27b", "bf16", True),
        ("nvidia/Gemma-4-31B-IT-NVFP4", "gemma-4-31b", "nvfp4", True),
        ("openai/gpt-oss-20b", "gpt-oss-20b", "mxfp4", True),
        ("gemma-3-27b", "gemma-3-27b", None, False),
        ("models/gpt-oss-120b/", "gpt-oss-120b", None, False),
        (ROOT + "/.cache/huggingface/hub/models--google--gemma-3-4b-it/snapshots/0a1b", "gemma-3-4b", "bf16", True),
        ("models/gemma-3-27b-it-Q4_K_M.gguf", "gemma-3-27b", "gguf", False),
        ("gemma-3-27b-it-q4_0-00001-of-00002.gguf", "gemma-3-27b", "gguf", False),
        ("gemma-4-26B-A4B-it-UD-Q8_K_XL.gguf", "gemma-4-26b-a4b", "gguf", False),
        ("unsloth/gpt-oss-20b-GGUF:Q4_K_M", "gpt-oss-20b", "gguf", True),
        ("mlx-community/gemma-4-26b-a4b-it-4bit", "gemma-4-26b-a4b", "mlx", True),
        ("acme-quants/gemma-3-27b-it-FP8-dynamic", "gemma-3-27b", "fp8", False),
        ("acme-quants/gemma-3-27b-it-quantized.w4a16", "gemma-3-27b", "int4", False),
        ("QuantTrio/DeepSeek-V3.2-AWQ", "deepseek-v3.2", "awq", False),
        ("gemma3:27b", "gemma-3-27b", None, False),
        ("gpt-oss:20b", "gpt-oss-20b", None, False),
        ("llama3.1:70b", "llama-3.1-70b", None, False),
    ],
)
def test_a_name_means_a_model(real, written, id, format, exact):
    found = find(real.catalog, written)
    assert (found.model.id, found.format, found.exact) == (id, format, exact)


@pytest.mark.parametrize("written", ["", "model", "foo/bar", "google/gemma-4-31B-it-assistant", "vllm", "a" * 1000, "my-finetune-27b", "/", ":"])
def test_other_names_mean_none(real, written):
    assert find(real.catalog, written) is None


def test_every_checkpoint_is_found(real):
    hubs = {checkpoint["hub"]: model.id for model in real.catalog.of_kind("model") for checkpoint in model.data["checkpoints"]}
    assert len(hubs) > 300
    assert {hub for hub, id in hubs.items() if find(real.catalog, hub).model.id != id} == set()


def test_formats():
    assert [format_of(name) for name in ("a-fp8", "a-AWQ", "a-w8a8", "a-Q3_K_M", "a-27b", "fp8")] == ["fp8", "awq", "int8", "gguf", None, None]


@given(st.text())
def test_any_text(real, text):
    find(real.catalog, text)
