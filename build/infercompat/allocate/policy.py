"""Which cache policy of an engine record applies to a version, and the allocation that follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from infercompat.allocate import drafts
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.request import Request
from infercompat.allocate.terms import MOST_RANKS, Lacking, Parameters, Terms, Unfit
from infercompat.derive import Unknown
from infercompat.versions import Carried, parse_version, reach

ALGORITHMS = {
    "vllm-blocks/1": ("vllm", "blocks"),
    "vllm-full-blocks/1": ("vllmplugins", "full_blocks"),
    "vllm-unwindowed-blocks/1": ("vllmplugins", "unwindowed_blocks"),
    "tpu-padded-pages/1": ("vllmplugins", "padded_pages"),
    "sglang-pools/1": ("sglang", "pools"),
    "sglang-kt-pools/1": ("ktransformers", "pools"),
    "llamacpp-cells/1": ("llamacpp", "cells"),
    "ik-cells/1": ("ikllamacpp", "cells"),
    "ollama-slots/1": ("ollama", "slots"),
    "ollama-mlx-arrays/1": ("ollamamlx", "arrays"),
    "mlx-arrays/1": ("mlxlm", "arrays"),
    "mlxvlm-arrays/1": ("mlxvlm", "arrays"),
    "transformers-tensors/1": ("transformers", "tensors"),
    "trtllm-blocks/1": ("tensorrtllm", "blocks"),
    "lmdeploy-blocks/1": ("lmdeploy", "blocks"),
    "turbomind-objects/1": ("turbomind", "objects"),
    "turbomind-blocks/1": ("turbomind", "blocks"),
    "exllamav3-pages/1": ("exllamav3", "pages"),
    "tgi-blocks/1": ("tgi", "blocks"),
    "mlc-pages/1": ("mlcllm", "pages"),
    "ort-buffers/1": ("ortgenai", "buffers"),
    "openvino-blocks/1": ("openvino", "blocks"),
}
"""The module and function of each algorithm, by the name that policies give; loaded when asked for.

The number behind the slash rises when the meaning of the parameters changes.
"""


def allocate(engine: Mapping[str, Any], version: str, request: Request) -> Allocation | Unknown:
    """What an engine at a version allocates for a request; `engine` is the data of its record.

    Where no policy was read that reaches the version, or its algorithm cannot tell, the answer is Unknown and never the ideal.
    """
    chosen = choose(engine, version)
    if isinstance(chosen, Unknown):
        return chosen
    policy, carried = chosen
    answer = by_policy(policy, engine, request)
    if isinstance(answer, Unknown):
        return answer
    read = () if carried.how == "exact" else (f"the policy was {carried.reason}",)
    return replace(answer, notes=(*answer.notes, *read))


def by_policy(policy: Mapping[str, Any], engine: Mapping[str, Any], request: Request) -> Allocation | Unknown:
    """What one policy of an engine record gives. One that lacks a parameter of its algorithm tells nothing."""
    if policy["algorithm"] not in ALGORITHMS:
        return Unknown((f"the algorithm {policy['algorithm']}",), "this version of the program does not know the policy's algorithm")
    if request.draft is not None and policy["algorithm"] not in drafts.ALGORITHMS:
        return Unknown(("a rule for drafts",), f"where {engine.get('name', 'the engine')} keeps the cache of a draft was not read")
    module, function = ALGORITHMS[policy["algorithm"]]
    algorithm = getattr(import_module(f"infercompat.allocate.{module}"), function)
    parameters = Parameters(policy["parameters"])
    terms = Terms(request, engine.get("settings", {}), parameters, policy["algorithm"], policy["title"])
    if terms.ranks("pipeline_parallel") > MOST_RANKS:
        return Unknown(("pipeline_parallel",), f"more than {MOST_RANKS} pipeline stages are not worked out")
    try:
        return algorithm(terms)
    except Unfit as unfit:
        fact, reason = unfit.args
        return Unknown((fact,), reason)
    except Lacking as lacking:
        return Unknown((f"the parameter {lacking}",), f"the policy '{policy['title']}' lacks the parameter {lacking}")


def choose(engine: Mapping[str, Any], version: str) -> tuple[Mapping[str, Any], Carried] | Unknown:
    """The policy that holds at a version, and how what was read of it reaches there; the newest that fits wins."""
    name, policies = engine.get("name", "the engine"), engine.get("cache_policies", ())
    if parse_version(engine["scheme"], version) is None:
        return Unknown(("version",), f"{version} is no version of {name}")
    reasons = []
    for policy in policies:
        carried = reach(engine, policy, version)
        if carried is None:
            continue
        if carried.status:
            return policy, carried
        reasons.append(carried.reason)
    why = f": {reasons[0]}" if reasons else ""
    return Unknown(("a cache policy",), f"no cache policy of {name} is known for {version}{why}")
