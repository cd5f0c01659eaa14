"""Tables of other spellings: every engine is on record, every fact declared, and no word hides another."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose.spellings import BY_NAME, DRAFTS, FLAGS_AS_VARIABLES, FORMATS, METHODS, SPELLINGS, VARIABLES
from infercompat.condition import lookup


@pytest.mark.parametrize("engines", [SPELLINGS, DRAFTS, BY_NAME, VARIABLES, FLAGS_AS_VARIABLES])
def test_every_engine_is_on_record(real, engines):
    assert {engine for engine in engines if real.catalog.follow(engine) is None} == set()


def test_every_other_spelling_leads_to_a_declared_fact():
    targets = [target for spellings in SPELLINGS.values() for target in spellings.values()]
    assert {fact for target in targets for fact in ([target] if isinstance(target, str) else target) if lookup(fact) is None} == set()


def test_formats_are_words_of_the_vocabulary(real):
    assert set(FORMATS.values()) <= set(real.catalog.words("weight-format"))


def test_the_longer_word_of_a_draft_s_name_is_looked_for_first():
    words = list(METHODS)
    assert all(words.index(longer) < words.index(word) for longer in words for word in words if word != longer and word in longer)
