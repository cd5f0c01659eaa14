"""How the decoders of each family are built, as far as it decides how many weights there are: one row of a table a family.

Decided by models/<model_type>/modeling_<model_type>.py of each family (transformers); names of modules are those of the checkpoints.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from infercompat.derive.config import Config

GATED, PLAIN, NUMBERED = ("gate_proj", "up_proj", "down_proj"), ("up_proj", "down_proj"), ("w1", "w3", "w2")


class Anatomy(Struct, frozen=True):
    """One family. A bias is true, false or the name of the config's flag for it; "=true" after a name is the class default.

    `head_norms` are those of queries and keys: "head" has the width of one head, "all" that of all heads; `head_norms_if` names the
    flag they depend on. `norms` are a layer's, each with `norm_vectors` vectors. `fused` has what is stored as one matrix. Where
    `dense_first`, the config must say how many layers come before those with experts. `tied` is the class default of
    tie_word_embeddings, `defaults` are others that published configs rely on.
    """

    names: str
    qkv_bias: bool | str = False
    out_bias: bool | str = False
    mlp_bias: bool | str = False
    output_bias: bool | str = False
    head_norms: str = ""
    head_norms_if: str = ""
    norms: int = 2
    norm_vectors: int = 1
    mlp: tuple[str, ...] = GATED
    fused: tuple[str, ...] = ()
    sinks: bool = False
    output_gate: bool = False
    feed_forward: str = "mlp"
    router: str = "gate"
    router_bias: bool = False
    router_correction: bool = False
    dense_first: bool = False
    expert: tuple[str, ...] = GATED
    expert_bias: bool = False
    always_shared: bool = False
    shared_gate: bool = False
    gemma4: bool = False
    tied: bool = False
    defaults: dict[str, int] = field(default_factory=dict)


_BIASED: dict[str, Any] = {"qkv_bias": "attention_bias", "out_bias": "attention_bias"}
_BIASED_UNLESS: dict[str, Any] = {"qkv_bias": "attention_bias=true", "out_bias": "attention_bias=true"}
_ALL_BIASED: dict[str, Any] = {"qkv_bias": "use_bias", "out_bias": "use_bias", "mlp_bias": "use_bias"}
_MIXTRAL: dict[str, Any] = {"feed_forward": "block_sparse_moe", "expert": NUMBERED}

# fmt: off
FAMILIES = (
    Anatomy("llama cwm exaone LlamaForCausalLM", **_BIASED, mlp_bias="mlp_bias"),
    Anatomy("mistral ministral ministral3 mistral3 MistralForCausalLM Ministral3ForCausalLM"),
    Anatomy("mixtral MixtralForCausalLM", **_MIXTRAL),
    Anatomy("qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text Qwen2ForCausalLM", qkv_bias=True),
    Anatomy("qwen2_moe Qwen2MoeForCausalLM", qkv_bias="qkv_bias=true", shared_gate=True),
    Anatomy("qwen3 qwen3_moe qwen3_vl_text qwen3_vl qwen3_vl_moe_text qwen3_vl_moe Qwen3ForCausalLM Qwen3MoeForCausalLM",
            **_BIASED, head_norms="head"),
    Anatomy("qwen3_next qwen3_5_text qwen3_5 qwen3_5_moe_text qwen3_5_moe Qwen3NextForCausalLM",
            **_BIASED, head_norms="head", output_gate=True, shared_gate=True),
    Anatomy("gemma GemmaForCausalLM", **_BIASED, tied=True),
    Anatomy("gemma2 Gemma2ForCausalLM", **_BIASED, norms=4, tied=True),
    Anatomy("gemma3 gemma3_text Gemma3ForCausalLM Gemma3ForConditionalGeneration",
            **_BIASED, head_norms="head", norms=4, tied=True, defaults={"vocab_size": 262208}),
    Anatomy("gemma4 gemma4_text gemma4_unified gemma4_unified_text Gemma4ForCausalLM Gemma4ForConditionalGeneration",
            **_BIASED, head_norms="head", norms=4, gemma4=True, tied=True),
    Anatomy("phi3 Phi3ForCausalLM", fused=("qkv", "mlp")),
    Anatomy("phi phi-msft PhiForCausalLM",
            qkv_bias=True, out_bias=True, mlp_bias=True, output_bias=True, norms=1, norm_vectors=2, mlp=PLAIN),
    Anatomy("phimoe PhimoeForCausalLM PhiMoEForCausalLM", **_BIASED, **_MIXTRAL, output_bias="lm_head_bias", norm_vectors=2),
    Anatomy("gpt_oss GptOssForCausalLM",
            **_BIASED_UNLESS, fused=("experts",), sinks=True, router="router", router_bias=True, expert_bias=True),
    Anatomy("deepseek_v2 DeepseekV2ForCausalLM", **_BIASED, dense_first=True),
    Anatomy("deepseek_v3 deepseek_v32 kimi_k2 glm_moe_dsa glm4_moe_lite DeepseekV3ForCausalLM DeepseekV32ForCausalLM GlmMoeDsaForCausalLM",
            **_BIASED, router_correction=True, dense_first=True),
    Anatomy("minicpm3 youtu MiniCPM3ForCausalLM YoutuForCausalLM", **_BIASED),
    Anatomy("cohere CohereForCausalLM", **_BIASED, head_norms="all", head_norms_if="use_qk_norm", norms=1, tied=True),
    Anatomy("cohere2 Cohere2ForCausalLM", **_BIASED, norms=1, tied=True),
    Anatomy("olmo OlmoForCausalLM", **_BIASED, norms=0),
    Anatomy("olmo2 olmo3 olmoe Olmo2ForCausalLM Olmo3ForCausalLM OlmoeForCausalLM", **_BIASED, head_norms="all"),
    Anatomy("exaone4 Exaone4ForCausalLM", head_norms="head"),
    Anatomy("minimax_m2 MiniMaxM2ForCausalLM", **_MIXTRAL, head_norms="all", router_correction=True),
    Anatomy("llama4 llama4_text Llama4ForConditionalGeneration",
            **_BIASED, feed_forward="feed_forward", router="router", always_shared=True),
    Anatomy("ernie4_5 ernie4_5_moe Ernie4_5ForCausalLM Ernie4_5_MoeForCausalLM", **_ALL_BIASED, router_correction=True, tied=True),
    Anatomy("starcoder2 Starcoder2ForCausalLM",
            qkv_bias="use_bias=true", out_bias="use_bias=true", mlp_bias="use_bias=true", norm_vectors=2, mlp=PLAIN, tied=True),
    Anatomy("gpt_neox GPTNeoXForCausalLM", **_BIASED_UNLESS, mlp_bias=True, norm_vectors=2, mlp=PLAIN, fused=("qkv",)),
    Anatomy("glm GlmForCausalLM", qkv_bias="attention_bias=true", fused=("mlp",)),
    Anatomy("glm4 Glm4ForCausalLM", qkv_bias="attention_bias=true", norms=4, fused=("mlp",)),
    Anatomy("glm4_moe Glm4MoeForCausalLM",
            qkv_bias="attention_bias", head_norms="head", head_norms_if="use_qk_norm", router_correction=True, dense_first=True),
    Anatomy("hy_v3 HYV3ForCausalLM", **_BIASED, mlp_bias="mlp_bias", head_norms="head", router_correction=True, dense_first=True),
    Anatomy("granite GraniteForCausalLM", **_BIASED, mlp_bias="mlp_bias"),
    Anatomy("seed_oss SeedOssForCausalLM", qkv_bias="attention_bias=true", out_bias="attention_out_bias", mlp_bias="mlp_bias"),
    Anatomy("smollm3 SmolLM3ForCausalLM", **_BIASED, mlp_bias="mlp_bias", tied=True),
)
# fmt: on
BY_NAME = {name: family for family in FAMILIES for name in family.names.split()}


def flag(config: Config, word: bool | str) -> bool:
    """A switch of the anatomy: itself, or the config's flag of that name."""
    if isinstance(word, bool):
        return word
    name, _, default = word.partition("=")
    if default and not config.states(name):
        config.use_default(name, default, "class default")
        return True
    return config.flag(name)
