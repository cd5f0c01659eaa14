"""What a rule says of itself: its page, its explanation on the command line and its tests are made from this."""

from __future__ import annotations

from msgspec import Struct

from infercompat.diagnostic import ERROR


class Declaration(Struct, frozen=True):
    """One rule. Examples are files of a small catalog: a line `# catalog/…` starts each, the guilty line ends in `# CODE`."""

    code: str
    name: str
    what: str
    why: str
    bad: str
    good: str
    severity: str = ERROR
    since: str = "0.1.0"


def files_of(example: str) -> dict[str, str]:
    """The files of an example: path to text, the path line kept out."""
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in example.strip("\n").splitlines():
        if line.startswith("# catalog/"):
            lines = files.setdefault(line[2:].strip(), [])
        else:
            lines.append(line)
    return {path: "\n".join(lines) + "\n" for path, lines in files.items()}
