"""Ollama's runner on MLX: arrays that grow as a sequence does, and rings for windowed layers, as mlx-lm has them, for one sequence at a time.

Decided by x/mlxrunner/cache (kvcache.go, rotating.go, recurrent.go), the NewCaches of each file in x/models, and x/mlxrunner/prefix_cache.go.
The steps and the sizes are those of mlx-lm: arrays in the type of the activations, a recurrent state in fp32, a latent once.
"""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.allocate import mlxlm
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms
from infercompat.derive import Unknown

KEPT_GIB = 8
"""GiB that states and arrays of earlier prompts may take beside those of the running one."""


def arrays(terms: Terms) -> Allocation | Unknown:
    """The figures for `ollama-mlx-arrays/1`."""
    if any(layer.index_width for layer in terms.layers):
        return Unknown(("a rule for this index",), "no file of the runner keeps index keys")
    given = {name: terms.request.given(name) for name in ("cache.dtype", "cache.k.dtype", "cache.v.dtype")}
    if wrong := next((name for name, word in given.items() if word not in (None, "auto", "bf16", "fp16")), None):
        return Unknown((wrong,), f"the runner has no cache of {given[wrong]}: it is in the type of the activations")
    if terms.request.derived.name not in terms.parameters["own_cache"]:
        return Unknown(("a rule for this model",), "the runner has no file for this model type")
    answer = mlxlm.arrays(terms)
    if isinstance(answer, Unknown):
        return answer
    notes = (
        *answer.notes,
        "requests run one after another, and nothing is sized by the context",
        f"what earlier prompts left may take {KEPT_GIB} GiB beside it",
        "a head for drafting that the checkpoint brings has an array of its own, which is not counted",
    )
    return replace(answer, notes=notes)
