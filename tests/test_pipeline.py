"""The stages in order: what loading a folder makes, the date that it counts from, and the faults of the files at its top."""

from __future__ import annotations

import pytest

from catalogs import TINY
from infercompat.pipeline import load


def test_the_tiny_catalog_loads_without_a_fault(tiny):
    assert tiny.diagnostics == []
    assert tiny.today == "2026-03-01"
    assert tiny.folder == TINY
    assert len(tiny.files.records) == len(tiny.catalog.records) == tiny.files.count - 2


def test_a_record_with_a_fault_is_set_aside(make):
    products = make({"engines/engb.yaml": "name: EngB\naliases: [old/engb]\n"})
    assert "engb" not in products.catalog.records
    assert {"engb", "old/engb"} <= products.catalog.set_aside


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"vocabulary.yaml": None}, [("YAML006", "catalog/vocabulary.yaml")]),
        ({"vocabulary.yaml": "words: [\n"}, [("YAML001", "catalog/vocabulary.yaml")]),
        ({"vocabulary.yaml": "a: 1\na: 2\n"}, [("YAML002", "catalog/vocabulary.yaml")]),
        ({"tiny.yaml": "name: A\n"}, [("YAML006", "catalog/tiny.yaml")]),
        (
            {"exceptions.yaml": "exceptions: [{rule: x}]\n"},
            [("SHP002", "catalog/exceptions.yaml"), ("SHP002", "catalog/exceptions.yaml"), ("SHP003", "catalog/exceptions.yaml")],
        ),
        ({"exceptions.yaml": None}, []),
    ],
)
def test_faults_of_the_files_at_the_top(make, files, told):
    assert [(diagnostic.rule, diagnostic.span.path) for diagnostic in make(files).diagnostics] == told


def test_a_faulty_exceptions_file_counts_as_none(make):
    assert make().exceptions is not None
    assert make({"exceptions.yaml": "exceptions: [x]\n"}).exceptions is None
    assert make({"exceptions.yaml": None}).exceptions is None


def test_an_empty_folder_loads(tmp_path, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / "catalog").mkdir()
    products = load(tmp_path / "catalog")
    assert (products.files.count, dict(products.derived), products.today) == (0, {}, "1970-01-01")
