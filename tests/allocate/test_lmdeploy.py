"""LMDeploy's PyTorch path: blocks of one width for all layers, counted as its executor counts them."""

from fractions import Fraction

import pytest

from infercompat.allocate import Request
from infercompat.allocate.lmdeploy import blocks
from infercompat.allocate.terms import Terms
from infercompat.derive import derive

from .configs import ARCHITECTURES, CONFIGS, GIB, ask, engine, sized

KERNEL = {"model.conv_kernel": 4}
QWEN = {"settings": KERNEL, "max_num_seqs": 128}


def lmdeploy(model, **request):
    return sized("lmdeploy-pytorch", "0.18.0", model, **{"architecture": ARCHITECTURES[model], **request})


def test_blocks_of_64_and_one_of_them_for_padding():
    answer = lmdeploy("llama-3.1-8b", available_bytes=20 * GIB)
    assert (answer.block_size, answer.bytes_per_block, answer.blocks) == (64, 64 * 131072, 2560)
    assert (answer.capacity_tokens, answer.longest) == (2559 * 64, 2558 * 64)
    assert answer.needed_bytes == 16 * 64 * 131072
    assert answer.resident(65) == 128 * 131072


def test_a_number_of_blocks_that_is_given_stands():
    assert lmdeploy("llama-3.1-8b", available_bytes=20 * GIB, settings={"setting.num_gpu_blocks": 100}).longest == 98 * 64
    assert lmdeploy("llama-3.1-8b", settings={"setting.num_gpu_blocks": 100}).blocks == 100


def test_without_memory_for_two_blocks_nothing_fits():
    answer = lmdeploy("llama-3.1-8b", available_bytes=1)
    assert (answer.blocks, answer.capacity_tokens, answer.longest) == (0, 0, 0)


@pytest.mark.parametrize(("dtype", "head"), [("fp8", 256), ("fp8_e5m2", 256), ("int8", 264), ("int4", 136), ("turbo_quant", 64 + 32 + 6)])
def test_quantized_blocks_have_scales_of_their_own(dtype, head):
    assert lmdeploy("llama-3.1-8b", cache_dtype=dtype).resident(64) == 32 * 8 * 64 * head


def test_parts_of_a_block_are_rounded_up():
    answer = lmdeploy("llama-3.1-8b", cache_dtype="int8", block_size=16, tensor_parallel=8)
    assert answer.bytes_per_block == 32 * (2 * 16 * 128 + 2 * 256)
    assert answer.groups[0].bytes_per_token == Fraction(answer.bytes_per_block, 16)


def test_heads_are_repeated_where_there_are_more_ranks():
    assert lmdeploy("llama-3.1-8b", tensor_parallel=16).resident(64) == 64 * 32 * 256 * 2


def test_a_window_frees_blocks():
    answer = lmdeploy("mistral-7b-v0.1", available_bytes=20 * GIB)
    assert answer.resident(32768) == 65 * 64 * 131072
    assert (answer.longest, answer.max_concurrency) == (None, None)
    assert answer.because == ("blocks that leave the window are freed",)


def test_a_window_frees_the_blocks_of_full_layers_too():
    answer = lmdeploy("gemma-2-2b")
    assert answer.resident(8192) == 65 * 64 * 26 * 4 * 512 * 2
    assert "all layers" in answer.because[0]


@pytest.mark.parametrize("model", ["gpt-oss-120b", "gemma-3-27b", "llama-4-scout"])
def test_windows_of_other_architectures_shorten_nothing(model):
    answer = lmdeploy(model)
    assert answer.groups[0].most is None and answer.groups[0].layers == CONFIGS[model]["num_hidden_layers"]
    assert "do not shorten" in answer.because[0]


def test_a_latent_is_on_every_rank_in_blocks_that_depend_on_a_library():
    answer = lmdeploy("deepseek-v3", tensor_parallel=8, available_bytes=40 * GIB)
    assert answer.resident(64) == 61 * 64 * 576 * 2
    assert answer.blocks is None and answer.missing == ("whether flash_mla is installed",)


