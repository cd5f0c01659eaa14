"""Bytes of one matrix in each format, by hand; the GGUF table against the gguf package."""

import gguf
import pytest

from infercompat.derive.weights import GGUF_BLOCKS
from infercompat.derive.weights import formats as f


def test_gguf_blocks_are_those_of_the_package():
    theirs = {kind.name: sizes for kind, sizes in gguf.GGML_QUANT_SIZES.items()}
    # Q8_1 is for activations and in no file; gguf 0.19 still has its old size, before the two scales were halved (ggml-common.h).
    assert {name: GGUF_BLOCKS.get(name) for name in theirs if name != "Q8_1"} == {name: s for name, s in theirs.items() if name != "Q8_1"}
    assert GGUF_BLOCKS["Q8_1"] == (32, 2 * 2 + 32)


BITS = [("Q4_0", 4.5), ("Q4_K", 4.5), ("Q5_K", 5.5), ("Q6_K", 6.5625), ("Q8_0", 8.5), ("MXFP4", 4.25), ("NVFP4", 4.5)]


@pytest.mark.parametrize(("name", "bits"), BITS)
def test_bits_a_weight_of_gguf_types(name, bits):
    assert f.gguf(name).bytes_of(10, 1024) == (10 * 1024 * bits / 8,) * 2


ONE_MATRIX = 256 * 384
"""Weights of the matrix that the cases below are worked out for."""


@pytest.mark.parametrize(
    ("format", "low", "high"),
    [
        (f.FP8_TENSOR, ONE_MATRIX + 4, ONE_MATRIX + 4),
        (f.fp8((0, 0), (4, 4), static=True), ONE_MATRIX + 8, ONE_MATRIX + 8),
        (f.FP8_CHANNEL, ONE_MATRIX + 256 * 2, ONE_MATRIX + 256 * 4),
        (f.fp8((128, 128), (2, 4)), ONE_MATRIX + 2 * 3 * 2, ONE_MATRIX + 2 * 3 * 4),
        (f.MXFP4, ONE_MATRIX * 17 // 32, ONE_MATRIX * 17 // 32),
        (f.NVFP4, ONE_MATRIX * 9 // 16 + 4, ONE_MATRIX * 9 // 16 + 8),
        (f.awq(4, 128), ONE_MATRIX // 2 + 256 * 3 * 2 + 256 * 3 // 2, ONE_MATRIX // 2 + 256 * 3 * 2 + 256 * 3 // 2),
        (f.gptq(4, 128), ONE_MATRIX // 2 + 256 * 3 * 5 // 2 + 384 * 4, ONE_MATRIX // 2 + 256 * 3 * 5 // 2 + 384 * 4),
        (f.gptq(8, 0), ONE_MATRIX + 256 * 3 + 384 * 4, ONE_MATRIX + 256 * 3 + 384 * 4),
        (f.packed(4, 32, symmetric=True), ONE_MATRIX // 2 + 256 * 12 * 2 + 16, ONE_MATRIX // 2 + 256 * 12 * 2 + 16),
        (f.packed(4, 32, symmetric=False), ONE_MATRIX // 2 + 256 * 12 * 5 // 2 + 16, ONE_MATRIX // 2 + 256 * 12 * 5 // 2 + 16),
        (f.int8(0), ONE_MATRIX + 256 * 2, ONE_MATRIX + 256 * 4),
        (f.mlx(4, 64), ONE_MATRIX // 2 + 256 * 6 * 4, ONE_MATRIX // 2 + 256 * 6 * 4),
        (f.mlx(8, 32, "mxfp8"), ONE_MATRIX + 256 * 12, ONE_MATRIX + 256 * 12),
    ],
    ids=lambda value: value.name if isinstance(value, f.Format) else "",
)
def test_bytes_of_a_matrix(format, low, high):
    assert format.bytes_of(256, 384) == (low, high)


def test_a_block_that_is_cut_off_has_a_scale_too():
    assert f.fp8((128, 128), (4, 4)).bytes_of(576, 7168) == (576 * 7168 + 5 * 56 * 4,) * 2
