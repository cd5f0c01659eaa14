"""Can I serve this?, used as a person would, in Chromium: choosing, the slider, repairs, pasting, a dropped config, the keyboard, the address.

What the answers have to be stands in the vectors, which the command line gave.
"""

from __future__ import annotations

import json
import re
from urllib.parse import urlencode

import pytest
from chromium import CHROMIUM

from answer.diagnose import test_commands
from conftest import ROOT
from derive.gguf import files

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

WIDE, NARROW = (pytest.mark.parametrize("tab", [width], indirect=True) for width in (1280, 390))
"""Most of it needs one width; both are looked at where the layout matters."""
READY = "document.documentElement.dataset.check === 'ready'"
STACK = ("gemma-3-27b", "vllm", {"hardware": "h100-sxm", "context": 32768})
PASTED = """$ export HF_TOKEN=hf_abcdefABCDEF12345678
$ vllm serve google/gemma-3-27b-it -tp 2 \\
    --kv-cache-dtype fp8 --max-model-len 32768 --foo-bar 3 --api-key sk-12345678abcdef

Package            Version
------------------ -------
vllm               0.31.0
flashinfer-python  0.7.0.post1

GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-1)
GPU 1: NVIDIA H100 80GB HBM3 (UUID: GPU-2)
llama_init_from_model: quantized V cache requires flash_attn to be enabled
"""
SECRETS = ("hf_abcdefABCDEF12345678", "sk-12345678abcdef")


@pytest.fixture
def check(tab, server):
    def opened(**fields):
        tab.goto(f"{server}check/?{urlencode(fields, doseq=True)}" if fields else f"{server}check/")
        tab.wait_for_function(READY)
        return tab

    yield opened
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:", "blob:"))] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= tab.viewport_size["width"]


def vectors(name: str):
    return map(json.loads, (ROOT / "tests" / "vectors" / f"{name}.jsonl").read_text("utf-8").splitlines())


def expected(model: str, engine: str, options: dict) -> dict:
    name = "stacks" if options else "defaults"
    return next(line["answer"] for line in vectors(name) if line["ask"] == [model, engine, options])


def verdict(page) -> str:
    return page.locator("#ck-head .ck-chip").first.inner_text().split()[-1]


def settled(page, fragment: str) -> None:
    """Waits until the address has some words and what they ask is answered."""
    page.wait_for_function(f"decodeURIComponent(location.search).includes({json.dumps(fragment)}) && {READY}")


@NARROW
def test_choosing_answers_and_fills_the_address(check):
    page = check()
    assert "Choose a model and an engine" in page.locator("#ck-head").inner_text()
    page.locator("input[name=model]").fill("gemma-3-27b")
    page.locator("select[name=engine]").select_option("vllm")
    settled(page, "model=gemma-3-27b&engine=vllm")
    page.wait_for_selector("#ck-head .ck-chip")
    assert verdict(page) == expected("gemma-3-27b", "vllm", {})["verdict"]
    assert "Name the hardware" in page.locator("#ck-bar").inner_text()
    offered = page.locator("select[name=checkpoint] option").all_inner_texts()[1:]
    assert offered[:2] == ["google/gemma-3-27b-it (bf16)", "google/gemma-3-27b-pt (bf16)"]
    assert "RedHatAI/gemma-3-27b-it-quantized.w4a16 (int4)" in offered


def stack_with(kind: str) -> tuple[list, dict]:
    """The first stack of the vectors with memory that is known, or with a repair that is a setting alone and all that is needed."""
    for line in vectors("stacks"):
        (_, engine, options), answer = line["ask"], line["answer"]
        memory = answer.get("memory", {})
        if (
            kind == "memory"
            and engine == "vllm"
            and answer["verdict"] == "yes"
            and {"weights_bytes", "cache_bytes", "available_bytes"} <= set(memory)
            and memory.get("fits") is True
        ):
            return line["ask"], answer
        if (
            kind == "repair"
            and engine in ("vllm", "llama.cpp")
            and options.keys() == {"hardware", "context"}
            and answer["verdict"] == "only-with"
            and "context" not in (answer.get("gap") or ())  # a length beyond the model's stays
            and memory.get("fits") is True
            and len(answer.get("repairs", [[]])[0]) == 1
            and re.match(r"set [\w.]+ = [\w.]+$", answer.get("repairs", [[""]])[0][0])
        ):
            return line["ask"], answer
    raise AssertionError(f"the vectors have no stack with {kind}")


