"""The layers of a GGUF file are those of the config.json that it was made from."""

import pytest

from infercompat.derive import Derived, derive
from infercompat.derive.gguf import ARCHITECTURES, Header, config_of_header
from infercompat.derive.readers import BY_NAME

from .. import configs
from . import files


def header(architecture, keys):
    fields = {f"{architecture}.{name}": tuple(value) if isinstance(value, list) else value for name, value in keys.items()}
    return Header({"general.architecture": architecture} | fields, ())


def layers(architecture, keys):
    config = config_of_header(header(architecture, keys))
    assert isinstance(config, dict), config
    derived = derive(config)
    assert isinstance(derived, Derived), derived
    return derived.layers


@pytest.mark.parametrize(
    ("architecture", "keys", "config"),
    [
        ("llama", files.LLAMA_3_1_8B, configs.LLAMA_3_1_8B),
        ("gemma2", files.GEMMA_2_2B, configs.GEMMA_2_2B),
        ("gemma3", files.GEMMA_3_27B, configs.GEMMA_3_27B),
        ("gemma3n", files.GEMMA_3N_E2B, configs.GEMMA_3N_E2B),
        ("gemma4", files.GEMMA_4_31B, configs.GEMMA_4_31B),
        ("gpt-oss", files.GPT_OSS_120B, configs.GPT_OSS_120B),
        ("deepseek2", files.DEEPSEEK_V3, configs.DEEPSEEK_V3),
        ("cohere2", files.COMMAND_R7B, configs.COMMAND_R7B),
        ("qwen3next", files.QWEN_3_NEXT_80B, configs.QWEN3_NEXT_80B),
        ("jamba", files.JAMBA_V0_1, configs.JAMBA_V0_1),
        ("nemotron_h", files.NEMOTRON_H_8B, configs.NEMOTRON_H_8B),
        ("kimi-linear", files.KIMI_LINEAR_48B, configs.KIMI_LINEAR_48B),
    ],
)
def test_layers_are_those_of_the_config(architecture, keys, config):
    assert layers(architecture, keys) == derive(config).layers


PLAIN = files.base(2, 64, 4, attention__head_count_kv=2)
MAMBA = files.base(2, 64, 0, feed_forward_length=0)
STATE = {"ssm.conv_kernel": 4, "ssm.inner_size": 128, "ssm.state_size": 16, "ssm.time_step_rank": 8, "ssm.group_count": 2}


def kinds(architecture, keys):
    return [layer.kind for layer in layers(architecture, keys)]


@pytest.mark.parametrize("name", ["llama", "mistral3", "gemma", "qwen2", "qwen2moe", "qwen2vl", "qwen3", "qwen3moe", "qwen3vl", "command-r"])
def test_plain_architectures(name):
    assert [(layer.kind, layer.kv_heads, layer.k_width) for layer in layers(name, PLAIN)] == [("full", 2, 16)] * 2


@pytest.mark.parametrize("name", ["glm4", "glm4moe", "granite", "seed_oss", "smollm3", "minimax-m2", "phi3", "phimoe", "olmo2", "exaone4"])
def test_more_plain_architectures(name):
    assert {layer.kv_heads for layer in layers(name, PLAIN)} == {2}


def test_a_window_by_number_list_and_default():
    keys = files.base(6, 64, 4, attention__sliding_window=16)
    assert kinds("gemma3", keys) == ["sliding"] * 5 + ["full"]
    assert kinds("gemma3", keys | {"attention.sliding_window_pattern": 3}) == ["sliding", "sliding", "full"] * 2
    assert kinds("gemma3", keys | {"attention.sliding_window_pattern": [True, False] * 3}) == ["sliding", "full"] * 3
    assert kinds("gemma3", files.base(6, 64, 4)) == ["full"] * 6
    assert kinds("gpt-oss", keys) == ["sliding", "full"] * 3
    assert kinds("phi3", keys) == ["sliding"] * 6


