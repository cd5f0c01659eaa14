"""The README shows the real output of a real command."""

from __future__ import annotations

import re

from catalogs import REAL, ROOT


def test_the_shown_answer_is_the_answer(run):
    block = re.search(r"```\n\$ infercompat (.+?)\n(.+?)\n…\n```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    answer = run(*block[1].split(), catalog=REAL).output.splitlines()
    shown = block[2].splitlines()
    assert len(shown) > 10
    assert shown == answer[: len(shown)], f"the answer changed: put the new output of `infercompat {block[1]}` into README.md"


def test_readme_is_a_screen_and_a_half_at_most():
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 75
