"""From a command line to questions: what may be left out, given twice, misspelled, or read from a config of one's own."""

from __future__ import annotations

import json

import pytest

from catalogs import ENGINE, MODEL, changed
from derive.gguf import files
from infercompat.answer import asking, reply
from infercompat.answer.check import Assessor
from infercompat.answer.question import NotInCatalog, Refused
from infercompat.derive import Unknown

from .conftest import question
from .stacks import BASE, OPTIONS, SERVE, SETTINGS, engine

PLAIN = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 64, "hidden_size": 256, "max_position_embeddings": 2048,
}  # fmt: skip


def asked(products, model=None, engine=None, **options) -> list[tuple[str, str, str]]:
    found = asking.questions(products, model, engine, OPTIONS | options)
    return [(one.model.id, one.engine.id, one.release.version) for one in found]


EVERY = [("plain-model", "enga", "1.1.0"), ("plain-model", "engb", "b200"), ("tiny-model", "enga", "1.1.0"), ("tiny-model", "engb", "b200")]


@pytest.mark.parametrize(
    ("model", "engine", "expected"),
    [
        ("plain-model", "enga", EVERY[:1]),
        ("plain-model", "enga@1.0.0", [("plain-model", "enga", "1.0.0")]),
        ("plain-model", None, EVERY[:2]),
        ("enga", None, [EVERY[0], EVERY[2]]),
        ("enga@1.0.0", None, [("plain-model", "enga", "1.0.0"), ("tiny-model", "enga", "1.0.0")]),
        (None, "engb", [EVERY[1], EVERY[3]]),
        (None, None, EVERY),
        ("enga", "plain-model", EVERY[:1]),
        ("old/tiny", "enga", EVERY[2:3]),
        ("ACME/Tiny-IT", "enga", EVERY[2:3]),
    ],
)
def test_either_may_be_left_out(base, model, engine, expected):
    assert asked(base, model, engine) == expected


def test_kernel_libraries_are_not_asked(make):
    library = engine(SETTINGS).replace("role: engine", "role: kernel-library")
    assert {engine for _, engine, _ in asked(make(BASE | {"engines/libc.yaml": library}), "plain-model")} == {"enga", "engb"}


@pytest.mark.parametrize(
    ("options", "given", "required"),
    [
        ({}, {}, set()),
        ({"tp": 2, "length": 100, "cache_dtype": "fp8"}, {"tensor_parallel": 2, "max_model_len": 100, "cache.dtype": "fp8"}, set()),
        ({"settings": ["lora=true", "tensor_parallel=2"]}, {"lora": True, "tensor_parallel": 2}, set()),
        ({"required": ["lora=true"]}, {"lora": True}, {"lora"}),
        ({"settings": ["lora=true"], "required": ["lora=true"]}, {"lora": True}, {"lora"}),
        ({"tp": 2, "required": ["tensor_parallel=2"]}, {"tensor_parallel": 2}, {"tensor_parallel"}),
        ({"cache_dtype": "bfloat16"}, {"cache.dtype": "bfloat16"}, set()),
        ({"settings": ["cache.k.dtype=q8_0"]}, {"cache.k.dtype": "q8_0"}, set()),
    ],
)
def test_what_is_given(base, options, given, required):
    found = question(base, "plain-model", "enga", **options)
    assert (found.given, found.required) == (given, required)


@pytest.mark.parametrize(
    ("engine", "settings", "version", "given"),
    [
        ("enga@1.0.0+pr12", [], "1.0.0", {"enga.has_pr": (12,)}),
        ("enga@1.0.0+pr12", ["engine.has_pr=9"], "1.0.0", {"enga.has_pr": (9, 12)}),
        ("enga", ["enga.has_pr=9", "engine.has_pr=8"], "1.1.0", {"enga.has_pr": (8, 9)}),
        ("enga", ["enga.has_pr=9", "enga.has_pr=7,9"], "1.1.0", {"enga.has_pr": (7, 9)}),
        ("enga", ["version=1.0.0+pr5"], "1.0.0", {"enga.has_pr": (5,)}),
        ("enga@main@2026-02-20", [], "main", {}),
    ],
)
def test_a_build_and_what_it_is_told_to_hold(base, engine, settings, version, given):
    found = question(base, "plain-model", engine, settings=settings)
    assert (found.release.version, found.given) == (version, given)


