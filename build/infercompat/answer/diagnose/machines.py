"""The hardware of a machine: what nvidia-smi, rocm-smi, environment reports and llama.cpp print of devices and drivers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from infercompat.answer.diagnose.seen import Lines, Reading, Seen, holding, reading
from infercompat.link import Catalog
from infercompat.records import Record
from infercompat.units import format_bytes


class Device(NamedTuple):
    """A device as a tool names it. `index` tells it from its likes in one machine; `mebibytes` is what the tool says of its memory.

    `pci` is what it shows of the PCI device: vendor:device, with :revision where it shows that, too.
    """

    name: str
    index: str
    mebibytes: int | None = None
    pci: str = ""


_NAME = r"((?:NVIDIA|Tesla|Quadro|GeForce|AMD|Radeon|Apple|Intel)\b[\w +()/.-]{1,60}?)"
SMI_ROW = re.compile(rf"\|\s+(\d+)\s+{_NAME}\s{{2,}}(?:\w+\s+)?\|")
SMI_SHORT = re.compile(r"\|\s+(\d+)\s+((?:NVIDIA|Tesla|GeForce)[\w .-]{3,40}?)\s+(?:On|Off)\s+\|")
SMI_MEMORY = re.compile(r"\|[^|]*\|\s*\d+MiB\s*/\s*(\d+)MiB\s*\||\|[^|]*\|[^|]*\s\d+/(\d+) MB \|")
AMD_ROW = re.compile(r"\|\s+[\da-f]{4}:[\da-f]{2}:[\da-f]{2}\.\d\s+([\w .()-]{3,40}?)\s+\|")
LISTED = re.compile(rf"\s*(?:GPU models and configuration\s*:\s*)?GPU ([\d,]+)\s*:\s+{_NAME}(?:\s+\(UUID.*)?\s*$")
GIVEN = re.compile(
    rf"\s*(?:[-*]\s+)?(?:[Hh]ardware|GPUs?|Graphics(?: [Cc]ard)?)(?:\s*\([\w ]{{1,20}}\))?\s*:\s*(?:(\d{{1,2}})\s*[x\u00d7*]\s*)?{_NAME}"
    r"(?:\s*[x\u00d7*]\s*(\d{1,2}))?[.,]?\s*$"
)
TORCH = re.compile(r"\s*GPU models and configuration\s*:\s*((?:AMD|Radeon|Instinct)[\w +/.-]{1,60}?)\s*\(gfx\w+")
QUERIED = re.compile(rf"\s*(?:(\d+),\s*)?{_NAME},\s*(\d+) MiB(?:,.*)?$")
PRODUCT = re.compile(rf"\s*Product Name\s*:\s+{_NAME}\s*$")
ROCM = re.compile(r"GPU\[(\d+)\]\s*:\s*(?:Card [Ss]eries|Device Name|Card [Mm]odel)\s*:\s*((?:AMD|Radeon|Instinct|MI\d)[\w +()/.-]{1,60}?)\s*$")
ROCM_ID = re.compile(r"GPU\[(\d+)\]\s*:\s*(?:Card [Ss]eries|Device Name|Card [Mm]odel|Device ID|GPU ID)\s*:\s*0x([\da-f]{4})\s*$")
ROCM_REVISION = re.compile(r"GPU\[(\d+)\]\s*:\s*Device Rev\s*:\s*0x([\da-f]{2})\s*$")
ROCM_ROW = re.compile(r"(\d+)\s+\d+\s+0x([\da-f]{4}),\s+\d+\s")
MARKETING = re.compile(r"\s*(?:Marketing Name|MARKET_NAME)\s*:\s+((?:AMD|Radeon|Instinct)[\w +()/.\u2122-]{1,60}?|0x[\da-f]{4})\s*$")
CHIP = re.compile(r"\s*(?:Chip ID\s*:\s*\d+\(|DEVICE_ID\s*:\s*)0x([\da-f]{4})\)?\s*$")
CHIP_REVISION = re.compile(r"\s*REV_ID\s*:\s*0x([\da-f]{2})\s*$")
PROCESSOR = re.compile(r"EPYC|Ryzen|Threadripper|Processor")
LLAMA = re.compile(rf"\s*(?:\S+\s+\w\s+)?Device (\d+): {_NAME}, (?:compute capability|gfx)")
VULKAN = re.compile(rf".{{0,80}}?\bggml_vulkan: (\d+) = {_NAME} \(")
USING = re.compile(rf".{{0,160}}?\busing device (?:CUDA|ROCm|Vulkan|SYCL)(\d+) \({_NAME}\) ")
OLLAMA = re.compile(
    r'.{0,200}?"inference compute".*?\b(?:description|name)="?((?:NVIDIA|Tesla|AMD|Radeon|1002:|Apple M)[^"=]{3,60}?)"?(?: \w+=.*)? total="([\d.]+) GiB"'
)
METAL = re.compile(r".{0,40}\bGPU name:\s+(Apple M\d[\w ]{0,12}?)\s*(?:\(|$)")
LSPCI = re.compile(r"(?:[\da-f]{4}:)?[\da-f]{2}:[\da-f]{2}\.\d (?:(?:VGA compatible|3D|Display) controller|Processing accelerators)[^:]*: (.*)$")
LSPCI_ID = re.compile(r"\[([\da-f]{4}:[\da-f]{4})\]")
LSPCI_BARE = re.compile(r"\bDevice ([\da-f]{4})\b")
LSPCI_NAME = re.compile(r"\[([\w .+-]{2,50})\]")
LSPCI_REVISION = re.compile(r"\(rev ([\da-f]{2})\)")
HEX_NAME = re.compile(r"0x([\da-f]{4})")
DRIVER = re.compile(r".{0,60}?(?:Driver Version|Nvidia driver version|CUDA Driver Version)\s*:\s*(\d+(?:\.\d+)+)")
TOOLKIT = re.compile(r"\s*CUDA used to build PyTorch\s*:\s*(\d+(?:\.\d+)+)")
SYSTEM = re.compile(r"OS\s*:\s*(\S.*)")
FRAME = re.compile(r"\s*[|+].*[|+]\s*$")
MARKS = (
    *("NVIDIA", "Tesla", "Quadro", "GeForce", "AMD", "Radeon", "Instinct", "MI", "Apple", "Intel", "river ", "CUDA used", "OS:", "OS "),
    *("0x", "controller", "accelerators", "inference compute"),
)
"""What a line must hold to be looked at."""
NEAR = 120
"""How many lines below a device a tool still speaks of it."""
SYSTEMS = (("wsl", "wsl2"), ("windows", "windows"), ("mac", "macos"), ("darwin", "macos"))
VENDORS = (("NVIDIA", "10de", "NVIDIA "), ("AMD", "1002", "AMD "), ("Intel", "8086", "Intel "), ("Habana", "1da3", ""))
"""How lspci calls makers, their numbers, and what stands in front of a product's name."""

