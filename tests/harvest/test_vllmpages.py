"""vLLM's pages: what a row says, new columns, new words, and hardware that nobody knows."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllmpages import FEATURES, HARVESTERS, PAGE, QUANTIZATION, features, models, pooling, quantization

from .trees import grow, said

MODELS = """\
### Plugins

| Architecture | Models | Plugin Repository |
| - | - | - |
| `BartModel` | Bart | [x](https://example.com) |

#### Text Generation

| Architecture | Models | Inputs | Example HF Models | [LoRA](lora.md) | [PP](pp.md) |
| - | - | - | - | - | - |
| `AForCausalLM`, `BForCausalLM` | A | T | `acme/a` | ✅︎ | |
| `VForConditionalGeneration` | V | T + I<sup>E+</sup> + A<sup>+</sup> | `acme/v` | | ✅︎* |

Some models are supported only via the [Transformers modeling backend](#transformers).

| Architecture | Models | Example HF Models | [LoRA](lora.md) | [PP](pp.md) |
| - | - | - | - | - |
| `CForCausalLM` | C | `acme/c` | | |

#### Transcription

| Architecture | Models |
| - | - |
| `WForConditionalGeneration` | W |
"""


def test_rows_columns_inputs_tasks_and_the_fallback_table(tmp_path):
    assert said(models(grow(tmp_path, {PAGE: MODELS}))) == [
        "BartModel plugin L5",
        "AForCausalLM native L11",
        "AForCausalLM lora native L11",
        "BForCausalLM native L11",
        "BForCausalLM lora native L11",
        "VForConditionalGeneration native L12",
        "VForConditionalGeneration image-input native L12",
        "VForConditionalGeneration audio-input native L12",
        "VForConditionalGeneration pipeline-parallel native L12",
        "CForCausalLM fallback L18",
        "WForConditionalGeneration native L24",
        "WForConditionalGeneration transcription native L24",
    ]


def test_a_new_column_of_marks_is_a_feature_and_one_of_words_is_none(tmp_path):
    text = "| Architecture | Context Parallel | Notes |\n| - | - | - |\n| `AForCausalLM` | 🟠 | new |\n| `BForCausalLM` | | |\n"
    assert said(models(grow(tmp_path, {PAGE: text})))[:2] == ["AForCausalLM native L3", "AForCausalLM context-parallel partial L3"]


def test_a_word_where_a_mark_belongs_is_refused(tmp_path):
    text = "| Architecture | LoRA |\n| - | - |\n| `AForCausalLM` | soon |\n"
    with pytest.raises(Refused, match="'soon', which is none of"):
        list(models(grow(tmp_path, {PAGE: text})))


def test_pages_on_pooling_models_are_named(tmp_path):
    table = "| Architecture | Models |\n| - | - |\n| `EModel` | E |\n"
    tree = grow(tmp_path, {PAGE: MODELS, "docs/models/pooling_models/embed.md": table})
    assert said(pooling(tree)) == ["EModel native embed.md L3"]


def test_pairs_of_features_and_hardware(tmp_path):
    pairs = "| Feature | [CP](x) | LoRA |\n| - | - | - |\n| [CP](x) | ✅ | |\n| LoRA | [❌](y) | ✅ |\n"
    text = pairs + "\n| Feature | Volta | Ampere | AMD |\n| - | - | - | - |\n| LoRA | ❔ | 🟠* | ❌ |\n"
    assert said(features(grow(tmp_path, {FEATURES: text}))) == [
        "cp-alone native L3",
        "cp-with-lora unsupported L4",
        "lora-alone native L4",
        "lora sm70 untested L8",
        "lora sm80 partial L8",
        "lora sm86 partial L8",
        "lora rocm unsupported L8",
    ]


def test_hardware_that_nobody_knows_is_refused(tmp_path):
    text = "| Implementation | Volta | Quantum |\n| - | - | - |\n| AWQ | ❌ | ✅ |\n"
    with pytest.raises(Refused, match=r"README.md:1: nobody knows what hardware the column Quantum means"):
        list(quantization(grow(tmp_path, {QUANTIZATION: text})))


def test_a_page_without_its_table_is_an_error(tmp_path):
    with pytest.raises(Refused, match="there is no table of which the first column is Implementation"):
        list(quantization(grow(tmp_path, {QUANTIZATION: "# Moved\n"})))
    with pytest.raises(Refused, match="only 0 claims"):
        HARVESTERS[0].claims(grow(tmp_path, {PAGE: "# Moved\n"}))
