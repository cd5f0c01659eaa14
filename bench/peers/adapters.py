"""One function a tool: the bytes of cache it answers. Runs inside the tool's own environment, which has nothing of this project.

    python adapters.py NAME < questions.json > answers.json

A question has `folder` (it holds config.json), `hubs` (published names, the first of which the local hub has), `tokens` and `dtype`.
A tool that declines raises, and what it says is kept as its reason.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

GIB = 1 << 30
Question = dict[str, Any]


class Declined(Exception):
    """The tool has no answer; the message says why."""


def config_of(question: Question) -> dict[str, Any]:
    return json.loads((Path(question["folder"]) / "config.json").read_text("utf-8"))


def dtype_of(question: Question, offered: dict[str, Any]) -> Any:
    """The tool's own word for the cache dtype."""
    if question["dtype"] not in offered:
        raise Declined(f"offers no {question['dtype']} cache")
    return offered[question["dtype"]]


def hf_mem(question: Question) -> float:
    """The function below its download step, given the part of the config that `hf_mem.run.arun` picks, under the same conditions."""
    from hf_mem.safetensors.kv_cache import compute_safetensors_kv_cache_size

    dtype = dtype_of(question, {"bf16": "BF16", "fp16": "F16", "fp8_e4m3": "F8_E4M3"})
    config = config_of(question)
    classes = " ".join(config.get("architectures", []))
    if "ForCausalLM" not in classes and "ForConditionalGeneration" not in classes:
        raise Declined("neither ...ForCausalLM nor ...ForConditionalGeneration")
    if "ForConditionalGeneration" in classes:
        config = config.get("text_config", config)
    if not {"hidden_size", "num_hidden_layers", "num_attention_heads"} <= set(config):
        raise Declined("the config lacks hidden_size, num_hidden_layers or num_attention_heads")
    return compute_safetensors_kv_cache_size(config=config, cache_dtype=dtype, max_model_len=question["tokens"])


def kvfit(question: Question) -> float:
    """The function below its download step."""
    from kvfit.architectures import estimate_cache

    size = dtype_of(question, {"bf16": 2.0, "fp16": 2.0, "fp8_e4m3": 1.0})
    return estimate_cache(config_of(question), context_tokens=question["tokens"], kv_bytes=size).total_bytes


@cache
def _llmfit_names() -> dict[str, str]:
    listed = json.loads(_llmfit("list"))
    return {entry["name"].lower(): entry["name"] for entry in listed}


