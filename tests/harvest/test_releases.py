"""Newer releases, asked of clients that are replaced here."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, changed
from infercompat.harvest import Refused, releases
from infercompat.pipeline import load


def engine(make, **fields: str):
    """The tiny catalog, whose engine has a package of that name."""
    text = changed(ENGINE, ("scheme: pep440", "package: enga-server\nscheme: pep440"))
    return make(text).catalog


def printing(text: str):
    return lambda command: text


INDEX = "enga-server (1.3.0)\nAvailable versions: 1.3.0, 1.2.0, 1.1.0, 1.0.0, nonsense\n  INSTALLED: 1.0.0\n"


def lag(catalog, ask):
    return next(entry for entry in releases.lags(catalog, ask) if entry.engine == "enga")


def test_what_is_newer_than_the_newest_snapshot(make):
    found = lag(engine(make), printing(INDEX))
    assert (found.snapshot, found.upstream, found.behind) == ("1.1.0", "1.3.0", ("1.2.0", "1.3.0"))
    assert str(found) == "enga: 1.3.0 is out; the newest snapshot is 1.1.0, 2 minor releases behind (1.2.0, 1.3.0)"


def test_nothing_newer(make):
    found = lag(engine(make), printing("Available versions: 1.1.0, 1.0.0\n"))
    assert not found.newer and str(found) == "enga: 1.1.0 is the newest"


def test_tags_of_a_repository_without_a_package(tiny):
    asked = []

    def ask(command):
        asked.append(command)
        return "aaa\trefs/tags/v1.0.0\nbbb\trefs/tags/1.2.0\nbbb\trefs/tags/1.2.0^{}\nccc\trefs/tags/site\n"

    assert lag(tiny.catalog, ask).behind == ("1.2.0",)
    assert asked[0][:3] == ["git", "ls-remote", "--tags"]


def tagged(make, *tags: str, newest: str = "1.1.0"):
    """The engine without a package, whose newest release here is `newest`, and what its repository's tags make of it."""
    text = changed(ENGINE, ('version: "1.1.0"', f'version: "{newest}"'))
    return releases.published(make(text).catalog.records["enga"], printing("".join(f"1f\trefs/tags/{tag}\n" for tag in tags)))


def test_the_letter_before_a_number_is_the_tag_s_and_not_the_version_s(make):
    """A harvester's tag is v{version}: with the letter left on, vv1.2.0 was asked for."""
    assert [version.text for version in tagged(make, "v1.1.0", "v1.2.0", "v1.2.0^{}", "view-1")] == ["1.1.0", "1.2.0"]


def test_a_tag_before_a_release_counts_where_the_catalog_speaks_of_such(make):
    assert [version.text for version in tagged(make, "v1.2.0", "v1.3.0rc1", "v1.4.dev0")] == ["1.2.0"]
    assert [version.text for version in tagged(make, "v1.2.0", "v1.3.0rc1", newest="1.2.0rc1")] == ["1.2.0", "1.3.0rc1"]


def test_a_channel_that_cannot_be_asked_is_told(make):
    def refuse(command):
        raise Refused("no route to host")

    found = lag(engine(make), refuse)
    assert found.failed == "no route to host" and not found.newer
    assert str(found) == "enga: not asked: no route to host"
    with pytest.raises(Refused, match="no route to host"):
        releases.newest(engine(make), "enga", refuse)


def test_the_newest_release(make):
    assert releases.newest(engine(make), "enga", printing(INDEX)) == "1.3.0"
    with pytest.raises(Refused, match="enga: no release upstream is a version of its scheme"):
        releases.newest(engine(make), "enga", printing("Available versions: \n"))


def test_a_client_that_fails():
    with pytest.raises(Refused, match="cannot be run"):
        releases.run_client(["no-such-client-anywhere"])
    with pytest.raises(Refused, match="it broke"):
        releases.run_client(["sh", "-c", "echo it broke >&2; exit 3"])
    assert releases.run_client(["echo", "well"]) == "well\n"


def test_what_upstream_has_is_recorded_once(make):
    products = make(changed(ENGINE, ("scheme: pep440", "package: enga-server\nscheme: pep440")))
    path = products.folder / ENGINE
    before = path.read_text()
    for day, index, written in (("2026-02-20", INDEX, True), ("2026-02-27", INDEX, False), ("2026-03-06", INDEX.replace("1.3.0", "1.4.0"), True)):
        products = load(products.folder)
        found = releases.lags(products.catalog, printing(index))
        assert bool(releases.record(products, found, day)) is written
    line = 'upstream: {version: "1.4.0", seen: 2026-03-06}\n'
    assert path.read_text() == before.replace("releases:", f"{line}releases:")
    assert load(products.folder).diagnostics == []


def test_a_channel_that_could_not_be_asked_changes_no_record(make):
    def refuse(command):
        raise Refused("no network")

    products = make()
    before = (products.folder / ENGINE).read_text()
    assert releases.record(products, releases.lags(products.catalog, refuse), "2026-02-20") == []
    assert (products.folder / ENGINE).read_text() == before
