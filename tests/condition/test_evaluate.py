"""Deciding conditions: the sketch of the design on several stacks, workload, absence, layers, and laws that have to hold."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infercompat.condition import ALWAYS, AllOf, AnyOf, KnownFacts, Not, Range, applies, evaluate, parse, value_of
from infercompat.condition.values import MISSING


def read(data):
    condition, faults = parse(data)
    assert faults == []
    return condition


def ask(data, values=None, requirements=None, layers=None, always=False):
    return evaluate(read(data), KnownFacts(values or {}, requirements, layers), always)


# Gemma 4 31B on B200: wrong tokens past the window, with an fp8 cache, queries left in bf16, and seven drafted tokens.
WHEN = read(
    {
        "all": [
            {"requires": "sliding-window"},
            {"cache.k.dtype": ["fp8_e4m3"]},
            {"setting.disable_flashinfer_q_quantization": True},
            {"speculation.query_length": 8},
            {"relation": "sequence_length > model.window"},
        ]
    }
)
CLEAN = read({"any": [{"speculation.query_length": [1, 2, 4]}]})
STACK = {
    "cache.k.dtype": "fp8_e4m3",
    "setting.disable_flashinfer_q_quantization": True,
    "speculation.method": "mtp",
    "speculation.query_length": 8,
    "sequence_length": Range(1, 32768),
    "model.window": 1024,
}


def gemma(requirements=("sliding-window",), without=(), **changes):
    values = {**STACK, **{name.replace("__", "."): value for name, value in changes.items()}}
    return KnownFacts({name: value for name, value in values.items() if name not in without}, requirements)


def outcome(facts, when=WHEN, clean=CLEAN):
    truth = applies(when, clean, facts)
    return truth.value, [(reason.text, reason.kind) for reason in truth.because if reason.kind != "true" or not truth.yes]


def test_the_sketch_hits():
    truth = applies(WHEN, CLEAN, gemma())
    assert truth.yes
    assert [reason.fact for reason in truth.because] == [
        "model.architecture", "cache.k.dtype", "setting.disable_flashinfer_q_quantization", "speculation.query_length", "sequence_length",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "text"),
    [
        (gemma(setting__disable_flashinfer_q_quantization=False), "setting.disable_flashinfer_q_quantization is true"),
        (gemma(cache__k__dtype="bf16"), "cache.k.dtype is fp8_e4m3"),
        (gemma(requirements=()), "the model requires sliding-window"),
        (gemma(sequence_length=Range(1, 1024)), "sequence_length > model.window"),
        (gemma(model__window=None), "sequence_length > model.window"),
    ],
)
def test_the_sketch_is_clear_by_one_leaf(facts, text):
    assert outcome(facts) == (False, [(text, "false")])


def test_the_sketch_is_clean_where_it_was_tested_clean():
    for facts in (gemma(speculation__query_length=4), gemma(without=("speculation.method", "speculation.query_length"))):
        truth = applies(WHEN, CLEAN, facts)
        assert truth.no
        assert truth.because[0].text == "speculation.query_length is 1 or 2 or 4"


def test_the_sketch_is_maybe_at_a_length_that_nobody_tried():
    assert outcome(gemma(speculation__query_length=3)) == (None, [("speculation.query_length is 8", "untested")])
    assert outcome(gemma(speculation__query_length=3), clean=None) == (False, [("speculation.query_length is 8", "false")])
    # Another leaf that is false decides on its own.
    assert outcome(gemma(speculation__query_length=3, cache__k__dtype="bf16")) == (False, [("cache.k.dtype is fp8_e4m3", "false")])


def test_the_sketch_names_what_is_missing():
    assert applies(WHEN, CLEAN, gemma(without=("speculation.query_length",))).missing == ("speculation.query_length",)
    assert applies(WHEN, CLEAN, gemma(without=("model.window", "sequence_length"))).missing == ("sequence_length", "model.window")
    assert applies(WHEN, CLEAN, KnownFacts({**STACK})).missing == ("model.architecture",)
    assert applies(WHEN, CLEAN, gemma(without=("setting.disable_flashinfer_q_quantization", "cache.k.dtype"))).missing == (
        "cache.k.dtype",
        "setting.disable_flashinfer_q_quantization",
    )


def test_what_was_tested_clean_is_an_exception_to_what_was_seen():
    when, clean = read({"cache.dtype": ["fp8_e4m3", "fp8_e5m2"]}), read({"all": [{"cache.dtype": "fp8_e5m2"}, {"prefix_caching": False}]})
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8_e4m3"})).yes
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8_e5m2", "prefix_caching": True})).yes
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8_e5m2", "prefix_caching": False})).no
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8_e5m2"})).missing == ("prefix_caching",)
    assert applies(when, clean, KnownFacts({"prefix_caching": False})).missing == ("cache.dtype",)


def test_another_model_is_not_an_untested_value():
    when, clean = read({"model.architecture": "Gemma3ForCausalLM"}), read({"model.architecture": "Gemma4ForCausalLM"})
    assert applies(when, clean, KnownFacts({"model.architecture": "LlamaForCausalLM"})).no


def test_no_condition_and_no_readable_one():
    assert evaluate(ALWAYS, KnownFacts()).yes
    assert evaluate(None, KnownFacts()).maybe
    assert applies(ALWAYS, None, KnownFacts()).yes
    assert applies(None, CLEAN, gemma(speculation__query_length=8)).maybe


@pytest.mark.parametrize(
    ("data", "values", "expected"),
    [
        # Absence: optional features are off, everything else is not known.
        ({"speculation.method": "none"}, {}, True),
        ({"speculation.tokens": {"min": 1}}, {}, False),
        ({"speculation.tokens": {"min": 1}}, {"speculation.method": "mtp"}, None),
        ({"speculation.tokens": {"min": 1}}, {"speculation.method": "none"}, False),
        ({"lora": True}, {}, False),
        ({"kv_connector": "NixlConnector"}, {}, False),
        ({"prefix_caching": True}, {}, None),
        ({"setting.swa_compress": True}, {}, None),
        # A value that is none of the fact's type tells nothing.
        ({"block_size": 16}, {"block_size": "auto"}, None),
        ({"setting.kv_bits": {"min": 4}}, {"setting.kv_bits": "auto"}, None),
        ({"setting.kv_bits": 4}, {"setting.kv_bits": "auto"}, False),
        # None is a value: there is none.
        ({"model.window": {"min": 1}}, {"model.window": None}, False),
        ({"not": {"model.window": {"min": 1}}}, {"model.window": None}, True),
        ({"relation": "sequence_length <= model.window"}, {"model.window": None}, False),
        ({"not": {"relation": "sequence_length > model.window"}}, {"model.window": None}, True),
        # Scopes and stages fall back to the plain name, never the other way.
        ({"draft.cache.k.dtype": "bf16"}, {"cache.k.dtype": "bf16"}, True),
        ({"draft.cache.k.dtype": "bf16"}, {"cache.k.dtype": "bf16", "draft.cache.k.dtype": "fp8"}, False),
        ({"cache.k.dtype": "bf16"}, {"draft.cache.k.dtype": "bf16"}, None),
        ({"attention.backend.requested": "FLASHINFER"}, {"attention.backend": "FLASHINFER"}, True),
        ({"relation": "prefill.tensor_parallel != decode.tensor_parallel"}, {"tensor_parallel": 4}, False),
        ({"relation": "prefill.tensor_parallel != decode.tensor_parallel"}, {"tensor_parallel": 4, "decode.tensor_parallel": 8}, True),
        # Arithmetic over facts.
        ({"relation": "tensor_parallel > model.kv_heads"}, {"tensor_parallel": 8, "model.kv_heads": 4}, True),
        ({"relation": "tensor_parallel > model.kv_heads"}, {"tensor_parallel": 8, "model.kv_heads": (4, 16)}, True),
        ({"relation": "max_num_seqs > num_blocks"}, {"max_num_seqs": 256, "num_blocks": 200}, True),
        ({"relation": "cache.k.dtype != cache.v.dtype"}, {"cache.k.dtype": "q8_0", "cache.v.dtype": "q4_0"}, True),
        ({"relation": "setting.rows * 2 > 3"}, {"setting.rows": "auto"}, None),
        # Versions.
        ({"cuda.version": {"below": "12.9"}}, {"cuda.version": "12.10"}, False),
        ({"cuda.version": "12.8"}, {"cuda.version": "12.8.0"}, True),
        # Several values at once.
        ({"model.head_dim": 512}, {"model.head_dim": (256, 512)}, True),
        ({"not": {"model.head_dim": 512}}, {"model.head_dim": (256, 512)}, False),
    ],
)
def test_leaves(data, values, expected):
    assert ask(data, values).value is expected


@pytest.mark.parametrize(
    ("data", "values", "can", "must"),
    [
        ({"sequence_length": {"above": 1024}}, {"sequence_length": Range(1, 8192)}, True, False),
        ({"sequence_length": {"above": 1024}}, {"sequence_length": Range(1, 1024)}, False, False),
        ({"sequence_length": {"max": 1024}}, {"sequence_length": Range(1, 1024)}, True, True),
        ({"not": {"sequence_length": {"max": 1024}}}, {"sequence_length": Range(1, 8192)}, True, False),
        ({"not": {"sequence_length": {"max": 1024}}}, {"sequence_length": Range(1, 512)}, False, False),
        ({"not": {"not": {"sequence_length": {"max": 1024}}}}, {"sequence_length": Range(1, 8192)}, True, False),
        ({"relation": "sequence_length > model.window"}, {"sequence_length": Range(1, 8192), "model.window": 1024}, True, False),
        ({"phase": "decode"}, {}, True, False),
        ({"phase": "decode"}, {"phase": "decode"}, True, True),
        ({"prompt.image": True}, {}, True, False),
        ({"prompt.image": True}, {"prompt.image": False}, False, False),
        ({"requests_served": {"min": 100}}, {}, True, False),
        ({"batch_size": {"min": 2}}, {"batch_size": Range(1, 1)}, False, False),
        # Nothing asked is everything that the server or the model allows.
        ({"sequence_length": {"above": 1024}}, {"model.context": 8192}, True, False),
        ({"sequence_length": {"above": 1024}}, {"model.context": 8192, "max_model_len": 1024}, False, False),
        ({"batch_size": {"min": 2}}, {}, True, False),
        ({"batch_size": {"min": 2}}, {"max_num_seqs": 1}, False, False),
        ({"sequence_length": {"above": 1024}}, {}, None, None),
    ],
)
def test_workload_is_asked_whether_it_can_happen(data, values, can, must):
    assert ask(data, values).value is can
    assert ask(data, values, always=True).value is must


def test_a_clean_workload_has_to_hold_for_all_that_is_asked():
    when, clean = read({"cache.dtype": "fp8"}), read({"sequence_length": {"max": 1024}})
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8", "sequence_length": Range(1, 1024)})).no
    assert applies(when, clean, KnownFacts({"cache.dtype": "fp8", "sequence_length": Range(1, 8192)})).yes
    assert applies(when, clean, KnownFacts({"sequence_length": Range(1, 8192)})).maybe


LAYERS = [
    SimpleNamespace(kind="sliding", head_dim=256, window=1024, kv_heads=16, k_width=256, v_width=256),
    SimpleNamespace(kind="full", head_dim=512, window=None, kv_heads=4, k_width=512, v_width=512),
]


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        ({"kind": "sliding", "head_dim": 256}, True),
        ({"kind": "sliding", "head_dim": 512}, False),  # never from two layers
        ({"kind": ["full", "latent"], "head_dim": {"above": 256}}, True),
        ({"kind": "full", "window": {"min": 1}}, False),
    ],
)
def test_one_and_the_same_layer(layer, expected):
    assert ask({"layer": layer}, layers=LAYERS).value is expected
    assert ask({"layer": layer}).missing == ("model.layers",)


def test_open_settings_are_undecided():
    facts = KnownFacts({"cache.dtype": "bf16"}, open_settings=True)
    assert evaluate(read({"speculation.method": "mtp"}), facts).missing == ("speculation.method",)
    assert value_of("speculation.tokens", facts) is MISSING
    assert value_of("batch_size", facts) == Range(1, float("inf"))


# Facts without a meaning of their absence; the domain of each keeps both outcomes of a test likely.
DOMAINS = {
    "cache.dtype": ("bf16", "fp8"),
    "prefix_caching": (True, False),
    "tensor_parallel": (1, 2, 4),
    "block_size": (1, 2, 4),
    "model.window": (None, 2),
    "setting.x": (1, True, "auto"),
    "sequence_length": (Range(1, 1), Range(1, 4), Range(3, 4)),
}
TESTS = st.one_of(
    *(
        st.lists(st.sampled_from([v for v in values if v is not None]), min_size=1, max_size=2, unique_by=repr).map(
            lambda wanted, name=name: {name: wanted},
        )
        for name, values in DOMAINS.items()
        if name != "sequence_length"
    ),
    st.sampled_from(
        [
            {"tensor_parallel": {"min": 2}},
            {"sequence_length": {"above": 2}},
            {"sequence_length": [1, 2]},
            {"setting.x": {"max": 1}},
            {"relation": "tensor_parallel > block_size"},
            {"relation": "sequence_length > model.window"},
            {"relation": "block_size / tensor_parallel % 2 != 0"},
            {"requires": "mla"},
            {"layer": {"kind": "full"}},
        ]
    ),
)
TREES = st.recursive(
    TESTS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=8,
).map(read)


@st.composite
def stacks(draw):
    values = {name: draw(st.sampled_from(domain)) for name, domain in DOMAINS.items()}
    return KnownFacts(values, draw(st.sampled_from([(), ("mla",)])), draw(st.sampled_from([[], LAYERS])))


@st.composite
def two_states_of_knowledge(draw):
    """A stack, and the same one with some of its facts not known."""
    whole = draw(stacks())
    known = {name: value for name, value in whole.values.items() if draw(st.booleans())}
    less = KnownFacts(known, whole.requirements if draw(st.booleans()) else None, whole.layer_list if draw(st.booleans()) else None)
    return less, whole


@given(TREES, two_states_of_knowledge(), st.booleans())
def test_double_negation(tree, states, always):
    for facts in states:
        assert evaluate(Not(Not(tree)), facts, always) == evaluate(tree, facts, always)


@given(st.lists(TREES, min_size=1, max_size=3), two_states_of_knowledge(), st.booleans())
def test_de_morgan(parts, states, always):
    each = tuple(Not(part) for part in parts)
    for facts in states:
        assert evaluate(Not(AllOf(tuple(parts))), facts, always).value is evaluate(AnyOf(each), facts, always).value
        assert evaluate(Not(AnyOf(tuple(parts))), facts, always).value is evaluate(AllOf(each), facts, always).value


@given(TREES, two_states_of_knowledge(), st.booleans())
def test_more_knowledge_never_turns_an_answer_round(tree, states, always):
    less, whole = states
    before = evaluate(tree, less, always)
    if not before.maybe:
        assert evaluate(tree, whole, always).value is before.value


@given(TREES, TREES, two_states_of_knowledge())
def test_more_knowledge_never_turns_a_hit_round(when, clean, states):
    less, whole = states
    before, after = applies(when, clean, less), applies(when, clean, whole)
    assert {before.value, after.value} != {True, False}


@given(TREES, stacks())
def test_what_always_holds_can_happen(tree, facts):
    if evaluate(tree, facts, always=True).yes:
        assert evaluate(tree, facts).yes


@given(TREES, two_states_of_knowledge())
def test_a_maybe_always_names_a_fact(tree, states):
    for facts in states:
        truth = evaluate(tree, facts)
        if truth.maybe:
            assert truth.missing


@pytest.mark.parametrize(
    ("relation", "values", "expected"),
    [
        # Whatever the number of heads is, one rank divides it; two may or may not.
        ("model.heads % tensor_parallel != 0", {"tensor_parallel": 1}, False),
        ("model.heads % tensor_parallel != 0", {"tensor_parallel": 2}, None),
        # There is one head at least, and one rank; a share is never above 1.
        ("model.heads < 1", {}, False),
        ("model.heads < 2", {}, None),
        ("tensor_parallel > model.heads", {"tensor_parallel": 1}, False),
        ("tensor_parallel >= model.heads", {"tensor_parallel": 1}, None),
        ("gpu_memory_utilization * 100 > 100", {}, False),
        # A window may be none, so that nothing is true of it by being a number.
        ("model.window >= 0", {}, None),
        ("setting.rows < 0", {}, None),
    ],
)
def test_what_arithmetic_decides_of_a_number_that_nobody_knows(relation, values, expected):
    for always in (False, True):
        assert ask({"relation": relation}, values, always=always).value is expected


def test_what_follows_from_a_named_model_is_never_asked_of_the_person():
    """Of a model that is named, its heads are not missing but untested; where no model is named they are what is missing."""
    data = {"relation": "model.heads % tensor_parallel != 0"}
    open_model, named = ask(data, {"tensor_parallel": 2}), ask(data, {"tensor_parallel": 2, "model.id": "whisper-large-v3"})
    assert (open_model.missing, open_model.untested) == (("model.heads",), False)
    assert (named.value, named.missing, named.untested) == (None, (), True)
    assert ask(data, {"model.id": "whisper-large-v3"}).missing == ("tensor_parallel",)
    assert ask({"model.window": 1024}, {"model.id": "x"}).missing == ()
