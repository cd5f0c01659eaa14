"""Fixtures over the small invented catalog in tests/tiny, over changed copies of it, and over the real catalog."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

from catalogs import REAL, TINY, TODAY, Files, copy_tiny
from infercompat import snapshot
from infercompat.cli import main
from infercompat.join import Cell, Ledger, Matrix, join_cell
from infercompat.pipeline import load
from infercompat.products import Products
from infercompat.render import docs13

# The same cases on every machine, however busy it is.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One file that needs the site first, the others last: a process builds it while another tests the rest, and none waits."""
    items.sort(key=lambda item: (item.path.name != "test_crawl.py", item.path.parent.name == "site"))


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end, and so do catalogs: the collector does not go over them again and again."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory) -> Iterator[None]:
    """Nothing that tests compile comes from the user's own cache, or goes there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def tiny() -> Products:
    return load(TINY, TODAY)


@pytest.fixture(scope="session")
def real() -> Products:
    return load(REAL)


@pytest.fixture(scope="session")
def real_matrix(real) -> Matrix:
    return Matrix(real)


@pytest.fixture(scope="session")
def real_docs13(real_matrix) -> str:
    return docs13(real_matrix)


@pytest.fixture
def tiny_copy(tmp_path) -> Path:
    """A copy of the tiny catalog that may be written to."""
    return copy_tiny(tmp_path / "copy")


@pytest.fixture
def make(tmp_path) -> Callable[..., Products]:
    """Loads the tiny catalog with some files added, replaced or taken away."""

    def made(files: Files | None = None, today: str | None = TODAY) -> Products:
        count = sum(1 for _ in tmp_path.glob("made-*"))
        return load(copy_tiny(tmp_path / f"made-{count}", files), today)

    return made


@pytest.fixture
def cell(make) -> Callable[..., Cell]:
    """One cell of the matrix of a changed tiny catalog. The change has to be free of faults, or the cell would mean nothing."""

    def of(files: Files | None = None, model: str = "tiny-model", engine: str = "enga", today: str = TODAY) -> Cell:
        products = make(files, today)
        assert products.diagnostics == []
        catalog = products.catalog
        return join_cell(products, Ledger(catalog), catalog.records[model], catalog.records[engine])

    return of


@pytest.fixture(scope="session")
def real_compiled(own_cache, real) -> None:
    """The real catalog's compiled snapshot in the tests' cache, made of the one that is loaded: the command need not read it once more."""
    assert real.diagnostics == []
    snapshot._store(snapshot._place(real.folder), real)


@pytest.fixture
def run(request) -> Callable[..., Result]:
    """Runs the command over a catalog; an exception that leaves it fails the test, as a traceback would a person."""

    def ran(*arguments: str, catalog: Path = TINY) -> Result:
        if catalog == REAL and arguments[0] != "validate":
            request.getfixturevalue("real_compiled")
        result = CliRunner().invoke(main, ["--catalog", str(catalog), *arguments])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return ran
