"""What the lines of an engine's log prove: version, settings, backend, cache size, fallbacks, lack of memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from infercompat.answer.diagnose.flags import FlagTable
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, alike, once, reading
from infercompat.answer.diagnose.words import Flag, as_table, leaves
from infercompat.link import Catalog


class Sign(NamedTuple):
    """What a line tells, the engine that writes such lines (empty: any), words in the line, the pattern, and a value of its groups."""

    what: str
    engine: str
    words: str
    pattern: str
    value: str = "{0}"


SIGNS = (
    Sign("attention backend", "vllm", " backend", r"Using (?:AttentionBackendEnum\.)?([A-Z][A-Z0-9_]+) (?:attention )?backend\b"),
    Sign("attention backend", "vllm", " backend", r"Using (Flash ?Attention|FlashInfer|Triton|FlashMLA|Triton MLA|XFormers|Torch SDPA) backend\b"),
    Sign("FlashAttention version", "vllm", "FlashAttention version", r"Using FlashAttention version (\d)"),
    Sign("MoE backend", "vllm", "MoE backend", r"Using (\w+)(?: [\w-]+)? MoE backend"),
    Sign("architecture", "vllm", "Resolved architecture", r"Resolved architecture: (\w+)"),
    Sign("cache size in tokens", "vllm", "GPU KV cache size", r"GPU KV cache size: ([\d,]+) tokens"),
    Sign("concurrency", "vllm", "Maximum concurrency", r"Maximum concurrency for ([\d,]+) tokens per request: ([\d.]+)x", "{1}x at {0} tokens"),
    Sign("memory for the cache", "vllm", "Available KV cache memory", r"Available KV cache memory: ([\d.]+ GiB)"),
    Sign("memory for the cache", "vllm", "available KV cache memory", r"available KV cache memory \(([\d.]+ GiB)\)"),
    Sign("memory that the cache needs", "vllm", "KV cache is needed", r"([\d.]+ GiB) KV cache is needed"),
    Sign("longest sequence that fits", "vllm", "maximum model length", r"estimated maximum model length is ([\d,]+)"),
    Sign("memory of the weights", "vllm", "Model loading took", r"Model loading took ([\d.]+ Gi?B)"),
    Sign("cache blocks", "vllm", " blocks: ", r"# (?:GPU|cuda) blocks: (\d+)"),
    Sign("state blocks", "vllm", "Mamba cache blocks", r"max_num_seqs \((\d+)\) exceeds .{0,30}cache blocks \((\d+)\)", "{1} for {0} sequences"),
    Sign("cache type", "vllm", "to store kv cache", r"Using (\w+) data type to store kv cache"),
    Sign("fallback", "vllm", "has no vLLM implementation", r"(\w+ has no vLLM implementation, falling back to Transformers\b[^.]{0,60})"),
    Sign("fallback", "vllm", "does not have native support for FP", r"(does not have native support for FP\d computation[^.]{0,60})"),
    Sign("attention backend", "sglang", "Attention backend not", r"Attention backend not [a-z ]{1,30}\. Use (\w+) backend by default"),
    Sign("cache size in tokens", "sglang", "KV Cache is allocated", r"KV Cache is allocated\..{0,80}#tokens: (\d+)"),
    Sign("cache size in tokens", "sglang", "max_total_num_tokens=", r"max_total_num_tokens=(\d+)"),
    Sign("memory of the weights", "sglang", "Load weight end", r"Load weight end\..{0,200}mem usage=([\d.]+ GB)"),
    Sign("windowed cache", "sglang", "swa_layer_tokens=", r"full_layer_tokens=(\d+), swa_layer_tokens=(\d+)", "{0} tokens full, {1} windowed"),
    Sign("cache", "llama.cpp", "llama_kv_cache", r"kv_cache\w*: +size = +([\d.]+ MiB) \( *(\d+) cells, +(\d+) layers", "{0}: {1} cells, {2} layers"),
    Sign("context", "llama.cpp", "llama_context: n_ctx", r"llama_context: n_ctx +[=:] *(\d+)"),
    Sign("flash attention", "llama.cpp", "llama_context: flash_attn", r"llama_context: flash_attn +[=:] *(\w+)"),
    Sign("memory of the weights", "llama.cpp", "model buffer size", r"load_tensors: +(\w+) model buffer size = +([\d.]+ MiB)", "{1} on {0}"),
    Sign("layers on the device", "llama.cpp", "layers to GPU", r"offloaded (\d+/\d+) layers to GPU"),
    Sign("architecture", "llama.cpp", "general.architecture", r"general\.architecture str += (\w+)"),
    Sign("memory for the cache", "tensorrt-llm", "paged KV cache", r"Allocated ([\d.]+ Gi?B) for max tokens in paged KV cache"),
    Sign("cache size in tokens", "tensorrt-llm", "paged KV cache", r"for max tokens in paged KV cache \((\d+)\)"),
    Sign("memory of the weights", "tensorrt-llm", "for model weights", r"Use ([\d.]+ GB) for model weights"),
    Sign("window cut to the cache", "tensorrt-llm", "exceeds upper bound", r"Attention window size (\d+) exceeds upper bound (\d+)", "{0} to {1}"),
    Sign("peak memory", "mlx-lm", "Peak memory", r"Peak memory: ([\d.]+ GB)"),
    Sign("fallback", "", "alling back to ", r"([Ff]alling back to .{1,120})"),
    Sign("out of memory", "", "out of memory. Tried", r"(?:CUDA|HIP) out of memory\. Tried to allocate ([\d.]+ [KMG]iB)", "{0} more were asked for"),
)
VERSIONS = (
    ("vllm", "API server version", r"vLLM API server version (\d[\w.+]*)"),
    ("vllm", "LLM engine (v", r"LLM engine \(v(\d[\w.+]*)\)"),
    ("vllm", "vLLM Version", r"vLLM Version\s*: (\d[\w.+]*)"),
    ("llama.cpp", "build: ", r"\bbuild: (\d{3,}) \(([0-9a-f]{6,})\)"),
    ("llama.cpp", "version: ", r"^version: (\d{3,}) \(([0-9a-f]{6,})\)"),
    ("llama.cpp", "version: ", r"^version: [\w.-]{1,20} \(build (\d{3,}), commit ([0-9a-f]{6,})\)"),
    ("ollama", "ollama version is ", r"ollama version is v?(\d[\w.+-]*)"),
    ("tensorrt-llm", "LLM version: ", r"TensorRT[ -]LLM version: (\d[\w.+]*)"),
)
TRACES = (
    *(("vllm", f"/vllm/{part}/") for part in ("v1", "engine", "model_executor", "entrypoints", "worker", "attention", "config")),
    *(("sglang", "sglang/srt/"), ("tensorrt-llm", "tensorrt_llm/"), ("tensorrt-llm", "[TRT-LLM]"), ("tensorrt-llm", "[TensorRT-LLM]")),
    *(("ollama", 'msg="inference compute"'), ("ollama", "level=INFO source=routes.go")),
    *(("mlx-lm", "mlx_lm/"), ("llama.cpp", "llama_model_loader: "), ("llama.cpp", "llama_context: "), ("llama.cpp", "ggml_cuda_init: ")),
)
"""Paths and prefixes by which a log is known where no line names the engine."""

BACKENDS = {
    **{"Flash Attention": "FLASH_ATTN", "FlashAttention": "FLASH_ATTN", "FlashInfer": "FLASHINFER", "Triton": "TRITON_ATTN", "FlashMLA": "FLASHMLA"},
    **{"Triton MLA": "TRITON_MLA", "Torch SDPA": "TORCH_SDPA", "TRITON_ATTN_VLLM_V1": "TRITON_ATTN", "FLASH_ATTN_VLLM_V1": "FLASH_ATTN"},
}
"""Older names of vLLM's backends and those of today."""
KEYS = {"max_seq_len": "max_model_len", "model_tag": "model", "model_path": "model", "model_id": "model", "chunked_prefill_enabled": "enable_chunked_prefill"}
"""Arguments whose names in a log are not those of the flags."""
MOST_OF_A_KIND, MOST_LINES, LONGEST_LINE = 6, 500, 20_000

