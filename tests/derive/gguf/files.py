"""Small GGUF files, written by the gguf package with the keys that llama.cpp's converters write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gguf
import numpy as np

Keys = dict[str, Any]


def write(path: Path, architecture: str, keys: Keys, tensors: dict[str, tuple[tuple[int, ...], str]] | None = None, tokens: int = 0) -> Path:
    """A file with the keys below the architecture's prefix, and zeros in tensors of a shape (rows last) and a type."""
    writer = gguf.GGUFWriter(path, architecture)
    for name, value in keys.items():
        _add(writer, name if "." in name and name.startswith(("general.", "split.")) else f"{architecture}.{name}", value)
    if tokens:
        writer.add_token_list([f"token{index}" for index in range(tokens)])
        writer.add_token_scores([0.0] * tokens)
    for name, (shape, kind) in (tensors or {}).items():
        quantization = gguf.GGMLQuantizationType[kind]
        block, size = gguf.GGML_QUANT_SIZES[quantization]
        stored = np.zeros((*shape[:-1], shape[-1] // block * size), dtype=np.uint8)
        writer.add_tensor(name, stored, raw_dtype=quantization)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add(writer: gguf.GGUFWriter, name: str, value: Any) -> None:
    adders = {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string, list: writer.add_array}
    adders[type(value)](name, value)


def base(layers: int, hidden: int, heads: int, context: int = 131072, **more: Any) -> Keys:
    keys = {"block_count": layers, "embedding_length": hidden, "attention.head_count": heads, "context_length": context}
    return keys | {name.replace("__", "."): value for name, value in more.items()}


def every(period: int, at: int, count: int) -> list[bool]:
    """True but where index % period == at."""
    return [index % period != at for index in range(count)]


LLAMA_3_1_8B = base(32, 4096, 32, attention__head_count_kv=8, attention__key_length=128, attention__value_length=128, feed_forward_length=14336)
GEMMA_2_2B = base(26, 2304, 8, 8192, attention__head_count_kv=4, attention__key_length=256, attention__value_length=256) | {
    "attention.sliding_window": 4096,
    "attn_logit_softcapping": 50.0,
}
GEMMA_3_27B = base(62, 5376, 32, attention__head_count_kv=16, attention__key_length=128, attention__value_length=128) | {
    "attention.sliding_window": 1024,
    "rope.scaling.type": "linear",
    "rope.scaling.factor": 8.0,
}
GEMMA_3N_E2B = base(30, 2048, 8, 32768, attention__head_count_kv=2, attention__key_length=256, attention__value_length=256) | {
    "attention.sliding_window": 512,
    "attention.sliding_window_pattern": every(5, 4, 30),
    "attention.shared_kv_layers": 10,
    "embedding_length_per_layer_input": 256,
}
GEMMA_4_31B = base(60, 5376, 32, 262144, attention__key_length=512, attention__value_length=512) | {
    "attention.head_count_kv": [16 if sliding else 4 for sliding in every(6, 5, 60)],
    "attention.key_length_swa": 256,
    "attention.value_length_swa": 256,
    "attention.sliding_window": 1024,
    "attention.sliding_window_pattern": every(6, 5, 60),
    "attention.shared_kv_layers": 0,
    "embedding_length_per_layer_input": 0,
}
GPT_OSS_120B = base(36, 2880, 64, attention__head_count_kv=8, attention__key_length=64, attention__value_length=64) | {
    "attention.sliding_window": 128,
    "expert_count": 128,
    "expert_used_count": 4,
    "expert_feed_forward_length": 2880,
    "rope.scaling.type": "yarn",
    "rope.scaling.factor": 32.0,
    "rope.scaling.original_context_length": 4096,
}
DEEPSEEK_V3 = base(62, 7168, 128, 163840, attention__head_count_kv=1, attention__key_length=576, attention__value_length=512) | {
    "nextn_predict_layers": 1,
    "attention.key_length_mla": 192,
    "attention.value_length_mla": 128,
    "attention.kv_lora_rank": 512,
    "attention.q_lora_rank": 1536,
    "rope.dimension_count": 64,
    "expert_count": 256,
    "expert_used_count": 8,
    "expert_feed_forward_length": 2048,
    "leading_dense_block_count": 3,
}
COMMAND_R7B = base(32, 4096, 32, attention__head_count_kv=8, attention__sliding_window=4096)
QWEN_3_NEXT_80B = base(48, 2048, 16, attention__head_count_kv=2, attention__key_length=256, attention__value_length=256) | {
    "ssm.conv_kernel": 4,
    "ssm.state_size": 128,
    "ssm.group_count": 16,
    "ssm.time_step_rank": 32,
    "ssm.inner_size": 4096,
    "full_attention_interval": 4,
}
JAMBA_V0_1 = base(32, 4096, 32) | {
    "attention.head_count_kv": [8 if index % 8 == 4 else 0 for index in range(32)],
    "ssm.conv_kernel": 4,
    "ssm.inner_size": 8192,
    "ssm.state_size": 16,
    "ssm.time_step_rank": 256,
}
_PATTERN = "M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M*-M-M-M-M-M-"
NEMOTRON_H_8B = base(52, 4096, 32, attention__key_length=128, attention__value_length=128) | {
    "attention.head_count_kv": [8 if letter == "*" else 0 for letter in _PATTERN],
    "feed_forward_length": [21504 if letter == "-" else 0 for letter in _PATTERN],
    "ssm.conv_kernel": 4,
    "ssm.inner_size": 8192,
    "ssm.state_size": 128,
    "ssm.time_step_rank": 128,
    "ssm.group_count": 8,
}
KIMI_LINEAR_48B = base(27, 2304, 32, attention__key_length=576) | {
    "attention.head_count_kv": [1 if index in (3, 7, 11, 15, 19, 23, 26) else 0 for index in range(27)],
    "attention.key_length_mla": 192,
    "attention.value_length_mla": 128,
    "attention.kv_lora_rank": 512,
    "rope.dimension_count": 64,
    "kda.head_dim": 128,
    "ssm.conv_kernel": 4,
}
