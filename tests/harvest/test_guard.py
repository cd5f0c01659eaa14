"""What a source cannot lose at once: each named dict, table or list, a column of a page, a row of neighbours; and what it may lose."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from infercompat.harvest import HARVESTERS, SOURCES, Refused, compare, guard
from infercompat.harvest.base import File, Harvester
from infercompat.records import Document, Record

from .trees import grow

REGISTRY = "vllm/model_executor/models/registry.py"


def registry(**sizes: int) -> str:
    """vLLM's registry with some dicts of so many names each, and one that is spread over all."""
    names = ["_TEXT_GENERATION_MODELS", "_MULTIMODAL_MODELS", "_TRANSFORMERS_SUPPORTED_MODELS", "_PREVIOUSLY_SUPPORTED_MODELS"]
    text = ""
    for name in names:
        value = '"0.9.2"' if "PREVIOUSLY" in name else '("a", "B")'
        rows = "".join(f'    "{name.strip("_").title()[:4]}{number}ForCausalLM": {value},\n' for number in range(sizes.get(name, 40)))
        text += f"{name} = {{\n{rows}}}\n\n" if rows else f"{name} = {{}}\n\n"
    return text + "".join(f"_VLLM_MODELS = {{{', '.join(f'**{name}' for name in names[:3])}}}\n\n\ndef _try_resolve_transformers(): ...\n")


def before(harvester: Harvester, tree) -> Record:
    claims = compare.read_claims(harvester, tree)
    data = {"engine": harvester.engine, "version": "1.0.0", "claims": claims}
    return Record("before", "support", data, Document("before.yaml", data, {}, {}, {}, ()))


def lost(tmp_path, harvester: Harvester, path: str, old: str, new: str) -> str:
    """What is said against a file's new text, after its old one was harvested."""
    harvester = replace(harvester, least=1)
    there = before(harvester, grow(tmp_path / "old", {path: old}))
    tree = grow(tmp_path / "new", {path: new})
    try:
        guard.believed(there, harvester.claims(tree), harvester.extra(tree), tree)
    except Refused as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("sizes", "told"),
    [
        ({}, ""),
        ({"_TEXT_GENERATION_MODELS": 36}, ""),
        ({"_TEXT_GENERATION_MODELS": 55}, ""),
        ({"_TEXT_GENERATION_MODELS": 0}, f"{REGISTRY}:1: _TEXT_GENERATION_MODELS is empty, and before has 40"),
        ({"_MULTIMODAL_MODELS": 0}, "_MULTIMODAL_MODELS is empty, and before has 40"),
        ({"_MULTIMODAL_MODELS": 5}, "_MULTIMODAL_MODELS has 5 entries, and before has 40"),
        ({"_MULTIMODAL_MODELS": 5}, "all 35 entries from Mult5ForCausalLM to Mult39ForCausalLM are gone, once L50 to L84"),
        ({"_TRANSFORMERS_SUPPORTED_MODELS": 0}, "claims on architecture that say fallback: 0 of the 40 in before are left"),
        ({"_PREVIOUSLY_SUPPORTED_MODELS": 0}, "claims on architecture that say removed: 0 of the 40 in before are left"),
    ],
)
def test_each_dict_of_vllm_is_looked_at_alone(tmp_path, sizes, told):
    said = lost(tmp_path, HARVESTERS["vllm"], REGISTRY, registry(), registry(**sizes))
    assert (told in said) if told else not said
    assert not said or said.endswith("--accept-fewer")


def test_what_a_registry_falls_back_on_is_not_lost_either(tmp_path):
    said = lost(tmp_path, HARVESTERS["vllm"], REGISTRY, registry(), registry().replace("def _try_resolve_transformers", "def another"))
    assert said.startswith("what before falls back on is gone")


def test_names_that_moved_to_another_dict_are_not_lost(tmp_path):
    moved = (
        registry()
        .replace("_MULTIMODAL_MODELS = {\n", "_MULTIMODAL_MODELS = {}\n_OTHER_MODELS = {\n")
        .replace("**_MULTIMODAL_MODELS", "**_MULTIMODAL_MODELS, **_OTHER_MODELS")
    )
    assert lost(tmp_path, HARVESTERS["vllm"], REGISTRY, registry(), moved) == ""


def source(engine: str, ending: str) -> Harvester:
    return next(harvester for harvester in SOURCES[engine] if harvester.ending == ending)


def page(rows: int, lora: str = "✅", more: int = 30) -> str:
    """Two tables of vLLM's page, the first with a column of marks."""
    first = "".join(f"| `First{number}ForCausalLM` | x | {lora} |\n" for number in range(rows))
    second = "".join(f"| `Second{number}Model` | x | ✅ |\n" for number in range(more))
    head = "| Architecture | Models | LoRA |\n| --- | --- | --- |\n"
    return f"# Models\n\n## Text\n\n{head}{first}\n## Images\n\n{head}{second}"


@pytest.mark.parametrize(
    ("new", "told"),
    [
        (page(60), ""),
        (page(55), ""),
        (page(0, more=120), "the table below Text is empty"),
        (page(60, more=0), "the table below Images is empty"),
        (page(60, lora="").replace("✅", ""), "claims on architecture and feature with feature lora: 0 of the 90 in before are left"),
    ],
)
def test_each_table_and_each_column_of_a_page_is_looked_at_alone(tmp_path, new, told):
    said = lost(tmp_path, source("vllm", "supported-models-page"), "docs/models/supported_models.md", page(90 - 30), new)
    assert (told in said) if told else not said


def choices(backends: str, formats: str = "FORMATS") -> str:
    """SGLang's lists of words, and a backend that is registered."""
    listed = {name: ", ".join(f'\n    "{name.lower()}{number}"' for number in range(20)) for name in ("BACKENDS", "FORMATS")}
    return f"ATTENTION_BACKEND_CHOICES = [{listed.get(backends, backends)}]\n\nQUANTIZATION_CHOICES = [{listed.get(formats, formats)}]\n"


def test_a_list_of_words_is_looked_at_alone(tmp_path):
    harvester = source("sglang", "choices")
    tree = {"sglang/srt/layers/attention/attention_registry.py": '@register_attention_backend("triton")\ndef a(): ...\n'}
    for name, text in (("old", choices("BACKENDS")), ("new", choices(""))):
        grow(tmp_path / name, tree | {"sglang/srt/arg_groups/choices.py": text})
    said = lost(tmp_path, harvester, "sglang/srt/arg_groups/choices.py", choices("BACKENDS"), choices(""))
    assert "ATTENTION_BACKEND_CHOICES is empty, and before has 20" in said


def test_blocks_of_other_languages_have_names():
    text = 'static const std::map<int, const char *> LLM_ARCH_NAMES = {\n    { A, "a" },\n};\n\nfunc convert(a int) error {\n\treturn\n}\n'
    assert [(part.name, part.first, part.last) for part in guard.sections(File("a.cpp", text))] == [("LLM_ARCH_NAMES", 1, 3), ("convert", 5, 7)]


def test_without_a_snapshot_there_is_nothing_to_lose(tmp_path):
    tree = grow(tmp_path, {REGISTRY: registry()})
    guard.believed(None, HARVESTERS["vllm"].claims(tree), [], tree)
