"""Features: what a person asks an engine for beyond serving the model, and what the tables of engines call it.

A feature is asked for by its fact alone, as it was given: what an engine turns on by itself is its own affair.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations, product
from typing import Any

from msgspec import Struct

FEATURE = "features."
"""What stands before a feature where an offer is named; of two that are asked for together, both with a plus between them."""

_BETWEEN = "-with-"


class Feature(Struct, frozen=True):
    """One feature: its id in claims, its words, the fact that asks for it, and other names that engines' tables have for it."""

    id: str
    name: str
    fact: str
    called: tuple[str, ...] = ()


FEATURES: dict[str, Feature] = {
    feature.id: feature
    for feature in (
        Feature("tensor-parallel", "tensor parallelism", "tensor_parallel", ("tensor-parallelism",)),
        Feature("pipeline-parallel", "pipeline parallelism", "pipeline_parallel", ("pipeline-parallelism",)),
        Feature("data-parallel", "data parallelism", "data_parallel"),
        Feature("expert-parallel", "expert parallelism", "expert_parallel", ("expert-parallelism",)),
        Feature("prefix-caching", "prefix caching", "prefix_caching", ("apc", "kv-cache-reuse")),
        Feature("chunked-prefill", "chunked prefill", "chunked_prefill", ("cp",)),
        Feature("cuda-graphs", "CUDA graphs", "cuda_graphs", ("cuda-graph",)),
        Feature("async-scheduling", "asynchronous scheduling", "async_scheduling", ("overlap-scheduler",)),
        Feature("lora", "LoRA adapters", "lora"),
        Feature("structured-output", "structured output", "request.structured_output", ("guided-decoding",)),
        Feature("speculation", "speculative decoding", "speculation.method", ("sd", "speculative-draft")),
        Feature("disaggregation", "disaggregated serving", "disaggregation", ("disaggregated-serving",)),
        Feature("kv-offload", "KV cache offloading", "kv_offload"),
    )
}

BY_METHOD = {"mtp": "mtp", "eagle-3-linear": "eagle3", "dflash": "dflash"}
"""Columns of feature tables that speak of speculation by one method."""

BEYOND_CONTEXT = "beyond-context"
"""Lengths that the model's config does not allow: what engines say of them is a claim like one on a feature, and no fact alone asks for it."""

_NAMES = {feature.id: (feature.id, *feature.called, *(BY_METHOD if feature.id == "speculation" else ())) for feature in FEATURES.values()}
_NAMES[BEYOND_CONTEXT] = (BEYOND_CONTEXT,)
_BY_NAME = {name: id for id, names in _NAMES.items() for name in names}
_PAIRS = tuple(f"{one}{_BETWEEN}{other}" for one, other in permutations(FEATURES, 2))


def asked(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The ids of the features that the given facts ask for, in order."""
    return tuple(sorted(id for id, feature in FEATURES.items() if _is_on(given.get(feature.fact))))


def _is_on(value: Any) -> bool:
    if isinstance(value, str):
        return value.lower() not in ("none", "null", "off", "auto", "false", "0", "")
    return value is True or (isinstance(value, int) and value > 1)


def offer_of(word: str) -> str | None:
    """The offer that a word in an engine's table speaks of; None for one that no fact asks for."""
    ids = [_BY_NAME.get(name) for name in word.split(_BETWEEN)]
    return None if None in ids or len(ids) > 2 else FEATURE + "+".join(sorted(map(str, ids)))


def words_of(offer: str) -> tuple[str, ...]:
    """The words that tables have for an offer."""
    names = [_NAMES.get(id, ()) for id in offer.removeprefix(FEATURE).split("+")]
    if len(names) == 1:
        return names[0]
    return tuple(f"{one}{_BETWEEN}{other}" for pair in permutations(names, 2) for one, other in product(*pair))


def as_read(claim: dict[str, Any]) -> dict[str, Any] | None:
    """A claim on a feature as the join reads it: of the method that its column is for; None where it is about something else."""
    about = claim["about"]
    word, of_model = about["feature"], "architecture" in about or "model_type" in about
    if "backend" in about or (word == "speculative-draft" and of_model):  # that class drafts for another
        return None
    if word not in BY_METHOD:
        return claim
    method = {"speculation.method": BY_METHOD[word]}
    return {**claim, "when": {"all": [method, claim["when"]]} if "when" in claim else method}


def slip_of(word: str) -> str | None:
    """What a word nearly is: a feature that a fact asks for, or two that go together; None for the word itself and for any other column.

    One slip of a letter is allowed in a name of up to seven, two in a longer one; names of three letters and fewer are near too much.
    """
    halves = word.split(_BETWEEN)
    if len(halves) == 1:
        return None if word in _BY_NAME else _near(word, _BY_NAME) or _near(word, _PAIRS)
    right = _BETWEEN.join(half if half in _BY_NAME else _near(half, _BY_NAME) or half for half in halves)
    return None if right == word else right


def _near(word: str, names: Iterable[str]) -> str | None:
    found = [(slips, name) for name in names if len(name) > 3 and (slips := _slips(word, name)) <= (1 if len(name) < 8 else 2)]
    return min(found)[1] if found else None


def _slips(word: str, name: str) -> int:
    """How many letters are left out, added, changed or swapped with the next between two words; 3 for any more than two.

    The likeness of difflib does not do: it takes a whole word more for a slip (epd-disaggregated-serving), and lroa for none of lora.
    """
    if abs(len(word) - len(name)) > 2:
        return 3
    before: list[int] = []
    row = list(range(len(name) + 1))
    for i, letter in enumerate(word, 1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(name, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other)))
            if i > 1 and j > 1 and letter == name[j - 2] and word[i - 2] == other:
                row[j] = min(row[j], earlier[j - 2] + 1)
    return min(row[-1], 3)
