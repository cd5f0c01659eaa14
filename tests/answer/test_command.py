"""The command line: flags as the engine takes them, JSON objects in one piece, and what has no flag said so."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogs import ENGINE, MODEL, RECIPE, RECIPE_TEXT, changed, copy_tiny, gotcha
from infercompat.answer.check import Assessor
from infercompat.answer.command import command

from .conftest import answered
from .stacks import BASE, MET, SERVE, SETTINGS, engine

SERVED = ["enga", "serve", "acme/plain"]


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ({}, []),
        ({"settings": ["lora=true"]}, ["--enable-lora"]),
        ({"settings": ["lora=false"]}, []),
        ({"settings": ["chunked_prefill=true"]}, ["--chunked-prefill"]),
        ({"settings": ["chunked_prefill=false"]}, ["--no-chunked-prefill"]),
        ({"settings": ["prefix_caching=false"]}, ["--disable-prefixes"]),
        ({"settings": ["prefix_caching=true"]}, []),
        ({"settings": ["setting.disable_fast=true"]}, ["--disable-fast"]),
        ({"settings": ["setting.disable_fast=false"]}, []),
        ({"settings": ["setting.careful=true"]}, ["--config.careful", "true"]),
        ({"settings": ["setting.careful=off"]}, ["--config.careful", "false"]),
        ({"settings": ["setting.mode=on"]}, ["--mode", "on"]),
        ({"settings": ["attention.backend=FAST"]}, ["--backend", "FAST"]),
        ({"settings": ["gpu_memory_utilization=0.9"]}, ["--share", "0.9"]),
        ({"cache_dtype": "bf16"}, ["--kv-dtype", "bfloat16"]),
        ({"cache_dtype": "bfloat16"}, ["--kv-dtype", "bfloat16"]),
        ({"cache_dtype": "fp8_e4m3"}, ["--kv-dtype", "fp8_e4m3"]),
        ({"length": 4096}, ["--max-len", "4096"]),
        ({"tp": 2}, ["--tp", "2"]),
        ({"gpus": 4}, ["--tp", "4"]),
        ({"gpus": 4, "settings": ["pipeline_parallel=2"]}, ["--pp", "2", "--tp", "2"]),
        ({"gpus": 4, "tp": 2}, ["--tp", "2"]),
        ({"settings": ["lora=true"], "required": ["chunked_prefill=false"]}, ["--enable-lora", "--no-chunked-prefill"]),
        ({"settings": ["speculation.method=ngram"]}, ["--spec", '{"method": "ngram"}']),
        (
            {"settings": ["speculation.tokens=5", "lora=true", "speculation.method=eagle"]},
            ["--enable-lora", "--spec", '{"num_tokens": 5, "method": "EAGLE"}'],
        ),
        ({"settings": ["weights.format=fp8", "task=embed", "os=linux", "sequence_length=100", "prompt.image=true", "libx.version=2.1"]}, []),
        ({"hardware": "card-base", "settings": ["platform=cuda"]}, []),
        ({"checkpoint": "me/my-tune"}, None),
    ],
)
def test_flags(ask, options, flags):
    found = ask(**options).data["command"]
    assert found["argv"] == (["enga", "serve", "me/my-tune"] if flags is None else [*SERVED, *flags])
    assert (found["without_flag"], found["environment"]) == ([], {})


@pytest.mark.parametrize(
    ("setting", "given", "flags"),
    [
        ({"lora": "flag: --lora, argument: ADAPTER, default: null"}, "lora=true", ["--lora", "ADAPTER"]),
        ({"lora": "flag: --lora, argument: ADAPTER, default: null"}, "lora=false", []),
        ({"disaggregation": "flag: --role, words: {none: Hybrid, decode: Decode}, default: none"}, "disaggregation=decode", ["--role", "Decode"]),
        ({"expert_parallel": "flag: --enable-ep, default: false"}, "expert_parallel=1", []),
        ({"speculation.method": "flag: --spec, values: [EAGLE3]"}, "speculation.method=eagle3", ["--spec", "EAGLE3"]),
    ],
)
def test_words_and_arguments_of_the_engine(ask, setting, given, flags):
    answer = ask({ENGINE: engine(setting, more=SERVE)}, settings=[given])
    assert answer.data["command"]["argv"] == [*SERVED, *flags]


NEEDS = """flag: --spec, json_key: method, default: null, needs: [
  {when: {not: {speculation.method: suffix}}, flag: --spec, json_key: num_tokens, argument: 1, why: It needs a number., cites: [{id: enga-cache}]},
  {when: {speculation.method: eagle}, flag: --draft, argument: DRAFT, why: It needs a draft., cites: [{id: enga-cache}]}]"""
NEEDING = {
    ENGINE: engine(
        {"speculation.method": NEEDS, "speculation.tokens": "flag: --spec, json_key: num_tokens, default: null", "setting.draft": "flag: --draft"}, more=SERVE
    )
}


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        (["speculation.method=suffix"], ["--spec", '{"method": "suffix"}']),
        (["speculation.method=ngram"], ["--spec", '{"method": "ngram", "num_tokens": 1}']),
        (["speculation.method=ngram", "speculation.tokens=5"], ["--spec", '{"method": "ngram", "num_tokens": 5}']),
        (["speculation.method=eagle"], ["--draft", "DRAFT", "--spec", '{"method": "eagle", "num_tokens": 1}']),
        (["speculation.method=eagle", "setting.draft=me/draft"], ["--draft", "me/draft", "--spec", '{"method": "eagle", "num_tokens": 1}']),
        (["speculation.method=none"], []),
        ([], []),
    ],
)
def test_what_a_setting_needs_beside_it(ask, settings, flags):
    assert ask(NEEDING, settings=settings).data["command"]["argv"] == [*SERVED, *flags]


def test_what_is_needed_says_why(ask):
    found = ask(NEEDING, settings=["speculation.method=eagle"]).data["command"]
    assert found["because"][1:] == ["--spec method: asked for", "--spec num_tokens: It needs a number.", "--draft: It needs a draft."]


@pytest.mark.parametrize(
    ("setting", "given", "flags", "without_flag"),
    [
        # left to the engine, off, or one rank: the command without a flag says the same
        ({"attention.backend": "flag: --backend, default: auto"}, "attention.backend=auto", [], []),
        ({"setting.dtype": "flag: --dtype, default: null"}, "setting.dtype=auto", [], []),
        ({"setting.fast": "flag: --fast, default: yes-please"}, "setting.fast=auto", ["--fast", "auto"], []),
        ({"disaggregation": 'flag: --role, default: none, words: {none: "null"}'}, "disaggregation=none", [], []),
        ({"tensor_parallel": "flag: --tp, default: 1"}, "tensor_parallel=1", [], []),
        ({"tensor_parallel": "flag: --shards"}, "tensor_parallel=1", ["--shards", "1"], []),
        # what the start of the command says already
        ({"setting.verb": "flag: serve"}, "setting.verb=acme/plain", [], []),
        ({"setting.verb": "flag: serve"}, "setting.verb=other", [], ["setting.verb = other"]),
        # a switch stands for one value, and a list of words for no other
        ({"cuda_graphs": "flag: --eager, switch: none, default: full"}, "cuda_graphs=none", ["--eager"], []),
        ({"cuda_graphs": "flag: --eager, switch: none, default: full"}, "cuda_graphs=full", [], []),
        ({"cuda_graphs": "flag: --eager, switch: none, default: full"}, "cuda_graphs=piecewise", [], ["cuda_graphs = piecewise"]),
        ({"cuda_graphs": 'flag: --graphs, words: {none: "0"}'}, "cuda_graphs=none", ["--graphs", "0"], []),
        ({"chunked_prefill": 'flag: --chunk, default: true, words: {"false": "-1"}'}, "chunked_prefill=false", ["--chunk", "-1"], []),
        ({"chunked_prefill": 'flag: --chunk, default: true, words: {"false": "-1"}'}, "chunked_prefill=true", [], []),
        # enga 1.1.0 is asked
        ({"setting.old": 'flag: --old, until: "1.1.0"'}, "setting.old=1", [], ["setting.old = 1"]),
        ({"setting.old": 'flag: --old, until: "1.2.0"'}, "setting.old=1", ["--old", "1"], []),
        ({"setting.new": 'flag: --new, since: "1.2.0"'}, "setting.new=1", [], ["setting.new = 1"]),
    ],
)
def test_what_is_not_written(ask, setting, given, flags, without_flag):
    found = ask({ENGINE: engine(setting, more=SERVE)}, settings=[given]).data["command"]
    assert (found["argv"], found["without_flag"]) == ([*SERVED, *flags], without_flag)


def test_ranks_that_follow_from_the_devices_say_so(ask):
    assert ask(gpus=4).data["command"]["because"][1:] == ["--tp: 4 devices share the model"]


def test_one_reason_for_each_flag(ask):
    found = ask(settings=["lora=true", "speculation.method=ngram", "speculation.tokens=5"], tp=2).data["command"]
    assert found["because"] == [
        "enga serve acme/plain: the engine's own way to serve acme/plain",
        "--enable-lora: asked for",
        "--spec method: asked for",
        "--spec num_tokens: asked for",
        "--tp: asked for",
    ]


@pytest.mark.parametrize(
    ("settings", "environment", "without_flag"),
    [
        (["setting.quiet=true"], {"ENGA_QUIET": "1"}, []),
        (["setting.quiet=false"], {"ENGA_QUIET": "0"}, []),
        (["setting.quiet=very"], {"ENGA_QUIET": "very"}, []),
        (["setting.in_a_file=7"], {}, ["setting.in_a_file = 7"]),
        (["setting.unheard_of=true"], {}, ["setting.unheard_of = true"]),
        (["max_num_seqs=8"], {}, ["max_num_seqs = 8"]),
    ],
)
def test_what_no_flag_says(ask, settings, environment, without_flag):
    found = ask(settings=settings).data["command"]
    assert (found["argv"], found["environment"], found["without_flag"]) == (SERVED, environment, without_flag)


def test_variables_stand_before_the_command_and_objects_in_quotes(run, tmp_path):
    folder = copy_tiny(tmp_path / "served", BASE)
    shown = run("check", "plain-model", "enga", "--set", "setting.quiet=true", "--set", "speculation.method=ngram", catalog=folder).stdout
    assert """\nENGA_QUIET=1 enga serve acme/plain --spec '{"method": "ngram"}'\n""" in shown


def test_no_command_where_the_catalog_has_no_way_to_serve(ask):
    assert ask({ENGINE: engine(SETTINGS)}).data["command"] is None


OF_ITS_OWN = """serve:
  argv: [enga, serve, "{name}.own"]
  prepare: [{argv: [make-own, "{checkpoint}", -o, "{name}.own"], why: Writes its file., cites: [{id: enga-cache}]}]
  stored: {gguf: [enga, fetch, "{checkpoint}"]}
  cites: [{id: enga-registry}]
