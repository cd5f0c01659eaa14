"""Engines with parts, and paths that run models in another engine: the best path is taken and named."""

from __future__ import annotations

import pytest

from catalogs import NATIVE, WINDOWED, changed, snapshot
from infercompat.join import Ledger, Release, join_cell, joiner_for
from infercompat.join.paths import parts, path_gates
from infercompat.join.stack import Stack

HEAD = "role: engine\nrepository: https://example.com/w\nscheme: pep440\n"
WHOLE = (
    f'name: Whole\n{HEAD}releases: [{{version: "2.0", date: 2026-02-01, bundles: {{enga: "1.1.0", second: "0.5"}}}}, {{version: "1.0", date: 2026-01-01}}]\n'
)
FIRST = f'name: First path\n{HEAD}part_of: whole\nreleases: [{{version: "2.0", date: 2026-02-01}}]\n'
SECOND_RELEASES = 'releases: [{version: "0.6", date: 2026-02-01}, {version: "0.5", date: 2026-01-01}]\n'
SECOND = f"name: Second path\n{HEAD.replace('example.com/w', 'example.com/s')}part_of: whole\n{SECOND_RELEASES}"
OTHER = "about: {architecture: OtherForCausalLM}, holds: native"
CAPPED = "about: {requirement: logit-softcap}, holds: native"
UNWINDOWED = "about: {requirement: sliding-window}, holds: unsupported, consequence: wrong-output, lacks: It ignores the window."


def tree(first: str | None = None, second: str | None = None, own: str | None = None) -> dict[str, str]:
    """A whole with two parts; each has a snapshot where one is given."""
    files = {"engines/whole.yaml": WHOLE, "engines/first.yaml": FIRST, "engines/second.yaml": SECOND}
    for engine, text in (("first", first), ("second", second), ("whole", own)):
        if text is not None:
            files[f"support/{engine}/{engine}-page.yaml"] = text
    return files


def cell(products, engine: str, model: str = "tiny-model"):
    records = products.catalog.records
    return join_cell(products, Ledger(products.catalog), records[model], records[engine])


def at(engine: str, version: str, *claims: str) -> str:
    return snapshot(*claims, engine=engine, version=version, complete=True)


def test_the_parts_of_an_engine(make):
    catalog = make(tree()).catalog
    assert [part.id for part in parts(catalog, catalog.records["whole"])] == ["first", "second"]
    assert parts(catalog, catalog.records["enga"]) == []


def test_the_path_that_has_the_model_is_taken_and_named(make):
    products = make(tree(at("first", "2.0", OTHER), at("second", "0.5", NATIVE, WINDOWED, CAPPED)))
    found = cell(products, "whole")
    assert (found.verdict, found.release.version) == ("yes", "2.0")
    assert found.hops[0].finding.startswith("through Second path: TinyForCausalLM is implemented by the engine itself")
    assert cell(products, "first").verdict == "no"
    assert not cell(products, "second").hops[0].finding.startswith("through")


def test_a_path_that_runs_beats_one_whose_registry_has_the_model_and_not_what_it_asks_for(make):
    products = make(tree(at("first", "2.0", NATIVE, UNWINDOWED, CAPPED), at("second", "0.5", NATIVE, WINDOWED, CAPPED)))
    assert cell(products, "whole").hops[0].finding.startswith("through Second path")


def test_of_equal_paths_the_first_by_id(make):
    same = (NATIVE, WINDOWED, CAPPED)
    assert cell(make(tree(at("first", "2.0", *same), at("second", "0.5", *same))), "whole").hops[0].finding.startswith("through First path")


def test_the_whole_s_own_source_is_a_path_without_a_name(make):
    same = (NATIVE, WINDOWED, CAPPED)
    found = cell(make(tree(at("first", "2.0", *same), None, at("whole", "2.0", *same))), "whole")
    assert (found.verdict, found.hops[0].finding.startswith("TinyForCausalLM is")) == ("yes", True)


