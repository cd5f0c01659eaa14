"""The smallest records that pass; the examples of rules are these, with one thing changed."""

from __future__ import annotations

CITATION = """
# catalog/citations/example.com/report.yaml
title: A report
url: https://example.com/report
type: article
publisher: example
"""
USE = """
# catalog/requirements/windowing.yaml
name: Windowing
summary: Attends to the last tokens only.
concept: true
cites: [{id: report}]
"""
CITED = CITATION + USE
"""A citation that some record uses."""
CARD = """
# catalog/hardware/card-a.yaml
name: A card
vendor: nvidia
class: sm90
cites: [{id: card-page}]
"""
MODEL = """
# catalog/models/acme/tiny-model.yaml
name: Tiny
family: gemma
architecture: LlamaForCausalLM
checkpoints: [{hub: acme/tiny, format: bf16}]
config:
  basis: official
  cites: [{id: tiny-config}]
  values: {model_type: llama, num_hidden_layers: 2, num_attention_heads: 4, num_key_value_heads: 2, head_dim: 64, hidden_size: 256}
"""
SNAPSHOT = """
# catalog/support/enga/enga-1-0-0.yaml
engine: enga
version: "1.0.0"
title: The registry
cites: [{id: enga-registry}]
read_on: 2026-01-02
claims:
  - {about: {architecture: TinyForCausalLM}, holds: native, at: L3}
"""
GOTCHA = """
# catalog/gotchas/enga/slow-start.yaml
title: Starts slowly
engine: enga
symptom: performance-cliff
severity: minor
detectability: loud-at-init
affects: {all: [{engine: enga, observed: ["1.0.0"]}]}
hardware: {scope: any}
workarounds: []
status: open
read_on: 2026-01-02
evidence:
  - {id: enga-issue-1, strength: single-report, shows: The start takes minutes.}
"""
ENGINE = """
# catalog/engines/enga.yaml
name: EngA
role: engine
repository: https://example.com/acme/enga
scheme: pep440
releases: [{version: "1.1.0", date: 2026-02-01}, {version: "1.0.0", date: 2026-01-01}]
builds:
  - {platform: cuda, seen_at: ["1.0.0"], classes: [sm90], cites: [{id: enga-registry}]}
"""
TABLED = (
    ENGINE
    + """attention_tables: [{version: "1.1.0", cites: [{id: enga-registry}]}, {version: "1.0.0", cites: [{id: enga-registry}]}]
attention_backends:
  - {name: FAST, classes: [sm90], kinds: [full], cites: [{id: enga-registry}]}
  - {name: FAST, version: "1.0.0", classes: [sm90], kinds: [full], cites: [{id: enga-registry}]}  # here
"""
)
"""An engine whose backends were read at two versions."""
FLIPPED = (
    ENGINE
    + """settings:
  setting.eager:
    flag: --eager
    default: true
    defaults: [{when: {enga.version: {below: "1.1.0"}}, value: false}, {value: true}]
    cites: [{id: enga-registry}]
"""
    + GOTCHA
)
"""A gotcha, and an engine one of whose defaults flipped."""
RECIPE = """
# catalog/recipes/enga/tiny-on-enga.yaml
name: Tiny on EngA
engine: enga
models: [tiny-model]
version: "1.0.0"
flags:
  - {argv: [--parser, tiny], for: tools, why: Reads its tool calls., cites: [{id: enga-registry}]}
cites: [{id: enga-registry}]
"""
MEASUREMENT = """
# catalog/measurements/tiny-cache.yaml
name: Cache of the tiny model
model: tiny-model
method: derived
metric: cache.ideal.bytes
unit: B
reproducible: true
cites: [{id: tiny-config}]
"""


def changed(example: str, *changes: tuple[str, str]) -> str:
    """An example with stretches of it changed, each of which stands there once.

    Raises:
        ValueError: a stretch stands there never or more than once.
    """
    for old, new in changes:
        if example.count(old) != 1:
            raise ValueError(f"{old!r} stands {example.count(old)} times in the example")
        example = example.replace(old, new)
    return example
