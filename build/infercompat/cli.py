"""The command. Each verb loads what it needs when it runs, so that a short question stays quick."""

from __future__ import annotations

import difflib
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infercompat import __version__

if TYPE_CHECKING:
    from infercompat.pipeline import Products

EXIT_FAULTS, EXIT_USAGE, EXIT_UNKNOWN = 1, 2, 4


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(version=__version__, prog_name="infercompat")
@click.option("--catalog", type=click.Path(path_type=Path), help="The catalog folder; found by itself if left out.")
@click.pass_context
def main(context: click.Context, catalog: Path | None) -> None:
    """Which inference engine can serve which open-weight model, with what caveats, and how we know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold bytes that are no text
    context.obj = catalog


def _products(context: click.Context, clock: bool = False) -> Products:
    """The catalog in use, loaded. Only validation looks at the clock."""
    import datetime

    from infercompat.pipeline import load
    from infercompat.places import find_catalog

    folder = find_catalog(context.obj).resolve()
    if not folder.is_dir():
        raise click.UsageError(f"there is no catalog at {folder}")
    products = load(folder, datetime.datetime.now(datetime.UTC).date().isoformat() if clock else None)
    fault = next((diagnostic for diagnostic in products.diagnostics if diagnostic.span.path == f"{folder.name}/vocabulary.yaml"), None)
    if fault and not clock:
        # Ranks and thresholds stand there, so that nothing can be answered without it.
        click.echo(f"infercompat: {fault.span}  {fault.rule}  {fault.message}\nRun: infercompat validate", err=True)
        sys.exit(EXIT_FAULTS)
    return products


def _usage(message: str) -> None:
    click.echo(f"infercompat: {message}", err=True)
    sys.exit(EXIT_USAGE)


@main.command()
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

    products = _products(context, clock=True)
    if products.files.count == 0:
        _usage(f"{products.folder} holds no YAML file")
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
            _usage(f"there is no file or folder {path}")
        try:
            wanted.append(path.resolve().relative_to(root).as_posix())
        except ValueError:
            _usage(f"{path} is not inside {products.folder}")
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


@main.command()
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if something would change.")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.pass_context
def fmt(context: click.Context, check: bool, paths: tuple[Path, ...]) -> None:
    """Puts placeholders where models' notes type a figure that is derived. Exit status 0 done, 1 faults, 2 usage.

    With PATHs, only these files or folders. A file with faults is left as it is, and its faults are told.
    """
    from infercompat import formatting
    from infercompat.diagnostic import ERROR

    products = _products(context)
    if products.files.count == 0:
        _usage(f"{products.folder} holds no YAML file")
    faults = [diagnostic for diagnostic in products.diagnostics if diagnostic.severity == ERROR]
    rewrites = list(formatting.plan(products))
    if paths:
        faults, rewrites = _within(faults, paths, products), _within(rewrites, paths, products)
    refused = [rewrite for rewrite in rewrites if rewrite.content is None]
    sound = [rewrite for rewrite in rewrites if rewrite.content is not None]
    for rewrite in refused:
        click.echo(f"{rewrite.changes[0].span}  a placeholder cannot stand here; make the string a literal block: |", err=True)
    for rewrite in sound:
        if not check:
            formatting.write(rewrite)
        for change in rewrite.changes:
            click.echo(f"{change.span}  {change.written} -> {change.placeholder}")
    if faults:
        _print(faults, products, len(faults))
    figures = _count(sum(len(rewrite.changes) for rewrite in sound), "figure")
    click.echo(f"{figures} {'would be ' if check else ''}replaced in {_count(len(sound), 'file')}")
    sys.exit(EXIT_FAULTS if faults or refused or (check and sound) else 0)


@main.command()
@click.argument("rule", required=False)
def explain(rule: str | None) -> None:
    """Says what a RULE checks, why, and what is right. Without RULE, lists all."""
    from infercompat.declaration import files_of
    from infercompat.rules import DECLARATIONS

    if rule is None:
        for declaration in DECLARATIONS.values():
            click.echo(f"{declaration.code}  {declaration.name:<28} {declaration.what}")
        return
    by_name = {declaration.name: declaration for declaration in DECLARATIONS.values()}
    declaration = DECLARATIONS.get(rule.upper()) or by_name.get(rule.lower())
    if declaration is None:
        close = difflib.get_close_matches(rule.upper(), DECLARATIONS, n=3) or difflib.get_close_matches(rule.lower(), by_name, n=3)
        _usage(f"there is no rule {rule}" + (f"; nearest: {', '.join(close)}" if close else "; infercompat explain lists them"))
    click.echo(f"{declaration.code} {declaration.name} ({declaration.severity})\n\nWhat it checks\n  {declaration.what}\n")
    click.echo(f"Why it matters\n  {declaration.why}")
    for title, example in (("Bad", declaration.bad), ("Good", declaration.good)):
        click.echo(f"\n{title}")
        for path, text in files_of(example).items():
            click.echo(f"  # {path}\n" + "".join(f"  {line}\n" for line in text.splitlines()), nl=False)


@main.command()
@click.argument("target", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def show(context: click.Context, target: str, as_json: bool) -> None:
    """Shows the record of an ID, an alias or a checkpoint: what it says, what follows from it, what rests on it."""
    from infercompat import showing

    products = _products(context)
    record = showing.find(products, target)
    if record is None:
        close = showing.nearest(products, target)
        _usage(f"there is no record {target}" + (f"; nearest: {', '.join(close)}" if close else ""))
    if as_json:
        click.echo(json.dumps(showing.as_data(products, record), indent=2, ensure_ascii=False))
    else:
        showing.print_record(products, record)


@main.command()
@click.argument("text", nargs=-1, required=True)
@click.pass_context
def search(context: click.Context, text: tuple[str, ...]) -> None:
    """Finds records whose id, name, alias, checkpoint, architecture, title or error text holds all words of TEXT."""
    from infercompat import showing

    products = _products(context)
    found = showing.search(products, " ".join(text))
    for record in found:
        click.echo(f"{record.kind:<12} {record.id:<50} {record.name}")
    if not found:
        click.echo("nothing found", err=True)
        sys.exit(EXIT_FAULTS)


@main.command()
@click.argument("target", metavar="ID")
@click.pass_context
def impact(context: click.Context, target: str) -> None:
    """Lists everything whose content rests on the record ID, by kind."""
    from infercompat import link, showing

    products = _products(context)
    record = showing.find(products, target)
    if record is None:
        close = showing.nearest(products, target)
        _usage(f"there is no record {target}" + (f"; nearest: {', '.join(close)}" if close else ""))
    found = link.impact(products.catalog, record.id)
    for kind, ids in found.items():
        click.echo(f"{kind} ({len(ids)})")
        for id in ids:
            click.echo(f"  {id}  {products.catalog.records[id].name}")
    if not found:
        click.echo(f"nothing rests on {record.id}")


@main.command()
@click.option("--check", is_flag=True, help="Write nothing; fail if docs/13-model-compatibility.md is stale.")
@click.option("--docs-only", is_flag=True, help="Write docs/13-model-compatibility.md alone.")
@click.option("--site", "site", is_flag=True, help="Build the site from the pages too (needs mkdocs-material).")
@click.pass_context
def build(context: click.Context, check: bool, docs_only: bool, site: bool) -> None:
    """Renders the catalog: docs/13-model-compatibility.md, the pages below docs/, and with --site the site."""
    from infercompat import building

    products = _products(context)
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


@main.command()
@click.argument("kind", type=click.Choice(["model", "engine", "support", "requirement", "gotcha", "hardware", "measurement", "citation"]))
@click.argument("id")
@click.option("--publisher", help="Folder of a model, such as google.")
@click.option("--engine", help="Engine of a support snapshot or gotcha.")
@click.option("--url", help="Address of a citation.")
@click.option("--config", type=click.Path(path_type=Path), help="A config.json to make a model from.")
@click.pass_context
def new(context: click.Context, kind: str, id: str, **options: str | Path | None) -> None:
    """Makes a record of KIND to fill in, named ID, in the folder where it belongs."""
    from infercompat import scaffold
    from infercompat.write import write_file

    config, products = options.pop("config"), _products(context)
    folder = products.folder
    try:
        known = {name: options[name] for name in ("engine", "url") if options[name]}
        if config:
            known |= scaffold.model_from_config(config)
        target = folder / scaffold.place(kind, id, **options)
        taken = sorted(folder.rglob(f"{id}.yaml"))
        if taken:
            raise scaffold.Refused(f"the id {id} is taken by {taken[0]}")
    except scaffold.Refused as error:
        _usage(str(error))
    write_file(target, scaffold.skeleton(kind, known, products.catalog.vocabulary).encode())
    click.echo(f"{target}\nFill it in, then run: infercompat validate")


@main.command()
@click.argument("target", metavar="MODEL|CONFIG.json|FILE.gguf")
@click.option("--context", "contexts", help="Tokens, several with commas. Default: 8192,32768,131072.")
@click.option("--cache-dtype", default="bf16", show_default=True, help="Element type of the cache.")
@click.option("--architecture", help="Class name, for a config that does not say it.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def cache(context: click.Context, target: str, contexts: str | None, cache_dtype: str, architecture: str | None, as_json: bool) -> None:
    """Says what a model's cache takes: layer by kind, naive and ideal bytes. Exit status 4 when that is unknown."""
    from infercompat.answer import cache as answer
    from infercompat.units import ELEMENT_BYTES

    if cache_dtype not in ELEMENT_BYTES:
        _usage(f"there is no cache dtype {cache_dtype}; known: {', '.join(ELEMENT_BYTES)}")
    lengths = _lengths(contexts, answer.CONTEXTS)
    subject = _subject(context, target, architecture)
    data = answer.as_data(subject, lengths, cache_dtype)
    if as_json:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        answer.print_data(data)
    sys.exit(0 if data["cache"] else EXIT_UNKNOWN)


