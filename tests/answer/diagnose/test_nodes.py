"""The nodes of a YAML tree, with their lines."""

from __future__ import annotations

import yaml

from infercompat.answer.diagnose.nodes import children, line_of, mappings


def test_mappings_are_met_once_and_know_their_lines():
    root = yaml.compose("a: &x {b: 1}\nc: [*x]\nd: |\n  text\n")
    assert [sorted(children(mapping)) for mapping in mappings(root)] == [["a", "c", "d"], ["b"]]
    assert [line_of(node, 10) for node in children(root).values()] == [11, 12, 14]
    assert children(children(root)["c"]) == {}
