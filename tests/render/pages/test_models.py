"""What a model's page is made from: the engines that serve it on the best evidence, and what each holds at chosen contexts."""

from __future__ import annotations

from infercompat.join import Matrix
from infercompat.render.pages.models import BEST, of_model


def test_the_best_supported_engines_say_yes_and_stand_by_confidence(real_matrix):
    models = real_matrix.products.catalog.of_kind("model")
    best = next(found for model in models if len(found := of_model(real_matrix, model)["best"]) == BEST)
    assert {cell.verdict for cell in best} == {"yes"}
    confidences = [cell.grade.confidence for cell in best]
    assert confidences == sorted(confidences, reverse=True)


def test_an_engine_that_is_unknown_is_not_among_them(tiny):
    context = of_model(Matrix(tiny), tiny.catalog.records["tiny-model"])
    assert [cell.engine.id for cell in context["best"]] == ["enga"]


def test_held_at_each_length_by_llama_cpp(real_matrix):
    """Mistral 7B v0.3: 32 layers of 8 KV heads x 128 x 2 in bf16 are 131,072 bytes a token, in cells of 256, so 1 GiB at 8,192 and 4 GiB at 32,768."""
    context = of_model(real_matrix, real_matrix.products.catalog.records["mistral-7b-v0.3"])
    assert context["lengths"] == [8192, 32768]
    held = {cell.engine.id: values for cell, values in context["held"]}
    assert held["llama.cpp"] == [2**30, 2**32]
