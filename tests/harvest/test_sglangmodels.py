"""What SGLang's model classes have, themselves or through an ancestor of another file; what has another name is an error, and never lacking."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from infercompat.harvest import Refused
from infercompat.harvest.sglangmodels import HARVESTERS, read

from .trees import grow, said

MODELS = "sglang/srt/models"
ASKS = "EAGLE = hasattr(model, 'set_eagle3_layers_to_capture')\nFLASH = hasattr(model, 'set_dflash_layers_to_capture')\n"
TREE = {
    "sglang/srt/model_executor/model_runner.py": f'{ASKS}PP = "pp_proxy_tensors" in signature(model.forward).parameters\n',
    "sglang/srt/speculative/worker.py": "embed, head = target.get_embed_and_head()\n",
    f"{MODELS}/llama.py": """\
from torch import nn

class LlamaForCausalLM(nn.Module):
    def forward(
        self,
        pp_proxy_tensors=None,
    ): ...
    def get_embed_and_head(self): ...
    def set_eagle3_layers_to_capture(self, layers): ...
    def set_dflash_layers_to_capture(self, layers): ...

EntryClass = [LlamaForCausalLM]
""",
    f"{MODELS}/heir.py": """\
from sglang.srt.models.llama import LlamaForCausalLM as Base

class HeirForCausalLM(Base):
    def forward(self): ...

EntryClass = HeirForCausalLM
""",
    f"{MODELS}/bare.py": "import torch\nclass BareForCausalLM(torch.nn.Module):\n    def forward(self): ...\nEntryClass = BareForCausalLM\n",
}
BARE = f"{MODELS}/bare.py"
EAGLES = ("EAGLE", "eagle", "EAGLE3", "eagle3", "NEXTN", "nextn", "mtp")


def claims(tmp_path, **files) -> list[str]:
    """Each claim with its methods, if it has some."""
    tree = grow(tmp_path, TREE | {f"{MODELS}/{name}.py": text for name, text in files.items()})
    return spoken(read(tree))


def spoken(found) -> list[str]:
    found = list(found)
    methods = [" ".join(dict(item.fields).get("when", {}).get("speculation.method", ())) for item in found]
    return [f"{line} {words}".strip() for line, words in zip(said(found), methods, strict=True)]


def test_what_a_class_has_inherits_and_lacks(tmp_path):
    assert claims(tmp_path) == [
        "BareForCausalLM pipeline-parallel unsupported models/bare.py L3",
        f"BareForCausalLM speculation unsupported models/bare.py L2 {' '.join(EAGLES)}",
        "BareForCausalLM speculation unsupported models/bare.py L2 DFLASH dflash",
        "HeirForCausalLM pipeline-parallel unsupported models/heir.py L4",
        "HeirForCausalLM speculation native models/llama.py L8 EAGLE eagle",
        "HeirForCausalLM speculation native models/llama.py L9 EAGLE3 eagle3",
        "HeirForCausalLM speculation native models/llama.py L10 DFLASH dflash",
        "LlamaForCausalLM pipeline-parallel native models/llama.py L6",
        "LlamaForCausalLM speculation native models/llama.py L8 EAGLE eagle",
        "LlamaForCausalLM speculation native models/llama.py L9 EAGLE3 eagle3",
        "LlamaForCausalLM speculation native models/llama.py L10 DFLASH dflash",
    ]


def test_a_repository_holds_them_below_python(tmp_path):
    tree = grow(tmp_path, {f"python/{name}": text for name, text in TREE.items()})
    assert "HeirForCausalLM speculation native models/llama.py L9 EAGLE3 eagle3" in spoken(read(tree))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("pp_proxy_tensors", "stage_tensors", "nothing asks for pp_proxy_tensors"),
        ("get_embed_and_head", "embedding_and_head", "nothing asks for get_embed_and_head"),
        ("set_eagle3_layers_to_capture", "capture_eagle3", "nothing asks for set_eagle3"),
    ],
)
def test_another_name_is_an_error(tmp_path, old, new, says):
    with pytest.raises(Refused, match=says):
        list(read(grow(tmp_path, {name: text.replace(old, new) for name, text in TREE.items()})))


def test_another_name_in_the_classes_alone_is_an_error(tmp_path):
    for old in ("pp_proxy_tensors", "get_embed_and_head", "set_dflash_layers_to_capture"):
        files = {name: text.replace(old, "other") if name.startswith(MODELS) else text for name, text in TREE.items()}
        with pytest.raises(Refused, match=f"no class has {old}"):
            list(read(grow(tmp_path / old, files)))


def test_a_tree_without_models_is_an_error(tmp_path):
    with pytest.raises(Refused, match="none of"):
        list(read(grow(tmp_path, {"sglang/srt/server.py": ""})))


def test_a_method_that_nobody_asks_for_is_not_spoken_of(tmp_path):
    found = spoken(read(grow(tmp_path, {name: text.replace("set_dflash_layers", "set_other_layers") for name, text in TREE.items()})))
    assert found
    assert not [line for line in found if "flash" in line]


def test_dspark_takes_what_dflash_does(tmp_path):
    runner = "sglang/srt/model_executor/model_runner.py"
    own = TREE[BARE].replace("    def forward", "    def set_dspark_layers_to_capture(self, layers): ...\n    def forward")
    tree = grow(tmp_path, TREE | {runner: f"{TREE[runner]}\nmodel.set_dspark_layers_to_capture()\n", BARE: own})
    assert [line for line in spoken(read(tree)) if "DSPARK" in line or "Bare" in line] == [
        "BareForCausalLM pipeline-parallel unsupported models/bare.py L4",
        f"BareForCausalLM speculation unsupported models/bare.py L2 {' '.join(EAGLES)}",
        "BareForCausalLM speculation unsupported models/bare.py L2 DFLASH dflash",
        "BareForCausalLM speculation native models/bare.py L3 DSPARK dspark",
        "HeirForCausalLM speculation native models/llama.py L10 DSPARK dspark",
        "LlamaForCausalLM speculation native models/llama.py L10 DSPARK dspark",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "class A(torch.nn.Module):\n    def __getattr__(self, name): ...\n",
        "from sglang.srt.models.gone import B\nclass A(B): ...\n",
        "from .llama import Gone\nclass A(Gone): ...\n",
        "class A(Nowhere): ...\n",
        "class A(make()): ...\n",
    ],
)
def test_of_a_class_that_may_have_it_all_nothing_is_said(tmp_path, text):
    assert not [line for line in claims(tmp_path, a=f"import torch\n{text}\nEntryClass = A\n") if line.startswith("A ")]


def test_a_method_below_a_condition_or_set_to_something_else(tmp_path):
    text = """\
