"""For a log that does not say its version: what every policy on record of an engine gives, where they all give the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infercompat.allocate.allocation import Allocation
from infercompat.allocate.policy import ALGORITHMS, by_policy
from infercompat.allocate.request import Request
from infercompat.derive import Unknown


def by_every_policy(engine: Mapping[str, Any], request: Request) -> list[Allocation | Unknown]:
    """One answer a policy of the engine record, versions left aside."""
    answers: list[Allocation | Unknown] = []
    for policy in engine.get("cache_policies", ()):
        if policy["algorithm"] in ALGORITHMS:
            answers.append(by_policy(policy, engine, request))
    return answers
