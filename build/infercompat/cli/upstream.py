"""The verbs that read upstream: harvest, and releases."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click

from infercompat.cli.common import EXIT_FAULTS, EXIT_USAGE, products_of, usage


@click.command()
@click.argument("target", metavar="[ENGINE[@VERSION]]", required=False)
@click.option("--from", "given", type=click.Path(path_type=Path), help="A tree or archive that is there already.")
@click.option("--source", default="", help="Read only this source of the engine, such as registry.")
@click.option("--all", "every", is_flag=True, help="Every engine, at its newest release upstream.")
@click.option("--read-on", type=click.DateTime(["%Y-%m-%d"]), help="The day it was read; today if left out.")
@click.option("--released", type=click.DateTime(["%Y-%m-%d"]), help="The day on which VERSION was released, where neither a tag nor the package index tells.")
@click.option("--accept-fewer", is_flag=True, help="A dict, list or table that is empty, or has lost most of its entries, is what upstream has now.")
@click.option("--reachable", is_flag=True, help="With --all: where a channel gives nothing at all, say so and leave its engines out.")
@click.option("--check", "only_check", is_flag=True, help="Write nothing: print claims, cells and answers that differ from the catalog. Exit 1 if any does.")
@click.option("--verify", "only_verify", is_flag=True, help="Write nothing: read each cited line again. Exit 1 if one is changed or dead.")
@click.pass_context
def harvest(
    context: click.Context,
    target: str | None,
    given: Path | None,
    source: str,
    every: bool,
    read_on: datetime | None,
    released: datetime | None,
    accept_fewer: bool,
    reachable: bool,
    only_check: bool,
    only_verify: bool,
) -> None:
    """Reads what ENGINE supports at VERSION out of its released tree, each claim with its line. No version means the newest upstream.

    Exit status 1 if a check finds a difference, 2 if an engine that the catalog has was not read.
    """
    from infercompat.harvest import SOURCES, Refused, run, work

    if only_check and only_verify:
        usage("--check and --verify are two questions: ask one")
    if only_verify and source:
        usage("--verify reads the lines of every source; leave --source out")
    if not only_verify and (target is not None) == every:
        usage("name ENGINE@VERSION, or --all for every engine")
    products = products_of(context)
    if only_verify:
        _verify(products, target or "", given)
    if released and every:
        usage("--released is the day of one release: name ENGINE@VERSION")
    day = (read_on or datetime.now(UTC)).date().isoformat()
    out = released.date().isoformat() if released else ""
    unread, reached, drift = [], set(), False
    for name in SOURCES if every else [target]:
        job = work.Job(products, name, source, given, day, read_on is not None, out, accept_fewer)
        if every:
            click.echo(f"== {name}")
        try:
            for line in job.check() if only_check else job.write():
                click.echo(line)
                drift = drift or (only_check and line.startswith(work.DRIFT))
        except Refused as error:
            if not every:
                usage(str(error))
            job.missed.append(work.Missed(SOURCES[name][0], error))
            click.echo(str(job.missed[-1]))
        unread += job.missed
        reached |= job.reached
    left = [missed for missed in unread if reachable and every and not missed.reached and run.channel(missed.harvester) not in reached]
    failed = [missed for missed in unread if missed not in left]
    for words, found in (
        ("left out, their channel gives nothing here", left),
        ("not read, their trees cannot be had", [missed for missed in failed if not missed.reached]),
        ("not read, their sources have changed their shape", [missed for missed in failed if missed.reached]),
    ):
        if found:
            click.echo(f"{words}: {', '.join(dict.fromkeys(missed.harvester.engine for missed in found))}", err=True)
    sys.exit(EXIT_USAGE if failed or (unread and not reached) else EXIT_FAULTS if drift else 0)


def _verify(products, target: str, given: Path | None) -> None:
    from infercompat.harvest import SOURCES, Refused, run, verify

    engine, _, version = target.partition("@")
    snapshots = [s for s in products.catalog.of_kind("support") if engine in ("", s.data["engine"]) and version in ("", s.data["version"])]
    if not snapshots:
        usage(f"the catalog has no snapshot of {target.replace('@', ' at ')}")
    if given is not None and len({(s.data["engine"], s.data["version"]) for s in snapshots}) > 1:
        usage("--from is the tree of one version: name ENGINE@VERSION")

    @contextmanager
    def obtain(engine: str, version: str) -> Iterator:
        if engine not in SOURCES and given is None:
            raise Refused("there is no harvester that knows where its releases are")
        with run.tree_of(SOURCES.get(engine, (None,))[0], version, given) as (tree, _):
            yield tree

    if given is not None and not given.exists():
        usage(f"there is no folder or archive {given}")
    count: Counter[str] = Counter()
    for found in verify.verify(products.catalog, snapshots, obtain):
        count[found.state] += 1
        if found.state != "same":
            click.echo(str(found))
    states = ", ".join(f"{count[state]} {state}" for state in ("same", "moved", "changed", "dead", "skipped"))
    click.echo(f"{states}{'. Skipped ones were not read.' if count['skipped'] else ''}")
    sys.exit(EXIT_FAULTS if count["changed"] or count["dead"] else 0)


@click.command()
@click.option("--record", is_flag=True, help="Write what upstream has into the engines' records: answers that rest on what was read long before are stale.")
@click.pass_context
def releases(context: click.Context, record: bool) -> None:
    """Which engines have newer releases than the catalog's snapshots. Exit status 1 if any has, 2 if upstream cannot be asked."""
    from infercompat.harvest import releases as module

    products = products_of(context)
    found = module.lags(products.catalog)
    for lag in found:
        click.echo(str(lag))
    if record:
        for path in module.record(products, found, datetime.now(UTC).date().isoformat()):
            click.echo(f"wrote    {path}")
    failed = [lag for lag in found if lag.failed]
    if failed and len(failed) == len(found):
        usage(f"no release channel can be reached: {failed[0].failed}")
    sys.exit(EXIT_FAULTS if any(lag.newer for lag in found) else EXIT_USAGE if failed else 0)