def fields(model: str, engine: str, options: dict) -> dict:
    names = {"cache_dtype": "cache"}
    return {"model": model, "engine": engine, **{names.get(name, name): value for name, value in options.items()}}


SLIDER, LENGTH = "document.getElementById('ck-context')", "document.querySelector('input[name=context]')"


def test_the_bar_has_the_bytes_of_the_command_line_and_follows_the_slider(check):
    asked, answer = stack_with("memory")
    page = check(**fields(*asked))
    memory = answer["memory"]
    assert verdict(page) == answer["verdict"]
    assert page.locator(".ck-parts td[title]").first.get_attribute("title") == f"{memory['weights_bytes']:,} bytes"
    shown = sum(
        int(title.split()[0].replace(",", ""))
        for title in page.locator(".ck-parts tr:has(.ck-cache, .ck-state) td[title]").evaluate_all("cells => cells.map((cell) => cell.title)")
    )
    assert shown == memory["cache_bytes"]
    assert re.search(r"weights [\d.,]+ [GM]iB", page.locator(".ck-bar").get_attribute("aria-label"))
    before = page.locator("#ck-tokens").inner_text()
    page.locator("#ck-context").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.wait_for_function(f"document.getElementById('ck-tokens').textContent !== {json.dumps(before)} && {READY}")
    page.wait_for_function(f"{SLIDER}.getAttribute('aria-valuetext') === Number({LENGTH}.value).toLocaleString('en-US') + ' tokens' && {READY}")
    tokens = int(page.locator("input[name=context]").input_value())
    assert page.locator("#ck-context").get_attribute("aria-valuetext") == f"{tokens:,} tokens"
    assert f"context={tokens}" in page.url
    assert page.evaluate("document.activeElement.id") == "ck-context"


@WIDE
def test_a_repair_applies_by_keyboard_and_back_takes_it_away(check):
    asked, answer = stack_with("repair")
    page = check(**fields(*asked))
    words = answer["repairs"][0][0]
    first = page.locator(".ck-repairs button").first
    assert (verdict(page), first.inner_text()) == ("only-with", words)
    first.focus()
    page.keyboard.press("Enter")
    fact, value = words.removeprefix("set ").split(" = ")
    settled(page, f"{fact}={value}")
    page.wait_for_function("document.querySelector('#ck-head .ck-chip').textContent.includes('yes')")
    assert f"{fact}={value}" in page.locator("input[name=set]").first.input_value()
    page.go_back()
    page.wait_for_function("document.querySelector('#ck-head .ck-chip').textContent.includes('only-with')")


@WIDE
def test_the_address_restores_every_field(check):
    given = {
        **{"model": "gemma-3-27b", "checkpoint": "google/gemma-3-27b-it", "engine": "vllm", "version": "0.31.0", "hardware": "h100-sxm", "gpus": "2"},
        **{"context": "16384", "cache": "fp8", "spec": "ngram", "spec_tokens": "3", "tp": "2", "pp": "1"},
    }
    page = check(**given, set=["max_num_seqs=8", "lora=true"], require="prefix_caching=true")
    page.reload()
    page.wait_for_function(READY)
    assert {name: page.locator(f"#ck-form [name={name}]").input_value() for name in given} == given
    assert page.locator("input[name=set]").evaluate_all("rows => rows.map((row) => row.value)") == ["max_num_seqs=8", "lora=true", ""]
    assert page.locator("input[name=require]").first.input_value() == "prefix_caching=true"
    command = page.locator("#ck-command").inner_text()
    assert command.startswith("infercompat check gemma-3-27b vllm@0.31.0 --hardware h100-sxm --gpus 2 --tp 2 --context 16384 --cache-dtype fp8")
    assert "--set speculation.method=ngram --set speculation.tokens=3" in command
    assert command.endswith("--set max_num_seqs=8 --set lora=true --require prefix_caching=true")
    assert page.locator("#ck-link").inner_text() == page.url


