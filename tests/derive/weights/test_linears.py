"""Linear layers against widths that follow from published configs by hand, and what is left of a decoder that is not worked out."""

import json

from msgspec.structs import asdict

from infercompat.condition import MISSING
from infercompat.derive import Unknown, derive
from infercompat.derive.weights.linears import INNER, Linear, linears_of
from scripts import same_in_the_script

from . import shapes


def test_each_shape_once_with_how_ranks_share_it():
    """gpt-oss 20B: 64 heads of 64 are 4,096, 8 are 512; gate and up of an expert in one matrix of 2 * 2,880; its biases are no matrices."""
    assert linears_of(shapes.GPT_OSS_20B) == (
        Linear(4096, 2880, "q_proj", "attention", "rows"),
        Linear(512, 2880, "k_proj", "attention", "heads"),
        Linear(512, 2880, "v_proj", "attention", "heads"),
        Linear(2880, 4096, "o_proj", "attention", "columns"),
        Linear(32, 2880, "router", "router", "whole"),
        Linear(5760, 2880, "gate_up_proj", "experts", "rows"),
        Linear(2880, 2880, "down_proj", "experts", "columns"),
        Linear(201088, 2880, "lm_head", "output", "vocabulary"),
    )


def test_a_latent_is_whole_on_each_rank():
    """DeepSeek V3: 128 heads of 128 + 64 from a query latent of 1,536; 128 + 128 a head out of one of 512, with 64 beside it going in."""
    found = {one.name: one for one in linears_of(shapes.DEEPSEEK_V3) if one.part == "attention"}
    assert found["kv_a_proj_with_mqa"] == Linear(576, 7168, "kv_a_proj_with_mqa", "attention", "whole")
    assert found["q_b_proj"] == Linear(24576, 1536, "q_b_proj", "attention", "rows")
    assert found["kv_b_proj"] == Linear(32768, 512, "kv_b_proj", "attention", "rows")


def test_an_embedding_that_is_the_output_too_is_listed_as_the_output():
    """Gemma 2 2B: 256,000 tokens by 2,304, tied."""
    assert linears_of(shapes.GEMMA_2_2B)[-1] == Linear(256000, 2304, "lm_head", "output", "vocabulary")


def test_of_a_decoder_that_is_not_worked_out_the_output_alone_is_known():
    config = {
        "architectures": ["MambaForCausalLM"], "model_type": "mamba", "hidden_size": 2560, "num_hidden_layers": 2,
        "state_size": 16, "intermediate_size": 5120, "conv_kernel": 4, "vocab_size": 50280,
    }  # fmt: skip
    *unknown, output = linears_of(config)
    assert output == Linear(50280, 2560, "lm_head", "output", "vocabulary")
    assert unknown == [Linear(MISSING, MISSING, MISSING, part, MISSING) for part in INNER]


def test_nothing_is_known_without_a_vocabulary_or_for_what_generates_nothing():
    assert isinstance(linears_of({"architectures": ["MambaForCausalLM"], "model_type": "mamba", "hidden_size": 2560}), Unknown)
    assert isinstance(linears_of({"architectures": ["BertModel"], "model_type": "bert", "hidden_size": 384, "vocab_size": 30522}), Unknown)
    assert isinstance(linears_of({}), Unknown)


def test_the_script_reads_the_same_of_every_config(real, tmp_path):
    rows = [{"config": json.dumps(values), "wanted": plain(values)} for model in real.catalog.of_kind("model") if (values := model.data["config"]["values"])]
    assert sum(row["wanted"] is not None for row in rows) > 150
    same_in_the_script({"linears": rows}, tmp_path)


def plain(values):
    architecture = (values.get("architectures") or [None])[0]
    found = derive(values) if isinstance(derive(values), Unknown) else linears_of(values, architecture)
    return None if isinstance(found, Unknown) else [{name: value for name, value in asdict(one).items() if value is not MISSING} for one in found]
