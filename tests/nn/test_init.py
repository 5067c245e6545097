"""Initialisers: torch's own numbers from seed 0, their statistics, and what they refuse."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import init

DRAWN = [
    ("uniform_", {"a": -0.3, "b": 2.0}, (2, 3), [0.8414, 1.4669, -0.0965, 0.0037, 0.4071, 1.1584]),
    ("normal_", {"mean": 1.0, "std": 0.2}, (2, 3), [1.3082, 0.9413, 0.5642, 1.1137, 0.7831, 0.7203]),
    (
        "trunc_normal_",
        {"std": 0.7, "a": -1.0, "b": 0.5},
        (2, 3),
        [0.2823, -0.2054, -0.5035, 0.3979, -0.7592, -0.979],
    ),
    ("trunc_normal_", {"a": 1.0, "b": 2.0}, (2, 3), [1.4963, 1.1689, 1.0885, 1.132, 1.3074, 1.6341]),
    ("xavier_uniform_", {"gain": 2.0}, (2, 3), [-0.0164, 1.1753, -1.8032, -1.6124, -0.8438, 0.5875]),
    ("xavier_normal_", {}, (2, 3), [0.9746, -0.1856, -1.378, 0.3595, -0.6859, -0.8845]),
    (
        "kaiming_uniform_",
        {"a": 0.1, "mode": "fan_out"},
        (2, 3),
        [-0.0129, 0.9245, -1.4185, -1.2684, -0.6638, 0.4622],
    ),
    (
        "kaiming_normal_",
        {"nonlinearity": "relu"},
        (2, 3),
        [1.2582, -0.2396, -1.779, 0.4641, -0.8855, -1.1419],
    ),
    ("orthogonal_", {"gain": 1.5}, (2, 3), [0.861, -0.1639, -1.2173, -0.5181, -1.3963, -0.1784]),
    ("orthogonal_", {}, (3, 2), [0.535, -0.1699, -0.7564, 0.3402, -0.3765, -0.9249]),
    ("sparse_", {"sparsity": 0.3}, (2, 3), [0.0, -0.0029, 0.0, 0.0057, 0.0, -0.014]),
]


@pytest.mark.parametrize(("name", "options", "shape", "expected"), DRAWN)
def test_numbers_are_torchs(name, options, shape, expected):
    torch.manual_seed(0)
    tensor = torch.empty(shape, requires_grad=True)
    assert getattr(init, name)(tensor, **options) is tensor
    np.testing.assert_allclose(tensor.detach().numpy().reshape(-1), expected, atol=6e-5)


def test_layers_have_torchs_weights():
    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    np.testing.assert_allclose(
        layer.weight.tolist(), [[-0.0043, 0.3097, -0.4752], [-0.4249, -0.2224, 0.1548]], atol=6e-5
    )
    np.testing.assert_allclose(layer.bias.tolist(), [-0.0114, 0.4578], atol=6e-5)
    torch.manual_seed(0)
    table = nn.Embedding(3, 2, padding_idx=1)
    np.testing.assert_allclose(table.weight.tolist(), [[1.541, -0.2934], [0, 0], [-1.0845, -1.3986]], atol=6e-5)


def test_fixed_values():
    assert init.constant_(torch.empty(2), 0.5).tolist() == [0.5, 0.5]
    assert init.ones_(torch.empty(1)).item() == 1 and init.zeros_(torch.empty(1)).item() == 0
    assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
    kernel = init.dirac_(torch.empty(4, 2, 3), groups=2)
    assert kernel[:, :, 1].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]] and kernel.sum().item() == 4


def test_orthogonal_columns_have_length_one():
    tensor = init.orthogonal_(torch.empty(6, 2, 2))
    columns = tensor.numpy().reshape(6, 4)
    np.testing.assert_allclose(columns.T @ columns, np.eye(4), atol=1e-6)


@pytest.mark.parametrize(
    ("name", "std"),
    [("xavier_uniform_", math.sqrt(2 / 700)), ("kaiming_normal_", math.sqrt(2 / 400)), ("normal_", 1.0)],
)
def test_spread_of_the_numbers(name, std):
    torch.manual_seed(1)
    assert getattr(init, name)(torch.empty(300, 400)).std().item() == pytest.approx(std, rel=0.01)


@pytest.mark.parametrize(
    ("nonlinearity", "gain"),
    [("linear", 1), ("conv2d", 1), ("sigmoid", 1), ("tanh", 5 / 3), ("relu", math.sqrt(2)), ("selu", 0.75)],
)
def test_gain(nonlinearity, gain):
    assert init.calculate_gain(nonlinearity) == gain


def test_gain_of_leaky_relu_takes_its_slope():
    assert init.calculate_gain("leaky_relu") == math.sqrt(2 / 1.0001)
    assert init.calculate_gain("leaky_relu", 1) == 1
    with pytest.raises(ValueError, match="not a valid number"):
        init.calculate_gain("leaky_relu", True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: init.calculate_gain("other"), "Unsupported nonlinearity other"),
        (lambda: init.xavier_uniform_(torch.empty(3)), "fewer than 2 dimensions"),
        (lambda: init.kaiming_normal_(torch.empty(2, 2), mode="other"), "Mode other not supported"),
        (lambda: init.orthogonal_(torch.empty(3)), "2 or more dimensions"),
        (lambda: init.eye_(torch.empty(3)), "2 dimensions"),
        (lambda: init.sparse_(torch.empty(3), 0.1), "2 dimensions"),
        (lambda: init.dirac_(torch.empty(3)), "3, 4, or 5 dimensions"),
        (lambda: init.dirac_(torch.empty(3, 1, 1), groups=2), "divisible by groups"),
    ],
)
def test_what_cannot_be_initialised(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_warnings():
    for draw in (init.kaiming_uniform_, init.kaiming_normal_):
        with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
            draw(torch.empty(0, 3))
    assert init.orthogonal_(torch.empty(0, 3)).shape == (0, 3)
    with pytest.warns(UserWarning, match="more than 2 std"):
        init.trunc_normal_(torch.empty(3), 0.0, 1.0, 3.0, 4.0)
    with pytest.warns(FutureWarning, match="deprecated in favor of `nn.init.constant_`"):
        init.constant(torch.empty(1), 3)


def test_initialisers_count_their_writes():
    weight = torch.empty(3, 4).requires_grad_()
    assert (init.eye_(weight)._version, weight[1].tolist()) == (1, [0, 1, 0, 0])
    # one for the numbers, and one for the zeros of each column
    assert init.sparse_(weight, 0.5)._version == 1 + 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_there_are_no_orthogonal_matrices_in_half_precision(dtype):
    with pytest.raises(NotImplementedError, match='"geqrf_cpu" not implemented for'):
        torch.nn.init.orthogonal_(torch.ones(3, 3, dtype=dtype))


def test_orthogonal_numbers_go_into_what_can_be_seen_as_a_matrix():
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        torch.nn.init.orthogonal_(torch.ones(3, 3, 3).permute(2, 1, 0))


def test_truncated_normal_numbers_are_written_twice_at_most():
    torch.manual_seed(0)
    x = torch.empty(40)
    before = x._version
    torch.nn.init.trunc_normal_(x)
    assert x._version - before == 2
