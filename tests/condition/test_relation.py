"""Relations: what parses, and where a fault is."""

import pytest

from infercompat.condition.relation import Quantified, RelationError, Word, parse_relation


def test_names_and_their_places():
    relation = parse_relation("sequence_length > decode.model.window - 1")
    assert [(name.name, name.start) for name in relation.names] == [("sequence_length", 0), ("decode.model.window", 18)]
    assert relation.of_quantities
    assert not parse_relation("cache.k.dtype != cache.v.dtype").of_quantities
    assert parse_relation("a == b + 1").of_quantities and parse_relation("a < b").of_quantities


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("", "column 1: expected a fact or a number, the text ends", (0, 1)),
        ("a", "column 2: expected a comparison (<= >= == != < >), the text ends", (1, 2)),
        ("a = b", "column 3: expected a comparison (equality is ==), found '='", (2, 3)),
        ("a >", "column 4: expected a fact or a number, the text ends", (3, 4)),
        ("a > > b", "column 5: expected a fact or a number, found '>'", (4, 5)),
        ("a > b > c", "column 7: expected the end, for a relation compares once, found '>'", (6, 7)),
        ("a > (b + 1", "column 11: expected a closing parenthesis, the text ends", (10, 11)),
        ("a > b c", "column 7: expected the end, for a relation compares once, found 'c'", (6, 7)),
        ("a > b & c", "column 7: '&' has no meaning in a relation", (6, 7)),
        ("a > __import__('os')", "column 15: expected the end, for a relation compares once, found '('", (14, 15)),
        ("2 > 1", "column 1: a relation without a fact never changes", (0, 5)),
        ("a * / 2 > 1", "column 5: expected a fact or a number, found '/'", (4, 5)),
        ("any", "column 4: expected an opening parenthesis, the text ends", (3, 4)),
        ("any(3, k > 1)", "column 5: expected a list, such as model.linears, found '3'", (4, 5)),
        ("any(model.linears k > 1)", "column 19: expected a comma and what is asked of an item, found 'k'", (18, 19)),
        ("any(model.linears, k > 1", "column 25: expected and, or, or a closing parenthesis, the text ends", (24, 25)),
        ("any(model.linears, k > 1 and)", "column 29: expected a fact or a number, found ')'", (28, 29)),
        ("any(model.linears, k > 1) and a > 2", "column 27: expected the end, for conditions beside it are leaves of their own, found 'and'", (26, 29)),
        ("any(model.linears, 2 > 1)", "column 20: a relation without a fact never changes", (19, 24)),
        ("any(model.linears, any(model.layers, kind == 'full'))", "column 23: expected a comparison (<= >= == != < >), found '('", (22, 23)),
        ('a == "b', "column 6: '\"' has no meaning in a relation", (5, 6)),
    ],
)
def test_faults(text, message, place):
    with pytest.raises(RelationError) as error:
        parse_relation(text)
    assert str(error.value) == message
    assert (error.value.start, error.value.end) == place


def test_what_is_asked_of_the_items_of_a_list():
    found = parse_relation("any(model.linears, part == 'experts' and k / tensor_parallel % 32 != 0 or n < 64)")
    assert isinstance(found, Quantified)
    assert (found.quantifier, found.list.name, found.list.start) == ("any", "model.linears", 4)
    assert [[comparison.sign for comparison in alternative] for alternative in found.alternatives] == [["==", "!="], ["<"]]
    assert [name.name for name in found.names] == ["part", "k", "tensor_parallel", "n"]
    assert found.comparisons[0].right == Word("experts", 0) and not found.comparisons[0].of_quantities
    assert parse_relation("all(model.layers, head_dim <= 256)").quantifier == "all"


def test_names_and_numbers_of_versions():
    found = parse_relation("flashinfer-cubin.version < flashinfer.version")
    assert [name.name for name in found.names] == ["flashinfer-cubin.version", "flashinfer.version"]
    assert found.of_versions and not found.of_quantities
    assert parse_relation("llama.cpp.version >= 'b9452'").of_versions
    assert parse_relation("torch.version >= 2.10").right.text == "2.10"
    assert parse_relation("flashinfer.version == 0.7.0.post1").right.text == "0.7.0.post1"
    assert parse_relation("vllm.version < 0.33.0rc1").right.text == "0.33.0rc1"
    assert not parse_relation("model.window - 2 > 1").of_versions
