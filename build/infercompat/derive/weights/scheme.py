"""Which tensors of a checkpoint are quantized, and how: what quantization_config says, in each of its dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from infercompat.derive.weights.formats import FP8_CHANNEL, FP8_TENSOR, MXFP4, MXFP8, NVFP4, Format, awq, fp8, gptq, int8, mlx, packed
from infercompat.derive.weights.names import Names
from infercompat.derive.weights.tensors import PARTS, Tensor

BLOCKS = frozenset({"attention", "mlp", "experts", "shared_experts"})
"""The matrices within the layers, routers aside: what every scheme quantizes unless told otherwise."""
LINEAR = BLOCKS | {"router", "output"}
IGNORE_FIELDS = ("ignore", "exclude_modules", "modules_to_not_convert", "ignored_layers")


class Scheme(Struct, frozen=True):
    """Formats with the modules they are for (None: all), the parts that are quantized at all, and the modules left alone."""

    groups: tuple[tuple[Names | None, Format], ...]
    parts: frozenset[str] = BLOCKS
    ignored: Names = field(default_factory=lambda: Names(()))

    def format_of(self, tensor: Tensor) -> Format | None:
        """The format of a tensor; None if it is left as it was."""
        if not self.groups or not tensor.is_matrix or tensor.part not in self.parts or tensor.name in self.ignored:
            return None
        return next((format for names, format in self.groups if names is None or tensor.name in names), None)

    @property
    def unread(self) -> list[str]:
        """Patterns that could not be read."""
        return [pattern for names in (self.ignored, *(names for names, _ in self.groups)) if names for pattern in names.unread]


def read_scheme(section: Mapping[str, Any]) -> Scheme | str:
    """The scheme of a quantization_config, or what of it is not worked out."""
    method, algorithm = section.get("quant_method"), section.get("quant_algo")
    ignored = Names(pattern for name in IGNORE_FIELDS for pattern in _list(section.get(name)))
    if method is None and {"group_size", "bits"} <= section.keys():
        return _mlx(section)
    if algorithm == "MIXED_PRECISION":
        return _mixed(section, ignored)
    if isinstance(section.get("config_groups"), Mapping):
        return _config_groups(section, ignored)
    if method == "mxfp4":
        return Scheme(((None, MXFP4),), frozenset({"experts"}), ignored)
    if method in ("awq", "gptq"):
        return _integers(section, ignored)
    format = _fp8(section) if method in ("fp8", "fbgemm_fp8") else _of_algorithm(algorithm, section)
    if format is None:
        named = next((word for word in (method, algorithm) if isinstance(word, str) and word), "its method")
        return f"{named[:40]} is not worked out"
    # A list that is there and does not name the output matrix has it quantized (quantizers/base.py get_modules_to_not_convert, transformers).
    return Scheme(((None, format),), BLOCKS | {"output"} if ignored.all else BLOCKS, ignored)


def _fp8(section: Mapping[str, Any]) -> Format | None:
    if section.get("quant_method") == "fbgemm_fp8":
        return FP8_CHANNEL
    block, static = section.get("weight_block_size"), section.get("activation_scheme") == "static"
    if block is None:
        return fp8((0, 0), (4, 4), static)
    if not (isinstance(block, list) and len(block) == 2 and all(_size(side) for side in block)):
        return None
    return fp8((block[0], block[1]), (1, 4) if section.get("scale_fmt") == "ue8m0" else (2, 4), static)


def _of_algorithm(algorithm: object, section: Mapping[str, Any]) -> Format | None:
    """ModelOpt's words (quantization/modelopt.py, vLLM)."""
    group = _size(section.get("group_size"))
    formats = {
        "FP8": fp8((0, 0), (4, 4), static=True),
        "FP8_PER_CHANNEL_PER_TOKEN": FP8_CHANNEL,
        "FP8_PB_WO": fp8((128, 128), (2, 4)),
        "NVFP4": NVFP4 if group in (0, 16) else None,
        "W4A16_NVFP4": NVFP4 if group in (0, 16) else None,
        "MXFP8": Format("mxfp8", 8, (1, 32), (1, 1)),
    }
    return formats.get(algorithm) if isinstance(algorithm, str) else None


def _integers(section: Mapping[str, Any], ignored: Names) -> Scheme | str:
    bits, group = _size(section.get("bits", section.get("w_bit"))), section.get("group_size", section.get("q_group_size"))
    if bits not in (2, 3, 4, 8) or not (group == -1 or _size(group)):
        return "its bits and group_size are not those of a known layout"
    if section.get("dynamic") or section.get("modules_in_block_to_quantize"):
        return "rules for single modules are not worked out"
    make = awq if section["quant_method"] == "awq" else gptq
    parts = BLOCKS | {"output"} if section.get("lm_head") is True else BLOCKS
    return Scheme(((None, make(bits, max(group, 0))),), parts, ignored)