class A:
    if fast:
        def forward(self, pp_proxy_tensors): ...
    def __init__(self):
        self.get_embed_and_head = make()
    def capture(self, layers): ...
    set_dflash_layers_to_capture = capture
EntryClass = A
"""
    assert [line for line in claims(tmp_path, a=text) if line.startswith("A ")] == [
        "A speculation unsupported models/a.py L1 EAGLE3 eagle3",
        "A speculation native models/a.py L7 DFLASH dflash",
    ]


def test_what_a_class_takes_over_from_a_part(tmp_path):
    text = """\
from .llama import LlamaForCausalLM
class A:
    def __init__(self):
        self.inner = LlamaForCausalLM()
        self.forward = self.inner.forward
        self.get_embed_and_head = self.other.get_embed_and_head
EntryClass = A
"""
    assert "A pipeline-parallel native models/llama.py L6" in claims(tmp_path, a=text)


def test_drafts_are_left_out_and_classes_without_text_draft_nothing(tmp_path):
    files = {
        name: f"class {name}:\n    def forward(self): ...\nEntryClass = {name}\n" for name in ("LlamaForCausalLMEagle3", "AModel", "AForSequenceClassification")
    }
    config = {"sglang/srt/configs/model_config.py": 'def is_generation_model(names):\n    return "AModel" not in names\n'}
    grow(tmp_path, config)
    found = claims(tmp_path, **files)
    assert [line for line in found if not line.startswith(("Bare", "Heir", "LlamaForCausalLM "))] == [
        "AForSequenceClassification pipeline-parallel unsupported models/AForSequenceClassification.py L2",
        "AModel pipeline-parallel unsupported models/AModel.py L2",
    ]


def test_an_architecture_that_is_loaded_as_another(tmp_path):
    body = '        architectures.remove("OldForCausalLM")\n        architectures.append("BareForCausalLM")\n'
    config = f"class C:\n    def __init__(self, architectures):\n{body}"
    found = [item for item in read(grow(tmp_path, TREE | {"sglang/srt/configs/old.py": config})) if dict(item.about)["architecture"] == "OldForCausalLM"]
    assert {item.file for item in found} == {"models/bare.py"}
    assert [dict(item.fields)["lacks"].partition(".")[0] for item in found] == ["Loaded as BareForCausalLM"] * 3


def test_each_method_of_a_class_is_a_claim_of_its_own(tmp_path):
    [harvester] = HARVESTERS
    assert len(replace(harvester, least=1).claims(grow(tmp_path, TREE))) == 11
    with pytest.raises(Refused, match="only 11 claims"):
        harvester.claims(grow(tmp_path, TREE))
