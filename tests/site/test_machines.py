"""What machines find on the built site: sitemap, canonical links, the data set, llms.txt, and the Markdown beside each page."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from conftest import ROOT
from export import test_feeds
from export.test_api import faults
from export.test_check import facts_in, sources
from infercompat.condition import lookup
from infercompat.render.environment import SITE


@pytest.fixture(scope="module")
def home(site) -> str:
    return (site / "index.html").read_text("utf-8")


def test_the_address_is_that_of_mkdocs():
    assert f"\nsite_url: {SITE}\n" in (ROOT / "mkdocs.yml").read_text("utf-8")


def test_the_sitemap_and_the_canonical_links_name_every_page(site):
    listed = set(re.findall(r"<loc>([^<]+)</loc>", (site / "sitemap.xml").read_text("utf-8")))
    assert len(listed) > 1000
    for path in ("", "compare/", "models/gemma-3-27b/", "engines/vllm/"):
        assert SITE + path in listed
        assert f'<link rel="canonical" href="{SITE}{path}">' in (site / path / "index.html").read_text("utf-8")


def head(site, path: str) -> str:
    return (site / path / "index.html").read_text("utf-8").partition("</head>")[0]


def test_a_link_to_a_page_has_a_card(site):
    found = dict(re.findall(r'<meta property="(og:[a-z:_]+)" content="([^"]*)">', head(site, "models/gemma-3-27b/")))
    assert (found["og:title"], found["og:url"]) == ("Gemma 3 27B", f"{SITE}models/gemma-3-27b/")
    assert found["og:description"].startswith("Gemma 3 27B on ")
    assert found["og:image"] == f"{SITE}assets/card.png"
    assert (site / "assets/card.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("page", "feed"),
    [
        ("changes/", "all.xml"),
        ("models/gemma-3-27b/", "models/gemma-3-27b.xml"),
        ("engines/vllm/", "engines/vllm.xml"),
        ("hardware/b200/", "hardware/b200.xml"),
    ],
)
def test_a_page_leads_to_its_feed(site, page, feed):
    [found] = re.findall(r'<link rel="alternate feed" type="application/atom\+xml" title="[^"]+" href="([^"]+)">', head(site, page))
    assert (site / page / found).resolve() == (site / "feeds" / feed).resolve()
    assert (site / "feeds" / feed).is_file()


def test_a_former_id_leads_to_the_page(site):
    found = (site / "hardware/b200-sxm/index.html").read_text("utf-8")
    assert 'content="0; url=../b200/"' in found
    assert f'<link rel="canonical" href="{SITE}hardware/b200/">' in found


def test_the_home_page_says_what_data_set_this_is(site, home):
    [text] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', home)
    found = json.loads(text)
    assert (found["@type"], found["license"]) == ("Dataset", "https://creativecommons.org/licenses/by/4.0/")
    assert 50 <= len(found["description"]) <= 5000
    for each in found["distribution"]:
        assert (site / each["contentUrl"].removeprefix(SITE)).is_file()


def test_every_link_of_llms_txt_leads_to_a_file(site):
    links = re.findall(r"\]\(([^)]+)\)", (site / "llms.txt").read_text("utf-8"))
    assert len(links) > 300
    assert [link for link in links if not (site / link / "index.html" if link.endswith("/") else site / link).is_file()] == []


def test_the_markdown_of_a_page_is_beside_it(site):
    text = (site / "models/gemma-3-27b/index.md").read_text("utf-8")
    assert text.startswith("# Gemma 3 27B\n")
    assert "| Architecture | Gemma3ForConditionalGeneration |" in text
    assert 'href="index.md"' in (site / "models/gemma-3-27b/index.html").read_text("utf-8")
    index = json.loads((site / "api/v1/index.json").read_text("utf-8"))["records"]
    assert [record["page"] for records in index.values() for record in records if not (site / record["page"] / "index.md").is_file()] == []


def test_the_files_are_as_the_document_says(site):
    paths = sorted(path.relative_to(site).as_posix() for path in (site / "api").rglob("*.*") if path.is_file())
    sample = [path for number, path in enumerate(paths) if number % 7 == 0 or "/" not in path.removeprefix("api/v1/")]
    assert len(sample) > 300
    assert [fault for path in sample for fault in faults(path, (site / path).read_bytes())] == []


LARGEST = {"engines": 500_000, "gotchas": 275_000, "claims": 1_000_000}
"""Bytes that a file may have as written. The largest are vLLM's, with its settings by version and the backends of five versions; claims are loaded
for a dropped config alone, and are a tenth of it when compressed."""


def test_each_source_of_the_check_page_has_a_citation_and_each_file_stays_small(site, real):
    files = sorted((site / "api/v1/check").glob("*s/*.json"))
    assert len(files) > len(real.catalog.of_kind("model"))
    asked = set()
    for path in (site / "api/v1/check/catalog.json", *files):
        assert path.stat().st_size < LARGEST.get(path.parent.name, 175_000), path
        body = json.loads(path.read_text("utf-8"))
        assert {id for id, _ in sources(body)} <= body["citations"].keys(), path
        asked |= set(facts_in(body))
    assert len(asked) > 40
    assert [fact for fact in asked if lookup(fact) is None] == []


def test_feeds_are_valid_and_every_link_leads_to_a_page(site):
    found = {path.relative_to(site).as_posix(): ElementTree.parse(path).getroot() for path in (site / "feeds").rglob("*.xml")}
    assert len(found) > 250
    assert {path: wrong for path, root in found.items() if (wrong := test_feeds.faults(path, root))} == {}
    links = {
        link.get("href").partition("#")[0] for root in found.values() for link in root.findall(".//a:link", test_feeds.NS) if link.get("rel") == "alternate"
    }
    assert len(links) > 300
    assert {link for link in links if not (site / link.removeprefix(SITE) / "index.html").is_file()} == set()
