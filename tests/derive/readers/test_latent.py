"""Latent attention, indexes and compressed entries."""

import pytest

from infercompat.derive import Layer, derive

from ..configs import DEEPSEEK_V3, DEEPSEEK_V4_FLASH

DSA = DEEPSEEK_V3 | {"index_head_dim": 128}


def test_a_latent_does_not_depend_on_heads():
    derived = derive(DEEPSEEK_V3)
    assert derived.layers == (Layer("latent", 128, 192, 128, latent_width=576),) * 61
    assert derived.requirements["mla"] == "a latent of 576 a token for 128 heads"


@pytest.mark.parametrize("model_type", ["deepseek_v2", "kimi_k2", "mistral4", "minicpm3", "youtu"])
def test_the_families_of_deepseek_v3(model_type):
    assert derive(DEEPSEEK_V3 | {"model_type": model_type}).layers == derive(DEEPSEEK_V3).layers


def test_the_small_vision_models_of_deepseek_have_plain_heads():
    # DeepSeek-OCR: hidden_size 1280 over 10 heads.
    text = {"num_hidden_layers": 12, "num_attention_heads": 10, "num_key_value_heads": 10, "hidden_size": 1280, "kv_lora_rank": None}
    values = {"model_type": "deepseek_vl_v2", "language_config": text | {"use_mla": False, "qk_rope_head_dim": 0}}
    assert derive(values).layers == (Layer("full", 10, 128, 128),) * 12
    assert derive(values).cost().ideal.growing_bytes_per_token == 12 * 2 * 1280 * 2
    assert derive(values | {"language_config": DEEPSEEK_V3 | {"model_type": "deepseek_v2"}}).counts() == {"latent": 61}
    assert "kv_lora_rank" in derive(values | {"language_config": text}).missing


def test_longcat_attends_twice_in_each_layer():
    values = {key: value for key, value in DEEPSEEK_V3.items() if key != "num_hidden_layers"} | {"model_type": "longcat_flash"}
    assert len(derive(values | {"num_layers": 28}).layers) == 56
    assert len(derive(values | {"num_hidden_layers": 56}).layers) == 56


def test_every_layer_of_deepseek_v32_has_an_index():
    derived = derive(DSA | {"model_type": "deepseek_v32"})
    assert derived.counts() == {"indexed": 61}
    assert derived.cost().ideal.growing_bytes_per_token == 61 * (576 + 128) * 2
    assert derived.requirements["sparse-mla"] == "an index key a token on 61 of 61 layers"


GLM = DSA | {"model_type": "glm_moe_dsa", "num_hidden_layers": 78}


def indexed_at(values):
    return [index for index, layer in enumerate(derive(values).layers) if layer.index_width]


def test_glm_shares_its_index_between_layers():
    by_frequency = GLM | {"index_topk_freq": 4, "index_skip_topk_offset": 3}
    expected = [0, 1, 2, *range(6, 78, 4)]
    assert indexed_at(by_frequency) == expected
    listed = ["full" if index in expected else "shared" for index in range(78)]
    assert indexed_at(GLM | {"indexer_types": listed}) == expected
    assert indexed_at(GLM | {"index_topk_pattern": "".join(word[0].upper() for word in listed)}) == expected
    assert derive(by_frequency).requirements["sparse-mla"] == "an index key a token on 21 of 78 layers"


def test_glm_without_a_word_on_indexes_has_one_on_each_layer():
    derived = derive(GLM)
    assert indexed_at(GLM) == list(range(78))
    assert derived.defaults_used == ("indexer_types=full on all layers (class default of index_topk_freq: 1)",)


def test_indexer_types_are_full_or_shared():
    assert derive(GLM | {"index_topk_pattern": "X" * 78}).missing == ('indexer_types (an entry is neither "full" nor "shared")',)


def test_hy_v4_has_sinks():
    derived = derive(GLM | {"model_type": "hy_v4"})
    assert {"mla", "sparse-mla", "attention-sinks"} <= derived.requirements.keys()


