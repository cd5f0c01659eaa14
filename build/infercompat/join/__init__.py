"""Joins models with engines: hop by hop, each with its evidence, to a verdict that never rounds unknown to yes or no."""

from infercompat.join.asked import features
from infercompat.join.binary import binary
from infercompat.join.cell import VERDICTS, Cell
from infercompat.join.claims import Ledger, Source, Statement
from infercompat.join.features import asked
from infercompat.join.gates import BLOCKING, Gate, gates, on_class
from infercompat.join.grade import Grade
from infercompat.join.hops import Hop, Joiner, Release, newest_release
from infercompat.join.matrix import Matrix, join_cell
from infercompat.join.paths import joiner_for, path_gates
from infercompat.join.stack import Stack

__all__ = [
    "BLOCKING",
    "VERDICTS",
    "Cell",
    "Gate",
    "Grade",
    "Hop",
    "Joiner",
    "Ledger",
    "Matrix",
    "Release",
    "Source",
    "Stack",
    "Statement",
    "asked",
    "binary",
    "features",
    "gates",
    "join_cell",
    "joiner_for",
    "newest_release",
    "on_class",
    "path_gates",
]
