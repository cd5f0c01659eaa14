"""Devices, drivers and systems from what tools print, and the records that their names mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.answer.diagnose import understand
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
        ("NVIDIA A30, 24576 MiB\nNVIDIA A30, 24576 MiB, x", [Device("NVIDIA A30", number, 24576) for number in "01"]),
        ("2, NVIDIA B200, 183359 MiB", [Device("NVIDIA B200", "2", 183359)]),
        ("GPU[0]\t\t: Card Series: \t\tAMD Instinct MI300X", [Device("AMD Instinct MI300X", "0")]),
        (
            "  Marketing Name:          AMD Instinct MI355X\n  Marketing Name:          AMD EPYC 9654 96-Core Processor",
            [Device("AMD Instinct MI355X", "0")],
        ),
        ("  Device 0: NVIDIA GeForce RTX 5090, compute capability 12.0, VMM: yes", [Device("NVIDIA GeForce RTX 5090", "0")]),
        ("ggml_metal_device_init: GPU name:   Apple M3 Ultra", [Device("Apple M3 Ultra", "0")]),
        ("Capturing with NVIDIA tools on GPU 0", []),
    ],
)
def test_devices(real, text, expected):
    assert devices(real, text) == expected


AMD_SMI = """+------------------------------------------------------------------------------+
| AMD-SMI 26.0.0+37d158ab      amdgpu version: 6.14.14  ROCm version: 7.0.0    |
|-------------------------------------+----------------------------------------|
| BDF                        GPU-Name | Mem-Uti   Temp   UEC       Power-Usage |
| GPU  HIP-ID  OAM-ID  Partition-Mode | GFX-Uti    Fan               Mem-Usage |
|=====================================+========================================|
| 0000:05:00.0 {} | 0 %      38 °C   0           141/750 W |
|   0       0       7        SPX/NPS1 | 0 %        N/A           283/{} MB |
+-------------------------------------+----------------------------------------+"""
ROCM_SMI = """Device  Node  IDs              Temp        Power     Partitions          SCLK    MCLK    Fan  Perf  PwrCap  VRAM%  GPU%
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
0       2     0x{0},   55354  47.0°C      139.0W    NPS1, SPX, 0        132Mhz  900Mhz  0%   auto  750.0W  68%    0%
1       3     0x{0},   41632  40.0°C      135.0W    NPS1, SPX, 0        131Mhz  900Mhz  0%   auto  750.0W  68%    0%
"""


# The forms are those of ROCm/legacy-rocm-build pull request 3124 (rocm-smi --showproductname), of ROCm's documentation of amd-smi and rocm-smi,
# of ollama/ollama issues 9807 and 11420 (the lines of its log), of vllm-project/vllm issue 45750 and of what torch.utils.collect_env and
# lspci print.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ROCM_SMI.format("74a1"), [("mi300x", 2)]),
        (ROCM_SMI.format("74b5"), [("mi300x", 2)]),
        (ROCM_SMI.format("75a3"), [("mi355x", 2)]),
        (ROCM_SMI.format("744c"), [(None, 2)]),
        (ROCM_SMI.format("744c") + "  Marketing Name:          AMD Radeon RX 7900 XTX", [("rx-7900-xtx", 2)]),
        ("GPU[0]\t: Card series:\tAMD Instinct MI300X OAM\nGPU[0]\t: Card model:\t0x74a1\nGPU[0]\t: Card SKU:\tMI3SRIOV", [("mi300x", 1)]),
        ("GPU[0]\t: Device Name:\t0x744c\nGPU[0]\t: Device ID:\t0x744c\nGPU[0]\t: Device Rev:\t0xc8", [("rx-7900-xtx", 1)]),
        ("GPU[0]\t: Device Name:\t0x744c\nGPU[0]\t: Device Rev:\t0xcc", [(None, 1)]),
        (AMD_SMI.format("...Instinct MI300X OAM", 196592), [("mi300x", 1)]),
        (AMD_SMI.format("AMD Instinct MI300X VF", 196288), [("mi300x", 1)]),
        (AMD_SMI.format("                0x744c", 24560), [("rx-7900-xtx", 1)]),
        (AMD_SMI.format("                0x744c", 20464), [(None, 1)]),
        ("GPU: 0\n  ASIC:\n    MARKET_NAME: 0x75a3\n    DEVICE_ID: 0x75a3\n    REV_ID: 0x00", [("mi355x", 1)]),
        ("  Marketing Name:          AMD Radeon Graphics\n  Chip ID:                 29857(0x74a1)", [("mi300x", 1)]),
        ("GPU models and configuration : AMD Instinct MI300X (gfx942:sramecc+:xnack-)", [("mi300x", 1)]),
        ("GPU models and configuration: GPU 0: NVIDIA GeForce RTX 4090", [("rtx-4090", 1)]),
        ("    Product Name                          : NVIDIA H100 80GB HBM3", [("h100-sxm", 1)]),
        (
            'level=INFO msg="inference compute" id=GPU-1 library=rocm variant="" compute=gfx1100 driver=6.10 name=1002:744c total="24.0 GiB"',
            [("rx-7900-xtx", 1)],
        ),
        (
            'level=INFO msg="inference compute" id=GPU-1 library=rocm variant="" compute=gfx1100 driver=6.10 name=1002:744c total="20.0 GiB"',
            [(None, 1)],
        ),
        (
            'msg="inference compute" id=GPU-2 library=CUDA compute=8.6 name=CUDA0 description="NVIDIA GeForce RTX 3090" driver=13.0 total="24.0 GiB"',
            [("rtx-3090", 1)],
        ),
        ("ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (RADV NAVI31) (radv) | uma: 0 | fp16: 1", [("rx-7900-xtx", 1)]),
        ("llama_model_load_from_file: using device CUDA1 (NVIDIA GeForce RTX 3090) - 23873 MiB free", [("rtx-3090", 1)]),
        ("01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)", [("rtx-4090", 1)]),
        ("02:00.0 3D controller: NVIDIA Corporation Device 2335 (rev a1)", [("h200-sxm", 1)]),
        ("c1:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [Instinct MI300X] [1002:74a1]", [("mi300x", 1)]),
        ("03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [1002:744c] (rev c8)", [("rx-7900-xtx", 1)]),
        ("04:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XT/7900 XTX] (rev c8)", []),
        ("05:00.0 VGA compatible controller: ASPEED Technology, Inc. ASPEED Graphics Family (rev 52)", []),
    ],
)
def test_what_tools_show_that_know_no_name(real, text, expected):
    assert [(kind.id, kind.count) for kind in understand(text, real.catalog).hardware] == expected


def test_an_id_of_several_products_is_told(real):
    notes = [one.value for one in understand(ROCM_SMI.format("744c"), real.catalog).notes]
    assert notes == ["0x744c is the id of rx-7900-xtx and of other products, too: its name is needed"]
    assert [one.value for one in understand(ROCM_SMI.format("7480"), real.catalog).notes] == ["the catalog has no record of 0x7480"]


def test_no_two_records_share_an_id(real):
    ids = [id for record in real.catalog.of_kind("hardware") for id in record.data.get("pci_ids", ())]
    assert len(ids) == len(set(ids)) > 60


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
