"""What a module binds on one platform, by what its branches ask."""

from __future__ import annotations

import ast

import pytest

from infercompat.harvest.platforms import bound, holds


@pytest.mark.parametrize(
    ("test", "on"),
    [
        ("current_platform.is_rocm()", {"rocm"}),
        ("not platforms.current_platform.is_rocm()", {"cuda", "xpu", "cpu"}),
        ("TYPE_CHECKING or not current_platform.is_rocm()", {"cuda", "xpu", "cpu"}),
        ("current_platform.is_cuda_alike() and not typing.TYPE_CHECKING", {"cuda", "rocm"}),
        ("current_platform.is_xpu() or current_platform.is_tpu()", {"xpu"}),
        ("current_platform.device_type == 'cuda'", {"cuda", "rocm"}),
        ("current_platform.is_rocm() and fast()", {"rocm": None}),
        ("current_platform.is_cuda() or fast", {"cuda": True, "rocm": None, "xpu": None, "cpu": None}),
        ("other.is_rocm()", {"cuda": None, "rocm": None, "xpu": None, "cpu": None}),
        ("current_platform.is_device_capability(90)", {"cuda": None, "rocm": None, "xpu": None, "cpu": None}),
    ],
)
def test_what_a_branch_asks(test, on):
    node = ast.parse(test, mode="eval").body
    wanted = on if isinstance(on, dict) else dict.fromkeys(on, True)
    assert {platform: holds(node, platform) for platform in ("cuda", "rocm", "xpu", "cpu")} == dict.fromkeys(("cuda", "rocm", "xpu", "cpu"), False) | wanted


def homes(text: str, platform: str) -> dict[str, str | None]:
    """The module that each name comes from; its own for a class, ? for one that nobody knows."""
    found = bound(ast.parse(text), platform)
    return {name: "?" if node is None else node.module if isinstance(node, ast.ImportFrom) else "own" for name, node in found.items()}


def test_the_last_one_counts():
    assert homes("from a import X\nfrom b import X\nclass Y: ...\nfrom c import Y", "cuda") == {"X": "b", "Y": "c"}


def test_branches_that_are_not_plain():
    text = "if fast:\n    from a import X, Y\nelse:\n    from b import X\n    from c import Z\n"
    assert homes(text, "cuda") == {"X": "?", "Y": "a", "Z": "c"}
    assert homes("from a import X\nif fast:\n    from b import X\n", "cuda") == {"X": "?"}
    assert homes("if fast:\n    from a import X\nelse:\n    from a import X\n", "cuda") == {"X": "a"}
    assert homes("if fast:\n    from a import X\nelse:\n    raise ImportError\n", "cuda") == {"X": "a"}


def test_a_module_that_raises_has_nothing():
    text = "from a import Y\nif current_platform.is_xpu():\n    raise NotImplementedError\nfrom a import X\n"
    assert homes(text, "cuda") == {"Y": "a", "X": "a"}
    assert homes(text, "xpu") == {}


def test_names_that_are_given_when_asked_for():
    lazy = (
        "if TYPE_CHECKING:\n    from nvidia import X, Shown\n"
        "def __getattr__(name):\n"
        "    if name in {'X'}:\n"
        "        if current_platform.is_xpu():\n            raise NotImplementedError\n"
        "        if current_platform.is_rocm():\n            from amd import X\n"
        "        else:\n            from nvidia import X\n"
        "        return {'X': X}[name]\n"
        "    raise AttributeError(name)\n"
    )
    assert homes(lazy, "cuda") == {"X": "nvidia", "Shown": "nvidia"}
    assert homes(lazy, "rocm") == {"X": "amd", "Shown": "nvidia"}
    assert homes(lazy, "xpu") == {"Shown": "nvidia"}


def test_what_type_checkers_are_shown_by_platform():
    text = "if TYPE_CHECKING:\n    if current_platform.is_rocm():\n        from amd import X\n    else:\n        from nvidia import X\n"
    assert (homes(text, "rocm"), homes(text, "cpu")) == ({"X": "amd"}, {"X": "nvidia"})
    assert homes("if TYPE_CHECKING:\n    from a import X\nelse:\n    from b import X\n", "cuda") == {"X": "b"}
