"""llama.cpp: cells and buffers as its logs print them, at one commit."""

import pytest

from infercompat.allocate import Allocation, Request, allocate
from infercompat.derive import derive

from .configs import ask, engine, model, sized

MIB = 1 << 20
AT = "0c1e57098"


def buffers(name, architecture, **request):
    """MiB of the buffers of full and windowed layers, as printed."""
    answer = sized("llama.cpp", AT, name, architecture=architecture, **request)
    return [f"{(group.most or 0) * group.bytes_per_token / MIB + 0.0:.2f}" for group in answer.groups]


def test_gemma_3_27b_with_windowed_cells():
    # https://github.com/ggml-org/llama.cpp/pull/18720
    gemma = {"architecture": "Gemma3ForConditionalGeneration", "max_num_seqs": 1}
    assert buffers("gemma-3-27b", **gemma) == ["10240.00", "624.00"]
    assert sized("llama.cpp", AT, "gemma-3-27b", **gemma).figure("windowed_bytes") == 624 * MIB
    assert buffers("gemma-3-27b", settings={"setting.swa_full": True}, **gemma) == ["10240.00", "53248.00"]


def test_gemma_4_e4b_with_shared_layers():
    # https://github.com/qualcomm/GenieX/pull/1346
    gemma = {"architecture": "Gemma4ForConditionalGeneration", "max_num_seqs": 1, "max_model_len": 4096}
    assert buffers("gemma-4-e4b", settings={"setting.ubatch_size": 1024}, **gemma) == ["64.00", "60.00"]
    assert buffers("gemma-4-e4b", settings={"setting.swa_full": True}, **gemma) == ["64.00", "160.00"]


@pytest.mark.parametrize(("model", "slots", "line"), [("qwen3.5-9b", 1, "50.25 MiB"), ("qwen3.5-27b", 3, "448.88 MiB")])
def test_states_are_in_fp32(model, slots, line):
    # https://github.com/JamePeng/llama-cpp-python/issues/78 and https://github.com/ggml-org/llama.cpp/pull/23792
    assert sized("llama.cpp", AT, model, max_num_seqs=slots).log_lines()[-1].endswith(line)


def test_drafted_tokens_keep_snapshots_of_a_state():
    one, four = (sized("llama.cpp", AT, "qwen3.5-9b", settings={"speculation.method": method}) for method in ("ngram-mod", "draft-mtp"))
    assert four.state_bytes == 4 * one.state_bytes


def test_slots_share_the_cells_unless_their_number_is_given():
    gemma = {"architecture": "Gemma3ForConditionalGeneration", "max_model_len": 32768}
    shared, apart = sized("llama.cpp", AT, "gemma-3-27b", **gemma), sized("llama.cpp", AT, "gemma-3-27b", max_num_seqs=4, **gemma)
    assert [group.most for group in shared.groups] == [32768, 4 * 1024 + 512]
    assert [group.most for group in apart.groups] == [8192, 1024 + 512]
    assert (shared.capacity_tokens, apart.capacity_tokens) == (32768, 32768)


def test_lengths_are_padded():
    assert sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=1000).capacity_tokens == 1024


def test_block_types_count_with_their_scales():
    kinds = {"cache.k.dtype": "q8_0", "cache.v.dtype": "q4_0"}
    answer = sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=1024, settings=kinds)
    assert answer.reserved == 1024 * 32 * 1024 * (34 + 18) // 32


def test_a_latent_is_kept_as_keys_alone():
    assert sized("llama.cpp", AT, "deepseek-v3", max_model_len=256).reserved == 256 * 61 * 576 * 2


def test_values_are_as_wide_as_the_widest_without_flash_attention():
    off = {"setting.flash_attn": "off"}
    request = {"architecture": "Gemma4ForConditionalGeneration", "max_model_len": 4096}
    plain, wide = (sized("llama.cpp", AT, "gemma-4-31b", settings=settings, **request) for settings in ({}, off))
    assert [group.bytes_per_token for group in plain.groups] == [10 * 2 * (2048 + 2048), 50 * 2 * (4096 + 4096)]
    assert [group.bytes_per_token for group in wide.groups] == [10 * 2 * (2048 + 4096), 50 * 2 * (4096 + 4096)]


def test_a_graph_that_knows_no_windows_keeps_every_token():
    answer = sized("llama.cpp", AT, "mistral-7b-v0.1", architecture="MistralForCausalLM")
    assert [group.kind for group in answer.groups] == ["full"]
    assert "windows do not shorten the cache" in answer.because[0]


@pytest.mark.parametrize(
    ("name", "request_", "missing"),
    [
        ("gemma-3-27b", {}, "architecture"),
        ("deepseek-v3.2", {}, "index keys"),
        ("deepseek-v4-flash", {"architecture": "DeepseekV41ForCausalLM"}, "compressed"),
        ("llama-3.1-8b", {"cache_dtype": "odd"}, "odd"),
    ],
)
def test_what_cannot_be_told_is_unknown(name, request_, missing):
    assert missing in ask("llama.cpp", AT, name, **request_).reason


def test_a_draft_has_a_context_as_long():
    answer = sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=4096, draft=model("qwen3-235b-a22b"), draft_architecture="Qwen3MoeForCausalLM")
    assert answer.reserved == 512 * MIB + 4096 * 94 * 4 * 128 * 2 * 2
    quantized = {"setting.draft_cache_type_k": "q8_0", "setting.draft_cache_type_v": "q8_0"}
    answer = sized("llama.cpp", AT, "llama-3.1-8b", max_model_len=4096, draft=model("llama-3.1-8b"), settings=quantized)
    assert answer.reserved == 512 * MIB + 512 * MIB * 17 // 32


@pytest.mark.parametrize("version", ["e3546c794", AT])
def test_index_keys_have_cells_beside_the_latent(version):
    # 61 layers of a latent of 576 and an index key of 128, both kept once
    answer = sized("llama.cpp", version, "deepseek-v3.2", architecture="DeepseekV32ForCausalLM", max_model_len=4096)
    assert answer.reserved == 4096 * 61 * (576 + 128) * 2


def test_glm_was_converted_with_its_index_later_only():
    assert "not read" in ask("llama.cpp", "e3546c794", "deepseek-v3.2", architecture="GlmMoeDsaForCausalLM").reason
    assert sized("llama.cpp", AT, "deepseek-v3.2", architecture="GlmMoeDsaForCausalLM", max_model_len=4096).reserved


def test_states_alone_need_no_context():
    mamba = {"model_type": "mamba2", "num_hidden_layers": 2, "hidden_size": 64, "num_heads": 8, "head_dim": 16, "n_groups": 1, "state_size": 16}
    answer = allocate(engine("llama.cpp"), AT, Request(derive(mamba | {"conv_kernel": 4, "expand": 2}), max_num_seqs=2))
    # two layers: 128 + 2 x 16 channels by three columns, and eight heads of 16 by 16, in fp32
    assert isinstance(answer, Allocation) and answer.reserved == 2 * 2 * 4 * (160 * 3 + 8 * 16 * 16)
