"""Configuration files that name a model and the settings of an engine, each in its own keys.

Read are those of vLLM and SGLang (`--config`), of TabbyAPI (config.yml), KServe's InferenceService, the Helm values of vLLM's production stack
and of llm-d, Ray Serve's llm_configs, and llama-swap.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from yaml.nodes import Node, ScalarNode, SequenceNode

from infercompat.answer.diagnose.commands import command
from infercompat.answer.diagnose.flags import FlagTable, normal
from infercompat.answer.diagnose.nodes import children, line_of, mappings
from infercompat.answer.diagnose.seen import Seen
from infercompat.answer.diagnose.words import Flag, Word, as_table, command_at, leaves
from infercompat.link import Catalog

SIGNS = re.compile(
    r"modelURL|engine_kwargs|modelFormat|modelArtifacts|^\s*cmd\s*:|^\s*model_name\s*:|"
    r"(?:^|[\s{\"'])(?:tensor|pipeline|data)[-_]parallel|(?:max|mem|gpu|kv|tp|quantization|enable)[-_][\w-]+[\"']?\s*:"
)
"""What a line of one of them holds."""
PLAIN = (("vllm", ("model",)), ("sglang", ("model-path",)))
"""Engines whose options may stand in a file, and the key of the model."""


def read(roots: Sequence[Node], offset: int, catalog: Catalog) -> Iterator[Seen]:
    """What the configurations among some trees say: a command as it would be typed, or a model and options."""
    for root in roots:
        parts = children(root)
        yield from _tabby(parts, offset, catalog)
        yield from _plain(parts, offset, catalog)
        for words, variables in _commands(root, offset):
            found = command(words, variables, catalog)
            if found is not None:
                yield found


def _commands(root: Node, offset: int) -> Iterator[tuple[list[Word], dict[str, Word]]]:
    top = children(root)
    macros = {name: _word(node, offset) for name, node in children(top["macros"]).items() if isinstance(node, ScalarNode)} if "macros" in top else {}
    if "modelArtifacts" in top and "decode" in top:
        yield _llm_d(top, offset), {}
    for mapping in mappings(root):
        parts = children(mapping)
        if "modelURL" in parts:
            yield _production_stack(parts, offset), {}
        elif "engine_kwargs" in parts:
            yield _ray(parts, offset), {}
        elif "modelFormat" in parts:
            yield _kserve(parts, offset), {}
        elif isinstance(parts.get("cmd"), ScalarNode):
            yield _typed(parts["cmd"], offset), macros


def _word(node: Node, offset: int) -> Word:
    return Word(str(node.value), line_of(node, offset))


def _typed(node: Node, offset: int) -> list[Word]:
    """The words of a command over several lines: in llama-swap a line's end ends no command."""
    lines = [line for line in str(node.value).split("\n") if not line.lstrip().startswith("#")]
    return [Word(word.text, line_of(node, offset)) for word in command_at([" ".join(lines)], 0)[0]]


def _flag_words(node: Node | None, offset: int) -> list[Word]:
    """Keys and values as flags: `tensorParallelSize: 2` as --tensor-parallel-size=2."""
    words = []
    for name, value in children(node).items() if node is not None else ():
        flag = re.sub(r"(?<=[a-z0-9])([A-Z])", r"-\1", name).lower()
        if isinstance(value, ScalarNode) and flag not in ("v1", "extra-args"):
            words.append(Word(f"--{flag}={value.value}", line_of(value, offset)))
    return words


def _listed(node: Node | None, offset: int) -> list[Word]:
    return [_word(item, offset) for item in node.value if isinstance(item, ScalarNode)] if isinstance(node, SequenceNode) else []


def _hub(text: str) -> str:
    return re.sub(r"^(?:hf|huggingface)://", "", text)


def _production_stack(parts: Mapping[str, Node], offset: int) -> list[Word]:
    config = parts.get("vllmConfig")
    image = [Word(":".join(str(parts[name].value) for name in ("repository", "tag") if name in parts), line_of(parts["modelURL"], offset))]
    words = [Word(text, line_of(parts["modelURL"], offset)) for text in ("vllm", "serve", str(parts["modelURL"].value))]
    return (
        (image if "repository" in parts else []) + words + _flag_words(config, offset) + _listed(children(config).get("extraArgs") if config else None, offset)
    )


