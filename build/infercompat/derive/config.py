"""A read-only view of a raw config.json that knows the names a field goes by and keeps account of what it could not read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

LARGEST_SIZE = (1 << 48) - 1
MOST_LAYERS = 4096

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "absent", "__bool__": lambda self: False})()
"""Stands for a field that is not there, which is another statement than null. As false as null is."""

TEXT_PARTS = ("thinker_config", "text_config", "llm_config", "language_config", "decoder", "generator")
"""Where a model of several parts keeps its text decoder (transformers configuration_utils.py get_text_config, and older code)."""

_VARIANTS = (
    ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "total_num_hidden_layers"),
    ("num_attention_heads", "n_head", "n_heads", "num_heads", "attention_heads", "total_num_attention_heads"),
    (
        "num_key_value_heads",
        "num_kv_heads",
        "n_head_kv",
        "num_attention_groups",
        "multi_query_group_num",
        "attn_config.kv_n_heads",
        "total_num_kv_heads",
    ),
    ("head_dim", "attention_head_dim", "kv_channels", "head_size"),
    ("hidden_size", "n_embd", "n_embed", "d_model"),
    (
        "max_position_embeddings",
        "n_positions",
        "max_seq_len",
        "seq_length",
        "model_max_length",
        "max_sequence_length",
        "max_target_positions",
    ),
    ("sliding_window", "sliding_window_size"),
    ("layer_types", "layers_block_type"),
    ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"),
    ("num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_k", "moe_topk", "moe_top_k", "top_k_experts"),
    ("ssm_state_size", "mamba_d_state", "state_size"),
    ("conv_kernel", "mamba_d_conv"),
    ("conv_kernel_size", "sconv_kernel_size"),
    ("mamba_num_heads", "mamba_n_heads", "n_mamba_heads"),
    ("mamba_head_dim", "mamba_d_head", "mamba_headdim"),
    ("n_groups", "mamba_n_groups", "mamba_ngroups", "mamba_num_groups"),
    ("expand", "mamba_expand"),
    ("mamba_ssm_cache_dtype", "mamba_ssm_dtype"),
    ("num_nextn_predict_layers", "num_mtp_layers"),
)
VARIANTS = {names[0]: names for names in _VARIANTS}
"""Names that upstream configs give to one field, by the name that readers use. A dot leads into a nested mapping.