def test_no_path_has_it(make):
    found = cell(make(tree(at("first", "2.0", OTHER), at("second", "0.5", OTHER))), "whole")
    assert found.verdict == "no"
    assert "through First path: TinyForCausalLM is absent from the whole registry" in found.reason


def test_a_part_without_a_source_is_no_path(make):
    assert cell(make(tree(None, at("second", "0.5", OTHER))), "whole").verdict == "no"
    assert cell(make(tree()), "whole").verdict == "unknown"


@pytest.mark.parametrize(
    ("version", "assumed", "taken"),
    [
        ("2.0", True, ("second", "0.5")),  # bundled
        ("1.0", True, ("second", "0.6")),  # neither the same nor bundled, and nobody named it: its newest
        ("1.0", False, ("whole", "1.0")),  # of another repository, so that its versions say nothing of the whole's
    ],
)
def test_the_release_of_a_part_that_goes_with_the_whole_s(make, version, assumed, taken):
    products = make(tree(None, at("second", "0.5", NATIVE)))
    records = products.catalog.records
    stack = Stack(records["tiny-model"], products.derived["tiny-model"], {})
    joiner = joiner_for(Ledger(products.catalog), records["whole"], Release(version, None, assumed), stack, ())
    assert (joiner.engine.id, joiner.release.version) == taken


RUNNER = FIRST.replace("part_of: whole\n", "runs: enga\n").replace("date: 2026-02-01}", 'date: 2026-02-01, bundles: {enga: "1.1.0"}}')


def hosted(make, *claims: str, record: str = RUNNER):
    return make({"engines/first.yaml": record, "support/first/first-page.yaml": at("first", "2.0", *claims)})


def test_what_its_registry_lacks_the_engine_that_it_runs_may_take(make):
    found = cell(hosted(make, OTHER), "first")
    assert found.verdict == "yes"
    assert found.hops[0].finding == (
        "TinyForCausalLM is absent from the whole registry (A source). A file made ready for EngA 1.1.0 is another way: "
        "TinyForCausalLM is implemented by the engine itself (The registry of 1.1.0)"
    )
    assert [source.id for hop in found.hops if hop.name == "sliding-window" for source in hop.sources] == ["enga-cache"]


def test_its_own_word_on_a_requirement_comes_first(make):
    found = cell(hosted(make, NATIVE, UNWINDOWED), "first")
    assert {hop.name: hop.state for hop in found.hops}["sliding-window"] == "fails"


def test_what_neither_has_is_no(make):
    found = cell(hosted(make, OTHER), "first", "plain-model")
    assert (found.verdict, found.hops[0].finding) == ("no", "LlamaForCausalLM is absent from the whole registry (A source)")


def test_without_a_bundled_version_it_stands_alone(make):
    found = cell(hosted(make, OTHER, record=RUNNER.replace(', bundles: {enga: "1.1.0"}', "")), "first")
    assert found.verdict == "no"


def test_gotchas_of_the_path_count_for_the_whole(make):
    files = tree(at("first", "2.0", NATIVE, WINDOWED, CAPPED))
    gotcha = "gotchas/enga/enga-wrong-past-window.yaml"
    files |= changed(gotcha, ("engine: enga", "engine: first"), ('["1.1.0"]', '["2.0"]'))
    products = make(files)
    records, ledger = products.catalog.records, Ledger(products.catalog)
    stack = Stack(records["tiny-model"], products.derived["tiny-model"], open_settings=True)
    release = Release("2.0", "2026-02-01")
    joiner = joiner_for(ledger, records["whole"], release, stack, ())
    assert [gate.gotcha.id for gate in path_gates(products.catalog, records["whole"], release, joiner, stack, products.today)] == ["enga-wrong-past-window"]
    joiner = joiner_for(ledger, records["engb"], release, stack, ())
    assert path_gates(products.catalog, records["engb"], release, joiner, stack, products.today) == []
