"""Families whose layers all attend in the same way: K and V for every token, at most with one window for all."""

from __future__ import annotations

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import (
    FULL,
    SLIDING,
    Reader,
    attention,
    demands,
    head_width,
    interleaved,
    rotary_pattern,
    split_width,
    windowed,
)


def plain(config: Config) -> Demands | Unknown:
    """Full attention on every layer. Absent KV heads are one for each query head, an absent head width is hidden_size // heads.

    Decided by models/llama/configuration_llama.py and the like lines in the other families' files (transformers); where it has no
    file, by the model in vLLM (deepseek_v2.py for DeepseekForCausalLM, internlm2.py, minicpm.py, orion.py, solar.py, baichuan.py) or mlx-lm (qwen.py).
    """
    return demands(config, [attention(config)] * config.layer_count())


def grouped(config: Config) -> Demands | Unknown:
    """Full attention where the class has a number of its own for absent KV heads, so that the config must state them.

    Decided by models/<model_type>/configuration_<model_type>.py of each family (transformers), and bailing_moe.py and phi3_small.py (vLLM).
    """
    return demands(config, [attention(config, stated="num_key_value_heads")] * config.layer_count())


def wide(config: Config) -> Demands | Unknown:
    """Full attention where the class has numbers of its own for KV heads and head width, so that the config must state both.

    Decided by models/<model_type>/configuration_<model_type>.py of each family (transformers), and step3_text.py (vLLM).
    """
    return demands(config, [attention(config, stated="num_key_value_heads head_dim")] * config.layer_count())


def falcon(config: Config) -> Demands | Unknown:
    """One KV head where multi_query is set, unless new_decoder_architecture is: that one ignores the flag.

    Decided by models/falcon/modeling_falcon.py FalconAttention (transformers). The class default of multi_query is true, which is
    wrong for the larger models, so the config must say which it is, or name its KV heads by the older n_head_kv.
    """
    width = head_width(config)
    if config.flag("new_decoder_architecture") or config.states("n_head_kv") or config.states("total_num_kv_heads"):
        kv_heads = config.size("num_key_value_heads")
    else:
        kv_heads = _one_or_each(config)
    return demands(config, [Layer("full", kv_heads, width, width)] * config.layer_count())


def gpt_bigcode(config: Config) -> Demands | Unknown:
    """One KV head where multi_query is set, else one for each query head.

    Decided by models/gpt_bigcode/configuration_gpt_bigcode.py (transformers).
    """
    width = split_width(config)
    return demands(config, [Layer("full", _one_or_each(config), width, width)] * config.layer_count())


def _one_or_each(config: Config) -> int:
    if not config.states("multi_query"):
        return config.miss("multi_query", 0)
    return 1 if config.flag("multi_query") else config.size("num_attention_heads")


def chatglm(config: Config) -> Demands | Unknown:
    """multi_query_group_num KV heads where multi_query_attention is set, else one for each query head; kv_channels wide.

    Decided by model_executor/models/chatglm.py (vLLM).
    """
    kv_heads = config.size("multi_query_group_num" if config.flag("multi_query_attention") else "num_attention_heads")
    width = config.size("kv_channels")
    return demands(config, [Layer("full", kv_heads, width, width)] * config.layer_count())


def nemotron_nas(config: Config) -> Demands | Unknown:
    """Each block says how many query heads share a KV head, or that it has no attention.

    Decided by model_executor/models/nemotron_nas.py (vLLM). Blocks with a window, sinks or sparse attention are not worked out.
    """
    blocks = config.find("block_configs")
    blocks = config.per_layer(blocks if isinstance(blocks, list) else [], config.layer_count(), "block_configs")
    query_heads, width = config.size("num_attention_heads"), split_width(config)
    return demands(config, [_block(config, block, query_heads, width) for block in blocks])


