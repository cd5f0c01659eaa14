"""Claims as statements: what each snapshot says of one proposition, including what its silence says.

A snapshot that is the whole registry makes absence a statement: unsupported, unless a fallback claim matches. Absence
anywhere else says nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from infercompat import condition
from infercompat.condition import Truth
from infercompat.join.features import FEATURE, as_read, offer_of, words_of
from infercompat.link import Catalog
from infercompat.records import Record

POSITIVE = frozenset({"native", "fallback", "plugin", "redirected", "rewritten", "partial", "known-issues"})
NEGATIVE = frozenset({"removed", "unsupported"})
UNDECIDED = frozenset({"untested", "not-applicable"})

WEIGHTS = "weights."
"""What stands before a weight format where an offer is named."""

PLATFORM = "platform."
"""What stands before a platform there: a claim about nothing else says whether the engine runs on it at all, and one about a model besides,
whether it runs that one there."""

_WHERE = frozenset({"platform", "architecture", "model_type"})

Holds = Callable[[dict[str, Any]], Truth]
"""Decides a claim's `when` for the model and stack in question."""


class Source(Struct, frozen=True):
    """A citation as evidence: the record's id, the place in it, and what its type is worth."""

    id: str
    at: str
    rank: int
    type: str
    pinned: bool
    opened: str | None


class Statement(Struct, frozen=True):
    """What one snapshot says of one proposition. `claim` is None where the statement is the absence from a whole registry."""

    snapshot: Record
    status: str
    source: Source
    claim: dict[str, Any] | None = None
    undecided: str = ""

    @property
    def version(self) -> str:
        return self.snapshot.data["version"]

    @property
    def read_on(self) -> str:
        return self.snapshot.data["read_on"]

    def field(self, name: str) -> Any:
        return (self.claim or {}).get(name)


