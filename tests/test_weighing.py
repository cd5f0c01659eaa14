"""Weights of catalog models: which checkpoint is meant, what sources state, and that stated bytes agree with what the format makes of the config."""

import pytest

from infercompat.derive import Unknown
from infercompat.derive.weights import weight_bytes
from infercompat.derive.weights.ranks import Split
from infercompat.records import Record
from infercompat.weighing import _values as values_of
from infercompat.weighing import checkpoint_of, rank_weights, split_of, stated, weights_of

CONFIG = {
    "model_type": "llama", "num_hidden_layers": 1, "hidden_size": 256, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 128,
    "intermediate_size": 512, "vocab_size": 256, "tie_word_embeddings": False, "torch_dtype": "bfloat16",
}  # fmt: skip
# Embedding and output 2·65,536; queries and output 2·65,536; keys and values 2·32,768; network 3·131,072; norms 3·256.
ELEMENTS = 131_072 + 131_072 + 65_536 + 393_216 + 768
CHECKPOINTS = [
    {"hub": "acme/tiny", "format": "bf16"},
    {"hub": "acme/tiny-fp8", "format": "fp8", "quantization": {"values": {"quant_method": "fp8", "weight_block_size": [128, 128]}, "cites": []}},
    {"hub": "acme/tiny-gguf", "format": "gguf", "type": "Q8_0", "bytes": {"value": 800_000, "digits": 500, "counts": "files", "cites": []}},
    {"hub": "acme/tiny-gguf", "format": "gguf", "type": "Q4_0"},
]


@pytest.fixture
def model():
    data = {"checkpoints": CHECKPOINTS, "config": {"values": CONFIG}, "parameters": {"total": ELEMENTS}}
    return Record("tiny", "model", data, None)


def test_a_checkpoint_is_named_by_its_hub_id_and_type(model):
    assert checkpoint_of(model, None) is CHECKPOINTS[0]
    assert checkpoint_of(model, "Acme/Tiny-FP8") is CHECKPOINTS[1]
    assert checkpoint_of(model, "acme/tiny-gguf") is CHECKPOINTS[2]
    assert checkpoint_of(model, "acme/tiny-gguf:q4_0") is CHECKPOINTS[3]
    assert checkpoint_of(model, "acme/other") is None


def test_a_source_has_the_last_word(model):
    assert (stated(CHECKPOINTS[2]).low, stated(CHECKPOINTS[2]).high) == (799_500, 800_500)
    assert stated(CHECKPOINTS[0]) is None
    assert weights_of(model, "acme/tiny-gguf").high == 800_500


def test_a_checkpoint_brings_its_own_quantization(model):
    quantized = 65_536 * 2 + 65_536 + 393_216
    scales = 4 + 2 + 2 + 4 + 3 * 8
    found = weights_of(model, "acme/tiny-fp8")
    assert found.high == quantized + 4 * scales + 2 * (ELEMENTS - quantized)


def test_a_checkpoints_quantization_stands_for_that_of_the_text_part():
    values = {"architectures": ["Tiny"], "text_config": {"model_type": "llama", "quantization_config": {"quant_method": "awq"}}}
    tiny = Record("tiny", "model", {"checkpoints": CHECKPOINTS, "config": {"values": values}}, None)
    assert values_of(tiny, CHECKPOINTS[1]) == {
        "architectures": ["Tiny"],
        "text_config": {"model_type": "llama"},
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    }
    assert values_of(tiny, CHECKPOINTS[0]) is values


def test_another_format_leaves_the_checkpoint_aside(model):
    assert weights_of(model, "acme/tiny-gguf", "bf16").bytes == 2 * ELEMENTS
    assert weights_of(model, None, "Q4_0").low == (ELEMENTS - 768 - 65_536) * 18 // 32 + 65_536 * 210 // 256 + 768 * 4
    assert isinstance(weights_of(model, "acme/other"), Unknown)
    assert isinstance(rank_weights(model, Split(), "acme/other"), Unknown)


def test_ranks_of_an_engine(model):
    assert rank_weights(model, Split(2)).bytes == 2 * ((ELEMENTS - 768 - 65_536) // 2 + 65_536 + 768)  # one KV head is on both


@pytest.mark.parametrize(
    ("engine", "facts", "expected"),
    [
        ("vllm", {}, Split(vocabulary_step=64, expands_latent=True, keeps_tables=True)),
        ("vllm", {"tensor_parallel": 4, "pipeline_parallel": 2}, Split(4, 2, vocabulary_step=64, expands_latent=True, keeps_tables=True)),
        ("vllm", {"speculation.method": "qwen3_5_mtp"}, Split(vocabulary_step=64, expands_latent=True, drafts=True, keeps_tables=True)),
        ("vllm", {"setting.mm_encoder_tp_mode": "data"}, Split(vocabulary_step=64, expands_latent=True, tower_whole=True, keeps_tables=True)),
        (
            "vllm",
            {"weights.format": "mxfp4", "hardware.class": "sm86"},
            Split(vocabulary_step=64, expands_latent=True, expert_step=(128, 256), keeps_tables=True),
        ),
        ("vllm", {"weights.format": "mxfp4", "hardware.class": "sm90"}, Split(vocabulary_step=64, expands_latent=True, keeps_tables=True)),
        (
            "vllm",
            {"weights.format": "mxfp4", "setting.moe_backend": "triton"},
            Split(vocabulary_step=64, expands_latent=True, expert_step=(64, 1), keeps_tables=True),
        ),
        ("sglang", {"expert_parallel": 8, "tensor_parallel": 8}, Split(8, expert=8, vocabulary_step=64, expands_latent=True)),
        ("tensorrt-llm", {"tensor_parallel": 2}, Split(2)),
        ("llama.cpp", {"tensor_parallel": 3}, Split(3, by_layer=True)),
        ("mlx-lm", {"tensor_parallel": None}, Split()),
    ],
)
def test_how_engines_cut(engine, facts, expected):
    assert split_of(engine, facts) == expected


NEAR = 0.01


def test_stated_bytes_agree_with_the_format_or_say_why(real):
    """Every checkpoint of the catalog whose bytes a source states, against its own config; headers and vocabulary are a percent at most."""
    told, held = 0, 0
    for model in real.catalog.of_kind("model"):
        for entry in model.data["checkpoints"]:
            found = stated(entry)
            told += found is not None
            made = weight_bytes(model.data.get("parameters", {}).get("total"), entry.get("type") or entry["format"], values_of(model, entry))
            if found is None or isinstance(made, Unknown) or "explanation" in entry["bytes"]:
                continue
            held += 1
            assert made.low * (1 - NEAR) <= found.high and found.low <= made.high * (1 + NEAR), entry["hub"]
    assert told >= 120
    assert held >= 35
