"""Addresses and links, worked out by hand: pages are folders, so a link climbs one step for each part of the address it stands on."""

from __future__ import annotations

import posixpath

import pytest

from infercompat.render.address import address, href, markdown_file, source_href, source_page


@pytest.mark.parametrize(
    ("here", "target", "link"),
    [
        ("", "models/", "models/"),
        ("", "models/tiny-model/", "models/tiny-model/"),
        ("", "models/tiny-model/#cache", "models/tiny-model/#cache"),
        ("", "", "./"),
        ("", "#blockers", "#blockers"),
        ("models/", "", "../"),
        ("models/", "models/", "./"),
        ("models/", "models/tiny-model/", "tiny-model/"),
        ("models/", "engines/", "../engines/"),
        ("models/tiny-model/", "", "../../"),
        ("models/tiny-model/", "models/", "../"),
        ("models/tiny-model/", "models/plain-model/", "../plain-model/"),
        ("models/tiny-model/", "models/tiny-model/", "./"),
        ("models/tiny-model/", "models/tiny-model/#cache", "#cache"),
        ("models/tiny-model/", "engines/enga/", "../../engines/enga/"),
        ("models/tiny-model/", "engines/enga/#snapshots", "../../engines/enga/#snapshots"),
        ("models/mistral-7b-v0.1/", "engines/llama.cpp/", "../../engines/llama.cpp/"),
        ("engines/llama.cpp/", "models/mistral-7b-v0.1/#layers", "../../models/mistral-7b-v0.1/#layers"),
        ("engines/llama.cpp/", "engines/", "../"),
        ("engines/", "engines/llama.cpp/", "llama.cpp/"),
        ("engines/llama.cpp/", "engines/llama.cpp/#x", "#x"),
        ("models/tiny-model/", "sources/github.com/acme--enga/#enga-registry", "../../sources/github.com/acme--enga/#enga-registry"),
        ("sources/github.com/acme--enga/", "sources/example.com/#a", "../../example.com/#a"),
        ("sources/example.com/", "sources/", "../"),
        ("reference/rules/lnk001/", "reference/rules/", "../"),
        ("reference/rules/lnk001/", "", "../../../"),
        ("models/tiny-model/", "assets/infercompat.css", "../../assets/infercompat.css"),
        ("", "assets/infercompat.css", "assets/infercompat.css"),
    ],
)
def test_href(here, target, link):
    assert href(here, target) == link


@pytest.mark.parametrize("here", ["", "models/", "models/mistral-7b-v0.1/", "sources/github.com/a--b/", "reference/rules/lnk001/"])
@pytest.mark.parametrize("target", ["", "models/", "models/mistral-7b-v0.1/", "engines/llama.cpp/", "sources/github.com/a--b/", "13-model-compatibility/"])
def test_a_browser_arrives_at_the_target(here, target):
    arrived = posixpath.normpath("/" + here + href(here, target))
    assert arrived.strip("/") == target.strip("/")
    assert href(here, target).endswith("/")


@pytest.mark.parametrize(
    ("url", "page"),
    [
        ("https://github.com/acme/enga/blob/v1/a.py", "sources/github.com/acme--enga/"),
        ("https://github.com/acme/enga/issues/12", "sources/github.com/acme--enga--threads/"),
        ("https://github.com/acme/enga/blob/v1/docs/a/b.md", "sources/github.com/acme--enga--documents/"),
        ("https://github.com/acme/enga/blob/v1/enga/docs.py", "sources/github.com/acme--enga/"),
        ("https://github.com/acme/enga/pull/9#issuecomment-1", "sources/github.com/acme--enga--threads/"),
        ("https://github.com/acme/enga", "sources/github.com/acme--enga/"),
        ("https://github.com/acme/enga/blob/v1/enga/attention/a.py", "sources/github.com/acme--enga--attention/"),
        ("https://huggingface.co/acme/tiny/blob/main/config.json", "sources/huggingface.co/acme/"),
        ("https://github.com/acme/enga/blob/v1/enga/models/a.py", "sources/github.com/acme--enga--models/"),
        ("https://github.com/acme/enga/blob/v1/docs/models/a.md", "sources/github.com/acme--enga--documents/"),
        ("https://huggingface.co/", "sources/huggingface.co/"),
        ("https://huggingface.co/blog/a", "sources/huggingface.co/"),
        ("https://github.com/acme", "sources/github.com/other/"),
        ("https://github.com", "sources/github.com/other/"),
        ("https://docs.example.com/a?b#c", "sources/docs.example.com/"),
        ("https://EXAMPLE.com:8443/a", "sources/example.com/"),
        ("nothing", "sources/unknown/"),
    ],
)
def test_source_page(url, page):
    assert source_page(url) == page


@pytest.mark.parametrize(
    ("id", "place"),
    [
        ("tiny-model", "models/tiny-model/"),
        ("enga", "engines/enga/"),
        ("enga-1-1-0-registry", "engines/enga/enga-1-1-0-registry/"),
        ("enga-wrong-past-window", "gotchas/enga-wrong-past-window/"),
        ("sliding-window", "requirements/sliding-window/"),
        ("card-base", "hardware/card-base/"),
        ("tiny-at-8k", "measurements/tiny-at-8k/"),
        ("window-paper", "sources/example.com/#window-paper"),
    ],
)
def test_address(tiny, id, place):
    assert address(tiny.catalog.records[id]) == place


BLOB = "https://github.com/acme/enga/blob/v1/a.py"


@pytest.mark.parametrize(
    ("url", "at", "link"),
    [
        (BLOB, "L114", f"{BLOB}#L114"),
        (BLOB, "L114-L120", f"{BLOB}#L114-L120"),
        (BLOB, "L114-120", f"{BLOB}#L114-L120"),
        (BLOB, "L114 - L120", f"{BLOB}#L114-L120"),
        (BLOB, "Table 2", BLOB),
        (BLOB, "L114, L120", BLOB),
        (BLOB, "", BLOB),
        (f"{BLOB}#L3", "L114", f"{BLOB}#L3"),
        ("https://github.com/acme/enga/issues/1", "L114", "https://github.com/acme/enga/issues/1"),
        ("https://example.com/blob/a", "L114", "https://example.com/blob/a"),
    ],
)
def test_source_href(url, at, link):
    assert source_href(url, at) == link


@pytest.mark.parametrize(
    ("place", "file"),
    [
        ("", "index.md"),
        ("models/", "models/index.md"),
        ("models/mistral-7b-v0.1/", "models/mistral-7b-v0.1.md"),
        ("engines/llama.cpp/", "engines/llama.cpp.md"),
        ("sources/github.com/acme--enga/", "sources/github.com/acme--enga.md"),
        ("13-model-compatibility/", "13-model-compatibility/index.md"),
    ],
)
def test_markdown_file(place, file):
    assert markdown_file(place) == file
