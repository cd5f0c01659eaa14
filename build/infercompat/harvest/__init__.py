"""Harvest: support claims read out of an engine's released tree by program, each with its line. A new engine is one module."""

from __future__ import annotations

from infercompat.harvest import (
    exllamav3,
    flashinfer,
    ikllamacpp,
    ktransformers,
    llamacpp,
    llamacppgraph,
    lmdeploy,
    mlcllm,
    mlxlm,
    mlxvlm,
    ollama,
    onnxruntimegenai,
    openvinogenai,
    optimumintel,
    sglang,
    sglangmodels,
    sglangsettings,
    tensorrtllm,
    tgi,
    tpuinference,
    transformers,
    vllm,
    vllmascend,
    vllmattention,
    vllmforced,
    vllmgaudi,
    vllmmetal,
    vllmmodels,
    vllmpages,
)
from infercompat.harvest.base import Harvester, Refused, Tree

MODULES = (
    vllm,
    vllmpages,
    vllmattention,
    vllmforced,
    vllmmodels,
    sglang,
    sglangsettings,
    sglangmodels,
    llamacpp,
    llamacppgraph,
    ikllamacpp,
    mlxlm,
    mlxvlm,
    transformers,
    tensorrtllm,
    lmdeploy,
    exllamav3,
    tgi,
    ktransformers,
    mlcllm,
    ollama,
    onnxruntimegenai,
    openvinogenai,
    optimumintel,
    vllmascend,
    vllmgaudi,
    vllmmetal,
    tpuinference,
    flashinfer,
)
"""One module an engine, or a source of one; the first harvester of an engine reads its registry."""

SOURCES: dict[str, tuple[Harvester, ...]] = {}
"""Engine to everything that is read of it, its registry first."""
for _module in MODULES:
    for _harvester in _module.HARVESTERS:
        SOURCES[_harvester.engine] = (*SOURCES.get(_harvester.engine, ()), _harvester)

HARVESTERS: dict[str, Harvester] = {engine: harvesters[0] for engine, harvesters in SOURCES.items()}
"""Engine to the harvester of its registry."""

__all__ = ["HARVESTERS", "MODULES", "SOURCES", "Harvester", "Refused", "Tree"]
