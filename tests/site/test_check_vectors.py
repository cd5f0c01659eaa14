"""The page's script answers the vectors in Chromium as the command does: from the files of the built site, and from nothing else."""

from __future__ import annotations

import json

import pytest
from chromium import CHROMIUM

from catalogs import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

VECTORS = ROOT / "tests" / "vectors"
SHORT = VECTORS / "short.mjs"
ASK = """async ([questions, base]) => {
  const { ask } = await import(base + 'assets/check/reply.js');
  const { askedOf, short } = await import(base + 'assets/short.mjs');
  const answers = [];
  for (const [model, engine, options] of questions) answers.push(short(await ask(askedOf(model, engine, options)), options));
  return answers;
}"""
REFUSE = """async ([asked, base]) => {
  const { ask } = await import(base + 'assets/check/reply.js');
  return ask(asked).then(() => 'answered', (error) => error.message);
}"""


@pytest.mark.parametrize("tab", [1280], indirect=True)
@pytest.mark.parametrize("name", ["defaults", "stacks", "versions"])
def test_the_script_answers_as_the_command_does(tab, server, name):
    vectors = [json.loads(line) for line in (VECTORS / f"{name}.jsonl").read_text("utf-8").splitlines()]
    assert len(vectors) > 900
    tab.route(server + "assets/short.mjs", lambda route: route.fulfill(path=SHORT, content_type="text/javascript"))
    tab.goto(server)
    answers = tab.evaluate(ASK, [[vector["ask"] for vector in vectors], server])
    wrong = [(vector["ask"], vector["answer"], answer) for vector, answer in zip(vectors, answers, strict=True) if vector["answer"] != answer]
    assert [ask for ask, _, _ in wrong] == [], wrong[0]
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:"))] == []


@pytest.mark.parametrize("tab", [1280], indirect=True)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"engine": "vlm"}, "there is no engine vlm; nearest: vllm, mlx-vlm, vllm-metal"),
        ({"engine": "flashinfer"}, "FlashInfer is a kernel library: it gates engines and serves no model itself"),
        ({"hardware": "8xH100"}, "there is no hardware 8xH100; for 8 devices write --hardware h100-sxm --gpus 8"),
        ({"settings": {"max_num_seqs": "0"}}, "max_num_seqs is 1 or more, not 0"),
        ({"settings": {"model.heads": "8"}}, "model.heads follows from the model: it is not set"),
        ({"gpus": 2, "tp": 4}, "tensor_parallel 4 take 4 devices, not 2"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_command_s_words(tab, server, asked, message):
    tab.goto(server)
    assert tab.evaluate(REFUSE, [{"model": "gemma-3-27b", "engine": "vllm", **asked}, server]) == message
