"""What statements say together: by the stack's hardware, by the model's name, and where they contradict each other."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.condition import MISSING
from infercompat.join.claims import POSITIVE, Holds, Source, Statement
from infercompat.join.stack import Stack
from infercompat.versions import Carried

_MACHINE = frozenset({"platform", "hardware.class", "hardware.id"})


def unplaced(stack: Stack) -> bool:
    """Whether nobody said on which hardware."""
    return stack.get("hardware.class") is MISSING and stack.get("platform") is MISSING


def on_any_hardware(statements: list[Statement], holds: Holds) -> list[Statement]:
    """Statements as they are read where nobody named hardware: what only that decides holds where it is good news, and is left out where it is bad."""
    found = []
    for statement in statements:
        truth = holds(statement.claim["when"]) if "when" in statement.claim else None
        if truth is None or truth.value is not None or not truth.missing or not _MACHINE.issuperset(truth.missing):
            found.append(statement)
        elif statement.status in POSITIVE:
            found.append(replace(statement, claim={**statement.claim, "when": {}}))
    return found


def by_place(statements: list[Statement], stack: Stack, narrower: set[str]) -> tuple[list[Statement], list[Statement]]:
    """Those that speak of the stack's class or platform, and those that speak of none.

    What a snapshot says of a place, or of the model by name (those in `narrower`), stands before what it says of all, but for what it says
    under a condition. On unknown hardware no place refuses it.
    """
    placed = [statement for statement in statements if "platform" in statement.claim["about"]]
    anywhere = [statement for statement in statements if "platform" not in statement.claim["about"]]
    nowhere = unplaced(stack)
    here = [] if nowhere else for_hardware(placed, stack)
    special = narrower | {statement.snapshot.id for statement in here}
    left = [statement for statement in anywhere if "when" in statement.claim or statement.snapshot.id not in special]
    return here, left if anywhere or not nowhere else [statement for statement in placed if statement.status in POSITIVE]


def for_hardware(statements: list[Statement], stack: Stack) -> list[Statement]:
    """Those that speak of the stack's class, else of its platform, else of none; on unknown hardware those of none, else all."""
    places = [stack.get("hardware.class"), stack.get("platform"), None]
    if unplaced(stack):
        return [statement for statement in statements if "platform" not in statement.claim["about"]] or statements
    narrowest: dict[str | None, int] = {}
    for about in (statement.claim["about"] for statement in statements):
        if about.get("platform") in places:
            place, backend = places.index(about.get("platform")), about.get("backend")
            narrowest[backend] = min(place, narrowest.get(backend, place))
    # What one backend lacks on a class says nothing of the others there; what the engine lacks there holds for all of them.
    widest = narrowest.get(None, len(places))
    return [
        statement
        for statement in statements
        if (about := statement.claim["about"]).get("platform") in places
        and places.index(about.get("platform")) == narrowest[about.get("backend")]
        and narrowest[about.get("backend")] <= widest
    ]


def disagree(carried: Carried, statements: list[Statement]) -> bool:
    """Whether sources of one rank contradict each other at one version, which no lower rank can settle."""
    return carried.how == "none" and len({statement.status for statement in statements if statement.version in carried.basis}) > 1


def sources_in(statements: list[Statement]) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(statement.source for statement in statements))
