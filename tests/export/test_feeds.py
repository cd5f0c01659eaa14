"""Atom feeds: what RFC 4287 requires of them, stable ids, and entries that lead to pages and stand in each feed they concern."""

from __future__ import annotations

import datetime
from xml.etree import ElementTree

import pytest

from infercompat.export.feeds import feed_files
from infercompat.join import Matrix
from infercompat.render.environment import SITE

NS = {"a": "http://www.w3.org/2005/Atom"}
SET = "tag:infercompat.github.io,2026:changes/2026-02-02-01/"


@pytest.fixture(scope="module")
def files(tiny) -> dict[str, ElementTree.Element]:
    return {path: ElementTree.fromstring(content) for path, content in feed_files(Matrix(tiny)).items()}


def text(element: ElementTree.Element, name: str) -> str:
    [found] = element.findall(f"a:{name}", NS)
    return found.text or ""


def faults(path: str, root: ElementTree.Element) -> list[str]:
    """What RFC 4287 forbids or leaves out, section 4.1."""
    found = [] if root.tag == "{http://www.w3.org/2005/Atom}feed" else ["the root is no feed"]
    found += [] if text(root.find("a:author", NS), "name") else ["no author"]
    links = [(link.get("rel"), link.get("href")) for link in root.findall("a:link", NS)]
    found += [] if ("self", SITE + path) in links else ["no link to itself"]
    entries = root.findall("a:entry", NS)
    for element in (root, *entries):
        found += [f"{name} is empty" for name in ("id", "title", "updated") if not text(element, name).strip()]
        moment = datetime.datetime.strptime(text(element, "updated"), "%Y-%m-%dT%H:%M:%SZ")
        found += [] if moment.year >= 2026 else ["a date of no use"]
        if not [link for link in element.findall("a:link", NS) if link.get("rel") == "alternate"]:
            found.append("no page")
    ids = [text(entry, "id") for entry in entries]
    found += [] if len(ids) == len(set(ids)) else ["an id stands twice"]
    times = [text(entry, "updated") for entry in entries]
    found += [] if times == sorted(times, reverse=True) else ["not newest first"]
    return found + ([] if not times or text(root, "updated") == times[0] else ["the feed is older than its newest entry"])


def test_every_feed_is_valid(files):
    assert set(files) == {
        "feeds/all.xml", "feeds/models/tiny-model.xml", "feeds/models/plain-model.xml", "feeds/engines/enga.xml",
        "feeds/engines/engb.xml", "feeds/hardware/card-base.xml",
    }  # fmt: skip
    assert {path: found for path, root in files.items() if (found := faults(path, root))} == {}


def test_a_fault_would_be_found(files):
    root = ElementTree.fromstring(ElementTree.tostring(files["feeds/all.xml"]))
    first, second = root.findall("a:entry", NS)[:2]
    second.find("a:id", NS).text = first.find("a:id", NS).text
    second.find("a:title", NS).text = " "
    assert faults("feeds/other.xml", root) == ["no link to itself", "title is empty", "an id stands twice"]


def titles(root: ElementTree.Element) -> dict[str, str]:
    return {text(entry, "id"): text(entry, "title") for entry in root.findall("a:entry", NS)}


def test_an_entry_stands_in_the_feed_of_each_record_that_it_concerns(files):
    """The gotcha of EngA names the card, and the tiny model came to meet it."""
    for place in ("all", "engines/enga", "hardware/card-base", "models/tiny-model"):
        assert titles(files[f"feeds/{place}.xml"])[SET + "added/enga-wrong-past-window"] == "New gotcha: Wrong tokens past the window"
    verdict = {SET + "verdicts/0": "Tiny on EngA: unknown → yes"}
    assert verdict.items() <= titles(files["feeds/models/tiny-model.xml"]).items()
    assert verdict.items() <= titles(files["feeds/engines/enga.xml"]).items()
    assert not verdict.items() & titles(files["feeds/engines/engb.xml"]).items()
    assert titles(files["feeds/engines/engb.xml"]) == {SET + "grades/0": "2 models on EngB: verified → stale"}


def test_a_record_that_is_no_more_goes_by_its_id(files):
    [entry] = [entry for entry in files["feeds/engines/engb.xml"].findall("a:entry", NS)]
    assert "gone-model</a>" in text(entry, "content")
    assert f'href="{SITE}changes/2026-02-02-01/"' in text(entry, "content")


def test_new_gotchas_are_not_told_twice(files):
    met = [id for id in titles(files["feeds/all.xml"]) if "/met/" in id]
    assert met == ["tag:infercompat.github.io,2026:changes/2026-02-02-02/met/0"]
