"""What Gemma 4 stores beside a plain decoder."""

from infercompat.derive.weights.count import tensors_of

from . import shapes


def by_name(config):
    return {tensor.name: tensor for tensor in tensors_of(config)}


def test_full_layers_share_one_matrix_for_keys_and_values():
    tensors = by_name(shapes.GEMMA_4_31B)
    assert tensors["layers.0.self_attn.v_proj"].shape == (4096, 5376)
    assert tensors["layers.5.self_attn.k_proj"].shape == (2048, 5376)
    assert "layers.5.self_attn.v_proj" not in tensors


def test_sharing_layers_have_no_keys_and_a_network_twice_as_wide():
    tensors = by_name(shapes.GEMMA_4_E2B)
    assert tensors["layers.14.mlp.gate_proj"].shape == (6144, 1536)
    assert tensors["layers.15.mlp.gate_proj"].shape == (12288, 1536)
    assert "layers.14.self_attn.k_proj" in tensors
    assert "layers.15.self_attn.k_proj" not in tensors


def test_per_layer_embeddings():
    tensors = by_name(shapes.GEMMA_4_E2B)
    assert tensors["embed_tokens_per_layer"].shape == (262144, 35 * 256)
    assert tensors["layers.3.per_layer_projection"].shape == (1536, 256)
    assert "embed_tokens_per_layer" not in by_name(shapes.GEMMA_4_31B)


def test_experts_stand_beside_a_network():
    tensors = by_name(shapes.GEMMA_4_26B_A4B)
    assert tensors["layers.0.mlp.up_proj"].shape == (2112, 2816)
    assert (tensors["layers.0.experts.0.down_proj"].shape, tensors["layers.0.experts.0.down_proj"].active) == ((2816, 704), 8)
