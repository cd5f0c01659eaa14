"""The error index for browsers: the spelling of patterns, and workarounds in words."""

from __future__ import annotations

import pytest

from infercompat.export.errors import browser_pattern, errors, in_words


@pytest.mark.parametrize(
    ("pattern", "wanted", "flags"),
    [
        ("plain text", "plain text", ""),
        ("(?i)any case", "any case", "i"),
        ("(?is)any (?P<what>case)", "any (?<what>case)", "is"),
        (r"\Astart(?:a|b)\Z", "^start(?:a|b)$", ""),
    ],
)
def test_patterns_as_browsers_read_them(pattern, wanted, flags):
    assert browser_pattern(pattern) == {"pattern": wanted, "flags": flags}


@pytest.mark.parametrize(
    ("workaround", "words"),
    [
        ({"set": {"cache.dtype": "bf16", "lora": False}}, "set cache.dtype = bf16, lora = false"),
        ({"drop": "speculation"}, "leave out speculation"),
        ({"upgrade": {"vllm": "0.33.0"}}, "upgrade to vllm 0.33.0"),
        ({"downgrade": {"vllm": "0.30.0"}}, "downgrade to vllm 0.30.0"),
        ({"advice": "Wait."}, "Wait."),
    ],
)
def test_workarounds_in_words(workaround, words):
    assert in_words(workaround) == words


def test_every_entry_leads_to_a_gotcha(real):
    found = errors(real.catalog)
    assert len(found) >= 60
    assert {entry["gotcha"] for entry in found} <= {gotcha.id for gotcha in real.catalog.of_kind("gotcha")}
    assert {entry["by"] for entry in found} == {"error", "detector"}
