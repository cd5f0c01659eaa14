"""vLLM's attention backends: what each class accepts, resolved through its ancestors, and beside it what upstream's own table can see.

The table in vLLM's documents is made by a program that looks at the class alone, so what a backend inherits is missing from it. Both
readings are snapshots: their differences are conflicts of one release.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, assigned, claim, entries
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
CACHE_TYPES = LISTS["cache-types"]
LATENT_PARENTS = {"MLACommonBackend", "FlashMLABackend", "FlashMLASparseBackend"}
"""The parents by which upstream's program knows latent attention."""

OWN_TABLE = "_DSV4"
"""How names end that have a table of latent attention of their own."""

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
            if (found := classes.member(module, owner, method)) and (values := _values(found.node, found.file)):
                fields = {"value": ", ".join(values)}
                yield claim(found.file, found.node.lineno, "partial", named="/", fields=fields, backend=name, feature=feature)


def table(tree: Tree) -> Iterator[Claim]:
    """What upstream's table says: the class's own methods only, and of the capability only the forms that its program knows."""
    generator = tree.file(*GENERATORS)
    lines = {node.name: node.lineno for node in ast.walk(generator.module) if isinstance(node, ast.FunctionDef)}
    for wanted in ("check_method_overrides", "parse_compute_capability", "analyze_backend", "parse_kv_cache_dtypes"):
        if wanted not in lines:
            raise Refused(f"{generator.path}: there is no {wanted}, by which the table is made")
    aliased = {key for key, _, _ in entries(assigned(generator.module, "BACKEND_KV_DTYPE_EXCLUDES"))}
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
        latent = name.endswith(OWN_TABLE) or _taken_for_latent(found[2], name, path)
        yield claim(generator, lines["analyze_backend"], "native" if latent else "unsupported", backend=name, feature="latent-attention")
        if name not in aliased and own_member(found[2], "supports_kv_cache_dtype") is None:
            listed = own_member(found[2], CACHE_TYPES)
            seen = isinstance(listed, ast.AnnAssign) and isinstance(listed.value, ast.List)
            value = ", ".join(_values(listed) if seen else []) or "auto"
            yield claim(generator, lines["parse_kv_cache_dtypes"], "partial", fields={"value": value}, backend=name, feature="cache-types")
        if not name.startswith(("CPU_", "ROCM_")):
            method = own_member(found[2], CAPABILITY)
            value = capability(method, plain=True) if method is not None else "any"
            status = "native" if value == "any" else "partial"
            yield claim(generator, lines["parse_compute_capability"], status, fields={"value": value}, backend=name, feature="compute-capability")


def _taken_for_latent(node: ast.ClassDef, name: str, path: str) -> bool:
    """Whether upstream's program takes a backend for one of latent attention: by its first parent, by its names, or by its own word."""
    first = node.bases[0] if node.bases else None
    parent = ast.unparse(first.value if isinstance(first, ast.Subscript) else first) if first is not None else ""
    own = own_member(node, QUESTIONS["latent-attention"])
    said = own is not None and any(isinstance(value, ast.Constant) and value.value is True for value in returned(own))
    return said or parent in LATENT_PARENTS or ".mla." in path.lower() or "_mla" in name.lower()


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


def _values(node: ast.stmt, file: File | None = None) -> list[str]:
    """The constants of a list, where all of it is written out; with its file, also where it is made from lists that the module names."""
    values = returned(node)
    return _constants(values[0], file) or [] if len(values) == 1 else []


def _constants(value: ast.expr, file: File | None, depth: int = 0) -> list[str] | None:
    """The constants of a list or tuple; None where one of them cannot be read off."""
    if file is not None and depth < 4:
        if isinstance(value, ast.Call) and ast.unparse(value.func) in ("list", "tuple") and len(value.args) == 1:
            return _constants(value.args[0], file, depth + 1)
        if isinstance(value, ast.Name) and (named := assigned(file.module, value.id)) is not None:
            return _constants(named, file, depth + 1)
    if not isinstance(value, (ast.List, ast.Tuple)):
        return None
    found: list[str] = []
    for item in value.elts:
        part = _constants(item.value, file, depth + 1) if isinstance(item, ast.Starred) else [str(item.value)] if isinstance(item, ast.Constant) else None
        if part is None:
            return None
        found += part
    return found


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
