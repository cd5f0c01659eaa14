"""What an engine is asked to hold: the model, how it is served, and the memory that is left for its cache."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from infercompat.derive import Derived
from infercompat.derive.config import Config

FIELDS = {
    "tensor_parallel": "tensor_parallel",
    "pipeline_parallel": "pipeline_parallel",
    "max_model_len": "max_model_len",
    "cache.dtype": "cache_dtype",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "max_num_seqs": "max_num_seqs",
    "block_size": "block_size",
    "speculation.tokens": "speculative_tokens",
    "model.architecture": "architecture",
}
"""Facts that have a field of their own here, and its name."""


CONFIG_FIELDS = {
    "model.conv_kernel": ("linear_conv_kernel_dim", "conv_kernel", "mamba_d_conv"),
    "model.draft_layers": ("mtp_num_hidden_layers", "num_nextn_predict_layers"),
    "model.mamba_ssm_cache_dtype": ("mamba_ssm_cache_dtype",),
}
"""Facts that layers do not tell, and the fields of config.json that do, under the first name that is there."""

WORDS = frozenset({"model.mamba_ssm_cache_dtype"})
"""Those that are words; all others are whole numbers."""


def facts_of_config(values: Mapping[str, Any]) -> dict[str, Any]:
    """Facts for the settings of a request, from a config."""
    config = Config(values)
    found = {fact: [config.anywhere(name) for name in names] for fact, names in CONFIG_FIELDS.items()}
    stated = {fact: [value for value in listed if type(value) is (str if fact in WORDS else int)] for fact, listed in found.items()}
    return {fact: listed[0] for fact, listed in stated.items() if listed}


class Request(Struct, frozen=True):
    """One way to serve a model. None leaves a thing to the engine's default; lengths count tokens, memory counts bytes on one rank.

    `draft` is the model that drafts, where one does. `available_bytes` is the memory that the engine gives to its cache after loading.
    `settings` has further facts by name, such as setting.swa_full, async_scheduling or hardware.memory_bytes. `architecture` is the class
    name of config.json, for engines that decide by it. What layers do not tell is in settings too: model.conv_kernel, the length of the
    convolutions of a recurrent model, model.draft_layers, the layers of the head that drafts, and model.mamba_ssm_cache_dtype, the type that
    this one field of the config gives its states.
    """

    derived: Derived
    architecture: str | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    max_model_len: int | None = None
    cache_dtype: str | None = None
    max_num_batched_tokens: int | None = None
    max_num_seqs: int | None = None
    block_size: int | None = None
    available_bytes: int | None = None
    speculative_tokens: int | None = None
    draft: Derived | None = None
    draft_architecture: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def given(self, fact: str) -> Any:
        """The value of a fact as the request states it; None where it does not."""
        name = FIELDS.get(fact)
        value = getattr(self, name) if name else None
        return self.settings.get(fact) if value is None else value
