"""llama.cpp's graphs: the GGUF architectures, which keep recurrent states, which have windows, and the types a cache can have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, Harvester, Refused, Tree, claim
from infercompat.harvest.markdown import slug

ARCHITECTURES = ("src/llama-arch.cpp", "llama.cpp")
_NAME = re.compile(r'\{\s*LLM_ARCH_(\w+)\s*,\s*"([^"]+)"\s*\}')
_SET = re.compile(r"bool llm_arch_is_(recurrent|hybrid|diffusion)\(")
_CASE = re.compile(r"case LLM_ARCH_(\w+):")
_WINDOW = re.compile(r"hparams\.swa_type\s*=\s*LLAMA_SWA_TYPE_(\w+)\s*;")
_BUILD = re.compile(r"case LLM_ARCH_(\w+):")
_TYPE = re.compile(r"^\s*GGML_TYPE_(\w+)\s*,")


def read(tree: Tree) -> Iterator[Claim]:
    """Names, states, windows and cache types, each on its line; everything is told of by the path in the repository."""
    yield from _architectures(tree)
    yield from _windows(tree)
    yield from _cache_types(tree)


def _architectures(tree: Tree) -> Iterator[Claim]:
    file = tree.file(*ARCHITECTURES)
    names: dict[str, str] = {}
    inside = ""
    for number, line in enumerate(file.lines, start=1):
        if (found := _NAME.search(line)) and found[1] not in names and found[2] != "(unknown)":
            names[found[1]] = slug(found[2].replace("_", "-"))
            yield claim(file, number, "native", named="/", feature=f"gguf.{names[found[1]]}")
        elif opened := _SET.search(line):
            inside = opened[1]
        elif inside and (case := _CASE.search(line)):
            if case[1] not in names:
                raise Refused(f"{file.path}:{number}: LLM_ARCH_{case[1]} has no name")
            yield claim(file, number, "native", named="/", fields={"value": inside}, feature=f"state.{names[case[1]]}")
        elif line.startswith("}"):
            inside = ""
    if not names:
        raise Refused(f"{file.path}: there are no names of architectures")


def _windows(tree: Tree) -> Iterator[Claim]:
    """The kind of window that each graph sets; one a file and kind, `none` aside, which a graph sets where a config has no window."""
    files = tree.below("src/models", pattern="*.cpp") if (tree.root / "src/models").is_dir() else [tree.file("src/llama-model.cpp")]
    for file in files:
        case = ""
        for number, line in enumerate(file.lines, start=1):
            case = found[1] if (found := _BUILD.search(line)) else case
            window = _WINDOW.search(line)
            if window and window[1] != "NONE":
                name = file.path.rpartition("/")[2].removesuffix(".cpp") if "models/" in file.path else case
                yield claim(file, number, "native", named="/", fields={"value": window[1].lower()}, feature=f"window.{slug(name.replace('_', '-'))}")


def _cache_types(tree: Tree) -> Iterator[Claim]:
    file = tree.file("common/arg.cpp")
    inside = False
    for number, line in enumerate(file.lines, start=1):
        if "kv_cache_types" in line and "{" in line:
            inside = True
        elif inside and (found := _TYPE.match(line)):
            yield claim(file, number, "native", named="/", feature=f"cache-type.{slug(found[1].replace('_', '-'))}")
        elif inside and "}" in line:
            return
    raise Refused(f"{file.path}: there is no list kv_cache_types that ends")


HARVESTERS = (
    Harvester(
        engine="llama.cpp",
        prefix="llamacpp",
        what="tree",
        ending="graphs",
        title="Graphs, windows, states and cache types of llama.cpp",
        url="https://github.com/ggml-org/llama.cpp/tree/{tag}",
        tag="{version}",
        read=read,
        repository="https://github.com/ggml-org/llama.cpp",
        least=60,
        complete=False,
        optional=True,
    ),
)
