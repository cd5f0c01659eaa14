"""Log lines that show a gotcha, in our own shortened form, by the gotchas that share the error."""

from __future__ import annotations

from answer.diagnose.examples_others import OTHERS
from answer.diagnose.examples_sglang import SGLANG
from answer.diagnose.examples_vllm import VLLM

EXAMPLES: dict[tuple[str, ...], str] = {
    ("flashinfer-fa2-head-dim-not-multiple-of-64",): (
        "CUDA Error: an illegal memory access was encountered (CUDA Error: 700) (site-packages/flashinfer/attention/prefill.cuh: line 2349)"
    ),
    ("flashinfer-cubin-version-differs",): (
        "RuntimeError: flashinfer-cubin version (0.6.13) does not match flashinfer version (0.6.14). Please install the same version of both packages."
    ),
    ("flashinfer-cubin-mismatch-ignored",): (
        "WARNING Ignoring incompatible flashinfer-cubin package (cubins will be downloaded on demand): flashinfer-cubin version (0.7.1) does not match"
    ),
    ("flashinfer-fp8kv-h512-prefill-smem-99kb",): "RuntimeError: Required shared memory (131072 bytes) for head_dim_qk=512 exceeds the limit",
    ("flashinfer-rejects-large-head-dim",): (
        "ValueError: Selected backend AttentionBackendEnum.FLASHINFER is not valid for this configuration. Reason: ['head_size not supported']"
    ),
    ("vllm-gptoss-flashinfer-sink-rejected-sm120",): (
        "ValueError: Selected backend AttentionBackendEnum.FLASHINFER is not valid for this configuration. Reason: ['sink setting not supported']"
    ),
    ("llamacpp-cuda-fa-f16-conversion",): "W ggml_cuda: no FlashAttention vector kernel compiled for K/V types q5_0/q5_0, converting",
    ("llamacpp-gemma4-e4b-mtp-fattn-abort", "llamacpp-gemma4-mtp-crash-second-prompt"): "ggml/src/ggml-cuda/fattn.cu:118: fatal error",
    ("llamacpp-quantized-v-requires-fa",): "llama_init_from_model: quantized V cache requires flash_attn to be enabled",
    ("llamacpp-quantized-v-requires-fa", "lmstudio-vulkan-2150-gemma4-fa-auto-off"): (
        "llama_init_from_model: quantized V cache was requested, but this requires Flash Attention"
    ),
    ("llamacpp-swa-full-reprocess-default", "llamacpp-swa-full-still-reprocesses"): (
        "slot update_slots: id 0 | task 9 | forcing full prompt re-processing due to lack of cache data (likely due to SWA)"
    ),
    ("llamacpp-mtp-several-slots-no-acceptance",): "slot print_timing: id  1 | task 7 | draft acceptance = 0.00000 (    0 accepted /   486 generated)",
    ("llamacpp-swa-spec-needs-swa-full",): "get_logits_ith: invalid logits id 3, reason: batch.logits[3] != true",
    ("mlx-kv-bits-crashes-on-first-request-for-hybrid-attention", "mlxlm-max-kv-size-plus-kv-bits-crash"): (
        "NotImplementedError: RotatingKVCache Quantization NYI"
    ),
    ("mlxengine-gemma3-kvquant-long-prompt",): (
        "1. scaled_dot_product_attention(q: array, k: array) -> array Invoked with types: mlx.core.array, tuple, tuple, kwargs = {scale: float}"
    ),
    ("mlxlm-gemma2-kv-bits-tuple-crash",): (
        'File "site-packages/mlx_lm/models/gemma2.py", line 81, in __call__\n    keys = mx.expand_dims(keys, 2)\nTypeError: '
        "expand_dims(): incompatible function arguments."
    ),
    ("mlxlm-gemma3n-server-batched-shared-kv",): (
        'File "site-packages/mlx_lm/models/gemma3n.py", line 133, in __call__\n    keys, values = cache.state\nValueError: too many values to '
        "unpack (expected 2)"
    ),
    ("mlxlm-hybrid-moe-prefill-oom",): "RuntimeError: [METAL] Command buffer execution failed: Insufficient Memory (00000008)",
    ("mlxlm-quantized-sdpa-gqa-batch-crash",): (
        'File "mlx_lm/models/base.py", line 90, in quantized_scaled_dot_product_attention\nValueError: [broadcast_shapes] Shapes (2,1,8,8) and '
        "(2,4,2,8,8) cannot be broadcast."
    ),
    ("mlxlm-server-kernel-panic-unbounded-kv",): 'panic(cpu 4): "completeMemory() prepare count underflow" @IOGPUMemory.cpp:550',
    ("mlxlm-spec-decode-untrimmable-valueerror",): "ValueError: Speculative decoding requires a trimmable prompt cache (got {'ArraysCache'}).",
    ("sglang-decode-radix-cache-draft-methods", "sglang-decode-radix-cache-no-spec"): (
        "ValueError: --disaggregation-decode-enable-radix-cache is incompatible with speculative decoding."
    ),
    ("sglang-decode-radix-cache-refuses-gemma4",): "ValueError: decode radix cache does not support SWA-compress models",
    ("sglang-decode-radix-cache-refuses-gemma4", "sglang-decode-radix-cache-refuses-gpt-oss"): (
        "ValueError: --disaggregation-decode-enable-radix-cache is incompatible with sliding window attention (SWA) models."
    ),
    ("sglang-decode-radix-cache-refuses-gpt-oss",): "ValueError: this cache with window attention (SWA) models requires the unified radix",
    ("sglang-lora-unmatched-weights-skipped",): (
        "WARNING LoRA adapter 'a1b2': 196 weight(s) skipped because they did not match any target module in ['gate_up_proj', 'qkv_proj']."
    ),
    ("sglang-deterministic-triton-swa-illegal-access",): (
        'File "sglang/srt/layers/attention/triton_backend.py", line 900, in _forward_extend_unified\ntorch.AcceleratorError: CUDA error: an '
        "illegal memory access was encountered"
    ),
    ("sglang-eagle-swa-cannot-start",): (
        'File "sglang/srt/layers/attention/flashinfer_backend.py", line 1100, in update_sliding_window\n    seq_lens - prefix_lens,\nTypeError: '
        "unsupported operand type(s) for -: 'Tensor' and 'NoneType'"
    ),
    ("sglang-fa3-eagle3-topk-swa-illegal-access",): (
        'File "sglang/srt/layers/attention/flashattention_backend.py", line 2480, in _init_sliding_window_attn_spec_metadata\n'
        "torch.AcceleratorError: CUDA error: an illegal memory access was encountered"
    ),
    (
        "sglang-fp8-weights-ampere",
        "vllm-fp8e4nv-kv-ampere",
    ): "ValueError(\"type fp8e4nv not supported in this architecture. The supported ones are ('fp8e5',)\")",
    ("sglang-gemma3-images-off-by-default",): ("Multimodal is disabled for gemma3. To enable it, set --enable-multimodal."),
    ("sglang-gemma4-deterministic-refused-on-sm100",): (
        "ValueError: Currently only ['fa3', 'triton'] attention backends are supported for deterministic inference, but you specified 'trtllm_mha'."
    ),
    ("sglang-gemma4-images-causal-on-trtllm-mha",): "WARNING Bidirectional attention for image tokens requires TritonAttnBackend; causal",
    ("sglang-gemma4-mtp-trtllm-swa-pool",): (
        "CUDA error: an illegal memory access was encountered\n  in fmhaSm100fKernel_QkvBfloat16OBfloat16H256PagedKvSlidingOrChunkedCausalP64"
    ),
    ("sglang-hicache-swa-unsupported",): "ValueError: HiRadixCache only supports MHA and MLA yet",
    ("sglang-hybrid-swa-allowlist-overpay",): "[2026-09-13 10:00:00] WARNING Disabling hybrid SWA memory for Gemma3ForConditionalGeneration",
    ("transformers-gemma-image-static-cache-crash",): (
        'File "transformers/models/gemma3/modeling_gemma3.py", line 737, in create_masks_for_vision_model\ntorch.AcceleratorError: CUDA error: '
        "device-side assert triggered"
    ),
    (
        "transformers-gemma4-assisted-sliding-cache-crop",
    ): "ValueError: Cannot `crop` a `DynamicSlidingWindowLayer` after it has seen more tokens than its window",
    ("trtllm-gemma3-vswa-reuse-crash-inflight",): "[TensorRT-LLM][ERROR] Assertion failed: decoderFinishedEvent must be nullopt",
    ("trtllm-gemma4-trtllmgen-unsupported-sm120",): "RuntimeError: Error in function 'TllmGenFmhaRunner' at x.cuh:40: Unsupported architecture",
    ("trtllm-gptoss-flashinfer-drops-sinks",): "AssertionError: Attention sinks are only supported for TRTLLM backend.",
    ("trtllm-gptoss-sinks-sm90-only-assert",): "[TensorRT-LLM][ERROR] Assertion failed: attention sinks is only supported on SM90",
    ("trtllm-gptoss-tinygemm2-invalid-argument-sm120",): "RuntimeError: tinygemm2_cuda.cu 64 - invalid argument",
    ("vllm-025-gemma4-mtp-projection-shape",): "RuntimeError: a and b must have same reduction dim, but got [s47, 3840] X [5632, 1024].",
    ("vllm-0271-aarch64-gemma4-transformers-5150",): "transformers.AmbiguousGlobalPerLayerAttributeError: head_dim differs between layers",
    ("vllm-cutlass-moe-fp8-sm12x-missing",): "INFO [fp8.py:330] Using TRITON Fp8 MoE backend out of potential backends: ['TRITON', 'MARLIN'].",
    ("vllm-disable-hybrid-kv-manager-swa-overpay", "vllm-tt-full-kv-for-swa"): (
        "WARNING [kv_cache_utils.py:1150] Hybrid KV cache manager is disabled for this hybrid model, This means we do not enable any optimizations"
    ),
    ("vllm-eagle-swa-alignment-assert",): "AssertionError: aligned_length is not compatible with eagle now",
    ("vllm-fa4-gemma4-fp8kv-falls-back-to-triton", "vllm-gptoss-sm100-sinks-regression-triton-only"): (
        "INFO [cuda.py:411] Using TRITON_ATTN attention backend out of potential backends: ['TRITON_ATTN']."
    ),
    ("vllm-fine-grained-prefix-hits-disabled-by-swa-group",): (
        "WARNING Disabling fine-grained prefix-cache hits because these KV cache managers require block-aligned lookups: SlidingWindowManager"
    ),
    ("vllm-flashinfer-sm90-sliding-window-refused", "vllm-gemma4-mtp-fp8kv-sm90-flashinfer-crash"): (
        "ValueError: FlashInfer backend on SM90 currently crashes with sliding-window attention layers"
    ),
    ("vllm-flashinfer-xqa-head512-invalid-sm120",): "ValueError: Invalid head_dim: 512, must be divisible by 16 and in range [16, 256]",
    ("vllm-fp8e4nv-kv-ampere", "vllm-gemma4-ampere-bf16-kv-only"): "FP8 KV cache is not supported by the Triton attention backend on SM86",
    ("vllm-gemma2-fa-build-no-tanh-softcap-h100",): "RuntimeError: This flash attention build does not support tanh softcap.",
    ("vllm-gemma4-forced-triton-attn-slow-decode",): (
        "INFO [config.py:340] Gemma4 model has heterogeneous head dimensions (head_dim=256, global_head_dim=512). Forcing TRITON_ATTN backend"
    ),
    ("vllm-gemma4-mtp-missing-h512-cubin-b200",): (
        "RuntimeError: Error in function 'loadKernel' at fmhaKernels.cuh:900: Trtllm-gen kernels not found: qkvLayout=2, headDimQk=512, headDimV=512"
    ),
    ("vllm-gemma4-nvfp4-fp8kv-fa2-dtype-crash-blackwell",): "RuntimeError: FlashAttention only support fp16 and bf16 data type",
    ("vllm-gemma4-triton-head512-turing-smem",): (
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 98304, Hardware limit: 65536."
    ),
    ("vllm-gptoss-flashinfer-sinks-notimplemented-b200",): "NotImplementedError: FlashInfer backend currently does not support attention sinks",
    ("vllm-gptoss-sinks-need-fa3-ada",): "AssertionError: Sinks are only supported in FlashAttention 3",
    ("vllm-flashinfer-cubin-missing-dflash-slow",): "INFO flashinfer is unavailable; the DFlash2 selector uses torch.topk, at roughly half the speed.",
    ("vllm-kv-sharing-fast-prefill-invalid-prompt-logprobs",): (
        "ValueError: --kv-sharing-fast-prefill produces incorrect logprobs for prompt tokens, please disable it"
    ),
    ("vllm-kv-sharing-fast-prefill-refuses-eagle",): (
        "NotImplementedError: Fast prefill optimization for KV sharing is not compatible with EAGLE as EAGLE requires correct logits"
    ),
    ("vllm-rocm-attn-slow-swa",): "INFO [rocm.py:310] Using ROCM_ATTN attention backend out of potential backends: ['ROCM_ATTN', 'TRITON_ATTN'].",
    **OTHERS,
    **SGLANG,
    **VLLM,
    ("sglang-dsv32-fp8kv-assert",): (
        'File "sglang/srt/mem_cache/memory_pool.py", line 1505, in set_kv_buffer\n    assert not (self.use_nsa and self.nsa_kv_cache_store_fp8)'
    ),
    ("sglang-dsv32-dp-attention-indexer-assert",): ("AssertionError: assert logits.shape[0] == len(seq_lens_expanded)"),
    ("sglang-dsv4-sparse-prefill-sm120",): ("RuntimeError: Sparse Attention Forward Kernel is only supported on SM90a and SM100f architectures."),
    ("sglang-blackwell-gdn-flashinfer-gated",): (
        "AssertionError: Only {'trtllm_mha', 'triton', 'fa4'} backends are supported on\nBlackwell GPUs "
        "for hybrid GDN models. Got prefill=flashinfer, decode=flashinfer."
    ),
    ("trtllm-mla-kv-reuse-arch-and-dtype-limits",): (
        "[TRT-LLM] [W] KV cache reuse for MLA can only be enabled on SM90/SM100/SM103/SM120, disable enable_block_reuse for SM89"
    ),
    ("trtllm-legacy-mamba-cache-no-block-reuse",): (
        "ValueError: TRTLLM_USE_PY_MAMBA=1 forces MixedMambaHybridCacheManager, which does not support block reuse."
    ),
    ("sglang-rocm-minimax-m3-mxfp8-cookbook",): ("ValueError: mxfp8 quantization is currently not supported in ROCm."),
    ("sglang-qwen35-spec-radix-no-buffer",): (
        "ValueError: Speculative decoding for Qwen3_5MoeForConditionalGeneration is not compatible with "
        "radix cache when using --mamba-scheduler-strategy no_buffer."
    ),
    ("sglang-qwen35-vision-heads-tp6",): ("AssertionError: 16 is not divisible by 6"),
    ("sglang-dsa-topk-v2-pre-hopper-compile",): ('topk_impl.cuh(718): error: namespace "cooperative_groups" has no member "this_cluster"'),
    ("llamacpp-vulkan-glm47-expert-choice-assert",): ("llama.cpp/ggml/src/ggml-backend.cpp:1517: GGML_ASSERT(id >= 0 && id < n_expert) failed"),
    (
        "llamacpp-kimi-k27-tool-grammar",
        "llamacpp-qwen36-tool-call-dropped",
    ): ("W common_chat_peg_parse: unparsed peg-native output: <tool_call>"),
    ("llamacpp-minimax-m27-parse-error",): ('{"error":{"code":500,"message":"Failed to parse input at pos 144: <minimax:tool_call>'),
    ("llamacpp-metal4-probe-m5",): ("ggml_metal_library_init_from_source: error: use of undeclared identifier 'mpp'"),
    ("llamacpp-auto-slots-share-context",): ("srv send_error: task id = 7, error: Context size has been exceeded."),
    ("mlxlm-qwen3-coder-wrong-number-drops-call",): (
        "WARNING - Failed to parse tool call (ValueError: could not convert string to float: 'ten') — tool text was likely truncated mid-generation."
    ),
    ("mlxlm-truncated-tool-call-lost",): ("ValueError: No function provided."),
    ("mlxlm-mistral-json-list-calls-dropped",): ('ValueError: Could not parse tool call from: [{"name": "calculator", "arguments": {"expression": "2+3"}}]'),
    ("transformers-mamba2-slow-path-chunks-wrong",): (
        "The fast path is not available because one of `(selective_state_update, causal_conv1d_fn, causal_conv1d_update)` is None. "
        "Falling back to the naive implementation."
    ),
    ("trtllm-kimi-k25-guided-decoding-init",): ("AttributeError: 'KimiK25ForConditionalGeneration' object has no attribute 'vocab_size_padded'"),
    ("trtllm-guided-draft-schedule-zero",): ("RuntimeError: bitmask must have the same batch size as logits"),
    ("trtllm-kimi-k25-fast-tokenizer",): ("Could not extract SentencePiece model from tiktoken.model"),
    ("trtllm-qwen3-autotune-grouped-gemm",): ("[TensorRT-LLM][ERROR] Assertion failed: Failed to initialize cutlass TMA WS grouped gemm."),
    ("fa4-no-split-or-paged-by-architecture",): ("AssertionError: paged KV not supported on SM 8.0"),
    ("trtllm-nvfp4-geforce-blackwell-0190",): "RuntimeError: FP4 Gemm not supported before Blackwell, nor GeForce Blackwell",
    (
        "vllm-flashinfer-one-window-for-all-layers",
    ): "ValueError: The FlashInfer backend currently only supports models in which all layers share the same values for its parameters",
    ("vllm-qwen36-graph-capture-kernel-image-h100",): "RuntimeError: CUDA error: device kernel image is invalid",
}

