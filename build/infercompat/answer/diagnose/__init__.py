"""Pasted commands, versions, machines, manifests and logs: what they say, and which known faults they show."""

from infercompat.answer.diagnose.diagnosis import Diagnosis, Matched, diagnose
from infercompat.answer.diagnose.index import Match, Pattern, patterns
from infercompat.answer.diagnose.redact import redact
from infercompat.answer.diagnose.showing import as_data, print_data
from infercompat.answer.diagnose.understanding import Hardware, Understood, understand

__all__ = [
    "Diagnosis",
    "Hardware",
    "Match",
    "Matched",
    "Pattern",
    "Understood",
    "as_data",
    "diagnose",
    "patterns",
    "print_data",
    "redact",
    "understand",
]
