"""What the lines of an engine's log prove: version, settings, backend, cache size, fallbacks, lack of memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.answer.diagnose.words import Flag, as_table, leaves
from infercompat.link import Catalog


class Sign(NamedTuple):
    """What a line tells, the engine that writes such lines (empty: any), the pattern, and how the groups make a value."""

    what: str
    engine: str
    pattern: str
    value: str = "{0}"


SIGNS = (
    Sign("attention backend", "vllm", r"Using (?:AttentionBackendEnum\.)?([A-Z][A-Z0-9_]+) (?:attention )?backend\b"),
    Sign("attention backend", "vllm", r"Using (Flash ?Attention|FlashInfer|Triton|FlashMLA|Triton MLA|XFormers|Torch SDPA) backend\b"),
    Sign("FlashAttention version", "vllm", r"Using FlashAttention version (\d)"),
    Sign("MoE backend", "vllm", r"Using (\w+)(?: [\w-]+)? MoE backend"),
    Sign("architecture", "vllm", r"Resolved architecture: (\w+)"),
    Sign("cache size in tokens", "vllm", r"GPU KV cache size: ([\d,]+) tokens"),
    Sign("concurrency", "vllm", r"Maximum concurrency for ([\d,]+) tokens per request: ([\d.]+)x", "{1}x at {0} tokens"),
    Sign("memory for the cache", "vllm", r"Available KV cache memory: ([\d.]+ GiB)"),
    Sign("memory for the cache", "vllm", r"larger than the available KV cache memory \(([\d.]+ GiB)\)"),
    Sign("memory that the cache needs", "vllm", r"([\d.]+ GiB) KV cache is needed"),
    Sign("longest sequence that fits", "vllm", r"estimated maximum model length is ([\d,]+)"),
    Sign("memory of the weights", "vllm", r"Model loading took ([\d.]+ Gi?B)"),
    Sign("cache blocks", "vllm", r"# (?:GPU|cuda) blocks: (\d+)"),
    Sign("state blocks", "vllm", r"max_num_seqs \((\d+)\) exceeds available Mamba cache blocks \((\d+)\)", "{1} for max_num_seqs {0}"),
    Sign("cache type", "vllm", r"Using (\w+) data type to store kv cache"),
    Sign("fallback", "vllm", r"(\w+ has no vLLM implementation, falling back to Transformers\b[^\n.]{0,60})"),
    Sign("attention backend", "sglang", r"Attention backend not (?:explicitly )?(?:specified|set)\. Use (\w+) backend by default"),
    Sign("cache size in tokens", "sglang", r"KV Cache is allocated\.[^\n]{0,80}#tokens: (\d+)"),
    Sign("cache size in tokens", "sglang", r"max_total_num_tokens=(\d+)"),
    Sign("memory of the weights", "sglang", r"Load weight end\.[^\n]{0,200}mem usage=([\d.]+ GB)"),
    Sign("windowed cache", "sglang", r"full_layer_tokens=(\d+), swa_layer_tokens=(\d+)", "{0} tokens in full layers, {1} in windowed ones"),
    Sign("cache", "llama.cpp", r"llama_kv_cache\w*: +size = +([\d.]+ MiB) \( *(\d+) cells, +(\d+) layers", "{0}: {1} cells, {2} layers"),
    Sign("context", "llama.cpp", r"llama_context: n_ctx +[=:] *(\d+)"),
    Sign("flash attention", "llama.cpp", r"llama_context: flash_attn +[=:] *(\w+)"),
    Sign("memory of the weights", "llama.cpp", r"load_tensors: +(\w+) model buffer size = +([\d.]+ MiB)", "{1} on {0}"),
    Sign("layers on the device", "llama.cpp", r"offloaded (\d+/\d+) layers to GPU"),
    Sign("architecture", "llama.cpp", r"general\.architecture str += (\w+)"),
    Sign("memory for the cache", "tensorrt-llm", r"Allocated ([\d.]+ Gi?B) for max tokens in paged KV cache"),
    Sign("cache size in tokens", "tensorrt-llm", r"for max tokens in paged KV cache \((\d+)\)"),
    Sign("memory of the weights", "tensorrt-llm", r"Use ([\d.]+ GB) for model weights"),
    Sign("window cut to the cache", "tensorrt-llm", r"Attention window size (\d+) exceeds upper bound (\d+)", "{0} to {1}"),
    Sign("peak memory", "mlx-lm", r"Peak memory: ([\d.]+ GB)"),
    Sign("fallback", "", r"([Ff]alling back to [^\n]{1,120})"),
    Sign("out of memory", "", r"(?:CUDA|HIP) out of memory\. Tried to allocate ([\d.]+ [KMG]iB)", "{0} more were asked for"),
)
VERSIONS = (
    ("vllm", r"vLLM API server version (\d[\w.+]*)"),
    ("vllm", r"Initializing an? (?:V\d )?LLM engine \(v(\d[\w.+]*)\)"),
    ("vllm", r"vLLM Version\s*: (\d[\w.+]*)"),
    ("llama.cpp", r"(?:\bbuild|^version): (\d+) \([0-9a-f]{6,}\)"),
    ("tensorrt-llm", r"TensorRT[ -]LLM version: (\d[\w.+]*)"),
)
TRACES = (
    ("vllm", r"[/\\]vllm[/\\](?:v1|engine|model_executor|entrypoints|worker|attention|config)\b"),
    ("sglang", r"\bsglang[/\\]srt[/\\]"),
    ("tensorrt-llm", r"\btensorrt_llm[/\\]|\[TRT-LLM\]|\[TensorRT-LLM\]"),
    ("mlx-lm", r"\bmlx_lm[/\\]"),
    ("llama.cpp", r"\b(?:llama_model_loader|llama_kv_cache\w*|llama_context|load_tensors|ggml_cuda_init): "),
)
"""File paths and prefixes by which a log is known where no line names the engine."""

BACKENDS = {
    **{"Flash Attention": "FLASH_ATTN", "FlashAttention": "FLASH_ATTN", "FlashInfer": "FLASHINFER", "Triton": "TRITON_ATTN", "FlashMLA": "FLASHMLA"},
    **{"Triton MLA": "TRITON_MLA", "Torch SDPA": "TORCH_SDPA", "XFormers": "XFORMERS", "TRITON_ATTN_VLLM_V1": "TRITON_ATTN", "FLASH_ATTN_VLLM_V1": "FLASH_ATTN"},
}
"""Older names of vLLM's backends and those of today."""
KEYS = {"max_seq_len": "max_model_len", "model_tag": "model", "model_path": "model", "chunked_prefill_enabled": "enable_chunked_prefill"}
"""Arguments whose names in a log are not those of the flags."""
MOST_OF_A_KIND = 6

