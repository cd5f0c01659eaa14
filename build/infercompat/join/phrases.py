"""What statuses read like in a finding."""

from __future__ import annotations

from infercompat.join.claims import Statement

BASIS = {
    "official": "the publisher's config.json",
    "mirror": "a copy of config.json",
    "engine-table": "a table in another project's code",
    "class-default": "the defaults of a class",
    "derived-facts": "another tool's summary",
}
"""What a config was read from."""

_PHRASES = {
    "native": "implemented by the engine itself",
    "fallback": "run through the engine's generic path",
    "plugin": "served through a plugin",
    "redirected": "handed to the engine's other path",
    "rewritten": "loaded as another architecture",
    "partial": "supported in part",
    "known-issues": "listed with known issues",
    "untested": "listed as untested",
    "removed": "no longer supported",
    "unsupported": "not supported",
    "not-applicable": "marked not applicable, which decides nothing",
}


def says(status: str, statement: Statement) -> str:
    phrase = _PHRASES.get(status, status)
    if status == "rewritten" and statement.field("loads_as"):
        phrase = f"loaded as {statement.field('loads_as')}"
    if status == "removed" and statement.field("last_version"):
        phrase += f" after {statement.field('last_version')}"
    if status == "unsupported" and statement.claim is None:
        phrase = "absent from the whole registry"
    return phrase


def with_exceptions(finding: str, places: list[str]) -> str:
    """A finding, and the classes and platforms on which the whole engine lacks what it speaks of."""
    return f"{finding.removesuffix('.')}; not on {' or '.join(places)}" if places else finding
