"""Which policy applies at which version, and that log patterns of the records read the lines that are written."""

import re

import pytest

from infercompat.allocate import ALGORITHMS, Allocation, Request, Unknown, allocate, choose

from .configs import ENGINES, GIB, ask, engine, model, sized

RECORDS = sorted(path.stem for path in ENGINES.glob("*.yaml"))
POLICIES = [(name, policy) for name in RECORDS for policy in engine(name).get("cache_policies", ())]
SHOWN = [
    ("vllm", "gemma-3-27b", {"max_model_len": 65536, "max_num_batched_tokens": 8192, "available_bytes": 30 * GIB}),
    ("vllm", "llama-3.1-8b", {"available_bytes": GIB}),
    ("vllm", "qwen3.5-27b", {"max_model_len": 8192, "available_bytes": 30 * GIB, "settings": {"hardware.class": "sm80"}}),
    ("sglang", "gpt-oss-120b", {"architecture": "GptOssForCausalLM", "available_bytes": 30 * GIB}),
    ("sglang", "qwen3.5-27b", {"available_bytes": 30 * GIB}),
    ("llama.cpp", "gpt-oss-120b", {"architecture": "GptOssForCausalLM"}),
    ("llama.cpp", "qwen3.5-9b", {}),
    ("ollama", "gpt-oss-120b", {"architecture": "GptOssForCausalLM", "max_model_len": 4096}),
    ("ollama", "qwen3.5-9b", {"max_model_len": 4096}),
    ("ik-llama.cpp", "llama-3.1-8b", {"max_model_len": 4096}),
    ("lmdeploy-turbomind", "llama-3.1-8b", {"available_bytes": GIB}),
    ("tpu-inference", "llama-3.1-8b", {"available_bytes": 20 * GIB}),
]
"""Requests under which each line that a pattern of the records is for is written."""

UNITS = {"tokens": 1, "cells": 1, "times": 1, "GiB": GIB, "MiB": 1 << 20}


@pytest.mark.parametrize(
    ("version", "since"),
    [("0.11.2", "0.11.0"), ("0.14.1", "0.14.0"), ("0.20.2", "0.19.0"), ("0.21.0", "0.21.0"), ("0.25.1", "0.24.0"), ("0.33.0", "0.33.0")],
)
def test_the_policy_of_a_version_starts_at_or_before_it(version, since):
    policy, _ = choose(engine("vllm"), version)
    assert policy["since"] == since


@pytest.mark.parametrize("version", ["0.10.0", "0.17.0", "0.18.1"])
def test_a_version_that_no_policy_reaches_is_unknown_and_never_the_ideal(version):
    answer = ask("vllm", version, "llama-3.1-8b")
    assert isinstance(answer, Unknown)
    assert answer.missing == ("a cache policy",)


def test_a_policy_that_was_read_elsewhere_says_so():
    assert sized("vllm", "0.33.0", "llama-3.1-8b").notes == ()
    assert any("the policy was" in note for note in sized("vllm", "0.20.2", "llama-3.1-8b").notes)


def test_words_that_are_no_version_are_unknown():
    assert ask("vllm", "newest", "llama-3.1-8b").missing == ("version",)


def test_an_engine_without_policies_is_unknown():
    assert "no cache policy" in allocate({"name": "Other", "scheme": "pep440"}, "1.0.0", Request(model("llama-3.1-8b"))).reason


def test_an_algorithm_of_a_later_program_is_unknown():
    policy = {"algorithm": "vllm-blocks/9", "title": "Later", "seen_at": ["1.0.0"], "parameters": {}, "cites": []}
    record = {"name": "Other", "scheme": "pep440", "cache_policies": [policy]}
    assert "does not know" in allocate(record, "1.0.0", Request(model("llama-3.1-8b"))).reason


@pytest.mark.parametrize(("name", "policy"), POLICIES)
def test_policies_are_sound(name, policy):
    assert policy["algorithm"] in ALGORITHMS
    for version in policy["seen_at"]:
        chosen = choose(engine(name), version)
        assert not isinstance(chosen, Unknown) and chosen[0] is policy


@pytest.mark.parametrize(("name", "policy"), [item for item in POLICIES if "logs" in item[1]])
def test_log_patterns_read_the_lines_that_are_written(name, policy):
    version, unread = policy["seen_at"][0], {log["pattern"] for log in policy["logs"]}
    for shown, model_name, request in SHOWN:
        answer = ask(name, version, model_name, **request) if shown == name else None
        for log in policy["logs"] if isinstance(answer, Allocation) else ():
            for found in filter(None, (re.search(log["pattern"], line) for line in answer.log_lines())):
                exact = answer.figure(log["equals"]) / UNITS[log["unit"]]
                assert float(found[1].replace(",", "")) == pytest.approx(exact, abs=0.0051)
                unread.discard(log["pattern"])
    assert not unread


def test_a_figure_goes_by_its_name():
    answer = sized("sglang", "0.5.23", "llama-3.1-8b", available_bytes=GIB)
    assert answer.figure("full_tokens") == answer.figure("capacity_tokens") == 8192
    assert answer.figure("no such figure") is None


def test_more_stages_than_can_be_are_not_worked_out():
    answer = ask("vllm", "0.33.0", "llama-3.1-8b", pipeline_parallel=10**20)
    assert isinstance(answer, Unknown) and answer.missing == ("pipeline_parallel",)


def test_a_share_of_a_rank_is_one_rank():
    whole, part = (sized("vllm", "0.33.0", "llama-3.1-8b", settings={"setting.decode_context_parallel_size": size}) for size in (1, 0.9))
    assert part == whole


def test_a_setting_that_cannot_be_tells_nothing():
    answer = ask("vllm", "0.33.0", "llama-3.1-8b", settings={"setting.decode_context_parallel_size": "on"})
    assert isinstance(answer, Unknown)
    assert (answer.missing, answer.reason) == (("setting.decode_context_parallel_size",), "setting.decode_context_parallel_size is a number, not on")
