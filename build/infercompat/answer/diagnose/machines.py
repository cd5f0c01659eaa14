"""The hardware of a machine: what nvidia-smi, rocm-smi, environment reports and llama.cpp print of devices and drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from infercompat.answer.diagnose.seen import Lines, Reading, Seen, reading
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.units import format_bytes


class Device(NamedTuple):
    """A device as a tool names it. `index` tells it from its likes in one machine; `mebibytes` is what the tool says of its memory."""

    name: str
    index: str
    mebibytes: int | None = None


_NAME = r"((?:NVIDIA|Tesla|Quadro|GeForce|AMD|Radeon|Apple|Intel)\b[\w +()/.-]{1,60}?)"
SMI_ROW = re.compile(rf"\|\s+(\d+)\s+{_NAME}\s{{2,}}(?:\w+\s+)?\|")
SMI_SHORT = re.compile(r"\|\s+(\d+)\s+((?:NVIDIA|Tesla|GeForce)[\w .-]{3,40}?)\s+(?:On|Off)\s+\|")
SMI_MEMORY = re.compile(r"\|[^|]*\|\s*\d+MiB\s*/\s*(\d+)MiB\s*\|")
LISTED = re.compile(rf"\s*GPU ([\d,]+)\s*:\s+{_NAME}(?:\s+\(UUID.*)?\s*$")
QUERIED = re.compile(rf"\s*(?:(\d+),\s*)?{_NAME},\s*(\d+) MiB(?:,.*)?$")
ROCM = re.compile(r"GPU\[(\d+)\]\s*:\s*(?:Card [Ss]eries|Device Name|Card [Mm]odel)\s*:\s*((?:AMD|Radeon|Instinct|MI\d)[\w +()/.-]{1,60}?)\s*$")
MARKETING = re.compile(r"\s*(?:Marketing Name|MARKET_NAME)\s*:\s+((?:AMD|Radeon|Instinct)[\w +()/.-]{1,60}?)\s*$")
PROCESSOR = re.compile(r"EPYC|Ryzen|Threadripper|Processor")
LLAMA = re.compile(rf"\s*(?:\S+\s+\w\s+)?Device (\d+): {_NAME}, (?:compute capability|gfx)")
METAL = re.compile(r".{0,40}\bGPU name:\s+(Apple M\d[\w ]{0,12}?)\s*(?:\(|$)")
DRIVER = re.compile(r".{0,60}?(?:Driver Version|Nvidia driver version|CUDA Driver Version)\s*:\s*(\d+(?:\.\d+)+)")
TOOLKIT = re.compile(r"\s*CUDA used to build PyTorch\s*:\s*(\d+(?:\.\d+)+)")
SYSTEM = re.compile(r"OS\s*:\s*(\S.*)")
FRAME = re.compile(r"\s*[|+].*[|+]\s*$")
MARKS = ("NVIDIA", "Tesla", "Quadro", "GeForce", "AMD", "Radeon", "Instinct", "MI", "Apple", "Intel", "river ", "CUDA used", "OS")
"""What a line must hold to be looked at."""
SYSTEMS = (("wsl", "wsl2"), ("windows", "windows"), ("mac", "macos"), ("darwin", "macos"))

NO_PART = frozenset(
    {
        *("nvidia", "geforce", "tesla", "quadro", "amd", "instinct", "radeon", "apple", "intel", "gpu", "generation", "edition"),
        *("workstation", "server", "oam", "gb", "memory", "graphics", "data", "center"),
    }
)
OTHER_PRODUCT = frozenset({"ti", "super", "laptop", "mobile", "d", "3e", "mig", "vgpu"})
"""Words that make a different product of a name; where a record does not have them, it is not meant."""


def read(lines: Lines, catalog: Catalog) -> Reading:
    """Devices, driver, toolkit and system, with the lines that say so and the frame of nvidia-smi around them."""
    seen: list[Seen] = []
    taken: set[int] = set()
    framed = False
    for number, line in enumerate(lines, 1):
        if len(line) > 400:
            continue
        framed = "NVIDIA-SMI" in line or (framed and bool(FRAME.match(line)))
        found = list(_of_line(line, number)) if any(mark in line for mark in MARKS) else []
        if framed and (memory := SMI_MEMORY.search(line)) and seen and seen[-1].kind == "device" and seen[-1].value.mebibytes is None:
            seen[-1] = Seen("device", "", seen[-1].value._replace(mebibytes=int(memory[1])), seen[-1].line)
        seen += found
        if framed or found:
            taken.add(number)
    return reading(seen, taken)


def _of_line(line: str, number: int) -> Iterator[Seen]:
    for device in _devices(line, number):
        yield Seen("device", "", device, number)
    if match := DRIVER.match(line):
        yield Seen("fact", "driver.version", match[1], number)
    if match := TOOLKIT.match(line):
        yield Seen("fact", "cuda.version", match[1], number)
    if match := SYSTEM.match(line):
        yield Seen("fact", "os", next((word for part, word in SYSTEMS if part in match[1].lower()), "linux"), number)


def _devices(line: str, number: int) -> list[Device]:
    if match := SMI_SHORT.search(line) or SMI_ROW.search(line):
        return [Device(match[2].strip(), match[1])]
    if match := LISTED.match(line):
        return [Device(match[2].strip(), index) for index in match[1].split(",") if index][:64]
    if match := QUERIED.match(line):
        return [Device(match[2].strip(), match[1] or f"line {number}", int(match[3]))]
    if match := ROCM.match(line):
        return [Device(match[2].strip(), match[1])]
    if (match := MARKETING.match(line)) and not PROCESSOR.search(match[1]):
        return [Device(match[1].strip(), f"line {number}")]
    if match := LLAMA.match(line):
        return [Device(match[2].strip(), match[1])]
    if match := METAL.match(line):
        return [Device(match[1].strip(), "0")]
    return []


def _parts(name: str) -> frozenset[str]:
    """The words that tell products apart. HBM3 on an H100 says that it is the SXM form."""
    text = re.sub(r"\([^)]*\)|max-q|hbm3e", " ", name.lower()).replace("hbm3", " sxm ")
    text = re.sub(r"\bsxm\d\b", "sxm", re.sub(r"(?<![a-z\d])(\d+)\s*g(?:i?b)?\b", r"\1", text))
    return frozenset(re.findall(r"[a-z0-9]+\+?", text.replace("+", ""))) - NO_PART


def hardware(catalog: Catalog, device: Device) -> Record | None:
    """The record whose name is in the device's name with the most words; memory decides where the name leaves it open.

    nvidia-smi cuts long names: the beginning of a word stands for the word.
    """
    parts = _parts(device.name)
    cut = device.name.rstrip(".").split()[-1].lower() if device.name.endswith("...") else ""
    best: list[tuple[int, Record]] = []
    for record in catalog.of_kind("hardware"):
        for name in (record.id, *record.aliases, record.name):
            wanted = frozenset(part for part in _parts(name) if not (cut and part.startswith(cut)))
            known = wanted <= parts or (_without_memory(wanted) <= parts and _fits(record, device))
            if wanted and known and not (parts & OTHER_PRODUCT) - wanted and _identifies(wanted & parts):
                best.append((len(wanted), record))
    if not best:
        return None
    most = max(count for count, _ in best)
    records = {record.id: record for count, record in best if count == most}
    fitting = [record for record in records.values() if _fits(record, device)] if len(records) > 1 else list(records.values())
    return fitting[0] if len(fitting) == 1 else None


def _without_memory(parts: frozenset[str]) -> frozenset[str]:
    return frozenset(part for part in parts if not part.isdigit()) if any(not part.isdigit() for part in parts) else parts


def _identifies(parts: frozenset[str]) -> bool:
    """Whether there is a product's number among the words, and not only a series' name."""
    return any(re.search(r"\d", part) for part in parts)


def _fits(record: Record, device: Device) -> bool:
    """Whether the memory that the tool shows is that of the record, within what drivers keep for themselves."""
    stated = record.data.get("visible_bytes") or record.data.get("memory_bytes")
    return bool(stated and device.mebibytes) and abs(device.mebibytes * (1 << 20) / stated - 1) < 0.1


def other_memory(record: Record, device: Device) -> str:
    """What to say where a device shows another memory than its record has; empty where it fits or nobody knows."""
    stated = record.data.get("visible_bytes") or record.data.get("memory_bytes")
    if not stated or not device.mebibytes or _fits(record, device):
        return ""
    return f"{device.name} shows {format_bytes(device.mebibytes << 20)}, and {record.id} has {format_bytes(stated)}"
