"""Conditions that contradict themselves, and some that only look so."""

import pytest

from infercompat.condition import never_true, parse


def check(data):
    condition, faults = parse(data, ("when",))
    assert faults == []
    return [(fault.path, fault.message.removeprefix("this can never be true: ")) for fault in never_true(condition)]


@pytest.mark.parametrize(
    ("parts", "clash"),
    [
        ([{"tensor_parallel": 1}, {"tensor_parallel": 2}], "tensor_parallel is 1 and tensor_parallel is 2"),
        ([{"tensor_parallel": [1, 2]}, {"tensor_parallel": {"min": 3}}], "tensor_parallel is 1 or 2 and tensor_parallel is at least 3"),
        ([{"block_size": {"max": 4}}, {"block_size": {"above": 4}}], "block_size is at most 4 and block_size is more than 4"),
        ([{"block_size": {"min": 8}}, {"not": {"block_size": {"min": 4}}}], "block_size is at least 8 and block_size is not at least 4"),
        ([{"lora": True}, {"not": {"lora": True}}], "lora is true and lora is not true"),
        ([{"not": {"lora": True}}, {"not": {"lora": False}}], "lora is not true and lora is not false"),
        ([{"phase": "prefill"}, {"phase": "decode"}], "phase is prefill and phase is decode"),
        ([{"requires": "mla"}, {"not": {"requires": "mla"}}], "the model requires mla, and not"),
        ([{"phase": "prefill"}, {"any": [{"phase": "decode"}, {"not": {"phase": "prefill"}}]}], "phase is prefill and phase is decode"),
        ([{"setting.x": "auto"}, {"setting.x": {"min": 1}}], "setting.x is auto and setting.x is at least 1"),
        ([{"cuda.version": "12.10"}, {"cuda.version": {"below": "12.9"}}], "cuda.version is 12.10 and cuda.version is less than 12.9"),
    ],
)
def test_never(parts, clash):
    assert check({"all": parts}) == [(("when", "all"), clash)]


@pytest.mark.parametrize(
    "data",
    [
        {"any": [{"tensor_parallel": 1}, {"tensor_parallel": 2}]},
        {"all": [{"tensor_parallel": [1, 2]}, {"tensor_parallel": [2, 3]}]},
        {"all": [{"model.head_dim": 256}, {"model.head_dim": 512}]},  # two kinds of layers
        {"all": [{"prefill.tensor_parallel": 1}, {"decode.tensor_parallel": 2}]},
        {"all": [{"cache.k.dtype": "bf16"}, {"cache.v.dtype": "fp8"}]},
        {"all": [{"not": {"block_size": {"min": 1}}}, {"not": {"block_size": {"below": 1}}}]},  # it may have none
        {"all": [{"block_size": {"min": 8}}, {"not": {"block_size": {"min": 16, "max": 32}}}]},
        {"all": [{"layer": {"head_dim": 256}}, {"layer": {"head_dim": 512}}]},
        {"not": {"all": [{"tensor_parallel": 1}, {"tensor_parallel": 2}]}},
        {"all": [{"block_size": {"min": 4}}, {"block_size": {"max": 4}}]},
    ],
)
def test_possible(data):
    assert check(data) == []


def test_a_quantity_is_not_more_than_itself():
    data = {"all": [{"lora": True}, {"relation": "block_size * 2 > block_size * 2"}]}
    assert check(data) == [(("when", "all", 1, "relation"), "block_size * 2 > block_size * 2")]
    assert check({"relation": "block_size * 2 > block_size"}) == []


def test_the_smallest_part_is_named():
    data = {"any": [{"lora": True}, {"all": [{"block_size": 16}, {"not": {"any": [{"block_size": 16}, {"lora": True}]}}]}]}
    assert check(data) == [(("when", "any", 1, "all"), "block_size is 16 and block_size is not 16")]


def test_below_a_negation():
    data = {"not": {"any": [{"lora": True}, {"lora": False}]}}
    assert check(data) == [(("when", "not"), "lora is not true and lora is not false")]


