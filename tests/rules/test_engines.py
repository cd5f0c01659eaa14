"""Rules on engine records, beside the examples that each of them declares."""

from __future__ import annotations

import pytest

from catalogs import ENGINE, changed
from infercompat import rules

TABLES = """attention_tables: [{version: "1.1.0", cites: [{id: enga-registry}]}, {version: "1.0.0", cites: [{id: enga-registry}]}]
attention_backends:
  - {name: FAST, classes: [sm90], cites: [{id: enga-registry}]}
  - {name: SLOW, classes: [sm90], cites: [{id: enga-registry}], also: [{version: "1.0.0", cites: [{id: enga-registry}]}]}
"""


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("", []),
        ('  - {name: FAST, version: "1.0.0", classes: [sm90], cites: [{id: enga-registry}]}\n', []),
        ('  - {name: FAST, version: "0.9.0", classes: [sm90], cites: [{id: enga-registry}]}\n', ["attention_tables does not list 0.9.0"]),
        ("  - {name: FAST, classes: [sm90], cites: [{id: enga-registry}]}\n", ["FAST stands twice in the table of 1.1.0"]),
        ('  - {name: SLOW, version: "1.0.0", classes: [sm90], cites: [{id: enga-registry}]}\n', ["SLOW stands twice in the table of 1.0.0"]),
        ('attention_selection: [{order: [FAST], version: "0.8.0", cites: [{id: enga-registry}]}]\n', ["attention_tables does not list 0.8.0"]),
    ],
)
def test_an_entry_is_of_a_table_that_is_listed_and_stands_there_once(make, more, told):
    found = rules.check(make(changed(ENGINE, ("releases:\n", TABLES + more + "releases:\n"))))
    assert [one.message for one in found if one.rule == "ENG002"] == told


def test_a_condition_in_a_table_is_read(make):
    misspelt = TABLES.replace("name: FAST,", "name: FAST, when: {cache.dtyp: fp8_e4m3},")
    found = rules.check(make(changed(ENGINE, ("releases:\n", misspelt + "releases:\n"))))
    assert "CON001" in [one.rule for one in found]
