"""The verbs that look something up: show and search."""

from __future__ import annotations

import json
import re
import sys

import click

from infercompat.cli.common import EXIT_FAULTS, answering, usage

RULE = re.compile(r"[A-Z]{3,4}[0-9]{3}", re.IGNORECASE)


@click.command()
@click.argument("target", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_context
def show(context: click.Context, target: str, as_json: bool) -> None:
    """Shows the record of an ID, an alias or a checkpoint: what it says, what follows from it, what rests on it."""
    from infercompat import showing

    products = answering(context)
    record = showing.find(products, target)
    if record is None:
        close = showing.nearest(products, target)
        if RULE.fullmatch(target):
            usage(f"{target} is a rule and no record: infercompat explain {target}")
        usage(f"there is no record {target}" + (f"; nearest: {', '.join(close)}" if close else ""))
    if as_json:
        click.echo(json.dumps(showing.as_data(products, record), indent=2, ensure_ascii=False))
    else:
        showing.print_record(products, record)


@click.command()
@click.argument("text", nargs=-1, required=True)
@click.pass_context
def search(context: click.Context, text: tuple[str, ...]) -> None:
    """Finds records whose id, name, alias, checkpoint, architecture, title or error text holds all words of TEXT."""
    from infercompat import showing

    products = answering(context)
    found = showing.search(products, " ".join(text))
    for record in found:
        click.echo(f"{record.kind:<12} {record.id:<50} {record.name}")
    if not found:
        click.echo("nothing found; fewer or other words may, such as a model, an engine or a part of the error text", err=True)
        sys.exit(EXIT_FAULTS)
