"""From prose to tokens, and from tokens to values: a small grammar of sums, products and powers, read by descent."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from msgspec import Struct

from infercompat.equations.values import Unreadable, Value, combine, polynomial, power

MAX_TOKENS, MAX_DEPTH = 120, 12

_TOKEN = re.compile(
    r"""(?P<stop>\n[ \t\r]*\n\s*|\n[ \t]*[-*+>][ \t])
      | (?P<space>\s+)
      | (?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2}(?!\w))
      | (?P<number>(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,40})(?:\.[0-9]{1,40})?(?:[eE][0-9]{1,2})?
          (?=(?:[KMGT]iB|[xX×])?(?!\w|[.,:][0-9]|-[A-Za-z])|[xX×][0-9(]))
      | (?P<unit>(?P<of>[KMGT]iB|[Bb]ytes?|B|%|tokens?|layers?|heads?|entries|elements?)
          (?:\s?(?:/|\b(?:a|per)\b)\s?(?:token|layer|head|sequence|image))?(?![\w-]))
      | (?P<cross>[xX](?![A-Za-z_])|[×·⋅])
      | (?P<word>\#?\w+(?:[-.,:'’]\w+)*)
      | (?P<odd>[=!<>:~+*/-]=|=[=>~]|<-|->|[~≈≃<>≤≥≠±≡√∑∏#$€£@&\\|\ufffc])
      | (?P<op>\*\*|[-+*/^−÷])
      | (?P<equals>=)
      | (?P<open>\()
      | (?P<close>\))
      | (?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_SIGNS = {"×": "*", "·": "*", "⋅": "*", "x": "*", "X": "*", "÷": "/", "−": "-", "**": "^"}
_UNITS = {"byte": "B", "bytes": "B", "Byte": "B", "Bytes": "B", "B": "B", "%": "%", "KiB": "KiB", "MiB": "MiB", "GiB": "GiB", "TiB": "TiB"}
OPERANDS = frozenset({"number", "name", "unit", "close"})


class Token(Struct, frozen=True):
    """A piece of text. Kinds: number, name (a variable), unit, op, dash (a minus with spaces around it, which may be a dash), open,
    close, equals; and outside of arithmetic word, date, odd (a sign that makes what it touches unreadable), stop and other."""

    kind: str
    text: str
    start: int
    end: int


def tokens(text: str) -> list[Token]:
    """All of a text, spaces left out."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "space":
            kind, written = _kind(match, found[-1] if found else None, text[match.end() : match.end() + 1])
            found.append(Token(kind, written, match.start(), match.end()))
    return found


def _kind(match: re.Match, previous: Token | None, following: str) -> tuple[str, str]:
    """What a match means after the token before it: x may be a sign, a unit or a variable."""
    kind, written = str(match.lastgroup), match[0]
    expected = previous is None or previous.kind not in OPERANDS
    glued = previous is not None and previous.end == match.start()
    if kind in ("unit", "of"):
        return ("name" if written == "B" else "word", written) if expected else ("unit", _UNITS.get(match["of"], ""))
    if kind == "cross" and expected:
        behind_word = previous is not None and previous.kind == "word"
        return ("name" if written in "xX" and not behind_word and not following.isalnum() else "odd"), written
    if kind == "cross":
        return ("unit", "x") if glued and not (following.isdigit() or following == "(") else ("op", "*")
    if kind == "word" and len(written) == 1 and expected and written.isascii() and written.isalpha() and written not in "aAI":
        return "name", written
    if kind == "op":
        return _sign(written, previous, expected, glued, following), _SIGNS.get(written, written)
    return kind, written


def _sign(written: str, previous: Token | None, expected: bool, glued: bool, following: str) -> str:
    """Whether a sign is one of arithmetic, a dash, or a star of Markdown's emphasis."""
    spaced = not following.strip()
    if written in ("*", "**") and expected:
        return "stop" if previous is None or previous.kind in ("stop", "other") else "odd"
    if written in ("*", "**") and glued and spaced:
        return "stop" if written == "**" else "odd"
    if written == "**" and following in ".,;:)":
        return "stop"
    if written in "-−" and spaced:
        return "odd" if expected else "op" if glued else "dash"
    return "op"


def parse(side: Sequence[Token]) -> Value:
    """What a side comes to; raises Unreadable where it is no arithmetic from end to end."""
    if not 0 < len(side) <= MAX_TOKENS:
        raise Unreadable
    parser = _Parser(side)
    value = parser.sum()
    if parser.at < len(side):
        raise Unreadable
    return value


class _Parser:
    def __init__(self, side: Sequence[Token]):
        self.side, self.at, self.depth = side, 0, 0

    def sum(self) -> Value:
        return self._chain("+-", lambda: self._chain("*/", self._factor))

    def _chain(self, signs: str, part: Callable[[], Value]) -> Value:
        value = part()
        while sign := self._take(("op", "dash"), signs):
            value = combine(sign.text, value, part())
        return value

    def _factor(self) -> Value:
        if self._take(("op",), "-"):
            return combine("*", Value.of(-1), self._deeper(self._factor))
        value = self._atom()
        if self._take(("op",), "^"):
            value = power(value, self._deeper(self._factor))
        unit = self._take(("unit",))
        if unit and unit.text and value.unit:
            raise Unreadable
        return Value(value.top, value.bottom, unit.text, value.name) if unit and unit.text else value

    def _atom(self) -> Value:
        if number := self._take(("number",)):
            return Value.of(Fraction(number.text.replace(",", "")))
        if name := self._take(("name",)):
            return Value(polynomial([Fraction(0), Fraction(1)]), name=name.text)
        if not self._take(("open",)):
            raise Unreadable
        value = self._deeper(self.sum)
        if not self._take(("close",)):
            raise Unreadable
        return value

    def _take(self, kinds: tuple[str, ...], texts: str = "") -> Token | None:
        token = self.side[self.at] if self.at < len(self.side) else None
        if token is None or token.kind not in kinds or (texts and token.text not in texts):
            return None
        self.at += 1
        return token

    def _deeper(self, part: Callable[[], Value]) -> Value:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable
        value = part()
        self.depth -= 1
        return value
