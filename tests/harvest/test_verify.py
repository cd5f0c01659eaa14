"""Cited lines read again: the same, moved, changed, dead, or skipped with the reason."""

from __future__ import annotations

import hashlib
from contextlib import contextmanager

import pytest

from catalogs import ENGINE, changed, snapshot
from infercompat.harvest import Refused
from infercompat.harvest.verify import verify

from .trees import grow


def digest(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()


def citation(url: str) -> str:
    return f"title: A source\nurl: {url}\ntype: code\npublisher: acme/enga\nretrieved: 2026-02-02\npin: v1.1.0\n"


BLOB = "https://github.com/acme/enga/blob/v1.1.0/python/enga/registry.py"
FOLDER = "https://github.com/acme/enga/tree/v1.1.0/python/enga"


@pytest.fixture
def look(make, tmp_path):
    """What becomes of one claim on the line `two` of a small tree, with its place and its source."""

    def looked(at: str, line: str = "two", url: str = BLOB, text: str = "one\ntwo\nthree\n", refuse: str = "", more: dict[str, str] | None = None):
        claims = snapshot(f"about: {{architecture: TinyForCausalLM}}, holds: native, sha256: '{digest(line)}'", cites="source-in-question")
        claims = claims.replace("at: L1}", f"at: {at}}}")
        files = {"support/enga/in-question.yaml": claims, "citations/github.com/source-in-question.yaml": citation(url)}
        products = make(files | changed(ENGINE, ("https://example.com/acme/enga", "https://github.com/acme/enga")))
        assert "in-question" in products.catalog.records, products.diagnostics
        tree = grow(tmp_path / "tree", {"enga/registry.py": text, "enga/sub/deep.py": "zero\ntwo\n"} | (more or {}))

        @contextmanager
        def obtain(engine, version):
            if refuse:
                raise Refused(refuse)
            yield tree

        [found] = verify(products.catalog, [products.catalog.records["in-question"]], obtain)
        return found.state, found.detail

    return looked


def test_a_line_that_is_the_same(look):
    assert look("L2") == ("same", "")
    assert look("L2-L3") == ("same", "")
    assert look("registry.py L2", url=FOLDER) == ("same", "")
    assert look("sub/deep.py L2", url=FOLDER) == ("same", "")
    assert look("deep.py L2", url=FOLDER) == ("same", "")


def test_a_line_that_moved(look):
    assert look("L3") == ("moved", "now L2")
    assert look("L99") == ("moved", "now L2")
    assert look("L1", text="none\n\ntwo\ntwo\n") == ("moved", "now L3")


def test_a_name_that_two_folders_have_is_the_one_with_the_line(look):
    """mlx-lm has a model and a chat template called deepseek_v32.py; the address is that of the folder above both."""
    assert look("deep.py L2", url=FOLDER, more={"enga/other/deep.py": "x\n"}) == ("same", "")
    assert look("deep.py L9", url=FOLDER, more={"enga/other/deep.py": "x\n"}) == ("moved", "now L2")
    assert look("deep.py L2", url=FOLDER, line="gone", more={"enga/other/deep.py": "x\n"}) == ("changed", "python/enga/deep.py has no such line")


def test_a_line_that_changed(look):
    assert look("L2", line="twofold") == ("changed", "python/enga/registry.py has no such line")


def test_a_file_that_is_gone_and_one_that_no_package_holds(look):
    assert look("gone.py L2", url=FOLDER) == ("dead", "python/enga/gone.py is gone")
    assert look("L2", url="https://github.com/acme/enga/blob/v1.1.0/docs/page.md") == ("skipped", "docs/page.md is not in the released package")


def test_what_cannot_be_looked_at_is_skipped_with_its_reason(look):
    assert look("the second table") == ("skipped", "its place is no line")
    assert look("L2", url="https://github.com/other/thing/blob/v1/a.py")[0] == "skipped"
    assert look("L2", refuse="no route to host") == ("skipped", "no route to host")