def _mlx(section: Mapping[str, Any]) -> Scheme | str:
    """Every matrix with whole groups, the embedding too; entries by a module's name override (mlx_lm/utils.py quantize_model)."""
    modules = {name: entry for name, entry in section.items() if isinstance(entry, Mapping) or (entry is False and "." in name)}
    formats = {name: _mlx_format(section, entry) for name, entry in modules.items() if entry is not False}
    whole = _mlx_format(section, {})
    if whole is None or None in formats.values():
        return "its bits and group_size are not those of MLX"
    groups = tuple((Names([name]), format) for name, format in formats.items() if format)
    ignored = Names(name for name, entry in modules.items() if entry is False)
    return Scheme((*groups, (None, whole)), frozenset(PARTS), ignored)


def _mlx_format(section: Mapping[str, Any], entry: Mapping[str, Any]) -> Format | None:
    bits, group = (_size(entry.get(name, section.get(name))) for name in ("bits", "group_size"))
    mode = entry.get("mode", section.get("mode", "affine"))
    return mlx(bits, group, mode) if bits in (2, 3, 4, 5, 6, 8) and group in (16, 32, 64, 128) and isinstance(mode, str) else None


def _mixed(section: Mapping[str, Any], ignored: Names) -> Scheme | str:
    """ModelOpt's mixtures name the algorithm of each module that is quantized."""
    layers, names = section.get("quantized_layers"), {}
    for name, entry in layers.items() if isinstance(layers, Mapping) else ():
        format = _of_algorithm(entry.get("quant_algo"), entry) if isinstance(entry, Mapping) else None
        if format is None:
            return "an algorithm of its quantized_layers is not worked out"
        names.setdefault(format, []).append(name)
    if not names or section.get("quant_method") == "fp8":
        return "a mixture that does not name the algorithm of every module is not worked out"
    return Scheme(tuple((Names(modules), format) for format, modules in names.items()), LINEAR, ignored)


def _config_groups(section: Mapping[str, Any], ignored: Names) -> Scheme | str:
    """Groups of compressed-tensors, which ModelOpt writes as well; the latter never quantizes routers."""
    groups = []
    for group in section["config_groups"].values():
        group = group if isinstance(group, Mapping) else {}
        weights, targets = group.get("weights"), _list(group.get("targets", "Linear"))
        format = _of_weights(weights, group, section) if isinstance(weights, Mapping) else None
        if format is None:
            return "the weights of one of its config_groups are not worked out"
        groups.append((None if "Linear" in targets else Names(targets), format))
    theirs = "quant_algo" in section or isinstance(section.get("producer"), Mapping)
    # What is named goes before what is meant by its kind.
    ordered = sorted(groups, key=lambda group: group[0] is None)
    return Scheme(tuple(ordered), BLOCKS | {"output"} if theirs else LINEAR, ignored)


def _of_weights(weights: Mapping[str, Any], group: Mapping[str, Any], section: Mapping[str, Any]) -> Format | None:
    kind, strategy, block = (weights.get(name) for name in ("type", "strategy", "block_structure"))
    bits, size = (_size(weights.get(name)) for name in ("num_bits", "group_size"))
    word = group.get("format") or section.get("format") or ""
    if not isinstance(strategy, str | None):
        return None
    if kind == "float" and bits == 4:
        mx = "mxfp4" in str(word) or "uint8" in str(weights.get("scale_dtype"))
        return MXFP4 if mx and size == 32 else NVFP4 if size == 16 and not mx else None
    if kind == "float" and bits == 8 and strategy == "block" and isinstance(block, list) and len(block) == 2 and all(map(_size, block)):
        return fp8((block[0], block[1]), (2, 4))
    if kind == "float" and bits == 8 and not size:
        inputs = group.get("input_activations")
        static = isinstance(inputs, Mapping) and inputs.get("dynamic") is False
        return {None: fp8((0, 0), (4, 4), static), "tensor": fp8((0, 0), (2, 4), static), "channel": FP8_CHANNEL}.get(strategy)
    if kind == "int" and bits in (2, 3, 4, 8) and "pack" in str(word) and strategy in ("group", "channel"):
        return packed(bits, size if strategy == "group" else 0, weights.get("symmetric") is not False)
    if kind == "int" and bits == 8:
        return {"channel": int8(0), "tensor": int8(None)}.get(strategy)
    return None


LIGHTEST_AND_HEAVIEST: dict[str, tuple[Format, Format]] = {
    "fp8": (FP8_TENSOR, fp8((128, 128), (4, 4))),
    "mxfp4": (MXFP4, MXFP4),
    "mxfp8": (MXFP8, MXFP8),
    "nvfp4": (NVFP4, NVFP4),
    "awq": (awq(4, 0), awq(4, 32)),
    "gptq": (awq(4, 0), gptq(4, 32)),
    "int8": (int8(None), int8(0)),
    "int4": (awq(4, 0), gptq(4, 32)),
}
"""For a format whose scheme is not known: what it takes at least and at most where it is applied."""


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _size(value: object) -> int:
    """A positive whole number, else 0."""
    return value if type(value) is int and 0 < value < 1 << 32 else 0
