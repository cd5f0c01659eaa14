"""Reading quantization_config: which tensors are quantized, and in which format."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive.weights.scheme import Scheme, read_scheme
from infercompat.derive.weights.tensors import Tensor

MODULES = {
    "embed_tokens": "embedding",
    "layers.0.self_attn.q_proj": "attention",
    "layers.0.mlp.gate": "router",
    "layers.0.mlp.experts.0.up_proj": "experts",
    "layers.0.mlp.shared_experts.up_proj": "shared_experts",
    "lm_head": "output",
}


def quantized(section):
    """Modules that are quantized, in short, and the format of each."""
    scheme = read_scheme(section)
    found = {name: scheme.format_of(Tensor(name, part, (256, 512))) for name, part in MODULES.items()}
    return {name.rpartition("layers.0.")[2]: format.name for name, format in found.items() if format}


ATTENTION, EXPERTS, SHARED, ROUTER = "self_attn.q_proj", "mlp.experts.0.up_proj", "mlp.shared_experts.up_proj", "mlp.gate"


def group(weights, **more):
    return {"config_groups": {"group_0": {"weights": weights, "targets": ["Linear"]} | more}}


FLOAT8, FLOAT4 = {"num_bits": 8, "type": "float"}, {"num_bits": 4, "type": "float", "group_size": 16}
INT4 = {"num_bits": 4, "type": "int", "group_size": 32, "strategy": "group"}


@pytest.mark.parametrize(
    ("section", "result"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, dict.fromkeys([ATTENTION, EXPERTS, SHARED], "fp8")),
        ({"quant_method": "fp8", "modules_to_not_convert": ["gate", "lm_head"]}, dict.fromkeys([ATTENTION, EXPERTS, SHARED], "fp8")),
        ({"quant_method": "fp8", "ignored_layers": ["model.layers.0.self_attn"]}, dict.fromkeys([EXPERTS, SHARED, "lm_head"], "fp8")),
        ({"quant_method": "mxfp4"}, {EXPERTS: "mxfp4"}),
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, dict.fromkeys([ATTENTION, EXPERTS, SHARED], "awq")),
        ({"quant_method": "gptq", "bits": 4, "group_size": -1, "lm_head": True}, dict.fromkeys([ATTENTION, EXPERTS, SHARED, "lm_head"], "gptq")),
        ({"quant_algo": "NVFP4", "exclude_modules": ["lm_head", "*self_attn*"]}, dict.fromkeys([EXPERTS, SHARED], "nvfp4")),
        ({"quant_algo": "FP8", "ignore": ["lm_head"]} | group(FLOAT8), dict.fromkeys([ATTENTION, EXPERTS, SHARED], "fp8")),
        ({"ignore": ["lm_head"]} | group(FLOAT8 | {"strategy": "channel"}), dict.fromkeys([ATTENTION, ROUTER, EXPERTS, SHARED], "fp8")),
        ({"quant_algo": "NVFP4", "ignore": ["lm_head"]} | group(FLOAT4), dict.fromkeys([ATTENTION, EXPERTS, SHARED], "nvfp4")),
        (
            {"format": "pack-quantized", "ignore": ["lm_head", "re:.*self_attn.*", "re:.*mlp.gate$"]} | group(INT4),
            dict.fromkeys([EXPERTS, SHARED], "packed integers"),
        ),
        (
            {"ignore": ["lm_head"]} | group(FLOAT4 | {"group_size": 32}, format="mxfp4-pack-quantized"),
            dict.fromkeys([ATTENTION, ROUTER, EXPERTS, SHARED], "mxfp4"),
        ),
        (
            {
                "quant_algo": "MIXED_PRECISION",
                "quantized_layers": {
                    "model.layers.0.self_attn": {"quant_algo": "FP8"},
                    "model.layers.0.mlp.experts": {"quant_algo": "NVFP4", "group_size": 16},
                },
            },
            {ATTENTION: "fp8", EXPERTS: "nvfp4"},
        ),
        (
            {
                "quant_algo": "x",
                "config_groups": {
                    "group_0": {"weights": FLOAT4, "targets": ["Linear"]},
                    "group_1": {"weights": FLOAT8, "targets": ["model.layers.0.self_attn.q_proj"]},
                },
                "ignore": ["lm_head"],
            },
            {ATTENTION: "fp8", EXPERTS: "nvfp4", SHARED: "nvfp4"},
        ),
        (
            {"bits": 4, "group_size": 64, "model.layers.0.mlp.gate": {"bits": 8, "group_size": 64}, "lm_head.x": False},
            dict.fromkeys(["embed_tokens", ATTENTION, ROUTER, EXPERTS, SHARED, "lm_head"], "mlx affine"),
        ),
    ],
)
def test_what_is_quantized(section, result):
    assert quantized(section) == result


def test_an_override_of_mlx_has_bits_of_its_own():
    scheme = read_scheme({"bits": 4, "group_size": 64, "model.layers.0.mlp.gate": {"bits": 8, "group_size": 32}})
    assert scheme.format_of(Tensor("layers.0.mlp.gate", "router", (8, 64))).bytes_of(8, 64) == (8 * 64 + 8 * 2 * 4,) * 2


def test_vectors_and_convolutions_are_left_alone():
    scheme = read_scheme({"bits": 4, "group_size": 64})
    assert [scheme.format_of(Tensor("x", "attention", shape)) for shape in ((8,), (8, 1, 4))] == [None, None]


@pytest.mark.parametrize(
    "section",
    [
        {},
        {"quant_method": "bitsandbytes"},
        {"quant_method": "fp8", "weight_block_size": [128]},
        {"quant_method": "awq", "bits": 5, "group_size": 128},
        {"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {"-:mlp": {}}},
        {"quant_algo": "MIXED_PRECISION", "quant_method": "fp8", "quantized_layers": {"a": {"quant_algo": "NVFP4"}}},
        {"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": {"quant_algo": "W4A8"}}},
        {"bits": 9, "group_size": 64},
        {"quant_method": ["fp8"]},
        group({"num_bits": 4, "type": "float", "group_size": 12}),
        group({"num_bits": 8, "type": "float", "strategy": []}),
        group({"num_bits": 8, "type": "int", "strategy": {}}),
        group(INT4 | {"num_bits": 4.0}, format="pack-quantized"),
    ],
)
def test_what_is_not_worked_out_is_said(section):
    assert "not" in read_scheme(section)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["Linear", "float", "int", "group", "fp8", "re:.*", "NVFP4"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["weights", "targets", "num_bits", "type", "quant_algo"]), inner),
    max_leaves=6,
)
FIELDS = ["quant_method", "quant_algo", "config_groups", "quantized_layers", "ignore", "weight_block_size", "bits", "group_size", "format", "dynamic"]


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_section_is_a_scheme_or_a_reason(section):
    assert isinstance(read_scheme(json.loads(json.dumps(section))), (Scheme, str))
