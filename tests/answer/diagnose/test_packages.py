"""Versions from lists of packages, in every form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.packages import components, normal, read


def versions(real, text: str) -> dict[str, tuple[str, int]]:
    return {one.name: (one.value, one.line) for one in read(text.split("\n"), real.catalog).seen}


def test_freeze(real):
    text = "accelerate==1.0.0\nflashinfer-python==0.6.14\ntorch==2.11.0+cu130\nvllm==0.26.0\nmy-package @ file:///x\nnumpy==2.2.6"
    assert versions(real, text) == {"flashinfer": ("0.6.14", 2), "torch": ("2.11.0+cu130", 3), "vllm": ("0.26.0", 4)}
    assert read(text.split("\n"), real.catalog).taken == {1, 2, 3, 4, 6}


@pytest.mark.parametrize("ruler", ["------------ -------", "------------------------ ---------- --------"])
def test_tables(real, ruler):
    text = f"Package      Version\n{ruler}\nabc          1.0\nsglang       0.5.13.post1\ntransformers 5.12.0\n\nother 1.0"
    assert versions(real, text) == {"sglang": ("0.5.13.post1", 4), "transformers": ("5.12.0", 5)}
    assert read(text.split("\n"), real.catalog).taken == {1, 2, 3, 4, 5}


def test_one_row_alone_and_pip_show(real):
    assert versions(real, "vllm                              0.11.0") == {"vllm": ("0.11.0", 1)}
    assert versions(real, "Name: mlx_lm\nVersion: 0.31.3\nSummary: x\nVersion: 9.9") == {"mlx-lm": ("0.31.3", 2)}
    assert versions(real, "abc 1.0\nhello world\nqueue 12") == {}


def test_an_environment_report(real):
    text = """PyTorch version              : 2.8.0+cu128
[pip3] flashinfer-python==0.5.2
[pip3] transformers==4.57.1
[conda] torch                     2.8.0                    pypi_0    pypi
vLLM Version                 : 0.11.0
sglang: 0.5.3
flashinfer_python: 0.3.1"""
    assert versions(real, text) == {
        "torch": ("2.8.0", 4),
        "flashinfer": ("0.3.1", 7),
        "transformers": ("4.57.1", 3),
        "vllm": ("0.11.0", 5),
        "sglang": ("0.5.3", 6),
    }
    assert [(one.name, one.value) for one in read(text.split("\n"), real.catalog).seen][:2] == [("torch", "2.8.0+cu128"), ("flashinfer", "0.5.2")]


def test_names_are_compared_as_indexes_do(real):
    assert normal("MLX_lm") == "mlx-lm"
    known = components(real.catalog)
    assert {name: known[name] for name in ("mlx-lm", "flashinfer-python", "torch", "vllm", "llama-cpp")} == {
        "mlx-lm": "mlx-lm",
        "flashinfer-python": "flashinfer",
        "torch": "torch",
        "vllm": "vllm",
        "llama-cpp": "llama.cpp",
    }


@given(st.text(alphabet=st.sampled_from("vllm=0.1 :-\nPackageVersion")))
def test_any_text(real, text):
    read(text.split("\n"), real.catalog)
