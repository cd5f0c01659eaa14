"""What the fullest rank loads, by hand: a decoder cut over ranks, towers, drafting layers, and what a stated total decides."""

import pytest

from infercompat.derive import Unknown
from infercompat.derive.config import Config
from infercompat.derive.weights import Weights
from infercompat.derive.weights.beside import draft_elements, drafts, tower_elements, tower_heads
from infercompat.derive.weights.count import tensors_of
from infercompat.derive.weights.loaded import loaded_weights
from infercompat.derive.weights.ranks import Split

from . import shapes

LLAMA = 8_030_261_248
# A tower of one layer: 2 wide, 3 in its network, 4 out of it, patches of 1, one frame, one colour, 5 places, four patches merged.
TOWER = {
    "hidden_size": 2, "intermediate_size": 3, "out_hidden_size": 4, "in_channels": 1, "temporal_patch_size": 1, "patch_size": 1,
    "num_position_embeddings": 5, "depth": 1, "num_heads": 4,
}  # fmt: skip
# Patches 2+2, places 10, layer 4·4+8 + 2·6+5 + 8, merger 4 + 64+8 + 32+4.
ELEMENTS = 4 + 10 + 16 + 8 + 12 + 5 + 8 + 4 + 72 + 36
DEEPSEEK = shapes.DEEPSEEK_V3 | {"num_nextn_predict_layers": 1}
SEEING = shapes.LLAMA_3_1_8B | {"vision_config": TOWER}