def test_a_paste_fills_the_form_and_keeps_no_secret(check):
    page = check()
    page.evaluate("document.getElementById('ck-paste').open = true")
    page.locator("#ck-text").fill(PASTED)
    settled(page, "tp=2")
    wanted = {
        "engine": "vllm",
        "version": "0.31.0",
        "hardware": "h100-sxm",
        "gpus": "2",
        "tp": "2",
        "context": "32768",
        "cache": "fp8",
        "model": "google/gemma-3-27b-it",
    }
    assert {name: page.locator(f"#ck-form [name={name}]").input_value() for name in wanted} == wanted
    told = page.locator("#ck-understood").inner_text()
    assert re.search(r"Not understood, and left out\s+--foo-bar 3 line 3", told)
    assert "flashinfer 0.7.0.post1 line 8" in told
    assert "Known faults that it shows" in told
    assert page.locator("#ck-understood a[href*='llamacpp-quantized-v-requires-fa']").count() == 1
    everything = page.content() + page.url + page.locator("#ck-text").input_value()
    assert [secret for secret in SECRETS if secret in everything] == []
    assert "foo-bar" not in page.url
    assert "vllm serve google/gemma-3-27b-it" in page.locator("#ck-serve").inner_text()


@NARROW
def test_a_log_alone_adds_to_what_stands_in_the_form(check):
    page = check(model="gemma-3-27b", engine="vllm")
    page.evaluate("document.getElementById('ck-paste').open = true")
    page.locator("#ck-text").fill("INFO vLLM API server version 0.29.0\n| 0  NVIDIA L4  On |\nnothing else")
    settled(page, "version=0.29.0")
    assert page.locator("input[name=model]").input_value() == "gemma-3-27b"
    page.locator("#ck-text").fill("all is well")
    page.wait_for_function("document.getElementById('ck-understood').textContent.includes('Nothing in it')")


READ = """async ([texts, base]) => {
  const { understand } = await import(base + 'assets/check/paste.js');
  const data = await (await fetch(base + 'api/v1/check/paste.json')).json();
  return texts.map((text) => {
    const found = understand(text, data);
    const given = Object.values(found.given).filter((one) => one.name !== 'weights.format');
    return [found.engine?.name, found.model?.value ?? null, Object.fromEntries(given.map((one) => [one.name, one.value]))];
  });
}"""


@WIDE
def test_commands_are_read_as_diagnose_reads_them(tab, server):
    tab.goto(server + "check/")
    [mark] = [mark for mark in test_commands.test_a_command.pytestmark if mark.name == "parametrize"]
    cases = mark.args[1]
    assert len(cases) >= 20
    found = tab.evaluate(READ, [[text for text, _ in cases], server])
    assert [tuple(each) for each in found] == [wanted for _, wanted in cases]


@NARROW
def test_the_config_of_a_model_on_record_is_known(check, site):
    values = json.loads((site / "api/v1/models/gemma-3-27b.json").read_text("utf-8"))["record"]["config"]["values"]
    config = {**values, "_name_or_path": "my/fine-tune", "transformers_version": "5.0.0", "bos_token_id": 2}
    page = check(engine="vllm")
    drop(page, config)
    settled(page, "model=gemma-3-27b")
    assert "config.json is the config of Gemma 3 27B" in page.locator("#ck-config-said").inner_text()
    assert verdict(page) == expected("gemma-3-27b", "vllm", {})["verdict"]


@WIDE
def test_another_config_is_answered_and_told_apart_from_the_nearest(check, site):
    values = json.loads((site / "api/v1/models/gemma-3-27b.json").read_text("utf-8"))["record"]["config"]["values"]
    page = check(engine="vllm", hardware="h100-sxm")
    drop(page, {**values, "text_config": {**values["text_config"], "sliding_window": 4096}})
    settled(page, "model=config.json")
    page.wait_for_selector("#ck-head .ck-chip")
    assert page.locator("input[name=model]").input_value() == "config.json"
    assert page.locator("#ck-command").inner_text() == "infercompat check vllm --from-config config.json --hardware h100-sxm"
    assert "does not hold it" in page.locator("#ck-again").inner_text()
    told = page.locator("#ck-config-said").inner_text()
    assert "62 layers were read from config.json: 52 sliding, 10 full" in told
    assert "text_config.sliding_window is 4096 here and 1024 there" in told
    assert "62 layers read from the config that was given" in page.locator("#ck-rest").inner_html()
    assert "131,072 tokens, the model's own" in page.locator("#ck-tokens").inner_text()
    page.locator("#ck-config-said button.ck-apply").click()
    settled(page, "model=gemma-3-27b")
    page.locator("#ck-config").set_input_files({"name": "notes.json", "mimeType": "application/json", "buffer": b"no"})
    page.wait_for_function("document.getElementById('ck-config-said').textContent.includes('notes.json is no config')")


