"""OpenVINO GenAI's documented models: the tables of its pages on language, vision, embedding, reranking and speech models.

The pages say that other models with a like structure may work, so that the lists are not whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim

TABLES = "site/docs/supported-models/_components"
NEEDED = ("llm", "vlm")
"""The tables without which most models would seem to be gone. The others have changed their names, and are read where they are."""

OTHERS = ("embedding", "text-embeddings", "text-rerank", "speech-recognition", "whisper")

NAMES = {
    "InternVLChat": ("InternVLChatModel",),
    "LLaVA": ("LlavaForConditionalGeneration",),
    "nanoLLaVA": (),
    "LLaVA-NeXT": ("LlavaNextForConditionalGeneration",),
    "LLaVA-NeXT-Video": ("LlavaNextVideoForConditionalGeneration",),
    "VideoChat-Flash": ("VideoChatFlashQwenForCausalLM",),
    "MiniCPMO": ("MiniCPMO",),
    "MiniCPMV": ("MiniCPMV",),
    "Qwen2-VL": ("Qwen2VLForConditionalGeneration",),
    "Qwen2.5-VL": ("Qwen2_5_VLForConditionalGeneration",),
    "Qwen3-VL": ("Qwen3VLForConditionalGeneration",),
    "Qwen3.5": ("Qwen3_5ForConditionalGeneration", "Qwen3_5MoeForConditionalGeneration"),
    "FunASRNano": (),
}
"""The classes in config.json of the checkpoints that an entry under a name of its own lists; none where no config of them was read."""

_ENTRY = re.compile(r"^\s*architecture:\s*(?P<quote>['\"])(?P<name>[^'\"]+)(?P=quote),?\s*$")
_FIELD = re.compile(r"^\s*architecture:")
_TYPE = re.compile(r"^\s*architecture:\s*string;\s*$")
_CLASS = re.compile(r"[A-Z][A-Za-z0-9_]*(Model|For[A-Z][A-Za-z]+)")


def read(tree: Tree) -> Iterator[Claim]:
    """One claim a class, on the line of its entry; `value` has the page's word where that is another one."""
    for table in NEEDED:
        yield from _entries(tree.file(f"{TABLES}/{table}-models-table/models.ts"), table)
    for table in OTHERS:
        if (tree.root / TABLES / f"{table}-models-table/models.ts").is_file():
            yield from _entries(tree.file(f"{TABLES}/{table}-models-table/models.ts"), table)


def _entries(file: File, table: str) -> Iterator[Claim]:
    found = False
    for number, line in enumerate(file.lines, start=1):
        if not _FIELD.match(line) or _TYPE.match(line):
            continue
        entry = _ENTRY.match(line)
        if entry is None:
            raise Refused(f"{file.path}:{number}: an architecture that is no quoted word")
        name, found = entry["name"], True
        classes = NAMES.get(name, (name,) if _CLASS.fullmatch(name) else None)
        if classes is None:
            raise Refused(f"{file.path}:{number}: '{name}' is no class, and nobody has said which class it stands for")
        for architecture in classes:
            item = claim(file, number, "native", fields={} if architecture == name else {"value": name}, architecture=architecture)
            yield Claim(item.about, item.holds, item.line, item.sha256, f"{table} models.ts", item.fields, item.path)
    if not found:
        raise Refused(f"{file.path}: no entry names an architecture")


HARVESTERS = (
    Harvester(
        engine="openvino-genai",
        prefix="openvino-genai",
        what="supported-models",
        title="The models that the pages of OpenVINO GenAI {version} list",
        url="https://github.com/openvinotoolkit/openvino.genai/tree/{tag}/" + TABLES,
        tag="{version}",
        read=read,
        repository="https://github.com/openvinotoolkit/openvino.genai",
        least=30,
        complete=False,
        type="documentation",
        ending="supported-models",
    ),
)
