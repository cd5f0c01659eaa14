"""Other spellings of engines' flags than the one that a record names, their environment variables, and words for values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Facts = Mapping[str, Any]

# A record names one flag for each fact. These are the other spellings that the same programs take, and flags that fix a value.
_CUTS = {"pp": "pipeline_parallel", "dp": "data_parallel"}
_VLLM: dict[str, str | Facts] = {
    **_CUTS,
    "tp": "tensor_parallel",
    "data-parallel-size": "data_parallel",
    "q": "weights.format",
    "spec-method": "speculation.method",
    "spec-tokens": "speculation.tokens",
    "num-speculative-tokens": "speculation.tokens",
    "attention-config.backend": "attention.backend",
    "VLLM_ATTENTION_BACKEND": "attention.backend",
    "kv-transfer-config.kv-connector": "kv_connector",
    "compilation-config.cudagraph-mode": "cuda_graphs",
    "enforce-eager": {"cuda_graphs": "none"},
    "enable-lora": "lora",
    "enable-chunked-prefill": "chunked_prefill",
    "async-scheduling": "async_scheduling",
    "num-gpu-blocks-override": "num_blocks",
    **{"ep": "expert_parallel", "dcp": "setting.decode_context_parallel_size"},
}
_SGLANG: dict[str, str | Facts] = {
    **_CUTS,
    "tp": "tensor_parallel",
    "tensor-parallel-size": "tensor_parallel",
    "pipeline-parallel-size": "pipeline_parallel",
    "data-parallel-size": "data_parallel",
    "ep": "expert_parallel",
    "expert-parallel-size": "expert_parallel",
    "enable-hicache": "kv_offload",
    "speculative-algo": "speculation.method",
    "prefill-attention-backend": "prefill.attention.backend",
    "decode-attention-backend": "decode.attention.backend",
    "disable-cuda-graph": {"cuda_graphs": "none"},
    "chunked-prefill-size=-1": {"chunked_prefill": False},
}
_TENSORRT: dict[str, str | Facts] = {
    "tp-size": "tensor_parallel",
    "pp-size": "pipeline_parallel",
    "ep-size": "expert_parallel",
    "kv-cache-dtype": "cache.dtype",
    "kv-cache-free-gpu-memory-fraction": "setting.free_gpu_memory_fraction",
    "kv-cache-config.free-gpu-memory-fraction": "setting.free_gpu_memory_fraction",
    "speculative-config.max-draft-len": "speculation.tokens",
    "max-seq-len": "max_model_len",
}
_LLAMA: dict[str, str | Facts] = {
    **{"ctk": "cache.k.dtype", "ctv": "cache.v.dtype", "c": "max_model_len", "np": "max_num_seqs", "b": "max_num_batched_tokens"},
    **{"ub": "setting.ubatch_size", "fa": "setting.flash_attn", "sm": "setting.split_mode", "kvu": "setting.kv_unified"},
    **{"draft": "speculation.tokens", "draft-n": "speculation.tokens", "draft-max": "speculation.tokens"},
    **{"mm": "setting.mmproj", "md": "setting.draft_model", "model-draft": "setting.draft_model", "ngl": "setting.gpu_layers", "ts": "setting.tensor_split"},
}
_LLAMA_VARIABLES: dict[str, str | Facts] = {
    **{"LLAMA_ARG_CTX_SIZE": "max_model_len", "LLAMA_ARG_N_PARALLEL": "max_num_seqs", "LLAMA_ARG_BATCH": "max_num_batched_tokens"},
    **{"LLAMA_ARG_CACHE_TYPE_K": "cache.k.dtype", "LLAMA_ARG_CACHE_TYPE_V": "cache.v.dtype", "LLAMA_ARG_CACHE_PROMPT": "prefix_caching"},
    **{"LLAMA_ARG_SPEC_TYPE": "speculation.method", "LLAMA_ARG_SPEC_DRAFT_N_MAX": "speculation.tokens"},
    **{"LLAMA_ARG_SPEC_DRAFT_MODEL": "setting.draft_model", "LLAMA_ARG_MMPROJ": "setting.mmproj", "LLAMA_ARG_UBATCH": "setting.ubatch_size"},
    **{"LLAMA_ARG_FLASH_ATTN": "setting.flash_attn", "LLAMA_ARG_SWA_FULL": "setting.swa_full", "LLAMA_ARG_KV_UNIFIED": "setting.kv_unified"},
    **{"LLAMA_ARG_N_GPU_LAYERS": "setting.gpu_layers", "LLAMA_ARG_SPLIT_MODE": "setting.split_mode", "LLAMA_ARG_TENSOR_SPLIT": "setting.tensor_split"},
    **{"LLAMA_ARG_CTX_CHECKPOINTS": "setting.ctx_checkpoints", "LLAMA_ARG_CACHE_RAM": "setting.cache_ram"},
    **{"LLAMA_ARG_CACHE_REUSE": "setting.cache_reuse", "LLAMA_ARG_CONTEXT_SHIFT": "setting.context_shift"},
}
_IK_LLAMA: dict[str, str | Facts] = {
    **{"mla": "setting.mla_use", "amb": "setting.attention_max_batch", "khad": "setting.k_cache_hadamard", "vhad": "setting.v_cache_hadamard"},
    "ncmoe": "setting.n_cpu_moe",
}
_LMDEPLOY: dict[str, str | Facts] = {
    "eager-mode": {"cuda_graphs": "none"},
    **{f"quant-policy={number}": {"cache.dtype": word} for number, word in ((4, "int4"), (8, "int8"), (16, "fp8"), (17, "fp8_e5m2"), (42, "turbo_quant"))},
    "quant-policy=0": {"cache.dtype": "auto"},
}
_TGI: dict[str, str | Facts] = {
    "speculate": {"speculation.method": "ngram"},  # what drafts where the checkpoint has no heads for it
    "speculate=0": {"speculation.method": "none"},
    "cuda-graphs=0": {"cuda_graphs": "none"},
    "sharded=false": {"tensor_parallel": 1},
}
_TABBY: dict[str, str | Facts] = {"max-seq-len": "max_model_len", "max-batch-size": "max_num_seqs", "cache-mode": "setting.cache_quant"}

_VLLMS = ("vllm", "vllm-ascend", "vllm-gaudi", "vllm-metal", "tpu-inference")
_SGLANGS, _LMDEPLOYS, _LLAMAS = ("sglang", "ktransformers"), ("lmdeploy-pytorch", "lmdeploy-turbomind"), ("llama.cpp", "ik-llama.cpp")
SPELLINGS: dict[str, Mapping[str, str | Facts]] = {
    **dict.fromkeys(_VLLMS, _VLLM) | dict.fromkeys(_SGLANGS, _SGLANG) | dict.fromkeys(_LMDEPLOYS, _LMDEPLOY),
    **{"llama.cpp": _LLAMA | _LLAMA_VARIABLES, "ik-llama.cpp": _LLAMA | _IK_LLAMA},
    **{"tensorrt-llm": _TENSORRT, "tgi": _TGI, "exllamav3": _TABBY, "ollama": {"num-ctx": "max_model_len"}},
    **{"openvino-genai": {"kv-cache-precision": "cache.dtype"}, "optimum-intel": {"weight-format": "weights.format"}},
}
"""By engine. `flag=value` is what a flag says with that value only."""

DRAFTS = {
    **dict.fromkeys(_VLLMS, ("speculative-config.model",)),
    **dict.fromkeys(_LLAMAS, ("spec-draft-model", "model-draft", "md", "LLAMA_ARG_SPEC_DRAFT_MODEL")),
    **{"mlx-lm": ("draft-model",), "mlx-vlm": ("draft-model",), "exllamav3": ("draft-model-name",), "openvino-genai": ("draft-source-model",)},
}
"""The flags that name a draft, and with it a method where none is named."""
BY_NAME = (*_VLLMS, "mlx-vlm")
"""Engines that look at the draft for the method; with the others a draft is a small model."""
METHODS = {"eagle3": "eagle3", "eagle": "eagle", "dflash": "dflash", "mtp": "mtp", "assistant": "mtp"}
"""Words in the names of drafts, and the methods that they are made for."""

VARIABLES = {
    **dict.fromkeys(_VLLMS, ("VLLM_",)) | dict.fromkeys(_SGLANGS, ("SGLANG_", "SGL_")) | dict.fromkeys(_LLAMAS, ("LLAMA_ARG_", "GGML_")),
    **dict.fromkeys(_LMDEPLOYS, ("LMDEPLOY_", "TM_")),
    **{"ollama": ("OLLAMA_",), "tensorrt-llm": ("TRTLLM_", "TLLM_"), "mlx-vlm": ("MLX_", "APC_")},
}
"""How the environment variables begin that an engine reads: those that no fact stands behind are told, too."""
FLAGS_AS_VARIABLES = ("tgi",)
"""Engines that take each flag from a variable of its name, too: --num-shard from NUM_SHARD."""

REFUSE_TWICE = ("tgi",)
"""Engines whose parser (clap) takes no flag twice; with every other (argparse, click, cxxopts, llama.cpp's own, which warns) the last counts."""

LONG_FORMS = {"ac.": "attention-config.", "cc.": "compilation-config.", "O.": "compilation-config.", "sc.": "speculative-config."}
DTYPES = {"bfloat16": "bf16", "float16": "fp16", "half": "fp16", "float32": "fp32", "float": "fp32"}
"""Words of PyTorch for what the units call otherwise."""
FORMATS = {
    **{"awq_marlin": "awq", "auto_awq": "awq", "gptq_marlin": "gptq", "auto_gptq": "gptq", "auto-round": "gptq", "modelopt_fp4": "nvfp4"},
    **{"modelopt_fp8": "fp8", "fbgemm_fp8": "fp8", "w8a8_fp8": "fp8", "fp8_per_tensor": "fp8", "fp8_per_block": "fp8", "fp8_per_channel": "fp8"},
    **{"experts_int8": "int8", "w8a8_int8": "int8", "int8_per_channel_weight_only": "int8", "gpt_oss_mxfp4": "mxfp4", "nvfp4_online": "nvfp4"},
    **dict.fromkeys(("bnb-4bit", "bnb-8bit", "bitsandbytes-nf4", "bitsandbytes-fp4"), "bitsandbytes"),
}
"""Quantization methods whose weights are of one format of the vocabulary."""
