"""The hop of the released build: whether it has code for the hardware, and the driver is new enough for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infercompat.condition import MISSING
from infercompat.join.hops import Hop, Joiner
from infercompat.join.stack import Stack
from infercompat.versions import compare, parse_version, reach


def binary(joiner: Joiner, stack: Stack) -> Hop | None:
    """The hop, from the `builds` of the engine's record; None where no class is named, or no build of its platform is on record."""
    engine, release = joiner.engine.data, joiner.release
    place, platform = stack.get("hardware.class"), stack.get("platform")
    builds = [build for build in engine.get("builds", ()) if build["platform"] == platform]
    if place is MISSING or not builds:
        return None
    reached = [(build, carried) for build in builds if (carried := reach(engine, build, release.version)) and carried.status]
    build, carried = reached[0] if reached else (builds[0], None)
    sources = tuple(joiner.ledger.source_of(cite["id"], cite.get("at", "")) for cite in build["cites"])
    if carried is None:
        finding = f"what builds have code for was read at {', '.join(build['seen_at'])}, and does not reach {release.version}"
        return Hop("binary", "unknown", finding, optional=True, sources=sources)
    common = dict(how=carried.how, stale=carried.stale, version=build["seen_at"][0], sources=sources)
    if place not in build["classes"]:
        until = _had_until(engine, builds, place)
        earlier = f". Releases before {until} had it" if until else ""
        finding = f"the released build has no code for {place}; it has it for {', '.join(build['classes'])}{earlier}"
        return Hop("binary", "fails", finding, "unsupported", "refuses", **common)
    least, driver = build.get("driver"), stack.get("driver.version")
    if least and driver is not MISSING and _older(str(driver), least):
        finding = f"the released build needs a driver of at least {least}, and this one is {driver}"
        return Hop("binary", "fails", finding, "unsupported", "refuses", avoided_by=f"Update the driver to {least} or newer.", **common)
    cuda = f", made with CUDA {build['cuda']}" if "cuda" in build else ""
    drivers = f", for drivers from {least} on" if least else ""
    return Hop("binary", "holds", f"the released build has code for {place}{cuda}{drivers}", "native", **common)


def _had_until(engine: Mapping[str, Any], builds: list[Mapping[str, Any]], place: str) -> str | None:
    """The version with which builds lost their code for a class, the latest where there are several; None where none is known to have had it."""
    latest = None
    for build in builds:
        if place in build["classes"] and "until" in build:
            old, new = (parse_version(engine["scheme"], text) if text else None for text in (latest, build["until"]))
            latest = build["until"] if old is None or (new is not None and compare(old, new) == "less") else latest
    return latest


def _older(one: str, other: str) -> bool:
    """Whether one version of a driver comes before another; False where they cannot be ordered."""
    first, second = parse_version("pep440", one), parse_version("pep440", other)
    return first is not None and second is not None and compare(first, second) == "less"