def _ray(parts: Mapping[str, Node], offset: int) -> list[Word]:
    loading = children(parts["model_loading_config"]) if "model_loading_config" in parts else {}
    model = next((loading[name] for name in ("model_source", "model_id") if isinstance(loading.get(name), ScalarNode)), None)
    named = [_word(model, offset)] if model is not None else []
    return [Word(text, line_of(parts["engine_kwargs"], offset)) for text in ("vllm", "serve")] + named + _flag_words(parts["engine_kwargs"], offset)


def _kserve(parts: Mapping[str, Node], offset: int) -> list[Word]:
    words = _listed(parts.get("args"), offset)
    stored = parts.get("storageUri")
    if isinstance(stored, ScalarNode) and not any(word.text.startswith("--model_id") for word in words):
        words.insert(0, Word(f"--model_id={_hub(str(stored.value))}", line_of(stored, offset)))
    if any(re.fullmatch(r"--backend=huggingface", word.text) for word in words):
        return []
    return [Word("huggingfaceserver", line_of(parts["modelFormat"], offset)), *words]


def _llm_d(top: Mapping[str, Node], offset: int) -> list[Word]:
    artifacts, decode = children(top["modelArtifacts"]), children(top["decode"])
    at = line_of(top["modelArtifacts"], offset)
    model = next((_hub(str(artifacts[name].value)) for name in ("uri", "name") if isinstance(artifacts.get(name), ScalarNode)), "")
    words = [Word("vllm", at), Word("serve", at), Word(model, at)]
    ranks = children(decode["parallelism"]) if "parallelism" in decode else {}
    words += [Word(f"--{kind}-parallel-size={ranks[kind].value}", line_of(ranks[kind], offset)) for kind in ("tensor", "data") if kind in ranks]
    for item in decode["containers"].value if isinstance(decode.get("containers"), SequenceNode) else ():
        words += _listed(children(item).get("args"), offset)
    return words


def _tabby(parts: Mapping[str, Node], offset: int, catalog: Catalog) -> Iterator[Seen]:
    model = children(parts["model"]) if "model" in parts else {}
    named = model.get("model_name")
    if not isinstance(named, ScalarNode) or not {"model_dir", "max_seq_len", "cache_mode", "cache_size", "backend"} & set(model):
        return
    values: list[tuple[str, Any, int]] = [
        (name, node.value, line_of(node, offset)) for name, node in model.items() if isinstance(node, ScalarNode) and name != "model_name"
    ]
    yield from _model_and_options("exllamav3", _word(named, offset), values, catalog)


def _plain(parts: Mapping[str, Node], offset: int, catalog: Catalog) -> Iterator[Seen]:
    for engine, names in PLAIN:
        named = next((node for name, node in parts.items() if normal(name) in names and isinstance(node, ScalarNode)), None)
        record = catalog.follow(engine)
        if named is None or record is None:
            continue
        table = FlagTable(record, catalog)
        values: list[tuple[str, Any, int]] = []
        for name, node in parts.items():
            inner = as_table(str(node.value)) if isinstance(node, ScalarNode) and str(node.value).lstrip().startswith("{") else None
            if inner is not None:
                values += [(f"{name}.{key}", value, line_of(node, offset)) for key, value in leaves(inner)]
            elif isinstance(node, ScalarNode) and node is not named:
                values.append((name, node.value, line_of(node, offset)))
            else:
                values += [(f"{name}.{key}", value.value, line_of(value, offset)) for key, value in children(node).items() if isinstance(value, ScalarNode)]
        if any(normal(name) in table.targets for name, _, _ in values):
            yield from _model_and_options(engine, _word(named, offset), values, catalog)


def _model_and_options(engine: str, model: Word, values: Sequence[tuple[str, Any, int]], catalog: Catalog) -> Iterator[Seen]:
    record = catalog.follow(engine)
    table = FlagTable(record, catalog) if record else None
    facts = [one for name, value, line in values for one in table.read(Flag(f"--{name}", value, line)) if one.kind == "fact"] if table else []
    yield Seen("model", "", model.text, model.line)
    yield Seen("options", engine, tuple(facts), model.line)
