"""The table of readers: every name leads to one of them, and each says where it comes from."""

import ast
import inspect
from pathlib import Path

import pytest

from infercompat.derive import readers
from infercompat.derive.config import Config
from infercompat.derive.layers import Demands, Unknown

SOURCES = ("models/", "model_executor/", "modeling files", "mlc_llm/model/", "fla/layers/")
PROJECTS = ("transformers", "vLLM", "SGLang", "mlc-llm", "flash-linear-attention")


def test_a_name_that_is_claimed_twice_is_an_error():
    with pytest.raises(ValueError, match="two readers answer to 'llama'"):
        readers.unique([("llama", readers.standard.plain), ("qwen2", readers.qwen.qwen2), ("llama", readers.gemma.gemma)])


def test_every_module_of_readers_is_in_the_table():
    folder = Path(readers.__file__).parent
    with_readers = {path.stem for path in folder.glob("*.py") if "READERS = (" in path.read_text(encoding="utf-8")}
    assert len(with_readers) > 5
    assert with_readers == {module.__name__.rpartition(".")[2] for module in readers.MODULES}


def test_every_public_reading_function_is_in_the_table():
    read = {reader.read for reader in readers.READERS}
    for module in readers.MODULES:
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        public = [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
        reading = [node.name for node in public if [argument.arg for argument in node.args.args] == ["config"] and "Unknown" in ast.unparse(node)]
        assert {getattr(module, name) for name in reading} <= read, module.__name__


@pytest.mark.parametrize("reader", readers.READERS, ids=lambda reader: reader.read.__name__)
def test_every_reader_names_the_code_that_decides(reader):
    text = inspect.getdoc(reader.read)
    assert "\n\nDecided by " in text
    assert any(source in text for source in SOURCES)
    assert any(project in text for project in PROJECTS)


@pytest.mark.parametrize("name", readers.BY_NAME)
def test_every_reader_finds_its_fields_missing_in_an_empty_config(name):
    reading = readers.BY_NAME[name](Config({"model_type": name}))
    assert isinstance(reading, Unknown)
    assert reading.missing


@pytest.mark.parametrize("name", ["llama", "LlamaForCausalLM", "qwen3_moe", "DeepseekV4ForCausalLM", "Cohere2ForCausalLM", "phi-msft"])
def test_model_types_and_class_names_are_known(name):
    assert name in readers.BY_NAME


def test_a_reading_is_demands():
    values = {"model_type": "gpt2", "n_layer": 2, "n_head": 4, "n_embd": 32}
    assert isinstance(readers.BY_NAME["gpt2"](Config(values)), Demands)
