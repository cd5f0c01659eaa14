"""vLLM's attention backends: what each class accepts, resolved through its ancestors, and beside it what upstream's own table can see.

The table in vLLM's documents is made by a program that looks at the class alone, so what a backend inherits is missing from it. Both
readings are snapshots: their differences are conflicts of one release.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim
from infercompat.harvest.classes import Classes, own_member, returned

REGISTRY = ("vllm/v1/attention/backends/registry.py", "vllm/attention/backends/registry.py")
GENERATORS = (
    "docs/mkdocs/gen_files/generate_attention_backends.py",
    "docs/mkdocs/hooks/generate_attention_backends.py",
    "tools/pre_commit/generate_attention_backend_docs.py",
)
QUESTIONS = {
    "attention-sinks": "supports_sink",
    "sliding-window": "supports_sliding_window",
    "latent-attention": "is_mla",
    "sparse-attention": "is_sparse",
    "prefix-with-images": "supports_mm_prefix",
    "non-causal": "supports_non_causal",
    "kv-connector": "supports_kv_connector",
    "batch-invariance": "supports_batch_invariance",
}
"""Feature and the method that answers yes or no for it."""

CAPABILITY = "supports_compute_capability"
LISTS = {"head-sizes": "get_supported_head_sizes", "cache-types": "supported_kv_cache_dtypes", "block-sizes": "get_supported_kernel_block_sizes"}
NO_TABLE = {"CUSTOM", "TORCH_SDPA"}
"""What upstream's program leaves out by name."""


def backends(tree: Tree) -> tuple[File, list[tuple[str, str, int]]]:
    """Every member of the enumeration: name, dotted path of its class (empty where it has none), line."""
    file = tree.file(*REGISTRY)
    enum = next((node for node in file.module.body if isinstance(node, ast.ClassDef) and node.name in ("AttentionBackendEnum", "_Backend")), None)
    if enum is None:
        raise Refused(f"{file.path}: there is no AttentionBackendEnum")
    found = []
    for node in enum.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant):
            found.append((node.targets[0].id, str(node.value.value or ""), node.lineno))
    return file, found


def read(tree: Tree) -> Iterator[Claim]:
    """What each backend accepts, on the line that decides: the method of the class or of the ancestor that has it."""
    registry, members = backends(tree)
    classes = Classes(tree)
    for name, path, line in members:
        yield claim(registry, line, "native", named="/", backend=name)
        module, _, owner = path.rpartition(".")
        if not module or classes.find(module, owner) is None:
            continue  # made at run time, or a tag without a class
        for feature, method in QUESTIONS.items():
            if found := classes.member(module, owner, method):
                yield claim(found.file, found.node.lineno, _answer(found.node), named="/", backend=name, feature=feature)
        if found := classes.member(module, owner, CAPABILITY):
            value = capability(found.node)
            fields, status = {"value": value}, "native" if value == "any" else "partial"
            yield claim(found.file, found.node.lineno, status, named="/", fields=fields, backend=name, feature="compute-capability")
        for feature, method in LISTS.items():
            if (found := classes.member(module, owner, method)) and (values := _values(found.node)):
                fields = {"value": ", ".join(values)}
                yield claim(found.file, found.node.lineno, "partial", named="/", fields=fields, backend=name, feature=feature)


def table(tree: Tree) -> Iterator[Claim]:
    """What upstream's table says: the class's own methods only, and of the capability only the forms that its program knows."""
    generator = tree.file(*GENERATORS)
    lines = {node.name: node.lineno for node in ast.walk(generator.module) if isinstance(node, ast.FunctionDef)}
    for wanted in ("check_method_overrides", "parse_compute_capability"):
        if wanted not in lines:
            raise Refused(f"{generator.path}: there is no {wanted}, by which the table is made")
    _, members = backends(tree)
    classes = Classes(tree)
    for name, path, _ in members:
        module, _, owner = path.rpartition(".")
        place = classes.path(module) if module else None
        found = classes.find(module, owner) if place else None
        if name in NO_TABLE or found is None or found[1].path != place:
            continue
        for feature in ("attention-sinks", "sparse-attention", "prefix-with-images", "non-causal"):
            method = own_member(found[2], QUESTIONS[feature])
            yes = method is not None and any(isinstance(value, ast.Constant) and value.value is True for value in returned(method))
            yield claim(generator, lines["check_method_overrides"], "native" if yes else "unsupported", backend=name, feature=feature)
        if not name.startswith(("CPU_", "ROCM_")):
            method = own_member(found[2], CAPABILITY)
            value = capability(method, plain=True) if method is not None else "any"
            status = "native" if value == "any" else "partial"
            yield claim(generator, lines["parse_compute_capability"], status, fields={"value": value}, backend=name, feature="compute-capability")


