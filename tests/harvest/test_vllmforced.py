"""vLLM's forced settings with what their classes write, and its quantization methods."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllmforced import CONFIG, QUANTIZATION, methods, read

from .trees import grow, said

TEXT = """\
class Base:
    def go(vllm_config):
        vllm_config.cache_config.block_size = 64
class Deep(Base):
    def go(vllm_config):
        cache_config.cache_dtype = "fp8"
        other = 1
MODELS_CONFIG_MAP: dict[str, type] = {
    "AForCausalLM": Deep,
    "BForCausalLM": (Unknown),
}
"""


def test_settings_of_a_class_and_its_ancestors(tmp_path):
    first, second = read(grow(tmp_path, {CONFIG: TEXT}))
    assert (dict(first.about)["architecture"], first.at, dict(first.fields)) == (
        "AForCausalLM",
        "L9",
        {"value": "cache_config.cache_dtype, cache_config.block_size"},
    )
    assert (second.at, second.fields) == ("L10", ())


def test_a_renamed_map_is_refused(tmp_path):
    with pytest.raises(Refused, match="there is no MODELS_CONFIG_MAP"):
        list(read(grow(tmp_path, {CONFIG: TEXT.replace("MODELS_CONFIG_MAP", "FORCED")})))


def test_methods_by_name(tmp_path):
    text = 'QuantizationMethods = Literal[\n    "awq",\n    "gpt_oss_mxfp4",\n]\n'
    assert said(methods(grow(tmp_path, {QUANTIZATION: text}))) == ["quantization.awq native L2", "quantization.gpt-oss-mxfp4 native L3"]
    with pytest.raises(Refused, match="there is no list of quantization methods"):
        list(methods(grow(tmp_path, {QUANTIZATION: "METHODS = load()\n"})))
