"""The page's script answers the vectors in Chromium as the command does: from the files of the built site, and from nothing else."""

from __future__ import annotations

import base64
import random
import sys
from collections.abc import Iterator

import pytest
from chromium import CHROMIUM

from catalogs import ROOT
from derive.gguf import files
from infercompat.derive import Unknown
from infercompat.derive.gguf import ARCHITECTURES, Unreadable, config_of_header, laid_out_file, read_header
from infercompat.derive.weights.loaded import rank_of

sys.path.insert(0, str(ROOT / "tests" / "vectors"))
import configs
import make

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium (make test installs it when it may)")]

VECTORS = ROOT / "tests" / "vectors"
SHORT = VECTORS / "short.mjs"
ASK = """async ([questions, base]) => {
  const { ask } = await import(base + 'assets/check/reply.js');
  const { askedOf, short } = await import(base + 'assets/short.mjs');
  const answers = [];
  for (const [model, engine, options] of questions) answers.push(short(await ask(askedOf(model, engine, options)), options));
  return answers;
}"""
DERIVED = VECTORS / "derived.mjs"
DERIVE = """async ([text, base]) => {
  const { readJson } = await import(base + 'assets/check/derive/json.js');
  const { derive } = await import(base + 'assets/check/derive/model.js');
  const { memoryOfConfig } = await import(base + 'assets/check/from_config.js');
  const { rankWeights } = await import(base + 'assets/check/weights.js');
  const { configsOf, held, same, told } = await import(base + 'assets/derived.mjs');
  const lines = text.trim().split('\\n').map((line) => JSON.parse(line));
  const found = configsOf(text, readJson).map((config, index) => told(config, Object.keys(lines[index].weights), { derive, memoryOfConfig, rankWeights }));
  return found.map((one, index) => (same(one, held(lines[index])) ? null : [lines[index], one])).filter(Boolean);
}"""
ASK_FOREIGN = """async ([text, questions, base]) => {
  const { readJson } = await import(base + 'assets/check/derive/json.js');
  const { ask } = await import(base + 'assets/check/reply.js');
  const { askedOf, short } = await import(base + 'assets/short.mjs');
  const { configsOf } = await import(base + 'assets/derived.mjs');
  const names = text.trim().split('\\n').map((line) => JSON.parse(line)).map(({ of, config }) => config && of);
  const configs = new Map(configsOf(text, readJson).map((values, index) => [names[index], { name: 'config.json', values }]));
  const answers = [];
  for (const [name, engine, options] of questions) {
    answers.push(short(await ask({ ...askedOf('config.json', engine, options), config: configs.get(name) }), options, true));
  }
  return answers;
}"""
ANY = """async ([texts, base]) => {
  const { readJson } = await import(base + 'assets/check/derive/json.js');
  const { derive } = await import(base + 'assets/check/derive/model.js');
  return texts.map((text) => {
    try {
      const values = readJson(text);
      const found = derive(values);
      return found.unknown ? found.reason : `${found.layers.length} layers`;
    } catch (error) {
      return error instanceof SyntaxError ? 'no JSON' : String(error);
    }
  });
}"""
READ_GGUF = """async ([files, base]) => {
  const { readHeader } = await import(base + 'assets/check/derive/gguf/header.js');
  const { configOfHeader } = await import(base + 'assets/check/derive/gguf/mapping.js');
  const { storedInFile } = await import(base + 'assets/check/derive/gguf/placing.js');
  const { memoryOfConfig, plain } = await import(base + 'assets/check/from_config.js');
  const { rankWeights } = await import(base + 'assets/check/weights.js');
  const { SPLITS } = await import(base + 'assets/derived.mjs');
  const read = async (text) => {
    const header = await readHeader(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const config = configOfHeader(header);
    if (!(config instanceof Map)) return config.missing;
    const memory = memoryOfConfig(config, [], storedInFile(header, config));
    const model = { data: { checkpoints: [{ hub: 'x', format: 'gguf' }] }, memory };
    return [plain(config), memory.checkpoints[0].reason ?? SPLITS.map((split) => rankWeights(model, split, 'x', null))];
  };
  return Promise.all(files.map((text) => read(text).catch((error) => error.message)));
}"""
REFUSE = """async ([asked, base]) => {
  const { ask } = await import(base + 'assets/check/reply.js');
  return ask(asked).then(() => 'answered', (error) => error.message);
}"""