class Ledger:
    """All snapshots of the catalog, by engine, ready to be asked."""

    def __init__(self, catalog: Catalog):
        self.catalog = catalog
        self._snapshots: dict[str | None, list[Record]] = defaultdict(list)
        self._offers: dict[tuple[str, str], list[dict]] = {}
        self._listed: dict[str, list[str]] = {}
        self._naming: dict[tuple[str, str], list[tuple[dict[str, str], dict]]] = {}
        self._said: dict[tuple, list[Statement]] = {}
        for snapshot in catalog.of_kind("support"):
            self._snapshots[snapshot.engine].append(snapshot)

    def snapshots(self, engine: str) -> list[Record]:
        return self._snapshots.get(engine, [])

    def exact(self, snapshot: Record, key: str, name: str) -> list[dict]:
        """A snapshot's claims that are about one thing alone, such as its architecture "*"."""
        return [claim for claim in snapshot.claims_on(f"{key} {name}") if len(claim["about"]) == 1]

    def names(self, snapshot: Record) -> Iterator[tuple[str, str]]:
        """What its claims that are about one model alone call that, such as ("architecture", "LlamaForCausalLM")."""
        for key, _, name in (subject.partition(" ") for subject in snapshot.subjects()):
            if key in ("architecture", "model_type") and name != "*" and self.exact(snapshot, key, name):
                yield key, name

    def offers(self, snapshot: Record) -> list[str]:
        """The offers that a snapshot speaks of: requirements, and `weights.<format>`, `platform.<name>` and `features.<id>`."""
        if snapshot.id not in self._listed:
            found = dict.fromkeys(offer for subject in snapshot.subjects() if (offer := _offer_named(subject)))
            self._listed[snapshot.id] = [offer for offer in found if self.offer(snapshot, offer)]
        return self._listed[snapshot.id]

    def offer(self, snapshot: Record, wanted: str) -> list[dict]:
        """A snapshot's claims on what the engine offers; found when it is first asked."""
        key = (snapshot.id, wanted)
        if key not in self._offers:
            self._offers[key] = list(_on_offer(snapshot, wanted))
        return self._offers[key]

    def naming(self, snapshot: Record, wanted: str) -> list[tuple[dict[str, str], dict]]:
        """Those of them that name models, each with what it calls them; found when they are first asked for."""
        key = (snapshot.id, wanted)
        if key not in self._naming:
            self._naming[key] = [(named, claim) for claim in self.offer(snapshot, wanted) if (named := named_by(claim["about"]))]
        return self._naming[key]

    def source(self, snapshot: Record, claim: dict[str, Any] | None) -> Source:
        """The evidence behind a claim: its own citation, else the snapshot's first one with the claim's place."""
        own = (claim or {}).get("cites")
        cite = (own or snapshot.data["cites"])[0]
        at = cite.get("at", "") if own else (claim or {}).get("at", cite.get("at", ""))
        return self.source_of(cite["id"], at)

    def source_of(self, id: str, at: str = "") -> Source:
        citation = self.catalog.follow(id)
        data = citation.data if citation else {}
        type = data.get("type", "article")
        rank = self.catalog.vocabulary.get("source-rank", {}).get(type, 1)
        return Source(citation.id if citation else id, at, rank, type, "pin" in data, data.get("retrieved"))

    def url(self, source: Source) -> str | None:
        """The address of a source."""
        record = self.catalog.follow(source.id)
        return record.data["url"] if record else None

    def on_architecture(self, engine: Record, names: dict[str, str], holds: Holds) -> list[Statement]:
        """What each snapshot of an engine says of a model's architecture; `names` maps about-keys to the model's values."""
        asked = (engine.id, *names.items())
        if asked in self._said:
            return self._said[asked]
        key, conditional = engine.data.get("model_key", "architecture"), False

        def noted(tree: dict[str, Any]) -> Truth:
            nonlocal conditional
            conditional = conditional or bool(tree)
            return holds(tree)

        spoken = [self._in_registry(snapshot, key, names, noted) for snapshot in self.snapshots(engine.id)]
        found = [statement for statement in spoken if statement]
        if not conditional:  # the same on every stack
            self._said[asked] = found
        return found

    def _in_registry(self, snapshot: Record, key: str, names: dict[str, str], holds: Holds) -> Statement | None:
        for name in (key, "architecture" if key == "model_type" else "model_type"):
            claims = self.exact(snapshot, name, names.get(name, ""))
            if claims:
                return self._strongest(snapshot, claims, holds)
        if not snapshot.data.get("complete"):
            return None
        fallbacks = [(claim, holds(claim.get("when") or {}).value) for claim in self.exact(snapshot, "architecture", "*")]
        for claim, holding in sorted(fallbacks, key=lambda pair: pair[1] is None):
            if holding:
                return Statement(snapshot, claim["holds"], self.source(snapshot, claim), claim)
            if holding is None:
                return Statement(snapshot, "unknown", self.source(snapshot, claim), claim, f"{claim['holds']} if {condition_words(claim)}")
        return Statement(snapshot, "unsupported", self.source(snapshot, None))

    def _strongest(self, snapshot: Record, claims: list[dict], holds: Holds) -> Statement:
        # One registry may list an architecture in several of its tables; any table that has it supports it.
        order = ["native", "rewritten", "known-issues", "partial", "redirected", "plugin", "fallback", "untested", "removed", "unsupported"]
        ranked = sorted(claims, key=lambda claim: order.index(claim["holds"]) if claim["holds"] in order else len(order))
        for claim in ranked:
            if "when" not in claim or holds(claim["when"]).value is True:
                return Statement(snapshot, claim["holds"], self.source(snapshot, claim), claim)
        claim = ranked[0]
        return Statement(snapshot, "unknown", self.source(snapshot, claim), claim, f"{claim['holds']} if {condition_words(claim)}")

    def on_offer(self, engine: str, wanted: str, names: dict[str, str], backend: str | None = None, named: bool | None = None) -> list[Statement]:
        """Claims on an offer that speak of this model, from every snapshot; the narrowest of each snapshot only.

        With `backend`, those that speak of that attention backend and no others; with `named`, those that name the model, or those that do not.
        """
        found = []
        for snapshot in self.snapshots(engine):
            fitting = [
                (narrowness, claim)
                for claim in self.offer(snapshot, wanted)
                if (backend is None or claim["about"].get("backend") == backend) and (narrowness := _narrowness(claim["about"], names)) is not None
                if named is None or named == bool(narrowness)
            ]
            narrowest = max((narrowness for narrowness, _ in fitting), default=None)
            found += [Statement(snapshot, claim["holds"], self.source(snapshot, claim), claim) for narrowness, claim in fitting if narrowness == narrowest]
        return found

    def on_feature(self, engine: str, feature: str) -> Iterator[Statement]:
        """Claims on a feature, architecture by architecture, in the order of their sources."""
        for snapshot in self.snapshots(engine):
            for claim in snapshot.claims_on(f"feature {feature}"):
                yield Statement(snapshot, claim["holds"], self.source(snapshot, claim), claim)


def _on_offer(snapshot: Record, wanted: str) -> Iterator[dict]:
    if wanted.startswith(WEIGHTS):
        yield from snapshot.claims_on(f"quantization {wanted.removeprefix(WEIGHTS)}")
    elif wanted.startswith(PLATFORM):
        yield from (claim for claim in snapshot.claims_on(f"platform {wanted.removeprefix(PLATFORM)}") if _WHERE.issuperset(claim["about"]))
    elif wanted.startswith(FEATURE):
        for word in words_of(wanted):
            yield from filter(None, map(as_read, snapshot.claims_on(f"feature {word}")))
    else:
        yield from snapshot.claims_on(f"requirement {wanted}")


def _offer_named(subject: str) -> str | None:
    key, _, name = subject.partition(" ")
    if key == "feature":
        return offer_of(name)
    before = {"requirement": "", "quantization": WEIGHTS, "platform": PLATFORM}.get(key)
    return None if before is None else before + name


def named_by(about: dict[str, Any]) -> dict[str, str]:
    """What a claim calls the models that it is about; empty for one that speaks of any."""
    return {key: name for key in ("architecture", "model_type") if (name := about.get(key, "*")) != "*"}


def _narrowness(about: dict[str, Any], names: dict[str, str]) -> int | None:
    """How closely a claim speaks of this model: 1 by name, 0 of any model, None of another one."""
    wanted = named_by(about)
    if any(names.get(key) != value for key, value in wanted.items()):
        return None
    return 1 if wanted else 0


def condition_words(claim: dict[str, Any]) -> str:
    parsed, _ = condition.parse(claim.get("when") or {})
    return condition.words(parsed) if parsed else "its condition holds"
