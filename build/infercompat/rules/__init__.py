"""Every rule there is, in one tuple, and the codes that reading and the shape check report by themselves."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.declaration import Declaration
from infercompat.diagnostic import ERROR, Diagnostic, tidy
from infercompat.products import Products
from infercompat.rules import content, engines, links, numbers, sources, stages
from infercompat.rules.base import Rule

RULES: tuple[Rule, ...] = tuple(rule for module in (links, sources, content, engines, numbers) for rule in module.RULES)

DECLARATIONS: dict[str, Declaration] = {
    declaration.code: declaration
    for declaration in sorted((*stages.DECLARATIONS, *(rule.declaration for rule in RULES)), key=lambda declaration: declaration.code)
}
"""Every code that a diagnostic can have, with what it says of itself."""


def check(products: Products) -> list[Diagnostic]:
    """All faults of a catalog: those met on the way and those the rules find, exceptions applied, sorted, none twice."""
    found = [*products.diagnostics, *(diagnostic for rule in RULES for diagnostic in rule(products))]
    return tidy(_apply_exceptions(products, found))


def _apply_exceptions(products: Products, found: list[Diagnostic]) -> list[Diagnostic]:
    document = products.exceptions
    if document is None:
        return found
    kept = found
    for index, exception in enumerate(document.data["exceptions"]):
        rule, path = exception["rule"], exception["path"]
        remaining = [diagnostic for diagnostic in kept if not (diagnostic.rule == rule and diagnostic.span.path == path)]
        if rule not in DECLARATIONS:
            kept = [*kept, Diagnostic("EXC001", f"there is no rule {rule}", document.span(("exceptions", index)), help="infercompat explain lists the rules.")]
        elif len(remaining) == len(kept):
            message = f"the exception of {rule} for {path} suppresses nothing"
            kept = [*kept, Diagnostic("EXC001", message, document.span(("exceptions", index)), help="Take it out.")]
        else:
            kept = remaining
    return kept


def as_errors(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """The same diagnostics with warnings made errors, for --strict."""
    return [replace(diagnostic, severity=ERROR) for diagnostic in diagnostics]
