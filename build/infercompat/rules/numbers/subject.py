"""Of what a sentence in a model's notes speaks: of this model's own computed cache and layers, or of anything else."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from infercompat.derive import Derived
from infercompat.derive.readers import BY_NAME
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.rules.numbers.sentences import Sentence
from infercompat.units import FILTERS, format_thousands

_ELSEWHERE = re.compile(
    r"""\b(?:says?|said|claim\w*|report\w*|according|quot\w+|wrote|writes|prints?|printed|lists?|listed|stated|logs?|logged|measur\w+
    |benchmark\w*|observed|timed|seen|saw|announce\w*|documented|thread|issue|forum|wrong\w*|mistaken\w*|error       # told by others, or refuted
    |would|could|might|were|if|unless|suppose|imagine|saves?|saving|differs?|difference                               # not so, or a difference
    |fp8|fp4|fp32|int8|int4|nvfp4|q[0-9]_[0-9]|[0-9]+[- ]bits?|quantiz\w+|(?:eight|four)[- ]bits?                    # another dtype
    |ranks?|tensor[- ]parallel|TP|shards?|GPUs?|devices?|cards?|blocks?                                              # a part of the cache
    |draft\w*|MTP|speculat\w+|EAGLE|assistant                                                                        # another part
    |vision|encoder|SigLIP|ViT|towers?|audio|projector|patch\w*|crops?|cross[- ]attention
    |faster|slower|speed\w*|seconds|(?:a|per)\s+second|latency|throughput|ms)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_IMAGES = re.compile(r"\b(?:vision|encoder|SigLIP|ViT|towers?|patch\w*)\b", re.IGNORECASE)
_NAMED = re.compile(r"\b(?!BF16|FP16)[A-Z][A-Za-z]*-?[0-9][\w.]*|\b[A-Z]\w*['’]s\b|\b[0-9]+B\b(?!\s+(?:\w+\s+)?(?:param|total|active))")
_FAMILIES = tuple({match[0] for name in BY_NAME if (match := re.match("[a-z]{4,}", name))})


@dataclass(frozen=True)
class Figure:
    """A value that the record gives, and the name it goes by; `place` is set where a placeholder can show it."""

    value: Fraction
    name: str = ""
    filter: str = ""
    place: bool = False

    @property
    def shown(self) -> str:
        number = self.value.numerator if self.value.denominator == 1 else float(self.value)
        return FILTERS.get(self.filter, format_thousands)(number)

    @property
    def placeholder(self) -> str:
        return f"{{{{ {self.name} | {self.filter} }}}}" if self.filter else f"{{{{ {self.name} }}}}"


@dataclass(frozen=True)
class Subject:
    """One model, what is derived for it, and the other models that its notes may speak of."""

    record: Record
    derived: Derived
    catalog: Catalog

    def figure(self, name: str, filter: str = "") -> Figure | None:
        """The figure that a placeholder of this name shows."""
        value = self.derived.lookup(name)
        if value is None:
            return None
        return Figure(Fraction(value), name, filter or ("thousands" if abs(value) >= 1000 else ""), place=True)

    def figures(self, names: Iterable[str], filter: str = "") -> list[Figure]:
        return [figure for name in names if (figure := self.figure(name, filter))]

    def one_of(self, values: Iterable[int], name: str) -> list[Figure]:
        """What layers may differ in: the figure itself where they agree, else the values without a placeholder."""
        found = sorted({value for value in values if value})
        if len(found) == 1:
            return self.figures((name,))
        return [Figure(Fraction(value), name) for value in found]

    def is_meant(self, sentence: Sentence, images: bool = False) -> bool:
        """Whether nothing in a sentence points away from this model's own figures."""
        if any(self._leads_away(target) for target in sentence.links):
            return False
        text = self._own_name.sub(" ", sentence.text)
        words = _IMAGES.sub(" ", text) if images else text
        return not (_ELSEWHERE.search(words) or _NAMED.search(text) or self._other_family.search(text))

    def _leads_away(self, target: str) -> bool:
        found = self.catalog.follow(target)
        return found is not None and found.kind == "model" and found.id != self.record.id

    @cached_property
    def _own_name(self) -> re.Pattern:
        """The record's name, its last word, and what precedes that where no other model shares it."""
        name = self.record.name
        family, _, size = name.rpartition(" ")
        others = [model.name for model in self.catalog.of_kind("model") if model.id != self.record.id]
        names = [name, size] + ([family] if family and not any(other.startswith(family) for other in others) else [])
        written = (re.sub(r"\\?[ -]", "[ -]", re.escape(known)) for known in names if known)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(written)})(?:['’]s)?(?![\w-])", re.IGNORECASE)

    @cached_property
    def _other_family(self) -> re.Pattern:
        words = {model.name.split()[0] for model in self.catalog.of_kind("model")} | set(_FAMILIES)
        spelled = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
        return re.compile(rf"\b(?=[A-Z])(?i:{spelled})", re.ASCII)
