"""One answer for every policy on record, for logs without a version."""

from infercompat.allocate import Request
from infercompat.allocate.every import by_every_policy

from .configs import engine, model


def test_every_policy_answers():
    answers = by_every_policy(engine("sglang"), Request(model("llama-3.1-8b")))
    assert len(answers) == len(engine("sglang")["cache_policies"])
    assert {answer.resident(8) for answer in answers} == {8 * 131072}


def test_an_engine_without_policies_has_no_answers():
    assert by_every_policy({"name": "Other"}, Request(model("llama-3.1-8b"))) == []
