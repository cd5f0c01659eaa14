"""Parts of the search index: cut between words until they are small, every word and every range kept."""

from __future__ import annotations

import gzip
import random

import cbor2
import pytest

from infercompat.search_parts import cut


def write(path, data) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(b"pagefind_dcd" + cbor2.dumps(data)))


def read(path):
    return cbor2.loads(gzip.decompress(path.read_bytes())[12:])


@pytest.fixture
def index(tmp_path):
    """Two parts: 200 words with places that do not compress, and three words of a few bytes."""
    numbers = random.Random(1)
    large = [[f"word{n:03}", [[page, [numbers.randrange(2000) for _ in range(30)], []] for page in range(4)], []] for n in range(200)]
    small = [["zeta", [[1, [2], []]], []], ["zeus", [[1, [3], []]], []], ["zinc", [[2, [4], []]], []]]
    write(tmp_path / "index" / "en_large.pf_index", [large])
    write(tmp_path / "index" / "en_small.pf_index", [small])
    write(tmp_path / "pagefind.en_1.pf_meta", ["1.5.2", [["en_page", 3]], [["word000", "word199", "en_large"], ["zeta", "zinc", "en_small"]], [], [], [[], []]])
    return tmp_path, large, small


def test_large_parts_are_cut_and_no_word_is_lost(index):
    folder, large, small = index
    count = cut(folder, most=10_000)
    meta = read(folder / "pagefind.en_1.pf_meta")
    parts = [(first, last, read(folder / "index" / f"{name}.pf_index")[0]) for first, last, name in meta[2]]
    assert count == len(parts) == len(list((folder / "index").iterdir())) > 2
    assert [word for _, _, words in parts for word in words] == large + small
    assert all((words[0][0], words[-1][0]) == (first, last) for first, last, words in parts)
    assert max(path.stat().st_size for path in (folder / "index").iterdir()) <= 10_000
    assert (meta[0], meta[1], meta[3:]) == ("1.5.2", [["en_page", 3]], [[], [], [[], []]])


def test_parts_that_are_small_enough_stay_as_they_are(index):
    folder, *_ = index
    before = {path.name: path.read_bytes() for path in (folder / "index").iterdir()}
    assert cut(folder, most=1_000_000) == 2
    assert {path.name: path.read_bytes() for path in (folder / "index").iterdir()} == before


def test_a_word_stays_whole(index):
    folder, large, small = index
    assert cut(folder, most=1) == len(large) + len(small)


def test_the_same_index_gives_the_same_files(index):
    folder, *_ = index
    cut(folder, most=10_000)
    first = {path.name: path.read_bytes() for path in (folder / "index").iterdir()}
    cut(folder, most=10_000)
    assert {path.name: path.read_bytes() for path in (folder / "index").iterdir()} == first


@pytest.mark.parametrize(
    "content", [b"", b"no gzip", gzip.compress(b"another mark"), gzip.compress(b"pagefind_dcd\xff")], ids=["empty", "no gzip", "mark", "body"]
)
def test_an_index_of_another_form_is_told(index, content):
    folder, *_ = index
    (folder / "pagefind.en_1.pf_meta").write_bytes(content)
    with pytest.raises(ValueError, match=r"pagefind\.en_1\.pf_meta is no index of Pagefind"):
        cut(folder)


def test_no_index_is_told(tmp_path):
    with pytest.raises(ValueError, match="has no index"):
        cut(tmp_path)
