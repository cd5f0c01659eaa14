"""The registry of facts: everything that a condition may ask about, declared once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection
from functools import cache
from typing import Literal

from msgspec import Struct
from packaging.version import InvalidVersion
from packaging.version import Version as DottedVersion

from infercompat.condition.values import MISSING, Missing, Range, Scalar, Value, is_number

FactType = Literal["bool", "int", "float", "word", "version", "any", "list"]
FactKind = Literal["given", "resolved", "derived", "workload"]

SCOPES = ("target.", "draft.", "vision.", "prefill.", "decode.")
STAGES = (".requested", ".resolved")
IDENTITY = frozenset({"model.id", "model.architecture", "model.family"})
"""Facts that say which model it is; what was tried on one value says nothing of the others."""
SETTING = re.compile(r"setting\.[a-z][a-z0-9_]*")
OF_COMPONENT = re.compile(r"([a-z0-9][a-z0-9.-]*)\.(version|has_pr)")
"""What is told of an engine, a library or a package by its id: flashinfer.version, vllm.has_pr."""
_COMMIT = re.compile(r"(?=.*[a-f])[0-9a-f]{7,40}")
_INF = float("inf")
UNTAGGED = frozenset({(0,), (0, 0), (0, 0, 0), (0, 1)})
"""What a build tool writes when it finds no tag: 0.1.devN, 0.0.0.devN. It says nothing about the code inside."""

_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "bool": bool,
    "int": int,
    "float": (int, float),
    "word": str,
    "version": str,
    "any": (bool, int, float, str),
    "list": (),
}
_IN_WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "word": "a word",
    "version": 'a quoted version such as "12.8"',
    "any": "a word, a number, true or false",
    "list": "a list, of which a relation asks any(…) or all(…)",
}


class Fact(Struct, frozen=True):
    """One declared fact.

    kind: `given` by the person, `resolved` by the engine's own rule, `derived` from model, hardware and memory, or `workload`: what
    is asked of the server, as a range. `values` closes a word's values here, `vocabulary` by a list of the catalog's vocabulary.
    `absent` is the value where nothing is said; where `part_of` names a feature, only while that feature is off. `up_to`: where nothing
    is said, anything from 1 to the first of these facts that is known can happen. `several`: a model can have more than one value at
    once, as a tuple. `told`: values are told one by one, so that one which was not told is unknown and not absent. `least` and `most`: what
    a number of it never lies below or above.
    """

    name: str
    type: FactType
    kind: FactKind
    meaning: str
    unit: str = ""
    values: tuple[str, ...] = ()
    vocabulary: str = ""
    absent: Value | Missing = MISSING
    part_of: str = ""
    up_to: tuple[str, ...] = ()
    several: bool = False
    told: bool = False
    least: int = 0
    most: float | None = None

    @property
    def span(self) -> Range:
        """Everything that it can be, where it is a number."""
        low = self.least if self.type in ("int", "float") else -_INF
        return Range(low, _INF if self.most is None else self.most)

    @property
    def numeric(self) -> bool:
        return self.type in ("int", "float", "any")

    @property
    def ordered(self) -> bool:
        """Whether a range can be asked for."""
        return self.numeric or self.type == "version"

    def complaint(self, value: object, words: Collection[str] = ()) -> str:
        """Why a condition cannot hold this fact against the value; empty where it can. `words`: the vocabulary list's words."""
        expected = _PYTHON_TYPES[self.type]
        if not isinstance(value, expected) or (isinstance(value, bool) and self.type not in ("bool", "any")):
            return f"{self.name} is {_IN_WORDS[self.type]}, not {_written(value)}"
        if self.type == "version" and self.read(value) is MISSING:
            return f"{self.name} is {_IN_WORDS['version']}, not {_written(value)}"
        allowed = self.values or words
        if allowed and value not in allowed:
            return f"{self.name} is never {_written(value)}; it is one of {', '.join(allowed)}"
        return ""

    def read(self, value: Value) -> Value | Missing:
        """The value as tests compare it. One that is not of the fact's type, such as "auto" for a number, tells nothing."""
        if value is None or isinstance(value, Range):
            return value
        if isinstance(value, tuple):
            items = tuple(self.read(item) for item in value)
            return MISSING if MISSING in items else items
        if self.type == "version":
            return read_version(str(value))
        fits = is_number(value) if self.type in ("int", "float") else isinstance(value, _PYTHON_TYPES[self.type])
        return value if fits else MISSING


