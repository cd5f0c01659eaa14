"""What the verbs share: loading the catalog, refusing a usage, exit statuses and the options that describe a stack."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from infercompat.products import Products

KEY = "infercompat.snapshot.key"
EXIT_FAULTS, EXIT_USAGE, EXIT_UNKNOWN = 1, 2, 4

STACK_OPTIONS = (
    click.option("--hardware", help="Id of a hardware record, such as b200."),
    click.option("--gpus", type=click.IntRange(1, 4096), default=1, show_default=True, help="How many devices."),
    click.option("--tp", type=click.IntRange(1, 4096), help="Tensor-parallel ranks."),
    click.option("--context", "length", type=click.IntRange(1, 1 << 40), help="Longest sequence in tokens."),
    click.option("--cache-dtype", help="Element type of the KV cache."),
    click.option("--checkpoint", help="Hub id of the weights."),
    click.option("--from-config", type=click.Path(path_type=Path), help="A config.json or GGUF file of a model that is not in the catalog."),
    click.option("--set", "settings", multiple=True, metavar="FACT=VALUE", help="A setting, by fact name."),
    click.option("--require", "required", multiple=True, metavar="FACT=VALUE", help="A setting that no repair may change."),
)


def stack_options(command):
    """The options that describe a stack, for every verb that asks about one."""
    for option in reversed(STACK_OPTIONS):
        command = option(command)
    return command


def answering(context: click.Context) -> Products:
    """The catalog in use for answering a question: from its compiled snapshot where there is one."""
    import gc

    from infercompat.snapshot import quick

    gc.disable()  # an answer ends before there is rubbish worth looking for
    return _whole(quick(folder_of(context), context.meta.pop(KEY, None)))


def begin(context: click.Context) -> None:
    """What an answer will need of the catalog, begun before the modules that answer are loaded."""
    from infercompat.places import find_catalog
    from infercompat.snapshot import key_aside

    context.meta[KEY] = key_aside(find_catalog(context.obj).resolve())


def folder_of(context: click.Context) -> Path:
    from infercompat.places import find_catalog

    folder = find_catalog(context.obj).resolve()
    if not folder.is_dir():
        raise click.UsageError(f"there is no catalog at {folder}")
    return folder


def products_of(context: click.Context, clock: bool = False) -> Products:
    """The catalog in use, loaded. Only validation looks at the clock."""
    import datetime

    from infercompat.pipeline import load

    folder = folder_of(context)
    products = load(folder, datetime.datetime.now(datetime.UTC).date().isoformat() if clock else None)
    return products if clock else _whole(products)


def _whole(products: Products) -> Products:
    """The products, if the vocabulary was read: ranks and thresholds stand there, and nothing can be answered without it."""
    path = f"{products.folder.name}/vocabulary.yaml"
    fault = next((diagnostic for diagnostic in products.diagnostics if diagnostic.span.path == path), None)
    if fault:
        click.echo(f"infercompat: {fault.span}  {fault.rule}  {fault.message}\nRun: infercompat validate", err=True)
        sys.exit(EXIT_FAULTS)
    return products


def usage(message: str) -> NoReturn:
    """Leaves with exit status 2 and one line that says what to change."""
    click.echo(f"infercompat: {message}", err=True)
    sys.exit(EXIT_USAGE)
