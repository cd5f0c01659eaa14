"""A GGUF file as a config: what its header says of the layers, in the fields of a config.json, what its tensors weigh, and where they lie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from infercompat.derive.gguf.header import Header, Unreadable, read_header
from infercompat.derive.gguf.keys import Keys
from infercompat.derive.gguf.mapping import ARCHITECTURES, common
from infercompat.derive.gguf.placing import laid_out_file
from infercompat.derive.layers import Unknown
from infercompat.derive.weights import GGUF_BLOCKS, Weights

__all__ = ["ARCHITECTURES", "Header", "Unreadable", "config_of_gguf", "config_of_header", "laid_out_file", "read_header", "weights_of_header"]


def config_of_gguf(path: Path | str) -> Mapping[str, Any] | Unknown | Unreadable:
    """The config that a GGUF file describes, for `infercompat.derive.derive`; only the file's header is read."""
    header = read_header(path)
    return header if isinstance(header, Unreadable) else config_of_header(header)


def config_of_header(header: Header) -> dict[str, Any] | Unknown:
    """The config by the header's keys, or what is missing: an architecture that is worked out, or a key."""
    name = header.architecture
    if name is None:
        return Unknown(("general.architecture",), "the file does not say which architecture it belongs to")
    architecture = ARCHITECTURES.get(name)
    if architecture is None:
        return Unknown((f"keys of the architecture {name[:60]}",), "what this architecture's GGUF keys mean is not worked out")
    keys = Keys(header, name)
    fields = {"model_type": architecture.model_type, "architectures": [architecture.made_of]} | common(keys) | architecture.read(keys)
    if keys.missing:
        return Unknown(tuple(keys.missing), "the header lacks keys that decide the layers")
    return fields


def weights_of_header(header: Header) -> Weights | Unknown:
    """Bytes of the file's tensors by the header's list, exactly; the file is longer by the header and by padding between tensors."""
    by_type: Counter[str] = Counter()
    for tensor in header.tensors:
        block, size = GGUF_BLOCKS.get(tensor.type, (0, 0))
        row = tensor.dimensions[0] if tensor.dimensions else 1
        if not block or row % block:
            return Unknown((f"the size of {tensor.name[:60]}",), f"{row} elements a row of {tensor.type} are not worked out")
        by_type[tensor.type] += tensor.elements // block * size
    notes = [f"{size:,} bytes of {name}" for name, size in by_type.most_common()]
    split = header.fields.get("split.count")
    if isinstance(split, int) and split > 1:
        notes.append(f"this file is one of {split}; the others are not counted")
    total = by_type.total()
    return Weights(total, total, "header", tuple(notes))
