"""Log lines that show a gotcha of the smaller engines, in our own shortened form, by the gotchas that share the error."""

from __future__ import annotations

OTHERS: dict[tuple[str, ...], str] = {
    ("llamacpp-jinja-default-template-fails",): (
        "common_chat_templates_init: error: Expected iterable or object type in for loop: got String\nmain: exiting due to model loading error"
    ),
    ("ikllama-qwen3next-checkpoints-never-restored",): (
        "slot apply_checkp: erased invalidated context checkpoint (pos_min = 8191, pos_max = 8191, size = 75.376 MiB)"
    ),
    ("ikllama-cpu-kv-type-gibberish",): "KV cache types q5_0, q5_0 are not supported on the CPU",
    ("lmdeploy-turbomind-silent-fallback-pytorch",): (
        "lmdeploy - WARNING - archs.py:61 - Fallback to pytorch engine because `/models/gemma-4-31b` not supported by turbomind engine."
    ),
    ("lmdeploy-turbomind-fp8-presm90-regression",): "[TM][FATAL] No feasible kernel found for the problem: sm75_f16_e4m3b128_f16_tnt_16x4096x4096_1",
    ("mlxlm-kvbits-head-not-multiple-of-group",): (
        "ValueError: [quantize] The last dimension of the matrix needs to be divisible by the quantization group size 64"
    ),
    ("ollama-gemma-swa-kv-overestimate",): 'level=INFO msg="llama-server model predicted to exceed available memory, evicting" predicted="60 GiB"',
    ("ollama-mlx-mixed-precision-moe-panics",): (
        "panic: runtime error: index out of range [0] with length 0\n  x/models/qwen3_5/qwen3_5.go: SparseMoE.Forward"
    ),
    ("ollama-030-v100-kernel-image-invalid",): "CUDA error: device kernel image is invalid\n  current device: 0, in function ggml_cuda_mul_mat_q",
    ("ollama-kv-quant-arch-allowlist",): (
        'time=2026-03-01T10:00:00.000Z level=WARN source=server.go:250 msg="quantized kv cache requested but flash attention disabled" type=q8_0'
    ),
    ("genai-gemma4-kv-heads-by-layer",): "Got invalid dimensions for input: past_key_values.5.key for the following indices\n index: 1 Got: 8 Expected: 2",
    ("mlxvlm-qat-path-skips-kv-quant",): "INFO: Model /models/gemma-3-4b-it-qat-4bit is quantization aware; KV cache will not be quantized.",
    ("ascend-dflash-mixed-drafter-needs-v2",): "ValueError: DFlash drafters with mixed sliding/full attention require the V2 model runner.",
    ("vllm-ascend-qwen35-prefix-align-indexerror",): (
        'File "vllm/v1/worker/mamba_utils.py", line 120, in collect_mamba_copy_meta\n'
        "    block_id = block_ids[src_block_idx]\nIndexError: list index out of range"
    ),
    ("ovgenai-cache-rotation-port-missing",): "RuntimeError: Port for tensor name rotation_trig_lut was not found.",
    ("ovgenai-grammar-terminated-under-drafts",): (
        "grammar_matcher.cc:627: Check failed: GrammarMatcher has terminated after accepting the stop token, but is trying to find the next mask"
    ),
    ("gaudi-gemma4-before-1619",): "KeyError: 'language_model.model.layers.24.self_attn.attn'",
    ("tpu-latent-attention-asks-for-two-settings",): (
        "ValueError: MLA models require both the NEW_MODEL_DESIGN=1 environment variable to be set and DP attention set via: "
        """--additional_config '{"sharding": {"sharding_strategy": {"enable_dp_attention": true}}}'"""
    ),
    ("tpu-gemma4-e-models-shared-layers-overwrite",): "AttributeError: 'Tensor' object has no attribute '_elem'",
    ("tpu-llama4-rope-without-factor-keyerror",): (
        '    self.rope_scaling["scale_factor"] = self.rope_scaling.pop("factor")\n                                        ^^^^^^^^^^^^^^^\nKeyError: \'factor\''
    ),
    ("vllm-metal-falcon-h1-offsetcache",): (
        "TypeError: 'OffsetCache' object is not subscriptable\n"
        "Paged attention cannot serve layer 0 of this model: 'mamba' (FalconH1Mixer) carries per-request state that no paged wrapper manages"
    ),
    ("trtllm-kimi-k26-rejection-sampling-crash",): "Indexing.cu:1515: indexSelectSmallIndex: block [0,0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
    (
        "ovgenai-gemma4-export-without-fused-attention",
    ): "RuntimeError: No ScaledDotProductAttention operation observed in the graph, cannot perform the transformation",
    ("tgi-shards-must-divide-heads",): "ValueError: `num_heads` must be divisible by `num_shards` (got `num_heads`: 32 and `num_shards`: 3)",
    ("llamacpp-prompt-cache-host-memory",): "srv    load_model: prompt cache is enabled, size limit: 8192 MiB",
    ("gaudi-hybrid-prefills-merged-assert",): "    assert len(contents.req_ids) == 1\nAssertionError",
    ("gaudi-mrope-batched-prompts-shape",): (
        "RuntimeError: The expanded size of the tensor (4) must match the existing size (3) at non-singleton dimension 0.  Target sizes: [4, 1275]."
    ),
    ("ollama-bge-m3-embedding-nan",): '{"error":"failed to encode response: json: unsupported value: NaN"}',
    ("mlxvlm-phi3-vision-runs-past-end",): "A cat on a sofa.<|end|><|endoftext|><|end|><|endoftext|><|end|>",
    ("mlxvlm-lfm-tool-calls-as-text",): '"content": "<|tool_call_start|>[get_weather(city=\'Oslo\')]<|tool_call_end|>", "tool_calls": []',
    ("llamacpp-split-mode-row-refused",): "llama_model_load: error loading model: device CUDA0 does not support split buffers",
    ("llamacpp-tensor-split-cache-types-abort",): "ggml/src/ggml-backend-meta.cpp:538: GGML_ASSERT(ret.axis != GGML_BACKEND_SPLIT_AXIS_UNKNOWN) failed",
    ("lmdeploy-pytorch-ranks-must-divide-heads",): "AssertionError: num_attention_heads=64 should be divisible by TP=6",
}
