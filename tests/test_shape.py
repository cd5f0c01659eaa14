"""Shape: the schemas are sound and described, jsonschema agrees about every record, and each fault says where it is and what to do."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from catalogs import TINY, TODAY
from infercompat import rules
from infercompat.pipeline import load
from infercompat.products import Products
from infercompat.records import Document, Path, walk
from infercompat.shape import CATALOG_FILES, Shapes, nearest, schemas, vocabulary_schema

KINDS = [name for name in schemas() if name != "common"]


class Both:
    """jsonschema-rs and jsonschema over the same schemas and vocabulary."""

    def __init__(self, products: Products):
        vocabulary = products.catalog.vocabulary
        self.ours = Shapes(vocabulary)
        dialect = schemas()["common"]["$schema"]
        documents = (*schemas().values(), {"$schema": dialect, **vocabulary_schema(vocabulary)})
        registry = Registry().with_resources((document["$id"], Resource.from_contents(document)) for document in documents)
        self.theirs = {kind: Draft202012Validator(schemas()[kind], registry=registry) for kind in KINDS}

    def agree(self, kind: str, data: Any) -> None:
        """Both find faults at the same places, or none."""
        ours = {tuple(error.instance_path) for error in self.ours.validators[kind].iter_errors(data)}
        theirs = {tuple(error.absolute_path) for error in self.theirs[kind].iter_errors(data)}
        assert ours == theirs


@cache
def sample() -> Products:
    return load(TINY, TODAY)


@cache
def both() -> Both:
    return Both(sample())


def schema_of(record) -> str:
    return "moved" if "moved_to" in record.data else record.kind


@pytest.mark.parametrize("name", schemas())
def test_schema_is_valid(name):
    Draft202012Validator.check_schema(schemas()[name])
    assert schemas()[name]["$id"] == f"urn:infercompat:{name}"


def test_every_kind_has_a_schema():
    assert {"model", "engine", "support", "requirement", "gotcha", "hardware", "measurement", "recipe", "citation", "moved", *CATALOG_FILES.values()} == set(
        KINDS
    )


def fields(schema: Any) -> Iterator[tuple[Path, Any]]:
    """Every declared field of a schema with its path."""
    for path, node in walk(schema):
        if path and path[-1] == "properties" and isinstance(node, dict) and not (len(path) > 1 and path[-2] in ("if", "then", "else")):
            for name, field in node.items():
                yield (*path, name), field


def follow(field: dict) -> dict:
    documents = {document["$id"]: document for document in (*schemas().values(), vocabulary_schema(sample().catalog.vocabulary))}
    base, _, pointer = field["$ref"].partition("#")
    node: Any = documents[base] if base else None
    for step in pointer.strip("/").split("/"):
        node = node[step]
    return node


def described(field: dict, schema: dict) -> bool:
    """A field says itself what it holds, or what it refers to does. The words of a vocabulary list are described there."""
    if "description" in field:
        return True
    reference = field.get("$ref", "")
    if reference.startswith("#"):
        return described(follow({"$ref": schema["$id"] + reference}), schema)
    return reference.startswith("urn:infercompat:vocabulary#") or (bool(reference) and "description" in follow(field))


def undescribed(schema: dict) -> list[Path]:
    return [path for path, field in fields(schema) if not described(field, schema)]


@pytest.mark.parametrize("name", schemas())
def test_every_field_is_described(name):
    assert list(fields(schemas()[name]))
    assert undescribed(schemas()[name]) == []


def test_an_undescribed_field_would_be_found():
    schema = {"$id": "urn:x", "properties": {"a": {"type": "string"}, "b": {"description": "B.", "properties": {"c": {}}}}}
    assert undescribed(schema) == [("properties", "a"), ("properties", "b", "properties", "c")]


def open_objects(schema: dict) -> list[Path]:
    """Objects with declared fields that let others pass unseen. A condition's other fields are facts, held by a schema of their own."""
    return [
        path
        for path, node in walk(schema)
        if isinstance(node, dict) and isinstance(node.get("properties"), dict) and node.get("type") == "object"
        if node.get("additionalProperties") is not False and not isinstance(node.get("additionalProperties"), dict)
    ]


