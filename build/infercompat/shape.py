"""Holds each record against its kind's JSON Schema; a record that fails is set aside, so that one mistake gives one message.

jsonschema-rs runs on every record. The enums of the schemas come from the vocabulary, so a word is added in one place.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema_rs

from infercompat.diagnostic import Diagnostic
from infercompat.places import SCHEMAS
from infercompat.records import KINDS, Document, Path, Record, dotted

CATALOG_FILES = {"vocabulary.yaml": "vocabulary-file", "exceptions.yaml": "exceptions-file"}
"""The files at the catalog's top, and the schema of each."""

_SHP005 = {"anyOf", "oneOf", "not", "dependentRequired", "minProperties", "maxProperties", "if", "uniqueItems", "minItems"}
_MESSAGES = {
    "anyOf": "none of the forms it can take fits",
    "oneOf": "exactly one of its forms must fit",
    "not": "holds a field that does not go with its other fields",
    "dependentRequired": "a field needs another one beside it",
    "minProperties": "holds too few fields",
    "maxProperties": "holds more than one field where one is meant",
    "uniqueItems": "lists the same thing twice",
    "minItems": "is an empty list; leave the field out instead",
}


@cache
def schemas() -> dict[str, dict[str, Any]]:
    """The schema files, by name without ending."""
    return {file.name.removesuffix(".schema.json"): json.loads(file.read_text("utf-8")) for file in sorted(SCHEMAS.glob("*.schema.json"))}


def vocabulary_schema(vocabulary: dict[str, Any]) -> dict[str, Any]:
    """The vocabulary's word lists as a schema that the others refer to. A list that is not known lets every word pass."""
    words = vocabulary.get("words", {})
    return {"$id": "urn:infercompat:vocabulary", "$defs": {name: {"enum": list(entries)} if entries else {} for name, entries in words.items()}}


