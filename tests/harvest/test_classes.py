"""What a class inherits, followed through imports from file to file."""

from __future__ import annotations

import ast

from infercompat.harvest.classes import UNCLEAR, Classes, returned

from .trees import grow

TREE = {
    "pkg/base.py": "class Base:\n    flag = False\n    @classmethod\n    def sink(cls):\n        return False\n",
    "pkg/middle/__init__.py": "from ..base import Base as Root\n",
    "pkg/middle/one.py": "from pkg.middle import Root\nclass One(Root[int], Unknown):\n    def sink(self):\n        return True\n",
    "pkg/two.py": "if True:\n    from .middle.one import One\nclass Two(One):\n    flag: bool = True\nclass Loop(Loop): ...\nclass Own: ...\n",
}


def test_a_member_is_the_nearest_ancestors(tmp_path):
    classes = Classes(grow(tmp_path, TREE))
    sink = classes.member("pkg.two", "Two", "sink")
    assert (sink.file.path, sink.node.lineno, sink.owner) == ("pkg/middle/one.py", 3, "One")
    assert classes.member("pkg.two", "Two", "flag").owner == "Two"
    assert classes.member("pkg.middle.one", "One", "flag").owner == "Base"
    assert classes.member("pkg.two", "Own", "sink") is None
    assert classes.member("pkg.two", "Loop", "sink") is None
    assert classes.member("pkg.gone", "Two", "sink") is None


def test_all_ancestors_by_name(tmp_path):
    classes = Classes(grow(tmp_path, TREE))
    assert classes.ancestors("pkg.two", "Two") == {"Two", "One", "Root", "Unknown"}


def test_a_class_and_its_ancestors_in_order(tmp_path):
    classes = Classes(grow(tmp_path, TREE))
    assert [(module, node.name) for module, _, node in classes.lineage("pkg.two", "Two")] == [
        ("pkg.two", "Two"),
        ("pkg.middle.one", "One"),
        ("pkg.base", "Base"),
    ]
    assert [node.name for _, _, node in classes.lineage("pkg.two", "Loop")] == ["Loop"]
    assert list(classes.lineage("pkg.two", "Gone")) == []


def test_ancestors_that_nobody_can_tell(tmp_path):
    text = """\
import torch.nn as nn
from abc import ABC
from elsewhere import Model
from .gone import Gone
from pkg import other
class A(nn.Module, ABC, Model[int], Exception): ...
class B(A, Gone, other.Thing, Unknown, make()): ...
class C(B): ...
"""
    classes = Classes(grow(tmp_path, {"pkg/a.py": text}))
    assert classes.unresolved("pkg.a", "A") == set()
    assert classes.unresolved("pkg.a", "C") == {"Gone", "other.Thing", "Unknown", "make()"}


def test_a_package_below_a_folder(tmp_path):
    classes = Classes(grow(tmp_path, {f"src/{name}": text for name, text in TREE.items()}), "src")
    assert classes.member("pkg.two", "Two", "sink").file.path == "src/pkg/middle/one.py"


def test_what_a_method_returns():
    node = ast.parse("def f(a):\n    if a:\n        return 1\n    return 2\n").body[0]
    assert sorted(value.value for value in returned(node)) == [1, 2]
    assert [value.value for value in returned(ast.parse("x = 3").body[0])] == [3]


CHOSEN = {
    "pkg/__init__.py": "from vllm.platforms import current_platform\n"
    "if current_platform.is_rocm():\n    from .amd import Model\nelse:\n    from .nvidia import Model\n"
    "if fast:\n    from .amd import Fast\nelse:\n    from .nvidia import Fast\n",
    "pkg/amd.py": "class Model: ...\nclass Fast: ...\n",
    "pkg/nvidia.py": "class Model(SupportsLoRA): ...\nclass Fast(SupportsLoRA): ...\n",
    "pkg/user.py": "from pkg import Fast, Model\nclass User(Model): ...\nclass Other(Fast, Model): ...\n",
}


def test_a_class_by_platform(tmp_path):
    cuda, rocm, first = (Classes(grow(tmp_path, CHOSEN), platform=platform) for platform in ("cuda", "rocm", ""))
    assert [classes.find("pkg", "Model")[0] for classes in (cuda, rocm, first)] == ["pkg.nvidia", "pkg.amd", "pkg.amd"]
    assert cuda.ancestors("pkg.user", "User") == {"User", "Model", "SupportsLoRA"}
    assert rocm.ancestors("pkg.user", "User") == {"User", "Model"}


def test_a_class_that_nobody_knows(tmp_path):
    cuda = Classes(grow(tmp_path, CHOSEN), platform="cuda")
    assert cuda.find("pkg", "Fast") is None
    assert cuda.ancestors("pkg", "Fast") == {"Fast", UNCLEAR}
    assert cuda.ancestors("pkg.user", "Other") == {"Other", "Fast", UNCLEAR, "Model", "SupportsLoRA"}
