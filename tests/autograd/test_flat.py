"""Gradients that do not depend on their input: their own gradients are zero, not an error."""

import pytest

import rushlight as torch
from rushlight.nn import functional


@pytest.mark.parametrize(
    "function",
    [
        functional.relu,
        functional.leaky_relu,
        functional.hardtanh,
        functional.hardshrink,
        lambda x: functional.threshold(x, 0.0, 1.0),
        lambda x: functional.max_pool2d(x, 2),
        lambda x: functional.avg_pool2d(x, 2),
        lambda x: functional.adaptive_avg_pool2d(x, 2),
        lambda x: functional.pad(x, (1, 1, 1, 1), "replicate"),
        lambda x: functional.conv2d(x, torch.ones(1, 1, 2, 2)),
    ],
)
@pytest.mark.parametrize("leaf", [True, False])
def test_second_derivatives_of_functions_of_straight_pieces_are_zero(function, leaf):
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    point = x if leaf else x * 1
    (slope,) = torch.autograd.grad(function(point).sum(), point, create_graph=True)
    assert slope.requires_grad
    slope.sum().backward()
    assert x.grad.tolist() == torch.zeros(1, 1, 4, 4).tolist()


def test_the_slope_of_a_bias_is_recorded_beside_that_of_its_input():
    x, bias = torch.ones(1, 1, 3, requires_grad=True), torch.ones(1, requires_grad=True)
    weight = torch.ones(1, 1, 2)
    slopes = torch.autograd.grad(functional.conv1d(x, weight, bias).sum(), (x, bias), create_graph=True)
    assert [each.requires_grad for each in slopes] == [True, True]
    (slope,) = torch.autograd.grad(functional.conv1d(x.detach(), weight, bias).sum(), bias, create_graph=True)
    assert not slope.requires_grad


def test_the_node_has_the_name_of_torchs_gradient():
    x = torch.ones(2, requires_grad=True)
    for function, name in [
        (functional.relu, "ThresholdBackwardBackward0"),
        (functional.leaky_relu, "LeakyReluBackwardBackward0"),
        (functional.hardtanh, "HardtanhBackwardBackward0"),
    ]:
        (slope,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        assert slope.grad_fn.name() == name


def test_a_plain_backward_records_nothing():
    x = torch.ones(2, requires_grad=True)
    torch.relu(x).sum().backward()
    assert not x.grad.requires_grad


@pytest.mark.parametrize(
    ("shape", "function"),
    [
        ((), lambda x: x.prod()),
        ((), lambda x: x.prod(-1)),
        ((3,), lambda x: x.repeat(0).exp()),
        ((3,), lambda x: x.as_strided((0,), (1,)).exp()),
    ],
)
def test_gradients_of_single_numbers_and_of_nothing_have_no_history(shape, function):
    x = torch.ones(shape, requires_grad=True)
    found = torch.autograd.grad(function(x).sum(), x, create_graph=True)[0]
    assert not found.requires_grad and found.shape == shape


def test_the_gradient_of_relu_leads_back_through_relu_as_it_comes_from_the_result():
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    y = (x * 2).relu()
    (slope,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    assert torch.autograd.grad(slope.sum(), y, retain_graph=True)[0].tolist() == [0, 0]
    (second,) = torch.autograd.grad(slope.sum(), x, create_graph=True)
    assert torch.autograd.grad(second.sum(), x, retain_graph=True)[0].tolist() == [0, 0]
    y.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(slope.sum(), x)