NO_PART = frozenset(
    {
        *("nvidia", "geforce", "tesla", "quadro", "amd", "instinct", "radeon", "apple", "intel", "gpu", "generation", "edition"),
        *("workstation", "server", "oam", "gb", "memory", "graphics", "data", "center"),
    }
)
OTHER_PRODUCT = frozenset({"ti", "super", "laptop", "mobile", "d", "3e", "mig", "vgpu"})
"""Words that make a different product of a name; where a record does not have them, it is not meant."""


def read(lines: Lines, catalog: Catalog) -> Reading:
    """Devices, driver, toolkit and system, with the lines that say so and the frame of nvidia-smi or amd-smi around them."""
    seen: list[Seen] = []
    taken: set[int] = set()
    counted: dict[str, int] = {}
    framed = False
    marked = holding(lines, MARKS)
    for number, line in enumerate(lines, 1):
        if len(line) > 400 or not (framed or number - 1 in marked):
            continue
        framed = "-SMI" in line or (framed and bool(FRAME.match(line)))
        found = list(_of_line(line, number, counted, catalog)) if number - 1 in marked else []
        if framed and (memory := SMI_MEMORY.search(line)) and seen and seen[-1].kind == "device" and seen[-1].value.mebibytes is None:
            _say(seen, -1, mebibytes=int(memory[1] or memory[2]))
        seen += [one for one in found if not _joined(one, seen)]
        if framed or found or ("0x" in line and _told_more(line, number, seen, counted)):
            taken.add(number)
    return reading(seen, taken)


