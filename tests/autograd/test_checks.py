"""Gradcheck and functional derivatives."""

import importlib

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import Function, functional, gradcheck, gradgradcheck
from rushlight.autograd.gradcheck import GradcheckError


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


def test_gradcheck_is_a_function_and_a_module():
    from rushlight.autograd.gradcheck import gradcheck as function

    for each in (function, torch.autograd.gradcheck, importlib.import_module("rushlight.autograd.gradcheck")):
        assert each(lambda x: x * x, point(2))
