"""Bytes of a cache: worked examples against figures found by hand, and what must hold for any layers."""

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.derive import Demands, Layer, cache_cost, derive
from infercompat.units import ELEMENT_BYTES

from . import configs

LENGTHS = (8192, 32768, 131072)

# Layers by kind; bytes a token if every layer that owns a cache grew; bytes a token past the windows; state bytes a sequence; bytes
# at the three lengths. bf16, ideal windows; the recurrent state in the dtype that stands last.
WORKED = {
    "gemma_2_2b": ({"full": 13, "sliding": 13}, 106_496, 53_248, 0, (654_311_424, 1_962_934_272, 7_197_425_664), None),
    "gemma_3_27b": ({"full": 10, "sliding": 52}, 507_904, 81_920, 0, (1_107_296_256, 3_120_562_176, 11_173_625_856), None),
    "gemma_3n_e2b": ({"full": 4, "sliding": 16, "shared": 10}, 40_960, 8_192, 0, (83_886_080, 285_212_672, 1_090_519_040), None),
    "gemma_4_31b": ({"full": 10, "sliding": 50}, 901_120, 81_920, 0, (1_509_949_440, 3_523_215_360, 11_576_279_040), None),
    "gpt_oss_120b": ({"full": 18, "sliding": 18}, 73_728, 36_864, 0, (306_708_480, 1_212_678_144, 4_836_556_800), None),
    "deepseek_v3": ({"latent": 61}, 70_272, 70_272, 0, (575_668_224, 2_302_672_896, 9_210_691_584), None),
    "llama_4_scout": ({"full": 12, "chunked": 36}, 196_608, 49_152, 0, (1_610_612_736, 2_818_572_288, 7_650_410_496), None),
    "mistral_7b_v0_1": ({"sliding": 32}, 131_072, 0, 0, (536_870_912, 536_870_912, 536_870_912), None),
    "command_r7b": ({"full": 8, "sliding": 24}, 131_072, 32_768, 0, (671_088_640, 1_476_395_008, 4_697_620_480), None),
    "qwen3_next_80b": ({"full": 12, "recurrent": 36}, 24_576, 24_576, 39_518_208, (240_844_800, 844_824_576, 3_260_743_680), "bf16"),
    "jamba_v0_1": ({"full": 4, "recurrent": 28}, 16_384, 16_384, 8_716_288, (142_934_016, 545_587_200, 2_156_199_936), "bf16"),
    "nemotron_h_8b": (
        {"full": 4, "recurrent": 24, "none": 24},
        16_384,
        16_384,
        51_806_208,
        (186_023_936, 588_677_120, 2_199_289_856),
        "bf16",
    ),
    "kimi_linear_48b": ({"latent": 7, "recurrent": 20}, 8_064, 8_064, 43_417_600, (109_477_888, 307_658_752, 1_100_382_208), "fp32"),
    "mimo_v2_flash": ({"full": 9, "sliding": 39}, 222_720, 23_040, 0, (214_302_720, 780_533_760, 3_045_457_920), None),
}


@pytest.mark.parametrize("model", WORKED)
def test_worked_examples(model):
    counts, growing, past_windows, state, totals, state_dtype = WORKED[model]
    derived = derive(configs.ALL[model])
    cost = derived.cost(state_dtype=state_dtype)
    owned = [layer for layer in derived.layers if layer.attends and not layer.shares]
    assert derived.counts() == counts
    assert sum(2 * sum(layer.entry.values()) for layer in owned) == growing
    assert cost.ideal.growing_bytes_per_token == past_windows
    assert cost.ideal.state_bytes_per_sequence == state
    assert tuple(map(cost.ideal_bytes, LENGTHS)) == totals


@pytest.mark.parametrize(("model", "state"), [("qwen3_next_80b", 77_266_944), ("jamba_v0_1", 16_056_320), ("nemotron_h_8b", 102_137_856)])
def test_worked_examples_with_the_state_in_fp32(model, state):
    assert derive(configs.ALL[model]).cost(state_dtype="fp32").ideal.state_bytes_per_sequence == state


