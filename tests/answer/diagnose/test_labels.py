"""Accelerators by the labels of Kubernetes nodes and by Ray's words for them."""

from __future__ import annotations

import pytest

from infercompat.answer.diagnose import understand


# The labels are those of NVIDIA's GPU feature discovery, of Google's docs of GPUs in GKE, of the AMD GPU operator's node labeller
# (amd.com/gpu.product-name=AMD_Instinct_MI300X_OAM) and of docs.ray.io/en/latest/serve/api/doc/ray.serve.llm.LLMConfig.html.
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('nodeSelector:\n  nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3\nresources:\n  limits:\n    nvidia.com/gpu: "2"', [("h100-sxm", 2)]),
        ("cloud.google.com/gke-accelerator: nvidia-h100-80gb\nlimits: {nvidia.com/gpu: 8}", [("h100-sxm", 8)]),
        ("cloud.google.com/gke-accelerator: nvidia-l4", [("l4", 1)]),
        ("amd.com/gpu.product-name=AMD_Instinct_MI300X_OAM\namd.com/gpu: 4", [("mi300x", 4)]),
        ("beta.amd.com/gpu.product-name=AMD_Instinct_MI300X_OAM", [("mi300x", 1)]),
        ("- key: nvidia.com/gpu.product\n  operator: In\n  values: [NVIDIA-A100-SXM4-80GB]", [("a100-sxm-80gb", 1)]),
        ("- key: nvidia.com/gpu.product\n  operator: In\n  values:\n  - NVIDIA-L40S", [("l40s", 1)]),
        ("nvidia.com/gpu.count=8\nnvidia.com/gpu.product=NVIDIA-H200", [("h200-sxm", 8)]),
        ("nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB-SHARED", [("a100-sxm-80gb", 1)]),
        ("nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB-MIG-1g.10gb", [(None, 1)]),
        ('accelerator_type="A10G",', [("a10g", 1)]),
        ("accelerator_type: AMD-Instinct-MI300X-OAM", [("mi300x", 1)]),
        ("nvidia.com/gpu: 2", []),
    ],
)
def test_a_label(real, text, expected):
    assert [(kind.id, kind.count) for kind in understand(text, real.catalog).hardware] == expected
