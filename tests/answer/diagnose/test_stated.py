"""Lines in which a person states the model, the engine or the hardware."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand


@pytest.mark.parametrize(
    ("text", "engine", "version", "model", "hardware"),
    [
        ("engine: vllm 0.33.0", "vllm", "0.33.0", None, []),
        ("Engine: vllm", None, None, None, []),
        ("engine: llama.cpp b9127", "llama.cpp", "b9127", None, []),
        ("model: google/gemma-3-27b-it", None, None, "gemma-3-27b", []),
        ("hardware: 2x h100-sxm", None, None, None, [("h100-sxm", 2)]),
        ("hardware: mi300x", None, None, None, [("mi300x", 1)]),
        ("hardware: 8 gh200-96gb", None, None, None, [("gh200-96gb", 8)]),
        ("hardware: 2x H100 SXM", None, None, None, [("h100-sxm", 2)]),
        ("GPUs: 8 x H200", None, None, None, [("h200-sxm", 8)]),
        ("- GPU: 2x RTX 4090", None, None, None, [("rtx-4090", 2)]),
        ("hardware: toaster", None, None, None, []),
        ("engine: warp", None, None, None, []),
        ("model: loading", None, None, None, []),
        ("engine: flashinfer 0.6.14", None, None, None, []),
    ],
)
def test_a_line_of_its_own(real, text, engine, version, model, hardware):
    found = understand(text, real.catalog)
    assert (found.engine and found.engine.name, found.version and found.version.value, found.model_id) == (engine, version, model)
    assert [(kind.id, kind.count) for kind in found.hardware] == hardware


def test_a_command_names_the_model_before_a_line_does(real):
    assert understand("model: google/gemma-3-4b-it\nvllm serve google/gemma-3-27b-it", real.catalog).model_id == "gemma-3-27b"
