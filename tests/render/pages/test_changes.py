"""What changed: the list, a page a set, and records that are no more."""

from __future__ import annotations

import pytest

from infercompat.join import Matrix
from infercompat.render import Renderer, pages


@pytest.fixture(scope="module")
def rendered(tiny) -> dict[str, str]:
    matrix = Matrix(tiny)
    return {page.address: Renderer(matrix).render(page) for page in pages(matrix) if page.address.startswith("changes/")}


def test_the_list_has_a_line_a_set_the_newest_first(rendered):
    text = rendered["changes/"]
    assert set(rendered) == {"changes/", "changes/2026-02-02-01/", "changes/2026-02-02-02/"}
    assert text.index('href="2026-02-02-02/"') < text.index('href="2026-02-02-01/"')
    assert "1 verdicts" not in text and "1 verdict, 2 grades, 1 newest release" in text
    assert 'feeds:\n  - {path: "feeds/all.xml"' in text


def test_a_set_tells_each_answer_with_its_reason(rendered):
    text = rendered["changes/2026-02-02-01/"]
    for part in (
        "1.1.0: before, sliding-window: no source speaks of it",
        "1.0.0 → 1.1.0",
        "unknown → 34,603,008 bytes at 32,768 tokens",
        "severity minor → major",
    ):
        assert part in text
    assert '<a href="../../models/tiny-model/">Tiny</a>' in text


def test_a_record_that_is_no_more_is_named_without_a_link(rendered):
    assert "gone-model" in rendered["changes/2026-02-02-01/"]
    assert "gone-model/" not in rendered["changes/2026-02-02-01/"]


def test_sections_without_changes_are_left_out(rendered):
    assert "{: #verdicts }" in rendered["changes/2026-02-02-01/"]
    assert "{: #verdicts }" not in rendered["changes/2026-02-02-02/"]