@pytest.mark.parametrize(("asked", "step"), [(128, 32), (32, 32), (16, 16)])
def test_a_latent_starts_with_other_blocks_only_without_that_library(asked, step):
    assert lmdeploy("deepseek-v3", block_size=asked).bytes_per_block == 61 * step * 576 * 2


def test_sparse_attention_keeps_an_index_key_with_its_scale():
    assert lmdeploy("deepseek-v3.2").bytes_per_block == 61 * 64 * (576 * 2 + 132)
    assert lmdeploy("deepseek-v3.2", cache_dtype="fp8").bytes_per_block == 61 * 64 * (656 + 132)


def test_states_have_slots_beside_the_blocks():
    answer = lmdeploy("qwen3.5-9b", **QWEN)
    assert answer.state_bytes == 24 * (24576 // 3 * 4 + 524288) * 2
    assert answer.bytes_per_block == 8 * 64 * 4 * 512 * 2
    assert any("130 slots" in note for note in answer.notes)
    assert any("two slots more" in note for note in lmdeploy("qwen3.5-9b", settings=KERNEL).notes)


def test_states_in_fp32_and_with_drafts():
    wide = lmdeploy("qwen3.5-9b", settings={**KERNEL, "setting.fp32_mamba_ssm_dtype": True})
    assert wide.state_bytes == 24 * (32768 * 2 + 524288 * 4)
    drafted = lmdeploy("qwen3.5-9b", settings={**KERNEL, "speculation.method": "mtp"}, speculative_tokens=2)
    assert drafted.state_bytes == 24 * (8192 * 6 + 524288 * 3) * 2


def minicpm3():
    config = {
        "model_type": "minicpm3",
        "num_hidden_layers": 62,
        "num_attention_heads": 40,
        "num_key_value_heads": 40,
        "hidden_size": 2560,
        "kv_lora_rank": 256,
        "q_lora_rank": 768,
        "qk_nope_head_dim": 64,
        "qk_rope_head_dim": 32,
        "v_head_dim": 64,
        "max_position_embeddings": 32768,
    }
    data = engine("lmdeploy-pytorch")
    policy = data["cache_policies"][0]
    request = Request(derive(config), architecture="MiniCPM3ForCausalLM")
    return blocks(Terms(request, data["settings"], policy["parameters"], policy["algorithm"], policy["title"]))


def test_an_expanded_latent_keeps_all_heads_with_values_as_wide_as_keys():
    answer = minicpm3()
    assert answer.bytes_per_block == 62 * 64 * 40 * (96 + 96) * 2
    assert "not the latent" in answer.because[-1]


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v4-flash", {"architecture": "DeepseekV4ForCausalLM"}, "compressed"),
        ("gemma-4-e4b", {"architecture": "Gemma4ForConditionalGeneration"}, "share"),
        ("gemma-4-31b", {"architecture": "Gemma4ForConditionalGeneration"}, "one width"),
        ("mistral-7b-v0.1", {}, "model.architecture"),
        ("nemotron-nano-9b-v2", {}, "states"),
        ("qwen3.5-9b", {}, "model.conv_kernel"),
        ("deepseek-v3", {"cache_dtype": "int8"}, "latent in int8"),
        ("deepseek-v3.2", {"cache_dtype": "int8"}, "takes no int8"),
        ("deepseek-v3.2", {"block_size": 32}, "blocks of 64 only"),
        ("llama-3.1-8b", {"cache_dtype": "nvfp4"}, "quantization policies"),
        ("llama-3.1-8b", {"tensor_parallel": 3}, "evenly"),
        ("llama-3.1-8b", {"pipeline_parallel": 2}, "pipeline stages"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    answer = ask("lmdeploy-pytorch", "0.18.0", model, **request_)
    assert missing in " ".join((answer.reason, *answer.missing))


def test_heads_of_512_have_smaller_blocks():
    config = {"model_type": "llama", "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 512}
    data = engine("lmdeploy-pytorch")
    policy = data["cache_policies"][0]
    request = Request(derive({**config, "hidden_size": 2048, "max_position_embeddings": 4096}))
    answer = blocks(Terms(request, data["settings"], policy["parameters"], policy["algorithm"], policy["title"]))
    assert answer.block_size == 32
