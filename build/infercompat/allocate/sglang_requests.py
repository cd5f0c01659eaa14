"""SGLang: how many requests run at once, and how the memory is split between their recurrent states and the tokens.

Decided by mem_cache/kv_cache_configurator.py (resolve_max_num_reqs, _calculate_mamba_ratio, _handle_max_mamba_cache),
model_executor/pool_configurator.py (layers of a draft in the bytes of a token) and arg_groups/speculative_hook.py and overrides.py.
"""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

from infercompat.allocate.terms import Terms, whole

LIKE_TARGET = ("eagle", "eagle3", "nextn", "mtp", "standalone")
"""Methods whose layers are taken to be as wide as the target's, whatever they are."""
ALONE = ("ngram", "suffix")
"""Methods that draft without a model."""
SEQUENCES, LEAST, MOST = 512, 2048, 4096
"""Requests for each context's length of tokens where nothing is said, and between what."""
DRAFTING = 48
"""Requests at once where a method drafts and nothing is said."""
SLOTS, OVERLAPPED, ONE_BUFFER = 3, 2, 1
"""State slots of a request while prefixes are cached, and those that the buffers of a strategy add to them."""


class States(Struct, frozen=True):
    """State slots that the pool has, those of a request, and the bytes that they and the states of drafted tokens take."""

    slots: int
    of_request: int
    taken: Fraction


def method(terms: Terms) -> str:
    """The method of drafting, in small letters; empty where there is none. A draft without one stands alone."""
    given = str(terms["speculation.method"] or "").lower()
    return ("standalone" if terms.request.draft is not None else "") if given in ("", "none") else given


def draft_share(terms: Terms, layers: int) -> Fraction | None:
    """What the layers of a draft add to the bytes of a token, as a part of these; None where their number is not known."""
    if method(terms) in ("", *ALONE):
        return Fraction(0)
    if method(terms) not in LIKE_TARGET:
        return None
    draft = terms.request.draft
    count = len(draft.layers) if draft is not None else whole(terms["model.draft_layers"]) if method(terms) in ("nextn", "mtp") else None
    return None if count is None or not layers else Fraction(count, layers)


def slots_of_request(terms: Terms) -> int:
    """State slots that a running request may hold: one, or with cached prefixes three and those of the strategy's buffers."""
    if terms["prefix_caching"] is False:
        return 1
    strategy = str(terms["setting.mamba_radix_cache_strategy"] or "auto")
    overlap = terms["async_scheduling"] is not False
    if strategy == "auto":
        supported = terms["model.architecture"] in terms.parameters.get("extra_buffer", ())
        triton = (terms["setting.linear_attn_backend"] or "triton") == "triton"
        paged = (whole(terms["block_size"]) or 1) > 1
        strategy = "extra_buffer" if supported and triton and (overlap or paged) else "no_buffer"
    if strategy == "no_buffer":
        return SLOTS
    return SLOTS + (ONE_BUFFER if strategy == "extra_buffer_lazy" or not overlap else OVERLAPPED)


def asked_requests(terms: Terms) -> int | None:
    """Requests at once that are asked for, on one of the workers that split attention by data."""
    given = whole(terms["max_num_seqs"]) or (DRAFTING if method(terms) else None)
    return None if given is None else max(1, given // (whole(terms["setting.attn_dp_size"]) or 1))


def split_states(terms: Terms, memory: Fraction, state: Fraction) -> States | str:
    """The pool of states out of the memory for the cache; the name of a fact that is missing."""
    drafted = terms.speculative_tokens if method(terms) else 0
    if method(terms) and not drafted:
        return "speculation.tokens"
    of_request, asked = slots_of_request(terms), asked_requests(terms)
    share = Fraction(str(terms["setting.mamba_full_memory_ratio"] or terms.parameters["state_ratio"]))
    given = whole(terms["setting.max_mamba_cache_size"])
    if given is not None:
        slots = given // (whole(terms["setting.attn_dp_size"]) or 1)
    elif terms["prefix_caching"] is False and asked is not None:
        slots = asked
    else:
        budget = memory * share / (1 + share)
        slots = max(0, int((budget - state * (1 + drafted)) // (state * (1 + Fraction(drafted, of_request)))))
    beside = Fraction(0)
    if drafted:
        beside = state * (min(asked or slots, slots // of_request) + 1) * drafted
    return States(slots, of_request, (slots + 1) * state + beside)


def most_requests(terms: Terms, tokens: int, states: States | None) -> int | None:
    """Requests that run at once at most; None where the length of a context is not known, or the version was not read for this."""
    length, asked = terms.max_model_len, asked_requests(terms)
    if "extra_buffer" not in terms.parameters or (asked is None and not length):
        return None
    estimated = max(min(int(tokens / length * SEQUENCES), MOST), LEAST) if length else 0
    most = min(estimated if asked is None else asked, tokens // 2)
    return most if states is None else min(most, states.slots // states.of_request)