def test_what_is_said_of_the_engine_needs_one(base):
    with pytest.raises(Refused, match=r"engine\.has_pr is said of one engine, and none is named"):
        asking.questions(base, "plain-model", None, OPTIONS | {"settings": ["engine.has_pr=9"]})
    found = asking.questions(base, "plain-model", None, OPTIONS | {"settings": ["enga.has_pr=9"]})
    assert {one.given["enga.has_pr"] for one in found} == {(9,)}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"settings": ["lora=true", "lora=false"]}, "lora is given as both true and false"),
        ({"settings": ["lora=true"], "required": ["lora=false"]}, "lora is given as both true and false"),
        ({"tp": 4, "settings": ["tensor_parallel=2"]}, "tensor_parallel is given as both 2 and 4"),
        ({"cache_dtype": "fp8", "required": ["cache.dtype=bf16"]}, "cache.dtype is given as both bf16 and fp8"),
        ({"cache_dtype": "fp8_e4m4"}, "cache.dtype is never fp8_e4m4; nearest: fp8_e4m3"),
        ({"settings": ["cache.v.dtype=zzzzzz"]}, "cache.v.dtype is never zzzzzz; known: auto, bf16, bfloat16, "),
        ({"settings": ["lora=perhaps"]}, "lora is true or false"),
        ({"hardware": "card-bas"}, "there is no hardware card-bas; nearest: card-base"),
        ({"hardware": "card-base", "settings": ["hardware.class=sm90"]}, "hardware.class is given as sm90, and that of card-base is sm100"),
        ({"hardware": "card-base", "settings": ["hardware.id=card-big"]}, "hardware.id is given as card-big, and that of card-base is card-base"),
        ({"hardware": "card-base", "settings": ["platform=rocm"]}, "platform is given as rocm, and that of card-base is cuda"),
        ({"settings": ["hardware.class=sm90", "platform=rocm"]}, "platform is given as rocm, and that of sm90 is cuda"),
        ({"gpus": 2, "tp": 4}, "tensor_parallel 4 take 4 devices, not 2; ask with --gpus 4 or more, or name fewer ranks"),
        ({"gpus": 2, "settings": ["expert_parallel=8"]}, "expert_parallel 8 take 8 devices, not 2"),
        ({"settings": ["expert_parallel=5000"]}, "expert_parallel is 4096 at most, not 5000"),
        ({"gpus": 3, "tp": 2, "settings": ["pipeline_parallel=2"]}, "tensor_parallel 2 and pipeline_parallel 2 take 4 devices, not 3"),
    ],
)
def test_what_cannot_be_asked(base, options, words):
    with pytest.raises(Refused) as refused:
        question(base, "plain-model", "enga", **options)
    assert str(refused.value).startswith(words)


@pytest.mark.parametrize(
    ("options", "gpus"),
    [({}, 1), ({"gpus": 4}, 4), ({"tp": 4}, 4), ({"gpus": 8, "tp": 4}, 8), ({"tp": 2, "settings": ["pipeline_parallel=2", "data_parallel=3"]}, 12)],
)
def test_ranks_that_were_named_are_devices(base, options, gpus):
    assert question(base, "plain-model", "enga", **options).gpus == gpus


@pytest.mark.parametrize(("own", "gpus"), [({}, 8), ({"setting.enable_dp_attention": "flag: --enable-dp-attention, default: false"}, 4)])
def test_replicas_of_attention_are_those_of_engines_that_have_the_switch(make, own, gpus):
    """On any other engine the word is unknown, and replicas multiply the ranks."""
    products = make(BASE | {ENGINE: engine(SETTINGS | own, more=SERVE)})
    settings = ["data_parallel=2", "setting.enable_dp_attention=true"]
    assert question(products, "plain-model", "enga", tp=4, settings=settings).gpus == gpus


def test_what_agrees_may_be_said_twice(base):
    found = question(base, "plain-model", "enga", hardware="card-base", settings=["hardware.class=sm100", "platform=cuda", "hardware.memory_bytes=5"])
    assert found.given == {"hardware.class": "sm100", "platform": "cuda", "hardware.memory_bytes": 5}


@pytest.mark.parametrize(
    ("wanted", "kind", "words"),
    [
        ("plain-modle", Refused, "there is no model plain-modle; nearest: plain-model, "),
        ("plan-mdl", Refused, "there is no model plan-mdl; nearest: plain-model"),
        ("acme/shiny-it", NotInCatalog, "acme/shiny-it is not in the catalog; nearest: acme/tiny-it"),
        ("acme/tiny-itt", Refused, "there is no model acme/tiny-itt; nearest: acme/tiny-it"),
        ("card-big", Refused, "card-big is no model"),
        ("somebody/an-8b-of-their-own", NotInCatalog, "somebody/an-8b-of-their-own is not in the catalog; --from-config asks with its config.json"),
        ("acme/larger-it", NotInCatalog, "acme/larger-it is not in the catalog; nearest: acme/plain, acme/tiny-it; "),
        ("zzzzzzzzz", NotInCatalog, "zzzzzzzzz is not in the catalog"),
    ],
)
def test_a_slip_is_refused_and_a_name_of_its_own_is_unknown(base, wanted, kind, words):
    """Hub ids of one publisher are alike without being slips of each other."""
    with pytest.raises(Refused) as refused:
        question(base, wanted, "enga")
    assert type(refused.value) is kind
    assert str(refused.value).startswith(words)


