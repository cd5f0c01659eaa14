"""What layers and configs demand by themselves, with the reasons as people read them."""

from infercompat.derive import derive
from infercompat.derive.config import Config
from infercompat.derive.layers import Layer
from infercompat.derive.readers.requirements import from_config, from_layers

from .. import configs


def test_windows_chunks_sharing_and_wide_heads():
    layers = [Layer("sliding", 1, 64, 64, 512)] * 2 + [Layer("sliding", 1, 64, 64, 128), Layer("full", 1, 512, 512, shares=True)]
    assert from_layers(layers) == {
        "sliding-window": "sliding_window 128 on 1 of 4 layers, sliding_window 512 on 2 of 4 layers",
        "kv-sharing": "1 of 4 layers use another layer's keys and values",
        "head-dim-over-256": "head width 512 on 1 of 4 layers",
    }
    assert from_layers([Layer("chunked", 1, 64, 64, 8192)]) == {"chunked-attention": "attention_chunk_size 8192 on 1 of 1 layers"}
    assert from_layers([Layer("full", 1, 256, 256)] * 3) == {}


def test_a_latent_is_no_wide_head():
    assert from_layers([Layer("latent", 128, 576, 512, latent_width=576)]) == {}


def test_fields_of_any_config():
    values = {
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
        "attn_logit_softcapping": 50.0,
        "hidden_size_per_layer_input": 256,
        "quantization_config": {"quant_method": "mxfp4"},
        "audio_config": {"d_model": 4},
        "visual": {"depth": 4},
    }
    assert from_config(Config(values)) == {
        "moe": "8 experts, 2 for each token",
        "logit-softcap": "attn_logit_softcapping 50.0",
        "per-layer-embeddings": "hidden_size_per_layer_input 256",
        "mxfp4-weights": "quantization_config names mxfp4",
        "image-input": "visual present",
        "audio-input": "audio_config present",
    }


def test_what_is_null_empty_or_one_demands_nothing():
    values = {
        "num_experts": 1,
        "attn_logit_softcapping": None,
        "final_logit_softcapping": 30.0,
        "hidden_size_per_layer_input": 0,
        "vision_config": None,
        "audio_config": {},
    }
    assert from_config(Config(values)) == {}


def test_phi_4_multimodal_keeps_its_encoder_of_pictures_in_the_embedding_layer():
    values = {"embd_layer": {"embedding_cls": "image_audio", "image_embd_layer": {"crop_size": 448}}, "audio_processor": {"name": "cascades"}}
    assert from_config(Config(values)) == {"image-input": "embd_layer present", "audio-input": "audio_processor present"}


def test_whole_models():
    assert derive(configs.GEMMA_3_27B).requirements == {
        "sliding-window": "sliding_window 1024 on 52 of 62 layers",
        "image-input": "vision_config present",
    }
    assert derive(configs.GPT_OSS_120B).requirements == {
        "sliding-window": "sliding_window 128 on 18 of 36 layers",
        "moe": "128 experts, 4 for each token",
        "mxfp4-weights": "quantization_config names mxfp4",
        "attention-sinks": "attention sinks are in the code of GptOss (transformers modeling_gpt_oss.py)",
    }
    assert derive(configs.LLAMA_3_1_8B).requirements == {}
