"""What the plugins of vLLM share: registered classes, and rows marked with symbols."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.base import File
from infercompat.harvest.pipes import rows
from infercompat.harvest.vllmplugins import marked, registered

from .trees import said

CLASSES = """\
def register_model():
    from vllm import ModelRegistry
    ModelRegistry.register_model("A", "x.a:A")
    ModelRegistry.register_model(
        "B",
        "x.b:B",
    )
    ModelRegistry.register_model(model_arch="C", model_cls="x.c:C")
    register_model("D", "x.d:D")
"""
PAGE = """\
| Model | Support |
|---|---|
| Qwen3-Dense | 🔵 |
| Llama4 | ❌ |
| Mllama | 🟡 |
| Gemma-2 | ✅ |
| PaddleOCR-VL | ✅ |
| Llama3.2 | 🔵 |
| DeepSeek Distill (Qwen/Llama) | ✅ |
"""


def test_classes_that_are_registered():
    assert said(registered(File("a.py", CLASSES))) == ["A native L3", "B native L5", "C native L8"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r"a\.py: nothing is registered"),
        ("\nModelRegistry.register_model(name, 'x')\n", r"a\.py:2: a class is registered under a name that cannot be read off"),
        ("ModelRegistry.register_model()\n", r"a\.py:1: a class is registered under a name"),
    ],
)
def test_registrations_that_cannot_be_read_are_refused(text, told):
    with pytest.raises(Refused, match=told):
        list(registered(File("a.py", text)))


def test_marked_rows_best_first():
    file = File("a.md", PAGE)
    found = list(marked(file, rows(file, "Model")))
    assert said(found) == [
        "Gemma2ForCausalLM native L6",
        "Qwen2ForCausalLM native L9",
        "LlamaForCausalLM native L9",
        "Qwen3ForCausalLM native L3",
        "MllamaForConditionalGeneration native L8",
        "MllamaForConditionalGeneration untested L5",
        "Llama4ForConditionalGeneration unsupported L4",
    ]
    assert [dict(item.fields) for item in found[2:4]] == [{}, {"value": "experimental"}]


@pytest.mark.parametrize("symbol", ["", "🟣", "yes"])
def test_a_symbol_without_a_legend_is_refused(symbol):
    file = File("a.md", PAGE.replace("❌", symbol))
    with pytest.raises(Refused, match=rf"a\.md:4: '{symbol}' is no symbol of the legend"):
        list(marked(file, rows(file, "Model")))
