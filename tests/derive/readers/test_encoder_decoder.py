"""Decoders with cross-attention."""

from infercompat.derive import Layer, derive

from ..configs import WHISPER_LARGE_V3


def test_whisper():
    derived = derive(WHISPER_LARGE_V3)
    assert derived.layers == (Layer("full", 20, 64, 64, cross_tokens=1500),) * 32
    assert derived.context.native == 448
    assert derived.requirements == {
        "cross-attention": "cross-attention positions 1500 on 32 of 32 layers",
        "audio-input": "the encoder hears log-mel spectrograms",
    }


def test_bart_counts_the_longest_source():
    values = {"model_type": "bart", "d_model": 1024, "decoder_layers": 12, "decoder_attention_heads": 16, "max_position_embeddings": 1024}
    derived = derive(values | {"encoder_layers": 6})
    assert derived.layers == (Layer("full", 16, 64, 64, cross_tokens=1024),) * 12
    assert "longest" in derived.notes[0]


def test_t5_heads_do_not_split_the_model():
    values = {"model_type": "t5", "d_model": 512, "d_kv": 128, "num_heads": 8, "num_layers": 6, "n_positions": 512}
    assert derive(values).layers == (Layer("full", 8, 128, 128, cross_tokens=512),) * 6
    assert len(derive(values | {"num_decoder_layers": 2}).layers) == 2
    del values["n_positions"]
    assert derive(values).missing == ("n_positions",)


MLLAMA = {
    "model_type": "mllama",
    "text_config": {
        "model_type": "mllama_text_model",
        "num_hidden_layers": 100,
        "num_attention_heads": 64,
        "num_key_value_heads": 8,
        "hidden_size": 8192,
        "cross_attention_layers": list(range(3, 100, 5)),
    },
    "vision_config": {"image_size": 560, "patch_size": 14, "max_num_tiles": 4},
}


def test_mllama_cross_layers_hold_vision_tokens_only():
    derived = derive(MLLAMA)
    assert derived.counts() == {"full": 80, "cross": 20}
    assert derived.layers[3].cross_tokens == 4 * 1601
    assert derived.cost().ideal.growing_bytes_per_token == derived.cost().naive.bytes_per_token == 80 * 2 * 8 * 128 * 2
    assert derived.requirements.keys() == {"cross-attention", "image-input"}


def test_mllama_needs_its_tiles_and_its_layers():
    assert derive(MLLAMA["text_config"]).missing == tuple(f"vision_config.{name}" for name in ("image_size", "patch_size", "max_num_tiles"))
    wrong = MLLAMA | {"text_config": MLLAMA["text_config"] | {"cross_attention_layers": [100]}}
    assert derive(wrong).missing == ("cross_attention_layers",)
