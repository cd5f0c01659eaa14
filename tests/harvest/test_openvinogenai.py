"""OpenVINO GenAI's tables of models: classes, names of its own, and tables that moved or changed."""

from __future__ import annotations

import pytest

from infercompat.harvest import HARVESTERS, Refused, snapshot
from infercompat.harvest.openvinogenai import TABLES, read
from infercompat.read import parse

from .trees import grow, said, small

LLM = """\
type LLMModelType = {
  architecture: string;
};

export const LLM_MODELS: LLMModelType[] = [
  {
    architecture: 'LlamaForCausalLM',
    models: [{ name: 'Llama 2', links: [] }],
  },
  {
    architecture: "GPT2LMHeadModel"
  },
];
"""
VLM = """\
export const VLM_MODELS = [
  {
    architecture: 'Qwen3.5',
  },
  { architecture: 'inline' },
  {
    architecture: 'nanoLLaVA',
  },
  {
    architecture: 'Gemma3ForConditionalGeneration',
  },
];
"""
EMBED = "[\n  {\n    architecture: 'BertModel',\n  },\n]\n"


def place(table: str) -> str:
    return f"{TABLES}/{table}-models-table/models.ts"


FILES = {place("llm"): LLM, place("vlm"): VLM}


def test_classes_and_names_of_its_own(tmp_path):
    found = list(read(grow(tmp_path, FILES)))
    assert said(found) == [
        "LlamaForCausalLM native llm models.ts L7",
        "GPT2LMHeadModel native llm models.ts L11",
        "Qwen3_5ForConditionalGeneration native vlm models.ts L3",
        "Qwen3_5MoeForConditionalGeneration native vlm models.ts L3",
        "Gemma3ForConditionalGeneration native vlm models.ts L10",
    ]
    assert [dict(item.fields) for item in found] == [{}, {}, {"value": "Qwen3.5"}, {"value": "Qwen3.5"}, {}]


@pytest.mark.parametrize("table", ["embedding", "text-embeddings"])
def test_a_table_that_changed_its_name_is_read_under_either(tmp_path, table):
    assert said(read(grow(tmp_path, FILES | {place(table): EMBED})))[-1] == f"BertModel native {table} models.ts L3"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({place("llm"): LLM}, "none of .*vlm-models-table"),
        ({place("vlm"): VLM}, "none of .*llm-models-table"),
        (FILES | {place("vlm"): "export const VLM_MODELS = [];\n"}, "vlm-models-table/models.ts: no entry names an architecture"),
        (FILES | {place("vlm"): VLM.replace("Qwen3.5", "Qwen9-Omni")}, r":3: 'Qwen9-Omni' is no class, and nobody has said"),
        (FILES | {place("vlm"): VLM.replace("'Qwen3.5'", "QWEN35")}, r":3: an architecture that is no quoted word"),
        (FILES | {place("llm"): LLM.replace("architecture:", "arch:")}, "llm-models-table/models.ts: no entry names an architecture"),
    ],
)
def test_another_shape_is_refused(tmp_path, files, why):
    with pytest.raises(Refused, match=why):
        list(read(grow(tmp_path, files)))


def test_a_list_that_is_not_whole_does_not_say_so(tmp_path):
    tree = grow(tmp_path, FILES)
    files = snapshot.records(small("openvino-genai"), tree, "2026.3.0.0", "2026-11-29", "the repository at 2026.3.0.0")
    [record, citation] = files
    assert record == "support/openvino-genai/openvino-genai-2026-3-0-0-supported-models.yaml"
    data = parse(record, files[record].encode(), []).data
    assert "complete" not in data
    assert data["claims"][2]["value"] == "Qwen3.5"
    assert parse(citation, files[citation].encode(), []).data["type"] == "documentation"


def test_only_lists_that_are_whole_count_silence():
    assert {"openvino-genai", "ik-llama.cpp"} <= {engine for engine, harvester in HARVESTERS.items() if not harvester.complete}
