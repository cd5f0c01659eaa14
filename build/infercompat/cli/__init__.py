"""The command. Each verb loads what it needs when it runs, so that a short question stays quick."""

from __future__ import annotations

import errno
import io
import sys
from importlib import import_module
from pathlib import Path

import click

from infercompat import __version__
from infercompat.cli.common import begin, usage

VERBS = {
    "check": "ask",
    "cache": "ask",
    "upgrade": "ask",
    "diagnose": "ask",
    "show": "look",
    "search": "look",
    "validate": "catalog",
    "fmt": "catalog",
    "explain": "catalog",
    "impact": "catalog",
    "build": "catalog",
    "new": "catalog",
    "diff": "history",
    "harvest": "upstream",
    "links": "links",
    "releases": "upstream",
}
"""Each verb, and the module of this package that has it; loaded when it is asked for."""


class Verbs(click.Group):
    """The group of verbs: a file or folder that cannot be read or written is told in one line, whichever verb met it."""

    def list_commands(self, context: click.Context) -> list[str]:
        return sorted(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return getattr(import_module(f"infercompat.cli.{VERBS[name]}"), name) if name in VERBS else None

    def invoke(self, context: click.Context):
        try:
            return super().invoke(context)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            usage(f"{error.filename}: {error.strerror}" if error.filename else str(error))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(version=__version__, prog_name="infercompat")
@click.option("--catalog", "folder", type=click.Path(path_type=Path), help="The catalog folder; found by itself if left out.")
@click.pass_context
def main(context: click.Context, folder: Path | None) -> None:
    """Which inference engine can serve which open-weight model, with what caveats, and how we know."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a file's name may hold bytes that are no text
    context.obj = folder
    if VERBS.get(context.invoked_subcommand or "") == "ask":
        begin(context)
