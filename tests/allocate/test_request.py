"""What a request says by the names of facts: its fields first, then its settings."""

import pytest

from infercompat.allocate import Request
from infercompat.allocate.request import FIELDS, facts_of_config

from .configs import model


@pytest.mark.parametrize(("fact", "name"), sorted(FIELDS.items()))
def test_every_fact_with_a_field_is_read_from_it(fact, name):
    assert Request(model("llama-3.1-8b"), **{name: 7}).given(fact) == 7
    assert Request(model("llama-3.1-8b")).given(fact) is None


def test_settings_are_read_where_a_field_says_nothing():
    request = Request(model("llama-3.1-8b"), max_model_len=8, settings={"max_model_len": 9, "cache.dtype": "fp8", "hardware.id": "h100"})
    assert (request.given("max_model_len"), request.given("cache.dtype"), request.given("hardware.id")) == (8, "fp8", "h100")


def test_false_is_something_said():
    assert Request(model("llama-3.1-8b"), settings={"async_scheduling": False}).given("async_scheduling") is False


def test_a_config_says_what_layers_do_not():
    inner = {"linear_conv_kernel_dim": 4, "mtp_num_hidden_layers": 1}
    assert facts_of_config({"text_config": inner}) == {"model.conv_kernel": 4, "model.draft_layers": 1}
    assert facts_of_config({"mamba_d_conv": 3, "num_nextn_predict_layers": None}) == {"model.conv_kernel": 3}
    assert facts_of_config({"conv_kernel": True}) == {}
    assert facts_of_config({"mamba_ssm_cache_dtype": "float32", "mamba_ssm_dtype": "float16"}) == {"model.mamba_ssm_cache_dtype": "float32"}
