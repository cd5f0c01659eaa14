"""Serve commands of every program, in the forms in which people paste them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from answer.diagnose.page import same_on_the_page
from infercompat.answer.diagnose import understand
from infercompat.answer.diagnose.commands import is_model, read


def commands(real, text: str):
    return read(text.split("\n"), real.catalog)


def said(real, text: str) -> tuple[str, str | None, dict]:
    """The engine, the model as written and the facts of the one command in a text."""
    (command,) = commands(real, text).seen
    model = next((one.value for one in command.value if one.kind == "model"), None)
    return command.name, model, {one.name: one.value for one in command.value if one.kind == "fact"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm serve google/gemma-3-27b-it -tp 2", ("vllm", "google/gemma-3-27b-it", {"tensor_parallel": 2})),
        ("$ uv run vllm serve --tensor-parallel-size 2 google/gemma-3-27b-it", ("vllm", "google/gemma-3-27b-it", {"tensor_parallel": 2})),
        ("vllm serve --trust-remote-code models/gemma-3-27b-it", ("vllm", "models/gemma-3-27b-it", {})),
        (
            "python3 -m vllm.entrypoints.openai.api_server --model=openai/gpt-oss-20b --max-model-len 8192",
            ("vllm", "openai/gpt-oss-20b", {"max_model_len": 8192}),
        ),
        (
            "CUDA_VISIBLE_DEVICES=0 VLLM_ATTENTION_BACKEND=FLASHINFER vllm serve openai/gpt-oss-20b",
            ("vllm", "openai/gpt-oss-20b", {"attention.backend": "FLASHINFER"}),
        ),
        (
            "python -m sglang.launch_server --model-path openai/gpt-oss-120b --tp 8 --attention-backend fa3",
            ("sglang", "openai/gpt-oss-120b", {"tensor_parallel": 8, "attention.backend": "fa3"}),
        ),
        ("sglang serve --model-path openai/gpt-oss-120b --page-size 64", ("sglang", "openai/gpt-oss-120b", {"block_size": 64})),
        ("trtllm-serve openai/gpt-oss-20b --tp_size 2", ("tensorrt-llm", "openai/gpt-oss-20b", {"tensor_parallel": 2})),
        ("trtllm-serve serve openai/gpt-oss-20b --max_batch_size 8", ("tensorrt-llm", "openai/gpt-oss-20b", {"max_num_seqs": 8})),
        (
            "./build/bin/llama-server -m models/gemma-3-4b-it-Q4_K_M.gguf -c 8192 -ctk q8_0 -ctv q8_0",
            ("llama.cpp", "models/gemma-3-4b-it-Q4_K_M.gguf", {"max_model_len": 8192, "cache.k.dtype": "q8_0", "cache.v.dtype": "q8_0"}),
        ),
        (
            r"C:\llama\llama-server.exe -hf unsloth/gpt-oss-20b-GGUF:Q4_K_M --swa-full",
            ("llama.cpp", "unsloth/gpt-oss-20b-GGUF:Q4_K_M", {"setting.swa_full": True}),
        ),
        ("llama-cli -m x-1b.gguf -md d.gguf", ("llama.cpp", "x-1b.gguf", {"setting.draft_model": "d.gguf", "speculation.method": "draft_model"})),
        ("mlx_lm.server --model a/b-1 --draft-model x/y", ("mlx-lm", "a/b-1", {"setting.draft_model": "x/y", "speculation.method": "draft_model"})),
        ("mlx_lm.server --model mlx-community/gemma-1-4bit --kv-bits 8", ("mlx-lm", "mlx-community/gemma-1-4bit", {"setting.kv_bits": 8})),
        ("python -m mlx_lm generate --model a/b-1 --max-kv-size 512", ("mlx-lm", "a/b-1", {"setting.max_kv_size": 512})),
        ("ollama run gemma3:27b", ("ollama", "gemma3:27b", {})),
        ("lmdeploy serve api_server Qwen/Qwen3-8B --tp 2", ("lmdeploy-turbomind", "Qwen/Qwen3-8B", {"tensor_parallel": 2})),
        ("lmdeploy serve api_server Qwen/Qwen3-8B --backend=pytorch", ("lmdeploy-pytorch", "Qwen/Qwen3-8B", {"setting.backend": "pytorch"})),
        ("lmdeploy serve api_server Qwen/Qwen3-8B --backend pytorch", ("lmdeploy-pytorch", "Qwen/Qwen3-8B", {"setting.backend": "pytorch"})),
        ("lmdeploy serve api_server Qwen/Qwen3-8B --model-name pytorch --tp 2", ("lmdeploy-turbomind", "Qwen/Qwen3-8B", {"tensor_parallel": 2})),
        ('nohup bash -c "vllm serve a/b-1 --max-num-seqs 4 > log" &', ("vllm", "a/b-1", {"max_num_seqs": 4})),
        ("root 1 0.0 python3 -m sglang.launch_server --model-path a/b-1", ("sglang", "a/b-1", {})),
        ("I ran `vllm serve a/b-1`, and it failed", ("vllm", "a/b-1", {})),
        ("it dies when I run vllm serve with --kv-cache-dtype fp8, sadly", ("vllm", None, {"cache.dtype": "fp8"})),
    ],
)
def test_a_command(real, text, expected):
    assert said(real, text) == expected


def test_json_and_dotted_flags(real):
    text = """vllm serve google/gemma-4-31B-it \\
  --speculative-config '{"method": "mtp", "num_speculative_tokens": 7}' \\
  --attention-config.disable_flashinfer_q_quantization=true"""
    expected = {"speculation.method": "mtp", "speculation.tokens": 7, "setting.disable_flashinfer_q_quantization": True}
    assert said(real, text) == ("vllm", "google/gemma-4-31B-it", expected)
    (command,) = commands(real, text).seen
    assert [one.line for one in command.value] == [1, 2, 2, 3]
    assert commands(real, text).taken == {1, 2, 3}


@pytest.mark.parametrize(
    ("draft", "method"),
    [("google/gemma-4-31B-it-assistant", "mtp"), ("some/llama-eagle3", "eagle3"), ("some/EAGLE-head", "eagle"), ("some/small-1b", "draft_model")],
)
def test_the_method_follows_from_the_draft(real, draft, method):
    text = f'vllm serve a/b-1 --speculative-config \'{{"model": "{draft}", "num_speculative_tokens": 3}}\''
    assert said(real, text)[2] == {"setting.draft_model": draft, "speculation.tokens": 3, "speculation.method": method}
    (command,) = commands(real, text).seen
    assert [one.value for one in command.value if one.kind == "note"] == [f"no method is named: {method}, by the name of the draft"]


# Parsers take the last: argparse and click as they are documented; vllm/utils/argparse_utils.py of vLLM 0.33.0, which puts the first --model in
# front and keys with dots behind every JSON value; common/arg.cpp of llama.cpp, which warns that only the last value will be used and lets
# a command line overwrite a variable; clap 4, TGI's, which takes no flag twice (launcher/src/main.rs of TGI 3.3.7 allows it nowhere).
TWICE = [
    ("vllm serve a/b-1 -tp 2 --tensor-parallel-size 4", {"tensor_parallel": 4}, ["tensor_parallel is said twice: 4 counts"]),
    ("vllm serve a/b-1 --tensor-parallel-size 4 -tp 4", {"tensor_parallel": 4}, []),
    ("sglang serve --model-path a/b-1 --tp 8 --tp-size 2", {"tensor_parallel": 2}, ["tensor_parallel is said twice: 2 counts"]),
    ("trtllm-serve a/b-1 --tp_size 2 --tp_size 1", {"tensor_parallel": 1}, ["tensor_parallel is said twice: 1 counts"]),
    ("LLAMA_ARG_CTX_SIZE=4096 llama-server -m b-1.gguf -c 1024 --ctx-size 3072", {"max_model_len": 3072}, ["max_model_len is said twice: 3072 counts"]),
    ("LLAMA_ARG_CTX_SIZE=4096 llama-server -m b-1.gguf -c 1024", {"max_model_len": 1024}, []),
    (
        "text-generation-launcher --model-id a/b-1 --num-shard 2 --num-shard 4",
        {"tensor_parallel": 4},
        ["tensor_parallel is said twice: its parser refuses that"],
    ),
    ("vllm serve a/b-1 --no-enable-prefix-caching --enable-prefix-caching", {"prefix_caching": True}, ["prefix_caching is said twice: true counts"]),
    ("vllm serve a/b-1 --enforce-eager -cc.cudagraph_mode FULL", {"cuda_graphs": "none"}, ["cuda_graphs is said twice: none counts"]),
    ("vllm serve a/b-1 --enforce-eager --no-enforce-eager", {}, []),
    (
        """vllm serve a/b-1 --speculative-config '{"method":"eagle","model":"c/d"}' --speculative-config '{"method":"ngram"}'""",
        {"speculation.method": "ngram"},
        [],
    ),
    ("""vllm serve a/b-1 -cc.cudagraph_mode FULL --compilation-config '{"cudagraph_mode":"NONE"}'""", {"cuda_graphs": "full"}, []),
]


@pytest.mark.parametrize(("text", "facts", "notes"), TWICE)
def test_of_a_flag_that_is_given_twice_the_last_counts(real, text, facts, notes):
    assert said(real, text)[2] == facts
    (command,) = commands(real, text).seen
    assert [one.value for one in command.value if one.kind == "note"] == notes


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("vllm serve --model a/b-1 --model c/d-2", "a/b-1"),
        ("python -m vllm.entrypoints.openai.api_server --model a/b-1 --model c/d-2", "c/d-2"),
        ("llama-server -m b-1.gguf -c 512 -m d-2.gguf", "d-2.gguf"),
    ],
)
def test_of_a_model_that_is_named_twice_that_counts_which_the_parser_takes(real, text, model):
    assert said(real, text)[1] == model


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("vllm/vllm-openai:v0.11.0", "0.11.0"),
        ("docker.io/vllm/vllm-openai:v0.25.1-cu129", "0.25.1"),
        ("vllm/vllm-openai:v0.23.1rc1", "0.23.1rc1"),
        ("vllm/vllm-openai:gptoss", "gptoss"),
        ("vllm/vllm-openai:latest", None),
        ("vllm/vllm-openai", None),
    ],
)
def test_a_container_says_the_version(real, image, version):
    text = f"docker run --gpus all -p 8000:8000 -e VLLM_USE_V2_MODEL_RUNNER=1 --ipc=host \\\n  {image} \\\n  --model a/b-1 --max-num-seqs 4"
    assert said(real, text) == ("vllm", "a/b-1", {"max_num_seqs": 4, "setting.use_v2_model_runner": True, "container": image})
    (command,) = commands(real, text).seen
    assert [(one.name, one.value, one.line) for one in command.value if one.kind == "component"] == ([("vllm", version, 2)] if version else [])


def test_a_container_with_a_command_of_its_own(real):
    text = "docker run lmsysorg/sglang:v0.5.13.post1-cu129 python3 -m sglang.launch_server --model-path a/b-1"
    assert said(real, text) == ("sglang", "a/b-1", {"container": "lmsysorg/sglang:v0.5.13.post1-cu129"})
    assert said(real, "docker run ghcr.io/ggml-org/llama.cpp:server-cuda-b6209 -m b-1.gguf -c 512")[2]["max_model_len"] == 512


def test_variables_of_the_script_are_read(real):
    text = "export MODEL=google/gemma-3-4b-it\nTP=4\nexport VLLM_ROCM_USE_AITER=1\nvllm serve $MODEL -tp ${TP} --max-num-seqs ${N:-16}"
    expected = {"tensor_parallel": 4, "max_num_seqs": 16, "setting.vllm_rocm_use_aiter": True}
    assert said(real, text) == ("vllm", "google/gemma-3-4b-it", expected)


@pytest.mark.parametrize("text", ["vllm serve crashes on my machine", "use vllm serve", "docker run hello-world", "the sglang serve command", ""])
def test_a_mention_is_no_command(real, text):
    assert commands(real, text).seen == ()
    assert commands(real, text).taken == frozenset()


def test_a_secret_in_a_variable_leaves(real):
    (command,) = commands(real, "K=plain\nN=gpu01\nvllm serve a/b-1 --api-key $K --host ${N} --port 1").seen
    assert [one.value for one in command.value if one.kind == "flag"] == ["REDACTED", "REDACTED", "1"]


def test_flags_that_nobody_reads_are_kept(real):
    (command,) = commands(real, "vllm serve a/b-1 --port 8000 --served-model-name x --root-path v9").seen
    assert [(one.name, one.value) for one in command.value if one.kind == "flag"] == [
        ("--port", "8000"),
        ("--served-model-name", "x"),
        ("--root-path", "v9"),
    ]


@pytest.mark.parametrize(
    ("text", "model"), [("google/gemma-3", True), ("./m", True), ("gemma3:27b", True), ("crashes", False), ("0.11.0", False), ("on", False)]
)
def test_what_looks_like_a_model(text, model):
    assert is_model(text) is model


@given(st.text(alphabet=st.sampled_from("vllm serve-'\"\\{}$=;|/:1\n")))
def test_any_text(real, text):
    commands(real, f"vllm serve {text}")
    commands(real, f"docker run vllm/vllm-openai:{text}")


QWEN = "Qwen/Qwen3-8B"
SERVICE = """[Service]
User=llm
WorkingDirectory={home}/somebody/vllm
Environment="HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWx"
Environment=VLLM_API_KEY=topsecretvalue
ExecStart=/opt/vllm/bin/vllm serve Qwen/Qwen3-8B \\
    --tensor-parallel-size 2
