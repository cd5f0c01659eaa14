"""From a config to a model: which reader is used, what is unknown, and that no JSON is ever an exception."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infercompat.derive import LOOKUP_NAMES, Derived, Unknown, derive
from infercompat.derive.config import TEXT_PARTS, VARIANTS
from infercompat.derive.readers import BY_NAME

from . import configs


@pytest.mark.parametrize("model", configs.ALL)
def test_every_config_here_is_known(model):
    derived = derive(configs.ALL[model])
    assert isinstance(derived, Derived)
    assert sum(derived.counts().values()) == len(derived.layers)


def test_the_text_part_decides_before_the_whole():
    wrapped = {"model_type": "llava", "text_config": configs.MISTRAL_7B_V0_1, "vision_config": {"depth": 4}}
    derived = derive(wrapped)
    assert derived.name == "mistral"
    assert derived.requirements["image-input"] == "vision_config present"


def test_a_class_name_stands_in_for_a_model_type():
    bare = {key: value for key, value in configs.COMMAND_R7B.items() if key != "model_type"}
    assert derive(bare) == Unknown(("model_type", "architectures"), "the config does not say which architecture it belongs to")
    assert derive(bare, "Cohere2ForCausalLM").counts() == {"full": 8, "sliding": 24}
    assert derive(bare | {"architectures": ["Cohere2ForCausalLM"]}).counts() == {"full": 8, "sliding": 24}


def test_a_model_type_nobody_knows_leaves_the_class_name():
    values = configs.DEEPSEEK_V4_FLASH | {"model_type": "deepseek_ref", "architectures": ["DeepseekV4ForCausalLM"]}
    assert derive(values).name == "DeepseekV4ForCausalLM"


def test_an_architecture_without_a_reader_is_unknown():
    unknown = derive({"model_type": "rwkv9", "architectures": ["RwkvForCausalLM"], "num_hidden_layers": 32})
    assert unknown == Unknown(("a reader for rwkv9",), "this architecture is not worked out")


def test_missing_fields_are_all_named():
    unknown = derive({"model_type": "jamba", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32, "mamba_d_conv": 4})
    assert unknown.missing == ("attn_layer_period", "attn_layer_offset", "expand", "ssm_state_size", "num_key_value_heads")


def test_defaults_are_reported_with_their_source():
    derived = derive(configs.GEMMA_2_2B)
    assert derived.defaults_used == ("layer_types=13 full_attention + 13 sliding_attention (Gemma2Config: every other, sliding first)",)


@pytest.mark.parametrize("values", [None, [], "llama", 5, True])
def test_what_is_no_mapping_is_unknown(values):
    assert isinstance(derive(values), Unknown)


def test_the_single_window():
    assert derive(configs.GEMMA_3_27B).window == 1024
    assert derive(configs.LLAMA_4_SCOUT).window == 8192
    assert derive(configs.LLAMA_3_1_8B).window is None


def test_widths_are_the_largest_of_any_layer():
    derived = derive(configs.GEMMA_4_31B)
    assert (derived.kv_heads, derived.head_dim) == (16, 512)


def test_costs_are_kept():
    derived = derive(configs.LLAMA_3_1_8B)
    assert derived.cost() is derived.cost("bf16")
    assert derived.cost("fp8").ideal.growing_bytes_per_token == 65_536


def test_lookup():
    derived = derive(configs.GEMMA_3_27B)
    expected = {
        "layers.total": 62,
        "layers.full": 10,
        "layers.sliding": 52,
        "layers.shared": 0,
        "layers.recurrent+full": 0,
        "window": 1024,
        "kv_heads": 16,
        "head_dim": 128,
        "context.native": 131_072,
        "context.extended": None,
        "image.tokens": 256,
        "cache.naive.bytes_per_token": 507_904,
        "cache.ideal.growing_bytes_per_token": 81_920,
        "cache.ideal.window_bytes": 52 * 1024 * 2 * 16 * 128 * 2,
        "cache.ideal.state_bytes_per_sequence": 0,
        "cache.naive.at.8192": 507_904 * 8192,
        "cache.ideal.at.8192": 1_107_296_256,
        "cache.ideal.per_token_at.8192": 135_168,
        "cache.overpay.at.8192": 507_904 * 8192 / 1_107_296_256,
    }
    assert {name: derived.lookup(name) for name in expected} == expected


@pytest.mark.parametrize(
    "name", ["", "layers", "layers.wide", "cache.ideal", "cache.ideal.at.", "cache.ideal.at.-1", "cache.naive.per_token_at.8192", "x" * 99]
)
def test_lookup_of_no_figure(name):
    assert derive(configs.GEMMA_3_27B).lookup(name) is None


def test_every_lookup_name_gives_a_figure_somewhere():
    budgeted = {**configs.GEMMA_4_31B, "vision_soft_tokens_per_image": 280}
    models = [derive(values) for values in (*configs.ALL.values(), budgeted)]
    assert len(LOOKUP_NAMES) > 20
    for name in LOOKUP_NAMES:
        assert any(model.lookup(name) is not None for model in models), name


def test_an_encoder_has_no_overpay():
    encoder = derive({"model_type": "bert", "num_hidden_layers": 2})
    assert encoder.lookup("cache.ideal.at.512") == 0
    assert encoder.lookup("cache.overpay.at.512") is None


FIELDS = [
    *sorted({part for names in VARIANTS.values() for name in names for part in name.split(".")}),
    *TEXT_PARTS,
    "architectures",
    "attention_other_setting",
    "attn_type_list",
    "block_configs",
    "compress_ratios",
    "conv_L_cache",
    "cross_attention_layers",
    "hybrid_layer_pattern",
    "hybrid_override_pattern",
    "indexer_types",
    "index_topk_pattern",
    "kda_layers",
    "kv_source_layers",
    "linear_attn_config",
    "num_kv_shared_layers",
    "no_rope_layers",
    "per_layer_config",
    "quantization_config",
    "rope_scaling",
    "sliding_window_pattern",
    "sparse_attention_config",
    "use_sliding_window",
    "vision_config",
]
SCALARS = st.none() | st.booleans() | st.integers(-2, 70) | st.integers() | st.floats() | st.sampled_from(["LLLG", "M*-E", "auto", "all", "F"])
WORDS = st.sampled_from(["full_attention", "sliding_attention", "mamba", "conv", "hybrid", "moe", "full", "shared"])
LISTS = st.lists(st.integers(-1, 130), max_size=9) | st.lists(WORDS, max_size=9)
VALUES = st.recursive(
    SCALARS | LISTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(FIELDS) | st.text(max_size=3), inner, max_size=9),
    max_leaves=25,
)
NAMED = st.builds(
    lambda name, fields: fields | {"model_type": name},
    st.sampled_from(sorted(BY_NAME)),
    st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=20),
)


def use(values, architecture=None):
    """Derive and ask everything there is to ask."""
    derived = derive(values, architecture)
    if isinstance(derived, Unknown):
        assert derived.missing
        assert all(isinstance(name, str) for name in derived.missing)
        return
    assert derived.layers
    cost = derived.cost()
    assert 0 <= cost.ideal_bytes(0) <= cost.ideal_bytes(1000)
    for name in LOOKUP_NAMES:
        derived.lookup(name)
    json.dumps([derived.counts(), derived.requirements, derived.defaults_used, derived.notes])


@given(VALUES)
def test_arbitrary_json_never_raises(values):
    use(values)


@settings(max_examples=300)
@given(NAMED)
def test_arbitrary_fields_of_known_models_never_raise(values):
    use(values)


@settings(max_examples=300)
@given(st.sampled_from(sorted(configs.ALL)), st.data())
def test_a_real_config_with_one_field_spoilt_never_raises(model, data):
    values = json.loads(json.dumps(configs.ALL[model]))
    inner = values.get("text_config", values)
    inner[data.draw(st.sampled_from(sorted(inner)))] = data.draw(VALUES)
    use(values)
