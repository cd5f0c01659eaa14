"""Which modules a quantization_config means: its lists mix names, parts of names, wildcards and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate

PREFIXES = ("", "model.", "language_model.model.", "model.language_model.")
_PREFIX = re.compile(r"^(?:language_model\.|model\.)+")
_MOST_REPEATS, _LONGEST = 4, 200


class Names:
    """A list of module names that knows whether it means a module.

    A plain name means the module and all below it, or any module that ends in it; so does one with wildcards. "re:" starts a
    regular expression that matches from the start (compressed-tensors). What a regular expression could not be read from is in
    `unread`: one that is broken, or has so many repeats that it might take forever.
    """

    def __init__(self, patterns: Iterable[object]) -> None:
        self.unread: list[str] = []
        self._plain: set[str] = set()
        self._patterns: list[re.Pattern[str]] = []
        self.all = tuple(pattern for pattern in patterns if isinstance(pattern, str) and pattern)
        wild = []
        for pattern in self.all:
            if pattern.startswith("re:"):
                self._add_expression(pattern[3:])
            elif any(sign in pattern for sign in "*?["):
                wild.append(pattern)
            else:
                self._plain.add(_PREFIX.sub("", pattern))
        self._add_wild(wild)

    def __contains__(self, name: str) -> bool:
        if not self.all:
            return False
        steps = name.split(".")
        ends = {".".join(steps[:count]) for count in range(1, len(steps) + 1)} | {".".join(steps[count:]) for count in range(len(steps))}
        if ends & self._plain:
            return True
        return any(pattern.match(prefix + name) for pattern in self._patterns for prefix in PREFIXES)

    def _add_expression(self, expression: str) -> None:
        repeats = len(re.findall(r"[*+{]", expression))
        try:
            if repeats > _MOST_REPEATS or len(expression) > _LONGEST or re.search(r"[*+}]\)+[*+{]", expression):
                raise re.error("too many repeats")
            self._patterns.append(re.compile(expression))
        except (re.error, OverflowError, RecursionError):
            self.unread.append(f"re:{expression[:80]}")

    def _add_wild(self, patterns: list[str]) -> None:
        """Wildcards of a list as one expression; each also means what is below the modules that it names."""
        short = [pattern for pattern in patterns if len(pattern) <= _LONGEST and pattern.count("*") <= _MOST_REPEATS]
        self.unread += [pattern[:80] for pattern in patterns if pattern not in short]
        for start in range(0, len(short), 100):
            few = short[start : start + 100]
            self._patterns.append(re.compile("|".join(translate(pattern) + "|" + translate(f"{pattern}.*") for pattern in few)))