@main.command()
@click.argument("model", required=False)
@click.argument("engine", required=False, metavar="[ENGINE[@VERSION]]")
@click.option("--hardware", help="Id of a hardware record, such as b200.")
@click.option("--gpus", type=click.IntRange(1, 4096), default=1, show_default=True, help="How many devices.")
@click.option("--tp", type=click.IntRange(1, 4096), help="Tensor-parallel ranks.")
@click.option("--context", "length", type=click.IntRange(1, 1 << 40), help="Longest sequence in tokens.")
@click.option("--cache-dtype", help="Element type of the KV cache.")
@click.option("--checkpoint", help="Hub id of the weights.")
@click.option("--from-config", type=click.Path(path_type=Path), help="A config.json of a model that is not in the catalog.")
@click.option("--set", "settings", multiple=True, metavar="FACT=VALUE", help="A setting, by fact name.")
@click.option("--require", "required", multiple=True, metavar="FACT=VALUE", help="A setting that no repair may change.")
@click.option("--all", "verbose", is_flag=True, help="Show every gotcha that is just missed.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def check(context: click.Context, model: str | None, engine: str | None, **options) -> None:
    """Says whether MODEL can be served by ENGINE on this stack, why, what bites, and what to change.

    Leave either out to ask over all of them. Exit status 0 yes, 1 no, 2 usage, 3 only-with, 4 unknown.
    """
    from infercompat.answer import asking, reply
    from infercompat.answer.check import Assessor
    from infercompat.answer.question import Refused

    products = _products(context)
    assessor = Assessor(products)
    try:
        questions = asking.questions(products, model, engine, options)
    except Refused as error:
        _usage(str(error))
    if len(questions) == 1:
        answer = reply.reply(assessor, questions[0])
        data = reply.as_data(answer, assessor)
        if options["as_json"]:
            click.echo(json.dumps(data, indent=2, ensure_ascii=False))
        else:
            reply.print_data(data, options["verbose"])
        sys.exit(reply.EXIT_STATUS[answer.verdict])
    rows = [reply.as_data(reply.reply(assessor, question), assessor) for question in questions]
    if options["as_json"]:
        click.echo(json.dumps({"schema_version": 1, "answers": rows}, indent=2, ensure_ascii=False))
        return
    for row in rows:
        asked = row["question"]
        click.echo(f"{row['verdict']:<10} {asked['model']:<28} {asked['engine']:<14} {asked['version']:<12} {row['reason'][:120]}")


@main.command()
@click.argument("target", metavar="ENGINE@VERSION")
@click.option("--from", "given", type=click.Path(path_type=Path), help="A tree or archive that is there already.")
@click.option("--read-on", help="The day it was read, YYYY-MM-DD; today if left out.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing: print what differs from the catalog. Exit status 1 if anything does.")
@click.pass_context
def harvest(context: click.Context, target: str, given: Path | None, read_on: str | None, only_check: bool) -> None:
    """Reads the architectures that ENGINE supports at VERSION out of its released tree, each claim with its line."""
    import datetime

    from infercompat.harvest import Refused, run, snapshot
    from infercompat.write import write_file

    products = _products(context)
    engine, _, version = target.partition("@")
    try:
        harvester = run.harvester_of(engine)
        if not version:
            raise Refused("name the version: ENGINE@VERSION")
        with run.tree_of(harvester, version, given) as (tree, read_through):
            before = run.existing(products.catalog, harvester, version)
            if only_check:
                if before is None:
                    raise Refused(f"the catalog has no registry of {engine} at {version}")
                lines = run.differences(before, harvester, tree)
                click.echo("\n".join(lines) or f"{before.id}: the same upstream")
                sys.exit(EXIT_FAULTS if lines else 0)
            day = read_on or datetime.datetime.now(datetime.UTC).date().isoformat()
            files = snapshot.records(harvester, tree, version, day, read_through)
    except Refused as error:
        _usage(str(error))
    for path, text in files.items():
        changed = write_file(products.folder / path, text.encode())
        click.echo(f"{'written' if changed else 'unchanged'}  {products.folder.name}/{path}")


def _lengths(text: str | None, default: tuple[int, ...]) -> list[int]:
    if text is None:
        return list(default)
    lengths = [part.strip().replace("_", "") for part in text.split(",")]
    wrong = [part for part in lengths if not part.isdecimal() or not 0 < int(part) < 1 << 40]
    if wrong:
        _usage(f"--context takes token counts such as 8192,32768, not {wrong[0] or 'an empty place'}")
    return [int(part) for part in lengths]


def _subject(context: click.Context, target: str, architecture: str | None):
    from infercompat.answer import cache as answer

    path = Path(target)
    if path.suffix == ".json" or path.is_file():
        try:
            return answer.of_file(path, architecture)
        except answer.Unreadable as error:
            _usage(str(error))
    products = _products(context)
    record = answer.find_model(products.catalog, target)
    if record is None:
        from infercompat import showing

        close = showing.nearest(products, target, kinds=("model",))
        _usage(f"there is no model {target}" + (f"; nearest: {', '.join(close)}" if close else ""))
    return answer.of_record(record)


if __name__ == "__main__":
    main()
