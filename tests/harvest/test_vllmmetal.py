"""vLLM Metal's page of supported models."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.vllmmetal import PAGE, read

from .trees import grow, said

TEXT = """\
## Legend

| Symbol | Meaning |
| --- | --- |
| ✅ | Supported model/feature |

| Model | Support | Runner |
| --- | --- | --- |
| Qwen3-VL | 🔵 | native |

| Model | Support | Attention Kernel |
| --- | --- | --- |
| Qwen3.5 / 3.6 / 3.8 | ✅ | Hybrid |
| GLM-4.5 | 🟡 | MLA |
"""


def test_rows_of_every_table(tmp_path):
    assert said(read(grow(tmp_path, {PAGE: TEXT}))) == [
        "Qwen3_5ForConditionalGeneration native L13",
        "Qwen3_5MoeForConditionalGeneration native L13",
        "Qwen3VLForConditionalGeneration native L9",
        "Glm4MoeForCausalLM untested L14",
    ]


def test_a_column_under_another_name_is_refused(tmp_path):
    with pytest.raises(Refused, match=r"supported_models\.md:9: '' is no symbol of the legend"):
        list(read(grow(tmp_path, {PAGE: TEXT.replace("Support |", "State |")})))
