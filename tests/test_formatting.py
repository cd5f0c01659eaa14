"""Formatting: typed figures give way to placeholders, every other byte stays, and what cannot be read is left as it is."""

from __future__ import annotations

import os
import stat

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogs import text_of
from infercompat import formatting, rules
from infercompat.pipeline import load

TINY = "models/acme/tiny-model.yaml"
# 4 layers, 2 of them windowed (1,024), with 2 KV heads of 64: 4 * 2 * 64 * 2 * 2 = 2,048 bytes a token, half of which grow.
# At 8,192: 1,024 * 8,192 + 1,024 * 1,024 bytes = 9 MiB; every layer full takes 16 MiB.
HEAD = text_of(TINY).partition("notes:")[0]
TYPED = (
    "|\n"
    "  Half of its layers slide: 2 of 4 layers look back 1,024 tokens, see [[windowing]].\n\n"
    "  Every layer in full takes 2,048 bytes a token (2 KiB/token), the naive cache 16\n"
    "  MiB at 8,192 tokens, the effective one 9 MiB: an overpay of 1.78x at 8k.\n"
    "  Here 4 * 2 * 64 * 2 * 2 = 2,048 bytes a token, and `16 MiB at 8,192 tokens` is code.  \n"
    "    More of it: heads of 64, {{ kv_heads }} KV heads, 5 µm.\n"
)
PLACED = (
    "|\n"
    "  Half of its layers slide: {{ layers.sliding }} of {{ layers.total }} layers look back {{ window | thousands }} tokens, see [[windowing]].\n\n"
    "  Every layer in full takes {{ cache.naive.bytes_per_token | thousands }} bytes a token "
    "({{ cache.naive.bytes_per_token | bytes }}/token), the naive cache {{ cache.naive.at.8192 | bytes }} at 8,192 tokens, "
    "the effective one {{ cache.ideal.at.8192 | bytes }}: an overpay of {{ cache.overpay.at.8192 | times }} at 8k.\n"
    "  Here 4 * 2 * 64 * 2 * 2 = 2,048 bytes a token, and `16 MiB at 8,192 tokens` is code.  \n"
    "    More of it: heads of {{ head_dim }}, {{ kv_heads }} KV heads, 5 µm.\n"
)


def write(catalog, notes: str, name: str = TINY) -> None:
    (catalog / name).write_bytes((HEAD + "notes: " + notes).encode())


@pytest.fixture
def typed(tiny_copy):
    write(tiny_copy, TYPED)
    return tiny_copy


def test_figures_become_placeholders_and_nothing_else_changes(typed, run):
    before = {path: path.read_bytes() for path in typed.rglob("*.yaml")}
    result = run("fmt", catalog=typed)
    assert result.exit_code == 0
    assert (typed / TINY).read_text("utf-8") == HEAD + "notes: " + PLACED
    assert {path for path, content in before.items() if path.read_bytes() != content} == {typed / TINY}
    line = HEAD.count("\n") + 2
    assert result.stdout.splitlines()[0] == f"catalog/{TINY}:{line}:29  2 -> {{{{ layers.sliding }}}}"
    assert f"catalog/{TINY}:{line + 2}:80  16 MiB -> {{{{ cache.naive.at.8192 | bytes }}}}" in result.stdout
    assert result.stdout.splitlines()[-1] == "9 figures replaced in 1 file"


def test_the_result_is_clean_and_formatting_it_again_changes_nothing(typed, run):
    run("fmt", catalog=typed)
    written = (typed / TINY).stat()
    assert [diagnostic for diagnostic in rules.check(load(typed, "2026-03-01")) if diagnostic.rule.startswith(("NUM", "PRO"))] == []
    result = run("fmt", catalog=typed)
    assert (result.exit_code, result.output) == (0, "0 figures replaced in 0 files\n")
    assert (typed / TINY).stat().st_mtime_ns == written.st_mtime_ns
    assert run("fmt", "--check", catalog=typed).exit_code == 0


def test_check_changes_nothing_and_fails(typed, run):
    before = (typed / TINY).read_bytes()
    result = run("fmt", "--check", catalog=typed)
    assert result.exit_code == 1
    assert (typed / TINY).read_bytes() == before
    assert result.stdout.splitlines()[-1] == "9 figures would be replaced in 1 file"
    assert "  1,024 -> {{ window | thousands }}\n" in result.stdout


@pytest.mark.parametrize("name", [".", "models", "models/acme", TINY])
def test_only_the_paths_that_are_named(typed, run, name):
    other = typed / "models/acme/plain-model.yaml"
    other.write_text(other.read_text("utf-8") + "notes: A head is 64 wide.\n", "utf-8")
    assert run("fmt", str(typed / "citations"), catalog=typed).output == "0 figures replaced in 0 files\n"
    result = run("fmt", str(typed / name), catalog=typed)
    assert result.exit_code == 0
    assert "wide" in other.read_text("utf-8")
    assert ("{{ head_dim }}" in other.read_text("utf-8")) == (name != TINY)
    assert "{{ window" in (typed / TINY).read_text("utf-8")


def test_a_path_that_is_not_there_or_not_in_the_catalog(typed, run, tmp_path):
    assert run("fmt", str(typed / "models/nothing.yaml"), catalog=typed).exit_code == 2
    assert run("fmt", str(tmp_path.parent), catalog=typed).exit_code == 2
    assert run("fmt", catalog=tmp_path / "nowhere").exit_code == 2


