"""Optimum Intel's exporter for OpenVINO: the model types that its configurations register, with the Transformers versions they bear."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, claim
from infercompat.versions import compare, parse_version

FILE = ("optimum/exporters/openvino/model_configs.py",)
REGISTER = "register_in_tasks_manager"
LIBRARIES = frozenset({"transformers", "sentence_transformers"})
"""Whose models have a config.json with a model type; the others are of image generators and image classifiers."""

BORROWED = '"onnx" not in export_configs'
"""How releases before 2.0.0 take over what another package registers, so that their own file is not the whole of it."""

BOUNDS = ("MIN_TRANSFORMERS_VERSION", "MAX_TRANSFORMERS_VERSION")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim a model type, on the line that names it; its `value` says which versions of Transformers export it, where bounds are set.

    Bounds that exclude each other are a no: the export then refuses every version.
    """
    file = tree.file(*FILE)
    if BORROWED in file.text:
        raise Refused(f"{file.path}: model types of the ONNX exporter are taken over too, which this file does not name")
    classes = {node.name: node for node in file.module.body if isinstance(node, ast.ClassDef)}
    seen = False
    for node in classes.values():
        for decorator in node.decorator_list:
            if not (isinstance(decorator, ast.Call) and ast.unparse(decorator.func).rpartition(".")[2] == REGISTER):
                continue
            seen = True
            name = decorator.args[0] if decorator.args else None
            if not isinstance(name, ast.Constant) or not isinstance(name.value, str):
                raise Refused(f"{file.path}:{decorator.lineno}: {REGISTER} is not given a model type that can be read off")
            if _library(decorator) in LIBRARIES:
                low, high = (_bound(node, bound, classes) for bound in BOUNDS)
                fields = {"value": value} if (value := _versions(low, high)) else {}
                yield claim(file, name.lineno, "unsupported" if _none_between(low, high) else "native", fields=fields, model_type=name.value)
    if not seen:
        raise Refused(f"{file.path}: nothing is decorated with {REGISTER}")


def _library(decorator: ast.Call) -> str:
    """The library that the model type is of: Transformers where the call does not say."""
    given = {keyword.arg: keyword.value for keyword in decorator.keywords}.get("library_name")
    return str(given.value) if isinstance(given, ast.Constant) else "transformers"


def _none_between(low: str, high: str) -> bool:
    """Whether the lower bound is above the upper one, each inherited from another class: the export then refuses every release."""
    one, other = (parse_version("pep440", bound) if bound else None for bound in (low, high))
    return one is not None and other is not None and compare(one, other) == "greater"


def _versions(low: str, high: str) -> str:
    """The bounds on Transformers that a class states or inherits from classes of the same file: `transformers 4.51.0 to 4.57.6`."""
    if high:
        return f"transformers {low} to {high}" if low else f"transformers up to {high}"
    return f"transformers from {low}" if low else ""


def _bound(node: ast.ClassDef, name: str, classes: dict[str, ast.ClassDef]) -> str:
    """A class attribute's text by the order of its bases; empty where it is None, computed, or out of this file."""
    for statement in node.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(target, ast.Name) and target.id == name:
            value = statement.value
            return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and (found := _bound(classes[base.id], name, classes)):
            return found
    return ""


HARVESTERS = (
    Harvester(
        engine="optimum-intel",
        prefix="optimum-intel",
        what="export",
        title="The model types that the OpenVINO exporter of Optimum Intel {version} registers",
        url="https://github.com/huggingface/optimum-intel/blob/{tag}/optimum/exporters/openvino/model_configs.py",
        tag="v{version}",
        read=read,
        package="optimum-intel",
        least=60,
    ),
)
