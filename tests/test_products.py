"""What follows from a catalog that was read: models derived, and the date a build counts from."""

from __future__ import annotations

import pytest

from catalogs import text_of
from infercompat.derive import Derived, Unknown


def test_models_are_derived(tiny):
    assert {id: type(derived) for id, derived in tiny.derived.items()} == {"plain-model": Derived, "tiny-model": Derived}
    assert len(tiny.derived["tiny-model"].layers) == 4


def test_a_model_without_a_reader_is_unknown(make):
    text = text_of("models/acme/plain-model.yaml").replace("model_type: llama", "model_type: nobody-knows").replace("LlamaForCausalLM", "NobodyForCausalLM")
    assert isinstance(make({"models/acme/plain-model.yaml": text}).derived["plain-model"], Unknown)


def test_inputs_that_only_the_maker_names_are_demands(make):
    """A config that leaves the encoder out does not make of a model with images one of text."""
    said = text_of("models/acme/plain-model.yaml") + "modalities: {inputs: [text, image], outputs: [text], cites: [{id: acme-config}]}\n"
    found = make({"models/acme/plain-model.yaml": said}).derived["plain-model"]
    assert found.requirements["image-input"] == "it takes image input, as its maker says"
    assert "audio-input" not in found.requirements


def test_withdrawn_and_moved_models_are_not_derived(make):
    files = {
        "models/acme/plain-model.yaml": text_of("models/acme/plain-model.yaml") + "withdrawn: {on: 2026-01-01, because: It was wrong.}\n",
        "models/acme/old-model.yaml": "moved_to: tiny-model\nmoved_on: 2026-01-01\n",
    }
    assert list(make(files).derived) == ["tiny-model"]


@pytest.mark.parametrize(("epoch", "today"), [("1767225600", "2026-01-01"), ("0", "1970-01-01"), ("", "2026-02-02"), ("soon", "2026-02-02")])
def test_a_build_counts_from_source_date_epoch_or_the_newest_date(make, monkeypatch, epoch, today):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert make(today=None).today == today
