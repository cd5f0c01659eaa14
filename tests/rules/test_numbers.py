"""Numbers in prose: the false ones of the first notes are caught with the right value, and innocent sentences are left alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs import text_of
from infercompat import equations, rules
from infercompat.derive import Derived, derive
from infercompat.rules.numbers.remarks import Remark, remarks
from infercompat.rules.numbers.sentences import BLANK, blank, contexts_in, sentences
from infercompat.rules.numbers.subject import Subject, Surroundings

INNOCENT = (Path(__file__).parent / "innocent.txt").read_text("utf-8").splitlines()
TINY = "models/acme/tiny-model.yaml"


@pytest.fixture(scope="module")
def subjects(real) -> dict[str, Subject]:
    around = Surroundings(real.catalog)
    models = ((model, real.derived[model.id]) for model in real.catalog.of_kind("model"))
    return {model.id: Subject(model, derived, around) for model, derived in models if isinstance(derived, Derived)}


def told(subject: Subject, text: str) -> list[tuple[str, str]]:
    """What is written and what the record gives for it, for each remark."""
    found = sorted(remarks(subject, text), key=lambda remark: remark.start)
    return [(text[remark.start : remark.end], remark.placeholder or remark.truth) for remark in found]


# The statements of the first notes that are not so, in short sentences of our own with their numbers. What is right was worked out by
# hand from the layers: bytes a token are KV heads * head width * 2 (K and V) * 2 (bf16) for each layer that grows.
FALSE = [
    # 30 layers, 24 windowed and 6 full, the last 10 share: 16 windowed and 4 full keep 2,048 bytes a token each, the window is 512.
    # At 32,768: 2,048 * (4 * 32,768 + 16 * 512) = 285,212,672 bytes = 272 MiB, 8,704 a token, and 30 * 32,768 / 139,264 = 7.06.
    # At 8,192: 30 * 8,192 / (4 * 8,192 + 16 * 512) = 6.
    ("gemma-3n-e2b", "Naive over effective is 4.71x at 32,768 context.", "4.71", "cache.overpay.at.32768 is 7.06×"),
    ("gemma-3n-e2b", "It is an overpay of 4.0x at 8k.", "4.0", "cache.overpay.at.8192 is 6.00×"),
    ("gemma-3n-e2b", "At C = 32,768 that is 17,408 B/token.", "17,408", "cache.ideal.per_token_at.32768 is 8,704"),
    ("gemma-3n-e2b", "Against the naive cache that is 3.53x at 32,768 tokens.", "3.53", "cache.overpay.at.32768 is 7.06×"),
    ("gemma-3n-e2b", "The bf16 cache at 32K is 0.53 GiB.", "0.53", "cache.ideal.at.32768 is 272 MiB"),
    # 26 layers take turns, 13 windowed (4,096) and 13 full: 13 * 4,096 = 53,248 bytes a token grow.
    # At 8,192: 26 * 8,192 / (13 * 8,192 + 13 * 4,096) = 4/3. At 131,072: 26 * 4,096 * 131,072 = 13 GiB.
    ("gemma-2-2b", "A 5:1 local-to-global pattern over 26 layers.", "5", "the number of windowed layers for each full one is 1"),
    ("gemma-2-2b", "Every 6th layer is full.", "6", "the distance from one full layer to the next is 2"),
    ("gemma-2-2b", "There are 4 full layers.", "4", "layers.full is 13"),
    ("gemma-2-2b", "The window bounds 22 sliding layers.", "22", "layers.sliding is 13"),
    ("gemma-2-2b", "At its own 8k context that is only 1.73x.", "1.73", "cache.overpay.at.8192 is 1.33×"),
    ("gemma-2-2b", "The naive cache takes 12.7 GiB at 131,072 tokens.", "12.7", "cache.naive.at.131072 is 13 GiB"),
    # 32 layers, 32 KV heads of 96: 32 * 32 * 96 * 2 * 2.
    ("phi-3-mini-4k", "The cache takes 24576 bytes/token.", "24576", "cache.naive.bytes_per_token is 393,216"),
    # 34 layers, every sixth full: 5 full and 29 windowed (1,024). 34 * 128 / (5 * 128 + 29) = 6.51, 34 * 32 / (5 * 32 + 29) = 5.76,
    # 34 * 8 / (5 * 8 + 29) = 3.94. An image is pooled to 16 * 16 tokens.
    ("gemma-3-4b", "Only the 6 global-attention layers hold all of it.", "6", "layers.full is 5"),
    ("gemma-3-4b", "The 28 sliding layers hold a window each.", "28", "layers.sliding is 29"),
    ("gemma-3-4b", "The overpay is 5.47x at 131,072 context.", "5.47", "cache.overpay.at.131072 is 6.51×"),
    ("gemma-3-4b", "The overpay is 4.95x at 32k.", "4.95", "cache.overpay.at.32768 is 5.76×"),
    ("gemma-3-4b", "The overpay is 3.58x at 8k.", "3.58", "cache.overpay.at.8192 is 3.94×"),
    ("gemma-3-4b", "That is 4,096 tokens for one image.", "4,096", "image.tokens is 256"),
    ("gemma-3-4b", "It prefills 4,096 vision tokens.", "4,096", "image.tokens is 256"),
    # 62 layers, 10 full and 52 windowed, 16 KV heads of 128: 8,192 * (10 * 131,072 + 52 * 1,024) bytes = 10.41 GiB.
    ("gemma-3-27b", "Effective KV is about 80 MiB at 128k rather than all of it.", "80", "cache.ideal.at.131072 is 10.41 GiB"),
    ("gemma-3-27b", "It follows from head_dim 256.", "256", "head_dim is 128"),
    ("gemma-3-27b", "Two thirds are 41 global layers.", "41", "layers.full is 10"),
]


@pytest.mark.parametrize(("model", "sentence", "wrong", "truth"), FALSE)
def test_false_statements_are_caught_with_the_right_value(subjects, model, sentence, wrong, truth):
    ((written, given),) = told(subjects[model], sentence)
    assert written == wrong
    assert truth in given.split(", ")


FALSE_SUMS = [
    # 106,496 / 24,576 = 13 / 3; 256 / 320 = 4 / 5; 106,496 * 131,072 = 13 * 2^30; 61,440 / 8,704 = 120 / 17.
    ("That is 106,496 / 24,576 = 40x of the other.", "40x", "4.33x"),
    ("It is 256 / 320 = 4x the quotient.", "4x", "0.80x"),
    ("At 128k it is 106,496 * 131,072 = 12.7 GiB.", "12.7 GiB", "13 GiB"),
    ("At 32k it is 61,440 / 8,704 = 3.53x.", "3.53x", "7.06x"),
    ("It keeps 10/62 = 65% of the layers full.", "65%", "16.13%"),
]


@pytest.mark.parametrize(("sentence", "wrong", "truth"), FALSE_SUMS)
def test_false_sums_of_the_notes_are_caught(sentence, wrong, truth):
    (fault,) = (fault for equation in equations.find(blank(sentence)) for fault in equation.faults())
    assert (sentence[fault.start : fault.end], fault.truth) == (wrong, truth)


TYPED = [
    ("gemma-3-27b", "Every layer in full takes 496 KiB/token.", "496 KiB", "{{ cache.naive.bytes_per_token | bytes }}"),
    ("gemma-3-27b", "A token takes 507,904 bytes.", "507,904", "{{ cache.naive.bytes_per_token | thousands }}"),
    ("gemma-3-27b", "The naive cache at 128k is 62 GiB.", "62 GiB", "{{ cache.naive.at.131072 | bytes }}"),
    ("gemma-3-27b", "It pays 5.96x at 131,072 tokens.", "5.96x", "{{ cache.overpay.at.131072 | times }}"),
    ("gemma-3-27b", "The 52 windowed layers are bounded.", "52", "{{ layers.sliding }}"),
    ("gemma-3-27b", "A 1,024-token sliding window.", "1,024", "{{ window | thousands }}"),
    ("gemma-3-27b", "It has only 16 KV heads.", "16", "{{ kv_heads }}"),
    ("gemma-3-27b", "All 62 layers attend.", "62", "{{ layers.total }}"),
    ("gemma-3-27b", "An image becomes 256 tokens. Images become 256 tokens.", "256", "{{ image.tokens }}"),
    ("gemma-2-2b", "At the native 8,192 tokens it is half.", "8,192", "{{ context.native | thousands }}"),
    ("gemma-2-2b", "A head is 256 wide.", "256", "{{ head_dim }}"),
    ("gemma-2-2b", "Gemma 2 2B looks back 4,096 tokens.", "4,096", "{{ window | thousands }}"),
    ("gemma-3n-e2b", "It is 8,704 bytes a token at 32,768 tokens.", "8,704", "{{ cache.ideal.per_token_at.32768 | thousands }}"),
    ("llama-3.1-8b", "All 32 layers are full.", "32", "{{ layers.full }}"),
]


@pytest.mark.parametrize(("model", "sentence", "written", "placeholder"), TYPED)
def test_a_right_figure_that_is_typed_is_told_with_its_placeholder(subjects, model, sentence, written, placeholder):
    assert told(subjects[model], sentence)[-1] == (written, placeholder)


RIGHT = [
    # Right, and nothing shows it by a placeholder, or it is part of a sum, or only about right.
    ("gemma-3n-e2b", "6 of {{ layers.total }} layers are full, 24 sliding plus 6 full ones."),
    ("gemma-4-26b-a4b", "Full layers have 2 KV heads and head_dim 512, the others 8 KV heads and head_dim 256."),
    ("gemma-3-27b", "A 5:1 pattern of local and global layers, every sixth layer is full, every 6th layer is full."),
    ("gemma-3-27b", "It has 27B parameters, 27.43B parameters, 27,432,406,640 parameters in all."),
    ("gemma-3n-e2b", "It has 5.44B parameters, 1.91B active parameters."),
    ("gemma-3-27b", "The naive cache is about 60 GiB at 128k, below 70 GiB, not 50 GiB."),
    ("gemma-3-27b", "Naive is 62 * 16 * 128 * 2 * 2 = 507,904 bytes/token."),
    ("gemma-3-27b", "A product of 16 KV heads x head_dim 128 x 4."),
    ("mistral-7b-v0.3", "A window of 4,096 tokens does not stand here, since it has none."),
]


@pytest.mark.parametrize(("model", "sentence"), RIGHT)
def test_what_is_right_and_has_to_be_typed_is_left_alone(subjects, model, sentence):
    assert told(subjects[model], sentence) == []


def test_where_layers_are_of_many_kinds_no_part_of_the_cache_is_called_wrong(tiny):
    heads = {"num_attention_heads": 16, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128}
    derived = derive({"model_type": "deepseek_v3", "num_hidden_layers": 4, "hidden_size": 2048, "kv_lora_rank": 512, **heads})
    subject = Subject(tiny.catalog.records["tiny-model"], derived, Surroundings(tiny.catalog))
    assert told(subject, "It acts as 1 KV head, head_dim 576, with 1,024 bytes a token for the latent, 3 full layers.") == []
    assert told(subject, "It has 5 full layers, and all 5 layers attend.") == [("5", "layers.total is 4")]
    # 4 layers with a latent of 512 + 64 elements: 4 * 576 * 2 = 4,608.
    assert told(subject, "The cache takes 4,608 bytes a token.") == [("4,608", "{{ cache.ideal.growing_bytes_per_token | thousands }}")]


@pytest.mark.parametrize("sentence", INNOCENT)
def test_innocent_sentences_are_left_alone_in_every_model(subjects, sentence):
    assert [fault for equation in equations.find(blank(sentence)) for fault in equation.faults()] == []
    spoken = {id: found for id, subject in subjects.items() if f"[[{id}" not in sentence and (found := told(subject, sentence))}
    assert spoken == {}


def test_there_are_enough_of_them():
    assert len(set(INNOCENT)) >= 60


def test_the_catalog_is_clean_without_exceptions(real):
    assert [f"{span}: {message}" for rule in rules.numbers.RULES for span, message, *_ in rule.find(real)] == []
    assert "NUM" not in "".join(item["rule"] for item in real.exceptions.data["exceptions"])


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a `2 * 2 = 5` b", "a             b"),
        ("a `2 * 2\n= 5` b", "a             b"),
        ("a ``2 ` 5`` b", "a           b"),
        ("```\n2 * 2 = 5\n```\nb", "                 \nb"),
        ("a\n\n    2 * 2 = 5\nb", "a\n\n              b"),
        ("> 2 * 2 = 5\nb", "           \nb"),
        ("[[x|2 = 5]] [a](b=c) {{ x | y }}", "            [a               "),
        ('say "2 * 2 = 5" or “2 = 5” it’s', "say             or         it’s"),
        ("it's the engine's own '2 = 5' one", "it's the engine's own         one"),
        ("see https://example.com/?a=2*2=5 now", "see                              now"),
        ("`open and 5", "`open and 5"),
        ('5" wide\n\n6" high', '5" wide\n\n6" high'),
    ],
)
def test_what_is_not_the_prose_itself_is_blanked(text, kept):
    assert blank(text).replace(BLANK, " ").rstrip() == kept.rstrip()
    assert len(blank(text)) == len(text)


def test_sentences_and_contexts():
    text = "It is so. At 8k it\nis [[a]] so; 1.5 e.g. here.\n\n- One\n- Two"
    assert [sentence.text for sentence in sentences(text, text)] == ["It is so.", "At 8k it is [[a]] so; 1.5 e.g. here.", "One", "Two"]
    assert list(contexts_in("at 32,768 and 128k, 8,192 tokens, 512 tokens, a 4096-token prompt, C = 2,048")) == [32768, 131072, 8192, 4096, 2048]


def notes(value: str) -> dict[str, str]:
    return {TINY: text_of(TINY).partition("notes:")[0] + f"notes: {value}\n"}


@pytest.mark.parametrize(
    ("value", "code", "line", "column"),
    [
        ("|\n  Two lines here.\n  It has 8 KV heads.", "NUM002", 2, 10),
        ("|\n\n    It has\n    8 KV heads.", "NUM002", 3, 5),
        ("It has 8 KV heads.", "NUM002", 0, 15),
        ("'It has 8 KV heads.'", "NUM002", 0, 16),
        ('"It has \\u0038 KV heads and 8 KV heads."', "NUM002", 0, 36),
        ("|\n  Is 2 * 2\n  = 5 so?", "NUM001", 2, 5),
        ("Is 2 * 2 = 5 so?", "NUM001", 0, 19),
        ("'Is 2 * 2 = 5 so?'", "NUM001", 0, 20),
        ('"5 layers; is 2 * 2 = 5 so?"', "NUM001", 0, 30),
        ("|\n  The cache takes 2\n  KiB a token.", "NUM003", 1, 19),
    ],
)
def test_columns(make, value, code, line, column):
    products = make(notes(value))
    assert products.diagnostics == []
    found = [diagnostic for diagnostic in rules.check(products) if diagnostic.rule == code]
    first = text_of(TINY).partition("notes:")[0].count("\n") + 1
    assert (found[-1].span.line - first, found[-1].span.column) == (line, column)


def test_messages(make):
    products = make(notes("|\n  It has 8 KV heads, and 2 * 2 = 5.\n\n  A head is 64 wide."))
    found = [(diagnostic.rule, diagnostic.severity, diagnostic.message, diagnostic.help) for diagnostic in rules.check(products)]
    assert found == [
        ("NUM002", "error", "8 is not what this record gives", "Here kv_heads is 2."),
        ("NUM001", "error", "2 * 2 is not 5", "It is 4."),
        ("NUM003", "warning", "64 is typed, and it is derived", "Write {{ head_dim }}, or run: infercompat fmt"),
    ]


def test_equations_are_read_in_the_prose_of_every_kind(make):
    requirement = text_of("requirements/windowing.yaml").replace("Attends to the last tokens only.", "Holds 2 * 2 = 5 tokens.")
    gotcha = text_of("gotchas/enga/enga-wrong-past-window.yaml").replace("A script that anyone can run.", "All 3 * 3 = 8 runs fail.")
    gotcha += 'error_patterns: ["size 2 \\\\* 2 = 5", "2 * 2 = 5"]\n'
    offers = text_of("support/enga/enga-1-1-0-offers.yaml").replace("keeps every token", "keeps 2 + 2 = 5 of them")
    files = {
        "requirements/windowing.yaml": requirement,
        "gotchas/enga/enga-wrong-past-window.yaml": gotcha,
        "support/enga/enga-1-1-0-offers.yaml": offers,
    }
    found = [diagnostic for diagnostic in rules.check(make(files)) if diagnostic.rule == "NUM001"]
    assert sorted(diagnostic.help for diagnostic in found) == ["It is 4.", "It is 4.", "It is 9."]


def test_a_false_sum_is_told_once(subjects):
    assert told(subjects["gemma-3-27b"], "It is 62 * 16 * 128 * 2 * 2 = 507,905 bytes/token.") == []
    assert told(subjects["gemma-3-27b"], "It is 62 * 16 * 128 * 2 = 253,952 bytes/token.")[0][0] == "253,952"


def test_a_model_that_cannot_be_read_is_not_judged(make):
    text = text_of(TINY).replace("model_type: gemma2", "model_type: nobody-knows")
    text = text.replace("[TinyForCausalLM]", "[NobodyForCausalLM]").partition("notes:")[0] + "notes: It has 8 KV heads.\n"
    text = text.replace("architecture: TinyForCausalLM", "architecture: NobodyForCausalLM")
    assert [diagnostic for diagnostic in rules.check(make({TINY: text})) if diagnostic.rule.startswith("NUM")] == []


@pytest.mark.parametrize(
    "piece",
    ["“", "‘", "«", '"', "`", "``", "```", "[[", "{{", "(", "5:1 a-", "-", "at ", "4 layers of ", "8k ", "\n", "\n \n- ", "1,000", "1. ", "5.5x at "],
)
def test_no_text_takes_long(subjects, piece):
    begun = time.process_time()
    list(remarks(subjects["gemma-3-27b"], "5:1 " + piece * 20_000))
    assert time.process_time() - begun < 10


WORDS = st.sampled_from(
    ["62", "8,192", "128k", "5.96x", "496", "KiB", "80 MiB", "16", "KV heads", "layers", "full", "sliding", "of", "are", "at", "/", "token", "bytes",
     "window", "head_dim", "=", "256", "B/token", "every 6th layer is", "native context", "tokens", "overpay", "naive cache", "5:1", "pattern",
     "image", "27B parameters", "about", "not", "[[gemma-3-27b]]", "[[gemma-2-2b]]", "{{ window }}", "`", '"', "'", ".", ",", "\n", " - "]
)  # fmt: skip


@given(st.text(max_size=200) | st.lists(WORDS, max_size=40).map(" ".join) | st.lists(WORDS, max_size=40).map("".join))
def test_no_text_raises(subjects_of_three, text):
    for subject in subjects_of_three:
        for remark in remarks(subject, text):
            assert isinstance(remark, Remark)
            assert 0 <= remark.start < remark.end <= len(text)
            assert remark.placeholder or remark.truth or remark.figures


@pytest.fixture(scope="module")
def subjects_of_three(subjects) -> list[Subject]:
    return [subjects[id] for id in ("gemma-3-27b", "gemma-3n-e2b", "llama-3.1-8b")]
