"""Encoders keep nothing, and say why."""

import pytest

from infercompat.derive import derive


@pytest.mark.parametrize("model_type", ["bert", "xlm-roberta", "modernbert", "nomic_bert", "wav2vec2", "llama_bidirec"])
def test_encoders_keep_no_cache(model_type):
    derived = derive({"model_type": model_type, "num_hidden_layers": 12, "hidden_size": 768, "num_attention_heads": 12})
    assert derived.counts() == {"none": 12}
    assert derived.cost().ideal_bytes(8192) == derived.cost().naive_bytes(8192) == 0
    assert derived.notes == ("an encoder: it reads the whole input in one pass and keeps no cache",)


def test_jina_v5_is_an_encoder_or_a_decoder():
    values = {"model_type": "jina_embeddings_v5", "num_hidden_layers": 28, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 128}
    assert derive(values).counts() == {"full": 28}
    assert derive(values).cost().ideal.growing_bytes_per_token == 28 * 2 * 8 * 128 * 2
    assert derive(values | {"is_decoder": False}).counts() == {"none": 28}