def test_a_tree_that_is_too_wide_is_let_pass():
    pairs = [{"any": [{f"setting.s{n}": 1}, {f"setting.s{n}": 2}]} for n in range(14)]
    assert check({"all": [*pairs, {"lora": True}]}) == []


@pytest.mark.parametrize(
    "parts",
    [
        ["any(model.linears, k % 32 == 40)"],
        ["any(model.linears, k < 1)"],
        ["any(model.linears, n > k and k > n)"],
        ["any(model.linears, k > 64 and 32 > k)"],
        ["any(model.linears, part == 'mlp' and part == 'experts')"],
        ["any(model.linears, part == 'mlp' and part != 'mlp')"],
        ["any(model.linears, part == 'mlp' and cut == 'heads' and part == 'experts' or k < 1)"],
        ["all(model.layers, kind == 'full' and kind == 'sliding')"],
        ["any(model.linears, k > 3)", {"not": {"relation": "any(model.linears, k > 3)"}}],
        ["tensor_parallel < 1"],
        ["cuda.version < 13.0", {"cuda.version": {"min": "13.0"}}],
        ["cuda.version < 13.0", "cuda.version == 13.0.1"],
        ["flashinfer-cubin.version < flashinfer.version", "flashinfer-cubin.version == flashinfer.version"],
        ["flashinfer-cubin.version < flashinfer.version", "flashinfer.version < flashinfer-cubin.version"],
        ["torch.version != torch.version"],
        ["max_model_len > 4096", {"max_model_len": 2048}],
        ["cache.dtype == 'fp8'", {"cache.dtype": "bf16"}],
        ["tensor_parallel > max_num_seqs", "max_num_seqs >= tensor_parallel"],
        ["sequence_length > model.window", "sequence_length <= model.window"],
        ["sequence_length > model.window", "model.window >= sequence_length"],
        ["gpu_memory_utilization > 1"],
        ["model.heads % 1 != 0"],
        [{"gpu_memory_utilization": 95}],
        [{"gpu_memory_utilization": [0.5, 95]}, {"gpu_memory_utilization": {"min": 0.9}}],
        [{"gpu_memory_utilization": {"above": 1}}],
        [{"tensor_parallel": 0}],
        [{"model.head_dim": 0}],
    ],
)
def test_comparisons_that_contradict(parts):
    assert never(parts)


@pytest.mark.parametrize(
    "parts",
    [
        ["any(model.linears, k % 32 == 8)"],
        ["any(model.linears, part == 'mlp' and part == 'experts' or k % 32 != 0)"],
        ["any(model.linears, part == 'mlp')", "any(model.linears, part == 'experts')"],
        ["any(model.linears, k / tensor_parallel % 1 != 0)"],
        ["all(model.layers, window == 0)"],
        ["cuda.version < 13.0", {"not": {"cuda.version": {"max": "12.8"}}}],
        ["flashinfer-cubin.version <= flashinfer.version", "flashinfer.version <= flashinfer-cubin.version"],
        ["model.kv_heads > tensor_parallel", "model.kv_heads < tensor_parallel"],  # it may have several
        ["setting.rows < -3"],
        ["speculation.tokens < 1"],
        ["sequence_length >= model.window", "sequence_length <= model.window"],
        [{"gpu_memory_utilization": {"min": 0.95}}],
        [{"not": {"gpu_memory_utilization": {"min": 2}}}],
        [{"speculation.tokens": 0}],
        [{"setting.x": -95}],
        [{"vllm.has_pr": 1}, {"vllm.has_pr": 2}],
    ],
)
def test_comparisons_that_may_hold(parts):
    assert not never(parts)


def never(parts):
    condition, faults = parse({"all": [{"relation": part} if isinstance(part, str) else part for part in parts]})
    assert faults == []
    return never_true(condition)


def test_a_value_out_of_reach_is_named_alone():
    condition, _ = parse({"gpu_memory_utilization": 95}, ("when",))
    [fault] = never_true(condition)
    assert (fault.message, fault.help) == ("this can never be true: gpu_memory_utilization is 95", "take a value that it can have")