def _llmfit(*arguments: str) -> str:
    command = [Path(sys.executable).with_name("llmfit"), *arguments, "--json"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def llmfit(question: Question) -> float:
    """Its command, asked by the first published name that its built-in list has."""
    dtype = dtype_of(question, {"bf16": "fp16", "fp16": "fp16", "fp8_e4m3": "fp8", "q8_0": "q8_0"})
    name = next((_llmfit_names()[hub.lower()] for hub in question["hubs"] if hub.lower() in _llmfit_names()), None)
    if name is None:
        raise Declined("not in its list of models")
    return planned(_llmfit("plan", name, "--context", str(question["tokens"])), dtype)


def planned(output: str, dtype: str) -> float:
    """The cache in the output of `llmfit plan --json`, which counts GiB."""
    return next(row["kv_cache_gb"] for row in json.loads(output)["kv_alternatives"] if row["kv_quant"] == dtype) * GIB


def hf_vram_calc(question: Question) -> float:
    """Its own reading of a local folder, and its cache formula; the command adds weights that take long to count."""
    from hf_vram_calc.calculator import VRAMCalculator
    from hf_vram_calc.config import ConfigManager
    from hf_vram_calc.parser import ConfigParser

    dtype = dtype_of(question, {"bf16": "bf16", "fp16": "fp16", "fp8_e4m3": "fp8"})
    config = ConfigParser.load_and_parse_config("model", question["folder"])
    return VRAMCalculator(ConfigManager()).calculate_kv_cache_memory(config, dtype, 1, question["tokens"]) * GIB


def whichllm(question: Question) -> float:
    """Its own look-up of a repository on the local hub, then its cache figure."""
    from whichllm.engine.vram import estimate_kv_cache
    from whichllm.models.hf import fetch_model_by_id

    dtype_of(question, {"bf16": 2, "fp16": 2})
    model = asyncio.run(fetch_model_by_id(question["hubs"][0]))
    if model is None:
        raise Declined("the catalog has no parameter count to give it")
    return estimate_kv_cache(model, question["tokens"])


def servcalc(question: Question) -> float:
    """Bytes a token as its capacity figures use them, times the tokens. The arithmetic is that of vramcalc, on which it rests."""
    from servcalc.work import kv_bytes_per_token
    from vramcalc.loaders import load_arch

    bits = dtype_of(question, {"bf16": 16, "fp16": 16, "fp8_e4m3": 8})
    return kv_bytes_per_token(load_arch(question["folder"]), bits) * question["tokens"]


def aiconfigurator(question: Question) -> float:
    """The cache of one sequence on one device, as its model classes give it."""
    from aiconfigurator_core.sdk import common, config
    from aiconfigurator_core.sdk.models import get_model

    mode = getattr(common.KVCacheQuantMode, dtype_of(question, {"bf16": "bfloat16", "fp16": "bfloat16", "fp8_e4m3": "fp8"}))
    one_device = config.ModelConfig(kvcache_quant_mode=mode, moe_tp_size=1, moe_ep_size=1)
    model = get_model(question["folder"], one_device, "vllm")
    return model.get_kvcache_bytes_per_sequence(question["tokens"])


def vramscout(question: Question) -> float:
    """The plan of its command for a repository on the local hub and a device of any size, less the parts that are no cache."""
    from vramscout.modern_v07 import plan_modern

    dtype = dtype_of(question, {"bf16": "bf16", "fp16": "fp16", "fp8_e4m3": "fp8"})
    plan = plan_modern(question["hubs"][0], context=question["tokens"], kv_dtype=dtype, vram_gib=1e6)
    return cache_parts(plan.parts_gib) * GIB


def cache_parts(parts: dict[str, float]) -> float:
    """The sum of a plan's parts that are caches or states."""
    others = {"Model weights / rank", "CUDA / runtime", "Prefill scratch", "Safety reserve"}
    return sum(size for name, size in parts.items() if name not in others)


def modelinfo_cli(question: Question) -> float:
    """Its footprint of a checkpoint whose tensors are not at hand, from the config beside it."""
    from modelinfo.calculator import calculate_footprint

    dtype_of(question, {"bf16": 2, "fp16": 2})
    config = config_of(question)
    if "num_hidden_layers" not in config:
        raise Declined("the config is nested, and the tensors that it reads instead are not at hand")
    return calculate_footprint({}, context_length=question["tokens"], config=config)["kv_cache_bytes"]


def ridgepoint(question: Question) -> float:
    """The function of its command for a repository on the local hub. Bytes a sequence do not depend on the device."""
    import ridgepoint

    dtype = dtype_of(question, {"bf16": "bf16", "fp16": "fp16", "fp8_e4m3": "fp8"})
    answer = ridgepoint.fit(question["hubs"][0], "h100-80gb", count=8, kv_cache_dtype=dtype, ctx=question["tokens"], as_json=True)
    return json.loads(answer)["capacity"]["bytes_per_seq"]


def answers(ask: Callable[[Question], float], questions: list[Question]) -> list[dict[str, Any]]:
    """For each question its bytes, or why there are none. What a tool prints goes to standard error."""
    found: list[dict[str, Any]] = []
    with contextlib.redirect_stdout(sys.stderr):
        for question in questions:
            try:
                size = round(ask(question))
                found.append({"bytes": size} if size > 0 else {"declined": "answers zero bytes"})
            except (Exception, SystemExit) as error:
                found.append({"declined": reason(error, question)})
    return found


def reason(error: BaseException, question: Question) -> str:
    """The first clause of what a tool said, without the model's own words, so that like reasons can be counted together."""
    said = (str(error).strip() or type(error).__name__).splitlines()[0]
    for own in (question["folder"], *question["hubs"]):
        said = said.replace(f"{own}: ", "").replace(own, "the model")
    if isinstance(error, KeyError):
        return f"the config lacks {said}"
    return re.split(r"[;:] ", re.sub(r"'[^']*'|\w+(For[A-Z]|Model\b)\w*", "…", said))[0][:120]


if __name__ == "__main__":
    json.dump(answers(globals()[sys.argv[1]], json.load(sys.stdin)), sys.stdout)
