"""The calculators that are asked: the release, what each takes, and what it does not claim to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """`name` is the package's name and, with underscores, the function in adapters.py. `asked` says how it was run."""

    name: str
    version: str
    takes: str
    asked: str
    limits: str


@dataclass(frozen=True)
class LeftOut:
    """A tool that was looked at and has no answer to compare."""

    name: str
    version: str
    why: str


TOOLS = (
    Tool(
        "hf-mem",
        "0.5.6",
        "A repository of the hub, with safetensors or GGUF files.",
        "The hub's address is fixed in its code, so the function below the download was called on the config.",
        "Calls its cache figure experimental. Of a model with full and windowed layers it reports an upper bound, every layer at full "
        "length. No latent, no state, no shared layers.",
    ),
    Tool(
        "kvfit",
        "0.3.0",
        "A repository of the hub; the architectures that it knows, and no others.",
        "The hub's address is fixed in its code, so the function below the download was called on the config.",
        "Declines every architecture whose cache it does not know. Counts what the model needs, not what an engine allocates, and says so. "
        "States of Gated DeltaNet are in fp32.",
    ),
    Tool(
        "llmfit",
        "1.1.17",
        "The name of a model in its built-in list; no config.",
        "Its command, offline, by the first published name that the list has.",
        "Recommends models for a machine; the cache is one term of an estimate. Fixed state of recurrent layers is in an overhead.",
    ),
    Tool(
        "hf-vram-calc",
        "1.0.9",
        "A repository of the hub or a local folder; needs PyTorch and Transformers.",
        "Its reader and its formula on a local folder, offline.",
        "One formula for every model: heads of hidden size over heads, all layers full. Claims nothing of windows, latents or states.",
    ),
    Tool(
        "whichllm",
        "0.5.21",
        "A repository of the hub: name, architecture, parameters.",
        "Its look-up of a repository, on a hub of this machine that HF_ENDPOINT names, then its cache figure.",
        "Ranks models for a machine. The cache follows from the number of parameters by one coefficient, and from windows for four families.",
    ),
    Tool(
        "servcalc",
        "0.1.0",
        "A local config.json; llama, mistral, qwen2, gemma and gemma2 alone.",
        "Bytes a token as its capacity uses them, times the tokens; offline. vramcalc does the arithmetic.",
        "Predicts throughput and capacity of one device. Windows are counted in full, and its documentation says so.",
    ),
    Tool(
        "aiconfigurator",
        "0.12.0",
        "A local folder or a repository; the architectures that it models.",
        "Its model class on a local folder, one device, offline.",
        "Searches deployments by speed; memory is a constraint there. Follows the layouts of engines, such as an index in 8 bits.",
    ),
    Tool(
        "vramscout",
        "0.7.0",
        "A local folder or a repository.",
        "Its plan for a repository on a hub of this machine, less weights, runtime, scratch and reserve; no engine named.",
        "Lists the families it was checked on; any other model is read as plain attention over all layers.",
    ),
    Tool(
        "modelinfo-cli",
        "1.4.4",
        "A checkpoint file or a repository.",
        "Its footprint function on the config alone; offline.",
        "Where the config is nested it reads the shapes of tensors, which it was not given. All layers full, 16 bits.",
    ),
    Tool(
        "ridgepoint",
        "0.1.2",
        "A repository of the hub or a built-in name.",
        "The function of its command for a repository on a hub of this machine.",
        "Sizes serving on vLLM and llama.cpp. Where a config lists layer types, the full layers alone are counted, neither windows nor states.",
    ),
)

LEFT_OUT = (
    LeftOut(
        "gguf-parser",
        "0.1.1",
        "reads the header of a GGUF file and computes no memory; the Go program of that name is another and comes in no Python package",
    ),
    LeftOut("vramcalc", "0.1.2", "servcalc rests on it and gives its figure, so it would be the same column twice"),
)
