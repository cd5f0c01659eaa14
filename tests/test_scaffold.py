"""`new`: every kind's skeleton is YAML that lacks only what a person has to fill in, and ids that are bad or taken are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from catalogs import MODEL, changed, copy_tiny
from infercompat import scaffold
from infercompat.derive import derive
from infercompat.pipeline import load
from infercompat.read import parse
from infercompat.records import KINDS
from infercompat.shape import schemas

OPTIONS = {
    "model": ["--publisher", "acme"],
    "support": ["--engine", "enga"],
    "gotcha": ["--engine", "enga"],
    "recipe": ["--engine", "enga"],
    "citation": ["--url", "https://docs.example.com/a?b=c#d"],
}
PLACES = {
    "model": "models/acme/fresh.yaml",
    "engine": "engines/fresh.yaml",
    "support": "support/enga/fresh.yaml",
    "requirement": "requirements/fresh.yaml",
    "gotcha": "gotchas/enga/fresh.yaml",
    "hardware": "hardware/fresh.yaml",
    "measurement": "measurements/fresh.yaml",
    "recipe": "recipes/enga/fresh.yaml",
    "citation": "citations/docs.example.com/fresh.yaml",
}


def read(path: Path) -> dict:
    faults: list = []
    document = parse("a.yaml", path.read_bytes(), faults)
    assert faults == []
    return document.data


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_s_skeleton_lacks_only_what_is_to_be_filled_in(run, tiny_copy, kind):
    result = run("new", kind, "fresh", *OPTIONS.get(kind, ()), catalog=tiny_copy)
    target = tiny_copy / PLACES[kind]
    assert (result.exit_code, result.stdout) == (0, f"{target}\nFill it in, then run: infercompat validate\n")
    data = read(target)
    assert set(data) == set(schemas()[kind]["required"])
    empty = {name for name, value in data.items() if value is None}
    faults = json.loads(run("validate", "--format", "json", catalog=tiny_copy).stdout)["diagnostics"]
    assert {fault["path"] for fault in faults} == {f"catalog/{PLACES[kind]}"}
    told = {fault["message"].split(" is ")[0].split(":")[0] for fault in faults if fault["severity"] == "error"}
    missing = {f"the record lacks the field {name}" for name in schemas()[kind]["properties"]}
    assert empty <= told <= empty | missing


@pytest.mark.parametrize("kind", KINDS)
def test_optional_fields_stand_below_as_comments_that_say_what_they_hold(tiny, kind):
    lines = scaffold.skeleton(kind, {}, tiny.catalog.vocabulary).splitlines()
    cut = lines.index("# Optional:")
    assert len(lines[:cut]) == len(schemas()[kind]["required"])
    optional = set(schemas()[kind]["properties"]) - set(schemas()[kind]["required"]) - {"withdrawn"}
    assert {line.split(":")[0].removeprefix("# ") for line in lines[cut + 1 :]} == optional
    assert all(line.partition(": ")[2] for line in lines[:cut])


def test_words_of_the_vocabulary_are_offered(tiny):
    text = scaffold.skeleton("gotcha", {}, tiny.catalog.vocabulary)
    assert "severity:  # One of: blocker, major, minor." in text


def test_what_is_known_is_filled_in(run, tiny_copy):
    run("new", "support", "fresh", "--engine", "enga", catalog=tiny_copy)
    assert read(tiny_copy / PLACES["support"])["engine"] == "enga"
    run("new", "citation", "fresher", "--url", OPTIONS["citation"][1], catalog=tiny_copy)
    assert read(tiny_copy / "citations/docs.example.com/fresher.yaml")["url"] == OPTIONS["citation"][1]


@pytest.mark.parametrize("options", [["--engine", "enga"], ["--url", "https://example.com/"], ["--publisher", "acme"]])
def test_options_of_other_kinds_make_no_field(run, tiny_copy, options):
    assert run("new", "hardware", "fresh", *options, catalog=tiny_copy).exit_code == 0
    assert set(read(tiny_copy / PLACES["hardware"])) == set(schemas()["hardware"]["required"])


REFUSED = [
    (["hardware", "tiny-model"], "the id tiny-model is taken by "),
    (["model", "enga", "--publisher", "acme"], "the id enga is taken by "),
    (["hardware", "sliding-window"], "is taken by "),
    (["hardware", "Big"], "'Big' is no id"),
    (["hardware", "a b"], "'a b' is no id"),
    (["hardware", ""], "'' is no id"),
    (["hardware", "-a"], "No such option"),
    (["hardware", ".a"], "'.a' is no id"),
    (["hardware", "a_b"], "'a_b' is no id"),
    (["hardware", "a/b"], "'a/b' is no id"),
    (["hardware", "../a"], "'../a' is no id"),
    (["hardware", "/a"], "'/a' is no id"),
    (["hardware", "*"], "'*' is no id"),
    (["hardware", "a\n"], "is no id"),
    (["hardware", "a" * 121], "is no id"),
    (["hardware", "é"], "'é' is no id"),
    (["model", "fresh"], "a model lies in a folder of its own kind: give --publisher"),
    (["support", "fresh"], "give --engine"),
    (["gotcha", "fresh"], "give --engine"),
    (["citation", "fresh"], "give --url"),
    (["citation", "fresh", "--url", "example"], "'example' is no address; give it whole"),
    (["citation", "fresh", "--url", "http://[x"], "'http://[x' is no address"),
    (["citation", "fresh", "--url", "https://../x"], "'..' is no name of a folder: --url"),
    (["model", "fresh", "--publisher", ".."], "'..' is no name of a folder: --publisher"),
    (["model", "fresh", "--publisher", "a/b"], "'a/b' is no name of a folder"),
    (["model", "fresh", "--publisher", "Acme"], "'Acme' is no name of a folder"),
    (["support", "fresh", "--engine", "../enga"], "'../enga' is no name of a folder: --engine"),
    (["thing", "fresh"], "Invalid value"),
    (["hardware"], "Missing argument"),
    (["hardware", "fresh", "--config", "config.json"], "--config makes a model and nothing else"),
]


@pytest.mark.parametrize(("arguments", "told"), REFUSED, ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "")
def test_what_is_refused_writes_nothing(run, tiny_copy, arguments, told):
    before = sorted(tiny_copy.parent.rglob("*"))
    result = run("new", *arguments, catalog=tiny_copy)
    assert result.exit_code == 2
    assert told in result.stderr
    assert sorted(tiny_copy.parent.rglob("*")) == before


def test_an_alias_is_an_id_that_is_taken(run, tmp_path):
    catalog = copy_tiny(tmp_path, changed(MODEL, ("aliases: [old/tiny]", "aliases: [tiny-old]")))
    result = run("new", "hardware", "tiny-old", catalog=catalog)
    assert (result.exit_code, "the id tiny-old is taken by catalog/models/acme/tiny-model.yaml" in result.stderr) == (2, True)


def test_a_file_with_faults_holds_its_id(run, tmp_path):
    catalog = copy_tiny(tmp_path, {"hardware/broken.yaml": "name: [\n"})
    assert run("new", "engine", "broken", catalog=catalog).exit_code == 2


CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "hidden_size": 256,
    "max_position_embeddings": 4096,
    "rms_norm_eps": 1e-06,
    "rope_theta": 10000.0,
    "big": 1e25,
    "empty": {},
    "nothing": None,
    "rope_scaling": {"factor": 8.0, "rope_type": "llama3"},
    "layer_types": ["full_attention", "full_attention"],
    "bos_token_id": [1, 2],
    "use_cache": True,
    "words": ["no", "on", "12:30", "1e5", "0o7", "0x1F", "null", "~", "", "2024-01-01", "4.57", "-", "a: b", "# c", "a\nb", "é", "x" * 400],
    "template": "{% for m in messages %}\n  {{ m }}\n{% endfor %}\n",
    "id2label": {"0": "A", "no": "B"},
}


@pytest.fixture
def config(tmp_path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def test_a_model_from_a_config(run, tiny_copy, config):
    assert run("new", "model", "fresh", "--publisher", "acme", "--config", str(config), catalog=tiny_copy).exit_code == 0
    data = read(tiny_copy / PLACES["model"])
    assert data["architecture"] == "LlamaForCausalLM"
    assert data["config"] == {"basis": "", "cites": [], "values": CONFIG}
    assert len(derive(data["config"]["values"], data["architecture"]).layers) == 2


def test_a_model_from_a_config_is_whole_once_it_is_filled_in(run, tiny_copy, config):
    run("new", "model", "fresh", "--publisher", "acme", "--config", str(config), catalog=tiny_copy)
    path = tiny_copy / PLACES["model"]
    lines = []
    for line in path.read_text().splitlines():
        filled = {"name": "Fresh", "family": "llama", "checkpoints": "[{hub: acme/fresh, format: bf16}]"}.get(line.split(":")[0])
        line = f"{line.split(':')[0]}: {filled}" if filled else line
        lines.append(line.replace('basis: ""', "basis: official").replace("cites: []", "cites: [{id: plain-config}]"))
    path.write_text("\n".join(lines) + "\n")
    assert [fault for fault in load(tiny_copy).diagnostics if fault.severity == "error"] == []


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("gone.json", None, "cannot be read: No such file or directory"),
        ("a.json", b"{", ":1:2: not JSON"),
        ("a.json", b"[1]", "a config is a JSON object, this is a list"),
        ("a.json", b"\xff", "not UTF-8 text"),
        ("a.json", b"", ":1:1: not JSON"),
        ("a.gguf", b"GGUF", "a.gguf is no config.json"),
    ],
)
def test_a_config_that_is_none_is_refused(run, tiny_copy, tmp_path, name, content, told):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = run("new", "model", "fresh", "--publisher", "acme", "--config", str(tmp_path / name), catalog=tiny_copy)
    assert (result.exit_code, told in result.stderr, result.stderr.count("\n")) == (2, True, 1)
    assert not (tiny_copy / PLACES["model"]).exists()


def test_a_config_that_does_not_say_its_architecture(run, tiny_copy, tmp_path):
    (tmp_path / "config.json").write_bytes(b'\xef\xbb\xbf{"model_type": "llama"}')
    run("new", "model", "fresh", "--publisher", "acme", "--config", str(tmp_path / "config.json"), catalog=tiny_copy)
    data = read(tiny_copy / PLACES["model"])
    assert (data["architecture"], data["config"]["values"]) == (None, {"model_type": "llama"})