def _block(config: Config, block: object, query_heads: int, width: int) -> Layer:
    attention = block.get("attention") if isinstance(block, dict) else None
    if not isinstance(attention, dict) or any(attention.get(name) for name in ("window_length", "num_sink_tokens", "sparsify")):
        return config.miss("block_configs (a block whose attention is not worked out)", Layer("none"))
    if attention.get("no_op") or attention.get("replace_with_linear"):
        return Layer("none")
    sharing = attention.get("n_heads_in_group")
    if type(sharing) is not int or sharing < 1:
        return config.miss("block_configs (n_heads_in_group)", Layer("none"))
    return Layer("full", query_heads // sharing, width, width)


def one_window(config: Config) -> Demands | Unknown:
    """All layers slide where sliding_window is set; absent or null is full attention, and so is a window as long as the context.

    Decided by cache_utils.py get_layer_types_and_kwargs and the null default in models/mixtral, starcoder2, phi3, phimoe and
    ministral3 (transformers). Phi-3.5 and Phi-4-mini state a window of 262,144 above a context of 131,072.
    """
    window, context = config.optional_size("sliding_window") or 0, config.peek("max_position_embeddings")
    if context and window >= context:
        config.note(f"sliding_window {window} is not below max_position_embeddings {context}: counted as full attention")
        window = 0
    return _one_window(config, window)


def mistral(config: Config) -> Demands | Unknown:
    """Three readings of sliding_window: a number slides on all layers, null is full attention, absent is the class default of 4096.

    Decided by models/mistral/configuration_mistral.py and cache_utils.py get_layer_types_and_kwargs (transformers).
    """
    null = config.find("sliding_window") is None
    return _one_window(config, 0 if null else config.size("sliding_window", 4096, "MistralConfig; null would be full attention"))


def mistral3(config: Config) -> Demands | Unknown:
    """A Mistral with an image encoder whose text part does not say which Mistral it is, so that sliding_window must be written.

    Decided by models/mistral3/configuration_mistral3.py (transformers); the class default is 4096 in mistral and null in ministral3.
    """
    return _one_window(config, 0 if config.find("sliding_window") is None else config.size("sliding_window"))


def _one_window(config: Config, window: int) -> Demands | Unknown:
    full = attention(config, stated="num_key_value_heads")
    return demands(config, [windowed(full, window) if window else full] * config.layer_count())


def smollm3(config: Config) -> Demands | Unknown:
    """A layer slides only if use_sliding_window is set and it has no rotary embedding; one in four has none where no list says.

    Decided by models/smollm3/configuration_smollm3.py (transformers).
    """
    full = attention(config, stated="num_key_value_heads")
    if config.flag("use_sliding_window") and config.states("sliding_window"):
        pattern = rotary_pattern(config, FULL, SLIDING, "SmolLM3Config")
        return demands(config, interleaved(config, full, pattern, "SmolLM3Config: no_rope_layers"))
    return demands(config, [full] * config.layer_count())


READERS = (
    Reader(
        plain,
        "llama olmo olmo2 olmoe flex_olmo granite granitemoe granitemoeshared cohere apertus apertus1p5_text arcee aria_text phi phi-msft "
        "gpt_neox gpt_neox_japanese gpt2 gptj codegen bloom opt xglm biogpt persimmon nemotron hunyuan_v1_dense hunyuan_v1_moe hyperclovax "
        "jais2 mpt diffllama deepseek deepseek_ocr2_text internlm2 orion minicpm solar nanochat qwen baichuan "
        "hunyuan_vl hunyuan_vl_text",
        "LlamaForCausalLM LLaMAForCausalLM LlamaModel OlmoForCausalLM Olmo2ForCausalLM OlmoeForCausalLM FlexOlmoForCausalLM "
        "GraniteForCausalLM GraniteMoeForCausalLM GraniteMoeSharedForCausalLM CohereForCausalLM ApertusForCausalLM "
        "Apertus1p5TextForCausalLM ArceeForCausalLM AriaTextForCausalLM PhiForCausalLM GPTNeoXForCausalLM GPTNeoXJapaneseForCausalLM "
        "GPT2LMHeadModel GPTJForCausalLM CodeGenForCausalLM BloomForCausalLM OPTForCausalLM XGLMForCausalLM BioGptForCausalLM "
        "PersimmonForCausalLM NemotronForCausalLM HunYuanDenseV1ForCausalLM HunYuanMoEV1ForCausalLM HyperCLOVAXForCausalLM "
        "Jais2ForCausalLM MptForCausalLM MPTForCausalLM DiffLlamaForCausalLM DeepseekForCausalLM InternLM2ForCausalLM OrionForCausalLM "
        "MiniCPMForCausalLM SolarForCausalLM NanoChatForCausalLM FuyuForCausalLM YiForCausalLM QWenLMHeadModel BaiChuanForCausalLM "
        "BaichuanForCausalLM HunYuanVLForConditionalGeneration",
    ),
    Reader(
        grouped,
        "bitnet stablelm ernie4_5_moe ernie4_5_vl_moe_text glm4_moe glm4v_text glm4v_moe_text glm_ocr_text dbrx emu3_text_model exaone "
        "qwen3_vl_moe_text qwen3_vl_moe jetmoe bailing_moe bailing_moe_v2 phi3small",
        "BitNetForCausalLM StableLmForCausalLM Ernie4_5_MoeForCausalLM Ernie4_5_VLMoeForConditionalGeneration Glm4MoeForCausalLM "
        "Glm4vForConditionalGeneration Glm4vMoeForConditionalGeneration Glm46VForConditionalGeneration GlmOcrForConditionalGeneration "
        "DbrxForCausalLM ExaoneForCausalLM Qwen3VLMoeForConditionalGeneration JetMoeForCausalLM "
        "BailingMoeForCausalLM BailingMoeV2ForCausalLM Phi3SmallForCausalLM",
    ),
    Reader(
        wide,
        "seed_oss minimax_m2 glm glm4 helium internlm3 hy_v3 solar_open ernie4_5 paddleocr_vl_text paddleocr_vl sarvam_moe iquestcoder "
        "qwen3_vl_text qwen3_vl step3_text",
        "SeedOssForCausalLM MiniMaxM2ForCausalLM GlmForCausalLM Glm4ForCausalLM HeliumForCausalLM InternLM3ForCausalLM HYV3ForCausalLM "
        "SolarOpenForCausalLM Ernie4_5ForCausalLM PaddleOCRVLForConditionalGeneration SarvamMoEForCausalLM IQuestCoderForCausalLM "
        "Qwen3VLForConditionalGeneration Step3TextForCausalLM Step3VLForConditionalGeneration",
    ),
    Reader(falcon, "falcon RefinedWeb RefinedWebModel", "FalconForCausalLM RWForCausalLM"),
    Reader(gpt_bigcode, "gpt_bigcode", "GPTBigCodeForCausalLM"),
    Reader(chatglm, "chatglm", "ChatGLMModel ChatGLMForConditionalGeneration"),
    Reader(nemotron_nas, "nemotron-nas", "DeciLMForCausalLM"),
    Reader(
        one_window,
        "mixtral starcoder2 phi3 phi3_v phi4mm phi4_multimodal phimoe ministral3",
        "MixtralForCausalLM Starcoder2ForCausalLM Phi3ForCausalLM Phi3VForCausalLM Phi4MMForCausalLM Phi4MultimodalForCausalLM "
        "PhiMoEForCausalLM PhimoeForCausalLM Ministral3ForCausalLM",
    ),
    Reader(mistral, "mistral", "MistralForCausalLM MistralModel"),
    Reader(mistral3, "mistral3", "Mistral3ForConditionalGeneration"),
    Reader(smollm3, "smollm3", "SmolLM3ForCausalLM"),
)