def read_version(text: str) -> DottedVersion | Missing:
    """A version as conditions compare it: by PEP 440 without its local label, which names a build of the same source, or a build number
    such as b10488. Commits, images and nightlies without a tag have no order and tell nothing.
    """
    if _COMMIT.fullmatch(text):
        return MISSING  # PEP 440 would read the commit 4b12345 as a beta
    try:
        version = DottedVersion(text.removeprefix("b") if re.fullmatch(r"b\d+", text) else text)
    except InvalidVersion:
        return MISSING
    nameless = version.is_devrelease and version.pre is None and version.release in UNTAGGED
    return MISSING if nameless else DottedVersion(version.public)


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


_EITHER: tuple[Scalar, ...] = (False, True)

_MODEL = (
    Fact("model.id", "word", "given", "The id of the model's record."),
    Fact("model.architecture", "word", "derived", "The architecture class in config.json."),
    Fact("model.family", "word", "derived", "The publisher's family.", vocabulary="family"),
    Fact("model.window", "int", "derived", "The window or attention chunk; none where every layer sees all.", "tokens", several=True),
    Fact("model.heads", "int", "derived", "The query heads of an attention layer, as the config's text part counts them.", least=1),
    Fact("model.kv_heads", "int", "derived", "The heads that keep keys and values, for each kind of layer.", several=True),
    Fact("model.head_dim", "int", "derived", "The head width, for each kind of layer.", "elements", several=True, least=1),
    Fact("model.layers", "int", "derived", "How many decoder layers it has; in any(…) and all(…) the layers themselves.", least=1),
    Fact("model.mtp_layers", "int", "derived", "Layers for MTP that the config counts; 0 also where the checkpoint is its decoder alone.", "layers"),
    Fact("model.linears", "list", "derived", "The linear layers of its text decoder, each shape once."),
    Fact("model.context", "int", "derived", "The longest sequence that the config allows.", "tokens", least=1),
    Fact("weights.format", "word", "derived", "How the checkpoint stores its weights.", vocabulary="weight-format"),
    Fact("checkpoint.hub", "word", "derived", "The checkpoint's name on the hub, as the record writes it."),
    Fact("checkpoint.tuned", "word", "derived", "Whether the checkpoint is a base model, or what it was tuned for.", values=("base", "instruct", "reasoning")),
    Fact("checkpoint.kv_scales", "bool", "derived", "The checkpoint carries scales for a quantized cache."),
    Fact("checkpoint.draft_head", "bool", "derived", "The checkpoint carries a head that drafts tokens."),
    Fact("transformers.backend_compatible", "bool", "derived", "Its Transformers class can be run by an engine's modelling backend."),
    Fact("task", "word", "given", "What the server is started for.", vocabulary="task"),
)

_ATTENTION = (
    Fact("cache.dtype", "word", "resolved", "The element type of the KV cache, in units' spelling."),
    Fact("cache.k.dtype", "word", "resolved", "The element type of the cached keys."),
    Fact("cache.v.dtype", "word", "resolved", "The element type of the cached values."),
    Fact("query.dtype", "word", "resolved", "The element type in which queries reach the kernel."),
    Fact("attention.backend", "word", "resolved", "The attention backend, in the engine's spelling."),
    Fact("prefix_caching", "bool", "resolved", "Cached prefixes are reused between requests."),
    Fact("chunked_prefill", "bool", "resolved", "Long prompts are prefilled in pieces."),
    Fact("cuda_graphs", "word", "resolved", "The graph capture mode in lower case, none where it is off."),
    Fact("async_scheduling", "bool", "resolved", "The next step is scheduled while one runs."),
    Fact("block_size", "int", "derived", "The tokens in one cache block.", "tokens", least=1),
    Fact("num_blocks", "int", "derived", "The cache blocks that fit.", "blocks"),
)

