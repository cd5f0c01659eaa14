"""What a rule is made of: a declaration and a generator of diagnostics over the products of the earlier stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from infercompat.declaration import Declaration
from infercompat.diagnostic import Diagnostic
from infercompat.products import Products
from infercompat.span import Span

Finding = tuple[Span, str, str] | tuple[Span, str, str, tuple[tuple[str, Span], ...]]
"""Where, what is wrong, what to do, and related places."""


class Rule(Struct, frozen=True):
    """A declared rule and its logic. Calling it yields its diagnostics."""

    declaration: Declaration
    find: Callable[[Products], Iterator[Finding]]

    @property
    def code(self) -> str:
        return self.declaration.code

    def __call__(self, products: Products) -> Iterator[Diagnostic]:
        for span, message, help, *related in self.find(products):
            yield Diagnostic(self.code, message, span, self.declaration.severity, help, related[0] if related else ())


def rule(**declared: str) -> Callable[[Callable[[Products], Iterator[Finding]]], Rule]:
    """Declares the rule whose logic the decorated generator is."""
    return lambda find: Rule(Declaration(**declared), find)
