"""ExLlamaV3's architectures: the model classes that ARCHITECTURES lists, each with a config class that names its architecture."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim

FOLDERS = ("exllamav3/architecture", "exllamav3/models")
"""The folder had another name in the first releases."""

LIST = "architectures.py"


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of its config's arch_string."""
    file = tree.file(*(f"{folder}/{LIST}" for folder in FOLDERS))
    for node in _listed(file):
        found = _string(tree, *_class(tree, file, node.id, f"{file.path}:{node.lineno}"))
        if found is None:
            raise Refused(f"{file.path}:{node.lineno}: {node.id} has no config class that names an architecture")
        source, value = found
        yield claim(source, value.lineno, "native", named=True, architecture=value.value)


def older(tree: Tree) -> str | None:
    """The address of the folder under its first name, where it has that."""
    first, second = FOLDERS
    has_moved = (tree.root / first / LIST).is_file()
    return None if has_moved else f"https://github.com/turboderp-org/exllamav3/tree/{{tag}}/{second}"


def _listed(file: File) -> list[ast.Name]:
    """The classes over which ARCHITECTURES is made."""
    value = assigned(file.module, "ARCHITECTURES")
    if not isinstance(value, ast.DictComp):
        raise Refused(f"{file.path}: there is no ARCHITECTURES made from a list of classes")
    classes = value.generators[0].iter
    if not isinstance(classes, (ast.List, ast.Tuple)) or not all(isinstance(node, ast.Name) for node in classes.elts):
        raise Refused(f"{file.path}:{value.lineno}: ARCHITECTURES is not made from a list of classes that can be read off")
    return classes.elts


def _class(tree: Tree, file: File, name: str, place: str) -> tuple[File, ast.ClassDef]:
    """Where a class that a file names is made: there, or in the module beside it that it is imported from."""
    for node in file.module.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return file, node
        if isinstance(node, ast.ImportFrom) and node.level == 1 and node.module and "." not in node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _class(tree, tree.file(f"{file.path.rpartition('/')[0]}/{node.module}.py"), alias.name, place)
    raise Refused(f"{place}: nobody knows where {name} is made")


def _string(tree: Tree, file: File, node: ast.ClassDef) -> tuple[File, ast.Constant] | None:
    """The arch_string of a model class's config class, of its own or inherited, and the file that it stands in."""
    config = _attribute(tree, file, node, "config_class")
    if config is None or not isinstance(config[1], ast.Name):
        return None
    source, name = config
    found = _attribute(tree, *_class(tree, source, name.id, f"{source.path}:{name.lineno}"), "arch_string")
    return found if found and isinstance(found[1], ast.Constant) and isinstance(found[1].value, str) else None


def _attribute(tree: Tree, file: File, node: ast.ClassDef, name: str) -> tuple[File, ast.expr] | None:
    """The value of a class attribute, from the class or the first of its bases that has it."""
    for statement in node.body:
        if isinstance(statement, ast.Assign) and any(isinstance(target, ast.Name) and target.id == name for target in statement.targets):
            return file, statement.value
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id not in ("Model", "Config"):
            found = _attribute(tree, *_class(tree, file, base.id, f"{file.path}:{node.lineno}"), name)
            if found:
                return found
    return None


HARVESTERS = (
    Harvester(
        engine="exllamav3",
        prefix="exllamav3",
        what="architectures",
        title="The architectures that ExLlamaV3 {version} has a model class for",
        url="https://github.com/turboderp-org/exllamav3/tree/{tag}/exllamav3/architecture",
        tag="v{version}",
        read=read,
        package="exllamav3",
        least=25,
        older=older,
    ),
)