"""


# Launchers in use, written from knowledge of Slurm's and Open MPI's manuals, of uv's and conda's command references, of TensorRT LLM's examples (mpirun with
# trtllm-llmapi-launch) and of ktransformers' README (python -m ktransformers.server.main).
@pytest.mark.parametrize(
    "text",
    [
        "uv run --with vllm vllm serve {model} -tp 2",
        "uvx vllm serve {model} -tp 2",
        "conda run -n vllm --no-capture-output python -m vllm.entrypoints.openai.api_server --model {model} -tp 2",
        "srun --nodes=1 --gres=gpu:2 python3 -m sglang.launch_server --model-path {model} --tp 2",
        "torchrun --nproc-per-node 2 -m sglang.launch_server --model-path {model} --tp 2",
        "mpirun -n 2 --allow-run-as-root trtllm-llmapi-launch trtllm-serve {model} --tp_size 2 --max_batch_size 8",
        "mpirun -n 2 trtllm-serve serve {model} --tp_size 2",
        "env HF_HUB_OFFLINE=1 vllm serve {model} -tp 2",
        "nohup vllm serve {model} -tp 2 > vllm.log 2>&1 &",
        "sudo -E docker run -d --gpus '\"device=0,1\"' -e HF_TOKEN=$HF_TOKEN vllm/vllm-openai:v0.11.0 --model {model} -tp 2",
        "docker run --gpus all `\n  -p 8000:8000 `\n  vllm/vllm-openai:v0.11.0 `\n  --model {model} `\n  -tp 2",
        "vllm serve {model} ^\n  --tensor-parallel-size 2 ^\n  --port 8000",
        "MODEL={model}; TP=2; vllm serve $MODEL --tensor-parallel-size $TP",
        "cd /opt && export MODEL={model} && vllm serve $MODEL -tp 2",
        'MODEL={model}\nEXTRA="--tensor-parallel-size 2 --port 1"\nvllm serve $MODEL $EXTRA',
        'ARGS=(\n  --model {model}\n  # two cards\n  --tensor-parallel-size 2\n)\npython -m vllm.entrypoints.openai.api_server "${{ARGS[@]}}"',
        "ARGS=(--tensor-parallel-size 1)\nARGS+=(--tensor-parallel-size 2)\nvllm serve {model} ${{ARGS[*]}}",
        SERVICE.replace("{home}", "/" + "home"),
        "vllm serve {model} -tp 2 --unheard-of " + "x" * 300_000,
        "(base) somebody@box:~$ vllm serve {model} -tp 2",
    ],
)
def test_what_stands_around_a_command(real, text):
    found = understand(text.replace("{model}", QWEN).replace("{{", "{").replace("}}", "}"), real.catalog)
    assert (found.model_id, found.facts["tensor_parallel"]) == ("qwen3-8b", 2)


def test_a_service_tells_no_secret(real):
    found = understand(SERVICE.replace("{home}", "/" + "home"), real.catalog)
    assert [secret for secret in ("hf_AbCd", "topsecret", "somebody") if secret in repr(found)] == []


def test_a_json_value_in_a_variable_is_one_word(real):
    found = understand("""S='{"method": "ngram", "num_speculative_tokens": 4}'\nvllm serve a/b-1 --speculative-config "$S\"""", real.catalog)
    assert found.facts == {"speculation.method": "ngram", "speculation.tokens": 4}


