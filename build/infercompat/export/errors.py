"""The error index as a script can search it: Python's patterns in the spelling that browsers read."""

from __future__ import annotations

import re
from typing import Any

from infercompat.answer.diagnose.index import patterns
from infercompat.link import Catalog

GLOBAL_FLAGS = re.compile(r"\(\?([ims]+)\)")
"""Flags for a whole pattern, which Python takes at its start."""


def errors(catalog: Catalog) -> list[dict[str, Any]]:
    """Every pattern of every gotcha, in the order of the index, with what a person needs to go on."""
    return [
        {
            **{"gotcha": known.gotcha.id, "title": known.gotcha.name, "engine": known.gotcha.data["engine"]},
            **{"severity": known.gotcha.data["severity"], "status": known.gotcha.data["status"], "by": known.by},
            **browser_pattern(known.pattern.pattern),
            "workarounds": [text for workaround in known.gotcha.data["workarounds"] if (text := in_words(workaround))],
        }
        for known in patterns(catalog)
    ]


def browser_pattern(pattern: str) -> dict[str, str]:
    """`pattern` and `flags` as JavaScript has them: named groups without the P, flags beside the pattern, an escaped quote bare."""
    flags = GLOBAL_FLAGS.match(pattern)
    bare = pattern[flags.end() :] if flags else pattern
    return {"pattern": bare.replace("(?P<", "(?<").replace("\\A", "^").replace("\\Z", "$"), "flags": flags[1] if flags else ""}


def in_words(workaround: dict[str, Any]) -> str:
    """A workaround in a few words: what to set, drop or take, or the advice as it is written."""
    if "set" in workaround:
        return "set " + ", ".join(f"{name} = {str(value).lower() if isinstance(value, bool) else value}" for name, value in workaround["set"].items())
    if "drop" in workaround:
        return f"leave out {workaround['drop']}"
    for key in ("upgrade", "downgrade"):
        if key in workaround:
            return f"{key} to " + ", ".join(f"{name} {version}" for name, version in workaround[key].items())
    return str(workaround.get("advice", ""))
