"""Ollama: the cells of llama-server with a context for each slot."""

import pytest

from .configs import GIB, ask, sized

GEMMA = {"architecture": "Gemma4ForConditionalGeneration"}
BATCH = {"setting.num_batch": 512}


@pytest.mark.parametrize(("length", "gigabytes"), [(4096, "0.40"), (8192, "0.48"), (32768, "0.99"), (131072, "3.00")])
def test_gemma_4_26b_in_decimal_gigabytes(length, gigabytes):
    # https://github.com/ollama/ollama/pull/16958, the column of what is really allocated
    answer = sized("ollama", "0.32.15", "gemma-4-26b-a4b", max_model_len=length, settings=BATCH, **GEMMA)
    assert f"{answer.reserved / 1e9:.2f}" == gigabytes


def test_every_slot_has_the_whole_context():
    one, four = (sized("ollama", "0.32.15", "llama-3.1-8b", max_model_len=4096, max_num_seqs=slots) for slots in (1, 4))
    assert four.reserved == 4 * one.reserved == 4 * 4096 * 131072
    assert four.capacity_tokens == 4 * 4096


def test_some_architectures_have_one_slot():
    answer = sized("ollama", "0.32.15", "qwen3.5-9b", max_model_len=4096, max_num_seqs=4)
    assert answer.reserved == 4096 * 8 * 2048 * 2 + answer.state_bytes
    assert answer.because == ("this architecture is given one slot, whatever is asked",)


@pytest.mark.parametrize(("gib", "tokens"), [(16, 4096), (24, 32768), (80, 131072)])
def test_the_context_follows_memory_and_training(gib, tokens):
    assert sized("ollama", "0.32.15", "llama-3.1-8b", settings={"hardware.memory_bytes": gib * GIB}).capacity_tokens == tokens


def test_without_memory_or_length_the_context_is_unknown():
    assert ask("ollama", "0.32.15", "llama-3.1-8b").missing == ("max_model_len",)


def test_windowed_layers_need_the_batch_once_contexts_are_long():
    assert ask("ollama", "0.32.15", "gemma-4-26b-a4b", max_model_len=8192, **GEMMA).missing == ("setting.num_batch",)
    assert sized("ollama", "0.32.15", "gemma-4-26b-a4b", max_model_len=4096, **GEMMA).figure("windowed_cells") == 1536
    larger = {"setting.num_batch": 2048}
    assert sized("ollama", "0.32.15", "gemma-4-26b-a4b", max_model_len=8192, settings=larger, **GEMMA).figure("windowed_cells") == 3072


def test_what_the_cells_cannot_tell_is_unknown():
    assert "index keys" in ask("ollama", "0.32.15", "deepseek-v3.2", max_model_len=4096).reason