def stated(size: int) -> Weights:
    return Weights(size, size, "index")


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_a_plain_decoder_is_cut_but_for_its_norms(ranks):
    norms = 65 * 4096
    loaded = loaded_weights(LLAMA, "bf16", shapes.LLAMA_3_1_8B, Split(ranks, vocabulary_step=64))
    assert loaded.bytes == 2 * ((LLAMA - norms) // ranks + norms)


def test_keys_and_values_are_repeated_beyond_their_heads():
    norms, kv = 65 * 4096, 32 * 2 * 1024 * 4096
    loaded = loaded_weights(LLAMA, "bf16", shapes.LLAMA_3_1_8B, Split(16))
    assert loaded.bytes == 2 * ((LLAMA - norms - kv) // 16 + kv // 8 + norms)


def test_the_fullest_stage():
    # Of two stages the last has 16 layers, norm and output; the first the same layers and the input.
    layer = 2 * 4096 * 4096 + 2 * 1024 * 4096 + 3 * 4096 * 14336 + 2 * 4096
    loaded = loaded_weights(LLAMA, "bf16", shapes.LLAMA_3_1_8B, Split(pipeline=2))
    assert loaded.bytes == 2 * (16 * layer + 128256 * 4096 + 4096)


def test_a_cut_matrix_keeps_the_type_that_the_whole_one_has():
    # Q4_0 has 18 bytes for 32 weights of a row, and the output, whose rows are no blocks of Q6_K, Q8_0 with 34. On one of two ranks:
    embedding, output, qkv, out = 32 * 2 * 18, 32 * 2 * 34, 3 * 32 * 2 * 18, 64 * 1 * 18
    # Rows of 96 weights are three blocks of Q4_0; half a row, of 48, needs two of them.
    gate_up, down, norms = 2 * 48 * 2 * 18, 64 * 2 * 18, 3 * 64 * 4
    config = shapes.dense("llama", 1, 64, 2, 2, 96, 64, **shapes.UNTIED)
    assert loaded_weights(None, "q4_0", config, Split(2)).bytes == embedding + output + qkv + out + gate_up + down + norms


def test_a_second_copy_of_a_tied_matrix_is_not_loaded():
    elements = 1_235_814_400
    once = loaded_weights(elements, "bf16", shapes.LLAMA_3_2_1B, Split())
    twice = loaded_weights(elements + 128256 * 2048, "bf16", shapes.LLAMA_3_2_1B, Split())
    assert once.bytes == twice.bytes == 2 * elements


def test_gpt_oss_with_the_padding_of_marlin():
    """65.9651 GiB are logged (vLLM issue 23278); rope tables and workspaces are the tenth of a percent that is left."""
    inner, outer, experts = 2944, 3072, 36 * 128
    plain = 65_248_815_744
    weights = experts * 3 * (inner * outer - 2880 * 2880) * 17 // 32
    biases = experts * 2 * (2 * (inner - 2880) + outer - 2880)
    loaded = loaded_weights(116_829_156_672, "mxfp4", shapes.GPT_OSS_120B, Split(expert_step=(128, 256)))
    assert loaded.bytes == plain + weights + biases
    assert loaded.bytes / (1 << 30) == pytest.approx(65.9651, rel=0.002)


def test_drafting_layers_come_only_if_asked_for():
    text = 671_026_419_200
    without = loaded_weights(text + 1000, "fp8", DEEPSEEK, Split())
    alone = loaded_weights(text, "fp8", DEEPSEEK, Split())
    drafting = loaded_weights(text + 1000, "fp8", DEEPSEEK, Split(drafts=True))
    assert (without.low, without.high) == (alone.low, alone.high)
    assert (drafting.low - alone.low, drafting.high - alone.high) == (1000, 2000)


def test_deepseek_over_eight_ranks():
    """79.41 GiB are logged for Gaudi (vLLM fork for Gaudi, issue 809)."""
    loaded = loaded_weights(684_531_386_000, "fp8", DEEPSEEK, Split(8, vocabulary_step=64))
    assert loaded.high / (1 << 30) == pytest.approx(79.41, rel=0.002)
    expanded = loaded_weights(684_531_386_000, "fp8", DEEPSEEK, Split(8, vocabulary_step=64, expands_latent=True))
    assert expanded.low - loaded.low == 2 * 61 * 128 * 256 * 512 // 8


@pytest.mark.parametrize(("split", "share"), [(Split(1), 1), (Split(4), 4), (Split(8), 1), (Split(4, tower_whole=True), 1)])
def test_towers_are_cut_where_their_heads_allow(split, share):
    """Four heads are cut over four ranks and not over eight."""
    seeing = loaded_weights(LLAMA + ELEMENTS, "bf16", SEEING, split)
    blind = loaded_weights(LLAMA, "bf16", shapes.LLAMA_3_1_8B, split)
    assert seeing.low - blind.low == 2 * ELEMENTS // share


def test_a_tower_that_is_left_out():
    seeing = loaded_weights(LLAMA + ELEMENTS, "bf16", SEEING, Split(text_only=True))
    assert seeing.bytes == 2 * LLAMA


def test_a_stated_total_decides_between_bounds():
    # In FP8 the decoder takes from 1 to 2 bytes a weight; the stated total says where, and halves are halves of it.
    bounds = loaded_weights(None, "fp8", shapes.LLAMA_3_1_8B, Split())
    middle = (bounds.low + bounds.high) // 2
    assert loaded_weights(LLAMA, "fp8", shapes.LLAMA_3_1_8B, Split(), stated(middle)).bytes == pytest.approx(middle, abs=2)
    two = loaded_weights(LLAMA, "fp8", shapes.LLAMA_3_1_8B, Split(2), stated(middle))
    assert two.bytes == pytest.approx(middle / 2, rel=0.001)


def test_what_is_not_known_is_cut_evenly_and_says_so():
    loaded = loaded_weights(None, "mlx", shapes.LLAMA_3_1_8B, Split(2), stated(4_000_000_000))
    assert (loaded.bytes, loaded.notes[-1]) == (2_000_000_000, "cut evenly over 2 ranks: how mlx weights are laid out is not given")
    assert isinstance(loaded_weights(None, "mlx", shapes.LLAMA_3_1_8B, Split(2)), Unknown)
    small = loaded_weights(1000, "bf16", shapes.LLAMA_3_1_8B, Split(4))
    assert (small.bytes, small.notes[-1]) == (500, "cut evenly over 4 ranks: the config describes more than that")


def test_layers_that_the_list_of_kinds_alone_tells_are_cut_like_others():
    sizes = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "intermediate_size": 128, "vocab_size": 100}
    config = {"model_type": "llama", "layer_types": ["full_attention"] * 5, "tie_word_embeddings": True, **sizes}
    layer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 64 * 128 + 2 * 64
    # llama.cpp cuts five layers and the output by equal shares: three layers on the first device.
    assert loaded_weights(None, "bf16", config, Split(2, by_layer=True)).bytes == 2 * 3 * layer


def test_a_format_that_nobody_names_is_unknown():
    unknown = loaded_weights(None, None, {**shapes.LLAMA_3_1_8B, "torch_dtype": None}, Split())
    assert (unknown.missing, unknown.reason) == (
        ("weight_format", "torch_dtype"),
        "neither the format nor the config says how weights are stored",
    )


def test_towers_and_drafting_heads_are_counted():
    assert tower_elements(Config(SEEING)) == ELEMENTS
    assert tower_heads(Config(SEEING)) == 4
    assert tower_elements(Config(shapes.LLAMA_3_1_8B)) is None
    assert tower_elements(Config({"vision_config": TOWER | {"depth": "one"}})) is None
    assert drafts(Config(DEEPSEEK)) and not drafts(Config(shapes.LLAMA_3_1_8B))
    assert draft_elements(Config(DEEPSEEK), tensors_of(DEEPSEEK)) is None
