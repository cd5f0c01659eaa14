"""The quantities that a model's notes may name: how each is written, and what the record gives for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise

from msgspec import Struct, field

from infercompat.rules.numbers.sentences import BLANK, Sentence, contexts_in
from infercompat.rules.numbers.subject import Figure, Subject

_SIZES = {"b": 1, "byte": 1, "bytes": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30}
_COUNTS = {"b": 10**9, "billion": 10**9, "m": 10**6, "million": 10**6}
_ORDERED = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINALS = {word: number for number, word in enumerate(_ORDERED, start=2)}
_KINDS = {"full": "full", "global": "full", "sliding": "sliding", "windowed": "sliding", "local": "sliding", "look": "sliding"}

_CACHE = re.compile(r"\b(?:cach\w+|KV|naive|effective|ideal|overpay|(?:every|all|the) layers?|resident|tokens? (?:takes?|adds?|needs?))\b", re.IGNORECASE)
_NO_CACHE = re.compile(
    r"""\b(?:weights?|parameters|checkpoints?|files?|VRAM|RAM|(?:shared|host|GPU|of)\smemory|workspace|GB|fits?|room|leaves?
    |free|available|budget|beside|next\sto|buffers?|pools?|offload\w*|swap\w*)\b""",
    re.VERBOSE,
)
_ONE_LAYER = re.compile(r"\b(?:an?|per|each|one|full|global|sliding|windowed|local)\s+layer\b|/layer")
_GROUP = re.compile(r"\b(?:groups?|repeat\w*|period\w*|patterns?|between|in turn)\b")
_OVERPAY = re.compile(r"\b(?:overpay\w*|naive|effective|every layer|all layers|in full|too much)\b", re.IGNORECASE)
_SHARE = re.compile(r"\b(?:shar\w+|alone)\b", re.IGNORECASE)
_PART = re.compile(r"\b(?:embedding\w*|experts?|each|tables?|layers?|nominal\w*|called|matrix)\b")


class Quantity(Struct, frozen=True):
    """The forms that a quantity is written in (group n its number, unit its unit) and the figures that a match may stand for."""

    forms: tuple[re.Pattern, ...]
    figures: Callable[[Subject, re.Match, Sentence], list[Figure]]
    scales: Mapping[str, int] = field(default_factory=dict)
    images: bool = False
    parts: bool = False
    """Whether a figure may be that of a part of the layers where they are of many kinds; then none is called wrong."""

    def number(self, match: re.Match) -> tuple[Fraction, Fraction]:
        """The number that is written, and half of its last digit."""
        written = match["n"].replace(",", "").lower()
        unit = match.groupdict().get("unit") or ""
        scale = self.scales.get(unit.lower(), 1)
        return Fraction(_ORDINALS.get(written, written)) * scale, Fraction(scale, 2 * 10 ** len(written.partition(".")[2]))


_N = r"(?<![\w.,:/#*×+^$€])(?<![*×·+/^x] )(?<!\bto )(?<!\bor )(?<![\w)]-)(?P<n>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,15})(?:\.[0-9]{1,6})?)"
_SYMBOLS = {
    "<n>": _N,
    "<some>": rf"(?<!first )(?<!last )(?<!next )(?<!other ){_N}",
    "<is>": r"(?:\s*[:=]\s*|\s+(?:(?:of|is|are)\s+)?)",
    "<of>": rf"(?:\s+of(?:\s+(?:the|its|all))?\s+(?:[0-9]+|{BLANK}+))?",
    "<kind>": r"(?P<kind>full|global|sliding|windowed|local)(?:[-_\s]attention)?",
    "<kinds>": r"(?:full|global|sliding|windowed|local)(?:[-_\s]attention)?",
    "<ordinal>": rf"(?P<n>[0-9]{{1,2}}(?=nd|rd|th)|{'|'.join(_ORDERED)})(?:nd|rd|th)?",
    "<times>": _N + r"\s?(?P<unit>[x×])(?![\w×])(?!\s(?:larger|smaller|more|less|as|the|of|that)\b)",
    "<at>": r"[Aa]t(?:\s+(?:[a-z]+|model['’]s)){0,3}\s+(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\s?[kK]\b)?(?:[-\s](?:tokens?|max|native|context))*",
}


def _forms(*written: str) -> tuple[re.Pattern, ...]:
    """Patterns in which a space is any white space and <…> a symbol."""
    spaced = (form.replace(" ", r"\s+") for form in written)
    return tuple(re.compile(re.sub(r"(?<!P)<[a-z]+>", lambda symbol: _SYMBOLS[symbol[0]], form)) for form in spaced)


def _layers_of_kind(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if _GROUP.search(sentence.text):
        return []
    kind = _KINDS[match["kind"].partition(" ")[0].lower()]
    with_sharing = sum(layer.kind == kind for layer in subject.derived.layers)
    return [*subject.figures((f"layers.{kind}",)), Figure(Fraction(with_sharing))]


def _layers(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if _GROUP.search(sentence.text):
        return []
    counts, total = subject.derived.counts(), len(subject.derived.layers)
    parts = [*counts.values(), total - counts.get("shared", 0)]
    return [*subject.figures(("layers.total",)), *(Figure(Fraction(part)) for part in parts)]


def _period(subject: Subject) -> int:
    """After how many layers a full one comes again; 0 where that is not regular."""
    full = [index for index, layer in enumerate(subject.derived.layers) if layer.kind == "full"]
    gaps = {later - earlier for earlier, later in pairwise(full)}
    return gaps.pop() if len(gaps) == 1 and len(full) < len(subject.derived.layers) else 0


def _every(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    period = _period(subject)
    return [Figure(Fraction(period), "the distance from one full layer to the next")] if period else []


def _ratio(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    period = _period(subject)
    return [Figure(Fraction(period - 1), "the number of windowed layers for each full one")] if period else []


def _kv_heads(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.alike("kv_heads", (layer.kv_heads for layer in subject.derived.layers))


def _head_dim(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.alike("head_dim", (width for layer in subject.derived.layers for width in (layer.k_width, layer.v_width)))


def _window(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.alike("window", (layer.window for layer in subject.derived.layers))


def _context(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.figures(("context.native",)) if len(match["n"]) > 3 else []


def _bytes_per_token(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if _ONE_LAYER.search(sentence.text) or _NO_CACHE.search(sentence.text):
        return []
    names = ["cache.naive.bytes_per_token", "cache.ideal.growing_bytes_per_token"]
    names += [f"cache.ideal.per_token_at.{context}" for context in subject.contexts(sentence)]
    return subject.figures(names, "bytes" if (match.groupdict().get("unit") or "B")[1:] in ("iB",) else "thousands")


def _cache_size(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    text = sentence.text
    if not (subject.contexts(sentence) and _CACHE.search(text)) or _NO_CACHE.search(text) or _ONE_LAYER.search(text):
        return []
    names = [f"cache.{which}.at.{context}" for context in subject.contexts(sentence) for which in ("naive", "ideal")]
    names += ["cache.ideal.window_bytes", "cache.naive.bytes_per_token", "cache.ideal.growing_bytes_per_token"]
    return subject.figures(names, "bytes")


def _overpay(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    near = tuple(contexts_in(match["at"] or ""))
    if _SHARE.search(sentence.text) or not (near or _OVERPAY.search(sentence.text)):
        return []
    return subject.figures((f"cache.overpay.at.{context}" for context in near or subject.contexts(sentence)), "times")


def _parameters(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    if _PART.search(sentence.text) or not (match["unit"] or len(match["n"]) > 8):
        return []
    stated = subject.record.data.get("parameters", {})
    counts = [Figure(Fraction(stated[name]), f"parameters.{name}") for name in ("total", "active") if name in stated]
    return counts + ([Figure(counts[0].value - counts[1].value)] if len(counts) > 1 else [])


def _image_tokens(subject: Subject, match: re.Match, sentence: Sentence) -> list[Figure]:
    return subject.figures(("image.tokens",))


QUANTITIES = (
    Quantity(
        _forms(
            r"<some><of> <kind>[-\s]layers?\b",
            r"<some><of> layers are <kind>\b",
            r"<some><of> layers (?P<kind>look back)\b",
            r"<n> <kind>(?=(?: layers)?,? (?:plus|and|\+) [0-9]+ <kinds>)",
            r"<kinds>(?: layers)?,? (?:plus|and|\+) <n> <kind>\b",
        ),
        _layers_of_kind,
        parts=True,
    ),
    Quantity(
        _forms(
            rf"(?:[0-9]|{BLANK}) of(?: the| its)? <n> layers\b",
            r"\b(?:[Ii]ts|[Aa]ll|[Hh]as|[Oo]n|Of) <n> layers\b",
            r"<n> layers(?=, (?:hidden|head_dim|[0-9]+:1|[0-9]+(?: [A-Za-z-]+)? heads))",
        ),
        _layers,
    ),
    Quantity(_forms(r"[Ee]very <ordinal> layer is (?:a )?(?:full|global)"), _every),
    Quantity(
        _forms(
            r"<n>(?=:1,? (?:[\w/]+[-\s]){0,5}?(?:pattern|ratio|local|global|sliding|windowed|interleav|alternat))",
            r"<n>(?=-local-to-(?:1|one)-global)",
        ),
        _ratio,
    ),
    Quantity(_forms(r"<n> (?:KV|kv|key[-/]value) heads?\b", r"\bnum_key_value_heads<is><n>\b"), _kv_heads, parts=True),
    Quantity(
        _forms(
            r"(?<!\w)[Hh]ead[_\s-]?(?:dim|dimension|size|width)<is><n>\b",
            r"<n>-wide heads\b",
            r"(?<!\w)[Hh]eads (?:of|are) <n>(?=[.,;)]| (?:wide|elements|dimensions))",
            r"\b(?:[Aa] head is|heads) <n> wide\b",
        ),
        _head_dim,
        parts=True,
    ),
    Quantity(
        _forms(
            r"<n>[-\s]tokens?(?: sliding| local| attention)? windows?\b",
            r"(?<![\w-])(?:sliding_)?[Ww]indow(?: size)?<is>(?:only )?<n>\b(?!\s*(?:[KMGT]iB|[%x×/:]|layers|blocks|times|of\b))",
            r"(?<![\w-])[Ww]indow \(<n>\)",
            r"\blook(?:s|ing)? back(?: over)? <n>\b",
        ),
        _window,
    ),
    Quantity(_forms(r"\bnative (?:context(?: length)?<is>)?<n>\b(?!-)", r"<n> (?:native|max|maximum) context\b"), _context),
    Quantity(
        _forms(
            r"<n>\s*(?P<unit>[Bb]ytes?|B|KiB|MiB)(?: of (?:KV )?cache)?\s*(?:/\s*|\b(?:a|per|each|for each|for every) )token\b",
            r"\btoken (?:takes|needs|costs|adds) <n>\s*(?P<unit>bytes?|B|KiB|MiB)\b",
            r"\bkv_cache_bytes_per_token<is><n>\b",
        ),
        _bytes_per_token,
        _SIZES,
        parts=True,
    ),
    Quantity(_forms(r"<n>\s*(?P<unit>KiB|MiB|GiB)\b(?!\s*(?:/|(?:a|per) (?:token|second)))"), _cache_size, _SIZES, parts=True),
    Quantity(
        _forms(
            r"<times>(?: (?:KV )?overpay)?(?P<at>,? <at>)?",
            r"\b(?P<at><at>) (?:it|that|this) is (?:only |just )?<times>",
        ),
        _overpay,
    ),
    Quantity(_forms(r"<n>\s?(?P<unit>B|billion|M|million)?(?: (?:active|total|effective))? parameters\b"), _parameters, _COUNTS),
    Quantity(
        _forms(
            r"<n> (?:image|vision|soft) tokens\b",
            r"<n> tokens (?:for (?:one|an|each|every)|an|per|a) image\b",
            r"\b[Ii]mages? (?:takes?|becomes?|costs?|is|are) <n>(?= tokens)",
        ),
        _image_tokens,
        images=True,
    ),
)
