"""Where the sources disagree: live claims on one subject that cannot both hold, found by comparing snapshots and never typed.

Within one file, within a release (a page against the code, or what a page leaves out), across versions where a page has no code of its
own version beside it and the code of an older and of a newer one agree against it, and across projects, which spell one architecture in
several ways. What the code of a later version alone lacks may have been removed since: both hold then, and that is no contradiction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from infercompat.join.claims import NEGATIVE, POSITIVE, Ledger
from infercompat.records import Record
from infercompat.versions import Ordered, parse_version

KINDS = ("one-file", "same-release", "left-out", "version-skew", "spelling")
LIMITS = ("compute-capability", "cache-types")
"""Features whose values are the whole of what is taken, so that two that differ cannot both hold."""
_FORMAT = "quantization."
About = tuple[tuple[str, Any], ...]


class Side(Struct, frozen=True):
    """What one source says: the engine and version it speaks of, its word, and where that stands."""

    engine: str
    version: str
    says: str
    source: str
    url: str
    at: str


class Conflict(Struct, frozen=True):
    """Two sources against each other on one subject. `subject` is the architecture, backend or feature in question."""

    kind: str
    engine: str
    subject: str
    about: About
    sides: tuple[Side, Side]
    more: tuple[tuple[Side, ...], tuple[Side, ...]] = ((), ())
    """Who else says what either side says."""

    @property
    def engines(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The engines that say the one, and those that say the other."""
        return tuple(tuple(side.engine for side in (first, *others)) for first, others in zip(self.sides, self.more, strict=True))


def conflicts(ledger: Ledger) -> list[Conflict]:
    """Every conflict of the catalog, by kind, engine and subject."""
    found: list[Conflict] = []
    engines = sorted({snapshot.data["engine"] for snapshot in ledger.catalog.of_kind("support")})
    for engine in engines:
        found += _of_engine(ledger, engine)
    found += _spellings(ledger, engines)
    return sorted(dict.fromkeys(found), key=lambda conflict: (KINDS.index(conflict.kind), conflict.engine, conflict.subject, conflict.about))


def _of_engine(ledger: Ledger, engine: str) -> Iterator[Conflict]:
    snapshots = ledger.snapshots(engine)
    said = {snapshot.id: _by_subject(snapshot) for snapshot in snapshots}
    for snapshot in snapshots:
        for about, claims in said[snapshot.id].items():
            pair = _opposed(claims)
            if pair:
                yield _conflict(ledger, "one-file", about, (snapshot, pair[0]), (snapshot, pair[1]))
    pages = [snapshot for snapshot in snapshots if _rank(ledger, snapshot) < _rank_of_code(ledger)]
    codes = [snapshot for snapshot in snapshots if _rank(ledger, snapshot) >= _rank_of_code(ledger)]
    for page in pages:
        own = [code for code in codes if code.data["version"] == page.data["version"]]
        for code in own:
            yield from _page_against_code(ledger, "same-release", page, said[page.id], code, said[code.id])
        if not own:
            yield from _between(ledger, engine, page, codes, said)
    yield from _left_out(ledger, pages, codes, said)
    yield from _formats(ledger, pages, codes, said)


def _page_against_code(ledger: Ledger, kind: str, page: Record, ours: dict, code: Record, theirs: dict) -> Iterator[Conflict]:
    fallback = any(about == (("architecture", "*"),) for about in theirs)
    for about, claims in ours.items():
        other = theirs.get(about)
        if other:
            pair = _opposed([*claims, *other], across=len(claims))
            if pair:
                yield _conflict(ledger, kind, about, (page, pair[0]), (code, pair[1]))
        elif code.data.get("complete") and len(about) == 1 and about[0][0] in ("architecture", "model_type") and about[0][1] != "*":
            stated = next((claim for claim in claims if claim["holds"] in POSITIVE - {"fallback", "plugin"}), None)
            if stated and about[0][0] == _key(theirs):
                words = "not in the registry" + ("; at most the fallback" if fallback else "")
                yield _conflict(ledger, kind, about, (page, stated), (code, {"holds": words, "at": ""}))


