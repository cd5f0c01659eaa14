"""A diagnosis for people: the parts in order, each with its line."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import as_data, diagnose, print_data
from infercompat.answer.diagnose.showing import _workaround

TEXTS = [
    ("cmd.sh", "vllm serve openai/gpt-oss-20b --attention-backend FLASHINFER --port 8000"),
    (
        "log.txt",
        "vLLM API server version 0.17.0\nGPU KV cache size: 1,000 tokens\nFLASHINFER is not valid: ['sink setting not supported']\nGPU 0: NVIDIA H800",
    ),
]


def printed(real, capsys, texts) -> list[str]:
    print_data(as_data(diagnose(real, texts)))
    return capsys.readouterr().out.splitlines()


def test_the_parts_in_order(real, capsys):
    lines = printed(real, capsys, TEXTS)
    assert lines[:9] == [
        "Understood:",
        "  engine    vllm 0.17.0  [cmd.sh:1]",
        "  model     openai/gpt-oss-20b -> gpt-oss-20b  [cmd.sh:1]",
        "  hardware  1x NVIDIA H800  [log.txt:4]",
        "  given     attention.backend = FLASHINFER  [cmd.sh:1]",
        "  given     weights.format = mxfp4  [cmd.sh:1]",
        "  not understood: --port 8000",
        "  note: the catalog has no record of NVIDIA H800  [log.txt:4]",
        "",
    ]
    assert "gpt-oss-20b on vllm 0.17.0" in lines[9]
    log = lines.index("In the log:")
    assert lines[log + 1 : log + 4] == ["  log.txt:2 cache size in tokens: 1000", "", "Known faults in the log:"]
    assert lines[log + 4].startswith("  minor    vllm-gptoss-flashinfer-sink-rejected-sm120: ")
    assert lines[log + 5] == "           log.txt:3 FLASHINFER is not valid: ['sink setting not supported']"
    assert lines[log + 6] == "           do: set attention.backend to TRITON_ATTN"


def test_without_a_verdict_it_says_what_is_missing(real, capsys):
    lines = printed(real, capsys, [("", "hello")])
    assert lines == [
        "Understood:",
        "  engine    not found",
        "  model     not found",
        "",
        "No verdict: the paste names no model and no engine of the catalog. Add a line, such as",
        "  model: google/gemma-3-27b-it       no model is named",
        "  engine: vllm 0.33.0                no engine is named: the serve command names it, too",
        "  hardware: 1x h100-sxm              no hardware on record is named: the output of nvidia-smi or rocm-smi names it, too",
    ]


def test_a_sign_is_no_proof_and_repetitions_are_counted(real, capsys):
    lines = printed(real, capsys, [("", "Using TRITON_ATTN backend.\nUsing TRITON_ATTN backend.")])
    assert any("(a sign, no proof)" in line for line in lines)
    assert "           line 1 Using TRITON_ATTN backend.  (2 times)" in lines


@pytest.mark.parametrize(
    ("workaround", "words"),
    [
        ({"set": {"cache.dtype": "bf16", "prefix_caching": False}}, "set cache.dtype to bf16, prefix_caching to false"),
        ({"upgrade": {"vllm": "0.27.0"}}, "upgrade vllm to 0.27.0"),
        ({"drop": "speculation"}, "leave out speculation"),
        ({"advice": "Do it."}, "Do it."),
    ],
)
def test_a_workaround_in_words(workaround, words):
    assert _workaround(workaround) == words


def test_every_workaround_of_the_catalog_has_words(real):
    workarounds = [workaround for gotcha in real.catalog.of_kind("gotcha") for workaround in gotcha.data["workarounds"]]
    assert len(workarounds) > 100
    assert all(map(_workaround, workarounds))
