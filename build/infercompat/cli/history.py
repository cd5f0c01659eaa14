"""The verb that compares two versions of the catalog: diff."""

from __future__ import annotations

import json

import click

from infercompat.cli.common import products_of, usage


@click.command()
@click.argument("base", metavar="BASE")
@click.argument("head", required=False, metavar="[HEAD]")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def diff(context: click.Context, base: str, head: str | None, as_json: bool) -> None:
    """Says which answers changed since the git revision BASE: verdicts, grades, gotchas, caches. HEAD is the working tree if left out."""
    from contextlib import ExitStack

    from infercompat.answer import diff as answer
    from infercompat.join import Matrix
    from infercompat.pipeline import load
    from infercompat.revisions import NoRevision, catalog_at

    now = products_of(context)
    try:
        with ExitStack() as stack:
            before = load(stack.enter_context(catalog_at(now.folder, base)), now.today)
            after = load(stack.enter_context(catalog_at(now.folder, head)), now.today) if head else now
            found = answer.changes(Matrix(before), Matrix(after))
    except NoRevision as error:
        usage(str(error))
    names = (base, head or "the working tree")
    if as_json:
        click.echo(json.dumps(answer.as_data(found, names), indent=2, ensure_ascii=False))
    else:
        answer.print_changes(found, names)