def test_a_comment_between_the_flags_ends_the_command(real):
    found = understand("vllm serve a/b-1 \\\n  -tp 2 \\\n  # the cache\n  --kv-cache-dtype fp8", real.catalog)
    assert found.facts == {"tensor_parallel": 2}
    assert [(note.value.split(":")[0], note.line) for note in found.notes] == [("a comment stands between the flags", 3)]


@pytest.mark.parametrize(
    ("text", "engine", "version"),
    [
        ("uvx --from vllm==0.11.0 vllm serve a/b-1", "vllm", "0.11.0"),
        ('pip install vllm==0.10.2 "transformers==4.56.0" --extra-index-url https://download.pytorch.org/whl/cu128', "vllm", "0.10.2"),
        ("RUN uv pip install --system sglang[all]==0.5.5", "sglang", "0.5.5"),
        ("$ pip install -U vllm", None, None),
        ("it is fixed by vllm==0.10.2, they say, install it", None, None),
    ],
)
def test_the_version_that_is_installed(real, text, engine, version):
    found = understand(text, real.catalog)
    assert (found.engine and found.engine.name, found.version and found.version.value) == (engine, version)


@pytest.mark.parametrize(
    ("text", "engine"),
    [
        ("python -m ktransformers.server.main --model_path a/b-1 --gguf_path ./g", "ktransformers"),
        ("python3 -m dynamo.vllm --model a/b-1 -tp 2", "vllm"),
        ("python3 -m dynamo.sglang --model-path a/b-1 --tp 2", "sglang"),
        ("python3 -m dynamo.trtllm --model-path a/b-1", "tensorrt-llm"),
    ],
)
def test_programs_that_start_an_engine_of_another_name(real, text, engine):
    found = understand(text, real.catalog)
    assert (found.engine.name, found.model.value) == (engine, "a/b-1")


