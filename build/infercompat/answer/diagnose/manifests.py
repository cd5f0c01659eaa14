"""Serve commands in YAML: compose files, Kubernetes manifests, and the option files of engines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import yaml
from yaml.nodes import Node, ScalarNode, SequenceNode

from infercompat.answer.diagnose import configs
from infercompat.answer.diagnose.commands import command, starts
from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.nodes import MOST_NESTING, children, line_of, mappings
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.answer.diagnose.words import Flag, Word, command_at
from infercompat.link import Catalog

MOST_BLOCKS, MOST_LINES = 20, 1000
"""What a paste holds of manifests; beyond that it is something else."""

LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Every scalar stays the text that it is, as on a command line."""

_START = re.compile(
    r"\s*(?:-\s+)?[\"']?(?:apiVersion|kind|services|version|name|spec|containers|image|template|command|args|"
    r"servingEngineSpec|applications|llm_configs|model(?:[-_]path)?|network|models|macros|healthCheckTimeout|modelArtifacts|decode)[\"']?\s*:(?:\s|$)|"
    r"\s*\{\s*(?:$|[\"']model)"
)
_LIKE_YAML = re.compile(r"\s*(?:$|#|---|\.\.\.|-(?:\s|$)|[\"']?[\w./$-]+[\"']?\s*:(?:\s|$)|[\]}])")
_SERVES = re.compile(r"[\s-]*(?:image|command|args|cmd)\s*:")


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The commands of containers, and what option files set, from every block of YAML in a text."""
    tables = [FlagTable(engine, catalog) for engine in catalog.of_kind("engine")]
    keys = {key: table for table in tables for key in table.file_keys}
    seen: list[Seen] = []
    taken: set[int] = set()
    number, blocks = 0, 0
    while number < len(lines):
        line = lines[number]
        options = keys.get(line.partition(":")[0])
        end = _block_end(lines, number) if len(line) < 400 and (options or _START.match(line)) else number + 1
        within = lines[number:end] if end > number + 1 or line.lstrip().startswith("{") else ()
        if blocks < MOST_BLOCKS and (options or any(_SERVES.match(one) or configs.SIGNS.search(one) for one in within)):
            blocks += 1
            roots, end = _parsed(lines, number, end)
            found = list(_options(roots, options, number)) if options else [*_containers(roots, number, catalog), *configs.read(roots, number, catalog)]
            seen += found
            if found:
                taken.update(range(number + 1, end + 1))
        number = end
    return reading(seen, taken)


def _block_end(lines: Lines, start: int) -> int:
    """The line after the block that begins here: it ends where a line is not indented further and does not look like YAML."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    for number in range(start + 1, min(len(lines), start + MOST_LINES)):
        line = lines[number]
        depth = len(line) - len(line.lstrip())
        if len(line) > 4000 or (line.strip() and (depth < indent or (depth == indent and not _LIKE_YAML.match(line)))):
            return number
    return min(len(lines), start + MOST_LINES)


def _parsed(lines: Sequence[str], start: int, end: int) -> tuple[list[Node], int]:
    """The documents of a block as nodes, which know their lines, and where the block ends: before the line that is no YAML any more."""
    indent = len(lines[start]) - len(lines[start].lstrip())
    while end > start:
        text = "\n".join(line[indent:] for line in lines[start:end]).replace("\t", "  ")
        if text.count("[") + text.count("{") > 20 * MOST_NESTING:
            break
        try:
            return [node for node in yaml.compose_all(text, Loader=LOADER) if node is not None], end
        except yaml.MarkedYAMLError as error:
            end = min(end - 1, start + error.problem_mark.line) if error.problem_mark and error.problem_mark.line else start
        except (yaml.YAMLError, RecursionError, ValueError):
            break
    return [], max(end, start + 1)


def _containers(roots: Sequence[Node], offset: int, catalog: Catalog) -> Iterator[Seen]:
    for root in roots:
        for mapping in mappings(root):
            parts = children(mapping)
            if not {"image", "command", "args"} & set(parts):
                continue
            names = [name for name in ("image", "entrypoint", "command", "args") if name in parts]
            words = [word for name in names for word in _words(parts[name], offset, name == "image")]
            variables = dict(_environment(parts.get("environment") or parts.get("env"), offset))
            found = command(words, variables, catalog) if words else None
            if found is not None:
                yield found


def _words(node: Node, offset: int, whole: bool = False) -> list[Word]:
    """The words of a command: a list as it stands, or one text split as a shell would. What a shell runs is split, too."""
    if isinstance(node, SequenceNode):
        items = [item for item in node.value if isinstance(item, ScalarNode)]
        words = [Word(item.value, line_of(item, offset)) for item in items]
        return [word for item, word in zip(items, words, strict=True) for word in (_split(item, offset) if _is_script(item.value) else [word])]
    if not isinstance(node, ScalarNode):
        return []
    return [Word(node.value, line_of(node, offset))] if whole else _split(node, offset)


def _is_script(text: str) -> bool:
    """Whether an item of a list is a whole command or a flag with its value, and no JSON object."""
    return bool(re.search(r"\s", text.strip())) and not text.lstrip().startswith(("{", "["))


def _split(node: ScalarNode, offset: int) -> list[Word]:
    """The words of a script: those of its first command that starts a program, or all in one line."""
    lines = node.value.split("\n")
    first = next((number for number, line in enumerate(lines) if starts(line)), None)
    if first is None or node.style != "|":
        lines, first = [" ".join(lines)], 0
    return [Word(word.text, word.line - 1 + line_of(node, offset)) for word in command_at(lines, first)[0]]


def _environment(node: Node | None, offset: int) -> Iterator[tuple[str, Word]]:
    """Variables from a mapping, from a list of `NAME=value`, or from a list of names and values."""
    for name, value in children(node).items() if node is not None else ():
        yield name, Word(str(value.value), line_of(value, offset))
    for item in node.value if isinstance(node, SequenceNode) else ():
        parts = children(item)
        if isinstance(item, ScalarNode) and "=" in item.value:
            name, _, value = item.value.partition("=")
            yield name, Word(value, line_of(item, offset))
        elif {"name", "value"} <= set(parts):
            yield str(parts["name"].value), Word(str(parts["value"].value), line_of(parts["value"], offset))


def _options(roots: Sequence[Node], table: FlagTable, offset: int) -> Iterator[Seen]:
    """What a file of an engine's options says, each key behind those above it, as one thing seen."""
    flags = [Flag(name, node.value, line_of(node, offset)) for root in roots for name, node in _scalars(root)]
    facts = tuple(seen for flag in flags for seen in table.read(flag) if seen.kind == "fact")
    if facts:
        yield Seen("options", table.engine.id, facts, facts[0].line)


def _scalars(node: Node, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, ScalarNode]]:
    for name, value in children(node).items() if depth < 6 else ():
        if isinstance(value, ScalarNode):
            yield prefix + name, value
        else:
            yield from _scalars(value, f"{prefix}{name}.", depth + 1)
