"""Devices by the labels of nodes: what Kubernetes manifests, node descriptions and Ray configurations call an accelerator, and how many they ask for."""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.answer.diagnose.machines import Device
from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.link import Catalog

_LABELS = r"(?:nvidia\.com/gpu\.product|amd\.com/gpu\.product-name|cloud\.google\.com/gke-accelerator|accelerator_type)"
LABELLED = re.compile(rf".{{0,80}}?{_LABELS}[\"']?\s*[:=]\s*[\"']?([A-Za-z][\w.-]{{1,60}})")
KEY = re.compile(rf"\s*-?\s*key:\s*[\"']?{_LABELS}[\"']?\s*$")
VALUE = re.compile(r"\s*(?:values:\s*\[\s*|-\s+)[\"']?([A-Za-z][\w.-]{3,60})[\"']?\s*(?:[\],].*)?$")
COUNT = re.compile(r".{0,80}?(?:(?:nvidia|amd)\.com/gpu(?:\.count)?|requestGPU)[\"']?\s*[:=]\s*[\"']?(\d{1,3})\b")
WORDS = ("gpu.product", "gke-accelerator", "accelerator_type")
COUNTED = ("nvidia.com/gpu", "amd.com/gpu", "requestGPU")
NEAR = 6
"""How many lines below a label's name its values stand."""


def read(lines: Lines, catalog: Catalog) -> Reading:
    """The devices that labels name, as many as the same text asks for."""
    places = sorted(holding(lines, WORDS))
    if not places:
        return reading([])
    counts = [int(match[1]) for place in sorted(holding(lines, COUNTED)) if len(lines[place]) < 400 and (match := COUNT.match(lines[place]))]
    seen: list[Seen] = []
    for place in places:
        if len(lines[place]) < 400:
            for name, line in _names(lines, place):
                text = re.sub(r"[-_]", " ", name.removesuffix("-SHARED"))
                seen += [Seen("device", "", Device(text, str(index)), line) for index in range(max([1, *counts]))]
    return reading(seen)


def _names(lines: Lines, place: int) -> Iterator[tuple[str, int]]:
    if match := LABELLED.match(lines[place]):
        yield match[1], place + 1
    elif KEY.match(lines[place]):
        for below in range(place + 1, min(place + NEAR, len(lines))):
            if match := VALUE.match(lines[below]):
                yield match[1], below + 1
