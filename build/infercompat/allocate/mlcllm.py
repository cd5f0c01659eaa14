"""MLC LLM: pages over all layers for a number of tokens that its mode sets, all allocated at start.

Decided by cpp/serve/config.cc (EstimateMemoryUsageOnMode: bytes of a token, tokens of the cache by mode) and cpp/serve/config.h (tokens
of a page). A token takes what one number of heads and one width come to for every layer; what the compiled cache adds for its tables,
and models with states, which have another rule, are not meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from infercompat.allocate.allocation import Allocation, gathered
from infercompat.allocate.terms import Terms, element_bytes, heads_on_rank, unlike, whole
from infercompat.derive import Unknown

LOCAL_TOKENS, LOCAL_SEQUENCES = 8192, 4
"""What the mode local has at most."""
METAL_TOKENS = 32768
"""Tokens that a cache on Metal has at most."""


def pages(terms: Terms) -> Allocation | Unknown:
    """The figures of one rank for `mlc-pages/1`."""
    if problem := _refusal(terms):
        return problem
    step, ranks = terms.parameters["block_size"], terms.ranks("tensor_parallel")
    attending = [layer for layer in terms.layers if layer.attends]
    groups = gathered((("full", None, Fraction(4 * layer.k_width * heads_on_rank(layer.kv_heads, ranks))) for layer in attending), step)
    page = sum((group.bytes_per_token for group in groups), Fraction(0)) * step
    tokens = _tokens(terms)
    if isinstance(tokens, Unknown):
        return tokens
    count = ceil(tokens / step)
    return Allocation(
        terms.algorithm,
        terms.title,
        groups,
        block_size=step,
        bytes_per_block=ceil(page) or None,
        reserved=ceil(page * count),
        blocks=count,
        capacity_tokens=tokens,
        max_concurrency=tokens / terms.max_model_len if terms.max_model_len else None,
        longest=min(tokens, terms.max_model_len or tokens),
        most_requests=whole(terms["max_num_seqs"]) or {"local": LOCAL_SEQUENCES, "interactive": 1}.get(terms["setting.mode"]),
        because=tuple(_because(terms, tokens)),
        notes=(*terms.notes, "less is allocated where the memory of the device does not hold so much"),
    )


def _refusal(terms: Terms) -> Unknown | None:
    layers, ranks = [layer for layer in terms.layers if layer.kind != "none"], terms.ranks("tensor_parallel")
    if problem := unlike(layers):
        return problem
    if any(layer.kv_heads % ranks for layer in layers):
        return Unknown(("tensor_parallel",), f"the KV heads cannot be spread evenly over {ranks} ranks")
    if element_bytes(terms["cache.dtype"]) != 2:
        return Unknown(("cache.dtype",), f"the estimate is made for a cache of two bytes, not for {terms['cache.dtype']}")
    return None


def _tokens(terms: Terms) -> int | Unknown:
    """Tokens of the cache, of all sequences together: named, else by the mode. In the mode server it is a sequence for each of a batch."""
    named, length = whole(terms["setting.max_total_seq_length"]), terms.max_model_len
    if named:
        return named
    if length is None:
        return Unknown(("max_model_len",), "the length of the model is not known")
    if terms["setting.mode"] == "server":
        batch = whole(terms["max_num_seqs"])
        if batch is None:
            return Unknown(("max_num_seqs",), "in the mode server the cache is for a whole batch, whose size is not known")
        length *= batch
    elif terms["setting.mode"] == "local":
        length = min(length, LOCAL_TOKENS)
    return min(length, METAL_TOKENS) if terms["platform"] == "metal" else length


def _because(terms: Terms, tokens: int) -> Iterator[str]:
    mode = terms["setting.mode"]
    if terms.max_model_len and tokens < terms.max_model_len:
        yield f"in the mode {mode} the cache has {tokens} tokens, and no request can be longer"
    if any(layer.window for layer in terms.layers):
        yield "windows do not shorten the cache: a page is of all layers"
