"""The verbs that answer: `cache`, `check` and `upgrade`, their statuses, and what they say to a question that cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from catalogs import ENGINE, RECIPE, RECIPE_TEXT, TINY, copy_tiny, text_of

CONFIG = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 64,
    "hidden_size": 256,
    "max_position_embeddings": 4096,
}
"""Two layers, each with two KV heads of 64: 2 x 2 x 64 x 2 x 2 B = 1,024 B a token."""


@pytest.fixture
def config(tmp_path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


def test_the_cache_of_a_config_needs_no_catalog(run, config, tmp_path):
    (tmp_path / "none").mkdir()
    result = run("cache", str(config), "--json", "--context", "1,4_096", catalog=tmp_path / "none")
    data = json.loads(result.stdout)
    assert (result.exit_code, data["model"], data["architecture"]) == (0, "config.json", "LlamaForCausalLM")
    assert data["cache"]["naive"] == {"bytes_per_token": 1024, "at": {"1": 1024, "4096": 1 << 22}}
    assert data["cache"]["ideal"]["at"] == data["cache"]["naive"]["at"]
    assert data["cache"]["engine"] is None


@pytest.mark.parametrize("target", ["plain-model", "acme/plain", "ACME/Plain", "Plain-Model"])
def test_the_cache_of_a_model_of_the_catalog(run, target):
    data = json.loads(run("cache", target, "--json").stdout)
    assert (data["model"], data["missing"]) == ("plain-model", [])
    assert data["cache"]["ideal"]["growing_bytes_per_token"] == 1024
    assert list(data["cache"]["ideal"]["at"]) == ["8192", "32768", "131072"]


def test_types_of_parts(run, config):
    data = json.loads(run("cache", str(config), "--json", "--context", "1", "--cache-dtype", "fp8", "--part", "v=q8_0").stdout)
    # 256 keys of a byte, and 256 values in 8 blocks of 34 bytes.
    assert data["cache"]["naive"]["at"] == {"1": 256 + 8 * 34}


def test_words_for_people(run):
    result = run("cache", "tiny-model", "--context", "8192", "--image", "64x64", "--audio", "3")
    assert result.exit_code == 0
    assert "    8,192 tokens  needed      9 MiB (9,437,184 B)  every layer full     16 MiB  1.78×" in result.stdout.splitlines()
    assert [line.split()[0] for line in result.stdout.splitlines()[-2:]] == ["image", "audio"]


@pytest.mark.parametrize(
    ("content", "missing"),
    [({"model_type": "nobody-knows"}, "nobody-knows"), ({}, "model_type"), ({"model_type": "llama"}, "num_hidden_layers")],
)
def test_what_is_unknown_has_a_status_of_its_own(run, tmp_path, content, missing):
    (tmp_path / "config.json").write_text(json.dumps(content))
    words, data = run("cache", str(tmp_path / "config.json")), run("cache", str(tmp_path / "config.json"), "--json")
    assert (words.exit_code, data.exit_code) == (4, 4)
    assert "unknown: " in words.stdout
    found = json.loads(data.stdout)
    assert found["cache"] is None
    assert missing in json.dumps(found)


def test_an_engine_without_a_policy_is_unknown_beside_the_answer(run):
    result = run("cache", "tiny-model", "--engine", "enga", "--json")
    engine = json.loads(result.stdout)["cache"]["engine"]
    assert (result.exit_code, engine["version"], engine["policy"], engine["missing"]) == (0, "1.1.0", None, ["a cache policy"])


POLICY = """\
cache_policies:
  - algorithm: transformers-tensors/1
    title: Tensors of one sequence
    seen_at: ["1.1.0"]
    parameters: {}
    cites: [{id: enga-cache}]
