"""What a layer keeps and reads, drawn: a row for each new token, a column for each token before it, beside the same of plain attention."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup, escape
from msgspec import Struct

TOKENS, SPAN = 12, 4
"""Tokens that are drawn, and the window or chunk of the drawing."""
CELL, GAP, SIDE, TOP = 16, 2, 18, 20
READ, KEPT, LATENT, STATE, SINK = "read", "kept", "latent", "state", "sink"


class Pattern(Struct, frozen=True):
    """How a kind of layer attends: what becomes of token `k` when token `t` comes, empty where it is not kept, and that in a sentence."""

    of: Callable[[int, int], str]
    says: str
    columns: str = "earlier tokens"
    first: int = 0
    """The first column; one before the tokens has no token behind it."""


def _causal(t: int, k: int) -> str:
    return READ if k <= t else ""


def _window(span: int) -> Callable[[int, int], str]:
    return lambda t, k: READ if t - span < k <= t else ""


def _state(_: int, k: int) -> str:
    return STATE if k < 0 else ""


PLAIN = Pattern(_causal, "Each token reads all before it, and the cache grows with every token.")
_RECURRENT = Pattern(_state, "No single token is kept: each is worked into a state (the one column) whose size never grows.", "the state", first=-1)
_CHOSEN = Pattern(
    lambda t, k: "" if k > t else READ if t - k < 2 or (5 * k + 3 * t) % 7 == 0 else KEPT,
    "Every token is kept (outlined), and an index picks the few that a new token reads (filled).",
)
PATTERNS = {
    "sliding-window": Pattern(_window(SPAN), f"Each token reads the last {SPAN} of this drawing; what is older is never read again and can be dropped."),
    "chunked-attention": Pattern(
        lambda t, k: READ if k <= t and k // SPAN == t // SPAN else "",
        f"Each token reads its own chunk, {SPAN} long here; a full chunk is done with.",
    ),
    "attention-sinks": Pattern(
        lambda t, k: SINK if k < 0 else _causal(t, k),
        "Beside the tokens before it, each token weighs one learned number a head (the column on the left) that has no token behind it and takes no cache.",
        "sink and earlier tokens",
        first=-1,
    ),
    "sparse-mla": _CHOSEN,
    "sparse-gqa": _CHOSEN,
    "cross-attention": Pattern(
        lambda t, k: READ if k < SPAN else "",
        "Each text token reads keys and values of the image, whose number never grows.",
        "image tokens",
    ),
    "mla": Pattern(
        lambda t, k: LATENT if k <= t else "",
        "Each token reads all before it, but of each one narrow latent is kept instead of keys and values for every head.",
    ),
    "short-conv": Pattern(_window(3), "Each token reads the last few inputs, and only those are kept."),
    **dict.fromkeys(("gated-deltanet", "kda", "lightning", "mamba1", "mamba2", "rwkv"), _RECURRENT),
}
"""By requirement; those that are no way to attend have no drawing."""


def drawing(requirement: str, name: str) -> Markup:
    """Plain attention on the left and what the requirement asks for on the right; empty for what is no way to attend."""
    pattern = PATTERNS.get(requirement)
    if pattern is None:
        return Markup("")
    return Markup('<div class="ic-attending">{}{}</div>').format(_panel("Plain attention", PLAIN), _panel(name, pattern))


def _panel(name: str, pattern: Pattern) -> Markup:
    step = CELL + GAP
    cells = []
    for t in range(TOKENS):
        for k in range(pattern.first, TOKENS):
            becomes = pattern.of(t, k)
            if becomes:
                height = CELL // 3 if becomes == LATENT else CELL
                top = TOP + t * step + (CELL - height) / 2
                cells.append(f'<rect class="ic-at-{becomes}" x="{SIDE + (k - pattern.first) * step}" y="{top:g}" width="{CELL}" height="{height}"/>')
    width, height = SIDE + (TOKENS + 1) * step, TOP + TOKENS * step
    return Markup(
        f'<figure><svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(f"{name}: {pattern.says}")}">'
        f'<text x="{SIDE}" y="12">{escape(pattern.columns)} →</text><text transform="translate(11 {height}) rotate(-90)">← new token</text>'
        f"{''.join(cells)}</svg><figcaption><b>{escape(name)}.</b> {escape(pattern.says)}</figcaption></figure>"
    )
