"""Python calls that start an engine."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.diagnose.page import same_on_the_page
from catalogs import REAL
from infercompat.answer.diagnose import understand
from infercompat.answer.diagnose.snippets import read


# Calls in use, written from knowledge of the quick starts of vLLM, SGLang, TensorRT LLM, LMDeploy, mlx-lm, llama-cpp-python and Transformers;
# of Ray Serve the page on configuration was opened.
@pytest.mark.parametrize(
    ("text", "engine", "model", "facts"),
    [
        (
            'from vllm import LLM\nllm = LLM(model="a/b-1", tensor_parallel_size=2, max_model_len=8192, enforce_eager=True)',
            "vllm",
            "a/b-1",
            {"tensor_parallel": 2, "max_model_len": 8192, "cuda_graphs": "none"},
        ),
        (
            'llm = LLM(\n    "a/b-1",  # the model\n    speculative_config={\n        "method": "ngram",\n        "num_speculative_tokens": 4,\n    },\n)',
            "vllm",
            "a/b-1",
            {"speculation.method": "ngram", "speculation.tokens": 4},
        ),
        ('name = "a/b-1"\nTP = 4\nLLM(model=name, tensor_parallel_size=TP, gpu_memory_utilization=unknown)', "vllm", "a/b-1", {"tensor_parallel": 4}),
        ('args = AsyncEngineArgs(model="a/b-1", kv_cache_dtype="fp8")', "vllm", "a/b-1", {"cache.dtype": "fp8"}),
        ('import sglang as sgl\nllm = sgl.Engine(model_path="a/b-1", tp_size=2)', "sglang", "a/b-1", {"tensor_parallel": 2}),
        ('from tensorrt_llm import LLM\nllm = LLM(model="a/b-1", tensor_parallel_size=2)', "tensorrt-llm", "a/b-1", {"tensor_parallel": 2}),
        (
            'from lmdeploy import pipeline\npipe = pipeline("a/b-1", backend_config=PytorchEngineConfig(tp=2, session_len=4096))',
            "lmdeploy-pytorch",
            "a/b-1",
            {"tensor_parallel": 2, "max_model_len": 4096},
        ),
        (
            "from lmdeploy import pipeline\npipe = pipeline('a/b-1', backend_config=TurbomindEngineConfig(quant_policy=8))",
            "lmdeploy-turbomind",
            "a/b-1",
            {"cache.dtype": "int8"},
        ),
        ('from mlx_lm import load, generate\nmodel, tokenizer = load("a/b-1")', "mlx-lm", "a/b-1", {}),
        ('model, tokenizer = mlx_lm.load("a/b-1")', "mlx-lm", "a/b-1", {}),
        ('from mlx_vlm import load\nmodel, processor = load("a/b-1")', "mlx-vlm", "a/b-1", {}),
        (
            'from llama_cpp import Llama\nllm = Llama(model_path="./b-1.gguf", n_ctx=8192, n_gpu_layers=-1)',
            "llama.cpp",
            "./b-1.gguf",
            {"max_model_len": 8192, "setting.gpu_layers": -1},
        ),
        (
            'model = AutoModelForCausalLM.from_pretrained("a/b-1", attn_implementation="sdpa", device_map="auto")',
            "transformers",
            "a/b-1",
            {"attention.backend": "sdpa"},
        ),
        (
            'LLMConfig(\n    model_loading_config=dict(model_id="x", model_source="a/b-1"),\n    engine_kwargs=dict(tensor_parallel_size=2),\n)',
            "vllm",
            "a/b-1",
            {"tensor_parallel": 2},
        ),
    ],
)
def test_a_call(real, text, engine, model, facts):
    found = understand(text, real.catalog)
    assert (found.engine.name, found.model.value, found.facts) == (engine, model, facts)


@pytest.mark.parametrize(
    "text",
    [
        'tokenizer = AutoTokenizer.from_pretrained("a/b-1")',
        'peft = PeftModel.from_pretrained(base, "a/b-1")',
        'data = json.load(open("a/b-1.json"))',
        'llm = LLM(model="gpt-4o", temperature=0)',
        "    llm = LLM(\n          ^^^^\nTypeError: x",
        'llm = LLM(model="never closed',
        "class LLM(Base):",
        'pipe = pipeline("text-generation", model="a/b-1")',
    ],
)
def test_what_starts_no_engine(real, text):
    assert read(text.split("\n"), real.catalog).seen == ()


def test_each_argument_has_its_line(real):
    (command,) = read(["x", "llm = LLM(", '  model="a/b-1",', "  # more", "  tensor_parallel_size=2,", ")", "y"], real.catalog).seen
    assert [(one.name, one.line) for one in command.value] == [("", 3), ("tensor_parallel", 5)]
    assert read(["x", "llm = LLM(", '  model="a/b-1",', "  tensor_parallel_size=2)", "y"], real.catalog).taken == {2, 3, 4}


def test_a_reference_implementation_is_asked_about_last(real):
    text = 'm = AutoModelForCausalLM.from_pretrained("a/b-1")\nfrom vllm import LLM\nllm = LLM(model="c/d-2", tensor_parallel_size=2)'
    found = understand(text, real.catalog)
    assert (found.engine.name, found.model.value) == ("vllm", "c/d-2")


@given(st.text(alphabet=st.sampled_from("LLM(model='\"a/b-1),={}[]#\n dict")))
def test_any_text(real, text):
    read(f"LLM({text}".split("\n"), real.catalog)


@pytest.mark.parametrize(
    "text",
    [
        "LLM(model='a/b-1', x=" + "dict(x=" * 2000 + ")" * 2000 + ")",
        "LLM(backend_config=" + "A(backend_config=" * 900 + ")" * 900 + ")",
        "LLM(model='a/b-1', x=1" + " " * 18_000 + "y)",
        "LLM(\n" + "\n" * 400_000,
        "LLM(\nx" + " " * 1_000_000 + "y",
        "LLM(\n" + "x = " * 250_000,
        "LLM(\n" + "a." * 500_000,
        "LLM(" + "a." * 9_000,
    ],
    ids=lambda text: text[:20],
)
def test_a_long_call_takes_no_longer_than_a_short_one(real, text):
    began = time.process_time()
    read(text.split("\n"), real.catalog)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("value", ["...", "{1, 2}", "b'x'", "1j", "[b'x']", "{1: 2}", "1e999", "'\\ud800'", "float('nan')", "{'a': {1}}", "-" * 500 + "1"])
@pytest.mark.parametrize(
    "call", ["LLM(model='Qwen/Qwen3-8B', x={}, tensor_parallel_size=2)", "x = {}\nLLM(model='Qwen/Qwen3-8B', y=x, tensor_parallel_size=2)"]
)
def test_a_value_that_json_cannot_hold_is_left_out(run, tmp_path, value, call):
    file = tmp_path / "call.py"
    file.write_text(call.replace("{}", value), "utf-8")
    result = run("diagnose", str(file), "--json", catalog=REAL)
    data = json.loads(result.stdout)["understood"]
    assert (data["model"]["id"], data["given"]["tensor_parallel"]["value"]) == ("qwen3-8b", 2)


def test_the_page_reads_the_same_calls(real, tmp_path):
    [mark] = [mark for mark in test_a_call.pytestmark if mark.name == "parametrize"]
    more = [
        "LLM(model='a/b-1', x=dict(a=dict(b=dict(c=dict(d=dict(e=dict(f=dict(g=1))))))))",
        "constructor = 1\nLLM(model='a/b-1', tensor_parallel_size=constructor, toString=2, x=hasOwnProperty)",
        "TP = 0x2\nLLM(model='a/b-1', tensor_parallel_size=TP, max_model_len=1e3, gpu_memory_utilization=.9)",
    ]
    same_on_the_page(real, [*(text for text, *_ in mark.args[1]), *more], tmp_path)
