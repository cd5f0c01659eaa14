"""`python -m infercompat` is the command."""

from infercompat.cli import run

run()
