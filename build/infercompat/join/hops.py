"""The hops of a chain: the architecture's place in the engine, and what the engine offers for each requirement."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from infercompat.condition import ALWAYS, Truth, evaluate, parse
from infercompat.derive import Unknown
from infercompat.join.claims import NEGATIVE, PLATFORM, POSITIVE, WEIGHTS, Ledger, Source, Statement, condition_words
from infercompat.join.phrases import BASIS, says, with_exceptions
from infercompat.join.stack import Stack
from infercompat.join.statements import by_place, disagree, for_hardware, on_any_hardware, sources_in, unplaced
from infercompat.records import Record
from infercompat.versions import Observation, carry, minors_between, parse_version

PLAIN = ("bf16", "fp16", "fp32")
"""Weight formats that any implementation computes with: their silence is no gap."""

_WORST = ("fails", "unknown", "gap", "holds")


class Hop(Struct, frozen=True):
    """One step of a chain.

    state: `holds`, `gap` (works, with a consequence), `fails`, or `unknown`. `value` is the deciding claim's word, `how` how it
    came to the version in question, `sources` the deciding evidence first, `against` live statements of the other polarity.
    `avoided_by`: what keeps clear of a failure that does not always show. `basis`: what a config was read from. `settings`: the
    facts that a person gave and that it hangs on. `when`: the condition of the deciding claim.
    """

    name: str
    state: str
    finding: str
    value: str | None = None
    consequence: str | None = None
    optional: bool = False
    how: str = "exact"
    stale: bool = False
    version: str | None = None
    sources: tuple[Source, ...] = ()
    against: tuple[Statement, ...] = ()
    backends: tuple[str, ...] = ()
    avoided_by: str | None = None
    basis: str | None = None
    settings: tuple[str, ...] = ()
    when: dict | None = None

    @property
    def contested(self) -> bool:
        return bool(self.against)


class Release(Struct, frozen=True):
    """The engine version in question and its date; `assumed` when nobody named it."""

    version: str
    date: str | None
    assumed: bool = True


def newest_release(engine: Record) -> Release:
    """The newest release of an engine in the catalog: the first of its list."""
    first = engine.data["releases"][0]
    return Release(first["version"], first["date"])


class Joiner:
    """Joins one engine at one version with models, hop by hop."""

    def __init__(self, ledger: Ledger, engine: Record, release: Release):
        self.ledger, self.engine, self.release = ledger, engine, release
        self.dates = {entry["version"]: entry["date"] for entry in engine.data["releases"]}
        self.thresholds = ledger.catalog.vocabulary["thresholds"]

    @property
    def settings(self) -> Mapping[str, Any]:
        """The engine's settings, by the fact that each decides."""
        return self.engine.data.get("settings") or {}

    def config(self, stack: Stack) -> Hop:
        """Whether the model's config can be read into layers, and what it was read from."""
        config = stack.model.data["config"]
        sources = tuple(self.ledger.source_of(cite["id"], cite.get("at", "")) for cite in config["cites"])
        if isinstance(stack.derived, Unknown):
            missing = ", ".join(stack.derived.missing) or stack.derived.reason
            return Hop("config", "unknown", f"cannot be read into layers: {missing}", sources=sources)
        finding = f"{len(stack.derived.layers)} layers read from {BASIS[config['basis']]}"
        return Hop("config", "holds", finding, config["basis"], sources=sources, basis=config["basis"])

    def architecture(self, stack: Stack) -> Hop:
        """Whether the engine knows the model's architecture at this version."""
        statements = self.ledger.on_architecture(self.engine, stack.names, lambda tree: self._holds(tree, stack))
        name = stack.names[self.engine.data.get("model_key", "architecture")] or stack.names["architecture"]
        if not name:
            return Hop("architecture", "unknown", "the config does not name its class under architectures")
        if not statements:
            return Hop("architecture", "unknown", f"no source of {self.engine.data['name']} in the catalog speaks of {name}")
        by_rank: dict[int, list[Statement]] = defaultdict(list)
        for statement in statements:
            by_rank[statement.source.rank].append(statement)
        results = [(rank, *self._carried(by_rank[rank])) for rank in sorted(by_rank, reverse=True)]
        for rank, carried, deciding in results:
            if carried.status is None and disagree(carried, deciding):
                break
            if carried.status is None:
                continue
            if carried.status == "unknown":
                finding = f"{name}: {deciding[0].undecided}"
                return Hop("architecture", "unknown", finding, how=carried.how, sources=sources_in(deciding), version=deciding[0].version)
            against = self._against(carried.status, [entry for entry in results if entry[0] < rank])
            state = "holds" if carried.status in POSITIVE else "fails" if carried.status in NEGATIVE else "unknown"
            lacks = f": {deciding[0].field('lacks')}" if deciding[0].field("lacks") else ""
            finding = f"{name} is {says(carried.status, deciding[0])} ({deciding[0].snapshot.data['title']}){lacks}"
            return Hop(
                "architecture", state, finding, carried.status, how=carried.how, stale=carried.stale,
                version=deciding[0].version, sources=sources_in(deciding), against=tuple(against),
            )  # fmt: skip
        reasons = "; ".join(dict.fromkeys(carried.reason for _, carried, _ in results))
        nearest = statements[0]
        return Hop("architecture", "unknown", f"{name}: {reasons}", sources=sources_in([nearest]), version=nearest.version)

    def requirement(self, requirement: str, stack: Stack, architecture: Hop | None = None) -> Hop:
        """What the engine offers for one requirement of the model, and what its lack means.

        Where no source speaks of it, the engine's own implementation of the architecture does, if it is a part of that.
        """
        record = self.ledger.catalog.resolve(requirement)
        data = record.data if record else {}
        hop = self._offered(requirement, data, stack)
        implied = data.get("part_of_architecture") and architecture is not None and architecture.value in ("native", "rewritten", "redirected")
        if hop.state == "unknown" and implied:
            finding = "a part of the architecture, which the engine implements itself"
            return replace(architecture, name=requirement, finding=finding, against=())
        return replace(hop, optional=bool(data.get("optional")))

    def weights(self, stack: Stack) -> Hop | None:
        """Whether the engine loads the checkpoint's weight format on this hardware; None where that is not known, or plain tensors."""
        format = stack.get("weights.format")
        if not isinstance(format, str):
            return None
        hop = self._offered(WEIGHTS + format, {"name": f"{format} weights", "consequence": "refuses"}, stack)
        required = () if isinstance(stack.derived, Unknown) else stack.derived.requirements
        silent = hop.state == "unknown" and not hop.sources
        if (format in PLAIN and hop.state in ("holds", "unknown")) or (silent and f"{format}-weights" in required):
            return None
        if hop.state != "fails" and hop.consequence == "refuses":
            hop = replace(hop, consequence=None)  # what is loaded in part is not refused
        return replace(hop, name="weights", finding=hop.finding if silent else f"{format}: {hop.finding}")

    def hardware(self, stack: Stack) -> Hop | None:
        """What a source says of the stack's platform and of nothing else: whether the engine runs there at all. None where none speaks of it."""
        platform = stack.get("platform")
        if not isinstance(platform, str):
            return None
        hop = self._on_platform(platform, self.ledger.on_offer(self.engine.id, PLATFORM + platform, stack.names, named=False), stack)
        return replace(hop, name="hardware") if hop.sources else None

    def model_there(self, stack: Stack) -> Hop | None:
        """What a source says of this very model on the stack's class, else on its platform, whatever builds have code for. None where none does."""
        for place in (stack.get("hardware.class"), stack.get("platform")):
            if isinstance(place, str):
                hop = self._on_platform(place, self.ledger.on_offer(self.engine.id, PLATFORM + place, stack.names, named=True), stack)
                if hop.sources:
                    return replace(hop, name="architecture on hardware", finding=f"{stack.names['architecture']} on {place}: {hop.finding}")
        return None

    def _on_platform(self, place: str, statements: list[Statement], stack: Stack) -> Hop:
        known = self._not_excluded(statements, stack)
        return self._judged(PLATFORM + place, {"name": place, "consequence": "refuses"}, stack, known, known)

    def feature(self, offer: str, name: str, stack: Stack) -> Hop | None:
        """The worst of what is said of a feature of this model and of any, here and anywhere, since all of it has to hold; None where nothing is."""
        found = []
        narrower: set[str] = set()
        for named in (True, False):
            every = self._not_excluded(self.ledger.on_offer(self.engine.id, offer, stack.names, named=named), stack)
            every = on_any_hardware(every, lambda tree: self._holds(tree, stack)) if unplaced(stack) else every
            for statements in by_place(every, stack, narrower):
                met = {one.snapshot.id for one in statements if "when" in one.claim and self._holds(one.claim["when"], stack).yes}
                chosen = [one for one in statements if "when" in one.claim or one.snapshot.id not in met]  # a condition that is met stands before none
                hop = self._judged(offer, {"name": name, "consequence": "refuses"}, stack, chosen, every, worst=True)
                found += [hop] if hop.sources and hop.value != "not-applicable" else []
            narrower = {one.snapshot.id for one in every if one.status != "not-applicable"}
        return min(found, key=lambda hop: _WORST.index(hop.state), default=None)

    def _offered(self, requirement: str, data: dict, stack: Stack) -> Hop:
        everywhere = self._not_excluded(self.ledger.on_offer(self.engine.id, requirement, stack.names), stack)
        return self._judged(requirement, data, stack, self._here(everywhere, stack), everywhere)

    def _here(self, statements: list[Statement], stack: Stack) -> list[Statement]:
        """Those of the narrowest place; where none of them reaches the version in question, those of a wider one that does, and that all of
        the narrower agree with. An exception that was read long ago may still be one, so where they differ nothing is known.
        """
        here = for_hardware(statements, stack)
        rest = [] if unplaced(stack) else [one for one in statements if not any(one is other for other in here)]
        if not here or not rest or self._reaching(here, stack) is not None:
            return here
        wider = self._here(rest, stack)
        status = self._reaching(wider, stack)
        alike = next((polarity for polarity in (POSITIVE, NEGATIVE) if status in polarity), frozenset())
        return wider if all(one.status in alike for one in here) else here

    def _reaching(self, statements: list[Statement], stack: Stack) -> str | None:
        """What statements come to at the version in question; None where none reaches it."""
        decided = [one for one in statements if "when" not in one.claim or self._holds(one.claim["when"], stack).yes]
        offers = self._best_offers(decided)
        return self._highest(offers)[1].status if offers else "unknown" if statements else None

    def _not_excluded(self, statements: list[Statement], stack: Stack) -> list[Statement]:
        """Statements whose conditions are not known to fail."""
        return [one for one in statements if "when" not in (one.claim or {}) or self._holds(one.claim["when"], stack).value is not False]

    def _judged(self, requirement: str, data: dict, stack: Stack, statements: list[Statement], everywhere: list[Statement], worst: bool = False) -> Hop:
        """What statements of this hardware come to; `everywhere` are those of any. `worst`: of one snapshot's, the worst decides rather than the best."""
        decided = [statement for statement in statements if "when" not in statement.claim or self._holds(statement.claim["when"], stack).yes]
        if statements and not decided:
            chosen = statements[0]
            finding = f"{says(chosen.status, chosen)} if {condition_words(chosen.claim)}"
            return Hop(requirement, "unknown", finding, sources=sources_in([chosen]), version=chosen.version)
        statements = decided
        if not statements:
            return Hop(requirement, "unknown", f"no source of {self.engine.data['name']} in the catalog speaks of {data.get('name', requirement)}")
        offers = self._best_offers(statements, worst)
        top, carried, deciding = self._highest(offers)
        chosen = deciding[0] if deciding else statements[0]
        if carried.status is None or carried.status not in POSITIVE | NEGATIVE:
            reason = carried.reason if carried.status is None else says(carried.status, chosen)
            return Hop(requirement, "unknown", reason, carried.status, how=carried.how, sources=sources_in([chosen]), version=chosen.version)
        optional = bool(data.get("optional"))
        backends = tuple(
            sorted({statement.claim["about"]["backend"] for statement in statements if statement.status == "native" and "backend" in statement.claim["about"]})
        )
        against = tuple(self._against(carried.status, [(rank, *self._carried(offers[rank])) for rank in offers if rank < top]))
        common = dict(
            how=carried.how, stale=carried.stale, version=chosen.version, sources=sources_in(deciding), optional=optional, backends=backends, against=against,
            when=chosen.field("when"),
        )  # fmt: skip
        refused = self._refused_here(requirement, chosen, stack) if carried.status in POSITIVE and not worst else None
        if refused is not None:
            finding = f"{says(carried.status, chosen)} for this architecture; and in general: {refused.field('lacks') or says(refused.status, refused)}"
            return Hop(requirement, "unknown", finding, sources=sources_in([chosen, refused]), version=chosen.version)
        if carried.status in ("native", "fallback", "redirected", "rewritten", "plugin", "known-issues"):
            finding = chosen.field("note") or says(carried.status, chosen)
            return Hop(requirement, "holds", with_exceptions(finding, self._lacking(everywhere, stack, worst)), carried.status, **common)
        consequence = chosen.field("consequence") or data.get("consequence")
        lacks = chosen.field("lacks") or data.get("without_it") or chosen.field("note") or says(carried.status, chosen)
        if consequence not in ("refuses", "wrong-output") or optional or carried.status == "partial":
            return Hop(requirement, "gap", lacks, carried.status, consequence, **common)
        shows, can_be_avoided = self._shows(data.get("matters_when"), stack)
        if not shows:
            return Hop(requirement, "holds", f"{lacks} It does not show here.", carried.status, **common)
        return Hop(requirement, "fails", lacks, carried.status, consequence, avoided_by=data["avoided_by"] if can_be_avoided else None, **common)

    def _lacking(self, statements: list[Statement], stack: Stack, worst: bool) -> list[str]:
        """Where nobody named hardware, the classes and platforms on which the whole engine lacks it at this version."""
        if not unplaced(stack):
            return []
        places: dict[str, list[Statement]] = defaultdict(list)
        for statement in statements:
            about = statement.claim["about"]
            if "platform" in about and "backend" not in about and ("when" not in statement.claim or self._holds(statement.claim["when"], stack).yes):
                places[about["platform"]].append(statement)
        return [place for place, here in places.items() if self._is_negative(self._best_offers(here, worst))]

    def _is_negative(self, offers: dict[int, list[Statement]]) -> bool:
        return self._highest(offers)[1].status in NEGATIVE

    def _refused_here(self, requirement: str, chosen: Statement, stack: Stack) -> Statement | None:
        """What says that the stack's hardware lacks the requirement, where the deciding claim is narrower by model and silent on hardware.

        Neither is the narrower one, so together they leave it unknown.
        """
        about, places = chosen.claim["about"], {stack.get("hardware.class"), stack.get("platform")}
        if "platform" in about or not about.keys() & {"architecture", "model_type"}:
            return None
        general = [
            statement
            for statement in self.ledger.on_offer(self.engine.id, requirement, {})
            if statement.claim["about"].get("platform") in places and "backend" not in statement.claim["about"]
            if "when" not in statement.claim or self._holds(statement.claim["when"], stack).yes
        ]
        here = for_hardware(general, stack)
        carried, deciding = self._carried(here) if here else (None, [])
        return deciding[0] if carried is not None and carried.status in NEGATIVE else None

    def _shows(self, tree: dict | None, stack: Stack) -> tuple[bool, bool]:
        """Whether the lack of a requirement can show in this stack, and whether it can be kept from showing."""
        condition = parse(tree)[0] if tree else ALWAYS
        return not evaluate(condition, stack).no, not evaluate(condition, stack, always=True).yes

    def backend_offer(self, requirement: str, backend: str, stack: Stack) -> str | None:
        """What one attention backend offers for a requirement on the stack's hardware; None where no source speaks of it."""
        statements = self.ledger.on_offer(self.engine.id, requirement, stack.names, backend)
        here = for_hardware([s for s in statements if "when" not in s.claim or self._holds(s.claim["when"], stack).yes], stack)
        offers = self._best_offers(here)
        return self._highest(offers)[1].status if offers else None

    def _highest(self, offers: dict[int, list[Statement]]):
        """The highest rank that reaches the version in question, what it comes to and what decides it: a page about this release stands before
        code that was last read long before it. The highest of all where none reaches it; one whose own sources disagree hides the lower ones.
        """
        found = [(rank, *self._carried(offers[rank])) for rank in sorted(offers, reverse=True)]
        return next((one for one in found if one[1].status is not None or disagree(*one[1:])), found[0])

    def _best_offers(self, statements: list[Statement], worst: bool = False) -> dict[int, list[Statement]]:
        """By rank: of one snapshot's claims, one backend that has it is enough; statements of other versions stay as they are.

        With `worst`, one that lacks it is enough.
        """
        order = ["native", "redirected", "rewritten", "fallback", "known-issues", "plugin", "partial"]
        best: dict[tuple[str, str], Statement] = {}
        ranked = sorted(statements, key=lambda statement: order.index(statement.status) if statement.status in order else len(order), reverse=worst)
        for statement in ranked:
            best.setdefault((statement.snapshot.id, statement.version), statement)
        by_rank: dict[int, list[Statement]] = defaultdict(list)
        for statement in best.values():
            by_rank[statement.source.rank].append(statement)
        return by_rank

    def _carried(self, statements: list[Statement]):
        """The statements of one rank carried to the version in question, and those that decide it."""
        observations = [Observation(statement.version, self.dates.get(statement.version), statement.status) for statement in statements]
        carried = carry(
            self.engine.data["scheme"],
            observations,
            self.release.version,
            self.release.date,
            carry_minor_releases=self.thresholds["carry_minor_releases"],
            carry_days=self.thresholds["carry_days"],
        )
        if carried.status is not None and carried.basis and all(self._left_behind(version) for version in carried.basis):
            carried = replace(carried, stale=True)
        deciding = [statement for statement in statements if statement.status == carried.status]
        deciding.sort(key=lambda statement: (statement.version != self.release.version, statement.version not in carried.basis, statement.snapshot.id))
        return carried, deciding or statements

    def _left_behind(self, version: str) -> bool:
        """Whether upstream has gone on so far since a version that it is stale for whoever asks for none by name."""
        upstream = self.engine.data.get("upstream")
        if upstream is None or not self.release.assumed:
            return False
        old, new = (parse_version(self.engine.data["scheme"], text) for text in (version, upstream["version"]))
        minors = minors_between(old, new) if old and new else None
        return minors is not None and minors >= self.thresholds["stale_minor_releases"]

    def _against(self, status: str, lower: list) -> list[Statement]:
        opposite = NEGATIVE if status in POSITIVE else POSITIVE
        return [
            statement
            for _, carried, deciding in lower
            if carried.status in opposite and carried.how in ("exact", "same-minor", "interpolated")
            for statement in deciding[:1]
        ]

    def _holds(self, tree: dict, stack: Stack) -> Truth:
        return evaluate(parse(tree)[0] if tree else ALWAYS, stack)
