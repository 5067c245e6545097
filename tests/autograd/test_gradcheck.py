"""Gradcheck: gradients against finite differences."""

import importlib

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck, gradgradcheck
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


def test_gradcheck_is_a_function_and_a_module():
    from rushlight.autograd.gradcheck import gradcheck as function

    for each in (function, torch.autograd.gradcheck, importlib.import_module("rushlight.autograd.gradcheck")):
        assert each(lambda x: x * x, point(2))