"""


@pytest.mark.parametrize(
    ("checkpoint", "steps", "argv"),
    [
        (None, [["make-own", "acme/plain", "-o", "plain.own"]], ["enga", "serve", "plain.own"]),
        ("me/my-tune", [["make-own", "me/my-tune", "-o", "my-tune.own"]], ["enga", "serve", "my-tune.own"]),
        ("acme/plain-own", [], ["enga", "fetch", "acme/plain-own"]),
    ],
)
def test_an_engine_with_files_of_its_own_says_how_they_are_made(make, checkpoint, steps, argv):
    both = "  - {hub: acme/plain, format: bf16}\n  - {hub: acme/plain-own, format: gguf}\n"
    plain = changed("models/acme/plain-model.yaml", ("  - {hub: acme/plain, format: bf16}\n", both))
    products = make(BASE | {ENGINE: engine(SETTINGS, more=OF_ITS_OWN)} | plain)
    found = answered(Assessor(products), "plain-model", "enga", checkpoint=checkpoint).data["command"]
    assert ([step["argv"] for step in found["prepare"]], found["argv"]) == (steps, argv)


def test_steps_are_shown_before_the_command(run, tmp_path):
    folder = copy_tiny(tmp_path / "own", BASE | {ENGINE: engine(SETTINGS, more=OF_ITS_OWN)})
    shown = run("check", "plain-model", "enga", "--set", "lora=true", catalog=folder).stdout
    assert "\n# Writes its file.\nmake-own acme/plain -o plain.own\n\nenga serve plain.own --enable-lora\n" in shown


def test_keys_and_values_with_flags_of_their_own(ask):
    parts = {f"cache.{part}.dtype": f"flag: --type-{part}, default: f16, values: [f16, bf16, q8_0]" for part in "kv"}
    files = {ENGINE: engine(parts, more=SERVE)}
    assert ask(files, cache_dtype="q8_0").data["command"]["argv"] == [*SERVED, "--type-k", "q8_0", "--type-v", "q8_0"]
    mixed = ask(files, cache_dtype="fp16", settings=["cache.v.dtype=q8_0"]).data["command"]
    assert mixed["argv"] == [*SERVED, "--type-k", "f16", "--type-v", "q8_0"]


TWO = changed(MODEL, ("  - {hub: acme/tiny-it,", "  - {hub: acme/tiny-fp8, format: fp8}\n  - {hub: acme/tiny-it,"))


@pytest.mark.parametrize(("asked", "served"), [("tiny-model", "acme/tiny-fp8"), ("acme/tiny-it", "acme/tiny-it"), ("ACME/TINY-IT", "acme/tiny-it")])
def test_the_checkpoint_that_was_asked_for_is_served(ask, asked, served):
    assert ask(TWO, asked).data["command"]["argv"] == ["enga", "serve", served]


def test_the_command_is_that_of_the_first_repair(ask):
    files = {MET: gotcha(when="{lora: true}", workarounds="[{set: {chunked_prefill: false, lora: false}}]")}
    answer = ask(files, settings=["lora=true"], required=["tensor_parallel=2"])
    assert answer.reply.verdict == "only-with"
    found = answer.data["command"]
    assert found["argv"] == [*SERVED, "--tp", "2"]
    kept = ask(files, settings=["lora=true", "speculation.method=ngram"]).data["command"]
    assert kept["argv"] == [*SERVED, "--spec", '{"method": "ngram"}']


def test_what_a_repair_sets_is_said_to_be_the_repairs(ask):
    files = {MET: gotcha(when="{chunked_prefill: true}", workarounds="[{set: {chunked_prefill: false}}]")}
    found = ask(files, settings=["lora=true"]).data["command"]
    assert found["argv"] == [*SERVED, "--enable-lora", "--no-chunked-prefill"]
    assert found["because"][1:] == ["--enable-lora: asked for", "--no-chunked-prefill: the repair"]


def test_settings_that_share_a_flag_are_one_object(base):
    @given(st.sets(st.sampled_from(["method", "tokens"])), st.integers(1, 64), st.booleans())
    def check(named, tokens, lora):
        said = {"method": "speculation.method=ngram", "tokens": f"speculation.tokens={tokens}"}
        answer = answered(Assessor(base), "plain-model", "enga", settings=[*(said[name] for name in sorted(named)), f"lora={str(lora).lower()}"])
        argv = answer.data["command"]["argv"]
        members = json.loads(argv[argv.index("--spec") + 1]) if named else {}
        assert members == {key: value for name, key, value in (("method", "method", "ngram"), ("tokens", "num_tokens", tokens)) if name in named}
        assert (argv.count("--spec"), "--enable-lora" in argv) == (bool(named), lora)

    check()


def test_vllm_takes_speculation_as_a_json_object(ask_real):
    settings = ["speculation.method=mtp", "speculation.tokens=7", "setting.disable_flashinfer_q_quantization=true", "prefix_caching=false"]
    asked = ask_real("gemma-4-31b", "vllm", settings=settings, required=["cache.dtype=bf16"]).found
    assert command(asked.resolved, None)["argv"] == [
        "vllm", "serve", "google/gemma-4-31B-it",
        "--attention-config.disable_flashinfer_q_quantization", "true", "--no-enable-prefix-caching", "--kv-cache-dtype", "bfloat16",
        "--speculative-config", '{"method": "mtp", "num_speculative_tokens": 7}',
    ]  # fmt: skip


def after_the_start(ask_real, engine: str, settings: list[str], **options) -> list[str]:
    """The flags that a command has behind the engine's own way to serve."""
    asked = ask_real("llama-3.1-8b", engine, settings=settings, **options).found
    return command(asked.resolved, None)["argv"][len(asked.resolved.question.engine.data["serve"]["argv"]) :]


