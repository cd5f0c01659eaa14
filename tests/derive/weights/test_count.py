"""Counts of parameters against published ones, and what keeps a count from being made."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infercompat.derive import Unknown
from infercompat.derive.weights import PARTS, Parameters, count_parameters

from . import shapes


@pytest.mark.parametrize(("config", "total"), shapes.PUBLISHED + shapes.BY_CODE)
def test_totals_are_exact(config, total):
    counted = count_parameters(config)
    assert counted.total == total
    assert sum(counted.by_part.values()) == total
    assert set(counted.by_part) <= set(PARTS)


@pytest.mark.parametrize("config", [shapes.LLAMA_3_1_8B, shapes.GEMMA_2_2B, shapes.GEMMA_4_31B])
def test_every_weight_of_a_dense_model_is_active(config):
    counted = count_parameters(config)
    assert counted.active == counted.total


def test_active_leaves_out_the_experts_that_are_not_chosen():
    counted = count_parameters(shapes.QWEN_3_30B_A3B)
    assert counted.total - counted.active == counted.by_part["experts"] * 120 // 128
    assert counted.active == 3_353_032_704


def test_gpt_oss_counts_its_active_weights_without_the_embedding():
    # The model card has 5.13 billion, and says that it counts the output matrix but not the embedding.
    counted = count_parameters(shapes.GPT_OSS_120B)
    assert round((counted.active - counted.by_part["embedding"]) / 1e9, 2) == 5.13


def test_deepseek_v3_uses_37_billion():
    assert count_parameters(shapes.DEEPSEEK_V3).active // 10**9 == 37


def test_a_tied_output_matrix_is_counted_once():
    tied, untied = count_parameters(shapes.GEMMA_2_2B), count_parameters(shapes.GEMMA_2_2B | {"tie_word_embeddings": False})
    assert untied.total - tied.total == untied.by_part["output"] == 256_000 * 2304
    assert "output" not in tied.by_part
    assert tied.defaults_used == ("tie_word_embeddings=true (class default)",)


def test_the_flag_may_stand_beside_the_text_part():
    inner = {name: value for name, value in shapes.LLAMA_3_2_1B.items() if name != "tie_word_embeddings"}
    assert count_parameters({"model_type": "llama", "tie_word_embeddings": True, "text_config": inner}).total == 1_235_814_400


def test_a_vocabulary_that_published_files_leave_to_the_class():
    config = shapes.dense("gemma3_text", 62, 5376, 32, 16, 21504, 0, head_dim=128, sliding_window=1024)
    del config["vocab_size"]
    counted = count_parameters(config)
    assert counted.total == 27_009_346_304
    assert "vocab_size=262208 (class default)" in counted.defaults_used


def test_what_is_beyond_the_text_decoder_is_named():
    counted = count_parameters(shapes.LLAMA_3_1_8B | {"vision_config": {"depth": 2}, "num_nextn_predict_layers": 1})
    assert counted.notes == ("vision_config is not counted", "1 draft layers are not counted")


def test_an_index_is_counted_where_a_layer_has_one():
    config = shapes.DEEPSEEK_V3 | {"model_type": "deepseek_v32", "index_n_heads": 64, "index_head_dim": 128}
    each = 64 * 128 * 1536 + 128 * 7168 + 2 * 128 + 64 * 7168
    assert count_parameters(config).total == 671_026_419_200 + 61 * each


@pytest.mark.parametrize("field", ["hidden_size", "vocab_size", "intermediate_size", "num_attention_heads", "num_hidden_layers"])
def test_a_field_that_decides_is_missed(field):
    config = {name: value for name, value in shapes.LLAMA_3_1_8B.items() if name != field}
    assert count_parameters(config).missing == (field,)


def test_where_experts_begin_is_not_guessed():
    config = {name: value for name, value in shapes.DEEPSEEK_V3.items() if name != "first_k_dense_replace"}
    assert count_parameters(config).missing == ("first_k_dense_replace",)


@pytest.mark.parametrize("config", [{}, {"model_type": "no-such"}, {"model_type": "mamba2"}, [], None, "llama"])
def test_what_is_not_worked_out_is_unknown(config):
    assert isinstance(count_parameters(config), Unknown)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
FIELDS = sorted({name for config, _ in shapes.PUBLISHED for name in config})


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([config for config, _ in shapes.PUBLISHED[:8]]), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3))
def test_any_values_count_or_are_unknown(config, changes):
    changes = json.loads(json.dumps(changes))
    assert isinstance(count_parameters(config | changes | {"num_hidden_layers": 3}), (Parameters, Unknown))