FOREIGN = {
    **{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_attention_heads": 4},
    **{"num_key_value_heads": 2, "num_hidden_layers": 3, "max_position_embeddings": 2048},
}


@NARROW
def test_a_config_of_no_model_on_record_is_answered_and_its_address_asks_for_it_again(check):
    page = check(engine="vllm", hardware="h100-sxm")
    drop(page, FOREIGN)
    settled(page, "model=config.json")
    page.wait_for_selector("#ck-head .ck-chip")
    assert verdict(page) == "only-with"  # as infercompat check vllm --from-config config.json --hardware h100-sxm has it
    assert "config.json" in page.locator("#ck-head").inner_text()
    assert "3 layers were read from config.json: 3 full" in page.locator("#ck-config-said").inner_text()
    assert "2,048 tokens, the model's own" in page.locator("#ck-tokens").inner_text()
    cells = page.locator(".ck-parts tr:has(.ck-cache) td[title]").evaluate_all("cells => cells.map((cell) => cell.title)")
    assert cells == [f"{3 * 2048 * 2 * 2 * 16 * 2:,} bytes"]  # 3 layers of 2048 tokens, K and V of 2 heads of 16, two bytes each
    assert "vllm serve config" in page.locator("#ck-serve").inner_text()
    page.reload()
    page.wait_for_function(READY)
    assert "drop it again" in page.locator("#ck-head").inner_text()
    assert verdict_of_refusal(page) == "unknown"
    drop(page, {**FOREIGN, "num_hidden_layers": 4})
    page.wait_for_function("document.getElementById('ck-config-said').textContent.includes('4 layers were read')")
    page.wait_for_function("document.querySelector('#ck-again')")


@WIDE
def test_the_weights_of_a_config_are_counted(check):
    """Three layers of q, k, v and o, a network and two norms; embedding and output in rows padded to 64; a norm; and a table of positions."""
    page = check(engine="vllm", hardware="h100-sxm", context=2048)
    drop(page, {**FOREIGN, "intermediate_size": 128, "vocab_size": 1000, "torch_dtype": "bfloat16"})
    settled(page, "model=config.json")
    page.wait_for_selector(".ck-parts tr:has(.ck-weights)")
    layer = 2 * 64 * 64 + 2 * 32 * 64 + 3 * 64 * 128 + 2 * 64
    weights = 2 * (3 * layer + 2 * 1024 * 64 + 64) + 2048 * 16 * 2
    assert titles(page, "weights") == [f"{weights:,} bytes"]
    assert "Longest that surely fits: 2,048 tokens" in page.locator("#ck-room").inner_text()


@WIDE
def test_a_gguf_file_tells_its_layers_and_its_weights(check, tmp_path):
    keys = files.base(2, 256, 4, 4096, attention__head_count_kv=2, feed_forward_length=512)
    tensors = {f"blk.{index}.attn_q.weight": ((256, 256), "Q4_K") for index in range(2)}
    tensors |= {"token_embd.weight": ((100, 256), "Q8_0"), "output.weight": ((100, 256), "Q6_K")}
    content = files.write(tmp_path / "mine.gguf", "llama", keys, tensors, tokens=100).read_bytes()
    page = check(engine="llama.cpp", hardware="rtx-4090", context=2048)
    give(page, "mine.gguf", content)
    settled(page, "model=mine.gguf")
    page.wait_for_selector(".ck-parts tr:has(.ck-weights)")
    told = page.locator("#ck-config-said").inner_text()
    assert "mine.gguf is a file of LlamaForCausalLM. Its header lists 4 tensors" in told
    assert "2 layers were read from mine.gguf: 2 full" in told
    # The embedding stays in host memory.
    assert titles(page, "weights") == [f"{2 * 256 * 144 + 100 * 210:,} bytes"]
    assert page.locator("#ck-command").inner_text().startswith("infercompat check llama.cpp --from-config mine.gguf")
    for name, wrong, words in (
        ("cut.gguf", content[:300], "cut.gguf is no model that can be read: ends within its header"),
        ("odd.gguf", b"GGML", "odd.gguf is no model that can be read: not a GGUF file: it does not begin with GGUF"),
        ("long.gguf", content[:24] + b"\xff" * 8, "long.gguf is no model that can be read: ends within its header"),
    ):
        give(page, name, wrong)
        page.wait_for_function(f"document.getElementById('ck-config-said').textContent.includes({json.dumps(words)})")


@WIDE
def test_a_config_that_no_reader_reads_is_told_with_its_reason(check):
    page = check(engine="vllm")
    drop(page, {"architectures": ["UnheardOfForCausalLM"], "model_type": "unheard_of"})
    page.wait_for_function(f"document.getElementById('ck-config-said').textContent.includes('not worked out') && {READY}")
    assert "a reader for unheard_of" in page.locator("#ck-config-said").inner_text()
    drop(page, {**FOREIGN, "num_hidden_layers": "many"})
    page.wait_for_function("document.getElementById('ck-config-said').textContent.includes(\"num_hidden_layers ('many' is not a size)\")")
    page.locator("#ck-config").set_input_files({"name": "list.json", "mimeType": "application/json", "buffer": b"[1, 2]"})
    page.wait_for_function("document.getElementById('ck-config-said').textContent.includes('list.json is no config: a config is a JSON object')")


def drop(page, config: dict) -> None:
    give(page, "config.json", json.dumps(config).encode())


def give(page, name: str, content: bytes) -> None:
    page.locator("#ck-config").set_input_files({"name": name, "mimeType": "application/octet-stream", "buffer": content})


def titles(page, part: str) -> list[str]:
    """The exact size of a part of the device, as its cell tells it."""
    return page.locator(f".ck-parts tr:has(.ck-{part}) td[title]").evaluate_all("cells => cells.map((cell) => cell.title)")


@WIDE
def test_what_cannot_be_asked_is_said_in_a_sentence(check):
    page = check(model="gemma-3-27b", engine="vllm", version="zero")
    assert "'zero' is no pep440 version of vllm" in page.locator("#ck-head").inner_text()
    page.locator("input[name=version]").fill("")
    page.locator("input[name=model]").fill("nobody/has-heard-of-this")
    page.locator("input[name=model]").press("Enter")
    page.wait_for_function("document.getElementById('ck-head').textContent.includes('is not in the catalog')")
    assert verdict_of_refusal(page) == "unknown"
    page.wait_for_function("document.getElementById('ck-status').textContent.includes('is not in the catalog')")


def verdict_of_refusal(page) -> str:
    return page.locator("#ck-head .ic-chip").inner_text().split()[1]


@WIDE
def test_the_verdict_is_heard_once_it_has_settled(check):
    model, engine, options = STACK
    page = check(**fields(model, engine, options))
    page.wait_for_function("document.getElementById('ck-status').textContent !== ''")
    assert page.locator("#ck-status").inner_text().startswith(f"{verdict(page)}: ")


@WIDE
def test_everything_is_reached_by_the_keyboard(check):
    page = check(model="gemma-3-27b", engine="vllm", hardware="h100-sxm", context="32768")
    page.evaluate("document.getElementById('ck-fields').open = true")
    page.locator("input[name=model]").focus()
    reached = set()
    for _ in range(26):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("(({ name, id, tagName, textContent }) => name || id || `${tagName} ${textContent}`)(document.activeElement)"))
    assert {"checkpoint", "ck-config", "engine", "version", "hardware", "gpus", "context", "cache", "spec", "tp", "set", "require", "BUTTON Clear"} <= reached
    assert {"ck-context", "BUTTON Copy", "SUMMARY Why each part is there"} <= reached
    assert any(one.startswith("BUTTON set ") for one in reached)


def test_without_a_script_the_command_line_is_named(browser, server):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(server + "check/")
    assert "infercompat check gemma-3-27b vllm --hardware h100-sxm" in page.locator(".ck noscript").inner_text()
    assert page.locator("#ck-stage").is_hidden()
    context.close()
