"""What one layer of a model keeps while it generates, and what a whole model demands: the values between reading and costing."""

from __future__ import annotations

from fractions import Fraction

from msgspec import Struct

KINDS = (
    "full",
    "sliding",
    "chunked",
    "latent",
    "indexed",
    "recurrent",
    "convolution",
    "cross",
    "none",
    "recurrent+full",
)
ATTENDING = frozenset({"full", "sliding", "chunked", "latent", "indexed", "recurrent+full"})
"""The kinds that attend to earlier tokens of the same sequence, and so leave something behind for each token."""

PARTS = ("k", "v", "latent", "index", "convolution", "state")
"""What a cache is made of; each part may have a dtype of its own."""

Elements = dict[str, Fraction]
"""Counts of elements by part."""


class Layer(Struct, frozen=True):
    """One layer's demands on the cache. Widths and states count elements, windows count tokens; 0 means there is none.

    `k_width` and `v_width` are per KV head. A layer with a `latent_width` keeps that instead of K and V for each token, and the
    head widths say what it expands to. With a `compress_ratio` it keeps, beside its window, one entry (and one index key) for
    each such number of tokens. `state_dtype` is set where the config or the code fixes it, else the state follows the model's.
    `cross_tokens` are positions of another input, held once a sequence. A layer that `shares` uses another layer's keys and values.
    """

    kind: str
    kv_heads: int = 0
    k_width: int = 0
    v_width: int = 0
    window: int = 0
    latent_width: int = 0
    index_width: int = 0
    compress_ratio: int = 0
    conv_elements: int = 0
    state_elements: int = 0
    state_dtype: str | None = None
    cross_tokens: int = 0
    shares: bool = False

    @property
    def attends(self) -> bool:
        return self.kind in ATTENDING

    @property
    def head_dim(self) -> int:
        """The width of a head: the larger of K and V where they differ."""
        return max(self.k_width, self.v_width)

    @property
    def entry(self) -> Elements:
        """What one token leaves in this layer, as the model needs it."""
        return {"latent": Fraction(self.latent_width)} if self.latent_width else self._heads

    @property
    def growth(self) -> Elements:
        """Elements that each further token adds once every window is full."""
        if not self.attends:
            return {}
        compressed = Fraction(1, self.compress_ratio) if self.compress_ratio else Fraction(0)
        rows = compressed + (0 if self.window else 1)
        return self._grown(0 if self.shares else rows, compressed if self.compress_ratio else Fraction(1))

    @property
    def windowed(self) -> Elements:
        """Elements in the window when it is full."""
        if not self.attends or self.shares:
            return {}
        return {part: width * self.window for part, width in self.entry.items()}

    @property
    def fixed(self) -> Elements:
        """Elements held once a sequence, however long it is."""
        return {part: width * self.cross_tokens for part, width in self._heads.items()} | {
            "convolution": Fraction(self.conv_elements),
            "state": Fraction(self.state_elements),
        }

    @property
    def naive(self) -> Elements:
        """Elements a token where nothing is windowed, shared, compressed or kept as a latent."""
        return self._heads | {"index": Fraction(self.index_width)} if self.attends else {}

    def held(self, tokens: int) -> Elements:
        """Elements that grow with the sequence, after this many tokens."""
        if not self.attends:
            return {}
        compressed = -(-tokens // self.compress_ratio) if self.compress_ratio else 0
        rows = compressed + (min(tokens, self.window) if self.window else tokens)
        return self._grown(Fraction(0 if self.shares else rows), Fraction(compressed if self.compress_ratio else tokens))

    @property
    def _heads(self) -> Elements:
        return {"k": Fraction(self.kv_heads * self.k_width), "v": Fraction(self.kv_heads * self.v_width)}

    def _grown(self, rows: Fraction | int, keys: Fraction) -> Elements:
        return {part: width * rows for part, width in self.entry.items()} | {"index": self.index_width * keys}


class Demands(Struct, frozen=True):
    """What a reader found: the layers in order, the requirements by id with the reason for each, and what to know about both."""

    layers: tuple[Layer, ...]
    requirements: dict[str, str]
    defaults_used: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Unknown(Struct, frozen=True):
    """No answer: the fields (or the reader) that are missing, and why that matters."""

    missing: tuple[str, ...]
    reason: str
