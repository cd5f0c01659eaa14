"""The facts of one question: what is known of the model, and of whatever else was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct, field

from infercompat.condition import MISSING, Missing, Range, Value
from infercompat.derive import Derived, Layer, Unknown
from infercompat.derive.config import Config
from infercompat.derive.weights.beside import DRAFTS
from infercompat.derive.weights.count import count_parameters
from infercompat.derive.weights.linears import Linear, linears_of
from infercompat.derive.weights.tensors import Parameters
from infercompat.records import Record

UNDECIDED = (None, "auto", "null")
HEADS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads")
"""What configs call the number of query heads."""


def defaults_of(engine: Record) -> dict[str, Any]:
    """The facts that hold on an engine where nobody sets anything: its settings' defaults, those that decide themselves left out.

    A default of null is a value for a setting of the engine's own (it is not set), and leaves any other fact open.
    """
    facts = {}
    for fact, setting in (engine.data.get("settings") or {}).items():
        if setting.get("default") not in UNDECIDED:
            facts[fact] = setting["default"]
        elif fact.startswith("setting.") and "default" in setting and setting["default"] is None:
            facts[fact] = None
    return facts


class Stack(Struct, frozen=True):
    """One model, with the facts that were given about the rest. What is not known here is missing, never assumed.

    `open_settings`: optional features that nobody spoke of count as undecided rather than off, which is how a gate that
    waits for such a setting is found.
    """

    model: Record
    derived: Derived | Unknown
    given: Mapping[str, Any] = field(default_factory=dict)
    open_settings: bool = False

    @property
    def names(self) -> dict[str, str]:
        """What registries call the model: its architecture class and its model_type."""
        type = self.model.data["config"]["values"].get("model_type")
        return {"architecture": self.model.data["architecture"], "model_type": type if isinstance(type, str) else ""}

    def get(self, name: str) -> Value | Missing:
        if name in self.given:
            return self.given[name]
        if name == "sequence_length":
            context = self.get("model.context")
            return MISSING if context is MISSING else Range(1, context)
        if not name.startswith("model."):
            return MISSING
        if name == "model.id":
            return self.model.id
        if name in ("model.architecture", "model.family"):
            return self.model.data[name.removeprefix("model.")]
        if name == "model.heads":
            config = Config(self.model.data["config"]["values"])
            heads = next((value for field in HEADS if type(value := config.anywhere(field)) is int), None)
            return MISSING if heads is None else heads
        if name == "model.mtp_layers":
            count = _mtp_layers(self.model)
            return MISSING if count is None else count
        if isinstance(self.derived, Unknown):
            return MISSING
        return self._of_layers(name)

    def _of_layers(self, name: str) -> Value | Missing:
        layers = self.derived.layers
        if name == "model.layers":
            return len(layers)
        if name == "model.context":
            context = self.derived.lookup("context.native")
            return MISSING if context is None else int(context)
        attribute = {"model.window": "window", "model.kv_heads": "kv_heads", "model.head_dim": "head_dim"}.get(name)
        if attribute is None:
            return MISSING
        values = tuple(sorted({value for layer in layers if (value := getattr(layer, attribute))}))
        return None if not values else values[0] if len(values) == 1 else values

    def requires(self, requirement: str) -> bool | None:
        return None if isinstance(self.derived, Unknown) else requirement in self.derived.requirements

    def layers(self) -> Sequence[Layer] | None:
        return None if isinstance(self.derived, Unknown) else self.derived.layers

    def linears(self) -> Sequence[Linear] | None:
        found = None if isinstance(self.derived, Unknown) else _linears(self.model)
        return None if isinstance(found, Unknown) else found


@lru_cache(maxsize=1024)
def _mtp_layers(model: Record) -> int | None:
    """As the config counts them; none where a checkpoint of the model holds its decoder's numbers and no more. A config that is silent says nothing."""
    config = Config(model.data["config"]["values"])
    stated = next((value for field in DRAFTS if type(value := config.anywhere(field)) is int), None)
    if stated is not None:
        return stated
    total = model.data.get("parameters", {}).get("total")
    counted = count_parameters(model.data["config"]["values"], model.data["architecture"] or None) if total else None
    return 0 if isinstance(counted, Parameters) and counted.total == total else None


@lru_cache(maxsize=1024)
def _linears(model: Record) -> tuple[Linear, ...] | Unknown:
    """The same for every question, and read once a record."""
    return linears_of(model.data["config"]["values"], model.data["architecture"] or None)