def test_mistral_large_4_may_share_a_latent_and_keep_an_index():
    values = GLM | {"model_type": "mistral_large4_text", "num_hidden_layers": 3, "kv_source_layers": [0, 0, 2]}
    derived = derive(values | {"indexer_types": ["full", "full", "shared"]})
    assert derived.counts() == {"indexed": 2, "shared": 1}
    assert derived.cost().ideal.growing_bytes_per_token == 2 * (2 * 576 + 2 * 128)


def test_deepseek_v4_layers_by_ratio():
    derived = derive(DEEPSEEK_V4_FLASH)
    assert derived.counts() == {"sliding": 2, "latent": 20, "indexed": 21}
    assert derived.requirements["sliding-window"] == "sliding_window 128 on 43 of 43 layers"
    assert "head-dim-over-256" not in derived.requirements


def test_deepseek_v4_by_names_of_layers():
    names = {0: "sliding_attention", 4: "compressed_sparse_attention", 128: "heavily_compressed_attention"}
    words = [names[ratio] for ratio in DEEPSEEK_V4_FLASH["compress_ratios"][:43]]
    named = {key: value for key, value in DEEPSEEK_V4_FLASH.items() if key != "compress_ratios"} | {"layer_types": words}
    assert derive(named).layers == derive(DEEPSEEK_V4_FLASH).layers
    del named["layer_types"]
    assert "compress_ratios" in derive(named).missing


@pytest.mark.parametrize("ratios", [[0] * 42, [0] * 45, [0, 8, *[4] * 41]])
def test_deepseek_v4_needs_a_known_ratio_for_each_layer(ratios):
    assert derive(DEEPSEEK_V4_FLASH | {"compress_ratios": ratios}).missing == ("compress_ratios (not 0, 4 or 128 for each layer)",)


DEEPSEEK_V41_FLASH = DEEPSEEK_V4_FLASH | {
    "model_type": "deepseek_v41_text",
    "num_hidden_layers": 40,
    "compress_ratios": [0, 0, *[2] * 18, *[1] * 20, 0, 0, 0],
    "kv_source_layer_ids": [2, 8, 14, 20],
    "num_nextn_predict_layers": 3,
}


def test_deepseek_v41_keeps_entries_in_four_layers_and_a_window_in_each():
    derived = derive(DEEPSEEK_V41_FLASH)
    assert derived.counts() == {"sliding": 2, "indexed": 38}
    assert [at for at, layer in enumerate(derived.layers) if layer.compress_ratio] == [2, 8, 14, 20]
    # Three layers keep an entry of 512 and an index key of 128 for two tokens, one for each token; 40 windows of 128 entries.
    ideal = derived.cost().ideal
    assert ideal.growing_bytes_per_token == (3 * 640 // 2 + 640) * 2
    assert derived.cost().ideal_bytes(4096) == (3 * 640 * 2048 + 640 * 4096 + 40 * 128 * 512) * 2


def test_deepseek_v41_has_to_name_its_sources():
    assert "kv_source_layer_ids" in derive({key: value for key, value in DEEPSEEK_V41_FLASH.items() if key != "kv_source_layer_ids"}).missing
    assert "not 0, 1 or 2" in derive(DEEPSEEK_V41_FLASH | {"compress_ratios": [4] * 40}).missing[0]


MINIMAX_M3 = {
    "model_type": "minimax_m3",
    "num_hidden_layers": 60,
    "num_attention_heads": 64,
    "num_key_value_heads": 4,
    "head_dim": 128,
    "sparse_attention_config": {"sparse_index_dim": 128, "sparse_attention_freq": [0, 0, 0, *[1] * 57]},
}


def test_minimax_m3_has_an_index_beside_k_and_v():
    derived = derive(MINIMAX_M3)
    assert derived.counts() == {"full": 3, "indexed": 57}
    assert derived.cost().ideal.growing_bytes_per_token == 2 * (60 * 1024 + 57 * 128)
    assert "mla" not in derived.requirements
    words = ["full_attention"] * 3 + ["minimax_m3_sparse"] * 57
    newer = {key: value for key, value in MINIMAX_M3.items() if key != "sparse_attention_config"} | {"index_head_dim": 128}
    assert derive(newer | {"layer_types": words}).layers == derived.layers
    assert derive(newer).missing == ("sparse_attention_config.sparse_attention_freq",)