SPEC, KV = "--speculative-config", "--kv-transfer-config"


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        # vllm/config/speculative.py of 0.33.0: __post_init__ takes ngram without a model, and suffix without a number, too
        (["speculation.method=ngram"], [SPEC, '{"method": "ngram", "num_speculative_tokens": 1}']),
        (["speculation.method=ngram", "speculation.tokens=4"], [SPEC, '{"method": "ngram", "num_speculative_tokens": 4}']),
        (["speculation.method=suffix"], [SPEC, '{"method": "suffix"}']),
        (["speculation.method=mtp", "speculation.tokens=2"], [SPEC, '{"method": "mtp", "num_speculative_tokens": 2}']),
        (["speculation.method=eagle3", "speculation.tokens=3"], [SPEC, '{"method": "eagle3", "num_speculative_tokens": 3, "model": "DRAFT"}']),
        (
            ["speculation.method=eagle", "setting.draft_model=a/b", "speculation.tokens=3"],
            [SPEC, '{"method": "eagle", "model": "a/b", "num_speculative_tokens": 3}'],
        ),
        (["speculation.method=none"], []),
        # vllm/config/kv_transfer.py: a connector without a role raises, a role without a connector moves nothing
        (["kv_connector=LMCacheConnectorV1"], [KV, '{"kv_connector": "LMCacheConnectorV1", "kv_role": "kv_both"}']),
        (["disaggregation=prefill"], [KV, '{"kv_role": "kv_producer", "kv_connector": "CONNECTOR"}']),
        (["kv_connector=NixlConnector", "disaggregation=decode"], [KV, '{"kv_connector": "NixlConnector", "kv_role": "kv_consumer"}']),
        (["kv_offload=true"], ["--kv-offloading-size", "GIB"]),
        (["attention.backend=auto", "cache.dtype=auto", "setting.load_format=auto"], []),
        (["attention.backend=TRITON_ATTN"], ["--attention-backend", "TRITON_ATTN"]),
        (["cuda_graphs=none"], ["--compilation-config.cudagraph_mode", "none"]),
        (["async_scheduling=false"], ["--no-async-scheduling"]),
        (["tensor_parallel=1", "pipeline_parallel=1"], []),
        (["expert_parallel=2", "data_parallel=2"], ["--enable-expert-parallel", "--data-parallel-size", "2"]),
    ],
)
def test_vllm_s_parser_takes_it(ask_real, settings, flags):
    assert after_the_start(ask_real, "vllm", settings) == flags


