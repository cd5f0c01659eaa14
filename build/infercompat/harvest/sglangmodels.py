"""What SGLang's model classes let it do: stages of a pipeline, and the drafts that ask the target's class for something.

`model_executor` asks whether a class's forward takes `pp_proxy_tensors`, and it and `speculative` call methods of the class for a draft.
What an instance answers comes from its class, an ancestor, or a part that `__init__` takes it over from. Where a class answers through
`__getattr__`, or one of its ancestors is not found, nothing is said that it would lack.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from infercompat.harvest.base import Claim, File, Harvester, Refused, Tree, claim
from infercompat.harvest.classes import UNCLEAR, Classes, Found, own_member
from infercompat.harvest.sglang import FOLDERS, registry

STAGES, EMBEDDING = "pp_proxy_tensors", "get_embed_and_head"
EAGLE3, DFLASH, DSPARK = (f"set_{method}_layers_to_capture" for method in ("eagle3", "dflash", "dspark"))
NEWER = (DFLASH, DSPARK)
"""What older releases do not ask for."""

ASKERS = ("model_executor", "speculative")
"""The folders beside models whose code asks."""

DRAFT = re.compile(r"NextN$|MTP$|Eagle|Draft|DFlash|DSpark|Assistant")
"""Names of classes that draft themselves."""

NO_TEXT = re.compile(r"Classification|Reward|Embedding|VisionModel")
"""Names of classes that write no text, so that nothing is to be drafted."""

NO_EMBEDDING = "The class does not hand out its embedding, which the draft asks for."
NO_STATES = "The class hands out no states of its layers."


class Place(NamedTuple):
    """A class by the module that gives it a name, and the word for it where the architecture is loaded as another one."""

    module: str
    name: str
    loaded: str = ""


def read(tree: Tree) -> Iterator[Claim]:
    """Claims by architecture, on the line that has what is asked for, else on the forward or the class that lacks it."""
    folder = next((folder for folder in FOLDERS if (tree.root / folder).is_dir()), FOLDERS[0])
    prefix = folder.removesuffix("sglang/srt/models").rstrip("/")
    classes, silent = Classes(tree, prefix), _silent(tree, folder)
    listed = [(dict(item.about)["architecture"], dict(item.fields).get("loads_as"), item) for item in registry(tree)]
    places = {name: Place(f"sglang.srt.models.{PurePosixPath(item.file).stem}", name) for name, other, item in reversed(listed) if other is None}
    had = {wanted: False for wanted in (STAGES, EMBEDDING, EAGLE3, DFLASH, DSPARK)}
    found = []
    for name, other, _ in listed:
        place = places.get(other or name)
        if place is None or DRAFT.search(name) or classes.find(place.module, place.name) is None:
            continue
        place = place._replace(loaded=f"Loaded as {other}." if other else "")
        answers = {wanted: _stages(classes, place) if wanted == STAGES else looked_up(classes, place, wanted) for wanted in had}
        if answers[EMBEDDING] is None and looked_up(classes, place, f"{EMBEDDING}_for_draft"):
            answers[EMBEDDING] = UNCLEAR  # the draft asks for that one first
        had |= {wanted: True for wanted, answer in answers.items() if isinstance(answer, Found)}
        found.append((name, place, answers))
    asked = _asked(tree, folder)
    for wanted, somewhere in had.items():
        if (wanted in asked and not somewhere) or (wanted not in asked and wanted not in NEWER):
            raise Refused(f"{folder}: {f'no class has {wanted}' if wanted in asked else f'nothing asks for {wanted}'}: it has another name now")
    for name, place, answers in found:
        yield from _pipeline(classes, name, place, answers[STAGES])
        if name not in silent and not NO_TEXT.search(name):
            yield from _drafts(classes, name, place, {wanted: answer for wanted, answer in answers.items() if wanted in asked})


def looked_up(classes: Classes, place: Place, wanted: str, depth: int = 0) -> Found | str | None:
    """What an instance of a class has by a name; None where it has nothing, UNCLEAR where nobody can tell."""
    lineage = list(classes.lineage(place.module, place.name))
    if not lineage or depth > 4:
        return UNCLEAR
    for module, _, node in lineage:
        init = own_member(node, "__init__")
        set_ = {ast.unparse(item.targets[0]): item.value for item in ast.walk(init) if isinstance(item, ast.Assign)} if init else {}
        if f"self.{wanted}" in set_:
            value = set_[f"self.{wanted}"]
            part = set_.get(ast.unparse(value.value)) if isinstance(value, ast.Attribute) and value.attr == wanted else None
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                return looked_up(classes, Place(module, part.func.id), wanted, depth + 1)
            return UNCLEAR
    for _, file, node in lineage:
        if (own := own_member(node, wanted)) is not None:
            return Found(file, own, node.name)
        if _below_a_condition(node, wanted):
            return UNCLEAR
    return UNCLEAR if classes.member(place.module, place.name, "__getattr__") or classes.unresolved(place.module, place.name) else None


def _below_a_condition(node: ast.ClassDef, wanted: str) -> bool:
    branches = [part for item in node.body if isinstance(item, (ast.If, ast.Try, ast.With)) for part in ast.walk(item)]
    return any(isinstance(part, ast.FunctionDef) and part.name == wanted for part in branches)


def _stages(classes: Classes, place: Place) -> Found | str | None:
    """The argument of forward that takes what the stage before hands on."""
    forward = looked_up(classes, place, "forward")
    if not isinstance(forward, Found) or not isinstance(forward.node, ast.FunctionDef):
        return UNCLEAR
    given = forward.node.args
    taken = next((item for item in (*given.posonlyargs, *given.args, *given.kwonlyargs) if item.arg == STAGES), None)
    return forward._replace(node=taken) if taken else None


def _pipeline(classes: Classes, name: str, place: Place, taken: Found | str | None) -> Iterator[Claim]:
    if taken == UNCLEAR:
        return
    at = taken if isinstance(taken, Found) else looked_up(classes, place, "forward")
    yield _claim(at.file, at.node.lineno, taken, name, "pipeline-parallel", {}, place.loaded)


def _drafts(classes: Classes, name: str, place: Place, answers: dict[str, Found | str | None]) -> Iterator[Claim]:
    """By method; DSpark takes what DFlash does where a class has nothing for it alone, and EAGLE-3 needs the embedding too."""
    embedding = answers[EMBEDDING]
    asked: list[tuple[Found | str | None, list[str], str]] = []
    if embedding is None:
        asked.append((None, ["EAGLE", "eagle", "EAGLE3", "eagle3", "NEXTN", "nextn", "mtp"], NO_EMBEDDING))
    else:
        asked += [(embedding, ["EAGLE", "eagle"], ""), (answers[EAGLE3], ["EAGLE3", "eagle3"], NO_STATES)]
    if DFLASH in answers:
        asked.append((answers[DFLASH], ["DFLASH", "dflash"], NO_STATES))
    if DSPARK in answers:
        asked.append((answers[DSPARK] or answers.get(DFLASH), ["DSPARK", "dspark"], NO_STATES))
    _, file, node = classes.find(place.module, place.name)
    for answer, methods, lacks in asked:
        if answer != UNCLEAR:
            at = (answer.file, answer.node.lineno) if isinstance(answer, Found) else (file, node.lineno)
            yield _claim(*at, answer, name, "speculation", {"when": {"speculation.method": methods}}, f"{place.loaded} {lacks}".strip())


def _claim(file: File, line: int, found: Found | str | None, name: str, feature: str, fields: dict[str, Any], lacks: str) -> Claim:
    more = {"lacks": lacks} if lacks and not found else {}
    return claim(file, line, "native" if found else "unsupported", named="srt", fields=fields | more, architecture=name, feature=feature)


def _asked(tree: Tree, folder: str) -> set[str]:
    """The names that code beside the models asks for."""
    roots = [folder.replace("models", asker) for asker in ASKERS]
    texts = [file.text for root in roots if (tree.root / root).is_dir() for file in tree.below(root)]
    return {wanted for wanted in (STAGES, EMBEDDING, EAGLE3, *NEWER) if any(wanted in text for text in texts)}


def _silent(tree: Tree, folder: str) -> set[str]:
    """The architectures that SGLang itself calls no generation models."""
    path = folder.replace("models", "configs/model_config.py")
    body = tree.file(path).module.body if tree.has(path) else []
    asked = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == "is_generation_model"]
    return {item.value for node in asked for item in ast.walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, str)}


HARVESTERS = (
    Harvester(
        engine="sglang",
        prefix="sglang",
        what="srt",
        ending="model-features",
        title="What the model classes of SGLang {version} let it do",
        url="https://github.com/sgl-project/sglang/tree/{tag}/python/sglang/srt",
        tag="v{version}",
        read=read,
        package="sglang",
        repository="https://github.com/sgl-project/sglang",
        least=200,
        complete=False,
        optional=True,
    ),
)
