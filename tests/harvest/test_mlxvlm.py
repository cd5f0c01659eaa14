"""mlx-vlm's model types: packages that give a Model, and the table of remapped types."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.mlxvlm import read

from .trees import grow, said, small

VLM = {
    "mlx_vlm/models/__init__.py": "",
    "mlx_vlm/models/base.py": "class Model: ...\n",
    "mlx_vlm/models/llama/__init__.py": "from .config import ModelConfig\nfrom .llama import Model\n\n__all__ = ['Model']\n",
    "mlx_vlm/models/llama/llama.py": "class Model: ...\n",
    "mlx_vlm/models/gemma3/__init__.py": "from .gemma3 import (\n    LanguageModel,\n    Model,\n)\n",
    "mlx_vlm/models/z_image/__init__.py": "from .pipeline import Pipeline\n",
    "mlx_vlm/models/assets/readme.py": "class Model: ...\n",
    "mlx_vlm/utils.py": 'MODEL_REMAPPING = {\n    "mistral": "llama",  # the same layers\n    "llava-qwen2": "gemma3",\n    "llama": "llama",\n}\n',
}


def test_packages_and_the_remapping_table(tmp_path):
    found = list(read(grow(tmp_path, VLM)))
    assert said(found) == [
        "gemma3 native gemma3/__init__.py L1",
        "llama native llama/__init__.py L2",
        "mistral rewritten utils.py L2",
        "llava-qwen2 rewritten utils.py L3",
    ]
    assert [dict(item.fields) for item in found[-2:]] == [{"loads_as": "llama"}, {"loads_as": "gemma3"}]
    # printf 'from .llama import Model' | sha256sum
    assert found[1].sha256 == "b7a6b1b7193ce12f91694430925b848159f4e8077aa228d49c8cdcd52047270b"


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"mlx_vlm/utils.py": "REMAPPING = {}\n"}, "there is no MODEL_REMAPPING"),
        ({"mlx_vlm/utils.py": "\nMODEL_REMAPPING = {'a': 'gone'}\n"}, r"utils\.py:2: a loads as gone, which models does not hold"),
        ({"mlx_vlm/models/llama/__init__.py": "from ("}, r"llama/__init__\.py:1: not Python"),
    ],
)
def test_a_place_that_moved_is_refused(tmp_path, files, told):
    with pytest.raises(Refused, match=told):
        list(read(grow(tmp_path, VLM | files)))


def test_a_tree_without_the_folder_is_refused(tmp_path):
    with pytest.raises(Refused, match="there is no mlx_vlm/models"):
        list(read(grow(tmp_path, {"mlx_vlm/utils.py": "MODEL_REMAPPING = {}"})))


def test_an_empty_registry_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("mlx-vlm").claims(grow(tmp_path, {"mlx_vlm/models/__init__.py": "", "mlx_vlm/utils.py": "MODEL_REMAPPING = {}"}))
