"""Small configs, as facts: the fields of published config.json files that decide how many weights there are."""

from __future__ import annotations

from typing import Any

Values = dict[str, Any]


def dense(model_type: str, layers: int, hidden: int, heads: int, kv_heads: int, inner: int, vocabulary: int, **more: Any) -> Values:
    return {
        "model_type": model_type,
        "num_hidden_layers": layers,
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "intermediate_size": inner,
        "vocab_size": vocabulary,
        **more,
    }


def sparse(model_type: str, layers: int, hidden: int, heads: int, kv_heads: int, inner: int, vocabulary: int, experts: int, **more: Any) -> Values:
    return dense(model_type, layers, hidden, heads, kv_heads, inner, vocabulary, num_experts=experts, **more)


UNTIED, TIED = {"tie_word_embeddings": False}, {"tie_word_embeddings": True}

LLAMA_3_1_8B = dense("llama", 32, 4096, 32, 8, 14336, 128256, **UNTIED)
LLAMA_3_2_1B = dense("llama", 16, 2048, 32, 8, 8192, 128256, head_dim=64, **TIED)
MISTRAL_7B_V0_1 = dense("mistral", 32, 4096, 32, 8, 14336, 32000, sliding_window=4096, **UNTIED)
MISTRAL_7B_V0_3 = dense("mistral", 32, 4096, 32, 8, 14336, 32768, sliding_window=None, **UNTIED)
QWEN_2_5_7B = dense("qwen2", 28, 3584, 28, 4, 18944, 152064, **UNTIED)
QWEN_3_8B = dense("qwen3", 36, 4096, 32, 8, 12288, 151936, head_dim=128, attention_bias=False, **UNTIED)
GEMMA_2B = dense("gemma", 18, 2048, 8, 1, 16384, 256000, head_dim=256)
GEMMA_2_2B = dense("gemma2", 26, 2304, 8, 4, 9216, 256000, head_dim=256, sliding_window=4096)
PHI_3_MINI = dense("phi3", 32, 3072, 32, 32, 8192, 32064, sliding_window=2047)
OLMO_2_7B = dense("olmo2", 32, 4096, 32, 32, 11008, 100352, attention_bias=False, **UNTIED)
ERNIE_0_3B = dense("ernie4_5", 18, 1024, 16, 2, 3072, 103424, head_dim=128, use_bias=False, **TIED)
AYA_23_8B = dense("cohere", 32, 4096, 32, 8, 14336, 256000, use_qk_norm=False)
MIXTRAL_8X22B = sparse("mixtral", 56, 6144, 48, 8, 16384, 32000, 8, num_experts_per_tok=2, **UNTIED)
QWEN_3_30B_A3B = sparse(
    "qwen3_moe",
    *(48, 2048, 32, 4, 6144, 151936, 128),
    head_dim=128,
    num_experts_per_tok=8,
    moe_intermediate_size=768,
    decoder_sparse_step=1,
    mlp_only_layers=[],
    **UNTIED,
)
QWEN_1_5_MOE = sparse(
    "qwen2_moe",
    *(24, 2048, 16, 16, 5632, 151936, 60),
    num_experts_per_tok=4,
    moe_intermediate_size=1408,
    shared_expert_intermediate_size=5632,
    decoder_sparse_step=1,
    **UNTIED,
)
GPT_OSS_120B = sparse(
    "gpt_oss",
    *(36, 2880, 64, 8, 2880, 201088, 128),
    head_dim=64,
    sliding_window=128,
    num_experts_per_tok=4,
    attention_bias=True,
    quantization_config={
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"],
    },
    **UNTIED,
)
GPT_OSS_20B = GPT_OSS_120B | {"num_hidden_layers": 24, "num_experts": 32}
DEEPSEEK_V3 = sparse(
    "deepseek_v3",
    *(61, 7168, 128, 128, 18432, 129280, 256),
    num_experts_per_tok=8,
    moe_intermediate_size=2048,
    n_shared_experts=1,
    first_k_dense_replace=3,
    moe_layer_freq=1,
    kv_lora_rank=512,
    q_lora_rank=1536,
    qk_nope_head_dim=128,
    qk_rope_head_dim=64,
    v_head_dim=128,
    quantization_config={"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": [128, 128]},
    **UNTIED,
)
DEEPSEEK_V2_LITE = sparse(
    "deepseek_v2",
    *(27, 2048, 16, 16, 10944, 102400, 64),
    num_experts_per_tok=6,
    moe_intermediate_size=1408,
    n_shared_experts=2,
    first_k_dense_replace=1,
    kv_lora_rank=512,
    q_lora_rank=None,
    qk_nope_head_dim=128,
    qk_rope_head_dim=64,
    v_head_dim=128,
    **UNTIED,
)
MINIMAX_M2 = sparse(
    "minimax_m2",
    *(62, 3072, 48, 8, 1536, 200064, 256),
    head_dim=128,
    num_experts_per_tok=8,
    quantization_config={
        "quant_method": "fp8",
        "weight_block_size": [128, 128],
        "modules_to_not_convert": ["gate", "e_score_correction_bias", "lm_head"],
    },
    **UNTIED,
)
QWEN_3_NEXT = sparse(
    "qwen3_next",
    *(48, 2048, 16, 2, 5120, 151936, 512),
    head_dim=256,
    num_experts_per_tok=10,
    moe_intermediate_size=512,
    shared_expert_intermediate_size=512,
    decoder_sparse_step=1,
    full_attention_interval=4,
    linear_conv_kernel_dim=4,
    linear_key_head_dim=128,
    linear_value_head_dim=128,
    linear_num_key_heads=16,
    linear_num_value_heads=32,
    **UNTIED,
)
LLAMA_4_SCOUT = {
    "model_type": "llama4",
    "text_config": sparse(
        "llama4_text",
        *(48, 5120, 40, 8, 8192, 202048, 16),
        head_dim=128,
        num_experts_per_tok=1,
        intermediate_size_mlp=16384,
        interleave_moe_layer_step=1,
        attention_chunk_size=8192,
        no_rope_layers=[],
        **UNTIED,
    ),
}
GEMMA_4_31B = {
    "model_type": "gemma4",
    "text_config": dense(
        "gemma4_text",
        *(60, 5376, 32, 16, 21504, 262144),
        head_dim=256,
        global_head_dim=512,
        num_global_key_value_heads=4,
        attention_k_eq_v=True,
        sliding_window=1024,
        layer_types=["sliding_attention" if index % 6 < 5 else "full_attention" for index in range(60)],
    ),
}
GEMMA_4_E2B = {
    "model_type": "gemma4",
    "text_config": dense(
        "gemma4_text",
        *(35, 1536, 8, 1, 6144, 262144),
        head_dim=256,
        global_head_dim=512,
        sliding_window=512,
        num_kv_shared_layers=20,
        use_double_wide_mlp=True,
        hidden_size_per_layer_input=256,
        vocab_size_per_layer_input=262144,
        layer_types=["sliding_attention" if index % 5 < 4 else "full_attention" for index in range(35)],
    ),
}
GEMMA_4_26B_A4B = {
    "model_type": "gemma4",
    "text_config": dense(
        "gemma4_text",
        *(30, 2816, 16, 8, 2112, 262144),
        head_dim=256,
        global_head_dim=512,
        num_global_key_value_heads=2,
        attention_k_eq_v=True,
        sliding_window=1024,
        enable_moe_block=True,
        num_experts=128,
        top_k_experts=8,
        moe_intermediate_size=704,
        layer_types=["sliding_attention" if index % 6 < 5 else "full_attention" for index in range(30)],
    ),
}