@pytest.mark.parametrize(
    ("engine", "settings", "flags"),
    [
        ("sglang", ["prefix_caching=false"], ["--disable-radix-cache"]),
        ("sglang", ["prefix_caching=true"], []),
        # srt/arg_groups/speculative_hook.py of 0.5.23: EAGLE takes the model's own layers where it has them
        ("sglang", ["speculation.method=eagle"], ["--speculative-algorithm", "EAGLE"]),
        ("sglang", ["speculation.method=ngram"], ["--speculative-algorithm", "NGRAM"]),
        ("sglang", ["speculation.method=eagle3"], ["--speculative-algorithm", "EAGLE3", "--speculative-draft-model-path", "DRAFT"]),
        ("sglang", ["speculation.method=dflash"], ["--speculative-algorithm", "DFLASH", "--speculative-draft-model-path", "DRAFT"]),
        ("sglang", ["speculation.method=uno"], ["--speculative-algorithm", "UNO", "--uno-lora-path", "ADAPTER"]),
        ("sglang", ["disaggregation=none", "attention.backend=auto"], []),
        ("sglang", ["disaggregation=decode"], ["--disaggregation-mode", "decode"]),
        # the choices of --cuda-graph-backend-decode are full, breakable and disabled
        ("sglang", ["cuda_graphs=none"], ["--cuda-graph-backend-decode", "disabled"]),
        ("sglang", ["cuda_graphs=full"], ["--cuda-graph-backend-decode", "full"]),
        ("sglang", ["chunked_prefill=false"], ["--chunked-prefill-size", "-1"]),
        ("sglang", ["chunked_prefill=true"], []),
        ("sglang", ["setting.mamba_scheduler_strategy=no_buffer"], []),
        ("sglang", ["async_scheduling=false", "lora=true"], ["--disable-overlap-schedule", "--enable-lora"]),
        ("llama.cpp", ["cache.k.dtype=fp16", "setting.flash_attn=on"], ["--cache-type-k", "f16", "--flash-attn", "on"]),
        ("llama.cpp", ["setting.flash_attn=auto", "setting.gpu_layers=auto"], []),
        ("llama.cpp", ["speculation.method=none", "prefix_caching=false"], ["--no-cache-prompt"]),
        # common/speculative.cpp throws for draft-simple without a draft
        ("llama.cpp", ["speculation.method=draft-simple"], ["--spec-type", "draft-simple", "--spec-draft-model", "DRAFT.gguf"]),
        ("llama.cpp", ["speculation.method=ngram-simple", "speculation.tokens=4"], ["--spec-type", "ngram-simple", "--spec-draft-n-max", "4"]),
        ("lmdeploy-pytorch", ["setting.backend=pytorch", "setting.dtype=auto"], []),
        ("lmdeploy-turbomind", ["setting.backend=turbomind"], []),
        ("lmdeploy-pytorch", ["cuda_graphs=none"], ["--eager-mode"]),
        ("lmdeploy-pytorch", ["cuda_graphs=full_decode_only"], []),
        ("lmdeploy-pytorch", ["disaggregation=none", "data_parallel=1"], []),
        ("lmdeploy-pytorch", ["disaggregation=prefill"], ["--role", "Prefill"]),
        # lmdeploy/messages.py of 0.18.0: kv_role must be specified with kv_connector
        ("lmdeploy-pytorch", ["kv_connector=MooncakeStoreConnector"], [KV, '{"kv_connector": "MooncakeStoreConnector", "kv_role": "kv_both"}']),
        ("tgi", ["cuda_graphs=none"], ["--cuda-graphs", "0"]),
        ("tgi", ["tensor_parallel=1"], ["--num-shard", "1"]),
    ],
)
def test_other_engines_parsers_take_it(ask_real, engine, settings, flags):
    assert after_the_start(ask_real, engine, settings) == flags


