"""The Gemma families."""

import pytest

from infercompat.derive import Layer, derive

from .. import configs
from ..configs import GEMMA_2_2B, GEMMA_3N_E2B, GEMMA_4_31B, every


def text(values, **changes):
    return {key: value for key, value in (values.get("text_config", values) | changes).items() if value != "absent"}


def full_at(derived):
    return [index for index, layer in enumerate(derived.layers) if layer.kind == "full"]


def test_gemma_heads_are_256_wide_where_paligemma_leaves_it_out():
    values = {"model_type": "gemma", "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1, "hidden_size": 2048}
    assert derive({"model_type": "paligemma", "text_config": values}).layers == (Layer("full", 1, 256, 256),) * 18


def test_gemma_2_alternates_from_a_sliding_layer():
    derived = derive(GEMMA_2_2B)
    assert full_at(derived) == list(range(1, 26, 2))
    assert derived.requirements["logit-softcap"] == "attn_logit_softcapping 50.0"


@pytest.mark.parametrize(("count", "full"), [(26, 4), (34, 5), (48, 8), (62, 10)])
def test_gemma_3_has_one_full_layer_in_six(count, full):
    derived = derive(text(configs.GEMMA_3_27B, num_hidden_layers=count))
    assert derived.counts() == {"full": full, "sliding": count - full}
    assert full_at(derived) == list(range(5, count, 6))


def test_gemma_3_fields_that_the_4b_leaves_out():
    values = {"model_type": "gemma3_text", "num_hidden_layers": 34, "hidden_size": 2560, "sliding_window": 1024}
    derived = derive(values)
    assert set(derived.layers) == {Layer("full", 4, 256, 256), Layer("sliding", 4, 256, 256, 1024)}
    assert "num_key_value_heads=4 (Gemma3TextConfig)" in derived.defaults_used


def test_bidirectional_attention_halves_the_window():
    assert derive(text(configs.GEMMA_3_27B, use_bidirectional_attention=True)).window == 513
    assert derive(text(configs.GEMMA_3_27B, use_bidirectional_attention=False)).window == 1024


@pytest.mark.parametrize(("count", "shared"), [(30, 10), (35, 15)])
def test_gemma_3n_shares_its_last_layers(count, shared):
    derived = derive(text(GEMMA_3N_E2B, num_hidden_layers=count, num_kv_shared_layers=shared))
    assert derived.counts() == {"full": 4, "sliding": 16, "shared": shared}
    assert [layer.shares for layer in derived.layers] == [False] * 20 + [True] * shared
    assert full_at(derived) == list(range(4, count, 5))
    assert derived.requirements["kv-sharing"] == f"{shared} of {count} layers use another layer's keys and values"


def test_gemma_3n_must_say_how_many_layers_share():
    assert derive(text(GEMMA_3N_E2B, num_kv_shared_layers="absent")).missing == ("num_kv_shared_layers",)
    assert derive(text(GEMMA_3N_E2B, num_kv_shared_layers=30)).missing == ("num_kv_shared_layers (30 of 30 layers)",)


def test_gemma_4_full_layers_are_wider_and_keep_k_and_v():
    derived = derive(GEMMA_4_31B)
    assert set(derived.layers) == {Layer("full", 4, 512, 512), Layer("sliding", 16, 256, 256, 1024)}
    assert derived.requirements["head-dim-over-256"] == "head width 512 on 10 of 60 layers"


def test_gemma_4_global_heads_count_only_where_k_is_v():
    assert set(derive(text(GEMMA_4_31B, attention_k_eq_v=False)).layers) == {
        Layer("full", 16, 512, 512),
        Layer("sliding", 16, 256, 256, 1024),
    }
    unified = text(GEMMA_4_31B, model_type="gemma4_unified_text", attention_k_eq_v="absent")
    assert derive(unified).layers == derive(GEMMA_4_31B).layers


def test_gemma_4_forces_its_last_layer_to_be_full():
    words = [*every(5, 4, "full_attention", "sliding_attention", 34), "sliding_attention"]
    derived = derive(text(GEMMA_4_31B, num_hidden_layers=35, layer_types=words, num_kv_shared_layers=20))
    assert full_at(derived) == [4, 9, 14, 19, 24, 29, 34]
    assert derived.counts() == {"full": 3, "sliding": 12, "shared": 20}


def test_gemma_4_newer_configs_name_each_layer_that_differs():
    overrides = {f"{index:02d}": {"head_dim": 512, "num_key_value_heads": 4} for index in range(5, 60, 6)}
    newer = text(GEMMA_4_31B, per_layer_config=overrides, global_head_dim="absent", num_global_key_value_heads="absent")
    assert derive(newer).layers == derive(GEMMA_4_31B).layers
    assert derive(newer).defaults_used == ()


@pytest.mark.parametrize("overrides", [{"60": {"head_dim": 512}}, {"-1": {}}, {"last": {}}, {"²": {}}])
def test_gemma_4_overrides_of_no_layer_are_missing(overrides):
    assert derive(text(GEMMA_4_31B, per_layer_config=overrides)).missing[0].startswith("per_layer_config (no layer")
