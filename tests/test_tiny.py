"""Rushlight in a dozen sentences: if one of them fails, nothing else needs to be looked at."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


def test_tensors_are_created_with_torchs_dtypes():
    assert torch.tensor([1, 2]).dtype == torch.int64
    assert torch.tensor([1.0, 2]).dtype == torch.float32
    assert torch.zeros(2, 3).shape == (2, 3)
    assert torch.arange(3).tolist() == [0, 1, 2]


def test_arithmetic_broadcasts_and_promotes():
    total = torch.tensor([[1], [2]]) + torch.tensor([0.5, 1.5])
    assert total.tolist() == [[1.5, 2.5], [2.5, 3.5]]
    assert (torch.tensor(5) / 2).item() == 2.5
    assert (torch.ones(2, 3) @ torch.ones(3, 4)).tolist() == [[3.0] * 4] * 2


def test_views_and_numpy_share_memory():
    x = torch.zeros(2, 3)
    array = x.numpy()
    x[0].add_(1)
    assert array.tolist() == [[1, 1, 1], [0, 0, 0]]
    array[1] = 2
    assert x.sum().item() == 9


def test_backward_fills_grad():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x**2).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_gradients_accumulate_and_sum_over_broadcasting():
    x = torch.tensor(2.0, requires_grad=True)
    for _ in range(2):
        (x * torch.ones(3)).sum().backward()
    assert x.grad.item() == 6.0


def test_second_derivatives():
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x**3, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    assert (first.item(), second.item()) == (27.0, 18.0)


def test_no_grad_and_detach_leave_no_history():
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        assert not (x * 2).requires_grad
    assert not (x * 2).detach().requires_grad


def test_a_linear_layer_learns_a_line():
    torch.manual_seed(0)
    layer = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    x = torch.linspace(-1, 1, 20).reshape(20, 1)
    for _ in range(200):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(layer(x), 3 * x - 1)
        loss.backward()
        optimizer.step()
    assert loss.item() < 1e-6
    np.testing.assert_allclose([layer.weight.item(), layer.bias.item()], [3, -1], atol=1e-2)


def test_one_step_of_sgd_is_minus_lr_times_grad():
    x = nn.Parameter(torch.tensor([1.0, 2.0]))
    optimizer = torch.optim.SGD([x], lr=0.5)
    (x * torch.tensor([2.0, 4.0])).sum().backward()
    optimizer.step()
    assert x.tolist() == [0.0, 0.0]


def test_the_random_stream_is_torchs():
    torch.manual_seed(0)
    np.testing.assert_allclose(torch.rand(2).tolist(), [0.496256589, 0.768221796], rtol=1e-6)


def test_tensors_print_as_in_torch():
    x = torch.tensor([1.0, 2.5], requires_grad=True)
    assert repr(x) == "tensor([1.0000, 2.5000], requires_grad=True)"
    assert repr(x * 2) == "tensor([2., 5.], grad_fn=<MulBackward0>)"


def test_errors_say_what_was_given():
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        torch.ones(2, 3) @ torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(1).backward()
    with pytest.raises(IndexError, match="out of bounds"):
        torch.ones(3)[3]
