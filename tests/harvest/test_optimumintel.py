"""Optimum Intel's exporter: registered model types, the Transformers versions they bear, and registries that are not whole."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.optimumintel import read

from .trees import grow, said, small

FILE = "optimum/exporters/openvino/model_configs.py"
CONFIGS = """\
register_in_tasks_manager = TasksManager.create_register("openvino", overwrite_existing=True)


@register_in_tasks_manager("llama", *["text-generation"], library_name="transformers")
class LlamaConfig(Base):
    MIN_TRANSFORMERS_VERSION = "4.51.0"


@register_in_tasks_manager(
    "cohere2",
    *["text-generation"],
)
@register_in_tasks_manager("cohere", *["text-generation"])
class CohereConfig(LlamaConfig):
    MAX_TRANSFORMERS_VERSION: str = "4.57.6"


@register_in_tasks_manager("unbound", "text-generation")
class UnboundConfig(CohereConfig):
    MIN_TRANSFORMERS_VERSION = None
    MAX_TRANSFORMERS_VERSION = version()


@register_in_tasks_manager("vae-decoder", "semantic-segmentation", library_name="diffusers")
class VaeConfig(Base): ...


@dataclass
class Nothing: ...
"""


def test_types_with_the_versions_that_their_classes_bear(tmp_path):
    found = list(read(grow(tmp_path, {FILE: CONFIGS})))
    assert said(found) == ["llama native L4", "cohere2 native L10", "cohere native L13", "unbound native L18"]
    assert [dict(item.fields) for item in found] == [
        {"value": "transformers from 4.51.0"},
        {"value": "transformers 4.51.0 to 4.57.6"},
        {"value": "transformers 4.51.0 to 4.57.6"},
        {},
    ]


def test_an_upper_bound_alone(tmp_path):
    [item] = read(grow(tmp_path, {FILE: '@register_in_tasks_manager("a")\nclass A(B):\n    MAX_TRANSFORMERS_VERSION = "4.53.3"\n'}))
    assert dict(item.fields) == {"value": "transformers up to 4.53.3"}


@pytest.mark.parametrize(
    ("low", "high", "holds"), [("5.5", "5.0", "unsupported"), ("4.57.6", "4.57.6", "native"), ("4.9", "4.10", "native"), ("5.5", "soon", "native")]
)
def test_bounds_that_exclude_each_other_are_a_no(tmp_path, low, high, holds):
    """As gemma4_text of 2.2.0: the lower bound is its own, and the upper one is inherited."""
    text = f'class A(B):\n    MAX_TRANSFORMERS_VERSION = "{high}"\n\n\n@register_in_tasks_manager("c")\nclass C(A):\n    MIN_TRANSFORMERS_VERSION = "{low}"\n'
    [item] = read(grow(tmp_path, {FILE: text}))
    assert (item.holds, dict(item.fields)) == (holds, {"value": f"transformers {low} to {high}"})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nothing is decorated with register_in_tasks_manager"),
        (CONFIGS.replace("@register_in_tasks_manager", "@register_model"), "nothing is decorated with register_in_tasks_manager"),
        ("@register_in_tasks_manager(NAME)\nclass A: ...\n", r":1: .* is not given a model type"),
        ("@register_in_tasks_manager()\nclass A: ...\n", r":1: .* is not given a model type"),
        (CONFIGS + 'if "onnx" not in export_configs:\n    pass\n', "model types of the ONNX exporter are taken over too"),
    ],
)
def test_another_shape_is_refused(tmp_path, text, why):
    with pytest.raises(Refused, match=why):
        list(read(grow(tmp_path, {FILE: text})))


def test_a_registry_of_other_libraries_alone_is_empty(tmp_path):
    text = '@register_in_tasks_manager("vae", library_name="diffusers")\nclass A: ...\n'
    with pytest.raises(Refused, match="only 0 claims"):
        small("optimum-intel").claims(grow(tmp_path, {FILE: text}))
