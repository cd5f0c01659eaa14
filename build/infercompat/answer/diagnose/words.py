"""Shell text to words and flags: continuations, quotes, variables and JSON values, each word with its line."""

from __future__ import annotations

import ast
import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

MOST_LINES = 200
MOST_CHARACTERS = 20_000
"""No command is longer, nor what variables make of one; a quote that is still open by then is none."""
MOST_NUMBER = 1 << 53
"""Whole numbers from here on a script cannot tell apart."""

_CONTINUED = re.compile(r"(?:\\|(?<=\s)`|\^)\s*$")
_FLAG_LINE = re.compile(r"\s+--?[A-Za-z]")
_BACKSLASH = re.compile(r"(?<=[\w:.])\\(?=[\w.])")
_DRIVE = re.compile(r"(?<!\w)[A-Za-z]:\\")
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_END = re.compile(r"(?:&&|\|\|?|;|&|\d?&?>.*|<.*|#.*)$")
_VARIABLE = re.compile(r"\$(?:(\w+)|\((\w+)\)|\{(\w+)(?:\[[@*]\])?(?::?-([^}]*))?\})")
_ARRAY = re.compile(r"\s*(?:(?:declare|local|readonly)\s+(?:-a\s+)?)?([A-Za-z_]\w*)\+?=\((.*)$")
_FLAG = re.compile(r"--?[A-Za-z][\w.-]*")


PAIRED = "--overrides"
"""The flag of MLC LLM whose value is a list of pairs, a=1;b=2."""


class Word(NamedTuple):
    """A word of a command and the line that it stands on."""

    text: str
    line: int


class Flag(Struct, frozen=True):
    """A flag as written, its value or None where it stands alone, and its line; `place` tells which JSON value of the command holds it."""

    name: str
    value: Any
    line: int
    place: int = -1


def command_at(lines: Sequence[str], start: int) -> tuple[list[Word], int]:
    """The words of the command that begins on a line (counted from 0), and the line after it."""
    text, end = _joined(lines, start)
    if len(text) >= MOST_CHARACTERS:
        text = text[:MOST_CHARACTERS].rpartition(" ")[0]
    texts = _split(text)
    if texts is None:
        open_text, open_end = text, end
        while texts is None and open_end < len(lines) and open_end - start < MOST_LINES and len(open_text) < MOST_CHARACTERS:
            more, open_end = _joined(lines, open_end)
            open_text += "\n" + more
            texts = _split(open_text) if "'" in more or '"' in more else None
        end = end if texts is None else open_end
    return list(_placed(text.split() if texts is None else texts, lines, start, end)), end


def _split(text: str) -> list[str] | None:
    """The words of a shell line; None where a quote is left open or nobody would have typed it."""
    try:
        return shlex.split(text) if len(text) < MOST_CHARACTERS else []
    except ValueError:
        return None


def _joined(lines: Sequence[str], start: int) -> tuple[str, int]:
    """A line with those that continue it: after a backslash, or with flags alone on an indented line.

    An apostrophe inside a word is no quote, and a backslash inside a Windows path is no escape.
    """
    parts, end = [], start
    while end < len(lines) and end - start < MOST_LINES:
        line, end = lines[end], end + 1
        continued = _CONTINUED.search(line)
        parts.append(line[: continued.start()] if continued else line)
        if not continued and not (end < len(lines) and _FLAG_LINE.match(lines[end])):
            break
    text = _APOSTROPHE.sub("’", " ".join(parts))
    return _BACKSLASH.sub(r"\\\\", text) if _DRIVE.search(text) else text, end


def _placed(texts: Sequence[str], lines: Sequence[str], start: int, end: int) -> Iterator[Word]:
    """Each word with the first line, from that of the word before it on, that holds its beginning."""
    at = start
    for text in texts:
        head = re.split(r"[\s\"'\\=]", text, maxsplit=1)[0][:60]
        at = next((number for number in range(at, end) if head and head in lines[number]), at)
        yield Word(text, at + 1)


def until_operator(words: Sequence[Word]) -> list[Word]:
    """The words of one command: what a pipe, a redirection, a second command or a comment begins is left out."""
    kept: list[Word] = []
    for word in words:
        if _END.match(word.text):
            break
        if word.text.endswith(";"):
            return [*kept, Word(word.text[:-1], word.line)]
        kept.append(word)
    return kept