DUMPS = (
    ("vllm", "non-default args: ", re.compile(r"non-default args: (\{.*\})")),
    ("vllm", ") with config: ", re.compile(r"LLM engine \([^)]*\) with config: (.*)")),
    ("tgi", "text_generation_launcher: Args {", re.compile(r"text_generation_launcher: Args \{ (.*)")),
    ("ollama", 'msg="server config" env="map[', re.compile(r"env=\"map\[(.*)\]")),
    ("sglang", "server_args=ServerArgs(", re.compile(r"server_args=ServerArgs\((.*)\)")),
)
SOME = re.compile(r"\b(\w+): ?(?:Some\(([^()]*)\)|(\"[^\"]*\"|[\w.-]+(?![\w.:-])))")
"""A pair as Rust writes it, and as Go writes a map."""
PAIR = re.compile(r"\b(\w+)=('[^']*'|\"[^\"]*\"|[\w.+-]+)(?=[,) ]|$)")
SPECULATION = re.compile(r"SpeculativeConfig\(method='([\w-]+)'[^)]{0,400}?num_spec_tokens=(\d+)")
MODEL_FILES = (
    ("loaded meta data", re.compile(r"loaded meta data with .{0,80} from (\S{1,300}\.gguf)")),
    ("loading model", re.compile(r"loading model '([^']{1,300}\.gguf)")),
)


def read(lines: Lines, catalog: Catalog) -> Reading:
    """Everything that the log lines of a text prove, in the order of the lines, except lines that say the same again."""
    text = Text("\n".join(lines), once(lines))
    seen = [*_versions(text), *_settings(text, catalog), *_findings(text, catalog)]
    seen += [Seen("engine", engine, 3, number) for engine, words in TRACES for number in [next((number for number, _ in _holding(text, words)), 0)] if number]
    return reading(sorted(seen, key=lambda one: one.line))


