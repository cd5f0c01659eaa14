"""The quantities that a model's notes may name, how each is written, and what the record gives for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from infercompat.rules.numbers.sentences import Sentence, contexts_in
from infercompat.rules.numbers.subject import Figure, Subject

SIZES = {"B": 1, "byte": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_MANY = {"B": 10**9, "billion": 10**9, "M": 10**6, "million": 10**6}
_ORDINALS = {word: number for number, word in enumerate("second third fourth fifth sixth seventh eighth ninth tenth".split(), start=2)}
_KINDS = {"full": "full", "global": "full", "sliding": "sliding", "windowed": "sliding", "local": "sliding"}

_N = r"(?<![\w.,:/#*×+^$€])(?<![*×·+/^x-] )(?<!\bto )(?<!\bor )(?<![\w)]-)(?P<n>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.[0-9]{1,6})?)"
_IS = r"(?:\s+of|\s+is|\s*=|:)?\s+"
_KIND = r"(?P<kind>full|global|sliding|windowed|local)(?:[-_ ]attention)?"
_CACHE = re.compile(r"\b(?:cach\w+|KV|naive|effective|ideal|overpay|every layer|all layers|layers need|resident)\b", re.IGNORECASE)
_NO_CACHE = re.compile(r"\b(?:weights?|parameters|checkpoints?|files?|VRAM|RAM|(?:shared|host|GPU|card) memory|workspace|GB)\b")
_ONE_LAYER = re.compile(r"\b(?:an?|per|each|one|full|global|sliding|windowed|local)\s+layer\b|/layer")
_OVERPAY = re.compile(r"\b(?:overpays?|naive|effective|every layer|all layers|in full|too much)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Quantity:
    """How a quantity is written (`n` its number, `unit` a unit that a placeholder prints too) and the figures that it may be."""

    pattern: re.Pattern
    figures: Callable[[Subject, re.Match, Sentence], list[Figure]]
    scales: Mapping[str, int] = field(default_factory=dict)
    images: bool = False


def _written(*patterns: str) -> re.Pattern:
    """One pattern of several forms, each with its own n; spaces stand for any white space."""
    spaced = [pattern.replace("  ", " ").replace(" ", r"\s+") if "\\s" not in pattern else pattern for pattern in patterns]
    return re.compile("|".join(spaced))


def _layers_of_kind(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if not subject.derived.counts().keys() <= {"full", "sliding", "shared"}:
        return []
    kind = _KINDS[match["kind"].lower()]
    with_sharing = sum(layer.kind == kind for layer in subject.derived.layers)
    return [*subject.figures((f"layers.{kind}",)), Figure(Fraction(with_sharing))]


def _layers(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    counts = subject.derived.counts()
    parts = [*counts.values(), len(subject.derived.layers) - counts.get("shared", 0)]
    return [*subject.figures(("layers.total",)), *(Figure(Fraction(part)) for part in parts)]


def _every_so_many(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    period = _period(subject)
    return [Figure(Fraction(period), "one full layer in")] if period else []


def _pattern(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    period = _period(subject)
    return [Figure(Fraction(period - 1), "windowed layers for each full one")] if period else []


def _period(subject: Subject) -> int | None:
    """After how many layers a full one comes again; None where it does not come regularly."""
    full = [index for index, layer in enumerate(subject.derived.layers) if layer.kind == "full"]
    gaps = {later - earlier for earlier, later in zip(full, full[1:], strict=False)}
    return gaps.pop() if len(gaps) == 1 and len(full) < len(subject.derived.layers) else None


def _kv_heads(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.one_of((layer.kv_heads for layer in subject.derived.layers), "kv_heads")


def _head_dim(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.one_of((width for layer in subject.derived.layers for width in (layer.k_width, layer.v_width)), "head_dim")


def _window(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.one_of((layer.window for layer in subject.derived.layers), "window")


def _bytes_per_token(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if _ONE_LAYER.search(sentence.text) or _NO_CACHE.search(sentence.text):
        return []
    names = ["cache.naive.bytes_per_token", "cache.ideal.growing_bytes_per_token"]
    names += [f"cache.ideal.per_token_at.{context}" for context in sentence.contexts]
    return subject.figures(names, "thousands" if match["unit"].lower().startswith("b") else "bytes")


def _cache_size(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if not _CACHE.search(sentence.text) or _NO_CACHE.search(sentence.text) or _ONE_LAYER.search(sentence.text) or not sentence.contexts:
        return []
    names = [f"cache.{which}.at.{context}" for context in sentence.contexts for which in ("ideal", "naive")]
    parts = ("cache.ideal.window_bytes", "cache.ideal.state_bytes_per_sequence", "cache.naive.bytes_per_token", "cache.ideal.growing_bytes_per_token")
    return subject.figures([*names, *parts], "bytes")


def _overpay(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    near = tuple(contexts_in(match["at"] or ""))
    if not near and not _OVERPAY.search(sentence.text):
        return []
    return subject.figures((f"cache.overpay.at.{context}" for context in near or sentence.contexts), "times")


def _parameters(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    stated = subject.record.data.get("parameters", {})
    counts = [Figure(Fraction(stated[name]), f"parameters.{name}") for name in ("total", "active") if name in stated]
    return counts + ([Figure(counts[0].value - counts[1].value)] if len(counts) > 1 else [])


def _image_tokens(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.figures(("image.tokens",))


_LENGTH = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\s?[kK]\b)?(?:[- ]tokens?)?"

QUANTITIES = (
    Quantity(_written(rf"{_N}(?: of(?: the| its)?\s+[0-9]+)?\s+(?:of\s+)?(?:are\s+)?{_KIND}[-\s]+layers?\b"), _layers_of_kind),
    Quantity(re.compile(rf"{_N}(?:\s+of(?:\s+(?:the|its))?\s+(?:[0-9]+|{{B}}+))?\s+layers\s+(?:are\s+)?{_KIND}\b(?!\s+layers)"), _layers_of_kind),
)
