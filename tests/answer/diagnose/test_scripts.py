"""Scripts, launchers and services around a serve command: what a shell makes of them."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand

MODEL = "Qwen/Qwen3-8B"
SERVICE = """[Service]
User=llm
WorkingDirectory={home}/somebody/vllm
Environment="HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWx"
Environment=VLLM_API_KEY=topsecretvalue
ExecStart=/opt/vllm/bin/vllm serve Qwen/Qwen3-8B \\
    --tensor-parallel-size 2
"""


# The launchers are those of Slurm's and Open MPI's manuals, of uv's and conda's command references, of TensorRT LLM's examples (mpirun with
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
    found = understand(text.replace("{model}", MODEL).replace("{{", "{").replace("}}", "}"), real.catalog)
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
