"""The keys of one architecture, read by their names below its prefix, with an account of what is missing."""

from __future__ import annotations

from typing import Any

from infercompat.derive.config import MOST_LAYERS
from infercompat.derive.gguf.header import Header, Length


class Keys:
    """Reading never fails: what is absent or of another kind is named in `missing`, and something harmless is given instead."""

    def __init__(self, header: Header, architecture: str) -> None:
        self.header, self.architecture = header, architecture
        self.missing: list[str] = []
        draft = self.find("nextn_predict_layers")
        self.draft_layers = draft if type(draft) is int and draft >= 0 else 0
        self.all_layers = self.number("block_count")
        self.layers = self.all_layers - self.draft_layers
        if not 0 < self.layers <= MOST_LAYERS:
            self.miss(f"block_count ({self.layers} layers)")
            self.layers = 1

    def find(self, name: str) -> Any:
        """The value as it is written; None if it is not."""
        return self.header.fields.get(f"{self.architecture}.{name}")

    def number(self, name: str, default: int | None = None) -> int:
        """A whole number; without a default it has to be there."""
        value = self.find(name)
        if value is None and default is not None:
            return default
        return value if type(value) is int and value >= 0 else self.miss(name)

    def optional(self, name: str) -> int | None:
        """A whole number, or None where the key is absent."""
        return None if self.find(name) is None else self.number(name)

    def each(self, name: str, default: int | None = None) -> list[Any]:
        """One value for each layer, from a list or from a number that holds for all. Entries of draft layers are dropped."""
        value = self.find(name)
        if not isinstance(value, tuple):
            return [self.number(name, default)] * self.layers
        if len(value) < self.layers or len(value) > self.all_layers or not all(isinstance(entry, int) and entry >= 0 for entry in value):
            self.miss(f"{name} (not a number for each of {self.layers} layers)")
            return [0] * self.layers
        return list(value[: self.layers])

    def one(self, name: str, values: list[int]) -> int:
        """The one value that a list has, zeros aside."""
        found = sorted(set(values) - {0})
        if len(found) > 1:
            return self.miss(f"{name} (differs from layer to layer: {', '.join(map(str, found[:4]))})")
        return found[0] if found else 0

    def has_tensor(self, name: str) -> bool:
        return any(tensor.name == name for tensor in self.header.tensors)

    def vocabulary(self) -> int | None:
        """Tokens, by the key or by the length of the token list."""
        tokens = self.header.fields.get("tokenizer.ggml.tokens")
        return self.optional("vocab_size") or (tokens.count if isinstance(tokens, Length) else None)

    def miss(self, name: str) -> int:
        entry = f"{self.architecture}.{name}"
        if entry not in self.missing:
            self.missing.append(entry)
        return 0