def test_an_engine_that_is_none_is_said_before_a_model_that_is_not_listed(base):
    with pytest.raises(Refused, match=r"^there is no engine engaa"):
        question(base, "somebody/an-8b-of-their-own", "engaa")


@pytest.fixture
def config(tmp_path):
    """Writes a config.json, of plain data or of any text."""

    def written(content, name: str = "config.json"):
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return path

    return written


NESTED = {"model_type": "gemma3", "architectures": ["TinyForCausalLM"], "vision_config": {"hidden_size": 8}, "text_config": {
    "model_type": "gemma2", "num_hidden_layers": 4, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "hidden_size": 256,
    "sliding_window": 1024, "max_position_embeddings": 8192,
}}  # fmt: skip


def test_a_flat_config(base, config):
    found = question(base, None, "enga", from_config=config(PLAIN, "my-tune.json"))
    assert (found.model.id, found.model.data["architecture"], len(found.derived.layers), found.context) == ("my-tune", "LlamaForCausalLM", 3, 2048)
    assert found.model.name == "my-tune.json"
    assert question(base, "me/mine", "enga", from_config=config(PLAIN)).model.name == "me/mine"


def test_a_nested_config(base, config):
    found = question(base, "me/my-vision", "enga", from_config=config(NESTED))
    assert (found.model.id, found.model.data["architecture"]) == ("me/my-vision", "TinyForCausalLM")
    assert found.derived.counts() == {"full": 2, "sliding": 2}
    assert found.derived.requirements.keys() >= {"sliding-window", "image-input"}


@pytest.mark.parametrize(("name", "architecture"), [(None, ""), ("my-tune", ""), *((name, name) for name in ("LlamaForCausalLM", "TinyModel"))])
def test_a_config_without_its_class(base, config, name, architecture):
    """A name that is a class says it; any other name is only what to call the model."""
    found = question(base, name, "enga", from_config=config({key: value for key, value in PLAIN.items() if key != "architectures"}))
    assert found.model.data["architecture"] == architecture


def test_a_name_never_takes_the_place_of_the_class(ask, config):
    answer = ask(model="my-own-llama", from_config=config(PLAIN))
    assert (answer.reply.verdict, answer.hop("architecture").value) == ("yes", "native")
    nameless = ask(model=None, from_config=config({key: value for key, value in PLAIN.items() if key != "architectures"}))
    assert (nameless.reply.verdict, nameless.data["missing"]) == ("unknown", ["architecture"])
    assert nameless.reply.reason == "architecture: the config does not name its class under architectures"


def test_the_answer_for_a_config_in_hand(ask, config):
    answer = ask(model="me/my-tune", from_config=config(PLAIN | {"quantization_config": {"quant_method": "fp8"}}))
    assert answer.data["command"]["argv"] == ["enga", "serve", "me/my-tune"]
    assert (answer.hop("config").finding, answer.hop("config").sources) == ("3 layers read from the config that was given", ())
    assert answer.data["confidence"] == 0.95  # that of the registry: a config in hand cites nothing and takes nothing away
    assert answer.facts["weights.format"] == "fp8"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"model_type": "llama",\n  "num_hidden_layers": ,}', ":2:24: not JSON: Expecting value"),
        ('{"model_type": "llama"', ":1:23: not JSON: Expecting ',' delimiter"),
        ("[1, 2]", ":1:1: a config is a JSON object, this is a list"),
        ("", ":1:1: not JSON: Expecting value"),
        ("3", ":1:1: a config is a JSON object, this is a int"),
    ],
)
def test_a_config_that_cannot_be_read_says_where(base, config, content, words):
    path = config(content)
    with pytest.raises(Refused) as refused:
        question(base, None, "enga", from_config=path)
    assert str(refused.value) == f"{path}{words}"


def test_a_config_that_is_not_there(base, tmp_path):
    with pytest.raises(Refused, match=r"none\.json: cannot be read: No such file or directory$"):
        question(base, None, "enga", from_config=tmp_path / "none.json")


