"""What the form offers, and the fields by which a dropped config is known."""

from __future__ import annotations

import pytest

from infercompat.export.check_form import FIELDS, IDLE, configs, form
from infercompat.join import Matrix


def test_the_form_offers_what_the_catalog_has(tiny):
    found = form(Matrix(tiny))
    assert [(model["id"], model["aliases"], model["checkpoints"], model["context"]) for model in found["models"]] == [
        ("plain-model", [], [["acme/plain", "bf16"]], 4096),
        ("tiny-model", ["old/tiny"], [["acme/tiny-it", "bf16"]], 8192),
    ]
    assert next(engine for engine in found["engines"] if engine["id"] == "enga")["versions"] == ["1.1.0", "1.0.0"]
    assert [record["id"] for record in found["hardware"]] == ["card-base"]
    facts = {fact["name"]: fact["values"] for fact in found["facts"]}
    assert facts["lora"] == ["true", "false"]
    assert facts["disaggregation"] == ["none", "prefill", "decode"]
    assert not any(name.startswith("model.") or name in FIELDS for name in facts)


def test_kernel_libraries_serve_nothing(real_matrix):
    assert "flashinfer" not in {engine["id"] for engine in form(real_matrix)["engines"]}


def test_configs_are_known_by_the_fields_that_decide(tiny):
    found = configs(tiny.catalog)
    assert found["models"]["TinyForCausalLM"] == {
        "tiny-model": {
            "model_type": "gemma2",
            **{"num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "hidden_size": 256},
            **{"sliding_window": 1024, "max_position_embeddings": 8192},
        }
    }
    assert "architectures" not in found["deciding"]
    assert {"sliding_window", "head_dim", "model_type"} <= set(found["deciding"])


@pytest.mark.parametrize("name", ["eos_token_id", "image_token_index", "transformers_version", "_name_or_path", "rms_norm_eps", "hidden_act", "rope_theta"])
def test_fields_that_say_nothing_of_sizes(name):
    assert IDLE.fullmatch(name)


@pytest.mark.parametrize(
    "name", ["vocab_size", "torch_dtype", "tie_word_embeddings", "layer_types", "rope_scaling", "num_nextn_predict_layers", "quant_method"]
)
def test_fields_that_do(name):
    assert not IDLE.fullmatch(name)
