"""MLX-VLM: the arrays and rings of mlx-lm, in files of its own.

Decided by mlx_vlm/models/cache.py (make_prompt_cache, KVCache, RotatingKVCache, ChunkedKVCache, QuantizedKVCache), whose steps and sizes
are those of mlx-lm, and the make_cache of each model's language.py. Index keys are kept otherwise and are not meant.
"""

from __future__ import annotations

from infercompat.allocate import mlxlm
from infercompat.allocate.allocation import Allocation
from infercompat.allocate.terms import Terms
from infercompat.derive import Unknown


def arrays(terms: Terms) -> Allocation | Unknown:
    """The figures for `mlxvlm-arrays/1`."""
    if any(layer.index_width for layer in terms.layers):
        return Unknown(("a rule for this index",), "how index keys are kept is not worked out")
    if terms["setting.kv_quant_scheme"] not in (None, "uniform") and terms["setting.kv_bits"]:
        return Unknown(("setting.kv_quant_scheme",), f"what the scheme {terms['setting.kv_quant_scheme']} keeps is not worked out")
    return mlxlm.arrays(terms)