def test_recurrent_architectures():
    [layer, _] = layers("mamba", MAMBA | STATE)
    assert (layer.kind, layer.conv_elements, layer.state_elements) == ("recurrent", 128 * 3, 128 * 16)
    [layer, _] = layers("mamba2", MAMBA | STATE)
    assert (layer.conv_elements, layer.state_elements) == ((128 + 2 * 2 * 16) * 3, 8 * 16 * 16)
    [layer, _] = layers("falcon-h1", PLAIN | STATE | {"attention.key_length": 32, "attention.value_length": 32})
    assert (layer.kind, layer.k_width, layer.state_elements) == ("recurrent+full", 32, 8 * 16 * 16)
    assert kinds("granitehybrid", PLAIN | STATE | {"attention.head_count_kv": [0, 2]}) == ["recurrent", "full"]
    assert kinds("granitehybrid", PLAIN) == ["full", "full"]
    assert kinds("lfm2", PLAIN | {"attention.head_count_kv": [0, 2], "shortconv.l_cache": 3}) == ["convolution", "full"]
    assert kinds("qwen35", PLAIN | STATE | {"attention.recurrent_layers": [False, True]}) == ["full", "recurrent"]


def test_latent_attention_from_before_the_latent_was_cached():
    old = {name: value for name, value in files.DEEPSEEK_V3.items() if not name.endswith("_mla")}
    old |= {"attention.head_count_kv": 128, "attention.key_length": 192, "attention.value_length": 128}
    assert layers("deepseek2", old) == derive(configs.DEEPSEEK_V3).layers


def test_draft_layers_are_not_layers():
    config = config_of_header(header("deepseek2", files.DEEPSEEK_V3))
    assert (config["num_hidden_layers"], config["num_nextn_predict_layers"]) == (61, 1)


def test_every_architecture_leads_to_a_reader():
    assert [entry.name for entry in ARCHITECTURES.values() if entry.model_type not in BY_NAME] == []


@pytest.mark.parametrize(
    ("architecture", "keys", "missing"),
    [
        ("llama", {}, "llama.block_count"),
        ("llama", PLAIN | {"block_count": 0}, "llama.block_count (0 layers)"),
        ("llama", PLAIN | {"block_count": 1 << 31}, "llama.block_count (2147483648 layers)"),
        ("llama", PLAIN | {"attention.head_count_kv": [2, 1]}, "llama.attention.head_count_kv (differs from layer to layer: 1, 2)"),
        ("llama", PLAIN | {"attention.head_count_kv": [2, 0]}, "llama.attention.head_count_kv (a layer without attention)"),
        ("llama", PLAIN | {"attention.value_length": 99}, "llama.attention.value_length (other than key_length, which llama does not have)"),
        ("gemma4", PLAIN, "gemma4.attention.sliding_window_pattern"),
        ("jamba", PLAIN | STATE | {"attention.head_count_kv": [0, 0]}, "jamba.attention.head_count_kv (attention not at even distances)"),
        ("mamba2", MAMBA | STATE | {"ssm.time_step_rank": 7}, "mamba2.ssm.inner_size (not divided by ssm.time_step_rank)"),
        ("qwen3next", PLAIN | STATE | {"ssm.time_step_rank": 0}, "qwen3next.ssm.inner_size (not divided by ssm.time_step_rank)"),
        (
            "deepseek2",
            PLAIN | {"attention.key_length": 8, "rope.dimension_count": 64},
            "deepseek2.attention.key_length_mla (narrower than its rotary part)",
        ),
    ],
)
def test_keys_that_decide_are_missed(architecture, keys, missing):
    assert missing in config_of_header(header(architecture, keys)).missing


def test_the_converter_of_llama_cpp_registers_the_class_that_a_file_is_made_of(real):
    """conversion/<family>.py of llama.cpp, as the catalog has it: what is no class there would be said not to run on llama.cpp."""
    registry = real.catalog.follow("llamacpp-0c1e57098-conversion").data["claims"]
    registered = {claim["about"].get("architecture") for claim in registry}
    assert {entry.made_of for entry in ARCHITECTURES.values()} - registered == set()