class Text(NamedTuple):
    """The lines of a text as one, and each of them once, as `seen.once` has them."""

    whole: str
    there: bytes


def _holding(lines: Text, words: str) -> Iterator[tuple[int, str]]:
    """The first lines that hold some words, with their numbers."""
    if alike(words) not in lines.there:
        return
    text = lines.whole
    number, counted, at = 1, 0, text.find(words)
    for _ in range(MOST_LINES):
        if at < 0:
            return
        start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end
        number, counted = number + text.count("\n", counted, start), start
        yield number, text[start : min(end, start + LONGEST_LINE)]
        at = text.find(words, end)


def _versions(text: Text) -> Iterator[Seen]:
    for engine, words, pattern in VERSIONS:
        found = next(((number, match) for number, line in _holding(text, words) if (match := re.search(pattern, line))), None)
        if found:
            number, match = found
            yield Seen("engine", engine, 1, number)
            yield Seen("component", engine, f"b{match[1]}" if engine == "llama.cpp" else match[1], number)
            if match.re.groups > 1:
                yield Seen("build", engine, match[2], number)


def _settings(text: Text, catalog: Catalog) -> Iterator[Seen]:
    """What an engine prints of its own arguments at the start."""
    for engine, words, pattern in DUMPS:
        record = catalog.follow(engine)
        found = next(((number, match) for number, line in _holding(text, words) if (match := pattern.search(line))), None)
        if found and record is not None:
            yield from _arguments(FlagTable(record, catalog), found[1][1], found[0])
    for words, pattern in MODEL_FILES:
        yield from (Seen("model", "", match[1], number) for number, line in _holding(text, words) if (match := pattern.search(line)))


def _arguments(table: FlagTable, text: str, line: int) -> Iterator[Seen]:
    """The model and the facts of a dump. One that holds every argument tells nothing by those at their defaults."""
    arguments: dict[str, Any] = {}
    for name, value in _pairs(text):
        arguments.setdefault(name, value)  # a draft inside has arguments of the same names
    yield Seen("engine", table.engine.id, 1, line)
    chosen = table.engine.id == "vllm" and text.startswith("{")  # vLLM's dict holds what is not at its default
    model = next((arguments[name] for name in ("model", "model_path", "model_tag", "model_id") if arguments.get(name)), None)
    if model:
        yield Seen("model", "", str(model), line)
    flags = [Flag(name if name.isupper() else "--" + KEYS.get(name, name), value, line) for name, value in arguments.items() if value is not None]
    facts = [seen for flag in flags for seen in table.read(flag) if seen.kind == "fact" and (chosen or seen.value != table.default(seen.name))]
    if speculation := SPECULATION.search(text):
        facts += [Seen("fact", "speculation.method", speculation[1], line), Seen("fact", "speculation.tokens", int(speculation[2]), line)]
    yield Seen("options", table.engine.id, tuple(facts), line)


def _pairs(text: str) -> Iterator[tuple[str, Any]]:
    """The arguments of a dump: a dict in Python's or JSON's writing, else pairs of name and value."""
    table = as_table(text) if text.startswith("{") else None
    if table is not None:
        yield from leaves(table)
        return
    if SOME.match(text):
        yield from ((name, (some or plain).strip('"')) for name, some, plain in SOME.findall(text) if (some or plain).strip('"') not in ("None", ""))
        return
    for name, value in PAIR.findall(text):
        if value not in ("None", "''", '""'):
            yield name, value.strip("'\"")


def _findings(text: Text, catalog: Catalog) -> Iterator[Seen]:
    told: set[tuple[str, int]] = set()
    for sign in SIGNS:
        values: set[str] = set()
        for number, line in _holding(text, sign.words):
            match = re.search(sign.pattern, line)
            value = sign.value.format(*match.groups()).strip() if match else ""
            if not value or value in values or (sign.what, number) in told or len(values) == MOST_OF_A_KIND:
                continue
            values.add(value)
            told.add((sign.what, number))
            yield Seen("log", sign.what, _number(value), number)
            if sign.engine:
                yield Seen("engine", sign.engine, 2, number)
            if sign.what == "attention backend":
                yield from _backend(value, sign.engine, number, catalog)


def _backend(value: str, engine: str, line: int, catalog: Catalog) -> Iterator[Seen]:
    """The backend as a fact, where the engine's record knows it by that name."""
    record = catalog.follow(engine)
    known = {entry["name"] for entry in record.data.get("attention_backends", ())} if record else set()
    name = BACKENDS.get(value, value)
    if name in known:
        yield Seen("options", engine, (Seen("fact", "attention.backend", name, line),), line)


def _number(value: str) -> int | str:
    return int(value.replace(",", "")) if re.fullmatch(r"[\d,]{1,18}", value) and value.strip(",") else value
