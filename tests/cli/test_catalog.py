"""The verbs of people who write records, where test_cli.py and the tests of rules do not reach: facts, and what leads nowhere."""

from __future__ import annotations

import pytest

from catalogs import MODEL, changed, copy_tiny
from infercompat.condition import FACTS
from infercompat.condition.facts import FactKind
from infercompat.rules import DECLARATIONS


def test_explain_facts_lists_them_all(run):
    result = run("explain", "facts")
    assert result.exit_code == 0
    assert [line.split()[:3] for line in result.stdout.splitlines()] == [[fact.name, fact.type, fact.kind] for fact in FACTS.values()]
    assert [line.endswith(f"  {fact.meaning}") for line, fact in zip(result.stdout.splitlines(), FACTS.values(), strict=True)].count(False) == 0
    assert run("explain", "FACTS").stdout == result.stdout


def test_explain_alone_lists_the_rules(run):
    assert [line.split()[0] for line in run("explain").stdout.splitlines()] == list(DECLARATIONS)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("cache.k.dtype", "cache.k.dtype (word, set by the engine where nobody says it)\n\n  The element type of the cached keys.\n"),
        ("model.family", "model.family (word, follows from model, hardware and memory)\n\n  The publisher's family.\n  one of   the vocabulary's family\n"),
        (
            "speculation.tokens",
            "speculation.tokens (int, said by the person who asks)\n\n  Tokens drafted a step.\n  unit     tokens\n  part of  speculation.method\n",
        ),
        (
            "sequence_length",
            "sequence_length (int, what is asked of the server, as a range)\n\n  Tokens of one sequence, prompt and answer.\n"
            "  unit     tokens\n  at most  max_model_len or model.context\n",
        ),
        ("setting.swa_full", "setting.swa_full (any, said by the person who asks)\n\n  An engine's setting, by its own name.\n"),
    ],
)
def test_explain_a_fact(run, word, text):
    result = run("explain", word)
    assert (result.exit_code, result.stdout) == (0, text)


@pytest.mark.parametrize("word", ["decode.attention.backend", "attention.backend.requested", "draft.attention.backend.resolved"])
def test_a_fact_may_have_a_scope_and_a_stage(run, word):
    assert run("explain", word).stdout.startswith("attention.backend (word, ")


def test_every_fact_is_explained(run):
    for name, fact in FACTS.items():
        result = run("explain", name)
        assert result.exit_code == 0
        assert fact.meaning in result.stdout
        assert ("several" in result.stdout) is fact.several


def test_kinds_of_facts_are_all_worded():
    from infercompat.cli.catalog import _KINDS

    assert set(_KINDS) == set(FactKind.__args__)


@pytest.mark.parametrize(
    ("word", "told"),
    [
        ("cache.dtpe", "there is no rule or fact cache.dtpe; nearest: cache.dtype, "),
        ("target.cache.dtpe", "nearest: target.cache.dtype"),
        ("LNK01", "nearest: LNK001"),
        ("dangling-links", "nearest: dangling-link"),
        ("setting.SwaFull", "there is no rule or fact setting.SwaFull"),
        ("", "there is no rule or fact ; infercompat explain lists them"),
        ("\n", "infercompat explain lists them"),
    ],
)
def test_neither_a_rule_nor_a_fact(run, word, told):
    result = run("explain", word)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr


def test_impact_follows_aliases_and_checkpoints(run):
    by_id = run("impact", "tiny-model")
    assert by_id.exit_code == 0
    assert "measurement (1)\n  tiny-at-8k  Cache of Tiny at 8,192 tokens\n" in by_id.stdout
    assert run("impact", "old/tiny").stdout == run("impact", "acme/tiny-it").stdout == by_id.stdout


def test_format_and_check(run, tmp_path):
    catalog = copy_tiny(tmp_path, changed(MODEL, ("Half of its layers slide: {{ layers.sliding }} of", "Half of its layers slide: 2 of")))
    before = (catalog / MODEL).read_text()
    run("fmt", "--check", catalog=catalog)
    assert (catalog / MODEL).read_text() == before
    assert run("fmt", "--check", str(tmp_path / "nothing"), catalog=catalog).exit_code == 2
    assert run("fmt", "--check", str(tmp_path.parent), catalog=catalog).exit_code == 2


def test_a_site_needs_a_checkout(run, tmp_path):
    catalog = copy_tiny(tmp_path)
    result = run("build", "--docs-only", catalog=catalog)
    assert (result.exit_code, result.stdout) == (0, "docs/13-model-compatibility.md: written\n")
    assert run("build", "--docs-only", catalog=catalog).stdout == "docs/13-model-compatibility.md: unchanged\n"
