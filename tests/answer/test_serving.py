"""How an engine is started for a checkpoint: places in the words are filled, and files of its own are made first."""

from __future__ import annotations

import pytest

from infercompat.answer.serving import serving

from .stacks import record

PLAIN = {"argv": ["enga", "serve", "{checkpoint}"]}
OWN = {
    "argv": ["enga", "serve", "{name}.own"],
    "prepare": [{"argv": ["get", "{checkpoint}", "{name}"], "why": "Fetches it."}, {"argv": ["make-own", "{name}"], "why": "Turns it."}],
    "stored": {"gguf": ["enga", "fetch", "{checkpoint}"]},
}


@pytest.mark.parametrize(
    ("serve", "checkpoint", "format", "argv", "steps"),
    [
        (PLAIN, "acme/tiny", "bf16", ["enga", "serve", "acme/tiny"], []),
        (OWN, "acme/tiny", "bf16", ["enga", "serve", "tiny.own"], [["get", "acme/tiny", "tiny"], ["make-own", "tiny"]]),
        (OWN, "acme/tiny", None, ["enga", "serve", "tiny.own"], [["get", "acme/tiny", "tiny"], ["make-own", "tiny"]]),
        (OWN, "acme/tiny-own", "gguf", ["enga", "fetch", "acme/tiny-own"], []),
        (OWN, "tiny/", "bf16", ["enga", "serve", "tiny.own"], [["get", "tiny/", "tiny"], ["make-own", "tiny"]]),
    ],
)
def test_the_words_of_the_command_and_of_what_goes_before(serve, checkpoint, format, argv, steps):
    found = serving(record("enga", "engine", {"serve": serve}), checkpoint, format)
    assert (found.argv, [words for words, _ in found.prepare]) == (argv, steps)


def test_an_engine_whose_start_is_not_on_record():
    assert serving(record("enga", "engine", {}), "acme/tiny", "bf16") is None
