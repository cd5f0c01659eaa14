"""Snapshots in canonical form: the same tree gives the same bytes, and what is written is a record without faults."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from catalogs import ENGINE, changed
from infercompat import rules
from infercompat.harvest import snapshot
from infercompat.harvest.base import File, claim
from infercompat.read import parse
from infercompat.records import Document, Record

from .trees import MLX, VLLM, grow, small

# Digests by `printf 'the line' | sha256sum`.
SUPPORT = """\
engine: mlx-lm
version: "0.31.3"
title: The model types that mlx-lm 0.31.3 has a file or a remapping for
complete: true
cites: [{id: mlxlm-models-0-31-3}]
read_on: 2026-02-02
claims:
  - about: {model_type: llama}
    holds: native
    at: llama.py L4
    sha256: "a2718a5d024528b818de8967fe96cba4a21584421da2c9c4119db836d77bbf51"
  - about: {model_type: "phi-msft"}
    holds: rewritten
    loads_as: phixtral
    at: utils.py L1
    sha256: "b95dadc58982512180e611a29c0430461d4949303eacffec5f01904503b43c27"
"""
SOURCE = """\
title: The model types that mlx-lm 0.31.3 has a file or a remapping for
url: https://github.com/ml-explore/mlx-lm/tree/v0.31.3/mlx_lm
type: code
publisher: ml-explore/mlx-lm
retrieved: 2026-02-02
pin: v0.31.3
read_through: the released package of 0.31.3
"""
TWO = {"mlx_lm/models/llama.py": MLX["mlx_lm/models/llama.py"], "mlx_lm/utils.py": 'MODEL_REMAPPING = {"phi-msft": "phixtral"}\n'}


def written(tree, engine: str = "mlx-lm", version: str = "0.31.3") -> dict[str, str]:
    return snapshot.records(small(engine), tree, version, "2026-02-02", f"the released package of {version}")


def test_a_snapshot_and_its_citation(tmp_path):
    assert written(grow(tmp_path, TWO)) == {
        "support/mlx-lm/mlxlm-0-31-3-registry.yaml": SUPPORT,
        "citations/github.com/mlxlm-models-0-31-3.yaml": SOURCE,
    }


def test_the_same_input_gives_the_same_bytes(tmp_path):
    first, second = grow(tmp_path / "a", MLX), grow(tmp_path / "b", dict(reversed(MLX.items())))
    assert written(first) == written(first) == written(second)


@pytest.mark.parametrize(
    ("version", "slug"),
    [("0.33.0", "0-33-0"), ("0.5.4.post3", "0-5-4-post3"), ("0.11.0rc1+cu128", "0-11-0rc1-cu128"), ("B7000", "b7000"), ("a_b", "a-b")],
)
def test_a_version_as_it_stands_in_ids(version, slug):
    assert snapshot.slug(version) == slug


NAMES = ["LlamaForCausalLM", "Ernie4_5ForCausalLM", "_Odd", "phi-msft", "4bit", "true", "Null", "no", "1e5", "a b", 'a"b', "a: b", "é", ""]


def test_names_come_back_as_they_were_whatever_they_are(tmp_path):
    file = File("a.py", "x\n")
    harvester = replace(small("vllm"), read=lambda tree: [claim(file, 1, "native", architecture=name) for name in NAMES], extra=lambda tree: [])
    text = next(iter(snapshot.records(harvester, grow(tmp_path, {}), "0.1", "2026-02-02", "a tree").values()))
    faults: list = []
    document = parse("a.yaml", text.encode(), faults)
    assert faults == []
    assert [item["about"]["architecture"] for item in document.data["claims"]] == NAMES
    assert "{architecture: LlamaForCausalLM}" in text


@pytest.mark.parametrize(("tag", "pin"), [("v0.33.0", "pin: v0.33.0"), ("b7000", "pin: b7000"), ("0c1e57098", 'pin: "0c1e57098"'), ("1.0", 'pin: "1.0"')])
def test_a_pin_stays_a_word(tmp_path, tag, pin):
    files = snapshot.records(replace(small("mlx-lm"), tag=tag), grow(tmp_path, TWO), "0.1", "2026-02-02", "a tree")
    assert pin in list(files.values())[1].splitlines()


def test_the_address_of_a_tree_that_keeps_its_source_elsewhere(tmp_path):
    script = grow(tmp_path, {"convert_hf_to_gguf.py": '@Model.register("A")\nclass A: ...\n'})
    assert "url: https://github.com/ggml-org/llama.cpp/blob/b4000/convert_hf_to_gguf.py\n" in list(written(script, "llama.cpp", "b4000").values())[1]


def test_a_claim_with_a_condition_is_written_last(tmp_path):
    text = next(iter(written(grow(tmp_path, VLLM), "vllm", "0.33.0").values()))
    last = parse("a.yaml", text.encode(), []).data["claims"][-1]
    assert (last["about"], last["holds"], last["at"]) == ({"architecture": "*"}, "fallback", "L34")
    assert last["when"]["all"][1]["not"]["layer"]["kind"][0] == "chunked"


def test_what_is_written_has_no_fault(make, tmp_path):
    """The records of a harvest, put into the catalog as those of one of its engines."""
    harvester = replace(small("vllm"), engine="enga", prefix="enga")
    files = snapshot.records(harvester, grow(tmp_path / "tree", VLLM), "1.0.0", "2026-02-02", "a tree")
    citation = next(text for name, text in files.items() if name.startswith("citations"))
    assert "pin: v1.0.0\n" in citation
    assert [finding for finding in rules.check(make(files | changed(ENGINE))) if finding.severity == "error"] == []


def test_fields_that_a_harvest_writes(tmp_path):
    for engine, files in (("mlx-lm", MLX), ("vllm", VLLM)):
        text = next(iter(written(grow(tmp_path / engine, files), engine).values()))
        assert set(parse("a.yaml", text.encode(), []).data) == snapshot.WRITTEN - {"aliases", "notes", "whole_page"}


def test_a_source_that_is_no_whole_registry_does_not_say_that_it_is(tmp_path):
    page = replace(small("mlx-lm"), complete=False, what="page", ending="page", type="documentation")
    files = snapshot.records(page, grow(tmp_path, TWO), "0.31.3", "2026-02-02", "the released package of 0.31.3")
    assert list(files) == ["support/mlx-lm/mlxlm-0-31-3-page.yaml", "citations/github.com/mlxlm-page-0-31-3.yaml"]
    [text, source] = files.values()
    assert "complete" not in text
    assert "type: documentation\n" in source


def test_what_people_wrote_stays(tmp_path):
    tree = grow(tmp_path, TWO)
    plain = parse("a.yaml", next(iter(written(tree, "mlx-lm").values())).encode(), []).data
    first = plain["claims"][0]
    mine = {"about": first["about"], "holds": "partial", "at": "L1", "by_hand": "It draws only."}
    noted = plain["claims"][1] | {"note": "A word: more."}
    data = plain | {"title": "Mine", "aliases": ["mine-too"], "notes": "One.\n\nTwo.\n", "claims": [mine, noted, *plain["claims"][2:]]}
    before = Record("other-id", "support", data, Document("a.yaml", data, {}, {}, {}, ()))
    files = snapshot.records(small("mlx-lm"), tree, plain["version"], "2026-02-03", "a tree", before)
    assert next(iter(files)) == "support/mlx-lm/other-id.yaml"
    again = parse("a.yaml", files["support/mlx-lm/other-id.yaml"].encode(), []).data
    assert again == data | {"read_on": "2026-02-03"}


EAGLE, NGRAM = ({"speculation.method": [method]} for method in ("eagle", "ngram"))


def kept(tmp_path, *people):
    """What a harvest writes of two claims by method and one without where people wrote something of their own."""
    file = File("a.py", "x\n")

    def read(tree):
        for when in (EAGLE, NGRAM):
            yield claim(file, 1, "native", fields={"when": when, "lacks": "A word."}, architecture="A", feature="speculation")
        yield claim(file, 1, "native", architecture="A", feature="lora")

    data = {"engine": "vllm", "version": "0.1", "title": "Mine", "cites": [{"id": "x"}], "claims": list(people)}
    before = Record("mine", "support", data, Document("a.yaml", data, {}, {}, {}, ()))
    harvester = replace(small("vllm"), read=read, extra=lambda tree: [], complete=False)
    text = next(iter(snapshot.records(harvester, grow(tmp_path, {}), "0.1", "2026-02-02", "a tree", before).values()))
    return parse("a.yaml", text.encode(), []).data["claims"]


def test_claims_by_method_are_written_with_their_condition_and_what_they_lack(tmp_path):
    first, second, last = kept(tmp_path)
    assert (first["when"], second["when"], "when" in last) == (EAGLE, NGRAM, False)
    assert first["lacks"] == "A word."


def test_a_claim_by_hand_replaces_that_of_its_condition(tmp_path):
    about = {"architecture": "A", "feature": "speculation"}
    mine = {"about": about, "when": NGRAM, "holds": "partial", "at": "L2", "by_hand": "It stops."}
    assert [item["holds"] for item in kept(tmp_path, mine)] == ["native", "partial", "native"]
    other = mine | {"when": {"all": [NGRAM, {"platform": "cpu"}]}}
    assert [item["holds"] for item in kept(tmp_path, other)] == ["native", "native", "native", "partial"]
    always = {key: value for key, value in mine.items() if key != "when"}
    assert [item["holds"] for item in kept(tmp_path, always)] == ["partial", "native"]


def test_claims_by_hand_under_conditions_replace_one_without(tmp_path):
    about = {"architecture": "A", "feature": "lora"}
    mine = [{"about": about, "when": when, "holds": "partial", "at": "L2", "by_hand": "It stops."} for when in (EAGLE, NGRAM)]
    assert [item["holds"] for item in kept(tmp_path, *mine)] == ["native", "native", "partial", "partial"]


def test_a_note_stays_with_the_method_that_it_is_about(tmp_path):
    noted = {"about": {"architecture": "A", "feature": "speculation"}, "when": NGRAM, "holds": "native", "at": "L2", "note": "Mine."}
    assert [item.get("note") for item in kept(tmp_path, noted)] == [None, "Mine.", None]
