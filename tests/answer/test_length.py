"""The hop of the length: one beyond what the model's config allows, and what engines' code does with it."""

from __future__ import annotations

import pytest

from catalogs import changed, snapshot

BEYOND = "support/enga/enga-1-1-0-limits.yaml"
REFUSES = "about: {feature: beyond-context}, holds: unsupported, lacks: It is refused."
TAKES = "about: {feature: beyond-context}, holds: partial, lacks: It is taken with a warning."
ALLOWED = "about: {feature: beyond-context}, when: {setting.careful: true}, holds: partial, lacks: It is taken then."


@pytest.mark.parametrize(
    ("claims", "options", "verdict", "finding"),
    [
        ((REFUSES,), {"length": 4096}, "yes", None),
        ((REFUSES,), {}, "yes", None),
        ((REFUSES,), {"length": 4097}, "no", "4,097 tokens are asked for, and the model's config allows 4,096: It is refused."),
        ((REFUSES, ALLOWED), {"length": 4097}, "no", "4,097 tokens are asked for, and the model's config allows 4,096: It is refused."),
        ((REFUSES, ALLOWED), {"length": 4097, "settings": ["setting.careful=true"]}, "only-with",
         "4,097 tokens are asked for, and the model's config allows 4,096: It is taken then."),
        ((TAKES,), {"length": 9999}, "only-with", "9,999 tokens are asked for, and the model's config allows 4,096: It is taken with a warning."),
        ((), {"length": 9999}, "only-with",
         "9,999 tokens are asked for, and the model's config allows 4,096; no engine source read that says what EngA does beyond it"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_length_beyond_the_model_s(ask, claims, options, verdict, finding):
    found = ask({BEYOND: snapshot(*claims)} if claims else {}, **options)
    hop = found.hop("context")
    assert (found.reply.verdict, hop and hop.finding) == (verdict, finding)
    assert found.found.provided == (("max_model_len <= 4096",) if verdict == "only-with" else ())


@pytest.mark.parametrize(
    ("scaling", "length", "state"),
    [
        ("{rope_type: yarn, factor: 4, original_max_position_embeddings: 1024}", 4097, "fails"),
        ("{rope_type: yarn, factor: 4, original_max_position_embeddings: 4096}", 16384, "gap"),
        ("{rope_type: yarn, factor: 4, original_max_position_embeddings: 4096}", 16385, "fails"),
        ("{rope_type: dynamic, factor: 2.0}", 8192, "gap"),
        ("{rope_type: dynamic, factor: 2.0}", 8193, "fails"),
        ("{rope_type: llama3, factor: 8, original_max_position_embeddings: 512}", 4097, "fails"),
    ],
)
def test_rope_scaling_is_in_the_length_or_is_counted_in_once_more(ask, scaling, length, state):
    """Where the config can be read both ways, a length between the two is left open."""
    stated = "    max_position_embeddings: 4096"
    change = changed("models/acme/plain-model.yaml", (stated, f"{stated}\n    rope_scaling: {scaling}"))
    hop = ask({BEYOND: snapshot(REFUSES), **change}, length=length).hop("context")
    assert (hop.state, "scaling" in hop.finding) == (state, True)


def test_engines_as_their_code_has_it(ask_real):
    """vLLM 0.33.0 vllm/config/model.py L2657-L2683 and SGLang 0.5.23 configs/model_config.py L1296-L1316 raise an error, unless a variable is set.

    llama.cpp 0c1e57098 warns (src/llama-context.cpp L327) and serves no slot beyond the training (tools/server/server-context.cpp L4015).
    """
    for engine, variable in (("vllm@0.33.0", "vllm_allow_long_max_model_len"), ("sglang@0.5.23", "sglang_allow_overwrite_longer_context_len")):
        assert ask_real("qwen3-8b", engine, length=40960).hop("context") is None
        assert ask_real("qwen3-8b", engine, length=40961).reply.verdict == "no"
        assert ask_real("qwen3-8b", engine, length=40961, settings=[f"setting.{variable}=true"]).hop("context").state == "gap"
    assert ask_real("qwen3-8b", "llama.cpp@0c1e57098", length=40961).hop("context").state == "gap"
    assert ask_real("qwen3-8b", "llama.cpp@0c1e57098", length=40961, settings=["setting.rope_scaling=yarn"]).hop("context").state == "holds"


def test_a_model_without_a_limit_has_no_hop(ask_real):
    assert ask_real("mamba-2.8b", "vllm@0.33.0", length=99_999_999).hop("context") is None
