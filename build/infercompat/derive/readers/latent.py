"""Families that keep a compressed latent instead of K and V, or an index beside them that picks the tokens to attend to."""

from __future__ import annotations

from msgspec.structs import replace

from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Layer, Unknown
from infercompat.derive.readers.common import FULL, SLIDING, Reader, assemble, attention, demands, layer_types


def latent_layer(config: Config) -> Layer:
    """One layer of multi-head latent attention: kv_lora_rank + qk_rope_head_dim a token, whatever the number of heads."""
    rotary = config.size("qk_rope_head_dim")
    return Layer(
        "latent",
        kv_heads=config.size("num_attention_heads"),
        k_width=config.size("qk_nope_head_dim") + rotary,
        v_width=config.size("v_head_dim"),
        latent_width=config.size("kv_lora_rank") + rotary,
    )


def mla(config: Config) -> Demands | Unknown:
    """Latent attention on every layer.

    Decided by models/deepseek_v3/modeling_deepseek_v3.py, where the cache takes the compressed pair, and by the like lines of
    deepseek_v2, glm4_moe_lite, mistral4, minicpm3, youtu, axk1 and sarvam_mla (transformers).
    """
    layer = latent_layer(config)
    return demands(config, [layer] * config.layer_count(), {"mla": _rank(layer)})


def deepseek_v2(config: Config) -> Demands | Unknown:
    """As `mla`; K and V of plain heads where use_mla is false, as in the smallest DeepSeek-VL2 and in DeepSeek-OCR.

    Decided by model_executor/models/deepseek_vl2.py (vLLM), which then takes DeepseekForCausalLM for the text part.
    """
    if config.find("use_mla") is False:
        return demands(config, [attention(config)] * config.layer_count())
    return mla(config)


def longcat(config: Config) -> Demands | Unknown:
    """Latent attention twice in each of num_layers decoder layers; num_hidden_layers, where it is written, counts the halves.

    Decided by models/longcat_flash/configuration_longcat_flash.py (transformers).
    """
    layer = latent_layer(config)
    count = 2 * config.layer_count("num_layers") if config.find("num_layers") else config.layer_count()
    config.note("each decoder layer attends twice; the layers counted here are caches")
    return demands(config, [layer] * count, {"mla": _rank(layer)})


def deepseek_v32(config: Config) -> Demands | Unknown:
    """Latent attention and an index key a token on every layer.

    Decided by models/deepseek_v32/modeling_deepseek_v32.py and models/axk2 (transformers).
    """
    return _sparse(config, latent_layer(config), ["full"] * config.layer_count())


def glm_dsa(config: Config) -> Demands | Unknown:
    """As DeepSeek V3.2, but only layers whose indexer_types entry is "full" have an index; the others reuse its choice of tokens.

    Decided by models/glm_moe_dsa/configuration_glm_moe_dsa.py (transformers).
    """
    return _sparse(config, latent_layer(config), indexer_types(config))


def hy_v4(config: Config) -> Demands | Unknown:
    """As `glm_dsa`, with a learned attention sink on each head.

    Decided by models/hy_v4/modeling_hy_v4.py (transformers).
    """
    sinks = {"attention-sinks": "attention sinks are in the code of HYV4 (transformers modeling_hy_v4.py)"}
    return _sparse(config, latent_layer(config), indexer_types(config), sinks)


def mistral_large4(config: Config) -> Demands | Unknown:
    """As `glm_dsa`; a layer whose kv_source_layers entry is another layer uses that one's latent, though it may have its own index.

    Decided by models/mistral_large4/configuration_mistral_large4.py kv_sharing_modes (transformers).
    """
    layer, types, count, sources = latent_layer(config), indexer_types(config), config.layer_count(), config.sizes("kv_source_layers")
    sources = list(range(count)) if sources is None else config.per_layer(sources, count, "kv_source_layers")
    layers = [replace(own, shares=sources[index] != index) for index, own in enumerate(_indexed(config, layer, types))]
    return demands(config, layers, _sparse_reasons(layer, types))


