"""Secrets that stand on other lines than their names: below a flag, in a block, beside the name of a variable, in a manifest, in a key."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from infercompat.answer.diagnose.masks import FLAG, IS, MASK, QUOTE, STRONG, TOKEN, VALUE, VARIABLE

MOST_LINES = 400
NEAR = 6
"""How many lines below a flag or a name its value stands."""
HINTS = ("key", "token", "secret", "pass", "pwd", "auth", "credential", "stringdata", "dockerconfig", "encrypteddata")
"""What a line holds that can open one of these, in lower case."""
FLAG_END = re.compile(
    rf"(?i)(?<![\w-]){FLAG}(?:{QUOTE})?(?:[ \t=]+[^\s\"',]{{1,200}}(?=[ \t]+[\\`^]))?[ \t]*(?P<more>[,=]?[ \t]*[\\^`]|[,=]|[\"'])?[ \t]*(?:#.*)?$"
)
FLAG_ITEM = re.compile(r"[ \t]*-[ \t]")
BETWEEN = re.compile(r"[ \t]*(?:#.*|[\\^`])?[ \t]*$")
"""A line that stands between a flag and its value."""
TAKEN = re.compile(rf"([ \t]*(?:-[ \t]+)?)(?![- \t]|(?:{QUOTE})?(?:--?[A-Za-z]|\$\w+|\$[{{(]\w+[)}}]))(?:{VALUE})")
LONE = re.compile(r"[ \t]+[^\s\"']+[ \t]*$")
NAMED = re.compile(rf"(?i)[\s-]*\{{?[ \t]*(?:{QUOTE})?name(?:{QUOTE})?[ \t]*[:=][ \t]*(?:{QUOTE})?{VARIABLE}(?:{QUOTE})?[ \t]*,?[ \t]*(?:#.*)?$")
VALUED = re.compile(rf"(?i)([\s-]*\{{?[ \t]*(?:{QUOTE})?value(?:{QUOTE})?[ \t]*[:=][ \t]*)(?!(?:{QUOTE})?\$[({{\w])(\S.*?)([ \t]*,?)$")
SCALAR = re.compile(r"[|>][-+\d]{0,2}$")
ANOTHER = re.compile(r"(?i)[\s-]*[\"']?name[\"']?[ \t]*[:=]|[ \t]*-[ \t]|[ \t]*[\]}]")
BLOCK = re.compile(
    rf"(?i)([ \t]*)(?P<item>-[ \t]+)?(?:variable[ \t]+)?(?:{QUOTE})?"
    rf"(?:[\w./-]{{0,60}}(?:{STRONG}|{TOKEN}|_KEY|_TOKEN|_PASS)|tokens?|stringData|encryptedData)(?:{QUOTE})?[ \t]*"
    r"(?:[:=][ \t]*(?:[!&]\w+[ \t]*)?(?:(?P<scalar>[|>][-+\d]{0,2})|(?P<open>[\[{(]|\"\"\"|'''))?|(?P<brace>\{))[ \t]*(?:#.*)?$"
)
OPEN_END = re.compile(rf"(?i)([ \t]*)\S.*(?:{STRONG}|{TOKEN}){IS}[\w.]{{0,40}}(?P<open>[\[({{])[ \t]*$")
"""A name somewhere in a line, and a bracket at its end."""
ITEM = re.compile(
    rf"([ \t]*(?:#[ \t]*)?(?:-[ \t]+)*(?:(?:{QUOTE})?[\w./-]+(?:(?:{QUOTE})?:[ \t]+|[ \t]+=[ \t]+|{QUOTE}:))?)(\\?[\"']?)\S.*?(\\?[\"']?[ \t]*,?)$"
)
BARE = re.compile(rf"[ \t]*(?:-[ \t]+)?(?:(?:{QUOTE})?[\w./-]+(?:{QUOTE})?[ \t]*[:=][ \t]*)?(?:[|>][-+\d]{{0,2}})?[ \t]*[\[{{\]}}),;]*[ \t]*$")
"""A line of a block that holds nothing: a key, a bracket."""
CLOSED = re.compile(r"[ \t]*[\])}]")
KIND = re.compile(r"(?i)\bkind[\"']?[ \t]*[:=][ \t]*[\"']?\w*secret\b")
STORED = re.compile(r"([ \t]*)(?P<item>-[ \t]+)?[\"']?(?:data|stringData|encryptedData)[\"']?[ \t]*:[ \t]*(?P<open>\{)?[ \t]*(?:#.*)?$")
STORED_HERE = re.compile(r"([\"']?\b(?:data|stringData|encryptedData)[\"']?[ \t]*:[ \t]*)\{[^{}\n]*\}")
KEY_BEGINS = re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
KEY_ENDS = re.compile(r"-----END [A-Z ]{0,30}")
KEY_LINE = re.compile(r"([\s>|#*\"'+]*)(?:[\w+/=\\]*[\"',]{0,3}|[A-Z][\w-]{1,30}: .{0,200})$")


def opens(line: str) -> bool:
    """Whether a line, in lower case and with zeros for digits, can be one beside which a secret stands."""
    return bool(
        "private key" in line
        or ("secret" in line and KIND.search(line))
        or ("-" in line and FLAG_END.search(line))
        or NAMED.match(line)
        or BLOCK.match(line)
        or (line.endswith(("[", "(", "{")) and OPEN_END.match(line))
    )


def mask_below(lines: list[str], places: Collection[int]) -> None:
    """Masks, in place, the secrets whose names stand on one of some lines above or beside them."""
    stored = -1
    for place in places:
        line = lines[place]
        if "-----BEGIN" in line and KEY_BEGINS.search(line):
            _key(lines, place)
        if place > stored and "ind" in line and KIND.search(line):
            stored = _manifest(lines, place)
        if "-" in line and (found := FLAG_END.search(line)):
            _flag(lines, place, sure=bool(found["more"] or FLAG_ITEM.match(line)))
        if NAMED.match(line):
            _variable(lines, place)
        if found := BLOCK.match(line):
            _block(lines, place, found, found["open"] or found["brace"])
        elif line.endswith(("[", "(", "{")) and (found := OPEN_END.match(line)):
            _block(lines, place, found, found["open"])


def _flag(lines: list[str], place: int, *, sure: bool) -> None:
    for below in range(place + 1, min(place + NEAR, len(lines))):
        if not BETWEEN.match(lines[below]):
            if sure or LONE.match(lines[below]):
                lines[below] = TAKEN.sub(rf"\1{MASK}", lines[below], count=1) if TAKEN.match(lines[below]) else lines[below]
            return


def _variable(lines: list[str], place: int) -> None:
    for below in range(place + 1, min(place + NEAR, len(lines))):
        if found := VALUED.match(lines[below]):
            if SCALAR.match(found[2]) and below + 1 < len(lines):
                lines[below + 1] = _masked(lines[below + 1])
            else:
                lines[below] = f'{found[1]}"{MASK}"{found[3]}'
            break
        if ANOTHER.match(lines[below]):
            break
    if place and (found := VALUED.match(lines[place - 1])):
        lines[place - 1] = f'{found[1]}"{MASK}"{found[3]}'


def _block(lines: list[str], place: int, found: re.Match[str], opened: str | None) -> None:
    """Masks what stands deeper than a line, or up to the bracket that closes one that it opens."""
    for below in _within(lines, place, len(found[1]), found.re is not OPEN_END and found["item"] is not None, opened):
        lines[below] = _masked(lines[below])


def _within(lines: list[str], place: int, indent: int, is_item: bool, opened: str | None) -> Iterator[int]:
    for below in range(place + 1, min(place + MOST_LINES, len(lines))):
        line = lines[below]
        depth = len(line) - len(line.lstrip())
        if opened in ('"""', "'''"):
            yield below
            if opened in line:
                return
        elif opened:
            if CLOSED.match(line) and depth <= indent:
                return
            yield below
        elif not line.strip():
            continue
        elif depth > indent or (depth == indent and not is_item and FLAG_ITEM.match(line)):
            yield below
        else:
            return


def _masked(line: str) -> str:
    return line if BARE.match(line) or not line.strip() else ITEM.sub(rf"\1\2{MASK}\3", line, count=1)


def _manifest(lines: list[str], place: int) -> int:
    """Masks what the manifest of a secret stores, to its last line; it reaches to the marks between documents."""
    first, last = place, place
    while first > 0 and place - first < MOST_LINES and not lines[first - 1].startswith("---"):
        first -= 1
    while last + 1 < len(lines) and last - place < MOST_LINES and not lines[last + 1].startswith("---"):
        last += 1
    for at in range(first, last + 1):
        lines[at] = STORED_HERE.sub(rf'\1"{MASK}"', lines[at])
        if found := STORED.match(lines[at]):
            _block(lines, at, found, found["open"])
    return last


def _key(lines: list[str], place: int) -> None:
    if KEY_ENDS.search(lines[place]):
        return
    for below in range(place + 1, min(place + MOST_LINES, len(lines))):
        found = KEY_LINE.match(lines[below])
        if KEY_ENDS.search(lines[below]) or not found:
            return
        lines[below] = found[1] + MASK if lines[below].strip() else lines[below]