def _between(ledger: Ledger, engine: str, page: Record, codes: list[Record], said: dict) -> Iterator[Conflict]:
    """A page without code of its own version: what the whole registries next before and next after it agree against."""
    place = _order(ledger, engine, page.data["version"])
    whole = sorted((code for code in codes if code.data.get("complete")), key=lambda code: _order(ledger, engine, code.data["version"]))
    before = [code for code in whole if _order(ledger, engine, code.data["version"]) < place][-1:]
    after = [code for code in whole if _order(ledger, engine, code.data["version"]) > place][:1]
    if before and after:
        found = {code.id: list(_page_against_code(ledger, "version-skew", page, said[page.id], code, said[code.id])) for code in (*before, *after)}
        both = {conflict.about for conflict in found[before[0].id]}
        yield from (conflict for conflict in found[after[0].id] if conflict.about in both)


def _left_out(ledger: Ledger, pages: list[Record], codes: list[Record], said: dict) -> Iterator[Conflict]:
    """What the code has and no page of the same version lists, for pages of which every row was read."""
    whole: dict[str, list[Record]] = defaultdict(list)
    for page in pages:
        if page.data.get("whole_page"):
            whole[page.data["version"]].append(page)
    for code in codes:
        listing = whole.get(code.data["version"], [])
        for key in ("architecture", "backend"):
            if key == "architecture" and not code.data.get("complete"):
                continue
            listed = {claim["about"][key] for page in listing for claim in page.data["claims"] if key in claim["about"]}  # a condition lists too
            first = next((page for page in listing if any(name == key for about in said[page.id] for name, _ in about)), None)
            if not listed or first is None:
                continue
            for about, claims in said[code.id].items():
                if [name for name, _ in about] == [key] and about[0][1] not in listed | {"*"} and claims[0]["holds"] == "native":
                    yield _conflict(ledger, "left-out", about, (first, {"holds": "not listed", "at": ""}), (code, claims[0]))


def _formats(ledger: Ledger, pages: list[Record], codes: list[Record], said: dict) -> Iterator[Conflict]:
    """Weight formats of one word that a page marks and that the code of the same version takes under no name."""
    for page in pages:
        for code in (code for code in codes if code.data["version"] == page.data["version"]):
            names = [value for about in said[code.id] for name, value in about if name == "feature" and str(value).startswith(_FORMAT)]
            told: set[str] = set()
            for about, claims in said[page.id].items() if names else ():
                word = str(dict(about).get("feature", "")).removeprefix(_FORMAT)
                marked = f"{_FORMAT}{word}" == dict(about).get("feature") and claims[0]["holds"] in POSITIVE
                if marked and word.isalpha() and word not in told and not any(word in name for name in names):
                    told.add(word)
                    yield _conflict(ledger, "same-release", (("feature", f"{_FORMAT}{word}"),), (page, claims[0]), (code, {"holds": "under no name", "at": ""}))


def _spellings(ledger: Ledger, engines: list[str]) -> Iterator[Conflict]:
    """Architectures that whole registries of two projects write in two ways, by case and underscores alone; a claim by hand is no name of theirs."""
    used: dict[str, dict[str, list[tuple[Record, dict]]]] = defaultdict(lambda: defaultdict(list))
    for engine in engines:
        whole = [snapshot for snapshot in ledger.snapshots(engine) if snapshot.data.get("complete")]
        newest = max((s.data["version"] for s in whole), key=lambda text: _order(ledger, engine, text), default=None)
        for snapshot in (s for s in whole if s.data["version"] == newest):
            for claim in snapshot.data["claims"]:
                name = claim["about"].get("architecture", "*")
                if name != "*" and len(claim["about"]) == 1 and claim["holds"] in POSITIVE and "by_hand" not in claim:
                    used[name.replace("_", "").lower()][name].append((snapshot, claim))
    for names in used.values():
        spelled = sorted(names)
        for index, one in enumerate(spelled):
            for other in spelled[index + 1 :]:
                ours, theirs = names[one], names[other]
                alone = [entry for entry in ours if entry[0].data["engine"] not in {snapshot.data["engine"] for snapshot, _ in theirs}]
                against = [entry for entry in theirs if entry[0].data["engine"] not in {snapshot.data["engine"] for snapshot, _ in ours}]
                if alone and against:
                    sides = [[_side(ledger, *entry, name) for entry in sorted(found, key=_by_engine)] for found, name in ((alone, one), (against, other))]
                    engines = " against ".join(", ".join(dict.fromkeys(side.engine for side in said)) for said in sides)
                    about = (("architecture", one), ("spelled", other))
                    yield Conflict("spelling", engines, one, about, (sides[0][0], sides[1][0]), (tuple(sides[0][1:]), tuple(sides[1][1:])))


