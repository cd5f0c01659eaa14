"""Bytes of one matrix in each weight format, with what the format keeps beside the weights: scales, zero points, block headers."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from msgspec import Struct

Bounds = tuple[int, int]
"""The least and the most of a figure; alike where it is exact."""

PLAIN = {"fp32": 4, "bf16": 2, "fp16": 2}
"""Bytes a weight of the formats without scales."""

DTYPE_WORDS = {"float32": "fp32", "bfloat16": "bf16", "float16": "fp16"}


class Format(Struct, frozen=True):
    """How a matrix is stored. A scale of `scale_bytes` and a zero point of `zero_bits` serve `block` rows and columns of weights,
    0 for all of them; `tensor_bytes` come once a matrix and `column_bytes` once a column (of inputs)."""

    name: str
    bits: int
    block: tuple[int, int]
    scale_bytes: Bounds
    zero_bits: int = 0
    tensor_bytes: Bounds = (0, 0)
    column_bytes: int = 0

    def bytes_of(self, rows: int, columns: int) -> Bounds:
        """Bytes of a matrix; the bounds differ where the same config goes with scales of several widths."""
        high, wide = self.block
        scales = ceil(rows / (high or rows or 1)) * ceil(columns / (wide or columns or 1))
        base = ceil(rows * columns * self.bits / 8) + ceil(scales * self.zero_bits / 8) + columns * self.column_bytes
        low, most = (base + scales * scale + once for scale, once in zip(self.scale_bytes, self.tensor_bytes, strict=True))
        return low, most


def fp8(block: tuple[int, int], scales: Bounds, static: bool = False) -> Format:
    """8-bit floats. Scales of blocks are float32 or ue8m0 as transformers writes them (integrations/finegrained_fp8.py FP8Linear);
    published checkpoints also have bfloat16. A static activation scale is one more float32 a matrix."""
    return Format("fp8", 8, block, scales, tensor_bytes=(4, 4) if static else (0, 0))


FP8_TENSOR, FP8_CHANNEL = fp8((0, 0), (4, 4)), fp8((1, 0), (2, 4))

MXFP4 = Format("mxfp4", 4, (1, 32), (1, 1))
"""32 weights share a byte of exponent: 4.25 bits (integrations/mxfp4.py, transformers)."""

MXFP8 = Format("mxfp8", 8, (1, 32), (1, 1))
"""The same with 8 bits: 8.25 bits."""

NVFP4 = Format("nvfp4", 4, (1, 16), (1, 1), tensor_bytes=(4, 8))
"""16 weights share an fp8 scale: 4.5 bits; a float32 a tensor, and another where inputs are quantized (modelopt.py, vLLM)."""


def awq(bits: int, group: int) -> Format:
    """Integers with a half-precision scale and a zero point of the same width a group (quantization/auto_awq.py, vLLM)."""
    return Format("awq", bits, (1, group), (2, 2), zero_bits=bits)


def gptq(bits: int, group: int) -> Format:
    """As `awq`, and a 32-bit group index for each input (quantization/auto_gptq.py, vLLM)."""
    return Format("gptq", bits, (1, group), (2, 2), zero_bits=bits, column_bytes=4)


def packed(bits: int, group: int, symmetric: bool) -> Format:
    """Integers as compressed-tensors packs them: scales in the model's dtype and the shape in two int64 (compressed_tensors_wNa16.py, vLLM)."""
    return Format("packed integers", bits, (1, group), (2, 2), zero_bits=0 if symmetric else bits, tensor_bytes=(16, 16))


def int8(group: int | None) -> Format:
    """8-bit integers with a scale a row (group 0), a group, or a matrix (None)."""
    return Format("int8", 8, (0, 0) if group is None else (1, group), (2, 4))


def mlx(bits: int, group: int, mode: str = "affine") -> Format:
    """MLX quantization: a half-precision scale and bias a group; the floating-point modes have a scale of one byte (mlx_lm/utils.py)."""
    return Format(f"mlx {mode}", bits, (1, group), (4, 4) if mode == "affine" else (1, 1))


GGUF_BLOCKS: Mapping[str, tuple[int, int]] = {
    "F32": (1, 4), "F16": (1, 2), "BF16": (1, 2), "F64": (1, 8), "I8": (1, 1), "I16": (1, 2), "I32": (1, 4), "I64": (1, 8),
    "Q1_0": (128, 18), "Q2_0": (64, 18), "Q4_0": (32, 18), "Q4_1": (32, 20), "Q5_0": (32, 22), "Q5_1": (32, 24),
    "Q8_0": (32, 34), "Q8_1": (32, 36),
    "Q2_K": (256, 84), "Q3_K": (256, 110), "Q4_K": (256, 144), "Q5_K": (256, 176), "Q6_K": (256, 210), "Q8_K": (256, 292),
    "IQ1_S": (256, 50), "IQ1_M": (256, 56), "IQ2_XXS": (256, 66), "IQ2_XS": (256, 74), "IQ2_S": (256, 82),
    "IQ3_XXS": (256, 98), "IQ3_S": (256, 110), "IQ4_NL": (32, 18), "IQ4_XS": (256, 136),
    "TQ1_0": (256, 54), "TQ2_0": (256, 66), "MXFP4": (32, 17), "NVFP4": (64, 36),
}  # fmt: skip
"""Types of a GGUF tensor: weights a block and bytes a block, by the struct sizes asserted in ggml/src/ggml-common.h (llama.cpp)."""

GGUF_UNIFORM = ("F32", "F16", "BF16", "Q8_0")
"""File types whose matrices all have this one type; every other is a mixture that src/llama-quant.cpp (llama.cpp) decides."""


def gguf(name: str) -> Format:
    """A GGUF tensor type; rows are made of whole blocks."""
    weights, size = GGUF_BLOCKS[name]
    return Format(name, 0, (1, weights), (size, size))
