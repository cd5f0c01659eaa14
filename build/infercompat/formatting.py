"""What `infercompat fmt` does: figures typed in models' notes give way to the placeholders that show them, and no other byte changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path, PurePosixPath

import click
from msgspec import Struct

from infercompat.products import Products
from infercompat.read import parse
from infercompat.records import Record
from infercompat.rules.numbers import remarks_of, short
from infercompat.rules.numbers.remarks import Remark
from infercompat.span import Span
from infercompat.write import write_file

_FIELD = ("notes",)
_BOM = b"\xef\xbb\xbf"


class Change(Struct, frozen=True):
    """One figure and the placeholder for it."""

    span: Span
    written: str
    placeholder: str


class Rewrite(Struct, frozen=True):
    """A file, the changes in it, and its bytes after them; `content` is None where YAML would read the result as something else."""

    span: Span
    file: Path
    changes: tuple[Change, ...]
    content: bytes | None


def plan(products: Products) -> Iterator[Rewrite]:
    """The files that hold typed figures, by path. Files with faults were set aside when they were read and are not among them."""
    typed = [(model, remark) for model, remark in remarks_of(products) if remark.placeholder]
    typed.sort(key=lambda found: (found[0].path, found[1].start))
    for _, found in groupby(typed, key=lambda found: found[0].path):
        pairs = list(found)
        yield _rewrite(products.folder, pairs[0][0], [remark for _, remark in pairs])


def apply(rewrites: Sequence[Rewrite], check: bool = False) -> bool:
    """Writes the files, or with `check` none, and tells each change. Says whether all is well: nothing refused, or for `check` to do."""
    done = []
    for rewrite in rewrites:
        if fault := _write(rewrite, check):
            click.echo(f"{rewrite.changes[0].span}  {fault}", err=True)
            continue
        done.append(rewrite)
        for change in rewrite.changes:
            click.echo(f"{change.span}  {change.written} -> {change.placeholder}")
    figures = sum(len(rewrite.changes) for rewrite in done)
    click.echo(f"{_count(figures, 'figure')} {'would be ' if check else ''}replaced in {_count(len(done), 'file')}")
    return len(done) == len(rewrites) and not (check and done)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _write(rewrite: Rewrite, check: bool) -> str:
    """Puts the new bytes in the file's place, all at once, and keeps its permissions. Gives what stands against it, if anything."""
    if rewrite.content is None:
        return "a placeholder cannot stand here; make the string a literal block: |"
    if not check:
        file = rewrite.file.resolve()
        try:
            mode = file.stat().st_mode
            write_file(file, rewrite.content)
            file.chmod(mode)
        except OSError as error:
            return f"the file cannot be written: {error.strerror or error}"
    return ""


def _rewrite(folder: Path, model: Record, remarks: list[Remark]) -> Rewrite:
    file, notes = folder.joinpath(*PurePosixPath(model.path).parts[1:]), model.data["notes"]
    content = file.read_bytes()
    ends = [_ends(model, remark) for remark in remarks]
    changes = [Change(first, short(notes[remark.start : remark.end]), remark.placeholder) for remark, (first, _) in zip(remarks, ends, strict=True)]
    text = _replaced(content.decode("utf-8-sig"), model.document.lines, ends, changes)
    result = None if text is None else (_BOM if content.startswith(_BOM) else b"") + text.encode()
    for remark in reversed(remarks):
        notes = notes[: remark.start] + remark.placeholder + notes[remark.end :]
    return Rewrite(model.document.span(), file, tuple(changes), result if result and _reads_as(model, result, notes) else None)


def _replaced(text: str, lines: tuple[str, ...], ends: list[tuple[Span, Span]], changes: list[Change]) -> str | None:
    """The text of a file after the changes; None where it is no longer what was read, or a figure does not stand where it should."""
    present = text.split("\n")
    if tuple(line.rstrip("\r") for line in present) != lines:
        return None
    starts = list(accumulate((len(line) + 1 for line in present), initial=0))
    for (first, last), change in reversed(list(zip(ends, changes, strict=True))):
        start, end = starts[first.line - 1] + first.column - 1, starts[last.line - 1] + last.end_column - 1
        if short(text[start:end]) != change.written:
            return None
        text = text[:start] + change.placeholder + text[end:]
    return text


def _ends(model: Record, remark: Remark) -> tuple[Span, Span]:
    """The spans of the first and the last character; a figure and its unit may stand on two lines."""
    inside = model.document.span_inside
    return inside(_FIELD, remark.start, remark.start + 1), inside(_FIELD, remark.end - 1, remark.end)


def _reads_as(model: Record, content: bytes, notes: str) -> bool:
    """Whether the new bytes hold the record as it was, with these notes."""
    document = parse(model.path, content, [])
    return document is not None and document.data == {**model.data, "notes": notes}
