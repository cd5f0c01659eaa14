"""The field reference: the fields of a kind of record, read from its schema."""

from __future__ import annotations

from collections.abc import Iterator

from infercompat.shape import schemas


def fields(kind: str) -> Iterator[dict]:
    """The fields of a kind, depth first, with dotted paths; a referenced part shows its own description."""
    yield from _walk_fields(schemas()[kind], schemas()[kind], "")


def _walk_fields(schema: dict, document: dict, prefix: str) -> Iterator[dict]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        resolved = _resolve(field, document)
        path = f"{prefix}{name}"
        words = resolved.get("enum") if "enum" in resolved else None
        yield {
            "path": path,
            "type": _type(field, resolved),
            "required": name in required,
            "description": field.get("description") or resolved.get("description", ""),
            "words": words,
        }
        if "#/$defs/condition" in field.get("$ref", "") or "#/$defs/cite" in field.get("$ref", ""):
            continue
        inner = _resolve(resolved.get("items", {}), document) if resolved.get("type") == "array" else resolved
        mark = "[]." if resolved.get("type") == "array" else "."
        if "properties" in inner:
            yield from _walk_fields(inner, document, f"{path}{mark}")
        elif isinstance(inner.get("additionalProperties"), dict) and "properties" in inner["additionalProperties"]:
            yield from _walk_fields(inner["additionalProperties"], document, f"{path}{mark}<name>.")


def _resolve(field: dict, document: dict) -> dict:
    reference = field.get("$ref")
    if not reference:
        return field
    base, _, pointer = reference.partition("#")
    by_id = {schema["$id"]: schema for schema in schemas().values()}
    node = by_id.get(base, {}) if base else document
    for step in pointer.strip("/").split("/"):
        node = node.get(step, {})
    return node


def _type(field: dict, resolved: dict) -> str:
    reference = field.get("$ref", "")
    if reference.startswith("urn:infercompat:vocabulary"):
        return f"word of {reference.rpartition('/')[2]}"
    if reference.startswith("urn:infercompat:common"):
        return reference.rpartition("/")[2]
    if "enum" in resolved:
        return "word"
    kind = resolved.get("type", "any")
    return " or ".join(kind) if isinstance(kind, list) else kind
