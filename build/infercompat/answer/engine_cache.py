"""What an engine allocates for a model's cache: the `engine` part of the answer to `cache`, per rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from infercompat.allocate import Allocation, Request, allocate, choose
from infercompat.allocate.request import FIELDS, facts_of_config
from infercompat.answer.facts import own_word
from infercompat.answer.question import release_of
from infercompat.derive import Derived, Unknown
from infercompat.join import Release
from infercompat.records import Record
from infercompat.units import ELEMENT_BYTES


class Asked(Struct, frozen=True):
    """An engine at a release, and how the model is served on it. What stands in `settings` holds where no field says it."""

    engine: Record
    release: Release
    tensor_parallel: int | None = None
    max_model_len: int | None = None
    available_bytes: int | None = None
    settings: Mapping[str, Any] | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    draft: Derived | None = None
    draft_architecture: str | None = None


def asked(engine: Record, version: str | None, **how: Any) -> Asked:
    """The engine at the release that `version` names. Raises question.Refused for a version it cannot read."""
    return Asked(engine, release_of(engine, version), **how)


def request(derived: Derived, architecture: str | None, dtype: str, how: Asked) -> Request:
    """The request that the allocation is worked out for."""
    settings = facts_of_config(how.config) | dict(how.settings or {})
    fields = {name: settings.pop(fact) for fact, name in FIELDS.items() if fact in settings}
    return Request(
        derived,
        **{
            **fields,
            "architecture": architecture,
            "tensor_parallel": how.tensor_parallel or fields.get("tensor_parallel") or 1,
            "max_model_len": how.max_model_len or fields.get("max_model_len") or derived.context.native,
            "cache_dtype": fields.get("cache_dtype", dtype),
            "available_bytes": how.available_bytes,
            "draft": how.draft,
            "draft_architecture": how.draft_architecture,
            "settings": settings,
        },
    )


def engine_part(derived: Derived, architecture: str | None, dtype: str, how: Asked, contexts: Sequence[int]) -> dict[str, Any]:
    """The `engine` object of the JSON contract. Where no policy is known, `policy` is None and `missing` says why: never the ideal."""
    wanted = request(derived, architecture, dtype, how)
    answer = allocate(how.engine.data, how.release.version, wanted)
    part: dict[str, Any] = {"id": how.engine.id, "version": how.release.version, "version_assumed": how.release.assumed}
    if isinstance(answer, Unknown):
        return part | {"policy": None, "per_rank": None, "overpay": None, "missing": list(answer.missing), "reason": answer.reason}
    chosen = choose(how.engine.data, how.release.version)
    cites = [] if isinstance(chosen, Unknown) else chosen[0]["cites"]
    resident = {str(tokens): answer.resident(tokens) for tokens in contexts}
    ranks = wanted.tensor_parallel or 1
    overpay = _overpay(derived, wanted, answer.kept_as, {int(tokens): held * ranks for tokens, held in resident.items()})
    return part | {
        "policy": answer.algorithm,
        "title": answer.title,
        "max_model_len": wanted.max_model_len,
        "tensor_parallel": ranks,
        "per_rank": {
            "block_size": answer.block_size,
            "bytes_per_block": answer.bytes_per_block,
            "resident": resident,
            "state_bytes": answer.state_bytes,
            "reserved": answer.reserved,
            "needed_bytes": answer.needed_bytes,
            "capacity_tokens": answer.capacity_tokens,
            "max_concurrency": answer.max_concurrency,
            "longest": answer.longest,
            "most_requests": answer.most_requests,
            "devices": answer.devices,
            "groups": _groups(answer),
        },
        "overpay": overpay,
        "because": list(answer.because),
        "notes": list(answer.notes),
        "missing": list(answer.missing),
        "log_lines": list(answer.log_lines()),
        "cites": cites,
    }


def _overpay(derived: Derived, wanted: Request, kept_as: str | None, held: Mapping[int, int]) -> dict[str, float | None]:
    """What all ranks hold over what the layers need in the same type; None where that is nothing, or cannot be said.

    A rank of a pipeline holds its own layers, and no two need hold equally much; what a draft holds, the model does not need.
    """
    dtype = kept_as or own_word(wanted.cache_dtype)
    if dtype not in ELEMENT_BYTES or (wanted.pipeline_parallel or 1) > 1 or wanted.draft is not None:
        return {str(tokens): None for tokens in held}
    cost = derived.cost(dtype)
    return {str(tokens): round(size / ideal, 4) if (ideal := cost.ideal_bytes(tokens)) else None for tokens, size in held.items()}


def _groups(answer: Allocation) -> list[dict[str, Any]]:
    return [
        {"kind": group.kind, "layers": group.layers, "bytes_per_token": float(group.bytes_per_token), "step": group.step, "most": group.most}
        for group in answer.groups
    ]
