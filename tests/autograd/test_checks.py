"""Gradcheck, functional derivatives, checkpointing and anomaly mode."""

import importlib

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import Function, functional, gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError
from rushlight.utils.checkpoint import checkpoint, checkpoint_sequential


class WrongSquare(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x * 2.1


def point(*shape, seed=0):
    values = np.random.default_rng(seed).normal(size=shape)
    return torch.tensor(values, requires_grad=True)


@pytest.mark.parametrize("fast", [False, True])
def test_gradcheck_finds_a_wrong_gradient(fast):
    assert gradcheck(lambda x: x * x, point(3), fast_mode=fast)
    with pytest.raises(GradcheckError, match="Jacobian mismatch for output 0 with respect to input 0"):
        gradcheck(WrongSquare.apply, point(3), fast_mode=fast)
    assert not gradcheck(WrongSquare.apply, point(3), fast_mode=fast, raise_exception=False)


def test_gradcheck_of_complex_functions():
    z = torch.tensor([1 + 2j, -0.5 + 0.3j], dtype=torch.complex128, requires_grad=True)
    assert gradcheck(lambda z: z * z.conj() + z.exp(), z)
    assert gradgradcheck(lambda z: z.exp(), z)


def test_gradgradcheck():
    assert gradgradcheck(lambda x, y: (x * y).tanh(), (point(3), point(3, seed=1)))


def test_gradcheck_wants_gradients_and_doubles():
    with pytest.raises(ValueError, match="at least one input tensor to require gradient"):
        gradcheck(lambda x: x, torch.ones(2))
    with pytest.warns(UserWarning, match="double precision"):
        gradcheck(lambda x: x * 2, torch.ones(2, requires_grad=True), eps=1e-2, atol=1e-2)


def test_jacobian_and_hessian():
    x = torch.tensor([1.0, 2.0])
    assert functional.jacobian(lambda x: x**2, x).tolist() == [[2.0, 0.0], [0.0, 4.0]]
    pair = functional.jacobian(lambda a, b: a * b, (x, x * 3))
    assert pair[0].tolist() == [[3.0, 0.0], [0.0, 6.0]]
    assert functional.hessian(lambda x: (x**3).sum(), x).tolist() == [[6.0, 0.0], [0.0, 12.0]]
    blocks = functional.hessian(lambda a, b: (a * b).sum(), (x, x))
    assert blocks[0][1].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_products_with_vectors():
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
    value, product = functional.vjp(lambda x: x**2, x, v)
    assert value.tolist() == [1.0, 4.0] and product.tolist() == [2.0, -4.0]
    value, product = functional.jvp(lambda x: x**2, x, v)
    assert product.tolist() == [2.0, -4.0]
    value, product = functional.hvp(lambda x: (x**3).sum(), x, v)
    assert value.item() == 9 and product.tolist() == [6.0, -12.0]
    assert functional.vhp(lambda x: (x**3).sum(), x, v)[1].tolist() == [6.0, -12.0]


def test_strict_refuses_independent_outputs():
    with pytest.raises(RuntimeError, match="independent"):
        functional.jacobian(lambda x: torch.ones(2), torch.ones(2), strict=True)
    assert functional.jacobian(lambda x: torch.ones(2), torch.ones(2)).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_create_graph_through_a_jacobian():
    x = torch.tensor([2.0], requires_grad=True)
    functional.jacobian(lambda x: x**3, x, create_graph=True).sum().backward()
    assert x.grad.item() == 12


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_computes_again_and_agrees(reentrant):
    calls = []

    def block(x, w):
        calls.append(1)
        return (x @ w).tanh()

    x, w = point(2, 3), point(3, 4, seed=1)
    block(x, w).sum().backward()
    expected, x.grad, w.grad = (x.grad, w.grad), None, None
    calls.clear()
    checkpoint(block, x, w, use_reentrant=reentrant).sum().backward()
    assert len(calls) == 2
    np.testing.assert_allclose(x.grad.numpy(), expected[0].numpy())
    np.testing.assert_allclose(w.grad.numpy(), expected[1].numpy())


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoint_draws_the_same_random_numbers(reentrant):
    x = torch.ones(100, requires_grad=True)
    torch.manual_seed(0)
    kept = {}

    def noisy(x):
        kept.setdefault("mask", []).append((torch.rand(100) < 0.5).tolist())
        return x * torch.tensor(kept["mask"][-1], dtype=torch.float32)

    checkpoint(noisy, x, use_reentrant=reentrant).sum().backward()
    assert kept["mask"][0] == kept["mask"][1]


def test_checkpoint_sequential():
    x = torch.ones(3, requires_grad=True)
    functions = [torch.tanh, torch.exp, torch.sin]
    checkpoint_sequential(functions, 2, x, use_reentrant=False).sum().backward()
    expected = torch.ones(3, requires_grad=True)
    expected.tanh().exp().sin().sum().backward()
    assert x.grad.tolist() == expected.grad.tolist()


@pytest.mark.parametrize(
    ("function", "what"), [(lambda x: (x * 0).sqrt(), "inf"), (lambda x: (x - 1).sqrt() * 0, "nan")]
)
def test_anomaly_mode_names_the_line_that_made_nan_or_inf(function, what):
    x = torch.ones(1, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
        y = function(x)
        with pytest.raises(RuntimeError, match=f"returned {what} values") as raised:
            y.sum().backward()
    assert "test_checks.py" in str(raised.value)


def test_anomaly_mode_switches_off_again():
    torch.autograd.set_detect_anomaly(True)
    assert torch.is_anomaly_enabled()
    torch.autograd.set_detect_anomaly(False)
    x = torch.zeros(1, requires_grad=True)
    x.sqrt().backward()
    assert np.isinf(x.grad.item())


def test_gradcheck_is_a_function_and_a_module():
    from rushlight.autograd.gradcheck import gradcheck as function

    for each in (function, torch.autograd.gradcheck, importlib.import_module("rushlight.autograd.gradcheck")):
        assert each(lambda x: x * x, point(2))
