"""What a drift run found, in a size that a pull request takes: each part and each engine has its share, and what is left out is said.

`python -m infercompat.harvest.summary FOLDER` prints it of a folder that holds what the verbs printed, one file a part.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

PARTS = ("releases", "claims", "written", "faults", "tests", "lines", "links")
"""What is looked at, in the order of the summary; a part that was not run has no file."""

MOST = 60_000
"""Characters of a summary. A pull request takes 65,536."""

BLOCK = re.compile(r"^== (.+)$", re.M)
"""How the lines of one engine begin."""


def blocks(text: str) -> list[tuple[str, list[str]]]:
    """A part's lines by engine, in order; those before the first engine, and the status after the last, have no name."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines():
        if named := BLOCK.fullmatch(line):
            found.append((named[1], []))
        elif line.startswith("status "):
            found.append(("", [line]))
        else:
            found[-1][1].append(line)
    return [(name, lines) for name, lines in found if name or lines]


def shares(sizes: list[int], most: int) -> list[int]:
    """How much of `most` each gets: all that it wants where that is less than an even share, and what is left over goes to the others."""
    given, left = [0] * len(sizes), most
    order = sorted(range(len(sizes)), key=sizes.__getitem__)
    for place, index in enumerate(order):
        given[index] = min(sizes[index], left // (len(sizes) - place))
        left -= given[index]
    return given


def shortened(text: str, most: int) -> str:
    """A part within a number of characters, cut at ends of lines in each engine's block, with how many lines of which were left out."""
    found = blocks(text)
    whole = [[*([f"== {name}"] if name else []), *lines] for name, lines in found]
    sizes = [sum(len(line) + 1 for line in lines) for lines in whole]
    out, left = [], {}
    for (name, _), lines, room in zip(found, whole, shares(sizes, most), strict=True):
        kept = 0
        for line in lines:
            if len(line) + 1 > room:
                break
            room -= len(line) + 1
            kept += 1
        out += lines[:kept]
        if kept < len(lines):
            left[name] = left.get(name, 0) + len(lines) - kept
    if left:
        out.append("Left out here: " + ", ".join(f"{count} lines{f' of {name}' if name else ''}" for name, count in left.items()))
    return "\n".join(out)


def summary(folder: Path, most: int = MOST) -> str:
    """The parts of a folder as Markdown, those with little whole. Bytes that are no text are left out."""
    texts = {part: (folder / f"{part}.txt").read_text("utf-8", "ignore") for part in PARTS if (folder / f"{part}.txt").is_file()}
    frame = sum(len(f"## {part}\n\n```\n\n```\n\n") + 2000 for part in texts)  # a line of what was left out may name every engine
    rooms = shares([len(text) for text in texts.values()], max(0, most - frame))
    out = []
    for (part, text), room in zip(texts.items(), rooms, strict=True):
        body = shortened(text.replace("```", "'''"), room)
        out.append(f"## {part}\n\n```\n{body}\n```\n")
    return "\n".join(out)


if __name__ == "__main__":
    print(summary(Path(sys.argv[1])))
