"""What `show` and `search` print: one record, what follows from it, and what rests on it."""

from __future__ import annotations

import difflib
from typing import Any

import click

from infercompat import prose
from infercompat.derive import Derived, Unknown
from infercompat.join import Cell, Matrix
from infercompat.products import Products
from infercompat.records import KINDS, Record, walk
from infercompat.units import format_bytes, format_times

CONTEXTS = (8192, 32768, 131072)


def find(products: Products, target: str) -> Record | None:
    """The record of an id, an alias, or a checkpoint's hub id."""
    found = products.catalog.follow(target)
    if found is not None:
        return found
    wanted = target.lower()
    for model in products.catalog.of_kind("model"):
        if any(checkpoint["hub"].lower() == wanted for checkpoint in model.data["checkpoints"]):
            return model
    return products.catalog.follow(wanted) or products.catalog.follow(wanted.replace(" ", "-"))


def nearest(products: Products, target: str, kinds: tuple[str, ...] = KINDS) -> list[str]:
    """Up to three ids, aliases or checkpoints of the kinds that fit, close to what was typed."""
    catalog = products.catalog
    known = [id for id, record in catalog.records.items() if record.kind in kinds]
    known += [alias for alias, id in catalog.aliases.items() if catalog.records[id].kind in kinds]
    if "model" in kinds:
        known += [checkpoint["hub"] for model in catalog.of_kind("model") for checkpoint in model.data["checkpoints"]]
    return difflib.get_close_matches(target, known, n=3, cutoff=0.5)


def search(products: Products, text: str) -> list[Record]:
    """Records that hold all words of a text in their short fields or error texts, best kinds first."""
    words = text.lower().split()
    found = []
    for record in products.catalog.records.values():
        if record.live and all(word in _haystack(record) for word in words):
            found.append(record)
    return found


def _haystack(record: Record) -> str:
    fields = ("name", "title", "aliases", "architecture", "checkpoints", "error_patterns", "summary", "url")
    texts = [record.id]
    for field in fields:
        texts += [value for _, value in walk(record.data.get(field)) if isinstance(value, str)]
    return " ".join(texts).lower()


def print_record(products: Products, record: Record) -> None:
    """A record for people at a terminal."""
    catalog = products.catalog
    click.echo(f"{record.name}  ({record.kind} {record.id}, {record.path})")
    if "withdrawn" in record.data:
        click.echo(f"  withdrawn on {record.data['withdrawn']['on']}: {record.data['withdrawn']['because']}")
    if record.kind == "model" and record.live:
        _print_model(products, record)
    else:
        _print_fields(record)
    for field in ("summary", "notes"):
        if field in record.data:
            derived = products.derived.get(record.id)
            lookup = derived.lookup if isinstance(derived, Derived) else None
            text = prose.to_text(record.data[field], lambda link: ("", link.text or link.target), lookup)
            click.echo(f"\n{text.strip()}")
    back = catalog.references_to(record.id)
    if back:
        click.echo(f"\nReferenced by {len(back)}:")
        for reference in back[:12]:
            click.echo(f"  {reference.source}  {reference.field}")
        if len(back) > 12:
            click.echo(f"  … {len(back) - 12} more: infercompat impact {record.id}")


_SHORT = ("role", "scheme", "engine", "version", "symptom", "severity", "detectability", "status", "read_on", "vendor", "class", "kernel_class",
          "consequence", "without_it", "method", "metric", "model", "value", "unit", "url", "type", "publisher", "pin", "retrieved", "effect")  # fmt: skip


def _print_fields(record: Record) -> None:
    for field in _SHORT:
        if field in record.data:
            click.echo(f"  {field:<14} {record.data[field]}")
    for index, workaround in enumerate(record.data.get("workarounds", ()), start=1):
        click.echo(f"  workaround {index}   " + "; ".join(f"{key} {value}" for key, value in workaround.items() if key != "cites"))


