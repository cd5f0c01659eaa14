"""A fault in the data, as a value: every stage returns these beside its product and raises none."""

from __future__ import annotations

from msgspec import Struct

from infercompat.span import Span

ERROR = "error"
WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """One fault: the rule's code, what is wrong, where, and what to do about it."""

    rule: str
    message: str
    span: Span
    severity: str = ERROR
    help: str = ""
    related: tuple[tuple[str, Span], ...] = ()

    @property
    def sort_key(self) -> tuple:
        return (self.span.path, self.span.line, self.span.column, self.rule, self.message)


def tidy(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Sorted by place, each fault once."""
    return sorted(set(diagnostics), key=lambda diagnostic: diagnostic.sort_key)
