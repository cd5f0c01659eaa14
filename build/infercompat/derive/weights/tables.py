"""What an engine keeps beside the checkpoint's tensors: tables of positions, and V beside K where a file has one matrix for both.

Decided by vLLM's layers/rotary_embedding/base.py (one table a width and scaling, for as many positions as the config has, never cut) and
by models/gemma4.py (K is loaded into the place of V, too) and gpt_oss.py (a table in fp32). Only kinds of models that were read there.
"""

from __future__ import annotations

from infercompat.derive import Unknown, derive
from infercompat.derive.config import Config
from infercompat.derive.weights.stored import Stored
from infercompat.derive.weights.tensors import Tensor

PLAIN = frozenset({"llama", "mistral", "qwen2", "qwen3", "qwen3_moe"})
"""Model types with one table in the model's own type, unless positions are scaled in a way that was not read."""

KINDS = (None, "default", "llama3")


def position_tables(config: Config) -> int:
    """Bytes of the tables of positions that every rank keeps, in a model of 16 bits; 0 for a kind of model that was not read."""
    text = config.parts[0]
    kind, positions = text.get("model_type"), config.peek("max_position_embeddings") or 0
    derived = derive(text)
    if isinstance(derived, Unknown):
        return 0
    widths = {layer.k_width for layer in derived.layers if layer.attends}
    if kind in ("gemma4", "gemma4_text"):
        return positions * sum(widths) * 2
    if kind == "gpt_oss":
        return positions * sum(widths) * 4
    scaling = text.get("rope_scaling") or text.get("rope_parameters") or {}
    named = scaling.get("rope_type", scaling.get("type")) if isinstance(scaling, dict) else "?"
    return positions * sum(widths) * 2 if isinstance(kind, str) and kind in PLAIN and named in KINDS else 0


def without_values(found: Stored) -> list[Tensor]:
    """Matrices of keys in layers that have none of values."""
    names = {tensor.name for tensor in found.tensors}
    keys = [tensor for tensor in found.tensors if tensor.name.endswith("self_attn.k_proj")]
    return [tensor for tensor in keys if tensor.name.replace("k_proj", "v_proj") not in names]
