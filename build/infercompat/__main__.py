"""The command as a process of its own, and `python -m infercompat`."""

from __future__ import annotations

import gc
import os
import sys
from typing import NoReturn


def run() -> NoReturn:
    """Runs the command, and ends without giving back a million objects one by one, which takes longer than many answers."""
    gc.set_threshold(100_000)  # most verbs end before there is rubbish worth looking for, and loading them makes none
    import click

    from infercompat.cli import main

    status = 0
    try:
        main(prog_name="infercompat")
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            click.echo(end.code, err=True)
    try:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    except OSError:
        status = status or 1  # whoever read has gone
    os._exit(status)


if __name__ == "__main__":
    run()
