"""The real catalog: free of errors, its promised ids work, its cache figures are those worked out by hand, and docs/13 is up to date."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from catalogs import ROOT
from infercompat import pipeline, rules
from infercompat.derive import Derived
from infercompat.diagnostic import ERROR
from infercompat.join import BLOCKING, phrases
from infercompat.join.claims import NEGATIVE, POSITIVE, UNDECIDED
from infercompat.join.gates import PROVEN
from infercompat.measure import computed
from infercompat.products import Products
from infercompat.render.docs13 import PATH
from infercompat.showing import find
from infercompat.versions import SCHEMES, compare, parse_version


@pytest.fixture(scope="module")
def diagnostics(real):
    return rules.check(real)


def test_validation_finds_no_error(diagnostics):
    assert [f"{found.span} {found.rule} {found.message}" for found in diagnostics if found.severity == ERROR] == []


def test_the_command_says_so_too(run, real, monkeypatch):
    """On the clock's day, and on the catalog that is loaded already."""
    monkeypatch.setattr(pipeline, "load", lambda folder, today: Products(folder, real.files, real.catalog, list(real.diagnostics), today))
    result = run("validate", catalog=ROOT / "catalog")
    assert (result.exit_code, result.stderr) == (0, "")


def test_docs13_is_not_stale(real_docs13):
    """`make docs` writes it anew."""
    assert (ROOT / PATH).read_text("utf-8") == real_docs13


ALIASES = {
    "mdl2-vllm-supported-models-2026-10": "support",
    "mdl2-sglang-generative-models": "support",
    "mdl2-llamacpp-arch-class-registry": "support",
    "mdl2-trtllm-supported-models": "support",
    "mdl2-mlxlm-pr1584-rotating-quantized-kv": "citation",
    "gotcha-flashinfer-bf16q-fp8kv-spec-decode-corrupts-swa": "gotcha",
    "flashinfer-rejects-large-head-dim": "gotcha",
    "fa4-num-splits-ignored-sm90": "gotcha",
    "eagle-prefix-cache-last-block-drop": "gotcha",
    "mlx-kv-bits-crashes-on-first-request-for-hybrid-attention": "gotcha",
    "flop/sliding-window-hybrid-attention": "requirement",
    "kv-efficiency/gemma3n-e2b-shared-kv-swa-32k": "measurement",
    "model-fr-google-gemma-3n-doc": "citation",
}


@pytest.mark.parametrize("alias", ALIASES)
def test_promised_ids_lead_to_live_records(real, alias):
    found = find(real, alias)
    assert found is not None
    assert (found.kind, found.live) == (ALIASES[alias], True)


class Cache(NamedTuple):
    """Layers by kind; bytes a token with nothing windowed or shared, and past all windows; bytes at 8,192, 32,768 and 131,072 tokens."""

    layers: dict[str, int]
    naive: int
    growing: int
    at: tuple[int, int, int]


# All in bf16. K and V of one layer take 2 * KV heads * head width * 2 bytes a token.
CACHES = {
    # 26 layers of 4 * 256, window 4,096
    "gemma-2-2b": Cache({"sliding": 13, "full": 13}, 106_496, 53_248, (654_311_424, 1_962_934_272, 7_197_425_664)),
    # 34 layers of 4 * 256, window 1,024: 29 * 4,096 * 1,024 + 5 * 4,096 * n
    "gemma-3-4b": Cache({"sliding": 29, "full": 5}, 139_264, 20_480, (289_406_976, 792_723_456, 2_805_989_376)),
    # 62 layers of 16 * 128, window 1,024
    "gemma-3-27b": Cache({"sliding": 52, "full": 10}, 507_904, 81_920, (1_107_296_256, 3_120_562_176, 11_173_625_856)),
    # 30 layers of 2 * 256, window 512, of which the last 10 share
    "gemma-3n-e2b": Cache({"sliding": 16, "full": 4, "shared": 10}, 61_440, 8_192, (83_886_080, 285_212_672, 1_090_519_040)),
    # 25 layers of 8 * 256, window 1,024, and 5 of 2 * 512: 25 * 8,192 * 1,024 + 5 * 4,096 * n
    "gemma-4-26b-a4b": Cache({"sliding": 25, "full": 5}, 225_280, 20_480, (377_487_360, 880_803_840, 2_894_069_760)),
    # 50 layers of 16 * 256, window 1,024, and 10 of 4 * 512
    "gemma-4-31b": Cache({"sliding": 50, "full": 10}, 901_120, 81_920, (1_509_949_440, 3_523_215_360, 11_576_279_040)),
    # 24 layers of 8 * 64, window 128: 12 * 2,048 * 128 + 12 * 2,048 * n
    "gpt-oss-20b": Cache({"sliding": 12, "full": 12}, 49_152, 24_576, (204_472_320, 808_452_096, 3_224_371_200)),
    # 36 layers of 8 * 64, window 128
    "gpt-oss-120b": Cache({"sliding": 18, "full": 18}, 73_728, 36_864, (306_708_480, 1_212_678_144, 4_836_556_800)),
    # 32 layers of 8 * 128
    "llama-3.1-8b": Cache({"full": 32}, 131_072, 131_072, (1_073_741_824, 4_294_967_296, 17_179_869_184)),
    # 32 layers of 8 * 128, window 4,096
    "mistral-7b-v0.1": Cache({"sliding": 32}, 131_072, 0, (536_870_912, 536_870_912, 536_870_912)),
    # 32 layers of 8 * 128, no window
    "mistral-7b-v0.3": Cache({"full": 32}, 131_072, 131_072, (1_073_741_824, 4_294_967_296, 17_179_869_184)),
    # 32 layers of 32 * 96, window 2,047: 32 * 12,288 * 2,047
    "phi-3-mini-4k": Cache({"sliding": 32}, 393_216, 0, (804_913_152, 804_913_152, 804_913_152)),
}


