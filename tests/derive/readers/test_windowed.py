"""Families that alternate between windows, or chunks, and full attention."""

import pytest

from infercompat.derive import Layer, derive

from ..configs import COMMAND_R7B, GPT_OSS_120B, LLAMA_4_SCOUT, MIMO_V2_FLASH, every


def kinds(values):
    return "".join(layer.kind[0] for layer in derive(values).layers)


HEADS = {"num_attention_heads": 8, "num_key_value_heads": 2, "hidden_size": 1024, "head_dim": 128, "sliding_window": 4096}


def test_gpt_oss_alternates_from_a_sliding_layer_and_has_sinks():
    assert kinds(GPT_OSS_120B) == "sf" * 18
    assert "GptOss" in derive(GPT_OSS_120B).requirements["attention-sinks"]


def test_cohere2_ignores_head_dim():
    assert kinds(COMMAND_R7B) == "sssf" * 8
    assert derive(COMMAND_R7B | {"head_dim": 64}).head_dim == 128
    assert kinds(COMMAND_R7B | {"sliding_window_pattern": 2}) == "sf" * 16


@pytest.mark.parametrize("model_type", ["olmo3", "exaone4"])
def test_one_layer_in_four_is_full_and_a_null_window_makes_all_full(model_type):
    values = HEADS | {"model_type": model_type, "num_hidden_layers": 8}
    assert kinds(values) == "sssfsssf"
    assert kinds(values | {"sliding_window": None}) == "f" * 8


def test_exaone_spells_its_pattern():
    values = HEADS | {"model_type": "exaone4", "num_hidden_layers": 6, "sliding_window_pattern": "LLG"}
    assert kinds(values) == "ssfssf"
    assert kinds(values | {"layer_types": every(2, 0, "full_attention", "sliding_attention", 6)}) == "fsfsfs"


def test_llama_4_attends_in_chunks_where_it_has_rope():
    assert kinds(LLAMA_4_SCOUT) == "cccf" * 12
    text = LLAMA_4_SCOUT["text_config"] | {"num_hidden_layers": 4}
    assert kinds(text | {"no_rope_layers": [1, 0, 1, 1]}) == "cfcc"
    assert kinds(text | {"attention_chunk_size": None}) == "ffff"


def test_ministral_slides_everywhere_or_as_listed():
    values = HEADS | {"model_type": "ministral", "num_hidden_layers": 4}
    assert kinds(values) == "ssss"
    assert kinds(values | {"sliding_window": None}) == "ffff"
    assert kinds(values | {"layer_types": ["full_attention", *["sliding_attention"] * 3]}) == "fsss"


def test_mimo_v2_has_other_heads_where_it_slides():
    derived = derive(MIMO_V2_FLASH)
    assert set(derived.layers) == {Layer("full", 4, 192, 128), Layer("sliding", 8, 192, 128, 128)}
    assert "chunked-attention" not in derived.requirements
    assert "attention-sinks" in derived.requirements


def test_step_may_have_other_groups_where_it_slides():
    values = {
        "model_type": "step3p5",
        "num_attention_heads": 64,
        "num_attention_groups": 8,
        "head_dim": 128,
        "sliding_window": 512,
        "layer_types": every(4, 0, "full_attention", "sliding_attention", 8),
        "attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 4},
    }
    assert derive(values).layers[:2] == (Layer("full", 8, 128, 128), Layer("sliding", 4, 128, 128, 512))
    assert derive(values | {"attention_other_setting": None}).layers[1].kv_heads == 8


def test_listed_families_need_their_list():
    values = HEADS | {"model_type": "laguna", "num_hidden_layers": 4}
    assert derive(values).missing == ("layer_types",)
    assert kinds(values | {"layer_types": every(4, 3, "full_attention", "sliding_attention", 4)}) == "sssf"
    assert derive(values | {"layer_types": ["full_attention"] * 3}).missing == ("layer_types (3 entries for 4 layers)",)
    assert "granite_swa" in derive(values | {"model_type": "granite_swa", "layer_types": ["full_attention"] * 4}).requirements["attention-sinks"]


def test_dots1_slides_from_max_window_layers_on():
    values = HEADS | {"model_type": "dots1", "num_hidden_layers": 4, "max_window_layers": 3}
    assert kinds(values) == "fffs"
    assert kinds(values | {"sliding_window": None}) == "ffff"


def test_unlimited_ocr_counts_all_tokens_as_prompt():
    values = HEADS | {"model_type": "unlimited_ocr_text", "num_hidden_layers": 2, "layer_types": ["reference_sliding_attention"] * 2}
    assert kinds(values) == "ff"
    assert "upper bound" in derive(values).notes[0]


DORY = HEADS | {
    "model_type": "dory",
    "num_hidden_layers": 4,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention", "sliding_attention"],
    "n_input_layers": 1,
    "n_output_layers": 1,
    "n_recurrent_loops": 2,
}


def test_dory_keeps_a_cache_for_each_loop():
    assert kinds(DORY) == "ssfsfs"
    assert kinds(DORY | {"recurrent_kv_cache_mode": "last_loop"}) == "ssfs"
    words = [word for layer in DORY["layer_types"] for word in (layer, "mlp")]
    older = DORY | {"num_hidden_layers": 8, "layer_types": words, "n_input_layers": 2, "n_output_layers": 2}
    assert derive(older).layers == derive(DORY).layers


def test_dory_out_of_range_is_unknown():
    assert derive(DORY | {"n_input_layers": 4}).missing
    assert derive(DORY | {"n_recurrent_loops": 10**6}).missing
