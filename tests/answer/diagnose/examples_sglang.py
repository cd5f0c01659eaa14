"""Log lines of SGLang that show a gotcha, in our own shortened form."""

from __future__ import annotations

SGLANG: dict[tuple[str, ...], str] = {
    ("sglang-draft-tree-page-size",): (
        "ValueError: trtllm_mha backend only supports topk = 1 for speculative decoding\n"
        "ValueError: speculative_eagle_topk > 1 with page_size > 1 is only supported on flashinfer, fa3 and triton"
    ),
    ("sglang-dsv4-nextn-refused",): (
        "ValueError: Only EAGLE speculative algorithm is supported for DeepseekV4ForCausalLM\n"
        "ValueError: Only EAGLE and DSPARK speculative algorithms are supported for DeepseekV4ForCausalLM\n"
        "ValueError: Only EAGLE speculative algorithm with topk == 1 is supported for DeepseekV4ForCausalLM"
    ),
    ("sglang-dsv4-trtllm-no-disaggregation",): (
        "ValueError: --dsv4-attn-backend trtllm does not support PD disaggregation yet\nValueError: --dsv4-attn-backend trtllm requires chunked prefill"
    ),
    ("sglang-eagle-draft-backends",): (
        "ValueError: EAGLE is not supported in attention backend torch_native\nValueError: EAGLE is not supported in decode attention backend torch_native"
    ),
    ("sglang-flex-attention-no-drafts",): (
        "ValueError: hpc_ops backend does not support speculative decoding\n"
        "ValueError: MiniCPM backend does not support speculative decoding\n"
        "ValueError: Speculative decoding is currently not supported with Flex Attention backend"
    ),
    ("sglang-gemma4-ple-stages-old-flag",): "ValueError: Pipeline parallelism is currently incompatible with per-layer-input (PLE) embeddings under CUDA graph",
    ("sglang-hicache-decode-context-mla-only",): "ValueError: HiCache with --dcp-size > 1 is only supported for MLA models",
    ("sglang-lightning-draft-tree-refused",): "ValueError: Lightning (seg_la) linear-attention backend does not support speculative decoding with topk > 1",
    ("sglang-lmcache-refuses-drafts",): (
        "ValueError: LMCacheUnifiedRadixCache does not yet support speculative decoding\n"
        "ValueError: LMCacheUnifiedRadixCache does not yet support DP attention\n"
        "ValueError: --enable-lmcache requires radix cache to be enabled"
    ),
    ("sglang-mamba-lazy-slots-no-disaggregation",): "ValueError: extra_buffer_lazy unsupported under PD disaggregation",
    ("sglang-minimax-m3-msa-refuses-drafts",): "ValueError: MiniMax-M3 MSA attention does not support speculative decoding under CUDA graph",
    ("sglang-moe-dp-no-pipeline",): "ValueError: PP is not supported with context parallelism",
    ("sglang-nvfp4-cache-sm100-limits",): (
        "ValueError: SM100 native NVFP4 speculative decoding does not yet support topk > 1\n"
        "ValueError: SM100 native NVFP4 with trtllm_mha does not yet support PD disaggregation\n"
        "ValueError: SM100 native NVFP4 with trtllm_mha does not yet support hierarchical KV cache or LMCache"
    ),
    ("sglang-two-batch-overlap-needs-transport",): "ValueError: When enabling two batch overlap, moe_a2a_backend cannot be none",
    ("sglang-unified-memory-limits",): (
        "ValueError: --enable-unified-memory only supports --speculative-algorithm EAGLE\nValueError: --enable-unified-memory with PD disaggregation"
    ),
    ("sglang-gemma4-lora-missing-lora-a",): "RuntimeError: Failed to load LoRA adapter tuned: 'model.layers.15.self_attn.v_proj.lora_A.weight'",
    ("sglang-attention-replicas-must-divide-ranks",): "    assert cfg.tp_size % cfg.attn_dp_size == 0\nAssertionError",
    ("sglang-kimi-linear-extra-buffer-refused",): "AssertionError: extra_buffer is not supported for KimiLinearForCausalLM; use no_buffer.",
    ("sglang-tp-must-divide-heads",): "    assert self.total_num_heads % attn_tp_size == 0\nAssertionError",
}