def test_a_task_with_a_command_of_its_own(ask):
    tasks = 'serve: {argv: [enga, serve, "{checkpoint}"], tasks: {embed: [enga, embed, "{checkpoint}"]}, cites: [{id: enga-registry}]}\n'
    files = {ENGINE: engine(SETTINGS, more=tasks)}
    assert ask(files).data["command"]["argv"] == SERVED
    assert ask(files, settings=["task=embed"]).data["command"]["argv"] == ["enga", "embed", "acme/plain"]


@pytest.mark.parametrize(
    ("model", "flag"), [("qwen3-embedding-0.6b", "--embedding-model"), ("bge-reranker-v2-m3", "--reranker-model"), ("gemma-3-4b", "--model")]
)
def test_the_server_of_mlx_vlm_by_what_it_is_started_for(ask_real, model, flag):
    """--embedding-model and --reranker-model of mlx_vlm/server/cli.py in 0.7.10, L78 and L90."""
    assert ask_real(model, "mlx-vlm").data["command"]["argv"][:2] == ["mlx_vlm.server", flag]


RECIPE_OF_PLAIN = RECIPE_TEXT.replace("models: [tiny-model]", "models: [plain-model]")


def test_a_recipe_adds_what_serving_needs_and_offers_the_rest(ask):
    found = ask({RECIPE: RECIPE_OF_PLAIN}).data["command"]
    assert found["argv"] == [*SERVED, "--trust-code"]
    assert "--trust-code: Its class is not in the library." in found["because"]
    assert [(option["for"], option["argv"]) for option in found["options"]] == [("tools", ["--tool-parser", "tiny"])]
    assert (found["image"], found["recipe"], found["recipe_version"]) == ("acme/enga:1.1.0", "tiny-on-enga", "1.1.0")


