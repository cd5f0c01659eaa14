"""One cell of the matrix: the chain, the gates, and the verdict that follows from them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from infercompat.derive import Derived, Unknown
from infercompat.join.claims import Source
from infercompat.join.gates import Gate
from infercompat.join.grade import Grade
from infercompat.join.hops import Hop, Release
from infercompat.records import Record

VERDICTS = ("yes", "only-with", "unknown", "no")


class Cell(Struct, frozen=True):
    """A model on an engine at a version. `missing` names what an unknown verdict waits for."""

    model: Record
    engine: Record
    release: Release
    derived: Derived | Unknown
    hops: tuple[Hop, ...]
    gates: tuple[Gate, ...]
    verdict: str
    reason: str
    grade: Grade | None
    missing: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()

    @property
    def deciding(self) -> tuple[Hop, ...]:
        """The hops that the verdict rests on."""
        return deciding_hops(self.hops, self.verdict)

    @property
    def limits(self) -> list[Hop]:
        """Hops with a gap: it runs, and something is missing."""
        return [hop for hop in self.hops if hop.state == "gap"]

    def sources(self) -> Iterator[Source]:
        """The evidence of the deciding hops, each source once."""
        yield from dict.fromkeys(source for hop in self.deciding for source in hop.sources)


def deciding_hops(hops: tuple[Hop, ...], verdict: str) -> tuple[Hop, ...]:
    if verdict == "no":
        failed = tuple(hop for hop in hops if hop.state == "fails" and not hop.avoided_by)
        if failed:
            return failed  # otherwise a gotcha decides, and what holds up to it
    if verdict == "unknown":
        return tuple(hop for hop in hops if hop.state == "unknown")
    return tuple(hop for hop in hops if hop.state != "unknown")


def decide(hops: tuple[Hop, ...], gates: tuple[Gate, ...]) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Verdict, its reason in a sentence, what is missing, and the conditions of only-with.

    A negative hop, or a blocking gotcha that is met and has no workaround, decides before an unknown hop; one with a
    workaround makes it only-with after it. Gates that wait for a setting or hardware leave the verdict.
    """
    failed = [hop for hop in hops if hop.state == "fails" and not hop.avoided_by]
    if failed:
        return "no", f"{failed[0].name}: {failed[0].finding}", (), ()
    blocking = [gate for gate in gates if gate.blocks]
    stuck = [gate for gate in blocking if not gate.gotcha.data["workarounds"]]
    if stuck:
        return "no", f"{stuck[0].gotcha.id} and no workaround is recorded", (), ()
    unknown = [hop for hop in hops if hop.state == "unknown" and not hop.optional]
    if unknown:
        return "unknown", f"{unknown[0].name}: {unknown[0].finding}", tuple(hop.name for hop in unknown), ()
    conditions = tuple(hop.avoided_by for hop in hops if hop.state == "fails") + tuple(f"a workaround of {gate.gotcha.id}" for gate in blocking)
    if conditions:
        return "only-with", " ".join(conditions), (), conditions
    gaps = [hop for hop in hops if hop.state == "gap"]
    if gaps:
        return "yes", "; ".join(f"{hop.name}: {hop.finding}" for hop in gaps), (), ()
    return "yes", "every hop holds", (), ()