"""


def test_an_engine_that_starts_on_a_device_without_memory_on_record(run):
    arguments = ["cache", "tiny-model", "--engine", "enga", "--hardware", "card-base", "--set", "tensor_parallel=2"]
    startup = json.loads(run(*arguments, "--json").stdout)["cache"]["engine"]["startup"]
    assert (startup["hardware"], startup["gpus"], startup["available_bytes"], startup["log_lines"]) == ("card-base", 2, [None, None], [None, None])
    assert "the device's memory is not in its record" in startup["missing"]
    assert "started on 2x card-base" in run(*arguments).stdout


def test_what_an_engine_allocates(run, tmp_path):
    """The window keeps 1,023 tokens where the layer needs 1,024: 2 layers x 512 B of each."""
    catalog = copy_tiny(tmp_path, {ENGINE: text_of(ENGINE) + POLICY})
    arguments = ["cache", "tiny-model", "--engine", "enga@1.1.0", "--context", "8192"]
    engine = json.loads(run(*arguments, "--json", catalog=catalog).stdout)["cache"]["engine"]
    assert engine["per_rank"]["resident"] == {"8192": 9_437_184 - 1024}
    assert engine["overpay"] == {"8192": 0.9999}
    assert "policy  Tensors of one sequence [enga-cache]" in run(*arguments, catalog=catalog).stdout
    halves = json.loads(run(*arguments, "--tp", "2", "--json", catalog=catalog).stdout)["cache"]["engine"]
    assert halves["per_rank"]["resident"] == {"8192": (9_437_184 - 1024) // 2}


CANNOT = [
    (["cache", "tiny-modle"], "there is no model tiny-modle; nearest: tiny-model"),
    (["cache", "enga"], "enga is no model: it names a record of the kind engine"),
    (["check", "sliding-window", "enga"], "sliding-window is no model: it names a record of the kind requirement"),
    (["cache", "gone.json"], "gone.json: cannot be read: No such file or directory"),
    (["cache", "gone.gguf"], "gone.gguf"),
    (["cache", "tiny-model", "--weights", "1GiB"], "--weights says how an engine is started: give --engine, too"),
    (["cache", "tiny-model", "--engine", "enga", "--gpus", "2"], "--gpus says what a device holds: give --hardware, too"),
    (["cache", "tiny-model", "--engine", "enga", "--hardware", "card-base", "--weights", "1GiB", "--available", "1GiB"], "give one of them"),
    (["cache", "tiny-model", "--engine", "enga", "--hardware", "card-base", "--weights", "some"], "'some' is no memory size"),
    (["cache", "tiny-model", "--context", "8k"], "--context takes token counts such as 8192,32768, not 8k"),
    (["cache", "tiny-model", "--context", ""], "not an empty place"),
    (["cache", "tiny-model", "--context", "1,,2"], "not an empty place"),
    (["cache", "tiny-model", "--context", "0"], "not 0"),
    (["cache", "tiny-model", "--context", "-1"], "not -1"),
    (["cache", "tiny-model", "--context", "9" * 5000], "--context takes token counts"),
    (["cache", "tiny-model", "--cache-dtype", "fp9"], "there is no cache dtype fp9; known: "),
    (["cache", "tiny-model", "--part", "k"], "--part takes one of k, v, "),
    (["cache", "tiny-model", "--part", "k=fp9"], "not 'k=fp9'"),
    (["cache", "tiny-model", "--part", "x=fp8"], "not 'x=fp8'"),
    (["cache", "tiny-model", "--image", "64"], "--image takes a size such as 1024x768, not '64'"),
    (["cache", "tiny-model", "--image", "0x1"], "not '0x1'"),
    (["cache", "tiny-model", "--engine", "engx"], "there is no engine engx; nearest: "),
    (["cache", "tiny-model", "--engine", "enga@x"], "'x' is no pep440 version of enga"),
    (["cache", "tiny-model", "--engine", "enga@" + "9" * 5000], "is no pep440 version of enga"),
    (["cache", "tiny-model", "--draft", "tiny-model"], "--draft says how an engine is started: give --engine, too"),
    (["cache", "tiny-model", "--engine", "enga", "--draft", "no-model"], "no-model"),
    (["cache", "tiny-model", "--engine", "enga", "--hardware", "no-card"], "no-card"),
    (["cache", "tiny-model", "--hardware", "no-card"], "--hardware says how an engine is started: give --engine, too"),
    (["cache", "tiny-model", "--engine", "enga", "--available", "much"], "'much' is no memory size"),
    (["cache", "tiny-model", "--engine", "enga", "--available", "9" * 5000], "is no memory size"),
    (["cache", "tiny-model", "--engine", "enga", "--set", "cache.dtpe=fp8"], "there is no fact cache.dtpe; nearest: cache.dtype"),
    (["check", "tiny-modle", "enga"], "there is no model tiny-modle; nearest: tiny-model"),
    (["check", "tiny-model", "engaa"], "there is no engine engaa; nearest: enga"),
    (["check", "tiny-model", "zzzz"], "there is no engine zzzz; known: enga, engb"),
    (["check", "tiny-model", "enga@0..1"], "'0..1' is no pep440 version of enga: write numbers such as 0.11.2 or 1.2.0rc1; "),
    (["check", "tiny-model", "enga", "--hardware", "cards-base"], "there is no hardware cards-base; nearest: card-base"),
    (["check", "tiny-model", "enga", "--hardware", "enga"], "there is no hardware enga"),
    (["check", "tiny-model", "enga", "--set", "x"], "--set and --require take fact=value, not 'x'"),
    (["check", "tiny-model", "enga", "--set", "=1"], "--set and --require take fact=value"),
    (["check", "tiny-model", "enga", "--require", "zzz=1"], "there is no fact zzz; infercompat explain facts lists them"),
    (["check", "tiny-model", "enga", "--set", "block_size=many"], 'block_size is a whole number, not "many"'),
    (["check", "tiny-model", "enga", "--from-config", "gone.json"], "cannot be read: No such file or directory"),
    (["upgrade", "enga", "1.0.0", "1.1.0", "--model", "tiny-modle"], "nearest: tiny-model"),
    (["upgrade", "engz", "1.0.0", "1.1.0", "--model", "tiny-model"], "there is no engine engz; nearest: "),
    (["upgrade", "enga", "0..9", "1.1.0", "--model", "tiny-model"], "'0..9' is no pep440 version"),
    (["upgrade", "enga", "1.0.0", "9" * 5000, "--model", "tiny-model"], "is no pep440 version"),
]


@pytest.mark.parametrize(("arguments", "told"), CANNOT, ids=lambda value: " ".join(value)[:50] if isinstance(value, list) else "")
def test_a_question_that_cannot_be_asked_is_one_line(run, monkeypatch, tmp_path, arguments, told):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments, catalog=TINY)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("infercompat: ")
    assert told in result.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "verdict"),
    [
        (["tiny-model", "enga"], 0, "yes"),
        (["plain-model", "enga"], 1, "no"),
        (["tiny-model", "enga", "--hardware", "card-base", "--cache-dtype", "fp8_e4m3"], 3, "only-with"),
        (["tiny-model", "enga@1.0.0"], 4, "unknown"),
        (["acme/unheard-of", "enga"], 4, "unknown"),
    ],
)
def test_the_status_is_the_verdict(run, arguments, status, verdict):
    words, data = run("check", *arguments), run("check", *arguments, "--json")
    assert (words.exit_code, data.exit_code) == (status, status)
    assert words.stdout.startswith(verdict.upper())
    assert json.loads(data.stdout)["verdict"] == verdict


def test_a_recipe_s_container_and_what_decides_its_flags_are_said(run, tmp_path):
    recipe = RECIPE_TEXT.replace("for: tools,", "for: tools, when: {checkpoint.tuned: reasoning},")
    serve = text_of(ENGINE) + 'serve: {argv: [enga, serve, "{checkpoint}"], cites: [{id: enga-registry}]}\n'
    catalog = copy_tiny(tmp_path, {RECIPE: recipe, ENGINE: serve})
    lines = run("check", "tiny-model", "enga", catalog=catalog).stdout.splitlines()
    assert lines[lines.index("enga serve acme/tiny-it --trust-code") :][1:] == [
        "  container: acme/enga:1.1.0   the recipe's own; other hardware can need another"
    ]
    other = catalog / "models/acme/tiny-model.yaml"
    other.write_text(other.read_text().replace(", tuned: instruct", ""))
    assert (
        "  tools:     --tool-parser tiny   Reads its tool calls. Where checkpoint.tuned is reasoning."
        in run("check", "tiny-model", "enga", catalog=catalog).stdout.splitlines()
    )


def test_one_line_for_each_of_many(run):
    lines = [line.split()[:4] for line in run("check").stdout.splitlines()]
    assert {(model, engine) for _, model, engine, _ in lines} == {(model, engine) for model in ("plain-model", "tiny-model") for engine in ("enga", "engb")}
    answers = json.loads(run("check", "tiny-model", "--json").stdout)["answers"]
    assert [answer["question"]["engine"] for answer in answers] == ["enga", "engb"]
    assert run("check", "tiny-model").exit_code == 0


def test_a_model_that_is_in_no_catalog(run, config):
    result = run("check", "--from-config", str(config), "--json")
    answers = json.loads(result.stdout)["answers"]
    assert [(answer["question"]["model"], answer["verdict"]) for answer in answers if answer["question"]["engine"] == "enga"] == [("config", "no")]


def test_an_upgrade(run):
    arguments = ["upgrade", "enga", "1.0.0", "1.1.0", "--model", "tiny-model"]
    data = json.loads(run(*arguments, "--json").stdout)
    assert (data["from"]["verdict"], data["to"]["verdict"]) == ("unknown", "yes")
    assert {"hop": "architecture", "from": "unknown", "to": "holds"}.items() <= data["hops"][0].items()
    words = run(*arguments)
    assert (words.exit_code, words.stdout.splitlines()[0]) == (0, "tiny-model on enga: 1.0.0 unknown -> 1.1.0 yes")
    assert json.loads(run("upgrade", "enga", "1.1.0", "1.1.0", "--model", "tiny-model", "--json").stdout)["hops"] == []