def test_a_state_follows_the_config_then_the_code_then_the_model():
    assert derive(configs.QWEN3_NEXT_80B).cost().state_dtypes == ("bf16",)
    assert derive(configs.QWEN3_NEXT_80B | {"mamba_ssm_dtype": "float32"}).cost().state_dtypes == ("fp32",)
    assert derive(configs.KIMI_LINEAR_48B).cost().state_dtypes == ("fp32",)
    nemotron = derive(configs.NEMOTRON_H_8B).cost()
    assert nemotron.state_dtypes == ("fp32",)
    assert tuple(map(nemotron.ideal_bytes, LENGTHS)) == (236_355_584, 639_008_768, 2_249_621_504)


def test_naive_counts_shared_layers_and_expands_a_latent():
    assert derive(configs.GEMMA_3N_E2B).cost().naive.bytes_per_token == 61_440
    assert derive(configs.DEEPSEEK_V3).cost().naive.bytes_per_token == 61 * 128 * (192 + 128) * 2
    assert derive(configs.GEMMA_3_27B).cost().naive.bytes_per_token == 507_904


def test_naive_and_ideal_both_hold_the_state():
    cost = derive(configs.QWEN3_NEXT_80B).cost()
    assert cost.naive_bytes(8192) == cost.ideal_bytes(8192) == 240_844_800
    assert cost.overpay(8192) == 1


def test_whisper_holds_the_whole_audio_once():
    cost = derive(configs.WHISPER_LARGE_V3).cost()
    assert cost.ideal.growing_bytes_per_token == 32 * 2 * 1280 * 2
    assert cost.ideal.state_bytes_per_sequence == 32 * 2 * 1280 * 2 * 1500


def test_compressed_entries_grow_by_blocks_beside_the_window():
    cost = derive(configs.DEEPSEEK_V4_FLASH).cost()
    window, fours, hundreds = 43 * 128 * 512, 21 * (512 + 128), 20 * 512
    assert cost.ideal.window_bytes == 2 * window
    assert cost.ideal.growing_bytes_per_token == 2 * (fours / 4 + hundreds / 128)
    assert cost.ideal_bytes(8192) == 2 * (window + 2048 * fours + 64 * hundreds)
    assert cost.ideal_bytes(1) == 2 * (43 * 512 + fours + hundreds)


def test_each_part_may_have_a_dtype_of_its_own():
    layer = Layer("full", kv_heads=1, k_width=64, v_width=32)
    demands = Demands((layer,), {})
    assert cache_cost(demands, k="fp8").ideal.growing_bytes_per_token == 64 + 2 * 32
    assert cache_cost(demands, "q8_0", v="q4_0").ideal.growing_bytes_per_token == 68 + 18
    with pytest.raises(TypeError, match="no such part"):
        cache_cost(demands, values="fp8")


def test_a_quantized_cache_leaves_states_alone():
    layer = Layer("recurrent+full", 1, 64, 64, conv_elements=10, state_elements=100)
    cost = cache_cost(Demands((layer,), {}), "fp8")
    assert cost.ideal.growing_bytes_per_token == 128
    assert cost.ideal.state_bytes_per_sequence == 220


def test_bytes_are_rounded_up_once_at_the_end():
    demands = Demands((Layer("full", 1, 1, 0),) * 3, {})
    cost = cache_cost(demands, "q4_0")
    assert 3 * ELEMENT_BYTES["q4_0"] == Fraction(27, 16)
    assert cost.ideal.growing_bytes_per_token == 2
    assert cost.ideal_bytes(16) == 27


def test_nothing_needed_is_no_ratio():
    assert cache_cost(Demands((Layer("none"),), {})).overpay(100) is None


