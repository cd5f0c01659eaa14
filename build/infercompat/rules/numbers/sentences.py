"""Prose as the rules on numbers see it: code, addresses, links and quotations blanked out, then cut into sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

BLANK = "\ufffc"
_LINE = r"[^\n{0}]*(?:\n(?!\s*\n)[^\n{0}]*)*"  # up to one of these signs, within a paragraph
_BLANKED = re.compile(
    "|".join(
        (
            r"```.*?(?:```|\Z)",
            r"~~~.*?(?:~~~|\Z)",
            r"(?:(?<=\n\n)|\A)(?:(?:[ ]{4}|\t)[^\n]*(?:\n|\Z))+",
            r"``(?!`)(?:[^\n]|\n(?!\s*\n))*?``",
            "`" + _LINE.format("`") + "`",
            r"^[ ]{0,3}>[^\n]*",
            r"\[\[[^\[\]\n]*\]\]",
            r"\{\{[^{}\n]*\}\}",
            r"\]\([^()\s]*\)",
            r"\b[a-z]{2,10}://[^\s<>)\]]+",
            '"' + _LINE.format('"') + '"',
            "“" + _LINE.format("“”") + "”",
            "«" + _LINE.format("«»") + "»",
            r"(?<!\w)[‘'](?=\S)[^\n'‘’]*(?<=\S)['’](?!\w)",
        )
    ),
    re.DOTALL | re.MULTILINE,
)
_MARKER = r"(?:[-*+]|[0-9]{1,3}[.)])[ \t]+"
_BREAK = re.compile(rf"(?<=[.!?])[)\]*_]*\s+(?=[A-Z0-9\[({{#*{BLANK}])|\n[ \t]*\n\s*(?:{_MARKER})?|\n[ \t]*{_MARKER}")
_LINK = re.compile(r"\[\[([^\[\]|#\n]+)")

_NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,12})"
_CONTEXT = re.compile(
    rf"(?<![\w.,:/#-])(?:(?P<k>[0-9]{{1,4}})\s?[kK]\b"
    rf"|(?P<n>{_NUMBER})(?![\w.]*[0-9])(?=[\s-]+(?:tokens?|max\b|maximum|native|context|positions)))"
    rf"|\b(?:[Aa]t|[Cc]ontext(?: of| is)?|[Cc] =)\s+(?:(?:its|the|a|native|full|max|context|length|of)\s+)*(?P<at>{_NUMBER})(?![\w.]*\w)"
)


def blank(text: str) -> str:
    """The text with everything that is not its own prose replaced, so that places stay what they are."""
    return _BLANKED.sub(lambda match: BLANK * len(match[0]), text)


class Sentence(Struct, frozen=True):
    """A sentence of a blanked text, where it starts there, and the targets of the links in it."""

    text: str
    start: int
    links: tuple[str, ...]

    @property
    def contexts(self) -> tuple[int, ...]:
        """The context lengths that it names, in tokens: 8,192 tokens, 32k, at 131,072."""
        return tuple(dict.fromkeys(contexts_in(self.text)))


def contexts_in(text: str) -> Iterator[int]:
    for match in _CONTEXT.finditer(text):
        written = match["n"] or match["at"]
        tokens = int(match["k"]) << 10 if match["k"] else int(written.replace(",", ""))
        if tokens >= 1024:
            yield tokens


def sentences(text: str, blanked: str) -> Iterator[Sentence]:
    """The sentences of a text and its blanked twin."""
    start = 0
    for end, following in [*((match.start(), match.end()) for match in _BREAK.finditer(blanked)), (len(blanked), len(blanked))]:
        if end > start:
            yield Sentence(blanked[start:end].replace("\n", " "), start, tuple(target.strip() for target in _LINK.findall(text[start:end])))
        start = max(start, following)
