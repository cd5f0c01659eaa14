"""Allocations: what a sequence holds, and what is true of every engine and model that an allocation is known for."""

from fractions import Fraction
from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from infercompat.allocate import Allocation, Group
from infercompat.allocate.allocation import gathered

from .configs import ARCHITECTURES, ask, model, sized

VERSIONS = {
    "vllm": ("0.13.0", "0.14.0", "0.20.0", "0.23.0", "0.28.0", "0.33.0"),
    "sglang": ("0.5.18", "0.5.23"),
    "llama.cpp": ("4df29be4f", "0c1e57098"),
    "ollama": ("0.32.15",),
    "mlx-lm": ("0.32.2",),
    "transformers": ("5.24.0",),
    "tensorrt-llm": ("1.3.0rc26",),
}
RESERVING = ("vllm", "sglang", "llama.cpp", "ollama")
SPREADING = ("vllm", "sglang", "transformers", "tensorrt-llm")
FIXED = {"max_num_batched_tokens": 2048, "settings": {"hardware.class": "sm80", "hardware.memory_bytes": 80 << 30, "setting.num_batch": 512}}


def known(names):
    """Engines, versions and models with an allocation on one rank, and what is asked; found when a test first draws, not while tests are listed."""
    cases = [(name, version, key) for name in names for version in VERSIONS[name] for key in ARCHITECTURES]
    return st.deferred(lambda: st.sampled_from([case for case in cases if is_known(*case)]))


@cache
def is_known(*case):
    return isinstance(asked(*case), Allocation)


def asked(name, version, key, **request):
    return ask(name, version, key, architecture=ARCHITECTURES[key], **FIXED, **request)


def ideal(name, key, tokens):
    """What the layers need, with index keys in fp8 and states in 16 bits for the engines that store them so."""
    smaller = {"index": "fp8"} if name in ("vllm", "sglang", "tensorrt-llm") else {}
    smaller |= {"state_dtype": "bf16"} if name == "tensorrt-llm" else {}
    return model(key).cost(**smaller).ideal_bytes(tokens)


LENGTHS = st.integers(1, 300_000)


def test_a_group_takes_whole_steps_up_to_its_most():
    group = Group("sliding", 2, Fraction(5, 2), step=16, most=48)
    assert [group.tokens(count) for count in (0, 1, 16, 17, 48, 1000)] == [0, 16, 16, 32, 48, 48]
    assert group.resident(1) == 40


def test_what_is_held_is_rounded_up_once():
    groups = (Group("full", 1, Fraction(1, 3)), Group("full", 1, Fraction(1, 3)))
    assert Allocation("some/1", "Some", groups, state_bytes=10).resident(1) == 11


def test_layers_are_gathered_by_kind_and_length():
    one = [("full", None, Fraction(2)), ("sliding", 8, Fraction(3)), ("full", None, Fraction(4))]
    assert gathered(one, 4) == (Group("full", 2, Fraction(6), 4), Group("sliding", 1, Fraction(3), 4, 8))


@given(known(VERSIONS), LENGTHS, LENGTHS)
def test_more_tokens_hold_as_much_or_more(case, fewer, more):
    answer = asked(*case)
    fewer, more = sorted((fewer, more))
    assert answer.state_bytes <= answer.resident(fewer) <= answer.resident(more)


@given(known(VERSIONS), LENGTHS)
def test_nothing_is_below_what_the_layers_need(case, tokens):
    tokens = min(tokens, model(case[2]).context.native)
    answer = asked(*case, max_model_len=tokens)
    # Transformers keeps one token less of a window than the layer sees, since the newest is at hand (the module says so).
    newest = sum(layer.kv_heads * (layer.k_width + layer.v_width) * 2 for layer in model(case[2]).layers if layer.window)
    assert answer.resident(tokens) + newest * (case[0] == "transformers") >= ideal(case[0], case[2], tokens)


@given(known(RESERVING), LENGTHS)
def test_what_is_reserved_holds_one_request(case, tokens):
    tokens = min(tokens, model(case[2]).context.native)
    answer = asked(*case, max_model_len=tokens)
    assert answer.reserved >= ideal(case[0], case[2], tokens)


@given(known(RESERVING), LENGTHS, LENGTHS)
def test_longer_requests_reserve_as_much_or_more(case, fewer, more):
    fewer, more = sorted((fewer, more))
    shorter, longer = (asked(*case, max_model_len=length) for length in (fewer, more))
    assert shorter.reserved <= longer.reserved
    assert (shorter.needed_bytes or 0) <= (longer.needed_bytes or 0)


@given(known(SPREADING), LENGTHS, st.sampled_from([2, 4, 8, 16, 32]))
def test_ranks_together_hold_as_much_as_one_or_more(case, tokens, ranks):
    alone, one = asked(*case), asked(*case, tensor_parallel=ranks)
    if isinstance(one, Allocation):
        assert one.resident(tokens) * ranks >= alone.resident(tokens)
        assert one.resident(tokens) <= alone.resident(tokens) or one.block_size != alone.block_size


@given(st.sampled_from([("vllm", "0.33.0"), ("sglang", "0.5.23"), ("transformers", "5.24.0")]), st.sampled_from([2, 4, 8]), LENGTHS)
def test_every_rank_keeps_the_latent(engine, ranks, tokens):
    assert sized(*engine, "deepseek-v3", tensor_parallel=ranks).resident(tokens) == sized(*engine, "deepseek-v3").resident(tokens)


@given(st.sampled_from([("vllm", "0.33.0"), ("sglang", "0.5.23"), ("transformers", "5.24.0")]), st.sampled_from([16, 32]), LENGTHS)
def test_more_ranks_than_heads_keep_one_head_each(engine, ranks, tokens):
    most = sized(*engine, "llama-3.1-8b", tensor_parallel=8)
    assert sized(*engine, "llama-3.1-8b", tensor_parallel=ranks).resident(tokens) == most.resident(tokens)


@given(known(("vllm", "sglang")), st.integers(1, 80))
def test_more_memory_holds_as_many_tokens_or_more(case, gib):
    less, more = (asked(*case, available_bytes=size << 30) for size in (gib, gib + 1))
    assert (less.capacity_tokens or 0) <= (more.capacity_tokens or 0)
    assert less.needed_bytes == more.needed_bytes