def _say(seen: list[Seen], place: int, **more: Any) -> None:
    seen[place] = Seen("device", "", seen[place].value._replace(**more), seen[place].line)


def _joined(one: Seen, seen: list[Seen]) -> bool:
    """Whether a device is one that was seen before: a tool says the number of one that it has named."""
    if one.kind != "device" or not HEX_NAME.fullmatch(one.value.name):
        return False
    alike = [place for place, other in enumerate(seen) if other.kind == "device" and other.value.index == one.value.index and one.line - other.line < NEAR]
    if alike and not seen[alike[-1]].value.pci:
        _say(seen, alike[-1], pci=one.value.pci)
    return bool(alike) and seen[alike[-1]].value.pci.startswith(one.value.pci)


def _told_more(line: str, number: int, seen: list[Seen], counted: dict[str, int]) -> bool:
    """Takes what further lines say of a device that was seen before: its number where the name says little, and its revision."""
    devices = [place for place, one in enumerate(seen) if one.kind == "device"]
    if match := CHIP.match(line):
        last = devices[-1] if devices else None
        if last is not None and not seen[last].value.pci and number - seen[last].line < NEAR:
            _say(seen, last, pci=f"1002:{match[1]}")
        elif last is None or number - seen[last].line >= NEAR or not seen[last].value.pci.endswith(match[1]):
            seen.append(Seen("device", "", Device(f"0x{match[1]}", _next(counted, "marketing"), None, f"1002:{match[1]}"), number))
        return True
    rocm, chip = ROCM_REVISION.match(line), CHIP_REVISION.match(line)
    of = [place for place in devices if rocm is None or seen[place].value.index == rocm[1]][-1:] if rocm or chip else []
    for place in of:
        if seen[place].value.pci.count(":") == 1:
            _say(seen, place, pci=f"{seen[place].value.pci}:{rocm[2] if rocm else chip[1]}")
    return bool(of)


def _of_line(line: str, number: int, counted: dict[str, int], catalog: Catalog) -> Iterator[Seen]:
    for device in _devices(line, counted, catalog):
        yield Seen("device", "", device, number)
    if match := DRIVER.match(line):
        yield Seen("fact", "driver.version", match[1], number)
    if match := TOOLKIT.match(line):
        yield Seen("fact", "cuda.version", match[1], number)
    if match := SYSTEM.match(line):
        yield Seen("fact", "os", next((word for part, word in SYSTEMS if part in match[1].lower()), "linux"), number)


def _next(counted: dict[str, int], tool: str) -> str:
    """The place of a device in the list of a tool that gives no numbers."""
    counted[tool] = counted.get(tool, -1) + 1
    return str(counted[tool])


