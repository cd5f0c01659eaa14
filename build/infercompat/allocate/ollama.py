"""Ollama: llama-server with a context for each slot, and batches that it chooses itself.

Decided by llm/llama_server.go (the flags), server/sched.go (slots and batches) and server/routes.go (the context by memory); the cells
are those of llama.cpp. Models that it runs in MLX are not meant.
"""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation
from infercompat.allocate.llamacpp import cells
from infercompat.allocate.terms import Terms, whole
from infercompat.derive import Unknown

GIB = 1 << 30
SMALL_CONTEXT, SMALL_BATCH = 4096, 512
"""Contexts of at most so many tokens, over all slots, have batches of so many."""


def slots(terms: Terms) -> Allocation | Unknown:
    """The figures for `ollama-slots/1`."""
    length = _length(terms)
    if length is None:
        return Unknown(("max_model_len",), "the context follows the memory of the devices, which is not known")
    count = 1 if _one_slot(terms) else int(terms["max_num_seqs"] or 1)
    batch = whole(terms.request.given("setting.num_batch")) or (SMALL_BATCH if length * count <= SMALL_CONTEXT else None)
    if batch is None and any(layer.window for layer in terms.layers):
        return Unknown(("setting.num_batch",), "windowed layers have cells for a batch, which follows the memory that is left: 512, 1024 or 2048")
    settings = {**terms.request.settings, "setting.ubatch_size": batch or SMALL_BATCH, "setting.kv_unified": False}
    context = {"max_model_len": length * count, "max_num_seqs": count, "max_num_batched_tokens": batch or SMALL_BATCH}
    answer = cells(replace(terms, request=replace(terms.request, settings=settings, **context)))
    if isinstance(answer, Unknown):
        return answer
    return replace(answer, because=(*answer.because, *_because(terms, count)), notes=(*answer.notes, "where loading fails, a smaller context is tried"))


def _length(terms: Terms) -> int | None:
    """The context of one slot: given, else by the memory of the devices; never longer than the model was trained for."""
    memory, given = terms.request.given("hardware.memory_bytes"), terms.request.given("max_model_len")
    by_memory = () if memory is None else (row["tokens"] for row in terms.parameters["context_by_memory"] if memory >= row["gib"] * GIB)
    length, trained = given or next(iter(by_memory), None), terms.request.derived.context.native
    return min(length, trained) if length and trained else length


def _one_slot(terms: Terms) -> bool:
    return terms.request.derived.name in terms.parameters["one_slot"]


def _because(terms: Terms, count: int) -> tuple[str, ...]:
    asked = int(terms["max_num_seqs"] or 1)
    return ("this architecture is given one slot, whatever is asked",) if asked > count else ()
