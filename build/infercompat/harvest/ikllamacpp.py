"""ik_llama.cpp's convertible classes: its copy of llama.cpp's converter, which files made by llama.cpp's own need not go through."""

from __future__ import annotations

from infercompat.harvest import llamacpp
from infercompat.harvest.base import Harvester

HARVESTERS = (
    Harvester(
        engine="ik-llama.cpp",
        prefix="ik-llamacpp",
        what="conversion",
        title="Classes that the converter of ik_llama.cpp registers",
        url="https://github.com/ikawrakow/ik_llama.cpp/blob/{tag}/convert_hf_to_gguf.py",
        tag="{version}",
        read=llamacpp.read,
        repository="https://github.com/ikawrakow/ik_llama.cpp",
        least=40,
        complete=False,
        ending="conversion",
    ),
)