RECIPE_BY_STACK = """name: Plain on EngA
engine: enga
models: [plain-model]
version: "1.1.0"
images:
  - {name: "acme/enga:hopper", when: {hardware.class: sm90}, cites: [{id: enga-registry}]}
  - {name: "acme/enga:1.1.0", cites: [{id: enga-registry}]}
flags:
  - {argv: [--trust-code], for: serving, when: {checkpoint.hub: acme/plain}, why: Its class., cites: [{id: enga-registry}]}
  - {argv: [--kernels, new], for: serving, when: {hardware.class: sm90}, why: Faster there., cites: [{id: enga-registry}]}
  - {argv: [--kernels, old], for: serving, when: {not: {hardware.class: sm90}}, why: The others lack them., cites: [{id: enga-registry}]}
  - {argv: [--parser, tiny], for: reasoning, when: {checkpoint.tuned: reasoning}, why: It thinks., cites: [{id: enga-registry}]}
cites: [{id: enga-registry}]
"""


@pytest.mark.parametrize(
    ("hardware", "added", "image"),
    [("sm90", ["--kernels", "new"], "acme/enga:hopper"), ("sm80", ["--kernels", "old"], "acme/enga:1.1.0")],
)
def test_a_recipe_tells_stacks_apart(ask, hardware, added, image):
    """The checkpoint says not what it was tuned for, so the parser is offered with its condition."""
    found = ask({RECIPE: RECIPE_BY_STACK}, settings=[f"hardware.class={hardware}"]).data["command"]
    assert (found["argv"], found["image"]) == ([*SERVED, "--trust-code", *added], image)
    assert [(option["argv"], option["if"]) for option in found["options"]] == [(["--parser", "tiny"], "checkpoint.tuned is reasoning")]