def _listed(claim: dict) -> set[str]:
    return set(str(claim.get("value")).split(", "))


def _by_engine(entry: tuple[Record, dict]) -> str:
    return entry[0].data["engine"]


def _by_subject(snapshot: Record) -> dict[About, list[dict]]:
    """Unconditional claims by what they are about."""
    found: dict[About, list[dict]] = defaultdict(list)
    for claim in snapshot.data["claims"]:
        if "when" not in claim:
            found[tuple(sorted(claim["about"].items()))].append(claim)
    if any("when" in claim and claim["about"].get("architecture") == "*" for claim in snapshot.data["claims"]):
        found.setdefault((("architecture", "*"),), [{"holds": "fallback", "at": ""}])
    return found


def _opposed(claims: list[dict], across: int = 0) -> tuple[dict, dict] | None:
    """The first two claims that cannot both hold: yes against no, or two different limits. With `across`, one of each side of that place."""
    pairs = [(a, b) for a in claims[: across or None] for b in (claims[across:] if across else claims) if a is not b]
    for a, b in pairs:
        if (a["holds"] in POSITIVE and b["holds"] in NEGATIVE) or (a["holds"] in NEGATIVE and b["holds"] in POSITIVE):
            return a, b
        if across and {a["holds"], b["holds"]} == {"native", "rewritten"}:
            return a, b
        if a["about"].get("feature") in LIMITS and _listed(a) != _listed(b):
            return a, b
    return None


def _conflict(ledger: Ledger, kind: str, about: About, one: tuple[Record, dict], two: tuple[Record, dict]) -> Conflict:
    words = dict(about)
    subject = str(words.get("architecture") or words.get("backend") or words.get("model_type") or words.get("feature") or "")
    return Conflict(kind, one[0].data["engine"], subject, about, (_side(ledger, *one), _side(ledger, *two)))


def _side(ledger: Ledger, snapshot: Record, claim: dict, spelled: str = "") -> Side:
    source = ledger.source(snapshot, claim if "about" in claim else None)
    says = claim["holds"] if claim.get("value") is None else f"{claim['holds']} ({claim['value']})"
    says = says if claim.get("last_version") is None else f"{says} after {claim['last_version']}"
    return Side(snapshot.data["engine"], snapshot.data["version"], f"{spelled}: {says}" if spelled else says, source.id, ledger.url(source) or "", source.at)


def _key(said: dict[About, list[dict]]) -> str:
    """What a registry is keyed by."""
    return next((about[0][0] for about in said if len(about) == 1 and about[0][0] in ("architecture", "model_type")), "")


def _rank(ledger: Ledger, snapshot: Record) -> int:
    return ledger.source(snapshot, None).rank


def _rank_of_code(ledger: Ledger) -> int:
    return ledger.catalog.vocabulary.get("source-rank", {}).get("code", 5)


def _order(ledger: Ledger, engine: str, text: str) -> tuple:
    record = ledger.catalog.records[engine]
    version = parse_version(record.data["scheme"], text)
    places = [entry["version"] for entry in record.data["releases"]]
    return (1, version.key) if isinstance(version, Ordered) else (0, -places.index(text) if text in places else -len(places))
