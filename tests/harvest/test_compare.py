"""What upstream would change: the claims that differ, whose they are, and the cells and answers that move with them."""

from __future__ import annotations

import pytest

from infercompat.harvest import HARVESTERS, Refused, compare, snapshot
from infercompat.read import parse
from infercompat.records import Document, Record

from .test_run import about, record
from .test_work import REGISTRY
from .trees import MLX, VLLM, grow, small

SAME = (
    *(about(model_type=name) for name in ("alias", "llama", "solar_open")),
    {"about": {"model_type": "mistral"}, "holds": "rewritten", "loads_as": "llama", "at": "L2"},
    {"about": {"model_type": "phi-msft"}, "holds": "rewritten", "loads_as": "phixtral", "at": "L3"},
)


@pytest.mark.parametrize(
    ("claims", "lines"),
    [
        (SAME, []),
        (reversed(SAME), []),
        (SAME[1:], ["added    alias: native"]),
        ((*SAME, about(model_type="gone")), ["removed  gone: native"]),
        ((*SAME[1:], about("removed", model_type="alias")), ["changed  alias: removed -> native"]),
        (
            (*SAME[2:], about(model_type="gone"), about("partial", model_type="llama")),
            ["added    alias: native", "changed  llama: partial -> native", "removed  gone: native"],
        ),
        ((*SAME, about(model_type="gone", cites=[{"id": "x"}])), []),
        ((*SAME, about(model_type="gone", by_hand="A person read it.")), []),
        ((*SAME[1:], about("partial", model_type="alias", by_hand="The file only draws.")), []),
        ((*SAME[1:], about(model_type="alias", cites=[{"id": "x"}])), []),
        ((*SAME, about(architecture="A", model_type="bailing")), []),
        ((*SAME, about("partial", model_type="llama", when={"requires": "x"})), []),
        ((), [f"added    {name}: native" for name in ("alias", "llama")] + ["added    mistral: rewritten (llama)"]),
    ],
)
def test_differences(tmp_path, claims, lines):
    found = list(map(str, compare.differences(record(*claims), compare.read_claims(small("mlx-lm"), grow(tmp_path, MLX)))))
    assert found[: len(lines)] == lines
    assert claims == () or len(found) == len(lines)


@pytest.mark.parametrize(
    ("pairs", "lines"),
    [
        ((), []),
        (
            (("_try_resolve_transformers", "_gone"), ("    **_TRANSFORMERS_BACKEND_MODELS,\n", ""), ("_TRANSFORMERS_BACKEND_MODELS", "_CLASSES")),
            ["removed  *: fallback", "removed  TransformersForCausalLM: fallback"],
        ),
        ((('"SmolLM3ForCausalLM"', '"Smol4"'),), ["added    Smol4: fallback", "removed  SmolLM3ForCausalLM: fallback"]),
        ((('    "BrokenForCausalLM": ("broken", "BrokenForCausalLM"),\n', ""),), ["changed  BrokenForCausalLM: native -> removed (0.9.2)"]),
    ],
)
def test_differences_of_a_registry_with_a_fallback(tmp_path, pairs, lines):
    [(name, text)] = VLLM.items()
    before = snapshot.records(small("vllm"), grow(tmp_path / "before", VLLM), "0.33.0", "2026-02-02", "a tree")
    data = parse("a.yaml", next(iter(before.values())).encode(), []).data
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    after = grow(tmp_path / "after", {name: text})
    assert [
        str(line)
        for line in compare.differences(Record("a", "support", data, Document("a.yaml", data, {}, {}, {}, ())), compare.read_claims(small("vllm"), after))
    ] == lines


def test_differences_by_method():
    about, by = {"architecture": "A", "feature": "speculation"}, [{"speculation.method": [method]} for method in ("eagle", "ngram", "mtp")]
    upstream = [{"about": about, "when": when, "holds": "native"} for when in by[:2]]
    ours = [upstream[0] | {"holds": "unsupported"}, {"about": about, "when": by[2], "holds": "native"}, upstream[1] | {"about": about | {"architecture": "B"}}]
    assert list(map(str, compare.differences(record(*ours), upstream))) == [
        "added    A, speculation, if speculation.method is ngram: native",
        "changed  A, speculation, if speculation.method is eagle: unsupported -> native",
        "removed  B, speculation, if speculation.method is ngram: native",
    ]
    mine = upstream[0] | {"holds": "partial", "by_hand": "It stops."}
    assert list(map(str, compare.differences(record(mine, upstream[1]), upstream))) == []