class Shapes:
    """The compiled schemas of one vocabulary."""

    def __init__(self, vocabulary: dict[str, Any]):
        self.documents = {document["$id"]: document for document in (*schemas().values(), vocabulary_schema(vocabulary))}
        registry = jsonschema_rs.Registry(list(self.documents.items()), draft=jsonschema_rs.Draft202012)
        self.validators = {name: jsonschema_rs.Draft202012Validator(schemas()[name], registry=registry) for name in schemas() if name != "common"}

    def check(self, document: Document, kind: str) -> list[Diagnostic]:
        """The faults of one document against a kind's schema; empty when its shape is right."""
        data = document.data
        if not isinstance(data, dict):
            return [Diagnostic("SHP003", "a record is a mapping of fields", document.span(), help="Start with its first field, such as name:")]
        name = "moved" if "moved_to" in data and kind in KINDS else kind
        found = [diagnostic for error in self.validators[name].iter_errors(data) for diagnostic in self._diagnostics(document, error)]
        return sorted(set(found), key=lambda diagnostic: diagnostic.sort_key)

    def _diagnostics(self, document: Document, error: Any) -> Iterator[Diagnostic]:
        path: Path = tuple(error.instance_path)
        keyword = error.kind.name
        schema = self._schema_around(error)
        place = dotted(path) or "the record"
        value = _at(document.data, path)
        if keyword == "additionalProperties":
            for field in error.kind.unexpected:
                close = nearest(field, schema.get("properties", {}))
                help = f"Did you mean {close}?" if close else f"Fields here: {', '.join(schema.get('properties', {}))}."
                yield Diagnostic("SHP001", f"{place} has no field {field}", document.key_span((*path, field)), help=help)
        elif keyword == "required":
            field = error.kind.property
            described = schema.get("properties", {}).get(field, {})
            yield Diagnostic("SHP002", f"{place} lacks the field {field}", document.key_span(path), help=self.description(described))
        elif keyword == "enum":
            close = nearest(str(value), [option for option in schema["enum"] if isinstance(option, str)])
            words = ", ".join(map(str, schema["enum"]))
            help = f"Did you mean {close}?" if close else f"Words: {words}."
            if value is None:
                yield Diagnostic("SHP004", f"{place} is empty, where a word is meant", document.span(path), help=help)
                return
            yield Diagnostic("SHP004", f"{place}: {_show(value)} is not one of its words", document.span(path), help=help)
        elif keyword == "type" and (id := _wiki_link(value)) is not None:
            help = f"YAML reads an unquoted [[x]] as a list in a list. A reference field holds the bare id: {id}"
            yield Diagnostic("SHP006", f"{place} holds [[{id}]], where an id is meant", document.span(path), help=help)
        elif keyword == "type":
            wanted = " or ".join(sorted(_names(schema["type"])))
            help = _type_help(document, path, value, wanted)
            yield Diagnostic("SHP003", f"{place} is {_name(value)} where {wanted} is meant", document.span(path), help=help)
        elif keyword in _SHP005:
            message = _MESSAGES.get(keyword, "its fields do not go together")
            yield Diagnostic("SHP005", f"{place} {message}", document.key_span(path), help=self.description(schema))
        elif keyword == "pattern" and isinstance(value, str) and value.startswith("[[") and value.endswith("]]"):
            help = f"[[…]] belongs into prose. A reference field holds the bare id: {value[2:-2]}"
            yield Diagnostic("SHP006", f"{place} holds {value}, where an id is meant", document.span(path), help=help)
        elif keyword in ("pattern", "format"):
            yield Diagnostic("SHP003", f"{place}: {_show(value)} has not the form of this field", document.span(path), help=self.description(schema))
        else:
            yield Diagnostic("SHP003", f"{place}: {error.message}"[:300], document.span(path), help=self.description(schema))

    def _schema_around(self, error: Any) -> dict[str, Any]:
        """The schema that holds the keyword which failed."""
        base, _, pointer = error.absolute_keyword_location.partition("#")
        node: Any = self.documents[base]
        for step in pointer.strip("/").split("/")[:-1]:
            step = step.replace("~1", "/").replace("~0", "~").replace("%24", "$")
            node = node[int(step)] if isinstance(node, list) else node.get(step, {})
        return node if isinstance(node, dict) else {}

    def description(self, schema: dict[str, Any]) -> str:
        """A schema's own description, or that of the part it refers to."""
        if "description" in schema or "$ref" not in schema:
            return schema.get("description", "")
        base, _, pointer = schema["$ref"].partition("#")
        node = self.documents.get(base, {})
        for step in pointer.strip("/").split("/"):
            node = node.get(step, {})
        if "enum" in node:
            return f"One of: {', '.join(map(str, node['enum']))}."
        return node.get("description", "")


def check_shapes(records: tuple[Record, ...], vocabulary: dict[str, Any], diagnostics: list[Diagnostic]) -> tuple[Record, ...]:
    """The records whose shape is right; the faults of the others are added to `diagnostics`."""
    shapes = Shapes(vocabulary)
    right = []
    for record in records:
        faults = shapes.check(record.document, record.kind)
        diagnostics.extend(faults)
        if not faults:
            right.append(record)
    return tuple(right)


def nearest(word: str, known: Any, cutoff: float = 0.6) -> str | None:
    """The known word closest to a mistyped one, if any is close."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return close[0] if close else None


def _at(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def _show(value: Any) -> str:
    text = str(value) if not isinstance(value, str) else value
    return f"'{text[:80]}'" if text else "an empty string"


_TYPE_NAMES = {
    "object": "a mapping",
    "array": "a list",
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def _names(types: str | list[str]) -> list[str]:
    return [_TYPE_NAMES[name] for name in ([types] if isinstance(types, str) else types)]


def _name(value: Any) -> str:
    names = {bool: "true or false", dict: "a mapping", list: "a list", str: "a string", int: "a whole number", float: "a number"}
    return names.get(type(value), "nothing")


def _wiki_link(value: Any) -> str | None:
    """The id in an unquoted [[id]], which YAML reads as a list in a list."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list) and len(value[0]) == 1:
        return str(value[0][0])
    return None


def _type_help(document: Document, path: Path, value: Any, wanted: str) -> str:
    if wanted == "a string" and isinstance(value, (int, float)):
        span = document.span(path)
        written = document.lines[span.line - 1][span.column - 1 : span.end_column - 1]
        return f'Quote it, so that it stays as written: "{written}"'
    return ""
