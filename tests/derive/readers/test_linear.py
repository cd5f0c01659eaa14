"""Linear attention and short convolutions: which layers attend, and from which number layers are counted."""

from infercompat.derive import Layer, derive

from ..configs import KIMI_LINEAR_48B, QWEN3_NEXT_80B, every


def attending(values):
    return [index for index, layer in enumerate(derive(values).layers) if layer.attends]


def test_qwen3_next_attends_in_one_layer_of_four():
    assert attending(QWEN3_NEXT_80B) == list(range(3, 48, 4))
    assert attending(QWEN3_NEXT_80B | {"full_attention_interval": 6}) == list(range(5, 48, 6))
    words = every(3, 0, "full_attention", "linear_attention", 48)
    assert attending(QWEN3_NEXT_80B | {"layer_types": words}) == list(range(0, 48, 3))
    assert derive(QWEN3_NEXT_80B).requirements == {"gated-deltanet": "a state of fixed size on 36 of 48 layers"}


def test_qwen3_5_says_the_dtype_of_its_state():
    values = {"model_type": "qwen3_5", "text_config": QWEN3_NEXT_80B | {"model_type": "qwen3_5_text", "mamba_ssm_dtype": "float32"}}
    assert derive(values).cost().ideal.state_bytes_per_sequence == 77_266_944


QWEN_4_EXP = QWEN3_NEXT_80B | {
    "model_type": "qwen4_exp_text",
    "num_hidden_layers": 48,
    "hidden_size": 2560,
    "num_attention_heads": 24,
    "num_key_value_heads": 2,
    "head_dim": 256,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 48,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_conv_kernel_dim": 4,
    "mamba_ssm_dtype": "float32",
    "indexer_n_heads": 4,
    "indexer_head_dim": 128,
    "indexer_compress_ratio": 4,
    "ple_layer_ids": [2],
    "ple_conv_kernel_size": 4,
    "ngram_size": 3,
    "hc_count": 4,
}


def test_qwen4_exp_has_an_index_where_it_attends_and_features_in_one_layer():
    derived = derive(QWEN_4_EXP)
    assert attending(QWEN_4_EXP) == list(range(3, 48, 4))
    # One key of 128 for four tokens.
    assert derived.layers[3] == Layer("indexed", 2, 256, 256, index_width=32)
    # (2 * 16 * 128 + 48 * 128) channels * 3 columns, and 4 * 2560 channels * 3 * 3 columns of features on the second layer.
    assert [layer.conv_elements for layer in derived.layers[:3]] == [30_720, 30_720 + 92_160, 30_720]
    assert derived.layers[0].state_elements == 48 * 128 * 128
    assert derived.requirements["sparse-gqa"] == "an index key of 128 for 4 tokens on 12 of 48 layers, beside grouped-query attention"
    assert derived.cost().ideal.growing_bytes_per_token == 12 * (2 * 2 * 256 + 32) * 2


def test_qwen4_exp_without_a_list_or_an_index():
    plain = {key: value for key, value in QWEN_4_EXP.items() if key not in ("indexer_n_heads", "ple_layer_ids")}
    assert derive(plain).counts() == {"full": 12, "recurrent": 36}
    words = ["linear_attention", "hybrid_indexed", "linear_attention", "deepseek_sparse_attention"]
    assert derive(QWEN_4_EXP | {"num_hidden_layers": 4, "layer_types": words}).layers[1].conv_elements == 92_160
    assert "outside 1 to 48" in derive(QWEN_4_EXP | {"ple_layer_ids": [0]}).missing[0]


def test_olmo_hybrid():
    values = QWEN3_NEXT_80B | {"model_type": "olmo_hybrid", "num_hidden_layers": 8}
    assert attending(values) == [3, 7]


def test_lara_mini_also_slides():
    words = ["linear_attention", "sliding_attention", "full_attention"]
    values = QWEN3_NEXT_80B | {"model_type": "lara_mini", "num_hidden_layers": 3, "layer_types": words, "sliding_window": 512}
    assert derive(values).counts() == {"full": 1, "sliding": 1, "recurrent": 1}


def test_kimi_linear_counts_its_layers_from_one():
    assert attending(KIMI_LINEAR_48B) == [3, 7, 11, 15, 19, 23, 26]
    assert {layer.kind for layer in derive(KIMI_LINEAR_48B).layers} == {"latent", "recurrent"}


GLM_5_NEXT = KIMI_LINEAR_48B | {"model_type": "glm5_next_text", "num_hidden_layers": 8, "index_head_dim": 128, "qk_rope_head_dim": 0}


def with_kda(values, *layers):
    return values | {"linear_attn_config": KIMI_LINEAR_48B["linear_attn_config"] | {"kda_layers": list(layers)}}


def test_glm_counts_its_layers_from_zero():
    values = with_kda(GLM_5_NEXT, 0, 1, 2, 4, 5, 6)
    derived = derive(values)
    assert attending(values) == [3, 7]
    assert derived.counts() == {"indexed": 2, "recurrent": 6}
    assert derived.layers[3] == Layer("indexed", 32, 128, 128, latent_width=512, index_width=128)
    assert {"kda", "mla", "sparse-mla"} <= derived.requirements.keys()


def test_the_number_counting_starts_from_is_checked():
    assert "outside 1 to 27" in derive(with_kda(KIMI_LINEAR_48B, 0, 1, 2)).missing[0]
    assert "outside 0 to 7" in derive(with_kda(GLM_5_NEXT, 1, 8)).missing[0]


