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
