"""The verbs of people who write records: validate, fmt, explain, impact, build, new."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infercompat.cli.common import EXIT_FAULTS, products_of, usage

if TYPE_CHECKING:
    from infercompat.condition.facts import Fact
    from infercompat.products import Products


@click.command()
@click.option("--format", "form", type=click.Choice(["text", "json", "sarif", "github"]), default="text", show_default=True)
@click.option("--strict", is_flag=True, help="Warnings count as faults.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.pass_context
def validate(context: click.Context, form: str, strict: bool, paths: tuple[Path, ...]) -> None:
    """Checks the catalog and tells every fault with its place. Exit status 0 clean, 1 faults, 2 usage.

    With PATHs, only faults in these files or folders are told; the whole catalog is read all the same.
    """
    from infercompat import report, rules
    from infercompat.diagnostic import ERROR

    products = products_of(context, clock=True)
    if products.files.count == 0:
        usage(f"{products.folder} holds no YAML file")
    found = rules.check(products)
    if strict:
        found = rules.as_errors(found)
    if paths:
        found = _within(found, paths, products)
    errors = sum(diagnostic.severity == ERROR for diagnostic in found)
    if form == "json":
        click.echo(report.as_json(found))
    elif form == "sarif":
        click.echo(report.as_sarif(found, rules.DECLARATIONS))
    elif form == "github":
        click.echo(report.as_github(found), nl=bool(found))
    else:
        _print(found, products, errors)
    sys.exit(EXIT_FAULTS if errors else 0)


def _within(found: list, paths: tuple[Path, ...], products: Products) -> list:
    root = products.folder.resolve().parent
    wanted = []
    for path in paths:
        if not path.exists():
            usage(f"there is no file or folder {path}")
        try:
            wanted.append(path.resolve().relative_to(root).as_posix())
        except ValueError:
            usage(f"{path} is not inside {products.folder}")
    return [item for item in found if any(item.span.path == path or item.span.path.startswith(f"{path}/") or path == "." for path in wanted)]


def _print(found: list, products: Products, errors: int) -> None:
    from rich.console import Console

    from infercompat import report

    lines: dict[str, list[str]] = {}

    def line_of(span) -> str:
        if span.path not in lines:
            file = products.folder.parent / span.path
            lines[span.path] = file.read_text("utf-8", "replace").split("\n") if file.is_file() else []
        return lines[span.path][span.line - 1] if span.line <= len(lines[span.path]) else ""

    report.print_diagnostics(found, line_of, Console(highlight=False))
    warnings = len(found) - errors
    tally = f"{products.files.count} files, {len(products.catalog.records)} records"
    counts = f"{_count(errors, 'fault')}, {_count(warnings, 'warning')}" if found else "clean"
    click.echo(f"{tally}: {counts}", err=bool(errors))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


@click.command()
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if something would change.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.pass_context
def fmt(context: click.Context, check: bool, paths: tuple[Path, ...]) -> None:
    """Puts placeholders where models' notes type a figure that is derived. Exit status 0 done, 1 faults, 2 usage.

    With PATHs, only these files or folders. A file with faults is left as it is, and its faults are told.
    """
    from infercompat import formatting
    from infercompat.diagnostic import ERROR

    products = products_of(context)
    if products.files.count == 0:
        usage(f"{products.folder} holds no YAML file")
    faults = [diagnostic for diagnostic in products.diagnostics if diagnostic.severity == ERROR]
    rewrites = list(formatting.plan(products))
    if paths:
        faults, rewrites = _within(faults, paths, products), _within(rewrites, paths, products)
    if faults:
        _print(faults, products, len(faults))
    sound = formatting.apply(rewrites, check)
    sys.exit(EXIT_FAULTS if faults or not sound else 0)


@click.command()
@click.argument("word", required=False, metavar="[RULE|FACT|facts]")
def explain(word: str | None) -> None:
    """Says what a RULE checks, why, and what is right, or what a FACT of conditions means. Alone, lists the rules; with `facts`, the facts."""
    from infercompat.condition import FACTS, lookup, nearest
    from infercompat.declaration import files_of
    from infercompat.rules import DECLARATIONS

    if word is None:
        for declaration in DECLARATIONS.values():
            click.echo(f"{declaration.code}  {declaration.name:<28} {declaration.what}")
        return
    if word.lower() == "facts":
        for fact in FACTS.values():
            click.echo(f"{fact.name:<42} {fact.type:<8} {fact.kind:<9} {fact.meaning}")
        return
    by_name = {declaration.name: declaration for declaration in DECLARATIONS.values()}
    declaration = DECLARATIONS.get(word.upper()) or by_name.get(word.lower())
    if declaration is None and (fact := lookup(word)) is not None:
        _print_fact(fact)
        return
    if declaration is None:
        close = difflib.get_close_matches(word.upper(), DECLARATIONS, n=3) or difflib.get_close_matches(word.lower(), by_name, n=3) or nearest(word)
        usage(f"there is no rule or fact {word}" + (f"; nearest: {', '.join(close)}" if close else "; infercompat explain lists them"))
    click.echo(f"{declaration.code} {declaration.name} ({declaration.severity})\n\nWhat it checks\n  {declaration.what}\n")
    click.echo(f"Why it matters\n  {declaration.why}")
    for title, example in (("Bad", declaration.bad), ("Good", declaration.good)):
        click.echo(f"\n{title}")
        for path, text in files_of(example).items():
            click.echo(f"  # {path}\n" + "".join(f"  {line}\n" for line in text.splitlines()), nl=False)


def _print_fact(fact: Fact) -> None:
    from infercompat.condition import LISTS

    about = {
        "unit": fact.unit,
        "one of": ", ".join(fact.values) or (f"the vocabulary's {fact.vocabulary}" if fact.vocabulary else ""),
        "part of": fact.part_of,
        "at most": " or ".join(fact.up_to),
        "several": "a model can have more than one value at once" if fact.several and not fact.told else "",
    }
    click.echo(f"{fact.name} ({fact.type}, {_KINDS[fact.kind]})\n\n  {fact.meaning}")
    for label, text in about.items():
        if text:
            click.echo(f"  {label:<8} {text}")
    for item in LISTS.get(fact.name, {}).values():
        click.echo(f"  {item.name:<8} {item.type}: {item.meaning}" + (f" One of {', '.join(item.values)}." if item.values else ""))


_KINDS = {
    "given": "said by the person who asks",
    "resolved": "set by the engine where nobody says it",
    "derived": "follows from model, hardware and memory",
    "workload": "what is asked of the server, as a range",
}


@click.command()
@click.argument("target", metavar="ID")
@click.pass_context
def impact(context: click.Context, target: str) -> None:
    """Lists everything whose content or answer rests on the record ID, by kind."""
    from infercompat import link, showing
    from infercompat.derive import Derived

    products = products_of(context)
    record = showing.find(products, target)
    if record is None:
        close = showing.nearest(products, target)
        usage(f"there is no record {target}" + (f"; nearest: {', '.join(close)}" if close else ""))
    demands = [(model, requirement) for model, found in products.derived.items() if isinstance(found, Derived) for requirement in found.requirements]
    found = link.impact(products.catalog, record.id, demands)
    for kind, ids in found.items():
        click.echo(f"{kind} ({len(ids)})")
        for id in ids:
            click.echo(f"  {id}  {products.catalog.records[id].name}")
    if not found:
        click.echo(f"nothing rests on {record.id}")


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if docs/13-model-compatibility.md is stale.")
@click.option("--docs-only", is_flag=True, help="Write docs/13-model-compatibility.md alone.")
@click.option("--site", "site", is_flag=True, help="Build the site from the pages too (needs mkdocs-material).")
@click.pass_context
def build(context: click.Context, check: bool, docs_only: bool, site: bool) -> None:
    """Renders the catalog: docs/13-model-compatibility.md, the pages below docs/, and with --site the site."""
    from infercompat import building

    products = products_of(context)
    root = products.folder.resolve().parent
    from infercompat.rules.links import dangling_link

    faults = [diagnostic for diagnostic in (*products.diagnostics, *dangling_link(products)) if diagnostic.severity == "error"]
    if faults:
        first = faults[0]
        click.echo(f"infercompat: the catalog has faults, nothing was written; first: {first.span}  {first.rule}  {first.message}", err=True)
        click.echo("Run: infercompat validate", err=True)
        sys.exit(EXIT_FAULTS)
    if check:
        sys.exit(building.check_docs(products, root))
    sys.exit(building.build(products, root, docs_only=docs_only, site=site))


@click.command()
@click.argument("kind", type=click.Choice(["model", "engine", "support", "requirement", "gotcha", "hardware", "measurement", "recipe", "citation"]))
@click.argument("id")
@click.option("--publisher", help="Folder of a model, such as google.")
@click.option("--engine", help="Engine of a support snapshot, gotcha or recipe.")
@click.option("--url", help="Address of a citation.")
@click.option("--config", type=click.Path(path_type=Path), help="A config.json to make a model from.")
@click.pass_context
def new(context: click.Context, kind: str, id: str, **options: str | Path | None) -> None:
    """Makes a record of KIND to fill in, named ID, in the folder where it belongs."""
    from infercompat import scaffold
    from infercompat.write import write_file

    config, products = options.pop("config"), products_of(context)
    folder = products.folder
    try:
        known = {name: options[name] for name in ("engine", "url") if options[name]}
        if config and kind != "model":
            raise scaffold.Refused("--config makes a model and nothing else")
        if config:
            known |= scaffold.model_from_config(config)
        target = folder / scaffold.place(kind, id, **options)
        taken = sorted(folder.rglob(f"{id}.yaml")) or [record.path for record in (products.catalog.resolve(id),) if record]
        if taken:
            raise scaffold.Refused(f"the id {id} is taken by {taken[0]}")
    except scaffold.Refused as error:
        usage(str(error))
    write_file(target, scaffold.skeleton(kind, known, products.catalog.vocabulary).encode())
    click.echo(f"{target}\nFill it in, then run: infercompat validate")