_PATTERNS = {sign: re.compile(sign.pattern, re.M) for sign in SIGNS}
_DUMPS = (
    ("vllm", re.compile(r"non-default args: (\{[^\n]{1,20000}\})")),
    ("vllm", re.compile(r"LLM engine \([^)\n]*\) with config: ([^\n]{1,20000})")),
    ("sglang", re.compile(r"server_args=ServerArgs\(([^\n]{1,20000})\)")),
)
_PAIR = re.compile(r"\b(\w+)=('[^'\n]*'|\"[^\"\n]*\"|[\w.+-]+)(?=[,) ]|$)")
_SPECULATION = re.compile(r"SpeculativeConfig\(method='([\w-]+)'[^)\n]{0,400}?num_spec_tokens=(\d+)")
_MODEL_FILE = re.compile(r"(?:loaded meta data with [^\n]{0,80} from|loading model) '?([^\s']{1,300}\.gguf)")


def read(lines: Lines, catalog: Catalog) -> Reading:
    """Everything that the log lines of a text prove, in the order of the lines, except lines that say the same again."""
    text = "\n".join(lines)
    starts = _Starts(text)
    seen = [*_versions(text, starts), *_settings(text, starts, catalog), *_findings(text, starts, catalog)]
    seen += [Seen("engine", engine, 3, starts.line(match.start())) for engine, pattern in TRACES if (match := re.search(pattern, text))]
    return reading(sorted(seen, key=lambda one: one.line))