@pytest.mark.parametrize("name", schemas())
def test_objects_with_fields_have_no_others(name):
    assert open_objects(schemas()[name]) == []


def test_an_open_object_would_be_found():
    assert open_objects({"properties": {"a": {"type": "object", "properties": {"b": True}}}}) == [("properties", "a")]


def test_only_conditions_take_other_fields_beside_their_own():
    mixed = {
        (name, *path)
        for name in schemas()
        for path, node in walk(schemas()[name])
        if isinstance(node, dict) and isinstance(node.get("additionalProperties"), dict) and "properties" in node
    }
    assert mixed == {("common", "$defs", "condition")}


def test_jsonschema_agrees_on_the_tiny_catalog(tiny):
    assert len(tiny.files.records) > 10
    for record in tiny.files.records:
        both().agree(schema_of(record), record.data)
    for name, document in tiny.files.extras.items():
        both().agree(CATALOG_FILES[name], document.data)


def test_jsonschema_agrees_on_the_real_catalog(real):
    assert len(real.files.records) > 500
    over = Both(real)
    for record in real.files.records:
        over.agree(schema_of(record), record.data)


def at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


OTHER_TYPES = [None, True, 7, 0.5, "word", [], {}, ["word"], [["word"]], {"other_field": 1}]


@st.composite
def broken(draw) -> tuple[str, Any]:
    """A record of the tiny catalog with one thing wrong: a field dropped, added or misspelt, a value of another type or word."""
    record = draw(st.sampled_from(sorted(sample().files.records, key=lambda record: record.id)))
    data = copy.deepcopy(record.data)
    path = draw(st.sampled_from([path for path, _ in walk(data) if path]))
    around, step = at(data, path[:-1]), path[-1]
    change = draw(st.sampled_from(["drop", "type", "misspell", "add", "rename"]))
    if change == "drop":
        del around[step]
    elif change == "type":
        around[step] = draw(st.sampled_from(OTHER_TYPES))
    elif change == "misspell" and isinstance(around[step], str):
        around[step] = draw(st.sampled_from(["x" + around[step], around[step] + "x", around[step].upper(), ""]))
    elif change == "rename" and isinstance(around, dict):
        around[f"{step}x"] = around.pop(step)
    elif isinstance(around, dict):
        around["zz"] = draw(st.sampled_from(OTHER_TYPES))
    return record.kind, data


@given(broken())
def test_jsonschema_agrees_on_broken_records(case):
    both().agree(*case)


@given(broken())
def test_every_fault_of_a_broken_record_becomes_a_diagnostic(case):
    kind, data = case
    document = Document("catalog/x.yaml", data, {}, {}, {}, ("",))
    found = both().ours.check(document, kind)
    assert bool(found) is not both().theirs[kind].is_valid(data)
    assert {diagnostic.rule for diagnostic in found} <= {"SHP001", "SHP002", "SHP003", "SHP004", "SHP005", "SHP006"}
    assert all(diagnostic.message for diagnostic in found)


CITATION = "title: A\nurl: https://example.com/a\ntype: code\npublisher: acme\n"
MEASUREMENT = "name: A\nmodel: tiny-model\nmethod: derived\nmetric: cache.ideal.bytes\nunit: B\nreproducible: true\ncites: [{id: tiny-config}]\n"
SUPPORT = (
    'engine: enga\nversion: "1.1.0"\ntitle: A\ncites: [{id: enga-cache}]\nread_on: 2026-02-02\nclaims:\n'
    "  - {about: {requirement: windowing}, holds: native, at: L1}\n"
)
NO_PUBLISHER = CITATION.replace("publisher: acme\n", "")
A = "citations/example.com/a.yaml"


