"""Shows diagnostics: objects until here, text or JSON from here on."""

from infercompat.report.machine import as_github, as_json, as_sarif
from infercompat.report.text import print_diagnostics

__all__ = ["as_github", "as_json", "as_sarif", "print_diagnostics"]
