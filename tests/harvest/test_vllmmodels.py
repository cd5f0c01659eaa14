"""What vLLM's model classes say of themselves, with what they inherit from classes of other files."""

from __future__ import annotations

from infercompat.harvest.vllm import REGISTRY
from infercompat.harvest.vllmmodels import read

from .trees import VLLM, grow, said

MODELS = "vllm/model_executor/models"


def test_interfaces_through_inheritance(tmp_path):
    tree = grow(
        tmp_path,
        {
            REGISTRY: VLLM[REGISTRY],
            f"{MODELS}/interfaces.py": "class SupportsLoRA: ...\nclass SupportsPP: ...\n",
            f"{MODELS}/llama.py": "from .interfaces import SupportsLoRA, SupportsPP\nclass LlamaForCausalLM(Module, SupportsLoRA, SupportsPP): ...\n",
            f"{MODELS}/broken.py": "from vllm.model_executor.models.llama import LlamaForCausalLM\nclass BrokenForCausalLM(LlamaForCausalLM): ...\n",
            f"{MODELS}/bert.py": "class BertEmbeddingModel(Module): ...\n",
        },
    )
    assert said(read(tree))[:6] == [
        f"LlamaForCausalLM lora native {MODELS}/llama.py L2",
        f"LlamaForCausalLM pipeline-parallel native {MODELS}/llama.py L2",
        f"BrokenForCausalLM lora native {MODELS}/broken.py L2",
        f"BrokenForCausalLM pipeline-parallel native {MODELS}/broken.py L2",
        f"BertModel lora unsupported {MODELS}/bert.py L1",
        f"BertModel pipeline-parallel unsupported {MODELS}/bert.py L1",
    ]


BRANCHES = {
    REGISTRY: """\
_TEXT_GENERATION_MODELS = {
    "SplitForCausalLM": ("vllm.models.split", "SplitForCausalLM"),
    "AlikeForCausalLM": ("vllm.models.alike", "AlikeForCausalLM"),
    "NarrowForCausalLM": ("vllm.models.narrow", "NarrowForCausalLM"),
    "OpenForCausalLM": ("vllm.models.open", "OpenForCausalLM"),
}

_VLLM_MODELS = {**_TEXT_GENERATION_MODELS}
""",
    "vllm/models/split/__init__.py": """\
from vllm.platforms import current_platform

if current_platform.is_rocm():
    from .amd.model import SplitForCausalLM
elif current_platform.is_xpu():
    from .xpu.model import SplitForCausalLM
elif current_platform.is_cpu():
    from .amd.model import SplitForCausalLM
else:
    from .nvidia.model import SplitForCausalLM
""",
    "vllm/models/split/amd/model.py": "class SplitForCausalLM(nn.Module, SupportsPP): ...\n",
    "vllm/models/split/xpu/model.py": "\n\nclass SplitForCausalLM(nn.Module, SupportsPP, SupportsLoRA): ...\n",
    "vllm/models/split/nvidia/model.py": "\nclass SplitForCausalLM(nn.Module, SupportsPP, SupportsLoRA): ...\n",
    "vllm/models/alike/__init__.py": "if current_platform.is_rocm():\n    from .amd import AlikeForCausalLM\nelse:\n    from .nvidia import AlikeForCausalLM\n",
    "vllm/models/alike/amd.py": "class AlikeForCausalLM(SupportsLoRA): ...\n",
    "vllm/models/alike/nvidia.py": "\nclass AlikeForCausalLM(SupportsLoRA): ...\n",
    "vllm/models/narrow.py": "if not current_platform.is_cuda():\n    raise NotImplementedError\nclass NarrowForCausalLM(SupportsPP): ...\n",
    "vllm/models/open.py": "if current_platform.is_cuda():\n    class OpenForCausalLM(SupportsPP): ...\n"
    "elif fast():\n    class OpenForCausalLM(SupportsPP): ...\nelse:\n    class OpenForCausalLM: ...\n",
}


def test_a_class_a_platform(tmp_path):
    claims = said(read(grow(tmp_path, BRANCHES)))
    assert [line for line in claims if line.startswith("Split")] == [
        "SplitForCausalLM lora cuda native vllm/models/split/nvidia/model.py L2",
        "SplitForCausalLM lora rocm unsupported vllm/models/split/amd/model.py L1",
        "SplitForCausalLM lora xpu native vllm/models/split/xpu/model.py L3",
        "SplitForCausalLM lora cpu unsupported vllm/models/split/amd/model.py L1",
        "SplitForCausalLM pipeline-parallel native vllm/models/split/nvidia/model.py L2",
    ]
    assert [line for line in claims if line.startswith("Alike")] == [
        "AlikeForCausalLM lora native vllm/models/alike/nvidia.py L2",
        "AlikeForCausalLM pipeline-parallel unsupported vllm/models/alike/nvidia.py L2",
    ]


def test_a_platform_without_the_class_and_one_that_is_not_plain(tmp_path):
    claims = said(read(grow(tmp_path, BRANCHES)))
    assert [line for line in claims if line.startswith(("Narrow", "Open"))] == [
        "NarrowForCausalLM lora cuda unsupported vllm/models/narrow.py L3",
        "NarrowForCausalLM pipeline-parallel cuda native vllm/models/narrow.py L3",
        "OpenForCausalLM lora cuda unsupported vllm/models/open.py L2",
        "OpenForCausalLM pipeline-parallel cuda native vllm/models/open.py L2",
    ]