# A second form of the same error, where the engine prints two.
MORE: dict[tuple[str, ...], str] = {
    ("vllm-kv-sharing-fast-prefill-invalid-prompt-logprobs",): (
        "VLLMValidationError: prompt_logprob_token_ids is incorrect with --kv-sharing-fast-prefill; disable it for scoring."
    ),
    ("vllm-glm53flash-sm120-flashinfer-fail",): ("FLASHINFER_MLA_SPARSE_SM120: [FLASHINFER_MLA_SPARSE_SM120 requires FlashInfer's sparse MLA decode API]"),
    ("llamacpp-gemma4-e4b-mtp-fattn-abort",): "ggml/src/ggml-cuda/fattn-tile.cuh:1343: fatal error",
    ("mlxlm-gemma3n-server-batched-shared-kv",): 'too many values to unpack (expected 2)\n  File "mlx_lm/models/gemma3n.py", line 133',
    ("sglang-deterministic-triton-swa-illegal-access",): "CUDA error: an illegal memory access was encountered inside `_fwd_kernel_unified`",
    ("vllm-025-gemma4-mtp-projection-shape",): "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8192x3840 and 5632x1024)",
    ("vllm-gemma4-mtp-missing-h512-cubin-b200",): "RuntimeError: Missing TRTLLM-GEN kernel (decode): qkvLayout=2, headDimQk=512, headDimV=512",
    ("vllm-gemma4-triton-head512-turing-smem",): (
        "triton.runtime.errors.OutOfResources: out of resource: shared memory,\nRequired: 98304, Hardware limit: 65536"
    ),
    ("vllm-cutlass-moe-fp8-sm12x-missing",): "INFO [fp8.py:500] Using Marlin backend for FP8 MoE",
    ("vllm-fa4-gemma4-fp8kv-falls-back-to-triton", "vllm-gptoss-sm100-sinks-regression-triton-only"): "INFO [cuda.py:427] Using TRITON_ATTN backend.",
}
