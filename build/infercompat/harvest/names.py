"""Names of checkpoints and families in documents of engines, and the architecture classes in config.json that they stand for.

The classes are those of the records of the catalog's models, and for families without one those of the architecture table of vLLM's page
of supported models.
"""

from __future__ import annotations

import re

from infercompat.harvest.base import Refused

_FAMILIES: tuple[tuple[str, str], ...] = (
    (r"deepseek[ -]?(v3\.2|math-v2).*", "DeepseekV32ForCausalLM"),
    (r"deepseek[ -]r1-distill-llama.*", "LlamaForCausalLM"),
    (r"deepseek[ -]r1-distill-qwen.*", "Qwen2ForCausalLM"),
    (r"deepseek distill \(qwen/llama\)", "Qwen2ForCausalLM LlamaForCausalLM"),
    (r"deepseek[ -]?(v3|r1).*", "DeepseekV3ForCausalLM"),
    (r"deepseek[ -]v4.*", "DeepseekV4ForCausalLM"),
    (r"deepseek[ -]v2.*", "DeepseekV2ForCausalLM"),
    (r"deepseek-ocr", "DeepseekOCRForCausalLM"),
    (r"deepseekocr2", "DeepseekOCR2ForCausalLM"),
    (r"qwen2\.5-math-rm.*", "Qwen2ForRewardModel"),
    (r"qwen3[ -]next.*", "Qwen3NextForCausalLM"),
    (r"qwen3-vl-(30b-a3b|235b-a22b)(?!-embed).*", "Qwen3VLMoeForConditionalGeneration"),
    (r"qwen3-vl(-\d+b.*)?", "Qwen3VLForConditionalGeneration"),
    (r"qwen3-vl-embedding|qwen3-vl-reranker", ""),
    (r"qwen3-(reranker|asr).*", ""),
    (r"qwen3-omni.*", "Qwen3OmniMoeForConditionalGeneration"),
    (r"qwen3-vl-moe", "Qwen3VLMoeForConditionalGeneration"),
    (r"qwen3-coder|qwen3-moe|qwen3(-coder)?-\d+b-a\d+b.*", "Qwen3MoeForCausalLM"),
    (r"qwen3(-(dense|embedding.*|[\d.]+b))?", "Qwen3ForCausalLM"),
    (r"qwen3-based|qwen2-based|qwen2\.5-based", ""),
    (r"qwen3\.8-flash-next", ""),
    (r"qwen3\.[568]-(397b-a17b|35b-a3b).*", "Qwen3_5MoeForConditionalGeneration"),
    (r"qwen3\.[568]-(dense|[\d.]+b)( / qwen3\.[568]-[\d.]+b)?", "Qwen3_5ForConditionalGeneration"),
    (r"qwen3\.5 / 3\.6 / 3\.8", "Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration"),
    (r"qwen2\.5-vl.*", "Qwen2_5_VLForConditionalGeneration"),
    (r"qwen2-vl|qvq", "Qwen2VLForConditionalGeneration"),
    (r"qwen2\.5-omni", ""),
    (r"qwen2-audio", "Qwen2AudioForConditionalGeneration"),
    (r"qwen2(\.5)?(-\d+b.*)?|qwq-32b", "Qwen2ForCausalLM"),
    (r"gemma[ -]4-.*|gemma ?4", "Gemma4ForConditionalGeneration"),
    (r"gemma[ -]3-(4b|12b|27b).*", "Gemma3ForConditionalGeneration"),
    (r"gemma[ -]3", "Gemma3ForCausalLM"),
    (r"gemma3", "Gemma3ForConditionalGeneration"),
    (r"gemma-2.*", "Gemma2ForCausalLM"),
    (r"gpt-oss.*", "GptOssForCausalLM"),
    (r"(meta-)?llama-4-.*|llama4", "Llama4ForConditionalGeneration"),
    (r"(meta-)?llama[ -]3.*|llama2/3/3\.1/3\.2|codellama.*|yi-1\.5.*", "LlamaForCausalLM"),
    (r"llama3\.2|mllama", "MllamaForConditionalGeneration"),
    (r"mistral-large-3.*", ""),
    (r"mistral-small-4.*", ""),
    (r"mistral3", "Mistral3ForConditionalGeneration"),
    (r"mistral(-7b|-large-instruct|-small-24b|/mistral-instruct).*", "MistralForCausalLM"),
    (r"mixtral.*", "MixtralForCausalLM"),
    (r"kimi-k2(-thinking|-instruct)?", "DeepseekV3ForCausalLM"),
    (r"kimi-k3", "KimiK3ForConditionalGeneration"),
    (r"kimi-k2\.[56](/kimi-k2\.6)?", "KimiK25ForConditionalGeneration"),
    (r"minimax-m2.*", "MiniMaxM2ForCausalLM"),
    (r"minimax-m3.*", "MiniMaxM3SparseForConditionalGeneration"),
    (r"minimax-text", "MiniMaxText01ForCausalLM"),
    (r"glm-4\.(x|5)", "Glm4MoeForCausalLM"),
    (r"glm-4\.7-flash", "Glm4MoeLiteForCausalLM"),
    (r"glm-5(/5\.1|\.[123])?", "GlmMoeDsaForCausalLM"),
    (r"glm-5\.3-flash", "Glm5NextForConditionalGeneration"),
    (r"phi-3/4|phi-3\.5-mini|phi-4-mini", "Phi3ForCausalLM"),
    (r"phi-3-vision/phi-3\.5-vision", "Phi3VForCausalLM"),
    (r"ernie4\.5-moe", "Ernie4_5_MoeForCausalLM"),
    (r"ernie4\.5", "Ernie4_5ForCausalLM"),
    (r"ernie-4\.5-vl.*", "Ernie4_5_VLMoeForConditionalGeneration"),
    (r"internlm", "InternLMForCausalLM"),
    (r"baichuan2?", "BaichuanForCausalLM"),
    (r"minicpm", "MiniCPMForCausalLM"),
    (r"minicpm3.*", "MiniCPM3ForCausalLM"),
    (r"minicpm-v", "MiniCPMV"),
    (r"hy3-preview", "HYV3ForCausalLM"),
    (r"hy4-preview.*", "HYV4ForCausalLM"),
    (r"hunyuan-7b.*", "HunYuanDenseV1ForCausalLM"),
    (r"hunyuan-a13b.*", "HunYuanMoEV1ForCausalLM"),
    (r"granite 3\.3", "GraniteForCausalLM"),
    (r"granite-3\.1-8b.*|granite-(3b|8b)-code.*", ""),
    (r"granite-(20b|34b)-code.*", "GPTBigCodeForCausalLM"),
    (r"granite-4\.0-h-small", "GraniteMoeHybridForCausalLM"),
    (r"bielik.*|ovis.*|laguna|keye.*|internvl2.*|ultravox|paddleocr-vl", ""),
    (r"smollm3.*", "SmolLM3ForCausalLM"),
    (r"exaone 4\.0", "Exaone4ForCausalLM"),
    (r"molmo", "MolmoForCausalLM"),
    (r"xlm-roberta-based|bge-m3", "XLMRobertaModel"),
    (r"bert", "BertModel"),
    (r"aria", "AriaForConditionalGeneration"),
    (r"llava-next", "LlavaNextForConditionalGeneration"),
    (r"llava-next-video", "LlavaNextVideoForConditionalGeneration"),
    (r"florence-2", "Florence2ForConditionalGeneration"),
    (r"glm-4v", "GLM4VForCausalLM"),
    (r"whisper", "WhisperForConditionalGeneration"),
    (r"cohere transcribe", "CohereAsrForConditionalGeneration"),
)
"""Patterns of names in lower case, without the owner of a checkpoint; the first that fits decides. None stands where a name is not clear."""


_OWNERS = re.compile(r"^(aidc-ai|baidu|deepseek-ai|google|ibm-granite|lmsys|meta-llama|minimaxai|mistralai|moonshotai|openai|qwen|speakleash|tencent|zai-org)/")
"""Owners of checkpoints. A slash elsewhere stands between the members of a family."""


def architectures(name: str, place: str) -> tuple[str, ...]:
    """The classes that a name of a document stands for; none where nobody can say. Raises Refused for a name that is new.

    `place` says where the name stands, for the message.
    """
    short = _OWNERS.sub("", name.strip().lower())
    for pattern, classes in _FAMILIES:
        if re.fullmatch(pattern, short):
            return tuple(classes.split())
    raise Refused(f"{place}: nobody has said which architecture '{name}' is")
