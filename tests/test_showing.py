"""What `show` and `search` print, on the tiny catalog."""

from __future__ import annotations

import pytest

from catalogs import MODEL, changed, text_of
from infercompat import showing


@pytest.fixture
def shown(capsys):
    def of(products, id: str) -> list[str]:
        showing.print_record(products, products.catalog.records[id])
        return capsys.readouterr().out.splitlines()

    return of


def test_a_model(tiny, shown):
    lines = [" ".join(line.split()) for line in shown(tiny, "tiny-model")]
    wanted = [
        "Tiny (model tiny-model, catalog/models/acme/tiny-model.yaml)",
        "architecture TinyForCausalLM",
        "checkpoints acme/tiny-it",
        "layers 4: 2 full, 2 sliding",
        "demands sliding-window (sliding_window 1024 on 2 of 4 layers)",
        "8,192 tokens needed 9 MiB every layer full 16 MiB 1.78×",
        "Half of its layers slide: 2 of 4, see windowing.",
        "Referenced by 2:",
        "windowing notes",
        "tiny-at-8k model",
    ]
    assert [line for line in lines if line in wanted] == wanted
    [enga, engb] = [line for line in lines if line.startswith(("EngA 1.1.0", "EngB b200"))]
    assert enga.startswith("EngA 1.1.0 yes verified 0.95 sliding-window: The mask is right and the cache keeps every token.")
    assert engb == "EngB b200 unknown architecture: no source of EngB in the catalog speaks of TinyForCausalLM"


def test_a_model_of_short_reach_is_shown_at_its_own_context(tiny, shown):
    """Two layers of 512 bytes a token, at 4,096 tokens."""
    assert "      4,096 tokens  needed      4 MiB  every layer full      4 MiB  1.00×" in shown(tiny, "plain-model")


def test_a_model_that_cannot_be_read(make, shown):
    lines = shown(make(changed(MODEL, ("    sliding_window: 1024\n", ""))), "tiny-model")
    assert "  layers         unknown: the config lacks fields that decide the layers (missing: sliding_window)" in lines
    assert "Half of its layers slide: unknown of unknown, see windowing." in lines


def test_another_record(tiny, shown):
    lines = shown(tiny, "enga-issue-1")
    assert lines[0] == "Wrong tokens past the window  (citation enga-issue-1, catalog/citations/example.com/enga-issue-1.yaml)"
    assert "  url            https://example.com/acme/enga/issues/1" in lines
    assert lines[-2:] == ["Referenced by 1:", "  enga-wrong-past-window  evidence[0].id"]


def test_many_references_are_cut_short(make, shown):
    concept = "name: Idea\nsummary: An idea.\nconcept: true\ncites: [{id: window-paper}]\n"
    lines = shown(make({f"requirements/idea-{number}.yaml": concept for number in range(20)}), "window-paper")
    assert "Referenced by 23:" in lines
    assert lines[-1] == "  … 11 more: infercompat impact window-paper"


@pytest.mark.parametrize(
    ("target", "id"),
    [("tiny-model", "tiny-model"), ("Tiny-Model", "tiny-model"), ("old/tiny", "tiny-model"), ("Acme/Plain", "plain-model"), ("plain", None), ("", None)],
)
def test_find(tiny, target, id):
    found = showing.find(tiny, target)
    assert (found.id if found else None) == id


@pytest.mark.parametrize(("target", "first"), [("tiny-mdel", "tiny-model"), ("acme/tiny-i", "acme/tiny-it"), ("old/tinyy", "old/tiny"), ("zzzzz", None)])
def test_nearest(tiny, target, first):
    near = showing.nearest(tiny, target)
    assert (near[0] if near else None) == first


def test_nearest_of_some_kinds(tiny):
    assert showing.nearest(tiny, "enga", ("engine",)) == ["enga", "engb"]
    assert showing.nearest(tiny, "acme/tiny-it", ("engine",)) == []


def test_search_leaves_withdrawn_records_out(make):
    products = make({MODEL: text_of(MODEL) + "withdrawn: {on: 2026-01-01, because: It was wrong.}\n"})
    assert "tiny-model" not in [record.id for record in showing.search(products, "tiny")]


def test_data_of_a_model_that_cannot_be_read_names_what_is_missing(make):
    products = make(changed(MODEL, ("    sliding_window: 1024\n", "")))
    data = showing.as_data(products, products.catalog.records["tiny-model"])
    assert data["derived"]["cache"] is None
    assert data["derived"]["missing"] == ["sliding_window"]