def _sparse(config: Config, layer: Layer, types: list[str], own: dict[str, str] | None = None) -> Demands | Unknown:
    return demands(config, _indexed(config, layer, types), _sparse_reasons(layer, types) | (own or {}))


def _indexed(config: Config, layer: Layer, types: list[str]) -> list[Layer]:
    """Latent layers that choose tokens by an index, their own or that of a layer before."""
    full = replace(layer, kind="indexed", index_width=config.size("index_head_dim"))
    if set(types) - {"full", "shared"}:
        config.miss('indexer_types (an entry is neither "full" nor "shared")', None)
    return [full if word == "full" else replace(full, index_width=0) for word in types]


def _sparse_reasons(layer: Layer, types: list[str]) -> dict[str, str]:
    return {"mla": _rank(layer), "sparse-mla": f"an index key a token on {types.count('full')} of {len(types)} layers"}


def indexer_types(config: Config) -> list[str]:
    """Which layers have an indexer: the config's list, its pattern of F and S, or index_topk_freq and index_skip_topk_offset."""
    count, pattern = config.layer_count(), config.find("index_topk_pattern")
    listed = config.words("indexer_types")
    if listed is None and isinstance(pattern, str):
        listed = [{"F": "full", "S": "shared"}.get(letter, letter) for letter in pattern]
    if listed is None and config.states("index_topk_freq"):
        period = config.size("index_topk_freq", least=1)
        offset = config.size("index_skip_topk_offset", 2, "class default")
        listed = ["full" if max(index - offset + 1, 0) % period == 0 else "shared" for index in range(count)]
    if listed is None:
        listed = ["full"] * count
        config.use_default("indexer_types", "full on all layers", "class default of index_topk_freq: 1")
    return config.per_layer(listed, count, "indexer_types")


RATIO_OF_TYPE = {SLIDING: 0, "compressed_sparse_attention": 4, "heavily_compressed_attention": 128}


def deepseek_v4(config: Config) -> Demands | Unknown:
    """A window of single entries (K and V are one), and beside it one entry for each 4 or 128 tokens; those of 4 have an index key.

    Decided by models/deepseek_v4/modeling_deepseek_v4.py DeepseekV4HCACache and DeepseekV4CSACache, and its configuration for
    compress_ratios (transformers). Tokens that wait in a buffer until their block is full are counted as a whole entry.
    """
    width, window, index = config.size("head_dim"), config.size("sliding_window", least=1), config.size("index_head_dim")
    ratios, count = config.sizes("compress_ratios"), config.layer_count()
    if ratios is None:
        words = layer_types(config, missing="compress_ratios")
        ratios = [RATIO_OF_TYPE.get(word, -1) for word in words]
    # The list of a published config has one entry more than there are layers, for the draft layer.
    if not count <= len(ratios) <= count + 1 or set(ratios) - {0, 4, 128}:
        config.miss("compress_ratios (not 0, 4 or 128 for each layer)", None)
    base = Layer("sliding", 1, width, width, window, latent_width=width)
    by_ratio = {
        0: base,
        4: replace(base, kind="indexed", index_width=index, compress_ratio=4),
        128: replace(base, kind="latent", compress_ratio=128),
    }
    own = {
        "sparse-mla": f"index keys of {index} on {ratios[:count].count(4)} of {count} layers, entries of {width} for 4 or 128 tokens",
        "attention-sinks": "attention sinks are in the code of DeepseekV4 (transformers modeling_deepseek_v4.py)",
    }
    return demands(config, [by_ratio.get(ratio, base) for ratio in ratios[:count]], own)


