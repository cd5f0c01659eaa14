"""Work that another process does meanwhile comes back as if it had been done here."""

from __future__ import annotations

import os
import threading

import pytest

from infercompat import snapshot
from infercompat.aside import aside


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """As in the command, which has no other threads; a run of the tests on several cores does."""
    monkeypatch.setattr(threading, "active_count", lambda: 1)


def test_the_text_comes_from_another_process():
    assert aside(lambda: str(os.getpid()))() != str(os.getpid())


def test_what_fails_there_is_done_here():
    here = os.getpid()
    assert aside(lambda: "here" if os.getpid() == here else "")() == "here"


def test_what_it_raises_is_raised_here(capfd):
    def fail() -> str:
        raise PermissionError("closed")

    outcome = aside(fail)
    with pytest.raises(PermissionError, match="closed"):
        outcome()
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("lacking", ["fork", "a lone thread", "memory"])
def test_without_a_copy_the_work_is_done_here(lacking, monkeypatch):
    def refuse():
        raise OSError("no room")

    if lacking == "fork":
        monkeypatch.delattr(os, "fork")
    elif lacking == "memory":
        monkeypatch.setattr(os, "fork", refuse)
    else:
        monkeypatch.setattr(threading, "active_count", lambda: 2)
    assert aside(lambda: str(os.getpid()))() == str(os.getpid())


def test_a_catalogs_sum_is_the_same_either_way(tiny_copy):
    told = snapshot.key_aside(tiny_copy)
    assert told is not None
    assert told() == snapshot._key(tiny_copy)
    assert snapshot.key_aside(tiny_copy / "nowhere") is None
