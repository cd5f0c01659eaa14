"""ONNX Runtime GenAI's two sides: the classes that the model builder has a branch for, and the types that the runtime in C++ has lists of.

The builder writes a type into the model's own genai_config.json, and the runtime goes by it; a type is no word of Hugging Face's config.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim
from infercompat.harvest.markdown import slug

FILE = ("onnxruntime_genai/models/builder.py", "src/python/py/models/builder.py")
CHAIN = "config.architectures[0]"
"""What each branch of the chain compares; only a name that stands on the other side of an equals sign is one that is built."""


def read(tree: Tree) -> Iterator[Claim]:
    """One claim an architecture, on the line of the comparison that names it."""
    file = tree.file(*FILE)
    build = next((node for node in file.module.body if isinstance(node, ast.FunctionDef) and node.name == "create_model"), None)
    if build is None:
        raise Refused(f"{file.path}: there is no function create_model")
    for branch in _branches(file, build):
        for node in ast.walk(branch.test):
            if isinstance(node, ast.Compare) and ast.unparse(node.left) == CHAIN:
                for operator, value in zip(node.ops, node.comparators, strict=True):
                    if not isinstance(operator, ast.Eq) or not isinstance(value, ast.Constant):
                        raise Refused(f"{file.path}:{node.lineno}: {CHAIN} is compared in a way that gives no name")
                    yield claim(file, node.lineno, "native", architecture=value.value)


def _branches(file: File, build: ast.FunctionDef) -> Iterator[ast.If]:
    """The branches of the chain in their order, from the first that compares the class. Raises Refused where the chain has no else."""
    branch = next((node for node in ast.walk(build) if isinstance(node, ast.If) and CHAIN in ast.unparse(node.test)), None)
    if branch is None:
        raise Refused(f"{file.path}: create_model compares nothing with {CHAIN}")
    while True:
        yield branch
        if len(branch.orelse) == 1 and isinstance(branch.orelse[0], ast.If):
            [branch] = branch.orelse
        elif any(isinstance(node, ast.Raise) for node in branch.orelse):
            return
        else:
            raise Refused(f"{file.path}:{branch.lineno}: the chain does not end by refusing what it does not name")


TYPES = "src/models/model_type.h"
_LIST = re.compile(r"std::array<std::string_view, (?P<count>\d+)> (?P<name>\w+) = \{(?P<words>[^}]*)\};")
_WORD = re.compile(r'"([^"]*)"')


def types(tree: Tree) -> Iterator[Claim]:
    """One claim a type, on the line of its list; `value` has the list's name, such as VLM. A subset of another list comes after it."""
    file, found = tree.file(TYPES), False
    for number, line in enumerate(file.lines, start=1):
        if "std::array<std::string_view" in line:
            listed = _LIST.search(line)
            words = _WORD.findall(listed["words"]) if listed else []
            if not listed or len(words) != int(listed["count"]):
                raise Refused(f"{file.path}:{number}: a list of types that cannot be read off")
            for word in words:
                found = True
                yield claim(file, number, "native", fields={"value": listed["name"]}, feature=f"genai-type.{slug(word.replace('_', '-'))}")
    if not found:
        raise Refused(f"{file.path}: there is no list of types")


HARVESTERS = (
    Harvester(
        engine="onnxruntime-genai",
        prefix="ort-genai",
        what="builder",
        title="The architectures that the model builder of ONNX Runtime GenAI {version} has a branch for",
        url="https://github.com/microsoft/onnxruntime-genai/blob/{tag}/src/python/py/models/builder.py",
        tag="v{version}",
        read=read,
        package="onnxruntime-genai",
        least=15,
    ),
    Harvester(
        engine="onnxruntime-genai",
        prefix="ort-genai",
        what="model-types",
        ending="model-types",
        title="The types of models that the runtime of ONNX Runtime GenAI {version} has lists of",
        url="https://github.com/microsoft/onnxruntime-genai/blob/{tag}/" + TYPES,
        tag="v{version}",
        read=types,
        repository="https://github.com/microsoft/onnxruntime-genai",
        least=15,
        complete=False,
        optional=True,
    ),
)
