"""What questions need and the tiny catalog leaves out: settings, attention backends, a cache policy, a way to serve, cards with memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from catalogs import ENGINE, REGISTRY, snapshot
from infercompat.link import link
from infercompat.products import Products
from infercompat.records import Document, Record

MET = "gotchas/enga/met.yaml"
CARD, BIG, OTHER = "hardware/card-base.yaml", "hardware/card-big.yaml", "hardware/card-other.yaml"

HEAD = """name: EngA
role: engine
repository: https://example.com/acme/enga
scheme: pep440
tasks: [generate]
platforms: [cuda, rocm, cpu]
cites: [{id: enga-registry}]
releases:
  - {version: "1.1.0", date: 2026-02-01, bundles: {libx: "2.0"}}
  - {version: "1.0.0", date: 2026-01-01, bundles: {libx: "1.0"}}
"""
SERVE = 'serve: {argv: [enga, serve, "{checkpoint}"], cites: [{id: enga-registry}]}\n'
SETTINGS = {
    "cache.dtype": "flag: --kv-dtype, default: auto, values: [auto, bfloat16, fp8_e4m3]",
    "attention.backend": "flag: --backend, default: auto",
    "prefix_caching": "flag: --disable-prefixes, default: true",
    "chunked_prefill": "flag: --chunked-prefill, default: true",
    "lora": 'flag: --enable-lora, default: false, since: "1.0.0"',
    "tensor_parallel": "flag: --tp, default: 1",
    "pipeline_parallel": "flag: --pp, default: 1",
    "max_model_len": "flag: --max-len, default: null",
    "gpu_memory_utilization": "flag: --share, default: 0.5",
    "speculation.method": "flag: --spec, json_key: method, default: null, values: [ngram, EAGLE]",
    "speculation.tokens": "flag: --spec, json_key: num_tokens, default: 3",
    "setting.disable_fast": "flag: --disable-fast, default: false",
    "setting.careful": "flag: --config.careful, default: false",
    "setting.mode": 'flag: --mode, default: auto, values: ["on", "off", auto]',
    "setting.quiet": "flag: ENGA_QUIET, default: null",
    "setting.in_a_file": "flag: file_key, default: null",
}
BACKENDS = {
    "FAST": "classes: [sm90, sm100], cache_dtypes: [auto, fp8_e4m3], head_dims: {list: [64, 128]}, kinds: [full, sliding], block_sizes: {multiple_of: 16}",
    "PLAIN": "classes: [cuda], cache_dtypes: [auto], head_dims: {any: true}, kinds: [full, sliding, chunked]",
    "NAMED": "classes: [sm100], cache_dtypes: [auto], head_dims: {max: 64, multiple_of: 32}",
}
SELECTION = "attention_selection:\n  - {when: {platform: cuda}, order: [FAST, PLAIN], cites: [{id: enga-registry}]}\n"
POLICY = """cache_policies:
  - algorithm: transformers-tensors/1
    title: Tensors that grow
    seen_at: ["1.1.0"]
    parameters: {}
    cites: [{id: enga-cache}]
"""
"""Two bytes for each element of K and V of each token, nothing set aside: 1,024 bytes a token of the plain model."""


def engine(settings: Mapping[str, str] | None = None, backends: Mapping[str, str] | None = None, more: str = "", head: str = HEAD) -> str:
    """An engine record; settings and backends as the insides of flow mappings."""
    text = head + more
    if settings:
        text += "settings:\n" + "".join(f"  {fact}: {{{entry}, cites: [{{id: enga-registry}}]}}\n" for fact, entry in settings.items())
    if backends:
        text += "attention_backends:\n" + "".join(f"  - {{name: {name}, {entry}, cites: [{{id: enga-cache}}]}}\n" for name, entry in backends.items())
    return text


def card(name: str, hardware_class: str = "sm100", vendor: str = "nvidia", more: str = "") -> str:
    return f"name: {name}\nvendor: {vendor}\nclass: {hardware_class}\ncites: [{{id: card-page}}]\n{more}"


NATIVES = tuple(f"about: {{architecture: {name}}}, holds: native" for name in ("TinyForCausalLM", "LlamaForCausalLM"))
BASE = {
    ENGINE: engine(SETTINGS, more=SERVE),
    REGISTRY: snapshot(*NATIVES, complete=True),
    CARD: card("A card"),
    BIG: card("A card with memory", more="visible_bytes: 10000000\nmemory_bytes: 11000000\nshared_memory_per_block_bytes: 4096\n"),
    OTHER: card("Another maker's card", "gfx942", "amd"),
}
"""The tiny catalog with an engine that has settings, and both models in its registry."""

ATTENDING = BASE | {ENGINE: engine(SETTINGS, BACKENDS, more=SERVE + SELECTION)}
HOLDING = BASE | {ENGINE: engine(SETTINGS, more=SERVE + POLICY)}

OPTIONS: dict[str, Any] = {
    **{"hardware": None, "gpus": 1, "tp": None, "length": None, "cache_dtype": None, "checkpoint": None, "from_config": None},
    **{"settings": (), "required": ()},
}
"""The options of `check` as the command hands them over, none given."""


def record(id: str, kind: str, data: dict[str, Any]) -> Record:
    """A record that stands in no file."""
    return Record(id, kind, data, Document(f"catalog/{id}.yaml", data, {}, {}, {}, ()))


def varied(products: Products, *records: Record, without: Iterable[str] = ()) -> Products:
    """The same products with records added or replaced, and some taken away."""
    gone = {*without, *(one.id for one in records)}
    kept = tuple(one for one in products.catalog.records.values() if one.id not in gone)
    return replace(products, catalog=link((*kept, *records), products.catalog.vocabulary))
