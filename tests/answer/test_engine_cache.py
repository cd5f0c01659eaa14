"""The `engine` part of `cache`: what an engine holds per rank, against what the layers need, and null where no policy is known."""

from __future__ import annotations

import json

import pytest

from catalogs import ENGINE
from infercompat.answer import inputs
from infercompat.answer.cache import as_data, of_record
from infercompat.answer.engine_cache import asked, request
from infercompat.answer.question import Refused

from .stacks import HOLDING, SERVE, SETTINGS, engine

ASKED = {"engine": "enga", "tp": None, "max_model_len": None, "available": None, "settings": ()}


@pytest.fixture
def part(make):
    """The engine object of an answer, over a changed tiny catalog."""

    def of(model: str = "plain-model", dtype: str = "bf16", contexts=(1000,), files=None, **options):
        catalog = make(HOLDING | (files or {})).catalog
        data = as_data(of_record(catalog.records[model]), contexts, dtype, engine=inputs.engine_of(catalog, ASKED | options))
        return json.loads(json.dumps(data, allow_nan=False))["cache"]["engine"]

    return of


def test_by_hand(part):
    """1,024 bytes a token of the plain model; half of them on each of two ranks."""
    found = part()
    assert (found["id"], found["version"], found["version_assumed"], found["policy"]) == ("enga", "1.1.0", True, "transformers-tensors/1")
    assert (found["per_rank"]["resident"], found["per_rank"]["reserved"], found["overpay"]) == ({"1000": 1_024_000}, 0, {"1000": 1.0})
    assert found["cites"] == [{"id": "enga-cache"}]
    halves = part(tp=2)
    assert (halves["tensor_parallel"], halves["per_rank"]["resident"], halves["overpay"]) == (2, {"1000": 512_000}, {"1000": 1.0})
    assert part(tp=4)["overpay"] == {"1000": 2.0}  # two heads over four ranks are kept twice


@pytest.mark.parametrize(
    ("options", "resident", "overpay"),
    [
        ({"settings": ["tensor_parallel=2"]}, 512_000, 1.0),
        ({"settings": ["tensor_parallel=2"], "tp": 4}, 512_000, 2.0),
        ({"settings": ["cache.dtype=fp32"]}, 2_048_000, 1.0),
        ({"settings": ["cache.dtype=bfloat16"]}, 1_024_000, 1.0),
        ({"dtype": "fp32"}, 2_048_000, 1.0),
        ({"settings": ["pipeline_parallel=2"]}, 1_024_000, None),
    ],
)
def test_overpay_is_held_against_the_same_type_on_all_ranks(part, options, resident, overpay):
    found = part(**options)
    assert (found["per_rank"]["resident"]["1000"], found["overpay"]["1000"]) == (resident, overpay)


@pytest.mark.parametrize(
    ("options", "length"),
    [
        ({}, 4096),
        ({"max_model_len": 100}, 100),
        ({"settings": ["max_model_len=200"]}, 200),
        ({"max_model_len": 100, "settings": ["max_model_len=200"]}, 100),
    ],
)
def test_the_length_that_it_is_started_for(part, options, length):
    assert part(**options)["max_model_len"] == length


@pytest.mark.parametrize(
    ("options", "missing", "reason"),
    [
        (
            {"engine": "enga@1.0.0"},
            "a cache policy",
            "no cache policy of EngA is known for 1.0.0: native at 1.1.0, the earliest version",
        ),
        ({"engine": "enga@7.0.0"}, "a cache policy", "no cache policy of EngA is known for 7.0.0: "),
        ({"dtype": "fp8"}, "cache.dtype", "a quantized cache is not worked out"),
        ({"tp": 3}, "tensor_parallel", "the KV heads cannot be spread evenly over 3 ranks"),
        ({"files": {ENGINE: engine(SETTINGS, more=SERVE)}}, "a cache policy", "no cache policy of EngA is known for 1.1.0"),
    ],
)
def test_where_no_policy_is_known_it_is_null_and_never_the_ideal(part, options, missing, reason):
    found = part(**options)
    assert (found["policy"], found["per_rank"], found["overpay"], found["missing"]) == (None, None, None, [missing])
    assert found["reason"].startswith(reason)


@pytest.mark.parametrize("model", ["gpt-oss-20b", "gemma-3-27b", "deepseek-v3", "qwen3.5-9b"])
@pytest.mark.parametrize("engine", ["vllm@0.33.0", "sglang", "llama.cpp", "mlx-lm"])
def test_the_contract_of_the_json(real, model, engine):
    options = ASKED | {"engine": engine, "available": "40GiB"}
    data = json.loads(json.dumps(as_data(of_record(real.catalog.records[model]), engine=inputs.engine_of(real.catalog, options)), allow_nan=False))
    found = data["cache"]["engine"]
    assert found.keys() >= {"id", "version", "policy", "per_rank", "overpay"}
    if found["policy"] is None:
        assert (found["per_rank"], found["overpay"]) == (None, None)
        assert found["missing"] and found["reason"]
        return
    rank = found["per_rank"]
    assert rank.keys() >= {"bytes_per_block", "resident", "reserved", "capacity_tokens", "max_concurrency"}
    assert all(type(size) is int for size in rank["resident"].values())
    assert all(type(rank[name]) in (int, type(None)) for name in ("bytes_per_block", "reserved", "needed_bytes", "capacity_tokens", "longest"))
    assert rank["resident"]["8192"] <= rank["resident"]["32768"] <= rank["resident"]["131072"]
    assert found["overpay"].keys() == rank["resident"].keys()


def test_gemma_3_in_vllm(real):
    """62 layers of 16 heads of 128 elements, 10 of them full. A window of 1,024 is held with a batch in flight, so more than the ideal is."""
    vllm = inputs.engine_of(real.catalog, ASKED | {"engine": "vllm@0.33.0"})
    found = as_data(of_record(real.catalog.records["gemma-3-27b"]), [131072], engine=vllm)["cache"]
    assert found["ideal"]["at"]["131072"] == (10 * 131072 + 52 * 1024) * 16 * 128 * 2 * 2
    assert 1.0 < found["engine"]["overpay"]["131072"] < found["overpay"]["131072"]


def test_a_request_takes_what_was_set_over_what_was_not(base):
    how = asked(base.catalog.records["enga"], None, settings={"block_size": 32, "setting.x": 1, "max_num_seqs": 4})
    found = request(base.derived["plain-model"], "LlamaForCausalLM", "bf16", how)
    assert (found.block_size, found.max_num_seqs, found.tensor_parallel, found.max_model_len, found.cache_dtype) == (32, 4, 1, 4096, "bf16")
    assert found.settings["setting.x"] == 1 and "block_size" not in found.settings
    with pytest.raises(Refused, match="is no pep440 version"):
        asked(base.catalog.records["enga"], "1..0")
