"""The ALF project's notes: dtypes of NumPy scalars, promotion, in-place activations."""

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


def test_numpy_float_scalar_makes_a_float64_tensor():
    a = np.log(2)
    assert torch.tensor(a).dtype is torch.float64
    assert torch.rand(2, 3).dtype is torch.float32


def test_where_with_a_zero_dim_float64_keeps_float32():
    x = torch.rand(2, 3)
    a = np.log(2)
    result = torch.where(x < a, x, torch.tensor(a))
    assert result.dtype is torch.float32
    np.testing.assert_allclose(result.numpy(), np.minimum(x.numpy(), a), rtol=1e-6)


def test_where_with_a_float64_vector_gives_float64_and_linear_says_where_it_came_from():
    x = torch.rand(2, 3)
    wide = torch.where(x < 0.5, x, torch.tensor([np.log(2)]))
    assert wide.dtype is torch.float64
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype") as raised:
        torch.nn.Linear(3, 1)(wide)
    assert "float64" in str(raised.value)
    assert "fix" in str(raised.value)


def test_integer_division_gives_the_default_dtype():
    a = torch.tensor(5, dtype=torch.int64)
    b = a / 2
    assert b.dtype is torch.float32
    assert b.item() == 2.5
    assert repr(b) == "tensor(2.5000)"
    assert (a // 2).item() == 2
    assert (a // 2).dtype is torch.int64


def test_promotion_does_not_depend_on_values_or_dimensions():
    b1 = torch.tensor(4, dtype=torch.int64) / 2
    b2 = torch.tensor([2, 4], dtype=torch.int64) / 2
    assert b1.dtype is b2.dtype is torch.float32


@pytest.mark.parametrize("activation", [F.relu, F.elu, F.leaky_relu, F.silu, F.hardtanh])
def test_inplace_activations_give_the_same_gradient(activation):
    x = torch.linspace(-2, 2, 9, requires_grad=True)
    activation(x * 1.5).sum().backward()
    plain, x.grad = x.grad, None
    activation(x * 1.5, inplace=True).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), plain.numpy(), rtol=1e-6)


class InplaceSoftsign(torch.autograd.Function):
    """The notes' example: keeps the output y, whose gradient is g (1 - |y|)^2, and marks its input dirty."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.div_(1 + x.abs())
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (1 - y.abs()) ** 2


def test_inplace_softsign_as_a_function():
    x = torch.linspace(-3, 3, 7, requires_grad=True)
    F.softsign(x * 2).sum().backward()
    plain, x.grad = x.grad, None
    y = x * 2
    z = InplaceSoftsign.apply(y)
    assert z is y
    (z * 1).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), plain.numpy(), rtol=1e-6)
    assert y._version > 0


def test_epsilon_placement_of_adam():
    """torch adds epsilon after the bias correction: the table of first steps in the notes' facts."""
    for gradient, step in [(1e-2, -1.0000e-3), (1e-4, -9.9990e-4), (1e-6, -9.9010e-4), (1e-8, -5.0000e-4)]:
        p = torch.zeros(1, requires_grad=True, dtype=torch.float64)
        p.grad = torch.tensor([gradient], dtype=torch.float64)
        torch.optim.Adam([p], lr=1e-3).step()
        assert p.item() == pytest.approx(step, rel=1e-4)
