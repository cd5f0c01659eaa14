"""What a module binds on one platform: its branches are followed by what they ask of vLLM's `current_platform`, and nothing is run."""

from __future__ import annotations

import ast

ASKED = {"cuda": ("cuda",), "rocm": ("rocm",), "xpu": ("xpu",), "cpu": ("cpu",), "tpu": ("tpu",), "cuda_alike": ("cuda", "rocm"), "out_of_tree": ()}
"""The platforms on which `current_platform.is_…()` is true."""

DEVICES = {"rocm": "cuda"}
"""What `current_platform.device_type` says where that is not the platform's own name."""

Bound = dict[str, ast.AST | None]
"""What a name is bound to, a class or an import; None where branches differ and none of them is plainly this platform's."""


def bound(module: ast.Module, platform: str) -> Bound:
    """What a module binds at its own level on a platform: empty where it raises there.

    A name that only `__getattr__` gives is what that imports; where it imports none of that name, what type checkers are shown.
    """
    names: Bound = {}
    if _run(module.body, platform, names) is ast.Raise:
        return {}
    lazily: Bound = {}
    imported: set[str] = set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            _run(node.body, platform, lazily)
            imported |= {name for part in ast.walk(node) if isinstance(part, ast.ImportFrom) for name, _ in _imports(part)}
    shown: Bound = {}
    _run(module.body, platform, shown, checking=True)
    return {name: value for name, value in shown.items() if name not in imported} | lazily | names


def _run(body: list[ast.stmt], platform: str, names: Bound, checking: bool = False) -> type[ast.stmt] | None:
    """Adds what statements bind, the last one counts, and says whether they end in a raise or a return."""
    for node in body:
        ended = None
        if isinstance(node, ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            names.update(_imports(node))
        elif isinstance(node, (ast.Raise, ast.Return)):
            return type(node)
        elif isinstance(node, ast.Try):
            _run([*node.body, *node.orelse], platform, names, checking)
        elif isinstance(node, ast.If):
            answer = holds(node.test, platform, checking)
            if answer is not None:
                ended = _run(node.body if answer else node.orelse, platform, names, checking)
            else:
                _either((node.body, node.orelse), platform, names, checking)
        if ended is not None:
            return ended
    return None


def _either(branches: tuple[list[ast.stmt], ...], platform: str, names: Bound, checking: bool) -> None:
    """Adds what one of two branches binds, nobody knows which; one that raises is not it."""
    for branch in branches:
        found: Bound = {}
        if _run(branch, platform, found, checking) is ast.Raise:
            continue
        for name, value in found.items():
            names[name] = value if _same(names.get(name, value), value) else None


def _same(one: ast.AST | None, other: ast.AST | None) -> bool:
    return one is other or (one is not None and other is not None and ast.dump(one) == ast.dump(other))


def _imports(node: ast.ImportFrom) -> list[tuple[str, ast.AST | None]]:
    return [(alias.asname or alias.name, node) for alias in node.names]


def holds(test: ast.expr, platform: str, checking: bool = False) -> bool | None:
    """Whether a branch's test is true on a platform; None where it asks for something else."""
    if isinstance(test, (ast.Name, ast.Attribute)):
        return checking if ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING" else None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        answer = holds(test.operand, platform, checking)
        return None if answer is None else not answer
    if isinstance(test, ast.BoolOp):
        answers, decisive = [holds(value, platform, checking) for value in test.values], isinstance(test.op, ast.Or)
        return decisive if decisive in answers else None if None in answers else not decisive
    if isinstance(test, ast.Call):
        platforms = ASKED.get(_of_platform(test.func).removeprefix("is_"))
        return None if platforms is None else platform in platforms
    if isinstance(test, ast.Compare) and _of_platform(test.left) == "device_type" and isinstance(test.ops[0], ast.Eq):
        value = test.comparators[0]
        return DEVICES.get(platform, platform) == value.value if isinstance(value, ast.Constant) else None
    return None


def _of_platform(node: ast.expr) -> str:
    """What is taken of the platform, such as is_rocm; empty where it is something else's."""
    owner, _, name = ast.unparse(node).rpartition(".")
    return name if owner.rpartition(".")[2] == "current_platform" else ""
