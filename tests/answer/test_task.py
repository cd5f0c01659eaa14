"""The hop of the task: a model that is asked to do something else than what it was made for."""

from __future__ import annotations

import pytest


def test_what_it_is_made_for_is_no_question(ask_real):
    for model, settings in (("qwen3-8b", []), ("qwen3-8b", ["task=generate"]), ("whisper-large-v3", ["task=transcribe"])):
        assert ask_real(model, "vllm@0.33.0", settings=settings).hop("task") is None


@pytest.mark.parametrize("model", ["qwen3-8b", "bge-large-en"])
def test_a_model_without_a_part_for_sound_does_not_transcribe(ask_real, model):
    found = ask_real(model, "vllm@0.33.0", settings=["task=transcribe"])
    assert found.reply.verdict == "no"
    assert "has no part that takes sound" in found.hop("task").finding


def test_of_other_tasks_nobody_knows(ask_real):
    """A text model may serve as an embedder where an engine converts it, and no source on record says so."""
    found = ask_real("qwen3-8b", "llama.cpp", settings=["task=embed"])
    assert (found.reply.verdict, found.reply.missing) == ("unknown", ("task",))
