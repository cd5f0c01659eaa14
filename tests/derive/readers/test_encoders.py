"""Encoders keep nothing, and say why."""

import pytest

from infercompat.derive import derive


@pytest.mark.parametrize("model_type", ["bert", "xlm-roberta", "modernbert", "nomic_bert", "wav2vec2", "llama_bidirec"])
def test_encoders_keep_no_cache(model_type):
    derived = derive({"model_type": model_type, "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12})
    assert derived.counts() == {"none": 12}
    assert derived.cost().ideal_bytes(8192) == derived.cost().naive_bytes(8192) == 0
    assert derived.notes == ("an encoder: it reads the whole input in one pass and keeps no cache",)
