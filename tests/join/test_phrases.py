"""What statuses read like."""

from __future__ import annotations

import pytest

from catalogs import OFFERS, snapshot
from infercompat.join import Ledger
from infercompat.join.phrases import says


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("holds: native", "implemented by the engine itself"),
        ("holds: untested", "listed as untested"),
        ("holds: rewritten, loads_as: LlamaForCausalLM", "loaded as LlamaForCausalLM"),
        ('holds: removed, last_version: "1.0.0"', "no longer supported after 1.0.0"),
    ],
)
def test_a_status_in_words(make, claim, expected):
    products = make({OFFERS: snapshot(f"about: {{requirement: sliding-window}}, {claim}")})
    [statement] = [one for one in Ledger(products.catalog).on_offer("enga", "sliding-window", {}) if one.snapshot.id == "enga-1-1-0-offers"]
    assert says(statement.status, statement) == expected
