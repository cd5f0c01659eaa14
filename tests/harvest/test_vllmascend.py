"""vLLM Ascend: the rows of its page that are about A2 and A3, and the classes that it registers."""

from __future__ import annotations

import pytest

from infercompat.harvest import SOURCES, Refused
from infercompat.harvest.vllmascend import CLASSES, PAGE, read, read_classes

from .trees import grow, said

TEXT = """\
=== "A2/A3"

    | Model | Support | Supported Hardware |
    |---|---|---|
    | Qwen3-30B-A3B | ✅ | A2/A3 |
    | Hy3-preview | 🔵 | A3 |
    | MiniMax-M2.5/2.7 | ✅ | A2/A3/Ascend950 (Ascend950 experimental) |

=== "Atlas inference products"

    | Model | Support | Supported Hardware |
    |---|---|---|
    | Qwen3-Dense | ✅ | Atlas inference products |

| Model | Support | Note |
|---|---|---|
| Llama4 | ❌ | 1972 |
"""


def test_rows_of_other_products_are_left_out(tmp_path):
    assert said(read(grow(tmp_path, {PAGE: TEXT}))) == [
        "Qwen3MoeForCausalLM native L5",
        "MiniMaxM2ForCausalLM native L7",
        "HYV3ForCausalLM native L6",
        "Llama4ForConditionalGeneration unsupported L17",
    ]


def test_classes(tmp_path):
    assert said(read_classes(grow(tmp_path, {CLASSES: 'ModelRegistry.register_model("A", "x:A")\n'}))) == ["A native L1"]


def test_a_page_without_rows_is_refused(tmp_path):
    with pytest.raises(Refused, match="there is no table"):
        list(read(grow(tmp_path, {PAGE: "# Models\n"})))


def test_neither_source_is_a_whole_registry():
    assert {(source.ending, source.complete, source.type) for source in SOURCES["vllm-ascend"]} == {
        ("supported-models", False, "documentation"),
        ("classes", False, "code"),
    }
