"""Which attention path an engine takes for models of different kinds, worked out by hand from the source that each entry cites."""

from __future__ import annotations

import pytest


def resolved(ask_real, model: str, engine: str, hardware: str | None, *settings: str, **options) -> tuple[str, str | None]:
    """The state of the attention hop and the backend that it comes to. Many devices and a short context keep memory out of it."""
    found = ask_real(model, engine, hardware=hardware, gpus=16, length=8192, settings=list(settings), **options).hop("attention")
    return found.state, found.value


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen3-8b", "sdpa"),
        ("deepseek-v3", "sdpa"),
        ("qwen3-next-80b-a3b", "sdpa"),
        ("gemma-3-27b", "sdpa"),
        ("llama-4-scout", "sdpa"),
        ("gpt-oss-20b", "eager"),  # its class has no SDPA, for want of sinks
        ("gemma-2-9b", "eager"),  # nor has this one, for want of a cap
        ("mimo-v2-flash", "eager"),
    ],
)
def test_transformers_takes_sdpa_unless_the_class_has_none(ask_real, model, expected):
    assert resolved(ask_real, model, "transformers@5.24.0", "h100-sxm") == ("holds", expected)
    assert resolved(ask_real, model, "transformers@5.24.0", "xeon-amx") == ("holds", expected)


@pytest.mark.parametrize(
    ("model", "hardware", "backend", "state"),
    [
        ("qwen3-8b", "h100-sxm", "flash_attention_2", "holds"),
        ("qwen3-8b", "v100-sxm2-32gb", "flash_attention_2", "fails"),  # the package asks for 8.0
        ("qwen3-8b", "mi300x", "flash_attention_2", "holds"),
        ("qwen3-8b", "m3-max", "flash_attention_2", "fails"),
        ("qwen3-8b", "a100-sxm-80gb", "flash_attention_4", "fails"),  # 9.0 at least
        ("qwen3-8b", "b200", "flash_attention_4", "holds"),
        ("gpt-oss-20b", "h100-sxm", "flash_attention_2", "holds"),  # replaced by a kernel with sinks
        ("gpt-oss-20b", "h100-sxm", "sdpa", "fails"),
        ("gemma-3-27b", "h100-sxm", "flash_attention_2", "fails"),  # _supports_flash_attn is off for the class with images
        ("llama-4-scout", "h100-sxm", "flex_attention", "holds"),
        ("qwen3-next-80b-a3b", "h100-sxm", "flex_attention", "fails"),  # the class does not declare it
        ("gpt-oss-20b", "xeon-amx", "flex_attention", "fails"),  # sinks are refused on a processor
    ],
)
def test_what_transformers_is_asked_for(ask_real, model, hardware, backend, state):
    asked = resolved(ask_real, model, "transformers@5.24.0", hardware, f"attention.backend={backend}")
    assert asked == (state, backend if state == "holds" else None)