total_num_hidden_layers and the like are the words in which vLLM's tests write down what it made of a config.
"""


class Config:
    """The text part of a config, read by canonical field names.

    A reading always gives a usable value, so that readers need no branches: what was absent or impossible is named in `missing`,
    and whoever finishes a reading looks there. `defaults_used` has "field=value (why)" for values that the config leaves to its
    class, `notes` what a person should know about the reading.
    """

    def __init__(self, values: Mapping[str, Any], architecture: str | None = None) -> None:
        self.parts = _parts(values)
        self.values = self.parts[-1]
        self.architecture = architecture
        self.missing: list[str] = []
        self.defaults_used: list[str] = []
        self.notes: list[str] = []
        self._prefix = ""
        self._found: dict[str, Any] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """What may name the architecture: model types from the text part outwards, then class names, the given one first."""
        inner_first = self.parts[::-1]
        model_types = [part.get("model_type") for part in inner_first]
        classes = [name for part in inner_first for name in _list(part.get("architectures"))]
        summarised = [part.get("architecture") for part in inner_first]
        return tuple(name for name in (*model_types, self.architecture, *classes, *summarised) if isinstance(name, str) and name)

    def find(self, name: str) -> Any:
        """The value under the first of the name's variants that holds one; None if only null is written, else ABSENT."""
        if name not in self._found:
            written = [value for variant in VARIANTS.get(name, (name,)) if (value := _dig(self.values, variant)) is not ABSENT]
            self._found[name] = next((value for value in written if value is not None), None if written else ABSENT)
        return self._found[name]

    def states(self, name: str) -> bool:
        """Whether the field has a value; null is none."""
        return self.find(name) is not ABSENT and self.find(name) is not None

    def anywhere(self, name: str) -> Any:
        """The value of a field that may stand beside the text part, such as vision_config; None where there is none."""
        return next((part[name] for part in self.parts[::-1] if part.get(name) is not None), None)

    def section(self, name: str) -> Config:
        """A nested mapping as a view that keeps the same accounts."""
        nested = self.find(name)
        view = object.__new__(Config)
        view.__dict__.update(self.__dict__)
        view.values, view._prefix, view._found = (nested if isinstance(nested, dict) else {}), f"{self._prefix}{name}.", {}
        return view

    def size(self, name: str, default: int | Callable[[], int] | None = None, why: str = "", *, least: int = 0) -> int:
        """A whole number. Absent or null gives the default and notes its use; without a default the field is missing."""
        value = self.find(name)
        if value is ABSENT or value is None:
            if default is None:
                return self.miss(name, least)
            value = max(least, default() if callable(default) else default)
            self.use_default(name, value, why)
        elif type(value) is not int or not least <= value <= LARGEST_SIZE:
            return self.miss(f"{name} ({_short(value)} is not a size)", least)
        return value

    def optional_size(self, name: str) -> int | None:
        """A whole number, or None where the field is absent or null; a summary has to state it."""
        if self.summary and self.find(name) is ABSENT:
            self.miss(name, None)
        return self.size(name) if self.states(name) else None

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.find(name)
        if value is ABSENT or value is None:
            return default
        return value if isinstance(value, bool) else self.miss(f"{name} ({_short(value)} is not true or false)", default)

    def words(self, name: str) -> list[str] | None:
        """A list of strings, or None where the field is absent or null."""
        return self._list_of(name, str)

    def sizes(self, name: str) -> list[int] | None:
        """A list of whole numbers, or None where the field is absent or null."""
        return self._list_of(name, int)

    def peek(self, name: str) -> int | None:
        """A whole number if there is one, without holding anything against the config."""
        value = self.find(name)
        return value if type(value) is int and 0 <= value <= LARGEST_SIZE else None

    def layer_count(self, field: str = "num_hidden_layers") -> int:
        """The number of layers; where no field says so, the length of the list that names their kinds."""
        named = self.find("layer_types") or self.find("hybrid_override_pattern")
        unsaid = isinstance(named, (list, str)) and not self.states(field)
        count = len(named) if unsaid else self.size(field, least=1)
        return count if count <= MOST_LAYERS else self.miss(f"{field} ({count} is over {MOST_LAYERS})", 1)

    def per_layer(self, values: list[Any], count: int, name: str) -> list[Any]:
        """A list with one value a layer. Entries past the last layer are dropped where the config has as many draft layers."""
        drafts = self.peek("num_nextn_predict_layers") or 0
        if len(values) not in (count, count + drafts):
            self.miss(f"{name} ({len(values)} entries for {count} layers)", None)
        return (values + [None] * count)[:count]

    def miss(self, name: str, instead: Any) -> Any:
        """Note a field as missing, or why it cannot be used, and go on with another value."""
        if self._prefix + name not in self.missing:
            self.missing.append(self._prefix + name)
        return instead

    @property
    def summary(self) -> bool:
        """Whether this is another tool's summary, with a field `architecture` and no name that a config.json would have.

        What a summary leaves out is not what the config leaves out, so no default of a class may stand for it.
        """
        named = any(part.get("model_type") or part.get("architectures") for part in self.parts) or self.architecture is not None
        return not named and any(isinstance(part.get("architecture"), str) for part in self.parts)

    def use_default(self, name: str, value: object, why: str) -> None:
        if self.summary:
            self.miss(name, value)
            return
        entry = f"{self._prefix}{name}={value} ({why})"
        if entry not in self.defaults_used:
            self.defaults_used.append(entry)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def _list_of(self, name: str, kind: type) -> list[Any] | None:
        value = self.find(name)
        if value is ABSENT or value is None:
            return None
        if not isinstance(value, list) or len(value) > 2 * MOST_LAYERS or any(type(item) is not kind for item in value):
            return self.miss(f"{name} (not a list of {'words' if kind is str else 'whole numbers'})", [])
        if kind is int and any(not 0 <= item <= LARGEST_SIZE for item in value):
            return self.miss(f"{name} (an entry is not a size)", [])
        return value


def _parts(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The mappings from the whole config down to its text part."""
    parts = [dict(values)]
    while len(parts) < 5:
        inner = next((parts[-1][key] for key in TEXT_PARTS if isinstance(parts[-1].get(key), dict) and parts[-1][key]), None)
        if inner is None:
            break
        parts.append(inner)
    return parts


def _dig(values: Mapping[str, Any], dotted: str) -> Any:
    for step in dotted.split("."):
        values = values.get(step, ABSENT) if isinstance(values, dict) else ABSENT
    return values


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _short(value: Any) -> str:
    if isinstance(value, (str, float)) or (isinstance(value, int) and abs(value) < 1 << 64):
        return repr(value)[:40]
    return f"a {type(value).__name__}"