@pytest.mark.parametrize(
    ("fault", "code"),
    [("name: Again\n", "YAML002"), ("broken: [\n", "YAML001"), ("colour: red\n", "SHP001"), ("text: >\n  It has 2 KV heads.\n", "YAML004")],
)
def test_a_file_with_faults_is_refused_and_left_as_it_is(typed, run, fault, code):
    broken = typed / "models/acme/plain-model.yaml"
    broken.write_text(broken.read_text("utf-8") + fault + "notes: A head is 64 wide.\n", "utf-8")
    before = broken.read_bytes()
    result = run("fmt", catalog=typed)
    assert result.exit_code == 1
    assert broken.read_bytes() == before
    assert code in result.output
    assert "catalog/models/acme/plain-model.yaml:" in result.output
    assert "{{ window" in (typed / TINY).read_text("utf-8")
    assert run("fmt", str(typed / TINY), catalog=typed).exit_code == 0


@pytest.mark.parametrize(
    ("notes", "placed"),
    [
        ("It has 2 KV heads.\n", "It has {{ kv_heads }} KV heads.\n"),
        ("'It''s 2 KV heads.'  # 2 KV heads\n", "'It''s {{ kv_heads }} KV heads.'  # 2 KV heads\n"),
        ('"It\\u2019s 2 KV heads."\n', '"It\\u2019s {{ kv_heads }} KV heads."\n'),
        ("|-\n      It has\n      2 KV heads.\n\n", "|-\n      It has\n      {{ kv_heads }} KV heads.\n\n"),
        ("|\n\n\n  It has 2 KV heads.", "|\n\n\n  It has {{ kv_heads }} KV heads."),
        ("|+\n  It has 2 KV heads.\n\n\n# end\n", "|+\n  It has {{ kv_heads }} KV heads.\n\n\n# end\n"),
        ("|2\n    It is so.\n\n  It has 2 KV heads.\n", "|2\n    It is so.\n\n  It has {{ kv_heads }} KV heads.\n"),
        ('"It has \\x32 KV heads, and 2 KV heads."\n', None),
        ("|\r\n  It has\r\n  2 KV heads.\r\n", "|\r\n  It has\r\n  {{ kv_heads }} KV heads.\r\n"),
    ],
)
def test_every_way_to_write_a_string(tiny_copy, run, notes, placed):
    write(tiny_copy, notes)
    result = run("fmt", catalog=tiny_copy)
    if placed is None:  # a figure that is written as an escape is no figure that could be replaced
        assert result.exit_code == 1
        assert (tiny_copy / TINY).read_bytes() == (HEAD + "notes: " + notes).encode()
        return
    assert result.exit_code == 0, result.output
    assert (tiny_copy / TINY).read_bytes() == (HEAD + "notes: " + placed).encode()


def test_a_placeholder_that_yaml_would_read_as_a_mapping_is_refused(tiny_copy, run):
    write(tiny_copy, "2 KV heads are few.\n")
    result = run("fmt", catalog=tiny_copy)
    assert result.exit_code == 1
    assert "a placeholder cannot stand here" in result.output
    assert (tiny_copy / TINY).read_bytes() == (HEAD + "notes: 2 KV heads are few.\n").encode()


def test_a_byte_order_mark_and_permissions_stay(tiny_copy, run):
    file = tiny_copy / TINY
    file.write_bytes(b"\xef\xbb\xbf" + (HEAD + "notes: It has 2 KV heads.\n").encode())
    file.chmod(0o640)
    assert run("fmt", catalog=tiny_copy).exit_code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + (HEAD + "notes: It has {{ kv_heads }} KV heads.\n").encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_link_to_a_file_stays_a_link(tiny_copy, run, tmp_path):
    target = tmp_path / "elsewhere.yaml"
    target.write_text(HEAD + "notes: It has 2 KV heads.\n", "utf-8")
    (tiny_copy / TINY).unlink()
    (tiny_copy / TINY).symlink_to(target)
    assert run("fmt", catalog=tiny_copy).exit_code == 0
    assert (tiny_copy / TINY).is_symlink()
    assert "{{ kv_heads }}" in target.read_text("utf-8")


def test_a_write_that_fails_leaves_the_old_file(typed, run, monkeypatch):
    before = (typed / TINY).read_bytes()
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    result = run("fmt", catalog=typed)
    assert result.exit_code == 1
    assert "the file cannot be written: full" in result.output
    assert (typed / TINY).read_bytes() == before


def test_a_file_that_changed_since_it_was_read_is_left_alone(typed):
    products = load(typed)
    write(typed, "|\n  Somebody else wrote 2 KV heads here meanwhile.\n")
    assert [rewrite.content for rewrite in formatting.plan(products)] == [None]


def test_the_catalog_needs_no_formatting(real):
    assert [change for rewrite in formatting.plan(real) for change in rewrite.changes] == []


PIECES = ("It has 2 KV heads. ", "A head is 64 wide. ", "2 of 4 layers are full. ")
PIECES += ("\n  ", "\n\n  ", "é ", "{{ kv_heads }} ", "`2 KV heads` ", "- ", "# 4 ")


@settings(max_examples=25)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join))
def test_only_figures_change_in_any_notes(tmp_path_factory, text):
    catalog = tmp_path_factory.mktemp("any") / "catalog"
    (catalog / TINY).parent.mkdir(parents=True)
    (catalog / "vocabulary.yaml").write_text(text_of("vocabulary.yaml"), "utf-8")
    write(catalog, "|\n  " + text + ".\n")
    products = load(catalog)
    assert formatting.apply(list(formatting.plan(products)))
    again = load(catalog)
    assert list(formatting.plan(again)) == []
    after = (catalog / TINY).read_text("utf-8")
    for figure, name in (("2", "kv_heads"), ("64", "head_dim"), ("2", "layers.full"), ("4", "layers.total")):
        after = after.replace("It has {{ kv_heads }} KV", "It has 2 KV") if name == "kv_heads" else after.replace(f"{{{{ {name} }}}}", figure)
    assert after == HEAD + "notes: |\n  " + text + ".\n"
