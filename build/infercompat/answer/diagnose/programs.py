"""The programs and containers that start an engine, each with the words by which a paste shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Program(NamedTuple):
    """The words that start an engine, its id, and the flags and variables that name the model; the first word that is no flag names it, too.

    `others` are engines that the same program starts, by a pattern of a word up to the program (its path, an image) or of a flag with its value.
    """

    words: tuple[str, ...]
    engine: str
    model_flags: tuple[str, ...] = ("--model",)
    others: Mapping[str, str] = {}


_VLLM = {
    **{r"\S*vllm-ascend": "vllm-ascend", r"\S*vllm-(?:gaudi|hpu)": "vllm-gaudi", r"\S*vllm-metal": "vllm-metal"},
    r"\S*vllm-tpu": "tpu-inference",
}
_SGLANG = {r"--kt-": "ktransformers"}
_SGLANG_MODEL = ("--model-path", "--model")
_LLAMA = {r"(?:-mla|-amb|-fmoe|-no-fmoe|-rtr|-ger|-ser|-khad|-vhad|-smgs|--mla-use|--run-time-repack|--k-cache-hadamard)=|\S*ik_llama": "ik-llama.cpp"}
_LLAMA_MODEL = ("--model", "-m", "-hf", "-hfr", "--hf-repo", "-mu", "--model-url", "LLAMA_ARG_MODEL", "LLAMA_ARG_HF_REPO", "LLAMA_ARG_MODEL_URL")
_LMDEPLOY = {r"--backend=pytorch": "lmdeploy-pytorch"}
PROGRAMS = (
    Program(("vllm", "serve"), "vllm", ("--model", "--model-tag"), _VLLM),
    Program(("vllm.entrypoints.openai.api_server",), "vllm", others=_VLLM),
    Program(("vllm.entrypoints.api_server",), "vllm", others=_VLLM),
    Program(("sglang.launch_server",), "sglang", _SGLANG_MODEL, _SGLANG),
    Program(("sglang", "serve"), "sglang", _SGLANG_MODEL, _SGLANG),
    Program(("kt", "run"), "ktransformers", ("--model-path",)),
    *(Program((words,), "ktransformers", ("--model_path",)) for words in ("ktransformers/server/main.py", "ktransformers.server.main", "ktransformers")),
    Program(("ktransformers.local_chat",), "ktransformers", ("--model_path",)),
    Program(("trtllm-serve", "serve"), "tensorrt-llm"),
    Program(("trtllm-serve",), "tensorrt-llm"),
    Program(("dynamo.vllm",), "vllm"),
    Program(("dynamo.sglang",), "sglang", _SGLANG_MODEL),
    Program(("dynamo.trtllm",), "tensorrt-llm", ("--model-path", "--model")),
    Program(("huggingfaceserver",), "vllm", ("--model_id", "--model_dir")),
    Program(("llama-server",), "llama.cpp", _LLAMA_MODEL, _LLAMA),
    Program(("llama-cli",), "llama.cpp", _LLAMA_MODEL, _LLAMA),
    *(Program((f"mlx_lm.{verb}",), "mlx-lm") for verb in ("server", "generate")),
    *(Program(("mlx_lm", verb), "mlx-lm") for verb in ("server", "generate")),
    *(Program((f"mlx_vlm.{verb}",), "mlx-vlm") for verb in ("server", "generate")),
    *(Program(("mlx_vlm", verb), "mlx-vlm") for verb in ("server", "generate")),
    *(Program(("ollama", verb), "ollama") for verb in ("serve", "run")),
    Program(("lmdeploy", "serve", "api_server"), "lmdeploy-turbomind", others=_LMDEPLOY),
    Program(("lmdeploy", "serve"), "lmdeploy-turbomind", others=_LMDEPLOY),
    Program(("text-generation-launcher",), "tgi", ("--model-id", "MODEL_ID")),
    Program(("mlc_llm", "serve"), "mlc-llm"),
    Program(("ovms",), "openvino-genai", ("--source_model", "--model_path", "--model_name")),
    Program(("optimum-cli", "export", "openvino"), "optimum-intel", ("--model", "-m")),
    Program(("transformers", "serve"), "transformers", ("--force-model", "--model")),
    Program(("tabbyAPI/main.py",), "exllamav3", ("--model-name",)),
)
IMAGES = (
    ("vllm/vllm-openai", "vllm serve"),
    ("vllm/vllm-tpu", ""),
    ("rocm/vllm", ""),
    ("intel/llm-scaler-vllm", ""),
    ("ascend/vllm-ascend", ""),
    ("lmsysorg/sglang", ""),
    ("tensorrt-llm/release", ""),
    ("ggml-org/llama.cpp", "llama-server"),
    ("openmmlab/lmdeploy", ""),
    ("huggingface/text-generation-inference", "text-generation-launcher"),
    ("ollama/ollama", "ollama serve"),
    ("openvino/model_server", "ovms"),
    ("theroyallab/tabbyapi", "tabbyAPI/main.py"),
)
"""Images of engines whose tag is the engine's version, and the program that is their entry point; where there is none the command names it."""

CONTAINERS = ("docker", "podman", "nerdctl")
STARTS = (*(" ".join(program.words) for program in PROGRAMS), *(f"{tool} run" for tool in CONTAINERS))
"""What a line must hold for a command to be looked for."""
