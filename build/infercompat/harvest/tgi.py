"""TGI's model types: the members of ModelType, and those that it leaves to the Transformers release that it pins."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim, entries

FILE = "server/text_generation_server/models/__init__.py"
LOCK = "server/uv.lock"
NAMES = "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES"

_TYPES = """
aria_text bamba bart bert bert-generation big_bird bigbird_pegasus biogpt blenderbot blenderbot-small bloom camembert code_llama codegen
cohere cohere2 cpmant ctrl data2vec-text dbrx deepseek_v3 diffllama electra emu3 ernie falcon falcon_mamba fuyu gemma gemma2 gemma3
gemma3_text git glm got_ocr2 gpt-sw3 gpt2 gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gptj granite granitemoe granitemoeshared helium
jamba jetmoe llama llama4 llama4_text mamba mamba2 marian mbart mega megatron-bert mistral mixtral mllama moshi mpt musicgen
musicgen_melody mvp nemotron olmo olmo2 olmoe open-llama openai-gpt opt pegasus persimmon phi phi3 phi4_multimodal phimoe plbart
prophetnet qdqbert qwen2 qwen2_moe qwen3 qwen3_moe recurrent_gemma reformer rembert roberta roberta-prelayernorm roc_bert roformer rwkv
speech_to_text_2 stablelm starcoder2 transfo-xl trocr whisper xglm xlm xlm-prophetnet xlm-roberta xlm-roberta-xl xlnet xmod zamba zamba2
"""

TRANSFORMERS = {"4.51.0": frozenset(_TYPES.split())}
"""The keys of MODEL_FOR_CAUSAL_LM_MAPPING_NAMES in the Transformers release that the lock file of TGI names, from which its image is made.

Source: src/transformers/models/auto/modeling_auto.py of huggingface/transformers at v4.51.0. The requirements beside the lock file name
4.51.3, which adds glm4.
"""

_VERSION = re.compile(r'version = "(?P<version>[^"]+)"')


def read(tree: Tree) -> Iterator[Claim]:
    """One claim a member on the line of its type; then one a type of the pinned Transformers, on the line that asks for it."""
    file = tree.file(FILE)
    yield from _members(file)
    line = _asks_transformers(file)
    for name in sorted(_pinned(tree)):
        yield claim(file, line, "fallback", model_type=name)


def _members(file: File) -> Iterator[Claim]:
    classes = [node for node in file.module.body if isinstance(node, ast.ClassDef) and node.name == "ModelType"]
    if not classes:
        raise Refused(f"{file.path}: there is no class ModelType")
    for node in classes[0].body:
        if not isinstance(node, ast.Assign):
            continue
        types = [value for key, value, _ in entries(node.value) if key == "type"]
        if not types or not isinstance(types[0], ast.Constant):
            raise Refused(f"{file.path}:{node.lineno}: a member of ModelType without a type that can be read off")
        yield claim(file, types[0].lineno, "native", model_type=types[0].value)


def _asks_transformers(file: File) -> int:
    """The line on which loading falls back to the classes of Transformers."""
    for node in ast.walk(file.module):
        if isinstance(node, ast.Compare) and ast.unparse(node) == f"model_type in modeling_auto.{NAMES}":
            return node.lineno
    raise Refused(f"{file.path}: nothing asks whether a type is in {NAMES}")


def _pinned(tree: Tree) -> frozenset[str]:
    """The types of the Transformers release that the tree's lock file names."""
    file = tree.file(LOCK)
    for number, (line, following) in enumerate(pairwise(file.lines), start=1):
        if line.strip() == 'name = "transformers"' and (version := _VERSION.fullmatch(following.strip())):
            if version["version"] not in TRANSFORMERS:
                raise Refused(f"{file.path}:{number + 1}: nobody has read which types Transformers {version['version']} has classes for")
            return TRANSFORMERS[version["version"]]
    raise Refused(f"{file.path}: it names no version of transformers")


HARVESTERS = (
    Harvester(
        engine="tgi",
        prefix="tgi",
        what="model-types",
        title="The model types that TGI {version} has a place or a Transformers class for",
        url="https://github.com/huggingface/text-generation-inference/blob/{tag}/" + FILE,
        tag="v{version}",
        read=read,
        repository="https://github.com/huggingface/text-generation-inference",
        least=60,
    ),
)
