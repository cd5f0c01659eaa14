"""ik_llama.cpp: cells as its logs print them, latents by mode, and what its source says where no log was found."""

import pytest

from infercompat.allocate import Allocation, Request, Unknown, allocate
from infercompat.derive import derive

from .configs import ask, engine, every, sized

MIB = 1 << 20
AT = "8337e4cd3"
LAGUNA = {
    "model_type": "laguna",
    "num_hidden_layers": 40,
    "num_attention_heads": 48,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "hidden_size": 2048,
    "sliding_window": 512,
    "layer_types": every(4, 0, "full_attention", "sliding_attention", 40),
    "max_position_embeddings": 131072,
}
DEEPSEEK = {"architecture": "DeepseekV3ForCausalLM"}
GEMMA = {"architecture": "Gemma3ForConditionalGeneration"}


@pytest.mark.parametrize(
    ("length", "settings", "printed"),
    [
        # https://github.com/ikawrakow/ik_llama.cpp/pull/473, a log of DeepSeek R1; the context is the one multiple of 256 that fits
        (80128, {}, "5369.91"),
        # https://github.com/ikawrakow/ik_llama.cpp/pull/616, a log of Kimi K2, whose layers and latents are as many and as wide
        (2048, {"k.dtype": "q8_0"}, "  72.91"),
        # https://github.com/ikawrakow/ik_llama.cpp/discussions/258, a log of DeepSeek V3 0324
        (32768, {}, "2196.00"),
        # 256 x 61 layers x 576 bytes, and 8 for the row
        (256, {"k.dtype": "q8_KV"}, f"{256 * 61 * 584 / MIB:7.2f}"),
        # modes 2 and 3 without flash attention keep the latent in the type of V: 32 x 61 x 576 x 2
        (32, {"k.dtype": "q8_0", "flash_attn": False}, f"{32 * 61 * 1152 / MIB:7.2f}"),
        # K of 192 and V of 128 for each of 128 heads
        (256, {"mla_use": 0}, f"{256 * 61 * 128 * 320 * 2 / MIB:7.2f}"),
    ],
)
def test_latents_by_mode(length, settings, printed):
    facts = {("cache." if name.endswith("dtype") else "setting.") + name: value for name, value in settings.items()}
    answer = sized("ik-llama.cpp", AT, "deepseek-v3", max_model_len=length, settings=facts, **DEEPSEEK)
    assert answer.log_lines() == (f"KV self size  = {printed} MiB",)


def test_block_types():
    # https://github.com/ikawrakow/ik_llama.cpp/issues/92: K (q8_0): 68.00 MiB, V (iq4_nl): 36.00 MiB
    kinds = {"cache.k.dtype": "q8_0", "cache.v.dtype": "iq4_nl"}
    answer = sized("ik-llama.cpp", AT, "llama-3.1-8b", max_model_len=2048, settings=kinds)
    assert answer.reserved == 104 * MIB
    # 26 bytes for 32 elements: 52 MiB where f16 takes 128
    assert sized("ik-llama.cpp", AT, "llama-3.1-8b", max_model_len=2048, settings={"cache.k.dtype": "q6_0"}).reserved == (52 + 128) * MIB


@pytest.mark.parametrize(("length", "printed"), [(32768, "15872.00"), (131072, "63488.00")])
def test_gemma_3_27b_as_logged(length, printed):
    # https://github.com/ikawrakow/ik_llama.cpp/discussions/334 and https://github.com/ikawrakow/ik_llama.cpp/issues/539
    answer = sized("ik-llama.cpp", AT, "gemma-3-27b", max_model_len=length, **GEMMA)
    assert answer.log_lines() == (f"KV self size  = {printed} MiB",)


def test_windows_keep_every_token():
    answer = sized("ik-llama.cpp", AT, "gemma-3-27b", max_model_len=8192, **GEMMA)
    assert answer.reserved == 62 * 16 * 2 * 128 * 2 * 8192
    assert answer.because == ("windows do not shorten the cache",)
    asked = sized("ik-llama.cpp", AT, "gemma-3-27b", max_model_len=8192, settings={"setting.swa_compress": True}, **GEMMA)
    assert asked.reserved == answer.reserved
    assert "ignored" in asked.because[0]


def test_shortened_layers_of_laguna():
    # window 512 and a micro-batch of 512, in whole 256: 1024 cells for 30 layers of 4096 bytes a token
    def ask_laguna(**more):
        request = Request(derive(LAGUNA), architecture="LagunaForCausalLM", max_model_len=8192, settings={"setting.swa_compress": True}, **more)
        return allocate(engine("ik-llama.cpp"), AT, request)

    answer = ask_laguna()
    assert isinstance(answer, Allocation)
    assert answer.reserved == (10 * 8192 + 30 * 1024) * 4096
    refused = ask_laguna(max_num_seqs=2)
    assert isinstance(refused, Unknown) and "one slot" in refused.reason


def test_states_are_in_fp32_and_multiply_by_slots():
    one, two = (
        sized("ik-llama.cpp", AT, "qwen3.5-9b", architecture="Qwen3_5ForConditionalGeneration", max_model_len=4096, max_num_seqs=slots) for slots in (1, 2)
    )
    state = 24 * (3 * 8192 + 32 * 128 * 128) * 4
    assert one.state_bytes == state
    assert (one.reserved, two.reserved) == (4096 * 8 * 2048 * 2 + state, 4096 * 8 * 2048 * 2 + 2 * state)


def test_contexts_are_padded_by_flash_attention():
    with_it, without = (sized("ik-llama.cpp", AT, "llama-3.1-8b", max_model_len=1000, settings={"setting.flash_attn": on}) for on in (True, False))
    assert (with_it.capacity_tokens, without.capacity_tokens) == (1024, 1024)
    assert sized("ik-llama.cpp", AT, "llama-3.1-8b", max_model_len=1030, settings={"setting.flash_attn": False}).capacity_tokens == 1056


@pytest.mark.parametrize(
    ("model", "request_", "missing"),
    [
        ("deepseek-v3", {"settings": {"setting.mla_use": 1, "setting.flash_attn": False}, **DEEPSEEK}, "mode 1"),
        ("deepseek-v3", {"settings": {"setting.mla_use": 4}, **DEEPSEEK}, "no mode 4"),
        ("deepseek-v3", {}, "converted"),
        ("deepseek-v3.2", {"architecture": "DeepseekV3ForCausalLM"}, "index keys"),
        ("kimi-linear-48b", {"architecture": "KimiLinearForCausalLM"}, "latents"),
        ("llama-3.1-8b", {"settings": {"cache.v.dtype": "q8_KV"}}, "q8_KV"),
        ("llama-3.1-8b", {"settings": {"cache.v.dtype": "q8_0", "setting.flash_attn": "off"}}, "flash attention"),
        ("llama-3.1-8b", {"settings": {"cache.k.dtype": "iq9"}}, "iq9"),
    ],
)
def test_what_cannot_be_told_is_unknown(model, request_, missing):
    assert missing in ask("ik-llama.cpp", AT, model, max_model_len=4096, **request_).reason
