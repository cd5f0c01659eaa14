"""Command lines answered without the command: the same as the command prints, and refused alike."""

from __future__ import annotations

import json
import shlex

import pytest

from catalogs import ROOT
from infercompat.answer.check import Assessor
from infercompat.answer.lines import answer_line
from infercompat.answer.question import Refused


@pytest.mark.parametrize(
    "line",
    [
        "check gpt-oss-20b vllm@0.33.0 --hardware t4 --context 8192",
        "check gemma-3-27b vllm --hardware b200 --set attention.backend=FLASHINFER --require cache.dtype=bf16 --gpus 2",
        "check no-such-model-at-all vllm",
        "cache gemma-3-27b --engine vllm@0.33.0 --context 8192,32768 --available 20GiB",
        "cache qwen3-8b",
    ],
)
def test_a_line_is_answered_as_the_command_answers_it(run, real, line):
    said = run(*shlex.split(line), "--json", catalog=ROOT / "catalog")
    assert answer_line(Assessor(real), line) == json.loads(said.stdout)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("diagnose x", "a line begins with check or cache, not with diagnose"),
        ("check qwen3-8b vllm --colour red", "there is no option --colour"),
        ("check qwen3-8b vllm --hardware", "--hardware takes a value"),
        ("check qwen3-8b vllm@nothing", "'nothing' is no pep440 version of vllm"),
    ],
)
def test_what_it_refuses(real, line, message):
    with pytest.raises(Refused) as refused:
        answer_line(Assessor(real), line)
    assert str(refused.value).startswith(message)
