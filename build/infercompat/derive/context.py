"""Facts of a config that are no layers: how long a context may be, how many tokens an image takes, how weights are stored."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from infercompat.derive.config import Config

MULTIPLYING, STATED = ("yarn", "linear", "dynamic"), ("llama3", "longrope", "su")
"""Rope methods whose factor multiplies the original length, and those that reach max_position_embeddings as it is written."""

NATIVE_DEFAULTS = {"gemma3_text": (131_072, "Gemma3TextConfig"), "gemma3": (131_072, "Gemma3TextConfig")}
"""Context lengths that published configs leave to their class (transformers models/gemma3/configuration_gemma3.py)."""

FORMAT_WORDS = {
    "fp8": "fp8",
    "fbgemm_fp8": "fp8",
    "mxfp4": "mxfp4",
    "awq": "awq",
    "gptq": "gptq",
    "gguf": "gguf",
    "nvfp4": "nvfp4",
    "nvfp4-pack-quantized": "nvfp4",
    "mxfp4-pack-quantized": "mxfp4",
    "float-quantized": "fp8",
    "int-quantized": "int8",
}
"""Words of quantization_config (quant_method, quant_algo, format) and the catalog's weight format for each."""


class Context(Struct, frozen=True):
    """Lengths in tokens. `native` is max_position_embeddings. `method`, `factor` and `original` describe rope scaling as written;
    `extended` is what the scaling reaches, None where that does not follow from the config."""

    native: int | None
    method: str | None = None
    factor: float | None = None
    original: int | None = None
    extended: int | None = None


def read_context(config: Config) -> Context:
    """Native length and rope scaling; a rope section for each layer type counts by that of full attention."""
    native, rope = _native(config), _rope(config)
    method = rope.get("rope_type") or rope.get("type")
    if method not in MULTIPLYING + STATED:
        return Context(native)
    factor, original = rope.get("factor"), rope.get("original_max_position_embeddings")
    factor = factor if isinstance(factor, (int, float)) and not isinstance(factor, bool) and 0 < factor < 1e9 else None
    original = original if type(original) is int and 0 < original < 1 << 48 else config.peek("original_max_position_embeddings")
    reached = int(original * factor) if original and factor else None
    extended = reached if method in MULTIPLYING else native
    return Context(native, method, factor, original, extended)


def _native(config: Config) -> int | None:
    stated = config.peek("max_position_embeddings")
    default, source = next((NATIVE_DEFAULTS[name] for name in config.names if name in NATIVE_DEFAULTS), (None, ""))
    if stated is not None or default is None:
        return stated
    config.use_default("max_position_embeddings", default, source)
    return default


def _rope(config: Config) -> dict[str, Any]:
    for name in ("rope_scaling", "rope_parameters"):
        rope = config.find(name)
        if isinstance(rope, dict):
            full = rope.get("full_attention")
            return full if isinstance(full, dict) else rope
    return {}


def image_tokens(config: Config) -> int | None:
    """Tokens that every image takes, for the families where that is fixed (transformers modeling_gemma3.py, modeling_gemma3n.py)."""
    fixed = config.anywhere("mm_tokens_per_image")
    return _count(config.anywhere("vision_soft_tokens_per_image") if "gemma3n" in config.names else fixed)


def most_image_tokens(config: Config) -> int | None:
    """The most tokens that an image takes, where the config states a budget (transformers processing_gemma4.py)."""
    return _count(config.anywhere("vision_soft_tokens_per_image"))


def _count(tokens: Any) -> int | None:
    return tokens if type(tokens) is int and 0 < tokens < 1 << 32 else None


def weight_format(config: Config) -> str | None:
    """How quantization_config says the weights are stored, in the catalog's words; None where it has no such word.

    The config's dtype is no answer: some quantized checkpoints describe themselves in a file of its own and keep bfloat16 here.
    """
    quantization = config.anywhere("quantization_config") or config.anywhere("quantization")
    if not isinstance(quantization, dict):
        return None
    if "quant_method" not in quantization and {"group_size", "bits"} <= quantization.keys():
        return "mlx"
    # The narrowest statement decides: quant_algo MIXED_PRECISION beside quant_method fp8 is no single format.
    word = next((quantization[name] for name in ("quant_algo", "format", "quant_method") if quantization.get(name)), None)
    if word == "pack-quantized":
        return _packed_word(quantization)
    return FORMAT_WORDS.get(word.lower()) if isinstance(word, str) else None


def _packed_word(quantization: dict[str, Any]) -> str | None:
    """Integers that compressed-tensors packs, by their bits; None where groups differ or have bits without a word."""
    groups = quantization.get("config_groups")
    weights = [group.get("weights") for group in groups.values() if isinstance(group, dict)] if isinstance(groups, dict) else []
    bits = [entry.get("num_bits") for entry in weights if isinstance(entry, dict)]
    alike = bits and all(type(count) is int and count == bits[0] for count in bits)
    return {4: "int4", 8: "int8"}.get(bits[0]) if alike else None
