"""Harvest: support claims read out of an engine's released tree by program, each with its line. A new engine is one module."""

from __future__ import annotations

from infercompat.harvest import llamacpp, mlxlm, sglang, transformers, vllm
from infercompat.harvest.base import Harvester, Refused, Tree

HARVESTERS: dict[str, Harvester] = {harvester.engine: harvester for module in (vllm, sglang, llamacpp, mlxlm, transformers) for harvester in module.HARVESTERS}

__all__ = ["HARVESTERS", "Harvester", "Refused", "Tree"]