def test_a_config_of_a_family_that_nobody_worked_out_is_unknown(ask, config):
    answer = ask(model=None, from_config=config({"architectures": ["LlamaForCausalLM"], "model_type": "llama"}))
    assert isinstance(answer.found.question.derived, Unknown)
    assert (answer.reply.verdict, answer.data["missing"]) == ("unknown", ["config"])


def test_a_config_and_the_name_of_an_engine_alone(base, config):
    found = question(base, "enga", None, from_config=config(PLAIN))
    assert (found.model.id, found.engine.id) == ("config", "enga")


TWO = changed(MODEL, ("  - {hub: acme/tiny-it,", "  - {hub: acme/tiny-fp8, format: fp8}\n  - {hub: acme/tiny-it,"))


@pytest.mark.parametrize(
    ("wanted", "option", "checkpoint"),
    [
        ("tiny-model", None, None),
        ("acme/tiny-it", None, "acme/tiny-it"),
        ("tiny-model", "acme/tiny-it", "acme/tiny-it"),
        ("acme/tiny-it", "acme/tiny-fp8", "acme/tiny-fp8"),
        ("old/tiny", None, None),
        ("tiny-model", "me/a-tune-of-it", "me/a-tune-of-it"),
    ],
)
def test_the_checkpoint_in_question(make, wanted, option, checkpoint):
    assert question(make(BASE | TWO), wanted, "enga", checkpoint=option).checkpoint == checkpoint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("setting.cache_size=abc", "setting.cache_size is a number, not abc"),
        ("setting.cache_size=-5", "setting.cache_size is 0 or more, not -5"),
        ("pipeline_parallel=5000", "pipeline_parallel is 4096 at most, not 5000"),
    ],
)
def test_a_value_that_a_setting_of_the_engine_cannot_have_is_refused(real, text, words):
    with pytest.raises(Refused, match=f"^{words}$"):
        question(real, "llama-3.1-8b", "exllamav3", settings=[text])


def test_a_fine_tunes_config_from_the_real_world(real, config, ask_real):
    """gpt-oss under another name: the same layers, demands and verdict as the model of the catalog."""
    values = real.catalog.records["gpt-oss-20b"].data["config"]["values"]
    own = ask_real("me/gpt-oss-tune", "vllm@0.33.0", from_config=config(values), hardware="b200", length=8192)
    listed = ask_real("gpt-oss-20b", "vllm@0.33.0", hardware="b200", length=8192)
    assert own.reply.verdict == listed.reply.verdict == "yes"
    assert [hop.name for hop in own.found.hops] == [hop.name for hop in listed.found.hops]
    assert own.found.memory.cache == listed.found.memory.cache
    assert own.data["command"]["argv"][:3] == ["vllm", "serve", "me/gpt-oss-tune"]
    assert own.found.grade.confidence >= listed.found.grade.confidence > 0


def test_a_gguf_file_is_its_own_checkpoint_and_tells_its_class(real, tmp_path):
    """A file of two layers: the header's tensors are the weights, but for the embedding that llama.cpp leaves in host memory."""
    keys = files.base(2, 256, 4, 4096, attention__head_count_kv=2, feed_forward_length=512)
    layer = {"attn_q": (256, 256), "attn_k": (128, 256), "attn_v": (128, 256), "attn_output": (256, 256), "ffn_up": (512, 256), "ffn_down": (256, 512)}
    tensors = {f"blk.{index}.{name}.weight": (shape, "Q4_K") for index in range(2) for name, shape in layer.items()}
    tensors |= {"token_embd.weight": ((100, 256), "Q8_0"), "output.weight": ((100, 256), "Q6_K"), "output_norm.weight": ((256,), "F32")}
    path = files.write(tmp_path / "mine:1.gguf", "llama", keys, tensors, tokens=100)
    numbers = 2 * sum(rows * columns for rows, columns in layer.values())
    wanted = numbers // 256 * 144 + 100 * 210 + 256 * 4
    answers = {}
    for served_by in ("llama.cpp", "vllm"):
        options = OPTIONS | {"from_config": path, "hardware": "rtx-4090", "length": 2048}
        found = asking.questions(real, None, served_by, options)[0]
        assert (found.model.id, found.model.data["architecture"], found.checkpoint) == ("mine:1", "LlamaForCausalLM", "mine:1.gguf")
        answers[served_by] = reply.as_data(reply.reply(Assessor(real), found), Assessor(real))
    states = {hop["hop"]: hop["state"] for hop in answers["llama.cpp"]["chain"]}
    assert (states["architecture"], answers["llama.cpp"]["memory"]["fits"]) == ("holds", True)
    assert answers["llama.cpp"]["memory"]["weights_bytes"] == wanted
    assert answers["vllm"]["command"]["argv"][:3] == ["vllm", "serve", "mine:1.gguf"]
