// @ts-check
// infercompat/derive/weights/formats.py: how a matrix is stored in each weight format, with what the format keeps beside the weights.

/** Bits, rows and columns of a block, bytes of a scale at least and at most, bits of a zero point, bytes a matrix, bytes a column. @typedef {import("../../weights.js").Format} Format */
/** @typedef {[number, number]} Bounds */

/** Bytes a weight of the formats without scales. @type {Record<string, number>} */
export const PLAIN = { fp32: 4, bf16: 2, fp16: 2 };
/** @type {Record<string, string>} */
export const DTYPE_WORDS = { float32: "fp32", bfloat16: "bf16", float16: "fp16" };

/** @param {number} bits @param {Bounds} block @param {Bounds} scales @param {{zeroBits?: number, once?: Bounds, column?: number}} [more] @returns {Format} */
function format(bits, block, scales, { zeroBits = 0, once = [0, 0], column = 0 } = {}) {
  return [bits, ...block, ...scales, zeroBits, ...once, column];
}

/** 8-bit floats with scales of several widths. A static activation scale is one more float32 a matrix. @param {Bounds} block @param {Bounds} scales @param {boolean} [isStatic] */
export function fp8(block, scales, isStatic = false) {
  return format(8, block, scales, { once: isStatic ? [4, 4] : [0, 0] });
}

export const FP8_TENSOR = fp8([0, 0], [4, 4]);
export const FP8_CHANNEL = fp8([1, 0], [2, 4]);
/** 32 weights share a byte of exponent. */
export const MXFP4 = format(4, [1, 32], [1, 1]);
export const MXFP8 = format(8, [1, 32], [1, 1]);
/** 16 weights share an fp8 scale; a float32 a tensor, and another where inputs are quantized. */
export const NVFP4 = format(4, [1, 16], [1, 1], { once: [4, 8] });

/** Integers with a half-precision scale and a zero point of the same width a group. @param {number} bits @param {number} group */
export function awq(bits, group) {
  return format(bits, [1, group], [2, 2], { zeroBits: bits });
}

/** The same, and a 32-bit group index for each input. @param {number} bits @param {number} group */
export function gptq(bits, group) {
  return format(bits, [1, group], [2, 2], { zeroBits: bits, column: 4 });
}

/** Integers as compressed-tensors packs them, with the shape in two int64. @param {number} bits @param {number} group @param {boolean} symmetric */
export function packed(bits, group, symmetric) {
  return format(bits, [1, group], [2, 2], { zeroBits: symmetric ? 0 : bits, once: [16, 16] });
}

/** 8-bit integers with a scale a row (group 0), a group, or a matrix (null). @param {number | null} group */
export function int8(group) {
  return format(8, group === null ? [0, 0] : [1, group], [2, 4]);
}

/** MLX: a half-precision scale and bias a group; the floating-point modes have a scale of one byte. @param {number} bits @param {number} group @param {string} [mode] */
export function mlx(bits, group, mode = "affine") {
  return format(bits, [1, group], mode === "affine" ? [4, 4] : [1, 1]);
}

/** Types of a GGUF tensor: weights a block and bytes a block. @type {Record<string, Bounds>} */
export const GGUF_BLOCKS = {
  ...{ F32: [1, 4], F16: [1, 2], BF16: [1, 2], F64: [1, 8], I8: [1, 1], I16: [1, 2], I32: [1, 4], I64: [1, 8] },
  ...{ Q1_0: [128, 18], Q2_0: [64, 18], Q4_0: [32, 18], Q4_1: [32, 20], Q5_0: [32, 22], Q5_1: [32, 24], Q8_0: [32, 34], Q8_1: [32, 36] },
  ...{ Q2_K: [256, 84], Q3_K: [256, 110], Q4_K: [256, 144], Q5_K: [256, 176], Q6_K: [256, 210], Q8_K: [256, 292] },
  ...{ IQ1_S: [256, 50], IQ1_M: [256, 56], IQ2_XXS: [256, 66], IQ2_XS: [256, 74], IQ2_S: [256, 82] },
  ...{ IQ3_XXS: [256, 98], IQ3_S: [256, 110], IQ4_NL: [32, 18], IQ4_XS: [256, 136] },
  ...{ TQ1_0: [256, 54], TQ2_0: [256, 66], MXFP4: [32, 17], NVFP4: [64, 36] },
};

/** A GGUF tensor type; rows are made of whole blocks. @param {string} name */
export function gguf(name) {
  const [weights, size] = GGUF_BLOCKS[name];
  return format(0, [1, weights], [size, size]);
}
