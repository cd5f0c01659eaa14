"""Others' answers held against ours, with figures worked out by hand.

Tiny has four layers of 512 bytes a token, two of which look back 1,024 tokens: 9,437,184 bytes at 8,192. Plain ends at 4,096.
"""

from __future__ import annotations

import pytest

from catalogs import changed
from infercompat.places import BENCH
from infercompat.render import peers
from infercompat.render.peers import Peers, Score, in_bytes, kind_of, question_of, questions_of_models, score

KEY = ("tiny-model", 8192, "bf16")
NEEDED = 9_437_184
LOG = "measurements/tiny-at-8k.yaml"
LOGGED = (("method: derived", "method: engine-log"), ("unit: B", "unit: MiB\nvalue: 9.0"))


def results(**answers: int) -> dict:
    tools = [{"name": name} for name in ("low", "right", "full")]
    gone = {"model": "gone", "tokens": 8192, "dtype": "bf16", "answers": {"low": 1}}
    return {"tools": tools, "questions": [gone, {"model": KEY[0], "tokens": KEY[1], "dtype": KEY[2], "answers": answers}]}


def test_models_are_asked_as_far_as_their_context_reaches(tiny):
    assert questions_of_models(tiny) == [KEY]


@pytest.mark.parametrize("basis", ["derived-facts", "class-default"])
def test_a_config_that_is_none_is_not_asked_about(make, basis):
    assert questions_of_models(make(changed("models/acme/tiny-model.yaml", ("basis: official", f"basis: {basis}")))) == []


def test_a_derived_figure_is_no_log(tiny):
    assert question_of(tiny, tiny.catalog.records["tiny-at-8k"]) is None


def test_a_log_is_asked_about(make):
    products = make(changed(LOG, *LOGGED))
    assert question_of(products, products.catalog.records["tiny-at-8k"]) == KEY


@pytest.mark.parametrize(
    "change",
    [
        ("metric: cache.ideal.bytes", "metric: weights.bytes"),
        ("metric: cache.ideal.bytes", "metric: cache.overpay"),
        ("context: 8192, cache_dtype: bf16", "context: 8192, cache_dtype: bf16, tensor_parallel: 2"),
        ("context: 8192, cache_dtype: bf16", "context: 8192, cache_dtype: bf16, settings: {max_num_seqs: 4}"),
        ("context: 8192, cache_dtype: bf16", "cache_dtype: bf16"),
    ],
)
def test_a_log_of_something_else_is_not_asked_about(make, change):
    products = make(changed(LOG, *LOGGED, change))
    assert question_of(products, products.catalog.records["tiny-at-8k"]) is None


def test_a_figure_a_token_becomes_the_whole_cache(make):
    products = make(changed(LOG, LOGGED[0], ("cache.ideal.bytes", "cache.ideal.bytes_per_token"), ("unit: B", "unit: B/token\nvalue: 1152")))
    assert in_bytes(products.catalog.records["tiny-at-8k"], 1152) == NEEDED


def test_differences_are_taken_from_what_the_layers_need(tiny):
    found = Peers(tiny, results(low=NEEDED // 2, full=2 * NEEDED))
    assert found.ours == {KEY: NEEDED}
    assert found.difference(KEY, "right") is None
    assert found.against_ours("low") == Score(1, 0.5, 0, -0.5, KEY)
    assert found.against_ours("full", "sliding") == Score(1, 1.0, 0, 1.0, KEY)
    assert found.against_ours("full", "plain") is None
    assert found.against_ours("right") is None
    assert found.of_kind("sliding") == [KEY]
    assert found.of_kind("plain") == []


def test_errors_are_taken_from_the_log_and_who_is_closer_is_named(make):
    products = make(changed(LOG, LOGGED[0], ("unit: B", "unit: MiB\nvalue: 18.0")))
    found = Peers(products, results(low=NEEDED // 2, right=NEEDED, full=2 * NEEDED))
    (row,) = found.logged
    assert row.errors == {"alone": -0.5, "ours": -0.5, "low": -0.75, "right": -0.5, "full": 0.0}
    assert row.closer == row.closer_still == ["full"]
    assert found.against_logs("alone").median == 0.5
    assert found.against_logs("full").close == 1


def test_nobody_is_closer_than_one_who_is_right(make):
    found = Peers(make(changed(LOG, *LOGGED)), results(right=NEEDED))
    assert found.logged[0].closer == []


def test_a_tool_may_be_closer_than_the_config_alone_and_no_closer_than_we_are(make):
    """All four layers in full take 512 B x 4 x 8,192 = 16 MiB, which the metric's name tells us and the config alone does not."""
    naive = make(changed(LOG, LOGGED[0], ("cache.ideal.bytes", "cache.naive.bytes"), ("unit: B", "unit: MiB\nvalue: 16")))
    (row,) = Peers(naive, results(right=NEEDED, full=16 << 20)).logged
    assert row.errors == {"alone": NEEDED / (16 << 20) - 1, "ours": 0.0, "right": NEEDED / (16 << 20) - 1, "full": 0.0}
    assert row.closer == ["full"]
    assert row.closer_still == []


def test_a_score_names_the_largest_and_counts_the_close():
    assert score([(0.0, "a"), (-0.4, "b"), (0.4, "c"), (0.005, "d")]) == Score(4, 0.2025, 2, -0.4, "b")
    assert score([]) is None


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        ("llama-3.1-8b", "plain"),
        ("gemma-3-27b", "sliding"),
        ("llama-4-scout", "chunked"),
        ("gemma-3n-e2b", "shared"),
        ("deepseek-v3", "latent"),
        ("deepseek-v3.2", "latent"),
        ("lfm2-1.2b", "hybrid"),
        ("kimi-k3", "hybrid"),
    ],
)
def test_kinds(real, model, kind):
    assert kind_of(real.derived[model]) == kind


def test_the_committed_answers_are_about_this_catalog(real):
    found = peers.load(real)
    assert (BENCH / "peers" / "results.json").is_file()
    assert {found.kind(key) for key in found.ours} == set(peers.KINDS)
    assert len(found.logged) > 20
    assert all(found.against_ours(name) and found.against_logs(name) for name in found.names)