def _answer(node: ast.stmt) -> str:
    """Yes, no, or partial where it is worked out at run time."""
    values = [value.value if isinstance(value, ast.Constant) else None for value in returned(node)]
    return {True: "native", False: "unsupported"}.get(values[0], "partial") if len(set(values)) == 1 and values else "partial"


def capability(node: ast.stmt, plain: bool = False) -> str:
    """The compute capabilities that a method lets pass, in short: any, 9.x, 8.0 and up. `plain` knows whole majors and bounds only."""
    majors: set[str] = set()
    exact: set[str] = set()
    bounds: dict[str, str] = {}
    for part in (part for value in returned(node) for part in ast.walk(value)):
        if not isinstance(part, ast.Compare) or len(part.ops) != 1:
            continue
        left, operator, right = part.left, part.ops[0], part.comparators[0]
        items = right.elts if isinstance(right, (ast.List, ast.Tuple, ast.Set)) and isinstance(operator, ast.In) else [right]
        if isinstance(left, ast.Attribute) and left.attr == "major" and isinstance(operator, (ast.Eq, ast.In)):
            majors |= {f"{item.value}.x" for item in items if isinstance(item, ast.Constant)}
        elif isinstance(operator, (ast.GtE, ast.LtE)) and (number := _number(right)):
            bounds[type(operator).__name__] = number
        elif isinstance(operator, (ast.Eq, ast.In)) and not plain:
            exact |= {number for item in items if (number := _number(item))}
    if majors or exact:
        return ", ".join(sorted(majors | exact, key=lambda word: [float(word.replace(".x", ".0")), word]))
    if bounds:
        low, high = bounds.get("GtE"), bounds.get("LtE")
        return f"{low} to {high}" if low and high else f"{low} and up" if low else f"up to {high}"
    values = returned(node)
    always = bool(values) and all(isinstance(value, ast.Constant) and value.value is True for value in values)
    return "any" if always or plain else "worked out at run time"


def _number(node: ast.expr) -> str:
    """9.0 of DeviceCapability(9, 0) or of (9, 0)."""
    parts = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
    numbers = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int)]
    return ".".join(map(str, numbers if len(numbers) > 1 else [*numbers, 0])) if numbers and len(numbers) == len(parts) else ""


def _values(node: ast.stmt) -> list[str]:
    """The constants of a list, where all of it is written out."""
    values = returned(node)
    items = values[0].elts if len(values) == 1 and isinstance(values[0], (ast.List, ast.Tuple)) else []
    found = [str(item.value) for item in items if isinstance(item, ast.Constant)]
    return found if len(found) == len(items) else []


def _source(what: str, ending: str, title: str, path: str, read, **more) -> Harvester:
    repository = "https://github.com/vllm-project/vllm"
    return Harvester(
        engine="vllm", prefix="vllm", what=what, ending=ending, title=title, url=f"{repository}/{path}", tag="v{version}",
        read=read, sdist="vllm", repository=repository, least=40, complete=False, optional=True, **more,
    )  # fmt: skip


HARVESTERS = (
    _source("tree", "attention-backends", "Attention backends of vLLM {version}, with what they inherit", "tree/{tag}", read),
    _source(
        "backend-table", "attention-backends-table", "What the table of attention backends of vLLM {version} can show",
        f"blob/{{tag}}/{GENERATORS[0]}", table, type="generated-documentation", whole_page=True,
    ),
)  # fmt: skip
