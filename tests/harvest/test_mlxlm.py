"""mlx-lm's model types: files that give a class Model, made there or imported, and the table of remapped types."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.mlxlm import read

from .trees import MLX, grow, said, small

# printf 'class Model(nn.Module):' | sha256sum
DIGEST = "a2718a5d024528b818de8967fe96cba4a21584421da2c9c4119db836d77bbf51"


def test_files_and_the_remapping_table(tmp_path):
    found = list(read(grow(tmp_path, MLX)))
    assert said(found) == [
        "alias native alias.py L4",
        "llama native llama.py L4",
        "solar_open native solar_open.py L1",
        "mistral rewritten utils.py L2",
        "phi-msft rewritten utils.py L3",
    ]
    assert [dict(item.fields) for item in found[-2:]] == [{"loads_as": "llama"}, {"loads_as": "phixtral"}]
    assert found[1].sha256 == DIGEST
    assert {item.about[0][0] for item in found} == {"model_type"}


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("from x import Model", True),
        ("from x import (\n    ModelArgs,\n    Model,\n)", True),
        ("from x import LM as Model", True),
        ("from x import Model as LM", False),
        ("import Model", False),
        ("Model = A", True),
        ("class Model: ...", True),
        ("class ModelArgs: ...", False),
        ("def Model(): ...", False),
        ("class A:\n    class Model: ...", False),
        ("from x import Model\nclass Model(Model): ...", True),
    ],
)
def test_what_gives_a_file_its_model(tmp_path, text, gives):
    tree = grow(tmp_path, {"mlx_lm/models/a.py": text, "mlx_lm/utils.py": "MODEL_REMAPPING = {}"})
    assert [item.about[0][1] for item in small("mlx-lm").read(tree)][:1] == (["a"] if gives else [])


@pytest.mark.parametrize("text", ["MODEL_MAP = {'a': 'b'}\n", "", "def f():\n    MODEL_REMAPPING = {}\n"])
def test_a_table_under_another_name_is_refused(tmp_path, text):
    with pytest.raises(Refused, match=r"mlx_lm/utils\.py: there is no MODEL_REMAPPING"):
        list(read(grow(tmp_path, MLX | {"mlx_lm/utils.py": text})))


def test_a_file_that_is_no_python_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"mlx_lm/models/bad\.py:1: not Python"):
        list(read(grow(tmp_path, MLX | {"mlx_lm/models/bad.py": "class Model(\n"})))


def test_an_empty_folder_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("mlx-lm").claims(grow(tmp_path, {"mlx_lm/models/__init__.py": "", "mlx_lm/utils.py": "MODEL_REMAPPING = {}"}))