def expand(words: Sequence[Word], variables: Mapping[str, Word]) -> list[Word]:
    """The words with shell variables replaced by what the text or a default in place says of them."""
    expanded = [(word, Word(filled(word.text, variables), word.line) if "$" in word.text else word) for word in words]
    return [part for word, whole in expanded for part in (_apart(whole) if _VARIABLE.fullmatch(word.text) else [whole])]


def filled(text: str, variables: Mapping[str, Word]) -> str:
    """A text with the variables in it put in, as it is where that makes a text beyond all commands of it."""

    def value(match: re.Match[str]) -> str:
        known = variables.get(match[1] or match[2] or match[3])
        return known.text if known else match[0] if match[4] is None else match[4]

    found = _VARIABLE.sub(value, text)
    return found if len(found) <= MOST_CHARACTERS else text


def _apart(word: Word) -> list[Word]:
    """The words in the value of a variable; a JSON value is one."""
    texts = _split(word.text) if re.search(r"\s", word.text) and not word.text.lstrip().startswith(("{", "[")) else None
    return [Word(text, word.line) for text in texts] if texts else [word]


def array_at(lines: Sequence[str], start: int) -> tuple[str, str] | None:
    """The name and the words of a shell array that a line begins, `ARGS=(`, as one text; comments in it are none."""
    match = _ARRAY.match(lines[start])
    if match is None:
        return None
    parts = [match[2]]
    for line in lines[start + 1 : start + MOST_LINES]:
        if parts[-1].rstrip().endswith(")") or len(line) > MOST_CHARACTERS:
            break
        parts.append("" if line.lstrip().startswith("#") else line)
    text = " ".join(parts).strip()
    return (match[1], text[:-1]) if text.endswith(")") else None


def comment_inside(lines: Sequence[str], start: int, end: int) -> int | None:
    """The line, counted from 1, of a comment between flags: a shell ends the command there."""
    comments = [number for number in range(start + 1, end) if lines[number].lstrip().startswith("#")]
    return next((number + 1 for number in comments if any(_FLAG_LINE.match(line) for line in lines[number + 1 : end])), None)


def is_flag(text: str) -> bool:
    return bool(re.match(r"--?[A-Za-z]", text))


def flags(words: Sequence[Word], bare: Callable[[str], bool]) -> tuple[list[Flag], list[Word]]:
    """The flags of a command and the words between them. `bare` says which flags take no value."""
    found: list[Flag] = []
    between: list[Word] = []
    queue = list(words)
    while queue:
        word = queue.pop(0)
        if not is_flag(word.text):
            between.append(word)
            continue
        name, equals, value = word.text.partition("=")
        if not _FLAG.fullmatch(name):
            continue
        if not equals and queue and not is_flag(queue[0].text) and (not bare(name) or queue[0].text.lower() in ("true", "false")):
            value, equals = queue.pop(0).text, " "
        found += _flattened(name, value if equals else None, word.line, len(words) - len(queue))
    return found, between


def _flattened(name: str, value: str | None, line: int, place: int) -> list[Flag]:
    """A flag with a JSON object as one flag for each of its keys, behind a dot; one with pairs as a flag for each of them."""
    if name == PAIRED and value:
        pairs = (pair.partition("=") for pair in value.split(";"))
        return [Flag(key, inner, line) for key, equals, inner in pairs if equals]
    table = as_table(value) if value and value.lstrip().startswith("{") else None
    if table is None:
        return [Flag(name, value.rstrip(",;)`") if value and not value.startswith(("{", "[")) else value, line)]
    return [Flag(f"{name}.{key}", inner, line, place) for key, inner in leaves(table)]


def as_table(text: str) -> dict[str, Any] | None:
    """A JSON object or a Python dict from its text; None for what is neither."""
    found = literal(text)
    return found if isinstance(found, dict) else None


def literal(text: str) -> Any:
    """A plain value from its text, in JSON's writing or Python's; None for what is none, and for what JSON cannot hold."""
    for read in (json.loads, ast.literal_eval):
        try:
            return _held(read(text.strip()))
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            continue
    return None


def _held(value: Any) -> Any:
    """A value as JSON and a script hold it: whole numbers without a point, tuples as lists; ValueError where it cannot be held."""
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError
        return {_held(key): _held(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_held(inner) for inner in value]
    if isinstance(value, float) and abs(value) < MOST_NUMBER:
        return int(value) if value.is_integer() else value
    if isinstance(value, str):
        value.encode()  # half of a pair of UTF-16 is no text
    elif not (value is None or (isinstance(value, int) and abs(value) < MOST_NUMBER)):
        raise ValueError
    return value


def leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested mappings with its dotted key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
