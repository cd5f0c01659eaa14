"""Where data is looked for: what was named, else a checkout above, else the checkout around the package, else the bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

from catalogs import ROOT
from infercompat import places


@pytest.fixture
def checkout(tmp_path) -> Path:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "schemas").mkdir()
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "vocabulary.yaml").write_text("words: {}\n")
    return tmp_path


def test_what_was_named_wins(checkout, monkeypatch):
    monkeypatch.chdir(checkout)
    assert places.find_catalog(Path("elsewhere")) == Path("elsewhere")


@pytest.mark.parametrize("inside", [".", "deep", "deep/er", "catalog"])
def test_a_checkout_above_the_current_folder(checkout, monkeypatch, inside):
    monkeypatch.chdir(checkout / inside)
    assert places.find_catalog() == checkout / "catalog"


def test_the_checkout_around_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert places.find_catalog() == ROOT / "catalog"
    assert places.SCHEMAS == ROOT / "schemas"
    assert places.TEMPLATES == ROOT / "site_templates"


def test_the_bundle_where_there_is_no_checkout(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(places, "PACKAGE", tmp_path / "lib" / "infercompat")
    assert places.checkout_around_package() is None
    assert places.find_catalog() == places.BUNDLED / "catalog"


def test_a_folder_with_a_catalog_and_no_schemas_is_no_checkout(checkout, monkeypatch):
    (checkout / "schemas").rmdir()
    monkeypatch.chdir(checkout)
    assert places.find_catalog() == ROOT / "catalog"
