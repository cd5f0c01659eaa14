"""What to add to a paste where there is no verdict."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import as_data, diagnose


@pytest.mark.parametrize(
    "text",
    [
        *(
            "hello",
            "vllm serve",
            "vllm serve some/unheard-of-7b",
            "llama-server -m unheard-of.gguf",
            "ollama run unheard-of:7b",
            "GPU 0: NVIDIA H100 80GB HBM3",
        ),
        *("docker run vllm/vllm-openai:gptoss --model openai/gpt-oss-20b", "vllm==9!9", "model: google/gemma-3-4b-it", "flashinfer-python==0.6.14"),
        *("engine: vllm", "python -m sglang.launch_server --model-path /mnt/models", "apiVersion: v1\nkind: Pod\nspec: {}"),
    ],
)
def test_the_lines_that_are_named_lead_to_a_verdict(real, text):
    """Each step as it is written, below the paste: then there is a verdict."""
    data = as_data(diagnose(real, [("", text)]))
    assert data["verdict"] is None
    assert set(data["missing"]) <= {step["missing"] for step in data["next"]}
    after = as_data(diagnose(real, [("", "\n".join([text, *(step["add"] for step in data["next"])]))]))
    assert after["verdict"] is not None
    assert after["check"]["question"]["hardware"] is not None
    assert after["next"] == []
