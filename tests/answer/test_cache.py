"""`cache`: the JSON contract, figures worked out by hand, unknown as null, and files that hold no config."""

from __future__ import annotations

import json

import pytest

from catalogs import MODEL, changed, copy_tiny
from infercompat.answer.cache import CONTEXTS, Unreadable, as_data, find_model, of_file, of_record, print_data, unlisted
from infercompat.derive import KINDS, Unknown

from .stacks import BASE, HOLDING

# The plain model: 2 layers x 2 heads x 64 elements x K and V. The tiny one: 4 such layers, of which 2 look back 1,024 tokens.
TOKEN = 2 * 2 * 64 * 2
LAYER_KEYS = {"full", "sliding", "chunked", "latent", "indexed", "recurrent", "convolution", "cross", "none", "shared", "recurrent+full"}


@pytest.mark.parametrize(
    ("model", "dtype", "naive", "growing", "window", "at"),
    [
        ("plain-model", "bf16", TOKEN * 2, TOKEN * 2, 0, {8192: TOKEN * 2 * 8192, 100: TOKEN * 2 * 100}),
        ("plain-model", "fp8", TOKEN, TOKEN, 0, {8192: TOKEN * 8192}),
        ("plain-model", "q8_0", TOKEN * 34 // 32, TOKEN * 34 // 32, 0, {1: TOKEN * 34 // 32}),
        ("tiny-model", "bf16", TOKEN * 4, TOKEN * 2, TOKEN * 2 * 1024, {8192: TOKEN * 2 * (8192 + 1024), 1000: TOKEN * 4 * 1000}),
    ],
)
def test_figures_by_hand(base, model, dtype, naive, growing, window, at):
    data = as_data(of_record(base.catalog.records[model]), list(at), dtype)["cache"]
    assert data["naive"] == {"bytes_per_token": naive, "at": {str(tokens): naive * tokens for tokens in at}}
    assert data["ideal"] == {
        "growing_bytes_per_token": growing, "window_bytes": window, "state_bytes_per_sequence": 0,
        "at": {str(tokens): size for tokens, size in at.items()},
    }  # fmt: skip
    assert data["overpay"] == {str(tokens): pytest.approx(naive * tokens / size, abs=1e-4) for tokens, size in at.items()}


def test_a_part_may_have_a_type_of_its_own(base):
    data = as_data(of_record(base.catalog.records["plain-model"]), [1], "bf16", {"v": "fp8"})["cache"]
    assert (data["naive"]["bytes_per_token"], data["dtypes"]["k"], data["dtypes"]["v"]) == (TOKEN + TOKEN // 2, "bf16", "fp8")


MODELS = (
    "gpt-oss-20b", "gemma-4-e4b", "deepseek-v3", "deepseek-v3.2", "deepseek-v4-flash", "mamba-2.8b", "jamba-v0.1", "falcon-h1-0.5b", "lfm2-1.2b",
    "whisper-large-v3", "llama-4-scout", "llama-3.2-11b-vision", "bge-large-en",
)  # fmt: skip
"""Between them they have every kind of layer."""


def test_the_models_of_the_next_test_have_every_kind(real):
    assert {kind for model in MODELS for kind in real.derived[model].counts()} == LAYER_KEYS


@pytest.mark.parametrize("model", MODELS)
def test_the_contract_of_the_json(real, model):
    subject = of_record(real.catalog.records[model])
    data = json.loads(json.dumps(as_data(subject), allow_nan=False))
    assert data.keys() >= {"schema_version", "model", "architecture", "layers", "defaults_used", "cache", "missing"}
    assert (data["model"], data["architecture"], data["missing"]) == (model, real.catalog.records[model].data["architecture"], [])
    assert LAYER_KEYS >= data["layers"].keys() >= {"shared"}
    assert sum(data["layers"].values()) == len(subject.derived.layers)
    cache = data["cache"]
    assert cache.keys() >= {"dtype", "naive", "ideal", "engine"}
    assert cache["engine"] is None
    assert list(cache["ideal"]["at"]) == [str(tokens) for tokens in CONTEXTS] == ["8192", "32768", "131072"]
    figures = [
        cache["naive"]["bytes_per_token"], cache["ideal"]["growing_bytes_per_token"], cache["ideal"]["state_bytes_per_sequence"],
        *cache["ideal"]["at"].values(), *cache["naive"]["at"].values(),
    ]  # fmt: skip
    assert all(type(figure) is int and figure >= 0 for figure in figures)
    assert all(cache["ideal"]["at"][tokens] <= cache["naive"]["at"][tokens] for tokens in cache["ideal"]["at"])


def test_layer_kinds_are_the_contracts():
    assert {*KINDS, "shared"} == LAYER_KEYS


def test_every_model_has_counts_that_sum_or_says_what_is_missing(real):
    seen = {"known": 0, "unknown": 0}
    for record in real.catalog.of_kind("model"):
        derived = real.derived[record.id]
        data = as_data(of_record(record), [8192])
        if isinstance(derived, Unknown):
            seen["unknown"] += 1
            assert (data["cache"], data["layers"]) == (None, None)
            assert data["missing"] and data["reason"]
        else:
            seen["known"] += 1
            assert sum(data["layers"].values()) == len(derived.layers)
    assert seen["known"] > 150


UNREAD = changed(MODEL, ("    sliding_window: 1024\n", ""))


def test_unknown_is_null_and_never_a_guess(make):
    data = as_data(of_record(make(BASE | UNREAD).catalog.records["tiny-model"]))
    assert (data["cache"], data["layers"], data["missing"], data["defaults_used"]) == (None, None, ["sliding_window"], [])
    assert unlisted("me/mine", "it is not in the catalog") == {
        "schema_version": 1, "model": "me/mine", "architecture": None, "layers": None, "defaults_used": [], "cache": None,
        "missing": ["model"], "reason": "it is not in the catalog",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["plain-model"], 0),
        (["acme/tiny-it", "--context", "1,2_000"], 0),
        (["plain-model", "--engine", "enga"], 0),
        (["plain-modle"], 2),
        (["plain-model", "--context", "many"], 2),
        (["plain-model", "--context", "1,,2"], 2),
        (["plain-model", "--context", "0"], 2),
        (["plain-model", "--cache-dtype", "fp9"], 2),
        (["plain-model", "--part", "k=fp9"], 2),
        (["plain-model", "--engine", "engaa"], 2),
        (["plain-model", "--engine", "enga", "--set", "block_size=0"], 2),
        (["none.json"], 2),
        (["me/entirely-my-own"], 4),
    ],
)
def test_exit_statuses(run, tmp_path, arguments, status):
    result = run("cache", *arguments, catalog=copy_tiny(tmp_path / "cache", BASE))
    assert (result.exit_code, result.stderr != "", result.stdout != "") == (status, status == 2, status != 2)