SIZES = st.integers(0, 4096)
WINDOWS = st.integers(1, 4096)
TOKENS = st.integers(0, 1 << 20)
HEADS = {"kv_heads": SIZES, "k_width": SIZES, "v_width": SIZES}


def attending() -> st.SearchStrategy[Layer]:
    sharing = st.booleans()
    full = st.builds(Layer, st.just("full"), shares=sharing, **HEADS)
    sliding = st.builds(Layer, st.sampled_from(["sliding", "chunked"]), window=WINDOWS, shares=sharing, **HEADS)
    expanding = st.builds(
        lambda heads, width, index, kind: Layer(kind, heads, width, width, latent_width=width, index_width=index),
        st.integers(1, 128),
        SIZES,
        SIZES,
        st.sampled_from(["latent", "indexed"]),
    )
    compressed = st.builds(lambda width, index, window: Layer("indexed", 1, width, width, window, width, index, compress_ratio=4), SIZES, SIZES, WINDOWS)
    return st.one_of(full, sliding, expanding, compressed)


def stateful() -> st.SearchStrategy[Layer]:
    states = {"conv_elements": SIZES, "state_elements": SIZES}
    recurrent = st.builds(Layer, st.sampled_from(["recurrent", "convolution"]), **states)
    both = st.builds(Layer, st.just("recurrent+full"), **HEADS, **states)
    return st.one_of(recurrent, both, st.builds(Layer, st.just("cross"), cross_tokens=SIZES, **HEADS), st.just(Layer("none")))


LAYERS = st.lists(st.one_of(attending(), stateful()), max_size=12).map(tuple)
DTYPES = st.sampled_from(sorted(ELEMENT_BYTES))


def of(layers, dtype="bf16"):
    return cache_cost(Demands(tuple(layers), {}), dtype)


@given(LAYERS, DTYPES, TOKENS, TOKENS)
def test_cost_is_no_less_than_nothing_and_grows_with_tokens(layers, dtype, some, more):
    cost = of(layers, dtype)
    assert 0 <= cost.ideal_bytes(some) <= cost.ideal_bytes(some + more)
    assert 0 <= cost.naive_bytes(some) <= cost.naive_bytes(some + more)


@given(st.lists(attending(), max_size=12), DTYPES, TOKENS)
def test_layers_that_attend_never_need_more_than_naive(layers, dtype, tokens):
    # A window may start with whole compressed entries, which are counted even when they are not full.
    slack = sum(4 * layer.latent_width + 4 * layer.index_width for layer in layers if layer.compress_ratio)
    cost = of(layers, dtype)
    assert cost.ideal_bytes(tokens) <= cost.naive_bytes(tokens) + 4 * slack


@given(LAYERS, LAYERS, TOKENS)
def test_cost_adds_over_layers(some, others, tokens):
    together, apart = of(some + others), (of(some), of(others))
    assert together.ideal_bytes(tokens) == sum(cost.ideal_bytes(tokens) for cost in apart)
    assert together.naive_bytes(tokens) == sum(cost.naive_bytes(tokens) for cost in apart)


@given(LAYERS, TOKENS)
def test_cost_is_linear_in_the_width_of_an_element(layers, tokens):
    assert of(layers, "fp32").ideal_bytes(tokens) == 2 * of(layers, "bf16").ideal_bytes(tokens)
    grown = [layer for layer in layers if not layer.state_elements and not layer.conv_elements]
    exact = Fraction(of(grown, "bf16").ideal_bytes(tokens), 2) * ELEMENT_BYTES["q4_0"]
    assert of(grown, "q4_0").ideal_bytes(tokens) == ceil(exact)


@given(LAYERS, st.integers(1 << 13, 1 << 20))
def test_past_the_windows_each_block_costs_the_growth(layers, tokens):
    cost = of(layers)
    growth = of(layers)._sum(lambda layer: layer.growth)
    assert cost.ideal_bytes(tokens + 128) - cost.ideal_bytes(tokens) == 128 * growth
