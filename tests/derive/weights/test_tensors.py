"""Tensors and their sums."""

from infercompat.derive.weights.tensors import Tensor, counted, linear


def test_a_linear_layer_is_a_matrix_and_perhaps_a_bias():
    assert [tensor.shape for tensor in linear("q", "attention", 3, 5)] == [(3, 5)]
    assert [(tensor.name, tensor.shape, tensor.is_matrix) for tensor in linear("q", "attention", 3, 5, bias=True)] == [
        ("q", (3, 5), True),
        ("q.bias", (3,), False),
    ]


def test_sums_by_part():
    counts = counted([Tensor("a", "mlp", (2, 3)), Tensor("b", "experts", (2, 3), copies=4, active=2), Tensor("c", "norms", (5,))])
    assert (counts.total, counts.active) == (35, 23)
    assert counts.by_part == {"mlp": 6, "experts": 24, "norms": 5}