@pytest.mark.parametrize("target", ["tiny-model", "me/entirely-my-own"])
def test_unknown_exits_with_four_and_says_what_is_missing(run, tmp_path, target):
    folder = copy_tiny(tmp_path / "unknown", BASE | UNREAD)
    result = run("cache", target, "--json", catalog=folder)
    data = json.loads(result.stdout)
    assert (result.exit_code, data["cache"]) == (4, None)
    assert data["missing"] and data["reason"]
    shown = run("cache", target, catalog=folder)
    assert (shown.exit_code, "unknown: " in shown.stdout, "missing: " in shown.stdout) == (4, True, True)


def test_for_people(run, tmp_path):
    lines = run("cache", "tiny-model", "--context", "8192", catalog=copy_tiny(tmp_path / "shown", BASE)).stdout.splitlines()
    assert lines[:2] == ["tiny-model  TinyForCausalLM", "layers  2 full, 2 sliding"]
    assert lines[-2:] == [
        "a token 2,048 B if every layer keeps everything, 1,024 B past the windows",
        "    8,192 tokens  needed      9 MiB (9,437,184 B)  every layer full     16 MiB  1.78×",
    ]


def test_an_engine_for_people(run, tmp_path):
    folder = copy_tiny(tmp_path / "engines", HOLDING)
    lines = run("cache", "plain-model", "--context", "1000", "--engine", "enga", "--tp", "4", catalog=folder).stdout.splitlines()
    start = lines.index("enga 1.1.0, newest in the catalog")
    assert lines[start + 1] == "policy  Tensors that grow [enga-cache]"
    assert "    1,000 tokens  held      500 KiB a rank  2.00× of what is needed" in lines
    older = run("cache", "plain-model", "--engine", "enga@1.0.0", catalog=folder).stdout.splitlines()
    assert older[older.index("enga 1.0.0") + 1].startswith("unknown: no cache policy of EngA is known for 1.0.0")