def test_what_decides_a_recipe_s_flag_and_was_left_out_is_said(ask):
    found = ask({RECIPE: RECIPE_BY_STACK}).data["command"]
    assert found["argv"] == [*SERVED, "--trust-code"]
    assert [(option["for"], option["argv"], option["if"]) for option in found["options"]] == [
        ("serving", ["--kernels", "new"], "hardware.class is sm90"),
        ("serving", ["--kernels", "old"], "hardware.class is not sm90"),
        ("reasoning", ["--parser", "tiny"], "checkpoint.tuned is reasoning"),
    ]
    assert found["image"] == "acme/enga:hopper"


@pytest.mark.parametrize(("tuned", "offered"), [("reasoning", [["--parser", "tiny"]]), ("instruct", [])])
def test_a_flag_for_reasoning_checkpoints_alone(ask, tuned, offered):
    plain = changed("models/acme/plain-model.yaml", ("format: bf16}", f"format: bf16, tuned: {tuned}}}"))
    found = ask({RECIPE: RECIPE_BY_STACK} | plain, settings=["hardware.class=sm90"]).data["command"]
    assert [option["argv"] for option in found["options"]] == offered
    assert [option for option in found["options"] if "if" in option] == []


def test_an_image_for_every_stack(ask, make):
    one = RECIPE_OF_PLAIN.replace("images: [{", "image: {").replace("}]}]\nflags", "}]}\nflags")
    assert ask({RECIPE: one}).data["command"]["image"] == "acme/enga:1.1.0"
    both = make(BASE | {RECIPE: one + 'images: [{name: "acme/enga:2", cites: [{id: enga-registry}]}]\n'})
    assert [(fault.rule, fault.span.path) for fault in both.diagnostics] == [("SHP005", f"catalog/{RECIPE}")]


def test_a_model_without_a_recipe_has_no_options(ask):
    assert "options" not in ask({RECIPE: RECIPE_TEXT}).data["command"]


@pytest.mark.parametrize(
    ("model", "engine", "needed", "offered"),
    [
        # recipes/models/deepseek-ai/DeepSeek-V4-Flash.yaml of vLLM 0.33.0: model.base_args, then features
        (
            "deepseek-v4-flash",
            "vllm",
            ["--trust-remote-code", "--kv-cache-dtype", "fp8", "--block-size", "256"],
            [["--tokenizer-mode", "deepseek_v4"], ["--tool-call-parser", "deepseek_v4"], ["--reasoning-parser", "deepseek_v4"]],
        ),
        # recipes/models/MiniMaxAI/MiniMax-M3.yaml of vLLM 0.33.0
        ("minimax-m3", "vllm", ["--block-size", "128"], [["--tool-call-parser", "minimax_m3"], ["--reasoning-parser", "minimax_m3"]]),
        # SGLang 0.5.23 renames the cookbook's glm45 and lacks its glm47 for reasoning
        ("glm-4.7", "sglang", [], [["--tool-call-parser", "glm47"], ["--reasoning-parser", "glm45"]]),
    ],
)
def test_recipes_of_the_catalog_reach_the_command(ask_real, model, engine, needed, offered):
    found = ask_real(model, engine).data["command"]
    assert found["argv"][len(found["argv"]) - len(needed) :] == needed
    assert [words for words in offered if words not in [option["argv"] for option in found["options"]]] == []


def test_a_cache_type_that_was_asked_for_stands_before_the_recipe_s(ask_real):
    argv = ask_real("deepseek-v4-flash", "vllm", cache_dtype="fp8_e4m3").data["command"]["argv"]
    assert (argv.count("--kv-cache-dtype"), argv[argv.index("--kv-cache-dtype") + 1]) == (1, "fp8_e4m3")