def _print_model(products: Products, model: Record) -> None:
    derived = products.derived[model.id]
    click.echo(f"  architecture   {model.data['architecture']}")
    click.echo(f"  checkpoints    {', '.join(dict.fromkeys(checkpoint['hub'] for checkpoint in model.data['checkpoints']))}")
    if isinstance(derived, Unknown):
        click.echo(f"  layers         unknown: {derived.reason} (missing: {', '.join(derived.missing)})")
    else:
        counts = ", ".join(f"{count} {kind}" for kind, count in derived.counts().items() if count)
        click.echo(f"  layers         {len(derived.layers)}: {counts}")
        for requirement, reason in derived.requirements.items():
            click.echo(f"  demands        {requirement} ({reason})")
        _print_cache(derived)
    cells = list(Matrix(products).of_model(model))
    click.echo("\nOn the newest release of each engine in the catalog, at its defaults:")
    names = max((len(cell.engine.data["name"]) for cell in cells), default=0)
    versions = max((len(cell.release.version) for cell in cells), default=0)
    for cell in cells:
        _print_cell(cell, names, versions)
    blocking = {gate.gotcha.id: (gate, cell) for cell in cells for gate in cell.gates if gate.severity == "blocker"}
    if blocking:
        click.echo("\nBlockers it can meet (infercompat show ID says when, and what to do):")
        for id, (gate, cell) in blocking.items():
            click.echo(f"  {cell.engine.data['name']:<{names}}  {id}{'' if gate.proven else '  (not proven)'}")


def _print_cache(derived: Derived) -> None:
    cost, reach = derived.cost(), derived.lookup("context.native")
    click.echo("\nKV cache of one sequence, bf16:")
    for tokens in [tokens for tokens in CONTEXTS if not reach or tokens <= reach] or [reach]:
        ratio = cost.overpay(tokens)
        line = f"  {tokens:>9,} tokens  needed {format_bytes(cost.ideal_bytes(tokens)):>10}  every layer full {format_bytes(cost.naive_bytes(tokens)):>10}"
        click.echo(line + (f"  {format_times(float(ratio))}" if ratio else ""))


def _print_cell(cell: Cell, names: int, versions: int) -> None:
    grade = f"{cell.grade.word} {cell.grade.confidence:.2f}" if cell.grade else ""
    telling = sorted(cell.deciding, key=lambda hop: hop.state == "holds")
    source = next((f" [{source.id} {source.at}".rstrip() + "]" for hop in telling for source in hop.sources), "")
    gates = f"; {len(cell.gates)} gate{'' if len(cell.gates) == 1 else 's'}" if cell.gates else ""
    click.echo(f"  {cell.engine.data['name']:<{names}}  {cell.release.version:<{versions}}  {cell.verdict:<9} {grade:<15} {cell.reason}{gates}{source}")


def as_data(products: Products, record: Record) -> dict[str, Any]:
    """The record with what follows from it, for programs."""
    data: dict[str, Any] = {"schema_version": 1, "id": record.id, "kind": record.kind, "path": record.path, "record": record.data}
    data["referenced_by"] = [{"id": reference.source, "field": reference.field} for reference in products.catalog.references_to(record.id)]
    if record.kind == "model" and record.live:
        derived = products.derived[record.id]
        data["derived"] = _derived_data(derived)
        data["engines"] = [
            {
                "engine": cell.engine.id,
                "version": cell.release.version,
                "verdict": cell.verdict,
                "grade": cell.grade.word if cell.grade else None,
                "confidence": cell.grade.confidence if cell.grade else None,
                "reason": cell.reason,
                "missing": list(cell.missing),
                "gates": [gate.gotcha.id for gate in cell.gates],
            }
            for cell in Matrix(products).of_model(record)
        ]
    return data


def _derived_data(derived: Derived | Unknown) -> dict[str, Any]:
    if isinstance(derived, Unknown):
        return {"cache": None, "missing": list(derived.missing), "reason": derived.reason}
    cost = derived.cost()
    at = {str(tokens): cost.ideal_bytes(tokens) for tokens in CONTEXTS}
    return {"layers": derived.counts(), "requirements": derived.requirements, "cache": {"dtype": "bf16", "ideal": {"at": at}}}
