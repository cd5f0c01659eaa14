"""Of what a sentence in a model's notes speaks: of this model's own layers and cache as computed, or of anything else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property

from msgspec import Struct

from infercompat.derive import Derived
from infercompat.derive.readers import BY_NAME
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.rules.numbers.sentences import Sentence
from infercompat.units import FILTERS, format_thousands

# Words that lead away from what this model's config gives, a line for each way. They only ever keep a rule silent.
_ELSEWHERE = re.compile(
    r"""\b(?:says?|said|claim\w*|report\w*|according|quot\w+|wrote|writes|prints?|printed|lists?|listed|stated|announce\w*|documented
    |logs?|logged|measur\w+|benchmark\w*|observed|timed|seen|saw|thread|issue|forum|example|instance
    |wrong\w*|mistak\w+|error|would|could|might|were|if|unless|suppose|imagine
    |models|sizes|siblings?|successors?|predecessors?|earlier|older|newer|usual\w*|typical\w*|common\w*|defaults?|class
    |fp8|fp4|fp32|int8|int4|nvfp4|q[0-9]_[0-9]|[0-9]+[-\s]bits?|quantiz\w+|(?:eight|four)[-\s]bits?
    |ranks?|tensor[-\s]parallel|TP|shards?|GPUs?|devices?|cards?|blocks?|pages?|batch\w*|sequences|requests|users|slots|kernels?|backends?
    |draft\w*|MTP|speculat\w+|EAGLE|assistant|vision|encoder|SigLIP|ViT|towers?|audio|projector|patch\w*|crops?|cross[-\s]attention
    |faster|slower|speed\w*|seconds|(?:a|per)\s+second|latency|throughput|ms)\b""",
    re.VERBOSE | re.IGNORECASE,
)
_VISION = re.compile(r"\bvision\b", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?!BF16|FP16)[A-Z][A-Za-z]*-?[0-9][\w.]*"  # Qwen3, H100
    r"|\b(?!It|That|There|Here)[A-Z]\w*['’]s\b"  # somebody's
    r"|\b[0-9]+B\b(?!\s+(?:\w+\s+)?(?:param|total|active))"  # the 4B
)
_FAMILIES = {match[0] for name in BY_NAME if (match := re.match("[a-z]{4,}", name))}


class Figure(Struct, frozen=True):
    """A value that the record gives, and the name it goes by; `derived` is set where a placeholder can show it."""

    value: Fraction
    name: str = ""
    filter: str = ""
    derived: bool = False

    @property
    def shown(self) -> str:
        number = self.value.numerator if self.value.denominator == 1 else float(self.value)
        return FILTERS.get(self.filter, format_thousands)(number)

    @property
    def placeholder(self) -> str:
        return f"{{{{ {self.name} | {self.filter} }}}}" if self.filter else f"{{{{ {self.name} }}}}"


class Surroundings(Struct, frozen=True, dict=True):
    """What the notes of a model may speak of beside the model: the other records of its catalog."""

    catalog: Catalog

    @cached_property
    def names(self) -> Counter[str]:
        """How many models share a name, or a name without its last word."""
        return Counter(part for model in self.catalog.of_kind("model") for part in {model.name, model.name.rpartition(" ")[0]} if part)

    @cached_property
    def others(self) -> re.Pattern:
        """Names of families of models, as a capital letter shows them, and of engines."""
        families = {model.name.split()[0].lower() for model in self.catalog.of_kind("model")} | _FAMILIES
        engines = {engine.name for engine in self.catalog.of_kind("engine")}
        return re.compile(rf"\b(?:(?=[A-Z])(?i:{_any_of(families)})|(?:{_any_of(engines) or '(?!)'}))", re.ASCII)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))


class Subject(Struct, frozen=True, dict=True):
    """One model, what is derived for it, and what else its notes may speak of."""

    record: Record
    derived: Derived
    around: Surroundings

    @property
    def uniform(self) -> bool:
        """Whether every layer keeps keys and values of heads, so that a figure is that of the whole cache."""
        return self.derived.counts().keys() <= {"full", "sliding", "chunked", "shared"}

    def figures(self, names: Iterable[str], filter: str = "") -> list[Figure]:
        """The figures that placeholders of these names show, those left out that the model has none of."""
        found = [(name, self.derived.lookup(name)) for name in names]
        return [Figure(Fraction(value), name, filter or ("thousands" if value >= 1000 else ""), True) for name, value in found if value is not None]

    def alike(self, name: str, values: Iterable[int]) -> list[Figure]:
        """A figure in which layers may differ: where they do, all that occur, and no placeholder shows them."""
        found = sorted({value for value in values if value})
        return self.figures((name,)) if len(found) == 1 else [Figure(Fraction(value), name) for value in found]

    def contexts(self, sentence: Sentence) -> list[int]:
        """The context lengths that a sentence names; a window is none."""
        return [context for context in sentence.contexts if context != self.derived.window]

    def is_meant(self, sentence: Sentence, images: bool = False) -> bool:
        """Whether nothing in a sentence leads away from this model's own figures."""
        for target in sentence.links:
            found = self.around.catalog.follow(target)
            if found is not None and found.kind == "model" and found.id != self.record.id:
                return False
        text = self._own_name.sub(" ", sentence.text)
        words = _VISION.sub(" ", text) if images else text
        return not (_ELSEWHERE.search(words) or _NAMED.search(text) or self.around.others.search(text))

    @cached_property
    def _own_name(self) -> re.Pattern:
        """The record's name, its last word, and what precedes that where no other model shares it."""
        family, _, size = self.record.name.rpartition(" ")
        names = [self.record.name, size, *([family] if family and self.around.names[family] == 1 else ())]
        written = (re.escape(name).replace(r"\ ", r"[-\s]") for name in names)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(written)})(?:['’]s)?(?![\w-])", re.IGNORECASE)