_OPTIONAL = (
    Fact("speculation.method", "word", "given", "How tokens are drafted, such as mtp, eagle or ngram; none where off.", absent="none"),
    Fact("speculation.tokens", "int", "given", "Tokens drafted a step.", "tokens", absent=0, part_of="speculation.method"),
    Fact(
        "speculation.query_length",
        "int",
        "derived",
        "Query tokens of a sequence in one verification: the drafted ones and one more.",
        "tokens",
        absent=1,
        part_of="speculation.method",
    ),
    Fact(
        "speculation.draft_kind",
        "word",
        "derived",
        "What drafts: head, model or ngram; none where off.",
        absent="none",
        part_of="speculation.method",
    ),
    Fact("lora", "bool", "given", "LoRA adapters are served.", absent=False),
    Fact(
        "disaggregation",
        "word",
        "given",
        "What this server does where prefill and decode run on separate ones; none where one does both.",
        values=("none", "prefill", "decode"),
        absent="none",
    ),
    Fact("kv_connector", "word", "given", "What moves cache between servers or stores; none where off.", absent="none"),
    Fact("kv_offload", "bool", "given", "Cache blocks are moved to host memory or disk.", absent=False),
)

_SCALE = (
    Fact("tensor_parallel", "int", "resolved", "The ranks that share each layer.", "ranks", least=1),
    Fact("pipeline_parallel", "int", "resolved", "The stages that the layers are cut into.", "ranks", least=1),
    Fact("data_parallel", "int", "resolved", "The replicas that share one front end.", "ranks", least=1),
    Fact("expert_parallel", "int", "resolved", "The ranks that share the experts; 1 where off.", "ranks", least=1),
    Fact("max_model_len", "int", "resolved", "The longest sequence that the server accepts.", "tokens", least=1),
    Fact("max_num_seqs", "int", "resolved", "The most sequences in one step.", "sequences", least=1),
    Fact("max_num_batched_tokens", "int", "resolved", "The most tokens in one step.", "tokens", least=1),
    Fact("gpu_memory_utilization", "float", "resolved", "The share of device memory that the engine may take, 0 to 1.", most=1),
)

_WORKLOAD = (
    Fact(
        "sequence_length",
        "int",
        "workload",
        "Tokens of one sequence, prompt and answer.",
        "tokens",
        up_to=("max_model_len", "model.context"),
    ),
    Fact("batch_size", "int", "workload", "Sequences that run together.", "sequences", absent=Range(1, _INF), up_to=("max_num_seqs",)),
    Fact("phase", "word", "workload", "Prefill or decode.", values=("prefill", "decode"), absent=("prefill", "decode")),
    Fact("requests_served", "int", "workload", "Requests since the start.", "requests", absent=Range(0, _INF)),
    Fact("prompt.image", "bool", "workload", "Prompts hold images.", absent=_EITHER),
    Fact("prompt.images", "int", "workload", "Images in one prompt; no more than one unless said.", "images", absent=1),
    Fact("prompt.audio", "bool", "workload", "Prompts hold audio.", absent=_EITHER),
    Fact("prompt.repeated_prefix", "bool", "workload", "Prompts begin with text that was served before.", absent=_EITHER),
    Fact("request.structured_output", "bool", "workload", "Answers are held to a schema or a grammar; off unless said.", absent=False),
    Fact("request.embeddings", "bool", "workload", "Requests give embeddings in place of tokens; off unless said.", absent=False),
    Fact("request.transcription_prompt", "bool", "workload", "Sound comes with a text that went before it; off unless said.", absent=False),
    Fact("request.weight_updates", "bool", "workload", "Weights are replaced while the server runs; off unless said.", absent=False),
    Fact("request.tools", "bool", "workload", "Requests offer tools to call; off unless said.", absent=False),
    Fact(
        "request.endpoint",
        "word",
        "workload",
        "The interface that requests come by.",
        values=("chat", "completions", "responses", "messages", "embeddings"),
    ),
    Fact("request.streaming", "bool", "workload", "Answers are sent in pieces as they come.", absent=_EITHER),
)

