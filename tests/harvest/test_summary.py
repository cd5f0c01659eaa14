"""The summary of a drift run: no engine is dropped without a word, whatever its size."""

from __future__ import annotations

from infercompat.harvest.summary import PARTS, blocks, shares, shortened, summary

LONG = "".join(
    f"== {name}\n" + "".join(f"added    Class{number}ForCausalLM: native\n" for number in range(count)) for name, count in (("a", 900), ("b", 2), ("c", 700))
)


def test_little_is_kept_whole_and_what_is_left_is_shared():
    assert shares([10, 1000, 1000], 110) == [10, 50, 50]
    assert shares([1, 2], 100) == [1, 2]
    assert shares([], 100) == []


def test_every_engine_has_a_share_and_what_is_left_out_is_counted():
    told = shortened(LONG + "status 1\n", 8000).splitlines()
    assert [line for line in told if line.startswith("==")] == ["== a", "== b", "== c"]
    assert "status 1" in told and told[told.index("== b") + 2] == "added    Class1ForCausalLM: native"
    kept = {name: len(lines) for name, lines in blocks("\n".join(told[:-2])) if name}
    assert told[-1] == f"Left out here: {900 - kept['a']} lines of a, {700 - kept['c']} lines of c"


def test_a_long_line_alone_is_left_out_with_a_word():
    assert shortened("x" * 500, 100) == "Left out here: 1 lines"


def test_the_parts_that_were_run_are_in_it_and_it_fits(tmp_path):
    for part in PARTS[:-1]:
        (tmp_path / f"{part}.txt").write_text(LONG * 3, "utf-8")
    (tmp_path / "lines.txt").write_bytes(b"same \xff ``` lines\n")
    told = summary(tmp_path)
    assert len(told) < 65_536
    assert [line.removeprefix("## ") for line in told.splitlines() if line.startswith("## ")] == list(PARTS[:-1])
    assert "same  ''' lines" in told
