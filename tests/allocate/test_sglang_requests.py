"""SGLang: requests at once, and the pool of recurrent states that caps them; caps as public logs print them."""

from fractions import Fraction

import pytest

from .configs import ARCHITECTURES, GIB, model, sized

QWEN = {"architecture": "Qwen3_5ForConditionalGeneration"}
STATE = 48 * (10240 * 3 * 2 + 48 * 128 * 128 * 4)
"""Bytes of the states of Qwen3.5 27B on one rank."""


def qwen(**request):
    settings = request.pop("settings", {})
    return sized("sglang", "0.5.23", "qwen3.5-27b", **{"available_bytes": 30 * GIB, **QWEN, "settings": settings, **request})


@pytest.mark.parametrize(("slots", "strategy", "most"), [(47, "auto", 9), (64, "extra_buffer", 12), (64, "extra_buffer_lazy", 16), (40, "no_buffer", 13)])
def test_caps_of_logs(slots, strategy, most):
    # 47 / 5 = 9: sgl-project/sglang issue 38846; 64 / 5 = 12 and 64 / 4 = 16: MiaAI-Lab/Qwen3.8-27B-SGLang-DGX-Spark issue 7
    answer = qwen(settings={"setting.max_mamba_cache_size": slots, "setting.mamba_radix_cache_strategy": strategy})
    assert answer.most_requests == most
    assert f"max_running_requests is capped to {most} by the mamba state cache (max_mamba_cache_size={slots}, " in answer.log_lines()[-1]


def test_what_is_asked_for_stands_below_the_cap():
    assert qwen(max_num_seqs=4).most_requests == 4
    assert qwen(max_num_seqs=8, settings={"setting.attn_dp_size": 2}).most_requests == 4


def test_without_cached_prefixes_a_request_has_one_slot():
    answer = qwen(max_num_seqs=20, settings={"prefix_caching": False})
    assert answer.most_requests == 20
    assert answer.capacity_tokens == (30 * GIB - 21 * STATE) // (16 * 4 * 512 * 2)


def test_other_architectures_have_three_slots_and_no_overlap_four():
    assert qwen(architecture="Lfm2ForCausalLM", settings={"setting.max_mamba_cache_size": 30}).most_requests == 10
    assert qwen(settings={"setting.max_mamba_cache_size": 40, "async_scheduling": False}).most_requests == 13
    assert qwen(settings={"setting.max_mamba_cache_size": 40, "async_scheduling": False}, block_size=16).most_requests == 10


def test_drafted_tokens_keep_states_of_their_own():
    # 4 drafted tokens: (9/19 of the memory - 5 states) / (1 + 4/5) states are slots; then 48 requests or a fifth of the slots, and one, keep 4
    answer = qwen(speculative_tokens=4, settings={"speculation.method": "NEXTN", "model.draft_layers": 1})
    slots = int((Fraction(30 * GIB * 9, 19) - 5 * STATE) / (Fraction(9, 5) * STATE))
    rest = 30 * GIB - (slots // 5 + 1) * 4 * STATE - (slots + 1) * STATE
    assert answer.most_requests == slots // 5
    assert answer.capacity_tokens == rest // (17 * 4 * 512 * 2)
    assert qwen(settings={"speculation.method": "NEXTN"}).missing == ("speculation.tokens",)


def test_tokens_and_lengths_bound_requests():
    # 8,192 tokens of llama 3.1 8B in 1 GiB: half of them, within 2,048 to 4,096
    request = {"architecture": ARCHITECTURES["llama-3.1-8b"], "available_bytes": GIB}
    assert sized("sglang", "0.5.23", "llama-3.1-8b", max_model_len=8192, **request).most_requests == 2048
    assert sized("sglang", "0.5.23", "llama-3.1-8b", max_model_len=16, **request).most_requests == 4096
    answer = sized("sglang", "0.5.23", "llama-3.1-8b", max_model_len=2048, max_num_seqs=3, **request)
    assert (answer.most_requests, answer.max_concurrency) == (3, 3)


def test_a_draft_is_counted_as_wide_as_the_target():
    request = {"architecture": ARCHITECTURES["llama-3.1-8b"], "available_bytes": 33 * GIB, "speculative_tokens": 4}
    eagle = {"speculation.method": "EAGLE3"}
    answer = sized("sglang", "0.5.23", "llama-3.1-8b", draft=model("gpt-oss-120b"), settings={"speculation.method": "STANDALONE"}, **request)
    assert answer.capacity_tokens == 33 * GIB * 32 // (131072 * 68)
    assert sized("sglang", "0.5.23", "llama-3.1-8b", settings=eagle, **request).missing == ("the layers that draft",)


def test_an_older_release_was_not_read_for_requests():
    assert sized("sglang", "0.5.20", "llama-3.1-8b", architecture="LlamaForCausalLM", available_bytes=GIB).most_requests is None


def test_no_memory_holds_no_request():
    answer = qwen(available_bytes=1)
    assert (answer.capacity_tokens, answer.most_requests, answer.max_concurrency) == (0, 0, 0)
