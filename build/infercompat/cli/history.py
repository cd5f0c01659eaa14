"""The verb that compares two versions of the catalog: diff."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infercompat.cli.common import products_of, usage

if TYPE_CHECKING:
    from infercompat.pipeline import Products


@click.command()
@click.argument("base", required=False, metavar="[BASE]")
@click.argument("head", required=False, metavar="[HEAD]")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.option("--record", is_flag=True, help="Keep what changed as a file in changes/, from which the site's page and feeds are made.")
@click.pass_context
def diff(context: click.Context, base: str | None, head: str | None, as_json: bool, record: bool) -> None:
    """Says which answers changed since the git revision BASE: verdicts, grades, gotchas, caches.

    BASE is the commit last recorded if left out. HEAD is the working tree, or with --record the commit checked out.
    """
    from infercompat.answer.changeset import change_sets
    from infercompat.revisions import NoRevision

    now = products_of(context)
    if base is None:
        recorded = change_sets(now.folder)
        if not recorded:
            usage("name a BASE: no change set is recorded yet")
        base = recorded[0].revision
    try:
        if record:
            _record(now.folder, base, head or "HEAD")
        else:
            _compare(now, base, head, as_json)
    except NoRevision as error:
        usage(str(error))


def _compare(now: Products, base: str, head: str | None, as_json: bool) -> None:
    """Prints the answers that differ."""
    from infercompat.answer import diff as answer
    from infercompat.join import Matrix
    from infercompat.pipeline import load
    from infercompat.revisions import catalog_at

    with ExitStack() as stack:
        before = load(stack.enter_context(catalog_at(now.folder, base)), now.today)
        after = load(stack.enter_context(catalog_at(now.folder, head)), now.today) if head else now
        found = answer.changes(Matrix(before), Matrix(after))
    names = (base, head or "the working tree")
    if as_json:
        click.echo(json.dumps(answer.as_data(found, names), indent=2, ensure_ascii=False))
    else:
        answer.print_changes(found, names)


def _record(folder: Path, base: str, head: str) -> None:
    """Writes a change set between two commits, both asked on the day of the newer one, so that age alone changes nothing."""
    from infercompat.answer import changeset
    from infercompat.join import Matrix
    from infercompat.pipeline import load
    from infercompat.revisions import catalog_at, commit_of
    from infercompat.write import write_file

    commits = commit_of(folder, base), commit_of(folder, head)
    with ExitStack() as stack:
        sides = [load(stack.enter_context(catalog_at(folder, commit.revision)), commits[1].day) for commit in commits]
        for commit, side in zip(commits, sides, strict=True):
            if side.diagnostics:
                usage(f"the catalog at {commit.revision[:9]} has faults by today's schemas: {side.diagnostics[0].message}")
        data = changeset.between(Matrix(sides[0]), Matrix(sides[1]), commits)
    if changeset.is_empty(data):
        click.echo(f"No answer differs between {base} and {head}; nothing is recorded")
        return
    file = changeset.next_file(folder, commits[1].day)
    write_file(file, changeset.as_text(data).encode())
    click.echo(f"{changeset.FOLDER}/{file.name}: written")
