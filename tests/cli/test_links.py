"""`links`: what is known of the cited urls, what a check finds, and a machine without a network."""

from __future__ import annotations

import json

from infercompat.harvest import reach
from infercompat.harvest.reach import Answer


def answers(state):
    return lambda urls, today, pause: ((url, Answer(state, "404" if state == "gone" else "200", today)) for url in urls)


def test_without_a_check_nothing_is_asked(run, tmp_path):
    found = run("links", "--state", tmp_path / "state.json")
    assert found.exit_code == 0
    assert "never asked" in found.output
    assert not (tmp_path / "state.json").exists()


def test_a_url_that_is_gone_is_named_with_its_citation(run, tmp_path, monkeypatch):
    monkeypatch.setattr(reach, "check", answers("gone"))
    found = run("links", "--check", "--state", tmp_path / "state.json", "--most", "1")
    assert found.exit_code == 1
    assert "gone    https://example.com/" in found.output
    assert "cited as enga-" in found.output
    assert len(json.loads((tmp_path / "state.json").read_text())["urls"]) == 1


def test_what_was_asked_lately_is_not_asked_again(run, tmp_path, monkeypatch):
    monkeypatch.setattr(reach, "check", answers("fine"))
    state = tmp_path / "state.json"
    assert run("links", "--check", "--state", state).exit_code == 0
    assert " 0 to ask" in run("links", "--check", "--state", state).output


def test_a_machine_without_a_network_is_told_so(run, tmp_path, monkeypatch):
    def nothing(urls, today, pause):
        raise reach.NoNetwork("no route")
        yield

    monkeypatch.setattr(reach, "check", nothing)
    found = run("links", "--check", "--state", tmp_path / "state.json")
    assert found.exit_code == 2
    assert "no host can be reached (no route); nothing was checked" in found.output


def test_a_state_file_of_something_else_is_refused(run, tmp_path):
    (tmp_path / "state.json").write_text("[]")
    found = run("links", "--state", tmp_path / "state.json")
    assert found.exit_code == 2
    assert "holds no results" in found.output