def test_differences_from_a_tree_that_came_out_empty_are_an_error(tmp_path):
    tree = grow(tmp_path, {"mlx_lm/models/a.py": "", "mlx_lm/utils.py": "MODEL_REMAPPING = {}"})
    with pytest.raises(Refused, match="only 0 claims"):
        compare.read_claims(HARVESTERS["mlx-lm"], tree)


def test_what_moves_is_told_by_cell_and_by_answer(tiny):
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    gone = [claim for claim in enga.data["claims"] if claim["about"].get("architecture") != "TinyForCausalLM"]
    after = compare.updated(tiny, REGISTRY, enga, "1.1.0", gone)
    told = [str(line) for line in compare.moved(tiny, after, "enga", "1.1.0")]
    assert len(told) == 1
    assert told[0].startswith("cell     tiny-model on enga 1.1.0: yes")
    assert "-> no" in told[0] and "absent from the whole registry" in told[0]
    assert list(compare.moved(tiny, tiny, "enga", "1.1.0")) == []


def test_a_new_release_stands_beside_the_newest_snapshot_and_is_compared_with_the_release_before_it(tiny):
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    gone = [claim for claim in enga.data["claims"] if claim["about"].get("architecture") != "TinyForCausalLM"]
    after = compare.updated(compare.released(tiny, "enga", "1.2.0", "2026-03-01"), REGISTRY, enga, "1.2.0", gone)
    assert after.catalog.records[enga.id] is enga
    [told] = map(str, compare.moved(tiny, after, "enga", "1.2.0"))
    assert told.startswith("answer   tiny-model on enga 1.2.0: yes")
    assert "-> no" in told and told.endswith("absent from the whole registry (Registry of 1.2.0))")


def test_what_else_was_read_of_the_release_before_is_told_as_aged(tiny):
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    listed = compare.released(tiny, "enga", "9.0.0", "2026-12-01")
    gone = [claim for claim in enga.data["claims"] if claim["about"].get("architecture") != "TinyForCausalLM"]
    same, after = (compare.updated(listed, REGISTRY, enga, "9.0.0", claims) for claims in (enga.data["claims"], gone))
    aged = list(compare.moved(tiny, same, "enga", "9.0.0", same))
    assert {line.surface for line in aged} <= {"aged"}
    assert "tiny-model" in {line.model for line in compare.moved(tiny, after, "enga", "9.0.0", same) if line.surface == "answer"}


def test_a_new_release_that_says_the_same_moves_nothing(tiny):
    """Not even a grade: a claim of the newest release is younger, and that is no news."""
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    after = compare.updated(compare.released(tiny, "enga", "1.9.0", "2026-03-01"), REGISTRY, enga, "1.9.0", enga.data["claims"])
    assert list(compare.moved(tiny, after, "enga", "1.9.0")) == []


def test_an_older_release_that_is_news_is_compared_with_the_one_before_it(tiny):
    """And the cells of the newest release are asked too: a claim may carry to them."""
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    after = compare.updated(compare.released(tiny, "enga", "1.0.5", "2026-01-15"), REGISTRY, enga, "1.0.5", enga.data["claims"])
    assert [entry["version"] for entry in after.catalog.records["enga"].data["releases"]] == ["1.1.0", "1.0.5", "1.0.0"]
    assert {line.surface for line in compare.moved(tiny, after, "enga", "1.0.5")} <= {"cell", "answer"}


def test_a_persons_claim_survives_the_update(tiny):
    enga = tiny.catalog.records["enga-1-1-0-registry"]
    hers = {"about": {"architecture": "TinyForCausalLM"}, "holds": "native", "at": "L1", "by_hand": "Read by a person."}
    read = [{"about": {"architecture": "TinyForCausalLM"}, "holds": "removed", "at": "L9", "sha256": "0" * 64}]
    changed = Record(enga.id, "support", enga.data | {"claims": [hers]}, enga.document)
    assert compare.updated(tiny, REGISTRY, changed, "1.1.0", read).catalog.records[enga.id].data["claims"] == [hers]
    assert compare.differences(changed, read) == []