PUBLISHED = [
    (LLAMA_3_1_8B, 8_030_261_248),
    (LLAMA_3_2_1B, 1_235_814_400),
    (MISTRAL_7B_V0_1, 7_241_732_096),
    (MISTRAL_7B_V0_3, 7_248_023_552),
    (QWEN_2_5_7B, 7_615_616_512),
    (QWEN_3_8B, 8_190_735_360),
    (GEMMA_2B, 2_506_172_416),
    (GEMMA_2_2B, 2_614_341_888),
    (PHI_3_MINI, 3_821_079_552),
    (OLMO_2_7B, 7_298_617_344),
    (ERNIE_0_3B, 360_748_032),
    (QWEN_3_30B_A3B, 30_532_122_624),
    (QWEN_1_5_MOE, 14_315_784_192),
    (GPT_OSS_120B, 116_829_156_672),
    (GPT_OSS_20B, 20_914_757_184),
    (DEEPSEEK_V3, 671_026_419_200),
    (DEEPSEEK_V2_LITE, 15_706_484_224),
    (MINIMAX_M2, 228_689_764_864),
    (QWEN_3_NEXT, 79_674_391_296),
]
"""Configs and the number of parameters that the hub states for a checkpoint of this shape (DeepSeek V3: that of MAI-DS-R1 in bf16)."""

BY_CODE = [
    (AYA_23_8B, 8_028_033_024),
    (MIXTRAL_8X22B, 140_620_634_112),
    (LLAMA_4_SCOUT, 107_769_861_120),
    (GEMMA_4_31B, 30_697_345_280 + 60),
    (GEMMA_4_E2B, 4_628_569_344 + 35),
    (GEMMA_4_26B_A4B, 25_233_141_760 + 30),
]
"""Text decoders as transformers 5.24 builds them without storage; Gemma 4 stores a buffer of one number a layer beside its parameters."""
