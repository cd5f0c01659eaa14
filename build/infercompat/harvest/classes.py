"""Classes of an upstream tree with what they inherit, followed from file to file through their imports and never imported."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

from msgspec import Struct, field

from infercompat.harvest.base import File, Tree
from infercompat.harvest.platforms import bound

UNCLEAR = "?"
"""Stands among the ancestors of a class that is another one by something else than the platform."""


class Found(NamedTuple):
    """Something that a class has, with the file that writes it and the class that holds it."""

    file: File
    node: ast.stmt
    owner: str


class Classes(Struct):
    """The classes of one package. `prefix` is where the package's folder lies in the tree, such as src.

    With a `platform`, such as rocm, those that modules choose on it; without one those of the first branch that has the name.
    """

    tree: Tree
    prefix: str = ""
    platform: str = ""
    _modules: dict[str, dict[str, ast.AST | None]] = field(default_factory=dict)

    def path(self, module: str) -> str | None:
        """The file of a dotted module, or None."""
        base = "/".join(part for part in (self.prefix, module.replace(".", "/")) if part)
        return next((path for path in (f"{base}.py", f"{base}/__init__.py") if self.tree.has(path)), None)

    def find(self, module: str, name: str) -> tuple[str, File, ast.ClassDef] | None:
        """The class that a module gives a name to, in the module that defines it; None where it has none, or nobody knows which."""
        found = self._find(module, name)
        return None if isinstance(found, str) else found

    def _find(self, module: str, name: str, depth: int = 0) -> tuple[str, File, ast.ClassDef] | str | None:
        """As `find`, with UNCLEAR where nobody knows which."""
        path = self.path(module)
        if path is None or depth > 8:
            return None
        file = self.tree.file(path)
        names = self._names(path, file)
        node = names.get(name)
        if isinstance(node, ast.ClassDef):
            return module, file, node
        if isinstance(node, ast.ImportFrom):
            alias = next(alias for alias in node.names if (alias.asname or alias.name) == name)
            return self._find(self._absolute(module, path, node), alias.name, depth + 1)
        return UNCLEAR if name in names else None

    def lineage(self, module: str, name: str, seen: set[tuple[str, str]] | None = None) -> Iterator[tuple[str, File, ast.ClassDef]]:
        """A class and those of its ancestors that are found, depth first, each with the module that defines it."""
        seen = set() if seen is None else seen
        found = self.find(module, name)
        if found is None or (found[0], found[2].name) in seen:
            return
        seen.add((found[0], found[2].name))
        yield found
        for base in map(_plain, found[2].bases):
            if isinstance(base, ast.Name):
                yield from self.lineage(found[0], base.id, seen)

    def member(self, module: str, name: str, wanted: str) -> Found | None:
        """A method or attribute of a class or of the first of its ancestors that has it, depth first."""
        for _, file, node in self.lineage(module, name):
            if (own := own_member(node, wanted)) is not None:
                return Found(file, own, node.name)
        return None

    def unresolved(self, module: str, name: str) -> set[str]:
        """What a class inherits from without a way to tell what that is: neither found here nor imported from another package."""
        return {
            ast.unparse(base)
            for at, file, node in self.lineage(module, name)
            for base in map(_plain, node.bases)
            if not (isinstance(base, ast.Name) and self.find(at, base.id)) and not _from_outside(at, file, ast.unparse(base).partition(".")[0])
        }

    def ancestors(self, module: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> set[str]:
        """The names of a class and of everything that it inherits from; of those outside the tree, the name alone.

        UNCLEAR is among them where it depends on more than the platform what they are.
        """
        found = self._find(module, name)
        if isinstance(found, str):
            return {name, found}
        if found is None or (module, name) in seen:
            return {name}
        names = {name}
        for base in map(_plain, found[2].bases):
            if isinstance(base, (ast.Name, ast.Attribute)):
                names |= self.ancestors(found[0], ast.unparse(base).rpartition(".")[2], seen | {(module, name)})
        return names

    def _names(self, path: str, file: File) -> dict[str, ast.AST | None]:
        """What a module's classes and imports bind, wherever in it they stand at its own level."""
        if path not in self._modules and self.platform:
            self._modules[path] = bound(file.module, self.platform)
        if path not in self._modules:
            names: dict[str, ast.AST | None] = {}
            stack = list(file.module.body)
            while stack:
                node = stack.pop(0)
                if isinstance(node, ast.ClassDef):
                    names[node.name] = node
                elif isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        names.setdefault(alias.asname or alias.name, node)
                elif isinstance(node, (ast.If, ast.Try)):
                    stack = [*node.body, *getattr(node, "orelse", []), *stack]
            self._modules[path] = names
        return self._modules[path]

    def _absolute(self, module: str, path: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".") if path.endswith("/__init__.py") else module.split(".")[:-1]
        parts = parts[: len(parts) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])


def _plain(base: ast.expr) -> ast.expr:
    """A base without what it is generic over."""
    return base.value if isinstance(base, ast.Subscript) else base


def _from_outside(module: str, file: File, name: str) -> bool:
    """Whether a module's name is a builtin or an import from another package."""
    for node in ast.walk(file.module):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                if (alias.asname or alias.name.partition(".")[0]) == name:
                    origin = alias.name if isinstance(node, ast.Import) else node.module or ""
                    return not getattr(node, "level", 0) and origin.partition(".")[0] != module.partition(".")[0]
    return hasattr(builtins, name)


def own_member(node: ast.ClassDef, wanted: str) -> ast.stmt | None:
    """A method or attribute that stands in the class itself."""
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) and item.name == wanted:
            return item
        targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) and item.value else []
        if any(isinstance(target, ast.Name) and target.id == wanted for target in targets):
            return item
    return None


def returned(node: ast.stmt) -> list[ast.expr]:
    """The values that a method returns, or the value of an attribute."""
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return [node.value] if node.value is not None else []
    return [item.value for item in ast.walk(node) if isinstance(item, ast.Return) and item.value is not None]
