"""Writes configs.jsonl, configs with what is derived of them, and foreign.jsonl, questions about such of them as are of no model on record.

`make vectors` writes both anew, and every implementation has to reproduce them. A line of configs.jsonl is one of
  {"of": id, "config": {…}, "derived": {…}}               a config of the catalog, or one made up here
  {"of": id, "set": {path: value}, "drop": [path], …}     that config with some fields set or taken out; a path leads into it by dots
`derived` is what `export/check.py` delivers, with defaults_used and notes, or missing and reason; `facts` are those that layers do not
tell, left out where there are none.
A line of foreign.jsonl is as make.py has it, with the name of the config in place of the model's; of memory it has the cache alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from infercompat.allocate.request import facts_of_config
from infercompat.answer.check import Assessor
from infercompat.derive import Unknown, derive
from infercompat.derive.config import TEXT_PARTS
from infercompat.export.check import _derived
from infercompat.products import Products

sys.path.insert(0, str(Path(__file__).parent))
import make

FOLDER = Path(__file__).parent
ASKED: tuple[dict[str, Any], ...] = ({}, {"hardware": "h100-sxm"}, {"hardware": "l4", "cache_dtype": "fp8"}, {"set": ["lora=true"]})
CACHE = ("cache_bytes", "state_bytes")
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


def told(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a line holds of the reading of a config."""
    derived, facts = derive(config), facts_of_config(config)
    more = {} if isinstance(derived, Unknown) else {"defaults_used": list(derived.defaults_used), "notes": list(derived.notes)}
    return {"derived": _derived(derived) | more, **({"facts": facts} if facts else {})}


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
        yield line(of=model.id, config=config, **whole)
        name = getattr(derive(config), "name", "")
        if name in known:
            continue
        known.add(name)
        for sets, drops in variations(config, turn):
            found = told(changed(config, sets, drops))
            if found != whole:
                yield line(of=model.id, **{"set": sets} if sets else {}, **{"drop": drops} if drops else {}, **found)
        parts = {"text_config": config, "vision_config": {"hidden_size": 8}}
        yield line(of=f"{model.id} in a larger one", config=parts, **told(parts))
    for name, config in MADE_UP.items():
        yield line(of=name, config=config, **told(config))


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
                answer = make.answer(assessor, None, engine, options, file)
                memory = {key: value for key, value in answer.pop("memory", {}).items() if key in CACHE}
                yield line(ask=[name, engine, options], answer=answer | ({"memory": memory} if memory else {}))


def write(products: Products) -> None:
    """Writes both files."""
    (FOLDER / "configs.jsonl").write_text("".join(lines(products)), encoding="utf-8")
    (FOLDER / "foreign.jsonl").write_text("".join(foreign(products)), encoding="utf-8")
