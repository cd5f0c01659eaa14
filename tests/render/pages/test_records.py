"""What the pages of gotchas and other kinds are made from: a timeline by day, of what sources date."""

from __future__ import annotations

from catalogs import ENGINE, GOTCHA, OFFERS, WINDOWED, changed, snapshot
from infercompat.join import Matrix
from infercompat.render.pages.records import of_engine, timeline


def events(products) -> list[tuple[str, str]]:
    return [(event.date, event.what) for event in timeline(Matrix(products), products.catalog.records["enga-wrong-past-window"])]


def test_an_open_gotcha_has_its_evidence_and_when_it_was_read(tiny):
    assert events(tiny) == [("2026-01-20", "Evidence: reproducible-case"), ("2026-02-02", "Thread last read: open")]


SEEN = '{engine: enga, observed: ["1.1.0"]}'
CITES = "cites: [{id: enga-issue-1}]"


def test_releases_that_brought_and_mended_it_stand_at_their_dates(make):
    """EngA 1.0.0 came out on 2026-01-01 and 1.1.0 on 2026-02-01, as its record has it."""
    came, mended = f'introduced: {{version: "1.0.0", {CITES}}}', f'fixed: {{merged: 2026-01-02, first_release: "1.1.0", {CITES}}}'
    products = make(changed(GOTCHA, (SEEN, f'{{engine: enga, observed: ["1.0.0"], {came}, {mended}}}'), ("status: open", "status: fixed")))
    assert events(products) == [
        ("2026-01-01", "Came in with enga 1.0.0"),
        ("2026-01-02", "Mended in the code of enga"),
        ("2026-01-20", "Evidence: reproducible-case"),
        ("2026-02-01", "First release of enga without it: 1.1.0"),
        ("2026-02-02", "Thread last read: fixed"),
    ]


def test_a_component_without_a_record_gives_no_date(make):
    products = make(changed(GOTCHA, (SEEN, f'{{component: cuda, observed: ["12.4"], introduced: {{version: "12.4", {CITES}}}}}')))
    assert [date for date, _ in events(products)] == ["2026-01-20", "2026-02-02"]


def test_claims_that_read_alike_are_shown_once(make):
    one, other = f"{WINDOWED}, note: Since then", f"{WINDOWED}, note: Before"
    products = make({OFFERS: snapshot(one, one, other)})
    matrix = Matrix(products)
    offers = of_engine(matrix, products.catalog.records["enga"])["offers"]
    assert [offer.claim["note"] for offer in offers["sliding-window"]] == ["Since then", "Before"]


def test_claims_of_one_source_that_say_the_same_share_a_row(make):
    """Of two architectures with one status; a third has another, and its own row."""
    said = [
        f"about: {{requirement: sliding-window, architecture: {name}}}, holds: {holds}" for name, holds in (("A", "native"), ("B", "native"), ("C", "partial"))
    ]
    said[2] += ", lacks: The cache."
    text = snapshot(*said).replace("architecture: B}, holds: native, at: L1", "architecture: B}, holds: native, at: L7")
    products = make({OFFERS: text})
    offers = of_engine(Matrix(products), products.catalog.records["enga"])["offers"]["sliding-window"]
    assert [(offer.subjects, offer.source.at, offer.places) for offer in offers] == [(["A", "B"], "L1", ["L7"]), (["C"], "L1", [])]


def test_gotchas_stand_by_the_components_that_take_part(make):
    """The engine's own first, then those in which a kernel library takes part, too."""
    both = changed(GOTCHA, (SEEN, f'{SEEN}, {{component: kernels, observed: ["2.0"]}}'))[GOTCHA]
    products = make({"gotchas/enga/enga-kernels.yaml": both})
    components = of_engine(Matrix(products), products.catalog.records["enga"])["components"]
    assert {name: [gotcha.id for gotcha in found] for name, found in components.items()} == {"EngA": ["enga-wrong-past-window"], "kernels": ["enga-kernels"]}


def test_freshness_counts_releases_since_the_newest_registry(make, tiny):
    fresh = of_engine(Matrix(tiny), tiny.catalog.records["enga"])["freshness"]
    assert (fresh["whole"], fresh["behind"], fresh["read_on"], fresh["cells"]) == ("1.1.0", 0, "2026-02-02", 2)
    older = make(changed(ENGINE, ("releases:\n", 'releases:\n  - {version: "1.2.0", date: 2026-02-20}\n')))
    assert of_engine(Matrix(older), older.catalog.records["enga"])["freshness"]["behind"] == 1