@pytest.mark.parametrize("id", CACHES)
def test_cache_figures(real, id):
    derived = real.derived[id]
    assert isinstance(derived, Derived)
    cost = derived.cost()
    counts = {kind: count for kind, count in derived.counts().items() if count}
    assert counts == CACHES[id].layers
    assert (cost.naive.bytes_per_token, cost.ideal.growing_bytes_per_token) == (CACHES[id].naive, CACHES[id].growing)
    assert tuple(cost.ideal_bytes(tokens) for tokens in (8192, 32768, 131072)) == CACHES[id].at
    assert cost.naive_bytes(8192) == CACHES[id].naive * 8192


def test_the_measurement_of_the_notes(real):
    """4 full layers of 2,048 bytes a token, and 16 sliding ones whose 512 tokens are spread over 32,768: 8,192 + 512 bytes a token."""
    record = real.catalog.follow("kv-efficiency/gemma3n-e2b-shared-kv-swa-32k")
    assert (record.data["metric"], record.data["conditions"]["context"]) == ("cache.ideal.bytes_per_token", 32768)
    assert computed(real, record).value == 8704


def newer_than_the_first(engine: dict) -> list[str]:
    """Releases above the first one, which is the one that answers speak of when nobody names a version."""
    first, *others = (parse_version(engine["scheme"], release["version"], release["date"]) for release in engine["releases"])
    return [other.text for other in others if compare(first, other) == "less"]


def test_the_first_release_is_the_newest(real):
    engines = real.catalog.of_kind("engine")
    assert len(engines) >= 6
    assert {engine.id: found for engine in engines if (found := newer_than_the_first(engine.data))} == {}


def test_releases_out_of_order_would_be_found():
    releases = [{"version": version, "date": "2026-01-01"} for version in ("1.0.0", "1.1.0", "1.2.0rc1")]
    assert newer_than_the_first({"scheme": "pep440", "releases": releases}) == ["1.1.0", "1.2.0rc1"]
    assert newer_than_the_first({"scheme": "pep440", "releases": releases[::-1]}) == []


def test_the_program_knows_the_vocabulary_s_words(real):
    """Words that code branches on: one that is only in the vocabulary would be read and mean nothing, or stop the program."""
    words = real.catalog.words
    assert set(words("claim-status")) == POSITIVE | NEGATIVE | UNDECIDED
    assert set(words("version-scheme")) == set(SCHEMES)
    assert set(words("basis")) == set(phrases.BASIS) == set(real.catalog.vocabulary["basis-confidence"])
    assert set(words("symptom")) > BLOCKING
    assert set(words("strength")) > PROVEN
    assert set(words("citation-type")) == set(real.catalog.vocabulary["source-rank"])
    assert set(words("citation-type")) | {"unopened"} == set(real.catalog.vocabulary["source-confidence"])


def test_the_tiny_catalog_has_the_real_one_s_words(tiny, real):
    """A word that the tests' catalog lacks would fail there for a reason that no test is about."""
    for name, words in tiny.catalog.vocabulary["words"].items():
        if name != "family":
            assert set(words) == set(real.catalog.words(name)), name


@pytest.mark.parametrize(
    ("kind", "least"),
    [("model", 12), ("engine", 6), ("support", 20), ("requirement", 12), ("gotcha", 100), ("hardware", 5), ("measurement", 1), ("citation", 500)],
)
def test_the_catalog_holds_what_it_did(real, kind, least):
    assert len(real.catalog.of_kind(kind)) >= least
