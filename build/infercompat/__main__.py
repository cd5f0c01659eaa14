"""`python -m infercompat` is the command."""

from infercompat.cli import main

main(prog_name="infercompat")
