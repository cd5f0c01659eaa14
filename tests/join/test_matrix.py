"""The matrix: every live model against every engine that has models, in the order in which they are shown."""

from __future__ import annotations

from catalogs import MODEL, NATIVE, changed, snapshot, text_of
from infercompat.join import VERDICTS, Matrix

LIBRARY = 'name: Kernels\nrole: kernel-library\nrepository: https://example.com/k\nscheme: pep440\nreleases: [{version: "1.0", date: 2026-01-01}]\n'
REFERENCE = LIBRARY.replace("Kernels", "A reference").replace("kernel-library", "reference")


def test_the_tiny_matrix(tiny):
    assert {key: cell.verdict for key, cell in Matrix(tiny).cells.items()} == {
        ("tiny-model", "enga"): "yes",
        ("tiny-model", "engb"): "unknown",
        ("plain-model", "enga"): "no",
        ("plain-model", "engb"): "unknown",
    }


def test_kernel_libraries_have_no_models_and_references_come_last(make):
    files = {"engines/kernels.yaml": LIBRARY, "engines/a-reference.yaml": REFERENCE}
    files |= {f"support/{engine}/{engine}-page.yaml": snapshot(NATIVE, engine=engine, version="1.0") for engine in ("kernels", "a-reference")}
    assert [engine.id for engine in Matrix(make(files)).engines] == ["enga", "engb", "a-reference"]


def test_an_engine_of_which_no_source_speaks_has_no_column(make):
    assert [engine.id for engine in Matrix(make({"engines/engc.yaml": text_of("engines/engb.yaml")})).engines] == ["enga", "engb"]


def test_families_stand_in_the_vocabulary_s_order(tiny):
    assert {family: [model.id for model in models] for family, models in Matrix(tiny).families.items()} == {"gemma": ["tiny-model"], "llama": ["plain-model"]}
    assert list(Matrix(tiny).families) == ["gemma", "llama"]


def test_withdrawn_models_have_no_cells(make):
    matrix = Matrix(make(changed(MODEL, ("name: Tiny\n", "name: Tiny\nwithdrawn: {on: 2026-01-01, because: It was wrong.}\n"))))
    assert {model for model, _ in matrix.cells} == {"plain-model"}


def test_rows_and_columns(tiny):
    matrix, records = Matrix(tiny), tiny.catalog.records
    assert [cell.engine.id for cell in matrix.of_model(records["tiny-model"])] == ["enga", "engb"]
    assert [cell.model.id for cell in matrix.of_engine(records["enga"])] == ["tiny-model", "plain-model"]
    assert matrix.cell(records["plain-model"], records["enga"]).verdict == "no"


def test_a_cell_says_that_nobody_named_the_version(tiny):
    assert all(cell.release.assumed and cell.release.version == cell.engine.data["releases"][0]["version"] for cell in Matrix(tiny).cells.values())


def test_verdicts_are_four_words(real_matrix):
    """Over the real catalog: every verdict is one of four, unknown alone names what is missing, and only answers have a grade."""
    cells = real_matrix.cells
    assert len(cells) >= 60
    for cell in cells.values():
        assert cell.verdict in VERDICTS
        assert bool(cell.missing) is (cell.verdict == "unknown")
        assert (cell.grade is None) is (cell.verdict == "unknown")
        assert bool(cell.conditions) is (cell.verdict == "only-with")
        assert cell.verdict == "unknown" or all(hop.sources for hop in cell.deciding)


def test_a_model_twice_gives_the_same_answers_twice(make):
    twin = text_of(MODEL).replace("aliases: [old/tiny]\n", "")
    cells = Matrix(make({"models/acme/twin.yaml": twin})).cells
    assert cells["twin", "enga"].verdict == cells["tiny-model", "enga"].verdict
    assert cells["twin", "enga"].reason == cells["tiny-model", "enga"].reason


OLDER = {"support/enga/enga-1-0-0-registry.yaml": snapshot(NATIVE, version="1.0.0", complete=True)}
LACKS = {"support/enga/enga-1-0-0-registry.yaml": snapshot("about: {architecture: OtherForCausalLM}, holds: native", version="1.0.0", complete=True)}


def test_only_releases_read_whole_have_a_history(make, tiny):
    histories = Matrix(tiny).histories
    assert [release.version for release in histories["enga"].releases] == ["1.1.0"]
    assert histories["engb"].releases == []
    assert histories["engb"].since("tiny-model") is None
    assert [release.version for release in Matrix(make(OLDER)).histories["enga"].releases] == ["1.1.0", "1.0.0"]


def test_since_is_the_first_release_of_an_unbroken_run(make, tiny):
    """Read at 1.1.0 alone it may have been there before; where 1.0.0 lacks it, it came in with 1.1.0."""
    assert Matrix(tiny).histories["enga"].since("tiny-model") == ("1.1.0", True)
    assert Matrix(make(OLDER)).histories["enga"].since("tiny-model") == ("1.0.0", True)
    assert Matrix(make(LACKS)).histories["enga"].since("tiny-model") == ("1.1.0", False)
    assert Matrix(tiny).histories["enga"].since("plain-model") is None