@pytest.mark.parametrize("tab", [1280], indirect=True)
@pytest.mark.parametrize("name", ["defaults", "stacks", "versions"])
def test_the_script_answers_as_the_command_does(tab, server, name):
    """A part of each file; `.ci/run` asks all."""
    vectors = make.kept(name, 5)
    assert len(vectors) > 400
    tab.route(server + "assets/short.mjs", lambda route: route.fulfill(path=SHORT, content_type="text/javascript"))
    tab.goto(server)
    answers = tab.evaluate(ASK, [[vector["ask"] for vector in vectors], server])
    wrong = [(vector["ask"], vector["answer"], answer) for vector, answer in zip(vectors, answers, strict=True) if vector["answer"] != answer]
    assert [ask for ask, _, _ in wrong] == [], wrong[0]
    assert tab.faults == []
    assert [url for url in tab.requested if not url.startswith((server, "data:"))] == []


@pytest.mark.parametrize("tab", [1280], indirect=True)
@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"engine": "vlm"}, "there is no engine vlm; nearest: vllm, mlx-vlm, vllm-metal"),
        ({"engine": "flashinfer"}, "FlashInfer is a kernel library: it gates engines and serves no model itself"),
        ({"hardware": "8xH100"}, "there is no hardware 8xH100; for 8 devices write --hardware h100-sxm --gpus 8"),
        ({"settings": {"max_num_seqs": "0"}}, "max_num_seqs is 1 or more, not 0"),
        ({"settings": {"pipeline_parallel": "5000"}}, "pipeline_parallel is 4096 at most, not 5000"),
        ({"engine": "exllamav3", "settings": {"setting.cache_size": "abc"}}, "setting.cache_size is a number, not abc"),
        ({"settings": {"model.heads": "8"}}, "model.heads follows from the model: it is not set"),
        ({"gpus": 2, "tp": 4}, "tensor_parallel 4 take 4 devices, not 2; ask with --gpus 4 or more, or name fewer ranks"),
        ({"settings": {"setting.max_lora_rank": "20"}}, "setting.max_lora_rank is never 20 on vllm 0.33.0; known: 1, 8, 16, 32, 64, 128, 256, 320, 512"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_command_s_words(tab, server, asked, message):
    tab.goto(server)
    assert tab.evaluate(REFUSE, [{"model": "gemma-3-27b", "engine": "vllm", **asked}, server]) == message


@pytest.mark.parametrize("tab", [1280], indirect=True)
def test_the_script_derives_as_the_program_does(tab, server):
    text = (VECTORS / "configs.jsonl").read_text("utf-8")
    assert text.count("\n") > 1500
    assert text.count('"layer_kinds"') > 800
    tab.route(server + "assets/derived.mjs", lambda route: route.fulfill(path=DERIVED, content_type="text/javascript"))
    tab.goto(server)
    assert tab.evaluate(DERIVE, [text, server]) == []
    assert tab.faults == []


@pytest.mark.parametrize("tab", [1280], indirect=True)
def test_the_script_answers_about_a_config_as_from_config_does(tab, server):
    text = (VECTORS / "configs.jsonl").read_text("utf-8")
    vectors = make.kept("foreign")
    assert len(vectors) > 100
    tab.route(server + "assets/short.mjs", lambda route: route.fulfill(path=SHORT, content_type="text/javascript"))
    tab.route(server + "assets/derived.mjs", lambda route: route.fulfill(path=DERIVED, content_type="text/javascript"))
    tab.goto(server)
    answers = tab.evaluate(ASK_FOREIGN, [text, [vector["ask"] for vector in vectors], server])
    wrong = [(vector["ask"], vector["answer"], answer) for vector, answer in zip(vectors, answers, strict=True) if vector["answer"] != answer]
    assert [ask for ask, _, _ in wrong] == [], wrong[0]
    assert tab.faults == []


TENSORS = {
    **{"token_embd.weight": ((32, 256), "Q4_K"), "blk.0.attn_q.weight": ((4, 256), "Q4_K"), "blk.0.attn_k.weight": ((8, 256), "Q5_K")},
    **{"blk.0.attn_k.bias": ((64,), "F32"), "blk.1.ffn_down_exps.weight": ((4, 2, 256), "Q6_K"), "blk.1.ffn_gate_inp.weight": ((4, 256), "F32")},
    **{"blk.1.ssm_conv1d.weight": ((64, 4), "F32"), "blk.2.ssm_a": ((64,), "F16"), "output_norm.weight": ((256,), "F32")},
}


def headers(folder) -> Iterator[bytes]:
    """Files of every architecture with keys of several families, and one of them cut and with bytes that are wrong."""
    families = [value for name, value in vars(files).items() if name.isupper() and isinstance(value, dict) and "block_count" in value]
    for place, architecture in enumerate(ARCHITECTURES):
        for turn in range(4):
            keys = families[(place + 5 * turn) % len(families)]
            yield files.write(folder / "model.gguf", architecture, keys, TENSORS, tokens=turn * 20).read_bytes()
    content, chance = files.write(folder / "model.gguf", "gemma3n", files.GEMMA_3N_E2B, TENSORS, tokens=40).read_bytes(), random.Random(7)
    for turn in range(100):
        broken = bytearray(content)
        broken[chance.randrange(2000)] = chance.choice([0, 1, 127, 255])
        yield bytes(broken[: chance.randrange(len(broken))] if turn % 3 == 0 else broken)


def told_of(path):
    header = read_header(path)
    if isinstance(header, Unreadable):
        return header.reason
    config = config_of_header(header)
    if isinstance(config, Unknown):
        return list(config.missing)
    found = laid_out_file(header, config)
    return [config, found.reason if isinstance(found, Unknown) else [[held.low, held.high] for held in (rank_of(found, split) for split in configs.SPLITS)]]


@pytest.mark.parametrize("tab", [1280], indirect=True)
def test_the_script_reads_headers_of_gguf_files_as_the_program_does(tab, server, tmp_path):
    contents, wanted = list(headers(tmp_path)), []
    for content in contents:
        (tmp_path / "one.gguf").write_bytes(content)
        wanted.append(told_of(tmp_path / "one.gguf"))
    assert sum(isinstance(one, list) and isinstance(one[0], dict) for one in wanted) > 50
    tab.route(server + "assets/derived.mjs", lambda route: route.fulfill(path=DERIVED, content_type="text/javascript"))
    tab.goto(server)
    found = tab.evaluate(READ_GGUF, [[base64.b64encode(content).decode() for content in contents], server])
    large = "this page does not count numbers as large as the config's"
    wrong = [(want, got) for want, got in zip(wanted, found, strict=True) if want != got and not (isinstance(got, list) and got[1:] == [large])]
    assert wrong == []
    assert tab.faults == []


@pytest.mark.parametrize("tab", [1280], indirect=True)
def test_any_json_is_read_or_refused(tab, server):
    unnamed, unworked = "the config does not say which architecture it belongs to", "this architecture is not worked out"
    small = '"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4'
    texts = {
        "": "no JSON",
        "[": "no JSON",
        '{"a": 01}': "no JSON",
        "{'a': 1}": "no JSON",
        '{"a": 1,}': "no JSON",
        '{"a": "\t"}': "no JSON",
        "[" * 100_000: "no JSON",
        "[]": "the config is not a mapping",
        "3": "the config is not a mapping",
        "null": "the config is not a mapping",
        "{}": unnamed,
        '\ufeff{"a": NaN, "b": [-Infinity, 1e999]}': unnamed,
        '{"__proto__": {"model_type": "llama"}, "constructor": 1}': unnamed,
        '{"model_type": "__proto__"}': unworked,
        '{"model_type": "valueOf", "text_config": {"model_type": [[]]}}': unworked,
        f'{{{small}, "num_hidden_layers": 3}}': "3 layers",
        f'{{{small}, "num_hidden_layers": 3.0}}': "the config lacks fields that decide the layers",
        f'{{{small}, "num_hidden_layers": 123456789012345678901234567890}}': "the config lacks fields that decide the layers",
        f'{{{small}, "num_hidden_layers": {{"__proto__": []}}}}': "the config lacks fields that decide the layers",
        '{"model_type": "lfm2", "layer_types": ["conv"], "hidden_size": 281474976710655, "conv_L_cache": 281474976710655, "head_dim": 1, '
        '"num_key_value_heads": 1}': "this page does not count numbers as large as the config's",
    }
    tab.goto(server)
    assert dict(zip(texts, tab.evaluate(ANY, [list(texts), server]), strict=True)) == texts
