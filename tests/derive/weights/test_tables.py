"""Tables of positions and keys that stand for values: sizes by hand, and starts of which logs print what loading took."""

import pytest

from infercompat.derive.config import Config
from infercompat.derive.weights.loaded import loaded_weights
from infercompat.derive.weights.ranks import Split
from infercompat.derive.weights.tables import position_tables
from infercompat.weighing import rank_weights, split_of

from . import shapes

GIB = 1 << 30


def test_one_table_for_all_layers_whole_on_every_rank():
    """131,072 positions of 128 in 16 bits."""
    config = shapes.LLAMA_3_1_8B | {"max_position_embeddings": 131072}
    assert position_tables(Config(config)) == 131072 * 128 * 2
    whole, eighth = (
        loaded_weights(8_030_261_248, "bf16", config, Split(ranks, vocabulary_step=64, keeps_tables=kept)) for ranks, kept in ((8, True), (8, False))
    )
    assert whole.low - eighth.low == 131072 * 128 * 2


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"rope_scaling": {"rope_type": "llama3"}}, 131072 * 256),
        ({"rope_scaling": {"rope_type": "yarn"}}, 0),
        ({"rope_scaling": {"type": "longrope"}}, 0),
        ({"rope_scaling": "odd"}, 0),
        ({"model_type": "cohere2"}, 0),
        ({"model_type": ["llama"], "architectures": ["LlamaForCausalLM"]}, 0),
    ],
)
def test_only_what_was_read_has_a_table(changes, expected):
    assert position_tables(Config(shapes.LLAMA_3_1_8B | {"max_position_embeddings": 131072} | changes)) == expected


@pytest.mark.parametrize(
    ("model", "checkpoint", "facts", "logged", "digits"),
    [
        ("llama-3.1-8b", None, {}, 14.9888, 0.00005),
        ("llama-3.2-3b", None, {}, 6.0160, 0.0006),
        ("gemma-4-26b-a4b", None, {}, 48.5, 0.05),
    ],
)
def test_logs_of_vllm(real, model, checkpoint, facts, logged, digits):
    found = rank_weights(real.catalog.follow(model), split_of("vllm", facts), checkpoint)
    assert found.low / GIB == pytest.approx(logged, abs=digits)


def test_keys_that_stand_for_values_are_held_twice(real):
    """Gemma 4 31B: ten layers of 4 heads of 512 under 5,376, and 262,144 positions of 256 and of 512."""
    model = real.catalog.follow("gemma-4-31b")
    plain, kept = (rank_weights(model, split_of(engine, {}), None, "bf16") for engine in ("sglang", "vllm"))
    assert kept.low - plain.low == 10 * 4 * 512 * 5376 * 2 + 262144 * 768 * 2
    halves = [rank_weights(model, split_of(engine, {"tensor_parallel": 8}), None, "bf16") for engine in ("sglang", "vllm")]
    assert halves[1].low - halves[0].low == 10 * 512 * 5376 * 2 + 262144 * 768 * 2


def test_gpt_oss_has_its_table_in_fp32(real):
    model = real.catalog.follow("gpt-oss-20b")
    plain, kept = (rank_weights(model, split_of(engine, {})) for engine in ("sglang", "vllm"))
    assert kept.low - plain.low == 131072 * 64 * 4
