"""Families of one kind of layer."""

import pytest

from infercompat.derive import Layer, Unknown, derive

from ..configs import LLAMA_3_1_8B, MISTRAL_7B_V0_1


def without(values, *names):
    return {key: value for key, value in values.items() if key not in names}


def test_llama():
    assert derive(LLAMA_3_1_8B).layers == (Layer("full", 8, 128, 128),) * 32


def test_older_words_for_the_same_fields():
    phi = {"model_type": "phi-msft", "n_layer": 24, "n_head": 32, "n_embd": 2048, "n_head_kv": None, "n_positions": 2048}
    assert derive(phi).layers == (Layer("full", 32, 64, 64),) * 24
    bloom = {"model_type": "bloom", "n_layer": 24, "num_attention_heads": 16, "n_embed": 1024, "seq_length": 2048}
    assert derive(bloom).layers == (Layer("full", 16, 64, 64),) * 24
    opt = {"model_type": "opt", "num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768, "word_embed_proj_dim": 768}
    assert derive(opt).layers == (Layer("full", 12, 64, 64),) * 12
    mpt = {"model_type": "mpt", "n_layers": 32, "n_heads": 32, "d_model": 4096, "attn_config": {"kv_n_heads": 8}}
    assert derive(mpt).layers == (Layer("full", 8, 128, 128),) * 32


@pytest.mark.parametrize(("model_type", "needed"), [("stablelm", "num_key_value_heads"), ("seed_oss", "head_dim"), ("qwen3", "head_dim")])
def test_class_numbers_are_no_model_facts(model_type, needed):
    values = LLAMA_3_1_8B | {"model_type": model_type, "head_dim": 128}
    assert derive(values).layers == derive(LLAMA_3_1_8B).layers
    assert derive(without(values, needed)).missing == (needed,)


def test_mistral_has_three_readings():
    absent = derive(without(MISTRAL_7B_V0_1, "sliding_window"))
    assert derive(MISTRAL_7B_V0_1).counts() == absent.counts() == {"sliding": 32}
    assert derive(MISTRAL_7B_V0_1 | {"sliding_window": None}).counts() == {"full": 32}
    assert "sliding_window=4096 (MistralConfig; null would be full attention)" in absent.defaults_used
    assert not any("sliding_window" in default for default in derive(MISTRAL_7B_V0_1).defaults_used)


def test_a_mistral_of_unknown_kind_must_write_its_window():
    bare = without(MISTRAL_7B_V0_1, "model_type", "sliding_window")
    assert derive(bare, "Mistral3ForConditionalGeneration").missing == ("sliding_window",)
    assert derive(bare | {"sliding_window": None}, "Mistral3ForConditionalGeneration").counts() == {"full": 32}


def test_ministral3_and_mixtral_slide_only_where_a_window_is_set():
    for model_type in ("mixtral", "ministral3", "starcoder2"):
        values = MISTRAL_7B_V0_1 | {"model_type": model_type}
        assert derive(values).counts() == {"sliding": 32}
        assert derive(without(values, "sliding_window")).counts() == {"full": 32}


def test_a_window_over_the_context_is_full_attention():
    phi = {
        "model_type": "phi3",
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 32,
        "hidden_size": 3072,
        "sliding_window": 262144,
        "max_position_embeddings": 131072,
    }
    assert derive(phi).counts() == {"full": 32}
    assert derive(phi).notes == ("sliding_window 262144 is not below max_position_embeddings 131072: counted as full attention",)
    assert derive(phi | {"sliding_window": 2047}).counts() == {"sliding": 32}


FALCON = {"model_type": "falcon", "num_hidden_layers": 32, "num_attention_heads": 71, "hidden_size": 4544}


@pytest.mark.parametrize(
    ("fields", "kv_heads"),
    [
        ({"multi_query": True, "num_kv_heads": 71}, 1),
        ({"multi_query": False}, 71),
        ({"multi_query": True, "new_decoder_architecture": True, "num_kv_heads": 8}, 8),
        ({"n_head_kv": 8}, 8),
    ],
)
def test_falcon_heads(fields, kv_heads):
    assert derive(FALCON | fields).layers == (Layer("full", kv_heads, 64, 64),) * 32


def test_falcon_without_its_flag_is_unknown():
    assert derive(FALCON).missing == ("multi_query",)


def test_multi_query_of_gpt_bigcode():
    values = {"model_type": "gpt_bigcode", "n_layer": 2, "n_head": 16, "n_embd": 2048}
    assert derive(values | {"multi_query": True}).kv_heads == 1
    assert derive(values | {"multi_query": False}).kv_heads == 16
    assert isinstance(derive(values), Unknown)


def test_chatglm_groups():
    values = {"model_type": "chatglm", "num_layers": 28, "num_attention_heads": 32, "kv_channels": 128, "multi_query_group_num": 2}
    assert derive(values | {"multi_query_attention": True}).layers == (Layer("full", 2, 128, 128),) * 28
    assert derive(values).kv_heads == 32


def block(**attention):
    return {"attention": attention, "ffn": {"no_op": False}}


def test_nemotron_nas_blocks():
    values = {"model_type": "nemotron-nas", "num_hidden_layers": 3, "num_attention_heads": 64, "hidden_size": 8192}
    blocks = [block(n_heads_in_group=8, no_op=False), block(n_heads_in_group=None, no_op=True), block(replace_with_linear=True)]
    assert derive(values | {"block_configs": blocks}).layers == (Layer("full", 8, 128, 128), Layer("none"), Layer("none"))
    blocks[1] = block(n_heads_in_group=8, window_length=1024)
    assert derive(values | {"block_configs": blocks}).missing == ("block_configs (a block whose attention is not worked out)",)
    blocks[1] = block(n_heads_in_group=0)
    assert derive(values | {"block_configs": blocks}).missing == ("block_configs (n_heads_in_group)",)


def test_smollm3_slides_without_rope_and_only_with_its_flag():
    values = LLAMA_3_1_8B | {"model_type": "smollm3", "num_hidden_layers": 4, "sliding_window": 512}
    assert derive(values).counts() == {"full": 4}
    assert [layer.kind for layer in derive(values | {"use_sliding_window": True}).layers] == ["full"] * 3 + ["sliding"]
    listed = values | {"use_sliding_window": True, "no_rope_layers": [0, 1, 1, 0]}
    assert [layer.kind for layer in derive(listed).layers] == ["sliding", "full", "full", "sliding"]


def test_engine_tables_are_read_by_their_own_words():
    values = {
        "total_num_hidden_layers": 40,
        "total_num_attention_heads": 48,
        "total_num_kv_heads": 8,
        "head_size": 128,
        "hidden_size": 6144,
    }
    assert derive(values, "DbrxForCausalLM").layers == (Layer("full", 8, 128, 128),) * 40
