"""Devices, drivers and systems from what tools print, and the records that their names mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose.machines import Device, hardware, other_memory, read

SMI = """+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 570.86.15              Driver Version: 570.86.15      CUDA Version: 12.8     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|=========================================+========================+======================|
|   0  NVIDIA H100 80GB HBM3          On  |   00000000:18:00.0 Off |                    0 |
| N/A   32C    P0             69W /  700W |   70012MiB /  81559MiB |      0%      Default |
|   1  NVIDIA H100 80GB HBM3          On  |   00000000:2A:00.0 Off |                    0 |
| N/A   33C    P0             70W /  700W |       1MiB /  81559MiB |      0%      Default |
+-----------------------------------------+------------------------+----------------------+
after"""


def devices(real, text: str) -> list[Device]:
    return [one.value for one in read(text.split("\n"), real.catalog).seen if one.kind == "device"]


def facts(real, text: str) -> dict:
    return {one.name: one.value for one in read(text.split("\n"), real.catalog).seen if one.kind == "fact"}


def test_nvidia_smi(real):
    assert devices(real, SMI) == [Device("NVIDIA H100 80GB HBM3", "0", 81559), Device("NVIDIA H100 80GB HBM3", "1", 81559)]
    assert facts(real, SMI) == {"driver.version": "570.86.15"}
    assert read(SMI.split("\n"), real.catalog).taken == set(range(2, 11))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GPU 0: NVIDIA L40S (UUID: GPU-1234)", [Device("NVIDIA L40S", "0")]),
        ("GPU 0,1: NVIDIA H20", [Device("NVIDIA H20", "0"), Device("NVIDIA H20", "1")]),
        ("GPU 3: Tesla T4", [Device("Tesla T4", "3")]),
        ("NVIDIA A30, 24576 MiB\nNVIDIA A30, 24576 MiB, x", [Device("NVIDIA A30", f"line {number}", 24576) for number in (1, 2)]),
        ("2, NVIDIA B200, 183359 MiB", [Device("NVIDIA B200", "2", 183359)]),
        ("GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X", [Device("AMD Instinct MI300X", "0")]),
        (
            "  Marketing Name:          AMD Instinct MI355X\n  Marketing Name:          AMD EPYC 9654 96-Core Processor",
            [Device("AMD Instinct MI355X", "line 1")],
        ),
        ("  Device 0: NVIDIA GeForce RTX 5090, compute capability 12.0, VMM: yes", [Device("NVIDIA GeForce RTX 5090", "0")]),
        ("ggml_metal_device_init: GPU name:   Apple M3 Ultra", [Device("Apple M3 Ultra", "0")]),
        ("Capturing with NVIDIA tools on GPU 0", []),
    ],
)
def test_devices(real, text, expected):
    assert devices(real, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Nvidia driver version        : 570.124.06", {"driver.version": "570.124.06"}),
        ("CUDA Driver Version: 580.95.05", {"driver.version": "580.95.05"}),
        ("CUDA used to build PyTorch   : 12.8", {"cuda.version": "12.8"}),
        ("CUDA used to build PyTorch   : N/A", {}),
        ("OS                           : Ubuntu 22.04.5 LTS (x86_64)", {"os": "linux"}),
        ("OS: macOS 15.5 (arm64)", {"os": "macos"}),
        ("OS: Microsoft Windows 11 Pro", {"os": "windows"}),
    ],
)
def test_facts(real, text, expected):
    assert facts(real, text) == expected


@pytest.mark.parametrize(
    ("name", "mebibytes", "id"),
    [
        ("NVIDIA H100 80GB HBM3", None, "h100-sxm"),
        ("NVIDIA H100 PCIe", None, "h100-pcie"),
        ("NVIDIA H100 NVL", None, "h100-nvl"),
        ("NVIDIA H200", None, "h200-sxm"),
        ("NVIDIA H200 NVL", None, "h200-nvl"),
        ("NVIDIA H20", None, "h20"),
        ("NVIDIA H20-3e", None, None),
        ("NVIDIA H800", None, None),
        ("NVIDIA A100-SXM4-80GB", None, "a100-sxm-80gb"),
        ("NVIDIA A100-SXM4-40GB", None, "a100-sxm-40gb"),
        ("NVIDIA A100 80GB PCIe", None, "a100-pcie-80gb"),
        ("NVIDIA A100-PCIE-40GB", None, "a100-pcie-40gb"),
        ("NVIDIA A100-SXM...", 81920, "a100-sxm-80gb"),
        ("NVIDIA A10", None, "a10"),
        ("NVIDIA A10G", None, "a10g"),
        ("NVIDIA B300 SXM6 AC", None, "b300"),
        ("NVIDIA GB10", None, "gb10"),
        ("NVIDIA GH200 480GB", 97871, "gh200-96gb"),
        ("NVIDIA GH200 144G HBM3e", None, "gh200-144gb"),
        ("NVIDIA L4", None, "l4"),
        ("NVIDIA L40", None, "l40"),
        ("NVIDIA L40S", None, "l40s"),
        ("Tesla T4", None, "t4"),
        ("Tesla V100-SXM2-32GB", None, "v100-sxm2-32gb"),
        ("NVIDIA GeForce RTX 4090", None, "rtx-4090"),
        ("NVIDIA GeForce RTX 4090 D", None, None),
        ("NVIDIA GeForce RTX 3090 Ti", None, None),
        ("NVIDIA GeForce RTX 2080 Ti", None, "rtx-2080-ti"),
        ("NVIDIA GeForce RTX 5090 Laptop GPU", None, None),
        ("NVIDIA RTX A6000", None, "rtx-a6000"),
        ("NVIDIA RTX 6000 Ada Generation", None, "rtx-6000-ada"),
        ("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", None, "rtx-pro-6000-blackwell"),
        ("NVIDIA RTX PRO 6000 Blac...", 97887, "rtx-pro-6000-blackwell"),
        ("AMD Instinct MI300X OAM", None, "mi300x"),
        ("AMD Radeon RX 7900 XTX", None, "rx-7900-xtx"),
        ("AMD Radeon Graphics", None, None),
        ("Apple M1 Max", None, "m1-max"),
        ("Apple M5", None, "m5"),
        ("Intel(R) Arc(TM) B580 Graphics", None, "arc-b580"),
    ],
)
def test_a_name_means_a_record(real, name, mebibytes, id):
    found = hardware(real.catalog, Device(name, "0", mebibytes))
    assert (found.id if found else None) == id


def test_every_record_is_found_by_its_own_name(real):
    """Where two records share a name but for the memory, the memory decides."""
    lost = {}
    for record in real.catalog.of_kind("hardware"):
        if record.data["class"] == "cpu":
            continue
        stated = record.data.get("visible_bytes") or record.data.get("memory_bytes")
        found = hardware(real.catalog, Device(record.id.replace("-", " "), "0", stated // (1 << 20) if stated else None))
        if found is None or found.id != record.id:
            lost[record.id] = found and found.id
    assert lost == {}


def test_a_card_with_other_memory_is_told(real):
    record = real.catalog.follow("rtx-4090")
    assert other_memory(record, Device("NVIDIA GeForce RTX 4090", "0", 49140)) == "NVIDIA GeForce RTX 4090 shows 47.99 GiB, and rtx-4090 has 24 GiB"
    assert other_memory(record, Device("NVIDIA GeForce RTX 4090", "0", 24564)) == ""
    assert other_memory(record, Device("NVIDIA GeForce RTX 4090", "0")) == ""


@given(st.text(alphabet=st.sampled_from("|+-=GPU 0123:NVIDIAH100,MiBx\n")))
def test_any_text(real, text):
    for one in read(f"NVIDIA-SMI\n{text}".split("\n"), real.catalog).seen:
        if one.kind == "device":
            hardware(real.catalog, one.value)
