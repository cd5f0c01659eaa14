"""The verb that reads upstream: harvest."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from infercompat.cli.common import EXIT_FAULTS, products_of, usage


@click.command()
@click.argument("target", metavar="ENGINE@VERSION")
@click.option("--from", "given", type=click.Path(path_type=Path), help="A tree or archive that is there already.")
@click.option("--read-on", type=click.DateTime(["%Y-%m-%d"]), help="The day it was read; today if left out.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing: print what differs from the catalog. Exit status 1 if anything does.")
@click.pass_context
def harvest(context: click.Context, target: str, given: Path | None, read_on: datetime | None, only_check: bool) -> None:
    """Reads the architectures that ENGINE supports at VERSION out of its released tree, each claim with its line."""
    from infercompat.harvest import Refused, run, snapshot
    from infercompat.write import write_file

    products = products_of(context)
    try:
        harvester, version = run.wanted(target)
        before = run.existing(products.catalog, harvester, version)
        if only_check and before is None:
            raise Refused(f"the catalog has no registry of {target.replace('@', ' at ')}")
        if not only_check and before is not None and (why := run.by_hand(before, harvester)):
            raise Refused(f"{before.id} has {why}, which would be lost or doubled; --check says what differs")
        with run.tree_of(harvester, version, given) as (tree, read_through):
            if only_check:
                lines = run.differences(before, harvester, tree)
                click.echo("\n".join(lines) or f"{before.id}: the same upstream")
                sys.exit(EXIT_FAULTS if lines else 0)
            files = snapshot.records(harvester, tree, version, (read_on or datetime.now(UTC)).date().isoformat(), read_through)
    except Refused as error:
        usage(str(error))
    for path, text in files.items():
        kept = run.has_more(products.catalog.records.get(Path(path).stem), text)
        changed = not kept and write_file(products.folder / path, text.encode())
        click.echo(f"{'kept' if kept else 'written' if changed else 'unchanged'}  {products.folder.name}/{path}")
