"""Log lines that show a gotcha of vLLM, in our own shortened form, by the gotchas that share the error; the rest of examples.py."""

from __future__ import annotations

VLLM: dict[tuple[str, ...], str] = {
    ("vllm-inkling-tool-call-leaks-in-stream",): "<|content_invoke_tool_json|>",
    ("vllm-hybrid-prefix-cache-short-prompts",): (
        "INFO [config.py:281] Setting attention block size to 528 tokens to ensure that attention page size is >= mamba page size."
    ),
    ("vllm-mamba-blocks-lt-max-num-seqs",): (
        "ValueError: max_num_seqs (1024) exceeds available Mamba cache blocks (856). Each decode sequence requires one Mamba cache block"
    ),
    ("vllm-dflash-quantized-drafter-fused-kv",): ("RuntimeError: expected mat1 and mat2 to have the same dtype, but got: c10::BFloat16 != c10::Float8_e4m3fn"),
    ("vllm-lmcache-fs-native-failed-store-served",): "LMCache WARNING: Store task 4711 to adapter 0 failed for keys: [ObjectKey(...)]",
    ("dynamo-mamba-hybrid-prefix-pd-crash",): "AssertionError: SSM can only have one local block",
    ("vllm-nvfp4-moe-sm120-capability-regression",): ("RuntimeError: FlashInfer-CUTLASS MoE kernel does not support current device sm_120"),
    ("vllm-deepseek-v32-sm120-no-sparse-backend",): (
        "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=576, dtype=torch.bfloat16, "
        "kv_cache_dtype=auto, block_size=None, use_mla=True, has_sink=False, use_sparse=True, use_mm_prefix=False, attn_type=decoder). "
        "Reasons: {FLASHINFER_MLA: [sparse not supported, compute capability not supported], TRITON_MLA: [sparse not supported], "
        "FLASHMLA_SPARSE: [compute capability not supported]}."
    ),
    ("vllm-glm53flash-sparse-mla-ada",): (
        "ValueError: No valid attention backend found for cuda with AttentionSelectorConfig(head_size=512, dtype=torch.bfloat16, "
        "kv_cache_dtype=auto, block_size=None, use_mla=True, has_sink=False, use_sparse=True, use_mm_prefix=False)."
    ),
    ("vllm-w4a16fp4-turing-unsupported",): (
        "mm_fp4 does not support backend 'cutlass' with capability 75\n"
        "RuntimeError: ('Quantization scheme is not supported for ', 'the current GPU. Min capability: 80. ', 'Current capability: 75.')"
    ),
    ("vllm-glm46-nvfp4-dgx-spark-stack",): (
        "RuntimeError: FlashInfer kernels unavailable for ModelOptNvFp4FusedMoE on current platform\n"
        "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'\n"
        "RuntimeError: [FP4 gemm Runner] Failed to run cutlass FP4 gemm on sm120. Error: Error Internal"
    ),
    ("vllm-tp-must-divide-heads",): "ValueError: Total number of attention heads (52) must be divisible by tensor parallel size (8).",
    ("vllm-mistral3-hf-text-only-profiling-crash",): (
        "ValueError: Mismatch in `image` token count between text and `input_ids`. Got ids=[0] and text=[1].\n"
        "ValueError: Failed to apply PixtralProcessor on data={'text': '[IMG]'} with kwargs={}"
    ),
    ("vllm-v1-engine-default-memory",): "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests.",
    ("vllm-flashmla-v1-fp8kv-unsupported-085",): "NotImplementedError: FlashMLA V1 with FP8 KV cache not yet supported",
    ("vllm-fp8-quant-gdn-gb10-cutlass",): (
        'File "vllm/_custom_ops.py", line 845, in cutlass_scaled_mm\n    torch.ops._C.cutlass_scaled_mm(out, a, b, scale_a, scale_b, bias)\n'
        "RuntimeError: Error Internal"
    ),
    ("vllm-block-fp8-tp-shard-smaller-than-block",): (
        "ValueError: Weight input_size_per_partition = 64 is not divisible by weight quantization block_k = 128."
    ),
    ("vllm-dsv32-nixl-fp8-type-cast",): "RuntimeError: src_cache must be uint8",
    ("vllm-dsv32-pd-num-kv-heads-assert",): "AssertionError: num_kv_heads == 1",
    ("vllm-gguf-qwen3vlmoe-unsupported",): "ValueError: GGUF model with architecture qwen3vlmoe is not supported yet.",
    ("vllm-cudagraph-memory-estimate-default-019",): (
        "INFO [gpu_worker.py:578] CUDA graph memory profiling is enabled (default since v0.21.0). The current --gpu-memory-utilization=0.8200 "
        "is equivalent to --gpu-memory-utilization=0.8048 without CUDA graph memory profiling."
    ),
    ("vllm-lora-hybrid-moe-perturbs-base",): "INFO [lora.py:88] MoE model detected. Using fused MoE LoRA implementation.",
    ("vllm-glm53flash-h100-slower-backend-chosen",): (
        "INFO [cuda.py:480] Using FLASHINFER_MLA_SPARSE_SM90 attention backend out of potential backends: ['FLASHINFER_MLA_SPARSE_SM90', "
        "'FLASH_ATTN_MLA_SPARSE']"
    ),
    ("vllm-nemotronh-gb10-relu2-experts-crash",): "RuntimeError: Invalid activation type.",
    ("vllm-dsv41-sm120-no-decode-kernel",): "ValueError: SM120 sparse-MLA has no decode kernel for this shape: num_tokens=16, num_heads=64, topk=1152",
    ("vllm-nvfp4-gb10-weight-only-kernel-chosen",): "INFO [nvfp4.py:60] Using FlashInferCuteDslNvFp4W4A16LinearKernel for NVFP4 GEMM",
    ("vllm-mistral-common-pixtral-warmup-0221",): "ValueError: Failed to apply MistralCommonPixtralProcessor on data={'text': '', 'images': []}",
    ("vllm-offloading-llama4-assert",): "    assert isinstance(kv_cache_spec, FullAttentionSpec)\nAssertionError",
    ("vllm-bitsandbytes-gone-028",): "ValueError: Unknown quantization method: bitsandbytes. Must be one of ['awq', 'fp8', 'gptq'].",
    ("vllm-gguf-left-for-plugin-024",): "ValueError: Unknown quantization method: gguf. Must be one of ['awq', 'fp8', 'gptq'].",
    ("vllm-rdna4-aiter-unified-attention-forced",): (
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 65792, Hardware limit: 65536."
    ),
    ("vllm-pipeline-hybrid-disaggregation-degenerate",): (
        "NotImplementedError: NixlPushConnector does not support pipeline_parallel_size > 1 with Mamba/SSM hybrid KV cache layouts yet."
    ),
    ("vllm-glm53flash-sm120-flashinfer-fail",): "RuntimeError: Worker failed with error 'concat_and_cache_mla, pe_dim must be 64 for fp8_ds_mla'",
    ("vllm-minimax-m3-nvfp4-cutlass-refused",): ("ValueError: NvFp4 MoE backend 'FLASHINFER_CUTLASS' does not support MoEActivation.SWIGLUOAI_UNINTERLEAVE"),
    ("vllm-minimax-m3-nvfp4-marlin-noise",): (
        "Using 'MARLIN' NvFp4 MoE backend out of potential backends: ['FLASHINFER_TRTLLM', 'FLASHINFER_CUTLASS', 'MARLIN']"
    ),
    ("vllm-mamba2-block-size-off-chunk",): (
        'File ".../vllm/model_executor/layers/mamba/mamba_mixer2.py", line 963, in conv_ssm_forward\n'
        "RuntimeError: shape mismatch: value tensor of shape [0, 48, 64, 128] cannot be broadcast to indexing result"
    ),
    ("vllm-dbrx-experts-keyerror-024",): "    param = params_dict[name]\nKeyError: 'blocks.0.ffn.experts.w13_weight'",
    ("vllm-granitemoeshared-experts-keyerror-024",): (
        "(Worker_TP1) ERROR KeyError: 'layers.0.block_sparse_moe.experts.routed_experts.routed_experts.w13_weight'"
    ),
    ("vllm-cohere2-moe-dense-first-layer-keyerror",): (
        "File \".../vllm/model_executor/models/cohere2_moe.py\", line 513, in load_weights\nKeyError: 'layers.0.mlp.down_proj.weight'"
    ),
    ("vllm-glm53flash-hopper-fp8-cache-refused",): "ValueError: MLA kv_data_type torch.uint8 is not supported. Supported dtypes: [torch.float16]",
}
