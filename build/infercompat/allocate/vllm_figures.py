"""vLLM: what a request takes from the pool, how much fits, and how the engine says it.

Decided by v1/kv_cache_interface.py (blocks of a request), v1/core/kv_cache_utils.py (concurrency and the token line),
v1/core/kv_cache_planning.py (the check at start-up), config/vllm.py (tokens in flight) and engine/arg_utils.py (batch sizes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from infercompat.allocate.allocation import Allocation, Group
from infercompat.allocate.terms import Terms
from infercompat.allocate.vllm_layers import Spec, Specs, caches_states, context_ranks, draft_layers, prefill_checkpoint, stages

if TYPE_CHECKING:
    from infercompat.allocate.vllm import Plan

GIB = 1 << 30


class Demand(Struct, frozen=True):
    """What start-up counts for one request: tokens in flight, and state blocks of a group."""

    in_flight: int
    states: int
    context_ranks: int = 1
    encoder_tokens: int = 0

    def blocks(self, spec: Spec, length: int) -> int:
        """Blocks of one group; windows and chunks keep all tokens that may be in flight besides."""
        if spec.kind == "state":
            return self.states
        if spec.kind == "cross":
            return ceil(self.encoder_tokens / spec.block)
        if spec.kind == "sliding":
            return ceil(min(spec.window - 1 + self.in_flight, length) / spec.block) + 1
        return ceil((min(spec.window + self.in_flight, length) if spec.kind == "chunked" else ceil(length / self.context_ranks)) / spec.block)


def figures(terms: Terms, natural: Specs, plan: Plan) -> Allocation:
    """The allocation of a plan. `natural` are the layers as they were before pages were made equal, for the oldest estimator."""
    kinds = [spec.kind for spec, _ in plan.groups]
    resting, counted = state_blocks(terms) if "state" in kinds else (0, 0)
    in_flight = tokens_in_flight(terms) if any(spec.window for spec, _ in plan.groups) else 0
    encoder_tokens = encoder_batch(terms) if "cross" in kinds else 0
    batches = None if in_flight is None or encoder_tokens is None else in_flight
    facts = {"max_model_len": terms.max_model_len, "max_num_batched_tokens": batches, "hardware.class": counted}
    known = Allocation(
        terms.algorithm,
        terms.title,
        tuple(_group(spec, layers, plan.bytes_per_block, context_ranks(terms)) for spec, layers in plan.groups if spec.kind not in ("state", "cross")),
        block_size=plan.block,
        bytes_per_block=ceil(plan.bytes_per_block),
        state_bytes=ceil((kinds.count("state") * resting + _positions(plan)) * plan.bytes_per_block),
        because=(*plan.because, *_shared_contexts(terms), *_across(kinds)),
        notes=() if draft_layers(terms) else tuple(terms.notes),
        missing=tuple(name for name, value in facts.items() if value is None),
    )
    if not known.missing:
        known = _sized(terms, natural, plan, known, Demand(in_flight, counted, context_ranks(terms), encoder_tokens))
    return replace(known, lines=tuple(_lines(terms, known)))


def _sized(terms: Terms, natural: Specs, plan: Plan, known: Allocation, demand: Demand) -> Allocation:
    """With the longest request known: what it takes, what the engine demands and, with the memory that is available, what fits."""
    length, available = terms.max_model_len, terms.request.available_bytes

    def taken(tokens: int) -> int:
        return sum(demand.blocks(spec, tokens) for spec, _ in plan.groups)

    def demanded(tokens: int) -> int:
        return ceil(_estimate(terms, natural, plan, demand, tokens) or taken(tokens) * (plan.checked or plan.bytes_per_block))

    known = replace(known, reserved=ceil(taken(length) * plan.bytes_per_block), needed_bytes=demanded(length))
    if available is None:
        return known
    blocks = int(available // plan.bytes_per_block)
    weighed = sum((demand.blocks(spec, length) * share for (spec, _), share in zip(plan.groups, plan.shares, strict=False)), Fraction(0))
    concurrency = blocks / (ceil(weighed) or taken(length))
    smallest = min((spec.block for spec, _ in plan.groups if spec.kind != "state"), default=length)
    capacity = int(concurrency * length) if terms.parameters["token_line"] == "concurrency" else blocks // len(plan.groups) * smallest * context_ranks(terms)
    longest = _longest(length, lambda tokens: demanded(tokens) <= _usable(terms, known))
    return replace(known, blocks=blocks, capacity_tokens=capacity, max_concurrency=concurrency, longest=longest)


def _estimate(terms: Terms, natural: Specs, plan: Plan, demand: Demand, tokens: int) -> Fraction | None:
    """What older start-up checks demand instead of what is taken: layers one by one, or the first group alone over all stages."""
    if terms.parameters["estimate"] == "layers":
        by_layer = [(index, demand.blocks(spec, tokens) * spec.page) for index, spec in natural.of_layers]
        return max(sum((size for index, size in by_layer if index in stage), Fraction(0)) for stage in stages(terms))
    if terms.parameters["estimate"] == "first-group":
        return demand.blocks(plan.groups[0][0], tokens) * plan.bytes_over_stages
    return None


def _usable(terms: Terms, known: Allocation) -> int:
    """Available bytes without the block that is never given out, where the check at start-up knows of it."""
    return (terms.request.available_bytes or 0) - ((known.bytes_per_block or 0) if terms.parameters["null_block"] else 0)


def _positions(plan: Plan) -> int:
    """Blocks that a sequence holds for the other input of cross-attention, from its first step to its last."""
    return sum(ceil(spec.positions / spec.block) for spec, _ in plan.groups)


def _across(kinds: list[str]) -> Iterator[str]:
    if "cross" in kinds:
        yield "K and V of the encoder's positions are held apart; the check at start-up counts a whole batch of them"


def _shared_contexts(terms: Terms) -> Iterator[str]:
    if context_ranks(terms) > 1:
        yield f"{context_ranks(terms)} ranks share each request: the tokens of all of them are counted"


def _group(spec: Spec, layers: int, bytes_per_block: Fraction, ranks: int) -> Group:
    """What a sequence holds between steps: of a window the blocks it touches at worst, of a chunk those of the chunk.

    Where ranks share contexts, a block stands for the tokens that all of them keep.
    """
    most = {"sliding": ceil((spec.window - 1) / spec.block) + 1, "chunked": ceil(spec.window / spec.block)}.get(spec.kind)
    return Group(spec.kind, layers, bytes_per_block / (spec.block * ranks), spec.block * ranks, most and most * spec.block)


def state_blocks(terms: Terms) -> tuple[int, int | None]:
    """State blocks of a group that a sequence holds, and that start-up counts: one more of each with prefix caching, and a checkpoint."""
    if not caches_states(terms):
        return 1 + terms.speculative_tokens, 1 + terms.speculative_tokens
    held, checkpoint = 2 + terms.speculative_tokens, prefill_checkpoint(terms)
    return held, None if checkpoint is None else held + checkpoint[0]


def tokens_in_flight(terms: Terms) -> int | None:
    """Tokens that may be scheduled and not yet settled: one batch, or one for each step that may run at once. None where not known."""
    batch = terms.request.given("max_num_batched_tokens") or _batch_by_memory(terms)
    if batch is None or terms.parameters["in_flight"] == "one-batch":
        return batch
    stages, scheduled = terms.ranks("pipeline_parallel"), terms.request.given("async_scheduling")
    if scheduled is False:
        return batch * stages
    return batch * (stages + 1) if stages == 1 or terms.parameters["in_flight"] == "stages-and-one" else None


def encoder_batch(terms: Terms) -> int | None:
    """Positions of an encoder that start-up counts for one request, whatever its model has: as many as a batch has tokens."""
    return terms.request.given("max_num_batched_tokens") or _batch_by_memory(terms)


def _batch_by_memory(terms: Terms) -> int | None:
    """The server's batch by the memory of the device: the first row that it reaches; some devices count as small."""
    memory, device = terms.request.given("hardware.memory_bytes"), terms.request.given("hardware.id")
    rows = terms.parameters["batch_by_memory"]
    if memory is None:
        return None
    if any(device and name in device for name in terms.parameters["small_devices"]):
        return rows[-1]["tokens"]
    return next((row["tokens"] for row in rows if memory >= row["gib"] * GIB), None)


def _longest(limit: int, fits: Callable[[int], bool]) -> int:
    """The longest request that fits, by halving; 0 where not even one token does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def _lines(terms: Terms, known: Allocation) -> list[str]:
    lines = []
    if any("attention blocks grew" in reason for reason in known.because):
        lines.append(f"Setting attention block size to {known.block_size} tokens to ensure that attention page size is >= mamba page size.")
    available, length = terms.request.available_bytes, terms.max_model_len
    if available is None or known.needed_bytes is None:
        return lines
    lines.append(f"Available KV cache memory: {available / GIB:.2f} GiB")
    if known.needed_bytes > _usable(terms, known):
        lines.append(f"({known.needed_bytes / GIB:.2f} GiB KV cache is needed, which is larger than the available KV cache memory")
        lines.append(f"the estimated maximum model length is {known.longest}.")
        return lines
    lines.append(f"GPU KV cache size: {known.capacity_tokens:,} tokens")
    lines.append(f"Maximum concurrency for {length:,} tokens per request: {known.max_concurrency:.2f}x")
    return lines
