"""The comparison with other calculators: what is read from their outputs, what is told to them, and the file that is committed."""

from __future__ import annotations

import copy
import json
import sys

import pytest

from catalogs import ROOT

sys.path.append(str(ROOT / "bench" / "peers"))

import adapters
import hub
import run
import tools

LLMFIT = '{"context": 32768, "kv_alternatives": [{"kv_quant": "fp16", "kv_cache_gb": 4.0}, {"kv_quant": "q8_0", "kv_cache_gb": 2.0}]}'
VRAMSCOUT = {"Model weights / rank": 14.9, "KV cache": 4.0, "State": 0.5, "CUDA / runtime": 0.75, "Prefill scratch": 0.3, "Safety reserve": 50.0}
QUESTION = {"folder": "somewhere/tiny", "hubs": ["acme/tiny"], "tokens": 8192, "dtype": "bf16"}


def test_what_llmfit_prints_is_in_gib():
    assert adapters.planned(LLMFIT, "fp16") == 4 << 30
    assert adapters.planned(LLMFIT, "q8_0") == 2 << 30


def test_of_a_vramscout_plan_caches_and_states_count():
    assert adapters.cache_parts(VRAMSCOUT) == 4.5


def test_a_dtype_that_a_tool_lacks_is_declined():
    assert adapters.dtype_of(QUESTION, {"bf16": 2}) == 2
    with pytest.raises(adapters.Declined, match="offers no bf16 cache"):
        adapters.dtype_of(QUESTION, {"fp16": 2})


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("unsupported architecture 'tiny_moe': model type is not in the set\nmore"), "unsupported architecture …"),
        (ValueError("The model's architecture TinyForCausalLM is not supported. Supported architectures: LlamaForCausalLM"), None),
        (ValueError("acme/tiny: config.json missing layers"), "config.json missing layers"),
        (ValueError("incomplete config in somewhere/tiny"), "incomplete config in the model"),
        (KeyError("head_dim"), "the config lacks 'head_dim'"),
        (RuntimeError(), "RuntimeError"),
    ],
)
def test_like_reasons_read_alike(error, said):
    assert adapters.reason(error, QUESTION) == (said or "The model's architecture … is not supported. Supported architectures")


def test_a_tool_that_prints_raises_or_exits_still_answers_in_order(capsys):
    def ask(question):
        print("noise")
        if question["tokens"] == 1:
            raise SystemExit("no such model")
        return question["tokens"] * 2.0

    found = adapters.answers(ask, [QUESTION | {"tokens": tokens} for tokens in (8, 1, 0)])
    assert found == [{"bytes": 16}, {"declined": "no such model"}, {"declined": "answers zero bytes"}]
    assert capsys.readouterr().out == ""


def test_every_tool_has_its_function():
    for tool in tools.TOOLS:
        assert callable(getattr(adapters, tool.name.replace("-", "_"))), tool.name


REPOSITORIES = {"acme/tiny": {"config": {"model_type": "tiny", "head_dim": 8}, "parameters": 100}}


def test_the_hub_describes_and_delivers_a_repository():
    said = hub.reply("/api/models/acme/tiny?expand=config", REPOSITORIES)
    assert said["config"] == {"model_type": "tiny"}
    assert said["safetensors"]["total"] == 100
    assert hub.reply("/acme/tiny/resolve/main/config.json", REPOSITORIES) == {"model_type": "tiny", "head_dim": 8}


@pytest.mark.parametrize(
    "path", ["/", "/api/models/acme/none", "/acme/tiny/resolve/main/model.safetensors", "/acme/none/resolve/main/config.json", "/acme/tiny"]
)
def test_the_hub_has_nothing_else(path):
    assert hub.reply(path, REPOSITORIES) is None


def test_a_tool_sees_neither_home_nor_network():
    seen = run.secluded("home", "http://127.0.0.1:1")
    assert seen["HOME"] == "home"
    assert {seen["HTTPS_PROXY"], seen["https_proxy"]} == {"http://127.0.0.1:9"}


def test_the_most_frequent_reasons_come_first():
    answers = [{"declined": said} for said in "bbaacd"] + [{"bytes": 1}]
    assert run.reasons(answers) == [{"said": "a", "times": 2}, {"said": "b", "times": 2}, {"said": "c", "times": 1}]


def test_results_hold_the_answers_in_the_order_of_the_questions():
    answers = {"kvfit": [{"bytes": 5}, {"declined": "no"}], "hf-mem": [{"bytes": 6}, {"bytes": 7}]}
    made = run.results([("a", 8, "bf16"), ("b", 8, "bf16")], answers, "2026-01-02")
    assert [tool["name"] for tool in made["tools"]] == ["hf-mem", "kvfit"]
    assert [question["answers"] for question in made["questions"]] == [{"kvfit": 5, "hf-mem": 6}, {"hf-mem": 7}]
    assert json.loads(run.lay_out(made)) == made
    assert run.faults(made) == []


def committed() -> dict:
    return json.loads(run.RESULTS.read_text("utf-8"))


def test_the_committed_results_are_in_shape_and_of_the_tools_declared():
    assert run.faults(committed()) == []
    assert [(tool["name"], tool["version"]) for tool in committed()["tools"]] == [(tool.name, tool.version) for tool in tools.TOOLS]
    assert run.RESULTS.read_text("utf-8") == run.lay_out(committed())


def no_date(document):
    document["asked_on"] = "lately"


def unknown_tool(document):
    document["questions"][0]["answers"]["nobody"] = 1


def no_bytes(document):
    document["questions"][0]["answers"]["hf-mem"] = 1.5


def twice(document):
    document["questions"].append(document["questions"][0])


def no_model(document):
    del document["questions"][0]["model"]


def without_limits(document):
    document["tools"][0]["limits"] = ""


def nothing(document):
    document["questions"] = []


def no_tools(document):
    del document["tools"]


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (no_date, "no date"),
        (unknown_tool, "nobody, which is no tool"),
        (no_bytes, "no number of bytes"),
        (twice, "not in order"),
        (no_model, "question 0 needs"),
        (without_limits, "tool 0 lacks"),
        (nothing, "no question was asked"),
        (no_tools, "needs asked_on and the lists"),
    ],
)
def test_a_spoilt_file_is_found(spoil, fault):
    document = copy.deepcopy(committed())
    spoil(document)
    assert any(fault in found for found in run.faults(document)), run.faults(document)
