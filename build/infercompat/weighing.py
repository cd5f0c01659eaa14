"""What the weights of a catalog model take in one of its checkpoints: of all, and of the fullest rank of an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from infercompat.derive import Unknown
from infercompat.derive.weights import Weights, weight_bytes
from infercompat.derive.weights.loaded import Evenly, LaidOut, laid_out, loaded_weights, rank_of
from infercompat.derive.weights.ranks import VOCABULARY_STEP, Split
from infercompat.records import Record

BY_LAYER = frozenset({"ik-llama.cpp", "llama.cpp", "ollama", "ollama-gguf"})
PADDING = frozenset({"vllm", "sglang"})
TABLES = frozenset({"vllm"})
EXPERT_STEPS = {"marlin": (128, 256), "triton": (64, 1), "trtllm": (128, 256)}
"""What MXFP4 experts are rounded up to by the kernels that run them: inner width and model width
(layers/fused_moe/oracle/mxfp4.py mxfp4_round_up_hidden_size_and_intermediate_size, vLLM)."""

KERNELS = {"sm100": "trtllm", "sm103": "trtllm", "sm80": "marlin", "sm86": "marlin", "sm89": "marlin", "sm120": "marlin", "sm121": "marlin"}
"""The kernels that hardware leads to; on sm90 it hangs on whether Triton's are installed."""


def checkpoint_of(model: Record, name: str | None) -> Mapping[str, Any] | None:
    """The checkpoint of a hub id, or of a hub id and GGUF file type as in publisher/name:Q4_K_M; the first where none is named."""
    listed = model.data.get("checkpoints") or ()
    if name is None:
        return listed[0] if listed else None
    hub, _, type = name.lower().partition(":")
    same = [entry for entry in listed if entry["hub"].lower() == hub]
    exact = next((entry for entry in listed if entry["hub"].lower() == name.lower()), None)  # the name of a file may have a colon
    return exact or next((entry for entry in same if not type or entry.get("type", "").lower() == type), None)


def weights_of(model: Record, checkpoint: str | None = None, word: str | None = None) -> Weights | Unknown:
    """Bytes of a model's weights in a checkpoint's format; a checkpoint that the record does not list is unknown."""
    found = _listed(model, checkpoint, word)
    if isinstance(found, Unknown):
        return found
    entry, word = found
    return stated(entry) or weight_bytes(model.data.get("parameters", {}).get("total"), word, _values(model, entry))


def rank_weights(model: Record, split: Split, checkpoint: str | None = None, word: str | None = None) -> Weights | Unknown:
    """Bytes of the weights of the fullest rank."""
    found = _listed(model, checkpoint, word)
    if isinstance(found, Unknown):
        return found
    entry, word = found
    if entry is not None and "laid_out" in entry:
        return entry["laid_out"] if isinstance(entry["laid_out"], Unknown) else rank_of(entry["laid_out"], split)
    return loaded_weights(*_of_checkpoint(model, entry, word), split, stated(entry))


def layout(model: Record, entry: Mapping[str, Any] | None, word: str | None) -> LaidOut | Evenly | Unknown:
    """What of `rank_weights` is the same for every engine and split: of a listed checkpoint in its own format, or of none in any."""
    return laid_out(*_of_checkpoint(model, entry, word if entry is None else entry.get("type") or entry["format"]), stated(entry))


def _of_checkpoint(model: Record, entry: Mapping[str, Any] | None, word: str | None) -> tuple[int | None, str | None, Mapping[str, Any]]:
    return model.data.get("parameters", {}).get("total"), word, _values(model, entry)


def split_of(engine: str, facts: Mapping[str, Any]) -> Split:
    """How an engine cuts weights with such settings: facts by name, ranks and the class of the hardware among them."""

    def ranks(name: str) -> int:
        value = facts.get(name)
        return value if type(value) is int and value > 0 else 1

    tensor, pipeline = ranks("tensor_parallel"), ranks("pipeline_parallel")
    if engine in BY_LAYER:
        return Split(tensor * pipeline, by_layer=True)
    kernels = facts.get("setting.moe_backend") or KERNELS.get(str(facts.get("hardware.class")))
    return Split(
        tensor,
        pipeline,
        expert=min(ranks("expert_parallel"), 1 << 16),
        vocabulary_step=VOCABULARY_STEP if engine in PADDING else 1,
        expert_step=EXPERT_STEPS.get(str(kernels), (1, 1)) if engine in PADDING and facts.get("weights.format") == "mxfp4" else (1, 1),
        drafts=facts.get("speculation.draft_kind") == "head" or "mtp" in str(facts.get("speculation.method")).lower(),
        tower_whole=facts.get("setting.mm_encoder_tp_mode") == "data",
        text_only=facts.get("setting.language_model_only") is True,
        expands_latent=engine in PADDING,
        keeps_tables=engine in TABLES,
    )


def stated(entry: Mapping[str, Any] | None) -> Weights | None:
    """What a source says that a checkpoint takes; a printed figure between half of its last digit below and above."""
    if entry is None or "bytes" not in entry:
        return None
    size, digits = entry["bytes"]["value"], entry["bytes"].get("digits", 0)
    counts = {"tensors": "the tensors, as a source states them", "files": "the files, as a source states them"}[entry["bytes"]["counts"]]
    return Weights(size - digits, size + digits, "index", (counts,))


def _listed(model: Record, checkpoint: str | None, word: str | None) -> tuple[Mapping[str, Any] | None, str | None] | Unknown:
    """The checkpoint and the format to compute with. Another format than the checkpoint's own leaves its figures aside."""
    entry = checkpoint_of(model, checkpoint)
    if checkpoint is not None and entry is None and word is None:
        return Unknown(("the checkpoint's format",), f"the record does not list {checkpoint}")
    if entry is None or (word is not None and word != entry["format"]):
        return None, word
    return entry, entry.get("type") or entry["format"]


def _values(model: Record, entry: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """The model's config with the quantization of the checkpoint in place of its own."""
    values = model.data["config"]["values"]
    if entry is None or "quantization" not in entry:
        return values
    parts = {name: _plain(part) for name, part in values.items() if isinstance(part, Mapping) and "quantization_config" in part}
    return {**values, **parts, "quantization_config": entry["quantization"]["values"]}


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    """A part of a config, such as text_config, without the quantization that it tells."""
    return {name: value for name, value in part.items() if name != "quantization_config"}