def test_kimi_linear_as_newer_configs_write_it():
    words = [*every(4, 3, "full_attention", "linear_attention", 26), "full_attention"]
    newer = {key: value for key, value in KIMI_LINEAR_48B.items() if key != "linear_attn_config"}
    newer |= {"layer_types": words, "linear_num_heads": 32, "linear_head_dim": 128, "linear_conv_kernel_dim": 4}
    assert derive(newer).layers == derive(KIMI_LINEAR_48B).layers
    del newer["layer_types"]
    assert derive(newer).missing == ("linear_attn_config.kda_layers",)


def test_ling_attends_at_the_end_of_each_group():
    values = {
        "model_type": "bailing_hybrid",
        "num_hidden_layers": 12,
        "num_attention_heads": 32,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "head_dim": 128,
        "layer_group_size": 6,
        "short_conv_kernel_size": 4,
    }
    assert attending(values) == [5, 11]
    assert derive(values).layers[0].state_elements == 32 * 128 * 128
    assert derive(values | {"head_dim": 64, "linear_head_dim": 128}).layers == derive(values).layers


MINIMAX = {"model_type": "minimax_m1", "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "hidden_size": 6144}


def test_minimax_lists_its_attention():
    values = MINIMAX | {"num_hidden_layers": 16, "attn_type_list": [0, 0, 0, 0, 0, 0, 0, 1] * 2}
    derived = derive(values)
    assert attending(values) == [7, 15]
    assert derived.layers[0] == Layer("recurrent", state_elements=64 * 128 * 128)
    assert derived.requirements["lightning"] == "a state of fixed size on 14 of 16 layers"
    words = every(8, 7, "full_attention", "linear_attention", 16)
    assert derive(MINIMAX | {"model_type": "minimax", "layer_types": words}).layers == derived.layers


def test_minimax_without_a_list_is_not_alternating():
    assert derive(MINIMAX | {"num_hidden_layers": 80}).missing == ("attn_type_list",)


LFM = {
    "model_type": "lfm2",
    "num_hidden_layers": 4,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "hidden_size": 2048,
    "conv_L_cache": 3,
}


def test_lfm_convolves_between_attention():
    derived = derive(LFM | {"layer_types": ["conv", "conv", "full_attention", "conv"]})
    assert derived.counts() == {"full": 1, "convolution": 3}
    assert derived.layers[0].conv_elements == 2048 * 2
    assert derive(LFM | {"full_attn_idxs": [2]}).layers == derived.layers
    assert derive(LFM).missing == ("layer_types",)


def test_lfm3_also_slides():
    words = ["conv", "conv", "full_attention", "sliding_attention"]
    assert derive(LFM | {"model_type": "lfm3", "layer_types": words, "sliding_window": 256}).window == 256


INKLING = {
    "model_type": "inkling_text",
    "num_hidden_layers": 4,
    "layer_types": ["hybrid_sliding", "hybrid_sliding", "hybrid_sliding", "hybrid"],
    "num_key_value_heads": 8,
    "head_dim": 128,
    "swa_num_key_value_heads": 16,
    "swa_head_dim": 64,
    "sliding_window_size": 512,
    "hidden_size": 6144,
    "conv_kernel_size": 4,
}


def test_inkling_convolves_keys_values_and_two_streams():
    derived = derive(INKLING)
    assert derived.layers[0] == Layer("sliding", 16, 64, 64, 512, conv_elements=(2 * 1024 + 2 * 6144) * 3)
    assert derived.layers[3] == Layer("full", 8, 128, 128, conv_elements=(2 * 1024 + 2 * 6144) * 3)
    assert derived.requirements["short-conv"] == "a state of fixed size on 4 of 4 layers"


def test_inkling_reads_the_published_fields():
    """Inkling-Small as published: 42 layers, seven of them full; its larger sibling has more KV heads where it slides."""
    local = [index for index in range(42) if (index + 1) % 6]
    published = {
        "num_hidden_layers": 42,
        "hidden_size": 4096,
        "local_layer_ids": local,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "swa_num_key_value_heads": 8,
        "swa_head_dim": 128,
        "sliding_window_size": 512,
        "sconv_kernel_size": 4,
        "n_routed_experts": 256,
        "num_experts_per_tok": 6,
    }
    whole = {"model_type": "inkling_mm_model", "architectures": ["InklingForConditionalGeneration"], "text_config": published}
    derived = derive(whole)
    assert [layer.kind for layer in derived.layers].count("full") == 7
    assert derived.layers[5] == Layer("full", 8, 128, 128, conv_elements=(2 * 1024 + 2 * 4096) * 3)
    assert derived.layers[0] == Layer("sliding", 8, 128, 128, 512, conv_elements=(2 * 1024 + 2 * 4096) * 3)
    assert not derived.defaults_used
    unlisted = derive({**whole, "text_config": {name: value for name, value in published.items() if name != "local_layer_ids"}})
    assert unlisted.layers == derived.layers
    assert unlisted.defaults_used == ("layer_types=7 hybrid + 35 hybrid_sliding (InklingTextConfig: one full in 6)",)
    assert derive({**whole, "text_config": published | {"local_layer_ids": [42]}}).missing


def test_looped_layers_keep_a_cache_for_each_pass():
    loop = {"model_type": "inkling2_loop_text", "loop_layer_index_start": 1, "loop_layer_index_end": 3, "loop_num_passes": 3}
    assert len(derive(INKLING | loop).layers) == 4 + 2 * 2
    assert derive(INKLING | loop | {"loop_layer_index_end": 9}).missing
    assert derive(INKLING | loop | {"loop_num_passes": 10**9}).missing
