"""Questions asked of changed tiny catalogs and of the real one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from catalogs import TODAY, copy_tiny
from infercompat.answer import asking
from infercompat.answer.check import Assessment, Assessor
from infercompat.answer.question import Question
from infercompat.answer.reply import Reply, as_data, reply
from infercompat.pipeline import load
from infercompat.products import Products

from .stacks import BASE, OPTIONS


@dataclass(frozen=True)
class Answered:
    """An answer, with everything a test may want to look into."""

    assessor: Assessor
    reply: Reply

    @property
    def found(self) -> Assessment:
        return self.reply.found

    @property
    def facts(self) -> dict[str, Any]:
        return self.found.resolved.facts

    @property
    def data(self) -> dict[str, Any]:
        return as_data(self.reply, self.assessor)

    def hop(self, name: str) -> Any:
        return next((hop for hop in self.found.hops if hop.name == name), None)

    def gate(self, id: str) -> Any:
        return next((gate for gate in self.found.gates if gate.gotcha.id == id), None)


def question(products: Products, model: str | None, engine: str | None, **options: Any) -> Question:
    """The one question that a command line asks."""
    [found] = asking.questions(products, model, engine, OPTIONS | options)
    return found


def answered(assessor: Assessor, model: str, engine: str, **options: Any) -> Answered:
    return Answered(assessor, reply(assessor, question(assessor.products, model, engine, **options)))


@pytest.fixture
def ask(make) -> Callable[..., Answered]:
    """Asks a changed tiny catalog, by default whether enga serves the plain model. The change has to be free of faults."""

    def asked(files=None, model: str = "plain-model", engine: str = "enga", **options: Any) -> Answered:
        products = make(BASE | (files or {}))
        assert products.diagnostics == []
        return answered(Assessor(products), model, engine, **options)

    return asked


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Products:
    """The tiny catalog with BASE's changes, loaded once."""
    products = load(copy_tiny(tmp_path_factory.mktemp("base"), BASE), TODAY)
    assert products.diagnostics == []
    return products


@pytest.fixture(scope="session")
def real_assessor(real) -> Assessor:
    return Assessor(real)


@pytest.fixture(scope="session")
def ask_real(real_assessor) -> Callable[..., Answered]:
    """Asks the real catalog."""
    return lambda model, engine, **options: answered(real_assessor, model, engine, **options)