def test_arrays_that_no_bracket_closes_cost_no_more_than_their_length(real):
    began = time.process_time()
    commands(real, "A=(\n" * 100_000)
    commands(real, ("A=(\n" + "x" * 100_000 + "\n") * 10)
    assert time.process_time() - began < 1


CHAINED = [
    ("BASE=google\nM=$BASE/gemma-3-27b-it\nvllm serve $M", "google/gemma-3-27b-it"),
    ("M=${BASE:-google}/gemma-3-27b-it\nvllm serve $M", "google/gemma-3-27b-it"),
    ("BASE=google\nM='$BASE/gemma-3-27b-it'\nvllm serve $M", "$BASE/gemma-3-27b-it"),  # a shell puts nothing into single quotes
]


@pytest.mark.parametrize(("text", "model"), CHAINED)
def test_a_variable_may_name_others(real, text, model):
    assert said(real, text)[1] == model


def test_variables_that_double_each_other_end(real):
    text = "A=xxxxxxxxxx\n" + "".join(f"{new}=${old}${old}\n" for old, new in zip("ABCDEFGHIJKLMNOPQRSTUVWXY", "BCDEFGHIJKLMNOPQRSTUVWXYZ", strict=True))
    began = time.process_time()
    commands(real, text + "vllm serve $Z")
    assert time.process_time() - began < 2


def test_the_page_reads_the_same_commands(real, tmp_path):
    tests = (test_a_command, test_of_a_flag_that_is_given_twice_the_last_counts, test_of_a_model_that_is_named_twice_that_counts_which_the_parser_takes)
    rows = [row for test in tests for mark in test.pytestmark if mark.name == "parametrize" for row in mark.args[1]]
    same_on_the_page(real, [*(text for text, *_ in rows), *PROTOTYPES, *(text for text, _ in CHAINED)], tmp_path)


PROTOTYPES = [
    "vllm serve constructor --toString 2 --dtype constructor --quantization valueOf --kv-cache-dtype __proto__",
    "__proto__=x/y-1\nconstructor=a/b-1\nvllm serve $constructor --constructor $toString -tp $valueOf",
    "model: constructor\nengine: constructor 1.0\nhardware: constructor\nconstructor==1.0\nengine: toString",
    "vllm serve a/b-1\nnon-default args: {'constructor': 'x', 'valueOf': 1}\nUsing constructor backend",
    "vllm serve a/b-1 --enable-prefix-caching constructor",
]
