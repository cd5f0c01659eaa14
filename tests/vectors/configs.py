"""Writes configs.jsonl, configs with what is derived of them, and foreign.jsonl, questions about such of them as are of no model on record.

`make vectors` writes both anew, and every implementation has to reproduce them. A line of configs.jsonl is one of
  {"of": id, "config": {…}, "derived": {…}}               a config of the catalog, or one made up here
  {"of": id, "set": {path: value}, "drop": [path], …}     that config with some fields set or taken out; a path leads into it by dots
`derived` is what `export/check.py` delivers, with defaults_used and notes, or missing and reason; `facts` are those that layers do not
tell, left out where there are none; `weights` are those of the fullest rank of each split in SPLITS, at least and at most, by a word for
the format ("" for the config's own), or why they are not known.
A line of foreign.jsonl is as make.py has it, with the name of the config in place of the model's, and of memory all figures.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from infercompat.allocate.request import facts_of_config
from infercompat.answer.check import Assessor
from infercompat.derive import Unknown, derive
from infercompat.derive.config import TEXT_PARTS
from infercompat.derive.weights.loaded import laid_out, rank_of
from infercompat.derive.weights.ranks import Split
from infercompat.export.check import _derived
from infercompat.products import Products

sys.path.insert(0, str(Path(__file__).parent))
import make

FOLDER = Path(__file__).parent
ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"hardware": "h100-sxm"},
    {"hardware": "l4", "cache_dtype": "fp8"},
    {"set": ["lora=true"]},
    {"hardware": "rtx-4090", "gpus": 2, "context": 4096},
    {"hardware": "h100-sxm", "set": ["weights.format=fp8"], "context": 8192},
    {"hardware": "b200", "gpus": 2, "set": ["pipeline_parallel=2", "speculation.method=mtp"]},
)
SPLITS = (
    Split(),
    Split(3, by_layer=True),
    Split(4, 2, 2, 64, (128, 256), drafts=True, expands_latent=True, keeps_tables=True),
)
"""One rank; whole layers on each device; and all that an engine does."""
WORDS = ("", "bf16", "fp8", "int4")
"""Formats that a whole config is weighed in; a variation of it in its own alone."""
WRONG: tuple[Any, ...] = (None, "many", 1.5, -1, True, [], {}, 1 << 60, 2.0, [1, 2], ["full_attention", "mamba"], 3)
"""Values that fields are given in turn; some are right for some fields."""
NAMELESS = ("architectures", "model_type", "torch_dtype", "dtype", "vocab_size", "rms_norm_eps", "hidden_act", "initializer_range")
"""Fields whose loss is tried once, not for each model, or that no reader reads."""

MADE_UP: dict[str, Any] = {
    "nothing": {},
    "no class": {"num_hidden_layers": 4},
    "unheard of": {"model_type": "unheard_of", "architectures": ["UnheardOfForCausalLM"]},
    "names of other types": {"model_type": 7, "architectures": [None, 3, {"LlamaForCausalLM": 1}]},
    "class as a word": {"architectures": "LlamaForCausalLM", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
    "a name of every object": {"model_type": "constructor", "architectures": ["__proto__", "toString"]},
    "a summary": {"architecture": "LlamaForCausalLM", "hidden_size": 64, "total_num_attention_heads": 4, "total_num_hidden_layers": 2},
    "a whole summary": {
        **{"architecture": "LlamaForCausalLM", "hidden_size": 64, "head_size": 16, "total_num_attention_heads": 4},
        **{"total_num_kv_heads": 2, "total_num_hidden_layers": 2},
    },
    "an empty text part": {"model_type": "llama", "text_config": {}, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
    "parts six deep": {"text_config": {"decoder": {"llm_config": {"generator": {"text_config": {"model_type": "llama"}}}}}},
    "too many layers": {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4097},
    "quotes": {"model_type": "llama", "hidden_size": 'it\'s "64"\n\u00e9\u200b\U0001f600', "num_attention_heads": "'", "num_hidden_layers": 2},
    "long words": {"model_type": "llama", "hidden_size": "x" * 60, "num_attention_heads": 1e300, "num_hidden_layers": -(1 << 70)},
    "numbers with points": {"model_type": "llama", "hidden_size": 1e16, "num_attention_heads": 1.25e-05, "num_hidden_layers": 0.0001},
    "rope of whole factor": {
        **{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": 8192},
        **{"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 2048}},
    },
    "rope of odd factor": {
        **{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "original_max_position_embeddings": 1000},
        **{"rope_parameters": {"rope_type": "linear", "factor": 2.3333}},
    },
    "rope of a wrong factor": {
        **{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2, "max_position_embeddings": "long"},
        **{"rope_scaling": {"full_attention": {"rope_type": "yarn", "factor": True, "original_max_position_embeddings": 4096.0}}},
    },
}
for _name, _quantization in {
    "mlx": {"group_size": 64, "bits": 4},
    "fp8": {"quant_method": "FP8"},
    "packed": {"format": "pack-quantized", "config_groups": {"one": {"weights": {"num_bits": 4}}, "two": {"weights": {"num_bits": 4}}}},
    "packed twice": {"format": "pack-quantized", "config_groups": {"one": {"weights": {"num_bits": 4}}, "two": {"weights": {"num_bits": 8}}}},
    "packed in words": {"format": "pack-quantized", "config_groups": {"one": {"weights": {"num_bits": "4"}}, "two": 3}},
    "modelopt": {"quant_algo": "NVFP4", "quant_method": "modelopt"},
    "mxfp4": {"quant_method": "mxfp4"},
    "no word": {"quant_algo": "MIXED_PRECISION", "quant_method": "fp8"},
    "other types": {"quant_algo": 4, "quant_method": ["fp8"]},
}.items():
    MADE_UP[f"quantized {_name}"] = {
        **{"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2},
        "quantization_config": _quantization,
    }

SMALL = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16, "num_hidden_layers": 4}
LATENT = {"qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16, "kv_lora_rank": 32}
DELTA = {
    **{"linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8, "linear_value_head_dim": 16},
    "linear_conv_kernel_dim": 4,
}
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": "auto", "mamba_d_state": 16, "mamba_n_groups": 1, "mamba_d_conv": 4, "mamba_expand": 2}
FULL, SLIDING = "full_attention", "sliding_attention"
UNCOVERED: dict[str, dict[str, Any]] = {
    "gpt_bigcode": {"multi_query": True},
    "mistral3": {"sliding_window": 32},
    "smollm3": {"use_sliding_window": True, "sliding_window": 32, "no_rope_layers": [1, 1, 0, 1]},
    "qwen2_moe": {"use_sliding_window": True, "sliding_window": 32, "max_window_layers": 3, "num_experts": 8, "num_experts_per_tok": 2},
    "ministral": {"sliding_window": 32},
    "afmoe": {"layer_types": [SLIDING, FULL, SLIDING, FULL], "sliding_window": 32},
    "granite_swa": {"layer_types": [SLIDING, FULL, FULL, FULL], "sliding_window": 32},
    "unlimited_ocr_text": {"vision_config": {"hidden_size": 8}},
    "dory": {
        **{"layer_types": [FULL, "mlp", SLIDING, "mlp", SLIDING, "mlp", FULL, "mlp"], "num_hidden_layers": 8, "sliding_window": 32},
        **{"n_input_layers": 2, "n_output_layers": 2, "n_recurrent_loops": 3},
    },
    "longcat_flash": {**LATENT, "num_layers": 2},
    "hy_v4": {**LATENT, "index_head_dim": 8, "index_topk_pattern": "FSSF"},
    "mistral_large4_text": {**LATENT, "index_head_dim": 8, "index_topk_freq": 2, "kv_source_layers": [0, 0, 2, 2]},
    "granitemoehybrid": {**MAMBA, "layer_types": ["mamba", "mamba", "attention", "mamba"]},
    "bamba": {**MAMBA, "attn_layer_indices": [1, 3], "mamba_ssm_dtype": "float32"},
    "olmo_hybrid": DELTA,
    "lara_mini": {**DELTA, "layer_types": ["linear_attention", SLIDING, FULL, "linear_attention"], "sliding_window": 32},
    "bailing_hybrid": {**LATENT, "layer_group_size": 2, "short_conv_kernel_size": 4},
    "inkling_text": {
        **{"layer_types": ["hybrid_sliding", "hybrid", "hybrid_sliding", "hybrid"], "conv_kernel_size": 3, "sliding_window": 32},
        **{"swa_num_key_value_heads": 4, "swa_head_dim": 8, "loop_num_passes": 2, "loop_layer_index_start": 1, "loop_layer_index_end": 3},
    },
    "rwkv": {},
    "bart": {"d_model": 64, "decoder_attention_heads": 4, "decoder_layers": 2, "max_position_embeddings": 128},
    "t5": {"d_kv": 8, "num_layers": 2, "num_decoder_layers": 3, "n_positions": 128},
}
"""Fields of a small model of each family that the catalog has none of, beside those of SMALL."""
for _name, _fields in UNCOVERED.items():
    MADE_UP[f"a small {_name}"] = {"model_type": _name, **SMALL, **_fields}

WEIGHED = {**SMALL, "intermediate_size": 192, "vocab_size": 1000, "torch_dtype": "bfloat16"}
LARGE = {
    **{"hidden_size": 8192, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 128, "num_hidden_layers": 80},
    **{"intermediate_size": 28672, "vocab_size": 128256, "torch_dtype": "bfloat16", "max_position_embeddings": 131072},
}
EXPERTS = {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 96}
NESTED = {"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", **WEIGHED, "sliding_window": 32}, "vision_config": {"depth": 2}}
TOWER = {
    **{"hidden_size": 32, "intermediate_size": 64, "out_hidden_size": 64, "in_channels": 3, "temporal_patch_size": 2, "patch_size": 14},
    **{"num_position_embeddings": 100, "depth": 3, "num_heads": 3, "deepstack_visual_indexes": [1]},
}
PACKED = {"type": "int", "num_bits": 4, "group_size": 32, "strategy": "group", "symmetric": False}
BLOCKS = {"quant_method": "fp8", "weight_block_size": [32, 32], "modules_to_not_convert": ["lm_head"]}
COUNTED: dict[str, dict[str, Any]] = {
    "llama": {"model_type": "llama"},
    "large llama": {"model_type": "llama", **LARGE},
    "large llama in fp8": {"model_type": "llama", **LARGE, "quantization_config": {"quant_method": "fp8", "activation_scheme": "static"}},
    "large gpt_oss": {"model_type": "gpt_oss", **LARGE, "num_hidden_layers": 12, "num_local_experts": 16, "num_experts_per_tok": 4}
    | {"sliding_window": 128, "intermediate_size": 2880, "quantization_config": {"quant_method": "mxfp4"}},
    "layers by their kinds alone": {"model_type": "qwen3", "layer_types": [FULL] * 5, "num_hidden_layers": None},
    "qwen2": {"model_type": "qwen2", "rope_scaling": {"type": "yarn", "factor": 2.0}, "max_position_embeddings": 4096},
    "qwen2_moe": {"model_type": "qwen2_moe", **EXPERTS, "decoder_sparse_step": 2, "shared_expert_intermediate_size": 128, "mlp_only_layers": [1]},
    "gemma2": {"model_type": "gemma2", "sliding_window": 32, "torch_dtype": "float32"},
    "gemma3 with a tower": NESTED,
    "gemma4": {"model_type": "gemma4_text", "layer_types": [SLIDING, FULL] * 2, "sliding_window": 32, "attention_k_eq_v": True}
    | {"global_head_dim": 32, "enable_moe_block": True, **EXPERTS, "hidden_size_per_layer_input": 8, "vocab_size_per_layer_input": 1000}
    | {"max_position_embeddings": 1024},
    "phi3": {"model_type": "phi3", "quantization_config": {"quant_method": "awq", "bits": 4, "group_size": 32}},
    "phi": {"model_type": "phi"},
    "gpt_neox": {"model_type": "gpt_neox"},
    "cohere": {"model_type": "cohere", "use_qk_norm": True},
    "llama4": {"model_type": "llama4_text", **EXPERTS, "interleave_moe_layer_step": 2, "intermediate_size_mlp": 256}
    | {"attention_chunk_size": 64, "no_rope_layers": [1, 1, 1, 0]},
    "ernie": {"model_type": "ernie4_5_moe", "use_bias": True, **EXPERTS, "moe_num_shared_experts": 2, "moe_layer_start_index": 1},
    "minimax": {"model_type": "minimax_m2", **EXPERTS, "quantization_config": BLOCKS},
    "deepseek": {"model_type": "deepseek_v3", **LATENT, "q_lora_rank": 24, **EXPERTS, "n_shared_experts": 1, "first_k_dense_replace": 1}
    | {"num_nextn_predict_layers": 1, "quantization_config": BLOCKS},
    "deepseek with an indexer": {"model_type": "deepseek_v32", **LATENT, "q_lora_rank": 24, "index_n_heads": 2, "index_head_dim": 8}
    | {**EXPERTS, "moe_layer_freq": [0, 1, 1, 1], "first_k_dense_replace": 0, "index_topk": 64},
    "qwen3_next": {"model_type": "qwen3_next", **DELTA, "full_attention_interval": 2, "mtp_num_hidden_layers": 1, **EXPERTS},
    "qwen3_5 with a tower": {
        **{"model_type": "qwen3_5", "vision_config": TOWER, "quantization_config": {"quant_method": "fp8", "weight_block_size": [64, 64]}},
        "text_config": {"model_type": "qwen3_5_text", **WEIGHED, **DELTA, "full_attention_interval": 2, "mtp_num_hidden_layers": 1},
    },
}
_WEIGHED_BY: dict[str, dict[str, Any]] = {
    "gptq": {"quant_method": "gptq", "bits": 4, "group_size": -1, "lm_head": True},
    "gptq with rules": {"quant_method": "gptq", "bits": 4, "group_size": 32, "dynamic": {"+:.*": {}}},
    "packed but for some": {
        **{"format": "pack-quantized", "ignore": ["lm_head", "re:.*self_attn\\.(q|k)_proj$", "layers.[!0].mlp.*"]},
        "config_groups": {"one": {"weights": PACKED, "targets": ["Linear"]}, "two": {"weights": PACKED | {"num_bits": 8}, "targets": ["re:.*down_proj"]}},
    },
    "patterns that cannot be read": {"quant_method": "fp8", "ignored_layers": ["re:((a*)*)*", "*a*b*c*d*e"]},
    "nvfp4": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head", "*self_attn*"]},
    "a mixture": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {"model.layers.0.mlp": {"quant_algo": "FP8"}, "lm_head": {"quant_algo": "MXFP8"}}},
    "mlx": {"group_size": 32, "bits": 4, "model.layers.1.mlp.up_proj": {"group_size": 64, "bits": 8}, "lm_head.x": False},
    "bitsandbytes": {"quant_method": "bitsandbytes"},
}
for _name, _section in _WEIGHED_BY.items():
    COUNTED[f"llama in {_name}"] = {"model_type": "llama", "quantization_config": _section}
for _name, _fields in COUNTED.items():
    MADE_UP[f"weights of {_name}"] = _fields if "text_config" in _fields else {**WEIGHED, **_fields}


def told(config: Mapping[str, Any], words: Iterable[str] = ("",)) -> dict[str, Any]:
    """What a line holds of the reading of a config."""
    derived, facts = derive(config), facts_of_config(config)
    more = {} if isinstance(derived, Unknown) else {"defaults_used": list(derived.defaults_used), "notes": list(derived.notes)}
    return {"derived": _derived(derived) | more, **({"facts": facts} if facts else {}), "weights": {word: weighed(config, word) for word in words}}


def weighed(config: Mapping[str, Any], word: str) -> list[list[int]] | str:
    """Bytes of the fullest rank of each split, at least and at most, or why they are not known."""
    found = laid_out(None, word or None, config)
    return found.reason if isinstance(found, Unknown) else [[held.low, held.high] for held in (rank_of(found, split) for split in SPLITS)]


def changed(config: Mapping[str, Any], sets: Mapping[str, Any], drops: list[str]) -> dict[str, Any]:
    """The config with some fields set and others taken out."""
    found = deepcopy(dict(config))
    for path in (*sets, *drops):
        *way, last = path.split(".")
        part = found
        for step in way:
            part = part[step]
        if path in sets:
            part[last] = deepcopy(sets[path])
        else:
            part.pop(last, None)
    return found


def variations(config: Mapping[str, Any], turn: int, every: bool = False) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Changes to try: fewer layers, then for each field of the text part its loss and, in turn, values that are wrong."""
    prefix, part = "", config
    while inner := next((name for name in TEXT_PARTS if isinstance(part.get(name), dict) and part[name]), None):
        prefix, part = f"{prefix}{inner}.", part[inner]
    for name, value in part.items():
        if name in NAMELESS and not every:
            continue
        path = prefix + name
        if "layers" in name and type(value) is int and value > 2:
            yield {path: value // 2}, []
        yield {}, [path]
        for wrong in WRONG if every else (WRONG[turn % len(WRONG)],):
            yield {path: wrong}, []
        turn += 1
        if isinstance(value, dict):
            for inner in value:
                yield {}, [f"{path}.{inner}"]
                yield {f"{path}.{inner}": WRONG[turn % len(WRONG)]}, []
                turn += 1


def lines(products: Products) -> Iterator[str]:
    """The lines of the file: every config of the catalog, what variations of the first of each reader change, and what is made up."""
    known: set[str] = set()
    for turn, model in enumerate(products.catalog.of_kind("model")):
        config = model.data["config"]["values"]
        whole = told(config)
        yield line(of=model.id, config=config, **told(config, WORDS))
        name = getattr(derive(config), "name", "")
        if name in known:
            continue
        known.add(name)
        for sets, drops in variations(config, turn):
            found = told(changed(config, sets, drops))
            if found != whole:
                yield line(of=model.id, **{"set": sets} if sets else {}, **{"drop": drops} if drops else {}, **found)
        parts = {"text_config": config, "vision_config": {"hidden_size": 8}}
        yield line(of=f"{model.id} in a larger one", config=parts, **told(parts, WORDS))
    for name, config in MADE_UP.items():
        yield line(of=name, config=config, **told(config, WORDS))


def line(**parts: Any) -> str:
    """One line of the file."""
    return json.dumps(parts, ensure_ascii=False, separators=(",", ":")) + "\n"


def foreign(products: Products) -> Iterator[str]:
    """The lines of foreign.jsonl: every config that is made up, put to engines in turn."""
    assessor = Assessor(products)
    engines = [engine.id for engine in products.catalog.of_kind("engine") if engine.data["role"] != "kernel-library"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        for place, (name, config) in enumerate(MADE_UP.items()):
            file.write_text(json.dumps(config), encoding="utf-8")
            for turn, engine in enumerate(dict.fromkeys(("vllm", engines[place % len(engines)], engines[place * 7 % len(engines)]))):
                options = ASKED[(place + turn) % len(ASKED)]
                yield line(ask=[name, engine, options], answer=make.answer(assessor, None, engine, options, file))


def write(products: Products) -> None:
    """Writes both files."""
    (FOLDER / "configs.jsonl").write_text("".join(lines(products)), encoding="utf-8")
    (FOLDER / "foreign.jsonl").write_text("".join(foreign(products)), encoding="utf-8")
