"""TensorRT LLM's index and tables: four values and a fifth, footnotes in cells, modality words, a file that contradicts itself, older shapes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from infercompat.harvest import Refused
from infercompat.harvest.tensorrtllm import COMBINATIONS, HARVESTERS, INDEX, MODELS, PAGE, autodeploy, combinations, index, older, page

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


AUTO = """\
| Model Architecture/Feature | MTP |
| - | - |
| `AForCausalLM` [^5] | Untested |
| `BForCausalLM` [^6] | No |
| `CForCausalLM` [^7] | Yes |

[^5]: Supported via the [AutoDeploy](x.md) backend.
[^6]: Also supports text-only inference via the [AutoDeploy](x.md) backend.
[^7]: Text-only support via the [AutoDeploy](x.md) backend.

# Images

[^6]: Supported via the [AutoDeploy](x.md) backend.
"""


def test_rows_of_autodeploy_hold_for_that_backend_alone(tmp_path):
    """A footnote that also offers AutoDeploy takes nothing away, and the first of two footnotes of one name is the one that a page shows."""
    tree = grow(tmp_path, {PAGE: AUTO})
    assert values(page(tree)) == [("BForCausalLM", "native", ""), ("BForCausalLM mtp", "unsupported", "")]
    found = [(" ".join(item["about"].values()), item["holds"], item.get("value"), item["at"]) for item in autodeploy(tree)]
    assert found == [
        ("AForCausalLM", "native", "AutoDeploy", "L3"),
        ("AForCausalLM mtp", "untested", "Untested", "L3"),
        ("CForCausalLM", "native", "AutoDeploy, text only", "L5"),
        ("CForCausalLM mtp", "native", None, "L5"),
    ]
    assert {str(item["when"]) for item in autodeploy(tree)} == {"{'setting.backend': '_autodeploy'}"}


OLD = """\
| Model Architecture/Feature | MTP | Modality |
| - | - | - |
| AForCausalLM | Yes | L |
| GPT-OSS | No | L |
| BLlamaModel (VILA) | Yes | L + I |
| NemotronH_Nano_VL_V2 | Yes | L + V |
| `CForCausalLM` (Super) | Untested | L |
"""


def test_pages_without_backticks_and_rows_of_one_variant(tmp_path):
    """As pages of 2025 and of March 2026 print them."""
    assert values(page(grow(tmp_path, {PAGE: OLD}))) == [
        ("AForCausalLM", "native", ""),
        ("AForCausalLM mtp", "native", ""),
        ("AForCausalLM modality", "native", "L"),
        ("GptOssForCausalLM", "native", ""),
        ("GptOssForCausalLM mtp", "unsupported", ""),
        ("GptOssForCausalLM modality", "native", "L"),
        ("BLlamaModel", "native", ""),
        ("BLlamaModel mtp", "native", ""),
        ("BLlamaModel modality", "native", "L + I"),
        ("NemotronH_Nano_VL_V2", "native", ""),
        ("NemotronH_Nano_VL_V2 mtp", "native", ""),
        ("NemotronH_Nano_VL_V2 modality", "native", "L + V"),
        ("CForCausalLM", "native", "Super only"),
        ("CForCausalLM mtp", "untested", "Untested, Super only"),
        ("CForCausalLM modality", "native", "L, Super only"),
    ]


def test_a_row_that_names_no_class_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"supported-models\.md:4: 'GPT-6' is no class"):
        list(page(grow(tmp_path, {PAGE: OLD.replace("GPT-OSS", "GPT-6")})))


VILA = """\
class VilaConfig(LlavaConfig):
    model_architecture = "LlavaLlamaModel"


@register_auto_model(VilaConfig.model_architecture)
@register_input_processor(VilaInputProcessor)
class VilaModel: ...
"""
DECORATED = {
    f"{MODELS}/__init__.py": "",
    f"{MODELS}/modeling_utils.py": "def register_auto_model(name): ...\n",
    f"{MODELS}/modeling_a.py": '@register_auto_model("AForCausalLM")\nclass A: ...\n\n\n@register_auto_model("BForCausalLM")\n@other("x")\nclass B: ...\n',
    f"{MODELS}/modeling_vila.py": VILA,
}


def test_releases_without_the_index_are_read_from_the_decorators(tmp_path):
    """Both names of a file, and one that a class attribute gives, as VILA's does."""
    tree = grow(tmp_path, DECORATED)
    assert said(index(tree)) == ["AForCausalLM native modeling_a.py L1", "BForCausalLM native modeling_a.py L5", "LlavaLlamaModel native modeling_vila.py L5"]
    assert older(tree) == f"https://github.com/NVIDIA/TensorRT-LLM/tree/{{tag}}/{MODELS}"
    assert older(grow(tmp_path / "new", {INDEX: ""})) is None


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({f"{MODELS}/modeling_vila.py": VILA.replace("    model_architecture", "    name")}, "modeling_vila.py:5: register_auto_model is not given"),
        ({f"{MODELS}/modeling_a.py": "class A: ...\n"}, "nothing in it is decorated with register_auto_model"),
        ({"tensorrt_llm/version.py": ""}, "none of tensorrt_llm/_torch/models is there"),
    ],
)
def test_a_registry_that_is_neither_is_refused(tmp_path, files, told):
    with pytest.raises(Refused, match=told):
        list(index(grow(tmp_path, files)))