@pytest.mark.parametrize(
    ("path", "text", "place", "rule", "message", "help"),
    [
        (A, CITATION + "retreived: 2026-01-01\n", (5, 1), "SHP001", "has no field retreived", "Did you mean retrieved?"),
        (A, CITATION + "zzz: 1\n", (5, 1), "SHP001", "has no field zzz", "Fields here: title, aliases, url,"),
        (A, NO_PUBLISHER, (1, 1), "SHP002", "lacks the field publisher", "The organisation"),
        (A, CITATION + "pin: 0.10\n", (5, 6), "SHP003", "a number where a string is meant", 'Quote it, so that it stays as written: "0.10"'),
        (A, CITATION.replace("code", "cod"), (3, 7), "SHP004", "type: 'cod' is not one of its words", "Did you mean code?"),
        (A, CITATION.replace("code", "zzzzz"), (3, 7), "SHP004", "'zzzzz'", "Words: code, generated-documentation,"),
        (A, CITATION + "retrieved: 2026-13-01\n", (5, 12), "SHP003", "has not the form", "A day, as YYYY-MM-DD."),
        (A, "- title: A\n", (1, 1), "SHP003", "a record is a mapping", "Start with its first field"),
        (A, "---\n", (2, 1), "SHP003", "a record is a mapping", "Start with its first field"),
        ("measurements/a.yaml", MEASUREMENT + "value: 17\n", (1, 1), "SHP005", "does not go with its other fields", ""),
        ("measurements/a.yaml", MEASUREMENT.replace("tiny-model", "[[tiny-model]]"), (2, 8), "SHP006", "[[tiny-model]]", "the bare id: tiny-model"),
        ("measurements/a.yaml", MEASUREMENT.replace("tiny-model", '"[[tiny-model]]"'), (2, 8), "SHP006", "[[tiny-model]]", "the bare id: tiny-model"),
        ("measurements/a.yaml", MEASUREMENT.replace("[{id: tiny-config}]", "[]"), (7, 1), "SHP005", "empty list", "The sources"),
        ("support/enga/a.yaml", SUPPORT.replace("holds: native", "holds: nativ"), (7, 46), "SHP004", "claims[0].holds: 'nativ'", "Did you mean native?"),
        ("support/enga/a.yaml", SUPPORT.replace("about: {", "abuot: {"), (7, 6), "SHP001", "claims[0] has no field abuot", "Did you mean about?"),
    ],
)  # fmt: skip
def test_a_fault_says_where_it_is_and_what_to_do(make, path, text, place, rule, message, help):
    found = [diagnostic for diagnostic in make({path: text}).diagnostics if diagnostic.rule == rule]
    assert [(diagnostic.span.path, diagnostic.span.line, diagnostic.span.column) for diagnostic in found] == [(f"catalog/{path}", *place)]
    assert message in found[0].message
    assert help in found[0].help


@pytest.mark.parametrize(("word", "known", "close"), [("nativ", ["native", "plugin"], "native"), ("zzz", ["native"], None), ("a", [], None)])
def test_nearest(word, known, close):
    assert nearest(word, known) == close


BROKEN_ENGINE = "name: EngA\naliases: [old/enga]\nroll: engine\n"


def test_a_record_that_fails_its_shape_causes_no_cascade(make):
    """enga is cited by five records and once by its alias; all that is told is what is wrong with enga itself."""
    link = "name: Windowing\nsummary: Windows.\nconcept: true\ncites: [{id: window-paper}]\nnotes: |\n  See [[old/enga]], [[enga]] and [[tiny-model]].\n"
    found = rules.check(make({"engines/enga.yaml": BROKEN_ENGINE, "requirements/windowing.yaml": link}))
    assert {diagnostic.span.path for diagnostic in found} == {"catalog/engines/enga.yaml"}
    assert {diagnostic.rule for diagnostic in found} == {"SHP001", "SHP002"}


def test_a_record_that_is_not_yaml_causes_no_cascade(make):
    found = rules.check(make({"engines/enga.yaml": "name: [\n"}))
    assert [(diagnostic.rule, diagnostic.span.path) for diagnostic in found] == [("YAML001", "catalog/engines/enga.yaml")]


@pytest.mark.parametrize("text", [None, "words: [\n", "[]\n"])
def test_a_vocabulary_that_cannot_be_read_causes_no_cascade(make, text):
    found = rules.check(make({"vocabulary.yaml": text}))
    assert [diagnostic.span.path for diagnostic in found] == ["catalog/vocabulary.yaml"]


def test_aliases_of_any_type_do_no_harm(make):
    for aliases in ("3", "word", "[3, [x]]", "{a: b}", "~"):
        products = make({"engines/enga.yaml": f"name: EngA\naliases: {aliases}\n"})
        assert "enga" in products.catalog.set_aside
