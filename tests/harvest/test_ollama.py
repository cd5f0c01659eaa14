"""Ollama's import switch and the models of its MLX runner."""

from __future__ import annotations

import pytest

from infercompat.harvest import Refused
from infercompat.harvest.ollama import CONVERT, read_import, read_mlx

from .trees import grow, said, small

SWITCH = """\
func LoadModelMetadata(fsys fs.FS) error {
	switch p.ModelType {
	case "adapter":
		return nil
	}

	switch p.Architectures[0] {
	case "LlamaForCausalLM":
		conv = &llamaModel{}
	case "Gemma3ForCausalLM", "Gemma3ForConditionalGeneration":
		conv = &gemma3Model{Architecture: "not a case"}
	case "Qwen3NextForCausalLM",
		"Qwen3_5ForConditionalGeneration":
		conv = &qwen{}
	default:
		return fmt.Errorf("unsupported architecture %q", p.Architectures[0])
	}
	switch other {
	case "LaterForCausalLM":
	}
}
"""
# printf '\tcase "LlamaForCausalLM":' | sha256sum
DIGEST = "8f16fef7c1bdfa1b44829fd965f1bfcc88b9b8b13210b31d813bd37a7f10e228"


def test_cases_of_the_switch_and_no_others(tmp_path):
    found = list(read_import(grow(tmp_path, {CONVERT: SWITCH})))
    assert said(found) == [
        "LlamaForCausalLM native L8",
        "Gemma3ForCausalLM native L10",
        "Gemma3ForConditionalGeneration native L10",
        "Qwen3NextForCausalLM native L12",
        "Qwen3_5ForConditionalGeneration native L13",
    ]
    assert found[0].sha256 == DIGEST


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("switch p.Architectures[0] {", "switch arch := name(p); arch {", "nothing switches on the config's first architecture"),
        ('"unsupported architecture %q"', '"trying %q"', r":15: the switch does not end by refusing"),
        ('case "LlamaForCausalLM":', "case llamaName:", r":8: a case that names no class"),
        ("default:", 'case x, "a":', r":7: the switch has no default"),
    ],
)
def test_another_switch_is_refused(tmp_path, old, new, why):
    assert old in SWITCH
    with pytest.raises(Refused, match=why):
        list(read_import(grow(tmp_path, {CONVERT: SWITCH.replace(old, new)})))


def test_an_empty_switch_is_an_error(tmp_path):
    text = 'switch p.Architectures[0] {\ndefault:\n\treturn fmt.Errorf("unsupported architecture")\n}\n'
    with pytest.raises(Refused, match="only 0 claims"):
        small("ollama-gguf").claims(grow(tmp_path, {CONVERT: text}))


IMPORTS = 'package mlxrunner\n\nimport (\n\t_ "github.com/ollama/ollama/x/models/gemma3"\n\t_ "github.com/ollama/ollama/x/models/draft"\n)\n'
MLX = {
    "x/mlxrunner/imports.go": IMPORTS,
    "x/models/gemma3/gemma3.go": 'func init() {\n\tbase.Register("Gemma3ForCausalLM", newModel)\n\tbase.Register("gemma3_alias", newModel)\n}\n',
    "x/models/gemma3/gemma3_test.go": 'base.Register("TestForCausalLM", newModel)\n',
    "x/models/draft/draft.go": 'base.RegisterDraft("DraftModel", newDraft)\n',
    "x/models/left/left.go": 'base.Register("LeftForCausalLM", newModel)\n',
}


def test_registrations_of_folders_that_the_runner_imports(tmp_path):
    assert said(read_mlx(grow(tmp_path, MLX))) == ["Gemma3ForCausalLM native gemma3.go L2", "gemma3_alias native gemma3.go L3"]


@pytest.mark.parametrize(
    ("files", "why"),
    [
        (MLX | {"x/mlxrunner/imports.go": "package mlxrunner\n"}, "x/mlxrunner/imports.go: no model is imported"),
        ({name: text for name, text in MLX.items() if "draft" not in name}, "none of x/models/draft is there"),
        (MLX | {"x/models/gemma3/gemma3.go": "base.Register(name, newModel)\n"}, r"gemma3\.go:1: a registration that names no class"),
    ],
)
def test_another_runner_is_refused(tmp_path, files, why):
    with pytest.raises(Refused, match=why):
        list(read_mlx(grow(tmp_path, files)))


def test_a_runner_without_registrations_is_an_error(tmp_path):
    with pytest.raises(Refused, match="only 0 claims"):
        small("ollama-mlx").claims(grow(tmp_path, MLX | {"x/models/gemma3/gemma3.go": "package gemma3\n"}))
