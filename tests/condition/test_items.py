"""The lists that conditions ask about: their items have the properties that are declared, and no others of those words."""

import pytest

from infercompat.condition import LISTS
from infercompat.condition.facts import FACTS
from infercompat.derive.layers import Layer
from infercompat.derive.weights.linears import INNER, Linear
from infercompat.derive.weights.tensors import PARTS


@pytest.mark.parametrize(("name", "kind"), [("model.layers", Layer), ("model.linears", Linear)])
def test_every_property_is_one_of_the_items(name, kind):
    assert LISTS[name]
    for field in LISTS[name]:
        assert hasattr(kind, field) or field in kind.__struct_fields__


def test_lists_are_facts_and_properties_hide_none():
    assert set(LISTS) < set(FACTS)
    assert not {field for properties in LISTS.values() for field in properties} & set(FACTS)


def test_parts_are_those_of_the_weights_that_have_matrices():
    assert set(LISTS["model.linears"]["part"].values) == {*PARTS} - {"norms"} == {*INNER, "output"}
