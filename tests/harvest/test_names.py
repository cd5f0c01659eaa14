"""From names in documents to classes of configs."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.names import architectures


@pytest.mark.parametrize(
    ("name", "classes"),
    [
        # The classes are those in config.json of the checkpoints, as the catalog's models have them.
        ("deepseek-ai/DeepSeek-R1-0528", "DeepseekV3ForCausalLM"),
        ("deepseek-ai/DeepSeek-V3.2-Speciale", "DeepseekV32ForCausalLM"),
        ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "LlamaForCausalLM"),
        ("DeepSeek Distill (Qwen/Llama)", "Qwen2ForCausalLM LlamaForCausalLM"),
        ("DeepSeek V3/3.1", "DeepseekV3ForCausalLM"),
        ("Kimi-K2-Thinking", "DeepseekV3ForCausalLM"),
        ("Kimi-K2.5/Kimi-K2.6", "KimiK25ForConditionalGeneration"),
        ("Qwen/Qwen3-30B-A3B-Instruct-2507", "Qwen3MoeForCausalLM"),
        ("Qwen/Qwen3-32B", "Qwen3ForCausalLM"),
        ("Qwen/Qwen3-0.6B", "Qwen3ForCausalLM"),
        ("Qwen/Qwen3-VL-32B-Instruct", "Qwen3VLForConditionalGeneration"),
        ("Qwen3-VL-30B-A3B/Qwen3-VL-235B-A22B", "Qwen3VLMoeForConditionalGeneration"),
        ("Qwen3.5-27B / Qwen3.6-27B", "Qwen3_5ForConditionalGeneration"),
        ("Qwen/Qwen3.5-397B-A17B", "Qwen3_5MoeForConditionalGeneration"),
        ("Qwen3.5 / 3.6 / 3.8", "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration"),
        ("google/gemma-3-27b-it", "Gemma3ForConditionalGeneration"),
        ("Gemma-3", "Gemma3ForCausalLM"),
        ("Gemma3", "Gemma3ForConditionalGeneration"),
        ("meta-llama/Llama-4-Maverick-17B-128E-Instruct/multimodal", "Llama4ForConditionalGeneration"),
        ("meta-llama/Meta-Llama-3.1-8B", "LlamaForCausalLM"),
        ("Llama3.2", "MllamaForConditionalGeneration"),
        ("GLM-5/5.1", "GlmMoeDsaForCausalLM"),
        ("GLM-5.3", "GlmMoeDsaForCausalLM"),
        ("GLM-5.3-Flash", "Glm5NextForConditionalGeneration"),
        ("Kimi-K3", "KimiK3ForConditionalGeneration"),
        ("Hy4-preview (Experimental)", "HYV4ForCausalLM"),
        ("Cohere Transcribe", "CohereAsrForConditionalGeneration"),
        ("  Mixtral-8x7B ", "MixtralForCausalLM"),
        ("Qwen3-VL-Embedding", ""),
        ("PaddleOCR-VL", ""),
    ],
)
def test_what_a_name_stands_for(name, classes):
    assert " ".join(architectures(name, "a.md:1")) == classes


@pytest.mark.parametrize("name", ["", "Qwen9", "somebody/Llama-3.1-8B", "Gemma 44 turbo"])
def test_a_new_name_is_refused_with_its_place(name):
    with pytest.raises(Refused, match=r"a\.md:7: nobody has said which architecture"):
        architectures(name, "a.md:7")