def _devices(line: str, counted: dict[str, int], catalog: Catalog) -> list[Device]:
    if match := SMI_SHORT.search(line) or SMI_ROW.search(line):
        return [Device(match[2].strip(), match[1])]
    if match := AMD_ROW.search(line):
        return [_named(match[1].lstrip(". "), _next(counted, "amd-smi"))]
    if match := LISTED.match(line):
        return [Device(match[2].strip(), index) for index in match[1].split(",") if index][:64]
    if match := GIVEN.match(line):
        return [Device(match[2].strip(" .,"), str(index)) for index in range(int(match[1] or match[3] or 1))]
    if match := TORCH.match(line):
        return [Device(match[1].strip(), "0")]
    if match := QUERIED.match(line):
        return [Device(match[2].strip(), match[1] or _next(counted, "query"), int(match[3]))]
    if match := PRODUCT.match(line):
        return [Device(match[1].strip(), _next(counted, "product"))]
    if match := ROCM.match(line):
        return [Device(match[2].strip(), match[1])]
    if match := ROCM_ID.match(line) or ROCM_ROW.match(line):
        return [Device(f"0x{match[2]}", match[1], None, f"1002:{match[2]}")]
    if (match := MARKETING.match(line)) and not PROCESSOR.search(match[1]):
        return [_named(match[1].strip(), _next(counted, "marketing"))]
    if match := LLAMA.match(line) or VULKAN.match(line) or USING.match(line):
        return [Device(match[2].strip(), match[1])]
    if match := OLLAMA.match(line):
        name, mebibytes = match[1].strip(), int(float(match[2]) * 1024)
        return [Device(name, _next(counted, "ollama"), mebibytes, name if name.startswith("1002:") else "")]
    if match := METAL.match(line):
        return [Device(match[1].strip(), "0")]
    if match := LSPCI.match(line):
        return [device._replace(index=_next(counted, "lspci")) for device in _of_lspci(match[1]) if hardware(catalog, device)]
    return []


def _named(name: str, index: str) -> Device:
    """A device by its name, or by the number that stands in its place."""
    match = HEX_NAME.fullmatch(name)
    return Device(name, index, None, f"1002:{match[1]}" if match else "")


def _of_lspci(text: str) -> Iterator[Device]:
    """What lspci prints of a device: its id in brackets or as a bare number, or a name that is of no two products."""
    for word, vendor, front in VENDORS:
        if word in text:
            revision = f":{match[1]}" if (match := LSPCI_REVISION.search(text)) else ""
            found = LSPCI_ID.search(text)
            bare = LSPCI_BARE.search(text)
            names = [name for name in LSPCI_NAME.findall(text) if name != "AMD"]
            pci = found[1] if found else f"{vendor}:{bare[1]}" if bare else ""
            if pci or names:
                yield Device(front + names[-1] if names else pci, "", None, pci + revision if pci else "")
            return


def _parts(name: str) -> frozenset[str]:
    """The words that tell products apart. HBM3 on an H100 says that it is the SXM form."""
    text = re.sub(r"\([^)]*\)|max-q|hbm3e", " ", name.lower()).replace("hbm3", " sxm ")
    text = re.sub(r"\bsxm\d\b", "sxm", re.sub(r"(?<![a-z\d])(\d+)\s*g(?:i?b)?\b", r"\1", text))
    return frozenset(re.findall(r"[a-z0-9]+\+?", text.replace("+", ""))) - NO_PART


def hardware(catalog: Catalog, device: Device) -> Record | None:
    """The record whose name is in the device's name with the most words; memory decides where the name leaves it open.

    nvidia-smi cuts long names: the beginning of a word stands for the word.
    """
    if device.pci and (named := _by_id(catalog, device)) is not None:
        return named
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


def _by_id(catalog: Catalog, device: Device) -> Record | None:
    """The record that has a PCI id for itself; where a revision or the memory tells products apart, with that."""
    records = [
        record for record in catalog.of_kind("hardware") if device.pci in record.data.get("pci_ids", ()) or device.pci[:9] in record.data.get("pci_ids", ())
    ]
    shared = sharing(catalog, device) if len(device.pci) == 9 else []
    fitting = records or [record for record in shared if _fits(record, device)]
    return fitting[0] if len(fitting) == 1 else None


def sharing(catalog: Catalog, device: Device) -> list[Record]:
    """The records of products that share a PCI id with others, from which only the revision tells them."""
    return [
        record
        for record in catalog.of_kind("hardware")
        if device.pci and any(id[:9] == device.pci[:9] and len(id) > 9 for id in record.data.get("pci_ids", ()))
    ]


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
