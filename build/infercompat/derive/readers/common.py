"""What readers share: the widths of attention heads, lists of layer kinds, and the end of a reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from infercompat.derive.config import ABSENT, Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.requirements import from_config, from_layers

FULL, SLIDING, CHUNKED, LINEAR = "full_attention", "sliding_attention", "chunked_attention", "linear_attention"
INDEXED, CONVOLUTION, HYBRID, HYBRID_SLIDING = "indexed_attention", "conv", "hybrid", "hybrid_sliding"
NO_MIXING = "mlp"

RENAMED = {
    "attention": FULL,
    "mamba": LINEAR,
    "deepseek_sparse_attention": INDEXED,
    "qwen_sparse_attention": INDEXED,
    "moe": NO_MIXING,
}
"""Older names of layer types (transformers configuration_utils.py), and the two that keep no cache (cache_utils.py) as one."""

Pattern = Callable[[int, int], str]
"""From a layer's index and the number of layers to its type."""


class Reader(Struct, frozen=True):
    """A reading function and the names it answers to, separated by blanks."""

    read: Callable[[Config], Demands | Unknown]
    model_types: str = ""
    architectures: str = ""


def demands(config: Config, layers: Iterable[Layer], own: Mapping[str, str] | None = None) -> Demands | Unknown:
    """The end of a reading: the layers with all that they, the config and the family (`own`) demand; Unknown if a field was missing."""
    if config.missing:
        return Unknown(tuple(config.missing), "the config lacks fields that decide the layers")
    layers = tuple(layers)
    requirements = {**from_layers(layers), **from_config(config), **(own or {})}
    return Demands(layers, requirements, tuple(config.defaults_used), tuple(config.notes))


def attention(config: Config, *, stated: str = "", kv_heads: int | None = None, head_dim: int | None = None, why: str = "") -> Layer:
    """A layer of full attention with the config's KV heads and head width.

    Null or absent KV heads are as many as query heads, a null or absent head width is hidden_size // num_attention_heads.
    `stated` names fields that must not be absent, as the class would put a number of its own there. `kv_heads` and `head_dim` are
    such numbers, named by `why`, for families whose published configs leave the fields out.
    """
    for name in stated.split():
        if config.find(name) is ABSENT:
            config.miss(name, None)
    if kv_heads is None:
        count = config.size("num_key_value_heads", lambda: config.size("num_attention_heads"), "one for each query head")
    else:
        count = config.size("num_key_value_heads", kv_heads, why)
    width = head_width(config) if head_dim is None else config.size("head_dim", head_dim, why, least=1)
    return Layer("full", kv_heads=count, k_width=width, v_width=width)


def windowed(full: Layer, tokens: int, kind: str = "sliding") -> Layer:
    """The same heads looking back over a window, or within a chunk, of so many tokens."""
    return replace(full, kind=kind, window=tokens)


def head_width(config: Config) -> int:
    """head_dim, or hidden_size // num_attention_heads where it is null or absent."""
    return config.size("head_dim", lambda: split_width(config), "hidden_size // num_attention_heads", least=1)


def split_width(config: Config) -> int:
    """hidden_size // num_attention_heads, whatever head_dim says."""
    return config.size("hidden_size") // config.size("num_attention_heads", least=1)


def layer_types(config: Config, pattern: Pattern | None = None, why: str = "", *, missing: str = "layer_types") -> list[str]:
    """The type of each layer: the config's list, else the pattern that the class `why` names would fill in.

    Without a pattern, as for families whose lists follow no rule, `missing` is the field that the config lacks.
    """
    count, listed = config.layer_count(), config.words("layer_types")
    if listed is None:
        if pattern is None:
            return config.miss(missing, [])
        listed = [pattern(index, count) for index in range(count)]
        config.use_default("layer_types", " + ".join(f"{listed.count(word)} {word}" for word in sorted(set(listed))), why)
    return [RENAMED.get(word, word) for word in config.per_layer(listed, count, "layer_types") if word is not None]


def one_full_in(period: int, at: int, other: str = SLIDING) -> Pattern:
    """A pattern with full attention where index % period == at."""
    return lambda index, count: FULL if index % period == at else other


def rotary_pattern(config: Config, with_rope: str, without: str, why: str) -> Pattern:
    """A pattern that follows no_rope_layers, 0 where a layer has no rotary embedding; without a list, one in no_rope_layer_interval."""
    if listed := config.sizes("no_rope_layers"):
        rotary = config.per_layer(listed, config.layer_count(), "no_rope_layers")
        return lambda index, count: with_rope if rotary[index] else without
    interval = config.size("no_rope_layer_interval", 4, why, least=1)
    return lambda index, count: with_rope if (index + 1) % interval else without


def assemble(config: Config, words: Sequence[str], layers: Mapping[str, Layer]) -> list[Layer]:
    """One layer for each word. A word that the family does not have is named as missing."""
    for word in sorted(set(words) - set(layers)):
        config.miss(f"layer_types (no layer of this family is {word[:40]!r})", None)
    return [layers[word] for word in words if word in layers]


def interleaved(config: Config, full: Layer, pattern: Pattern | None = None, why: str = "", *, window: int | None = None) -> list[Layer]:
    """Full and sliding layers of one width, in the order of layer_types or of a pattern; the window is sliding_window unless given."""
    words = layer_types(config, pattern, why)
    if window is None:
        window = config.size("sliding_window", least=1) if SLIDING in words else 0
    return assemble(config, words, {FULL: full, SLIDING: windowed(full, window)})