_MACHINE = (
    Fact("platform", "word", "derived", "The compute platform.", vocabulary="platform"),
    Fact("hardware.id", "word", "given", "The id of the hardware's record."),
    Fact("hardware.class", "word", "derived", "The compute capability or device class.", vocabulary="hardware-class"),
    Fact("hardware.memory_bytes", "int", "derived", "The memory of one device that a program can see.", "bytes"),
    Fact("hardware.shared_memory_per_block_bytes", "int", "derived", "The most shared memory that one thread block can use.", "bytes"),
    Fact(
        "compute.api",
        "word",
        "given",
        "The interface through which the engine's build reaches the device, where a device has more than one.",
        values=("cuda", "hip", "vulkan", "metal", "sycl", "opencl", "cpu"),
    ),
    Fact("container", "word", "given", "The container image, with its tag."),
    Fact("os", "word", "given", "The operating system, such as linux, windows or wsl2."),
    Fact("cuda.version", "version", "resolved", "The CUDA toolkit that the engine was built with."),
    Fact("rocm.version", "version", "resolved", "The ROCm release that the engine was built with."),
    Fact("driver.version", "version", "given", "The version of the device driver."),
    Fact("flashinfer-cubin.version", "version", "given", "FlashInfer's package of compiled kernels; none where it is not installed.", absent=None),
    Fact("flashinfer-jit-cache.version", "version", "given", "FlashInfer's package of kernels built ahead; none where it is not installed.", absent=None),
)

FACTS: dict[str, Fact] = {fact.name: fact for fact in (*_MODEL, *_ATTENTION, *_OPTIONAL, *_SCALE, *_WORKLOAD, *_MACHINE)}


@cache
def lookup(name: str) -> Fact | None:
    """The declaration behind a name, whatever its scope and stage.

    The open family `setting.<snake_case>` takes any value; `<id>.version` and `<id>.has_pr` are told of engines, libraries and packages.
    """
    for spelling in spellings(name):
        if spelling in FACTS:
            return FACTS[spelling]
        if SETTING.fullmatch(spelling):
            return Fact(spelling, "any", "given", "An engine's setting, by its own name.")
        if (match := OF_COMPONENT.fullmatch(spelling)) and not _scope(spelling):
            return _of_component(spelling, match[2])
    return None


def _of_component(name: str, what: str) -> Fact:
    if what == "version":
        return Fact(name, "version", "given", "The version of an engine, a library or a package, by its id.")
    return Fact(name, "int", "given", "Numbers of merged changes that a build holds; of others nothing is known.", several=True, told=True)


def component_of(name: str) -> str | None:
    """The id in a fact such as flashinfer.version that is not declared by name; None for any other fact."""
    fact = lookup(name)
    match = OF_COMPONENT.fullmatch(fact.name) if fact and fact.name not in FACTS and not SETTING.fullmatch(fact.name) else None
    return match and match[1]


@cache
def spellings(name: str) -> tuple[str, ...]:
    """The names under which a fact is looked for: as written, then without its stage, its scope, and both."""
    bare = name.removesuffix(_stage(name))
    return tuple(dict.fromkeys((name, bare, name.removeprefix(_scope(name)), bare.removeprefix(_scope(name)))))


def nearest(name: str, count: int = 3) -> list[str]:
    """Declared facts whose names are close to one that is not, closest first, in the same scope."""
    scope = _scope(name)
    close = difflib.get_close_matches(name.removeprefix(scope).removesuffix(_stage(name)), FACTS, n=count)
    return [scope + found for found in close]


def _scope(name: str) -> str:
    return next((scope for scope in SCOPES if name.startswith(scope)), "")


def _stage(name: str) -> str:
    return next((stage for stage in STAGES if name.endswith(stage)), "")
