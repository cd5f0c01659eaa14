_TEXT_GENERATION_MODELS = {
    # [Decoder-only]
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "BrokenForCausalLM": ("broken", "BrokenForCausalLM"),
}

_EMBEDDING_MODELS: dict[str, tuple[str, str]] = {
    "BertModel": ("bert", "BertEmbeddingModel"),
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    **{k: v for k, v in _TEXT_GENERATION_MODELS.items() if v[0] == "llama"},
    **{"GritLM": ("gritlm", "GritLM")},
}

_SPECULATIVE_DECODING_MODELS = {"EagleModel": ("eagle", "Eagle")}

_TRANSFORMERS_SUPPORTED_MODELS = {"SmolLM3ForCausalLM": ("transformers", "TransformersForCausalLM")}

_TRANSFORMERS_BACKEND_MODELS = {"TransformersForCausalLM": ("transformers", "TransformersForCausalLM")}

_VLLM_MODELS = {
    **_TEXT_GENERATION_MODELS,
    **_EMBEDDING_MODELS,
    **_SPECULATIVE_DECODING_MODELS,
    **_TRANSFORMERS_SUPPORTED_MODELS,
    **_TRANSFORMERS_BACKEND_MODELS,
}

_PREVIOUSLY_SUPPORTED_MODELS = {"BrokenForCausalLM": "0.9.2", "PairForCausalLM": ("0.8", "0.9")}

_OOT_SUPPORTED_MODELS = {"BartForConditionalGeneration": "https://example.com/plugin"}


class _ModelRegistry:
    def _try_resolve_transformers(self, architecture):
        return None