def deepseek_v41(config: Config) -> Demands | Unknown:
    """As `deepseek_v4` with an entry for each token or two, and its index key, that only layers in kv_source_layer_ids keep.

    Decided by srt/models/deepseek_v4.py and srt/mem_cache/deepseek_v4_memory_pool.py, collect_sources_by_ratio (SGLang). Every layer
    has a window of its own; those between two sources read the entries of the one before.
    """
    width, window, index = config.size("head_dim"), config.size("sliding_window", least=1), config.size("index_head_dim")
    count, sources = config.layer_count(), config.sizes("kv_source_layer_ids")
    ratios = config.per_layer(config.sizes("compress_ratios") or [], count, "compress_ratios")
    if set(ratios) - {0, 1, 2}:
        config.miss("compress_ratios (not 0, 1 or 2 for each layer)", None)
    if not sources:
        sources = config.miss("kv_source_layer_ids", [])
    base = Layer("sliding", 1, width, width, window, latent_width=width)
    reading = replace(base, kind="indexed")
    layers = [
        replace(reading, index_width=index, compress_ratio=ratio) if at in sources and ratio else reading if ratio else base for at, ratio in enumerate(ratios)
    ]
    kept = sum(bool(layer.compress_ratio) for layer in layers)
    own = {
        "sparse-mla": f"index keys of {index} and entries of {width} on {kept} of {count} layers, for a token or two, which other layers read",
        "attention-sinks": "attention sinks are in the code of DeepseekV4 (SGLang deepseek_v4.py)",
    }
    return demands(config, layers, own)


def minimax_m3(config: Config) -> Demands | Unknown:
    """Grouped-query attention on every layer, and an index key a token on the layers whose sparse_attention_freq is 1.

    Decided by models/minimax_m3_vl/configuration_minimax_m3_vl.py and its modeling file, MiniMaxM3VLIndexer (transformers).
    """
    full = attention(config, stated="num_key_value_heads head_dim")
    section = config.section("sparse_attention_config")
    flags, count = section.sizes("sparse_attention_freq"), config.layer_count()
    if flags is not None:
        index = section.size("sparse_index_dim")
        words = ["minimax_m3_sparse" if flag else FULL for flag in config.per_layer(flags, count, "sparse_attention_freq")]
    else:
        index = config.size("index_head_dim")
        words = layer_types(config, missing="sparse_attention_config.sparse_attention_freq")
    layers = {FULL: full, "minimax_m3_sparse": replace(full, kind="indexed", index_width=index)}
    sparse = f"index keys of {index} on {words.count('minimax_m3_sparse')} of {count} layers, beside grouped-query attention"
    return demands(config, assemble(config, words, layers), {"sparse-gqa": sparse})


def _rank(layer: Layer) -> str:
    return f"a latent of {layer.latent_width} a token for {layer.kv_heads} heads"


READERS = (
    Reader(
        mla,
        "deepseek_v3 kimi_k2 glm4_moe_lite mistral4 minicpm3 youtu youtu_llm axk1 sarvam_mla",
        "DeepseekV3ForCausalLM KimiK25ForConditionalGeneration Kimi_K25ForConditionalGeneration "
        "Glm4MoeLiteForCausalLM Mistral4ForCausalLM MiniCPM3ForCausalLM YoutuForCausalLM AXK1ForCausalLM SarvamMLAForCausalLM "
        "MistralLarge3ForCausalLM KimiVLForConditionalGeneration",
    ),
    Reader(
        deepseek_v2,
        "deepseek_v2 deepseek_vl_v2",
        "DeepseekV2ForCausalLM DeepseekVLV2ForCausalLM DeepseekVL2ForCausalLM DeepseekOCRForCausalLM DeepseekOCR2ForCausalLM",
    ),
    Reader(longcat, "longcat_flash", "LongcatFlashForCausalLM"),
    Reader(deepseek_v32, "deepseek_v32 axk2", "DeepseekV32ForCausalLM AXK2ForCausalLM"),
    Reader(glm_dsa, "glm_moe_dsa", "GlmMoeDsaForCausalLM"),
    Reader(hy_v4, "hy_v4 hy_v4_vl_text", "HYV4ForCausalLM HYV4VLForConditionalGeneration"),
    Reader(mistral_large4, "mistral_large4_text", "MistralLarge4ForConditionalGeneration"),
    Reader(deepseek_v4, "deepseek_v4", "DeepseekV4ForCausalLM"),
    Reader(deepseek_v41, "deepseek_v41 deepseek_v41_text", "DeepseekV41ForCausalLM"),
    Reader(
        minimax_m3,
        "minimax_m3 minimax_m3_vl minimax_m3_vl_text",
        "MiniMaxM3ForCausalLM MiniMaxM3VLForCausalLM MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration",
    ),
)
