"""TensorRT LLM's index and tables: four values and a fifth, footnotes in cells, modality words, and a file that contradicts itself."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from infercompat.harvest import Refused
from infercompat.harvest.tensorrtllm import COMBINATIONS, HARVESTERS, INDEX, PAGE, combinations, index, page

from .trees import grow, said

TEXT = """\
| Architecture | Model |
| - | - |
| `AForCausalLM` | A |
| `BForCausalLM` [^5] | B |

| Model Architecture/Feature | Chunked Prefill | KV Cache Reuse | Sliding Window Attention |
| - | - | - | - |
| `AForCausalLM` [^11] | Yes [^1] | Untested | N/A |

[^1]: Only on SM90.
[^5]: Supported via the [AutoDeploy](x.md) backend.
[^11]: Blackwell only.

# Multimodal

| Model Architecture/Feature | Chunked Prefill | Modality |
| - | - | - |
| `AForCausalLM` | No | L + I + V [^9] |
| `LlavaLlamaModel (VILA)` | Yes | L + I |

| HuggingFace Model ID | Tasks |
| - | - |
| `acme/x` | Text-to-Image |
"""


def values(claims) -> list[tuple[str, str, str]]:
    return [(" ".join(value for _, value in item.about), item.holds, str(dict(item.fields).get("value", ""))) for item in claims]


def test_every_cell_with_the_word_that_is_printed(tmp_path):
    assert values(page(grow(tmp_path, {PAGE: TEXT}))) == [
        ("AForCausalLM", "native", ""),
        ("BForCausalLM", "native", "AutoDeploy"),
        ("AForCausalLM", "native", ""),
        ("AForCausalLM chunked-prefill", "native", "Yes with footnote 1"),
        ("AForCausalLM kv-cache-reuse", "untested", "Untested"),
        ("AForCausalLM sliding-window-attention", "not-applicable", "N/A"),
        ("AForCausalLM", "native", ""),
        ("AForCausalLM chunked-prefill", "unsupported", ""),
        ("AForCausalLM modality", "native", "L + I + V"),
        ("LlavaLlamaModel", "native", ""),
        ("LlavaLlamaModel chunked-prefill", "native", ""),
        ("LlavaLlamaModel modality", "native", "L + I"),
    ]


def test_a_page_that_contradicts_itself_keeps_both(tmp_path):
    harvester = replace(HARVESTERS[1], least=1)
    assert [item.holds for item in harvester.claims(grow(tmp_path, {PAGE: TEXT})) if ("feature", "chunked-prefill") in item.about][:2] == [
        "native",
        "unsupported",
    ]


@pytest.mark.parametrize(("old", "new", "told"), [("| No |", "| Soon |", "'Soon' says"), ("L + I |", "Smell |", "'Smell' is no modality")])
def test_a_new_word_is_refused(tmp_path, old, new, told):
    assert old in TEXT
    with pytest.raises(Refused, match=told):
        list(page(grow(tmp_path, {PAGE: TEXT.replace(old, new)})))


def test_features_that_go_together(tmp_path):
    text = "| Feature | A | B |\n| - | - | - |\n| A | --- | |\n| B | Known issues | --- |\n| C — D | Yes (greedy only) | No |\n"
    assert values(combinations(grow(tmp_path, {COMBINATIONS: text}))) == [
        ("a-with-b", "known-issues", "Known issues"),
        ("a-with-c-d", "native", "Yes (greedy only)"),
        ("b-with-c-d", "unsupported", ""),
    ]


def test_the_index_is_read_and_a_renamed_one_refused(tmp_path):
    text = 'MODEL_ARCH_TO_MODULE = {\n    "AForCausalLM": "modeling_a",\n}\nMODEL_CLASS_TO_MODULE = {"B": "modeling_a"}\n'
    assert said(index(grow(tmp_path, {INDEX: text}))) == ["AForCausalLM native L2"]
    with pytest.raises(Refused, match="there is no MODEL_ARCH_TO_MODULE"):
        list(index(grow(tmp_path, {INDEX: text.replace("MODEL_ARCH_TO_MODULE", "ARCHES")})))
    with pytest.raises(Refused, match="only 1 claims were read"):
        HARVESTERS[0].claims(grow(tmp_path, {INDEX: text}))
