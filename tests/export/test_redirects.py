"""Pages at former addresses: of a moved record, and of ids that a record also goes by."""

from __future__ import annotations

from catalogs import MODEL, changed, gotcha
from infercompat.export import redirects
from infercompat.export.api import _moved
from infercompat.join import Matrix
from infercompat.render.address import address
from infercompat.render.pages.listing import PAGED

MOVED = {
    "models/acme/older-model.yaml": "moved_to: old-model\nmoved_on: 2026-01-01\n",
    "models/acme/old-model.yaml": "moved_to: tiny-model\nmoved_on: 2026-02-01\n",
}


def test_a_moved_record_leads_to_where_it_is_through_every_move(make):
    matrix = Matrix(make(MOVED))
    found = redirects(matrix)
    assert set(found) == {"models/old-model/index.html", "models/older-model/index.html"}
    for page in found.values():
        assert b'<meta http-equiv="refresh" content="0; url=../tiny-model/">' in page
        assert b'<a href="../tiny-model/">Tiny</a>' in page
    assert _moved(matrix) == {"old-model": "tiny-model", "older-model": "tiny-model"}


def test_a_withdrawn_record_keeps_its_address_and_says_why(make):
    found = redirects(Matrix(make({"gotchas/enga/gone.yaml": gotcha() + "withdrawn: {on: 2026-02-20, because: 'It was a <slip>.'}\n"})))
    page = found["gotchas/gone/index.html"].decode()
    assert "withdrawn on 2026-02-20. It was a &lt;slip&gt;." in page
    assert "<h1>Goes wrong</h1>" in page and 'href="../../"' in page


def test_an_alias_leads_there_too_unless_it_holds_a_slash(make):
    found = redirects(Matrix(make(changed(MODEL, ("[old/tiny]", "[old/tiny, Tiny_1]")))))
    assert set(found) == {"models/Tiny_1/index.html"}


def test_no_redirect_stands_where_a_page_is(real_matrix):
    """Former addresses lie in the folders of records, so that the pages of records are those to compare with."""
    found = redirects(real_matrix)
    paged = [record for record in real_matrix.products.catalog.records.values() if record.kind in PAGED and record.live]
    assert len(found) > 30 and len(paged) > 800
    assert not set(found) & {f"{address(record)}index.html" for record in paged}
