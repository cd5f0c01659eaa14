"""The nodes of a YAML tree, which know their lines."""

from __future__ import annotations

from collections.abc import Iterator

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

MOST_NESTING = 60
"""How deep a manifest goes; what goes deeper is something else."""


def children(node: Node) -> dict[str, Node]:
    return {key.value: value for key, value in node.value if isinstance(key, ScalarNode)} if isinstance(node, MappingNode) else {}


def mappings(node: Node, depth: int = 0, met: set[int] | None = None) -> Iterator[MappingNode]:
    """Every mapping below a node, once, however often it is referred to."""
    met = set() if met is None else met
    if depth > MOST_NESTING or id(node) in met:
        return
    met.add(id(node))
    if isinstance(node, MappingNode):
        yield node
        for value in (value for _, value in node.value):
            yield from mappings(value, depth + 1, met)
    elif isinstance(node, SequenceNode):
        for value in node.value:
            yield from mappings(value, depth + 1, met)


def line_of(node: Node, offset: int) -> int:
    """The line of a node; the text of a block scalar begins on the line after its mark."""
    return node.start_mark.line + 1 + offset + (isinstance(node, ScalarNode) and node.style in ("|", ">"))
