"""What the form of the page `check/` offers, and the fields by which a config.json that is dropped on it is known for a model's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from infercompat.condition.facts import FACTS, Fact
from infercompat.derive import Unknown
from infercompat.join import Matrix
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES

PARALLEL = ("tensor_parallel", "pipeline_parallel", "data_parallel", "expert_parallel")
FIELDS = ("cache.dtype", "speculation.method", "speculation.tokens", "max_model_len", *PARALLEL)
"""Facts that have a field of their own in the form."""
HELD = {"name": "engine.has_pr", "meaning": "Numbers of merged changes that the build of the engine holds.", "values": []}
"""What the form offers beside facts that are declared by name."""
IDLE = re.compile(
    r"(?:.*_token_(?:id|index)|.*_token_ids|(?:transformers|vllm|_?diffusers)_version|_.*|architectures|auto_map|id2label|label2id|use_cache|initializer.*|init_.*"
    r"|.*dropout.*|.*_eps|epsilon|pad_token|.*_act|.*activation.*|hidden_activation|rope_(?:local_base_freq|theta)|.*_coef|output_(?:attentions|hidden_states|router_logits)"
    r"|return_dict|problem_type|is_(?:decoder|encoder_decoder)|add_cross_attention|tokenizer_class|tf_legacy_loss|torchscript|use_bfloat16|pruned_heads)"
)
"""Fields of a config that say nothing of the size of its layers, its cache or its weights."""


def form(matrix: Matrix) -> dict[str, Any]:
    """Models, engines, hardware and facts that the form offers."""
    catalog = matrix.products.catalog
    return {
        "models": [_model(model, matrix) for model in catalog.of_kind("model")],
        "engines": [_engine(engine) for engine in catalog.of_kind("engine") if engine.data["role"] != "kernel-library"],
        "hardware": [_hardware(record) for record in catalog.of_kind("hardware")],
        "facts": [*(_fact(fact, catalog) for fact in FACTS.values() if not fact.name.startswith("model.") and fact.name not in FIELDS), HELD],
        "dtypes": list(ELEMENT_BYTES),
    }


def _model(model: Record, matrix: Matrix) -> dict[str, Any]:
    derived = matrix.products.derived[model.id]
    return {
        **{"id": model.id, "name": model.name, "aliases": list(model.data.get("aliases", ()))},
        "checkpoints": [[checkpoint["hub"], checkpoint["format"]] for checkpoint in model.data["checkpoints"]],
        "context": None if isinstance(derived, Unknown) else derived.context.native,
    }


def _engine(engine: Record) -> dict[str, Any]:
    settings = engine.data.get("settings") or {}
    return {
        **{"id": engine.id, "name": engine.name, "aliases": list(engine.data.get("aliases", ()))},
        "versions": [entry["version"] for entry in engine.data["releases"]],
        "settings": {fact: {"flag": setting["flag"], "values": list(setting.get("values", ()))} for fact, setting in settings.items()},
    }


def _hardware(record: Record) -> dict[str, Any]:
    size = record.data.get("visible_bytes") or record.data.get("memory_bytes")
    return {"id": record.id, "name": record.name, "vendor": record.data["vendor"], "aliases": list(record.data.get("aliases", ())), "bytes": size}


def _fact(fact: Fact, catalog: Catalog) -> dict[str, Any]:
    words = fact.values or tuple(catalog.words(fact.vocabulary) if fact.vocabulary else ()) or (("true", "false") if fact.type == "bool" else ())
    return {"name": fact.name, "meaning": fact.meaning, "values": list(words)}


def configs(catalog: Catalog) -> dict[str, Any]:
    """By class name the models with the fields of their configs, and the names of all fields that decide for some model."""
    models: dict[str, dict[str, dict[str, Any]]] = {}
    for model in catalog.of_kind("model"):
        models.setdefault(model.data["architecture"], {})[model.id] = dict(_deciding(model.data["config"]["values"]))
    paths = (path for found in models.values() for fields in found.values() for path in fields)
    return {"models": models, "deciding": sorted({path.rpartition(".")[2] for path in paths})}


def _deciding(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The fields that can decide, by their dotted paths; null is left out, as is a mapping without any."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _deciding(value, f"{prefix}{name}.")
        elif value is not None and not IDLE.fullmatch(name):
            yield prefix + name, value
