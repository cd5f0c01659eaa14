"""The verb that asks whether the sources are still there: links."""

from __future__ import annotations

import datetime
import sys
from collections import Counter
from pathlib import Path

import click

from infercompat.cli.common import EXIT_FAULTS, EXIT_USAGE, products_of, usage

AT_A_TIME = 50
"""Urls between two savings of the state file, so that little is lost when a check is cut short."""


@click.command()
@click.option("--check", "asking", is_flag=True, help="Ask for the urls that are due; without it only what is known is told.")
@click.option("--state", type=click.Path(path_type=Path, dir_okay=False), default=Path(".links.json"), show_default=True, help="File of results.")
@click.option("--days", type=click.IntRange(0, 3650), default=28, show_default=True, help="A url asked within these days is not due.")
@click.option("--most", type=click.IntRange(1), help="At most so many urls this time.")
@click.option("--pause", type=click.FloatRange(0, 3600), default=1.0, show_default=True, help="Seconds between two requests to one host.")
@click.pass_context
def links(context: click.Context, asking: bool, state: Path, days: int, most: int | None, pause: float) -> None:
    """Says which cited urls are gone or have moved. Exit status 0 none is gone, 1 some are, 2 usage or no network."""
    from infercompat.harvest import reach
    from infercompat.write import write_file

    urls = reach.urls_of(products_of(context).catalog)
    try:
        known = {url: answer for url, answer in reach.read_state(state).items() if url in urls}
    except ValueError as error:
        usage(str(error))
    if asking:
        today = datetime.datetime.now(datetime.UTC).date()
        since = (today - datetime.timedelta(days=days)).isoformat()
        waiting = reach.due(urls, known, since, most)
        click.echo(f"{len(urls)} urls, {len(waiting)} to ask", err=True)
        try:
            for number, (url, answer) in enumerate(reach.check(waiting, today.isoformat(), pause), start=1):
                known[url] = answer
                if number % AT_A_TIME == 0:
                    write_file(state, reach.as_state(known))
        except reach.NoNetwork as error:
            click.echo(f"infercompat: no host can be reached ({error}); nothing was checked", err=True)
            sys.exit(EXIT_USAGE)
        finally:
            if known:
                write_file(state, reach.as_state(known))
    for wanted in (reach.GONE, reach.MOVED, reach.FAILED):
        for url in sorted(url for url, answer in known.items() if answer.state == wanted):
            answer = known[url]
            where = f" -> {answer.target}" if answer.target else f" ({answer.said}, {answer.checked})"
            click.echo(f"{wanted:<7} {url}{where}\n        cited as {', '.join(urls[url])}")
    tally = Counter(answer.state for answer in known.values())
    words = ", ".join(f"{tally[word]} {word}" for word in (reach.FINE, reach.MOVED, reach.GONE, reach.CLOSED, reach.FAILED) if tally[word])
    click.echo(f"{len(urls)} urls: {words or 'none'}, {len(urls) - len(known)} never asked")
    sys.exit(EXIT_FAULTS if tally[reach.GONE] else 0)
