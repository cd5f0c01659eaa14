"""KTransformers: the pools of its fork of SGLang, on the GPUs; experts on the processor have no part in them.

Decided by python/sglang/srt/model_executor/model_runner_kv_cache_mixin.py of sglang-kt (get_cell_size_per_token, profile_max_num_token,
calculate_mla_kv_cache_dim) and configs/model_config.py (is_hybrid_swa_model). The pools are those of sglang.py, for models without windowed
pools and states.
"""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.allocate import sglang
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms
from infercompat.derive import Unknown

LATENT = "how many tokens fit is not told: start-up counts the widths of a latent's heads, and the pool keeps the latent"


def pools(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `sglang-kt-pools/1`. Of latents what a token holds is known, and not how many tokens start-up allows."""
    if any(layer.window for layer in terms.layers) and terms["model.architecture"] in terms.parameters["windowed"]:
        return Unknown(("a rule for windows",), "what the windowed pool of this fork keeps of a request was not read")
    if terms["speculation.method"] not in (None, "none"):
        return Unknown(("a rule for drafts",), "how this fork counts the layers that draft was not read")
    latent = any(layer.latent_width for layer in terms.layers)
    answer = sglang.pools(replace(terms, request=replace(terms.request, available_bytes=None)) if latent else terms)
    if isinstance(answer, Unknown):
        return answer
    length, tokens = terms.max_model_len, answer.capacity_tokens
    fit = tokens / length if tokens is not None and length else None
    notes = (*answer.notes, LATENT) if latent else answer.notes
    return replace(answer, max_concurrency=fit, most_requests=None, lines=(), notes=notes)