class _Starts:
    """Finds the line of an offset, for offsets that are asked in any order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.known = [(0, 1)]

    def line(self, offset: int) -> int:
        start, number = max((entry for entry in self.known if entry[0] <= offset), default=(0, 1))
        number += self.text.count("\n", start, offset)
        if offset - start > 100_000:
            self.known.append((offset, number))
        return number


def _versions(text: str, starts: _Starts) -> Iterator[Seen]:
    for engine, pattern in VERSIONS:
        if match := re.search(pattern, text, re.M):
            line = starts.line(match.start(1))
            yield Seen("engine", engine, 1, line)
            yield Seen("component", engine, f"b{match[1]}" if engine == "llama.cpp" else match[1], line)


def _settings(text: str, starts: _Starts, catalog: Catalog) -> Iterator[Seen]:
    """What an engine prints of its own arguments at the start."""
    for engine, pattern in _DUMPS:
        record = catalog.follow(engine)
        match = pattern.search(text)
        if not match or record is None:
            continue
        line = starts.line(match.start(1))
        yield Seen("engine", engine, 1, line)
        arguments = dict(_pairs(match[1]))
        model = next((arguments[name] for name in ("model", "model_path", "model_tag") if arguments.get(name)), None)
        if model:
            yield Seen("model", "", str(model), line)
        table = FlagTable(record, catalog)
        facts = tuple(_facts(table, arguments, line))
        if speculation := _SPECULATION.search(match[1]):
            facts += (Seen("fact", "speculation.method", speculation[1], line), Seen("fact", "speculation.tokens", int(speculation[2]), line))
        yield Seen("options", engine, facts, line)
    if match := _MODEL_FILE.search(text):
        yield Seen("model", "", match[1], starts.line(match.start(1)))


def _pairs(text: str) -> Iterator[tuple[str, Any]]:
    """The arguments of a dump: a dict in Python's or JSON's writing, else pairs of name and value."""
    table = as_table(text) if text.startswith("{") else None
    if table is not None:
        yield from leaves(table)
        return
    for name, value in _PAIR.findall(text):
        if value not in ("None", "''", '""'):
            yield name, value.strip("'\"")


def _facts(table: FlagTable, arguments: dict[str, Any], line: int) -> Iterator[Seen]:
    """The facts of a dump. It holds every argument: those at their defaults tell nothing."""
    for name, value in arguments.items():
        if value is not None:
            flag = Flag("--" + KEYS.get(name, name), value, line)
            yield from (seen for seen in table.read(flag) if seen.kind == "fact" and seen.value != table.default(seen.name))


def _findings(text: str, starts: _Starts, catalog: Catalog) -> Iterator[Seen]:
    told: set[tuple[str, int]] = set()
    for sign, pattern in _PATTERNS.items():
        values: set[str] = set()
        for match in islice(pattern.finditer(text), 500):
            value = sign.value.format(*match.groups()).strip()
            if value in values or len(values) == MOST_OF_A_KIND:
                continue
            values.add(value)
            line = starts.line(match.start())
            if (sign.what, line) in told:
                continue
            told.add((sign.what, line))
            yield Seen("log", sign.what, _number(value), line)
            if sign.engine:
                yield Seen("engine", sign.engine, 2, line)
            if sign.what == "attention backend":
                yield from _backend(value, sign.engine, line, catalog)


def _backend(value: str, engine: str, line: int, catalog: Catalog) -> Iterator[Seen]:
    """The backend as a fact, where the engine's record knows it by that name."""
    record = catalog.follow(engine)
    known = {entry["name"] for entry in record.data.get("attention_backends", ())} if record else set()
    name = BACKENDS.get(value, value)
    if name in known:
        yield Seen("options", engine, (Seen("fact", "attention.backend", name, line),), line)


def _number(value: str) -> int | str:
    return int(value.replace(",", "")) if re.fullmatch(r"[\d,]+", value) and value.strip(",") else value