PLAIN = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
         "head_dim": 64, "hidden_size": 256}  # fmt: skip


def test_a_config_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("\ufeff" + json.dumps(PLAIN), "utf-8")  # some editors write a mark in front
    subject = of_file(path)
    assert (subject.name, subject.architecture, subject.derived.counts()) == ("config.json", "LlamaForCausalLM", {"full": 3})
    assert as_data(subject, [10])["cache"]["ideal"]["at"] == {"10": TOKEN * 3 * 10}
    nested = tmp_path / "nested.json"
    nested.write_text(json.dumps({"model_type": "llava", "text_config": PLAIN}))
    assert as_data(of_file(nested), [10])["cache"]["ideal"]["at"] == {"10": TOKEN * 3 * 10}
    classless = tmp_path / "classless.json"
    classless.write_text(json.dumps({key: value for key, value in PLAIN.items() if key not in ("architectures", "model_type")}))
    assert isinstance(of_file(classless).derived, Unknown)
    assert of_file(classless, "LlamaForCausalLM").derived.counts() == {"full": 3}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", ":1:2: not JSON: Expecting property name enclosed in double quotes"),
        (b'{\n  "a": 1\n  "b": 2\n}', ":3:3: not JSON: Expecting ',' delimiter"),
        (b"\xff\xfe", ":1:1: not UTF-8 text"),
        (b"[]", ":1:1: a config is a JSON object, this is a list"),
        (b'"text"', ":1:1: a config is a JSON object, this is a str"),
        (b"[" * 100_000, ":1:1: not a config: "),
        (b'{"num_hidden_layers": ' + b"9" * 5000 + b"}", ":1:1: not a config: "),
    ],
)
def test_a_file_that_holds_no_config_says_where(tmp_path, content, words):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(Unreadable) as unreadable:
        of_file(path)
    assert str(unreadable.value).startswith(f"{path}{words}")


def test_files_that_are_none(tmp_path):
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "a.gguf").write_bytes(b"GGML")
    for name in ("folder.json", "gone.json", "a.gguf"):
        with pytest.raises(Unreadable, match=name.replace(".", r"\.")):
            of_file(tmp_path / name)


@pytest.mark.parametrize(
    ("target", "id"),
    [
        ("tiny-model", "tiny-model"), ("TINY-MODEL", "tiny-model"), ("old/tiny", "tiny-model"), ("acme/Tiny-IT", "tiny-model"),
        ("enga", None), ("card-big", None), ("tiny", None), ("", None),
    ],
)  # fmt: skip
def test_models_by_any_name(base, target, id):
    found = find_model(base.catalog, target)
    assert (found and found.id) == id


def test_an_unknown_length_is_left_out(real, capsys):
    from infercompat.answer.engine_cache import asked

    subject = of_record(real.catalog.follow("ernie-4.5-21b-a3b"))
    print_data(as_data(subject, [1024], engine=asked(real.catalog.follow("mlx-vlm"), None)))
    assert "set aside for one request: 0 B a rank\n" in capsys.readouterr().out
