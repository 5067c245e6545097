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


class Noisy(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * (2 + torch.rand(()) * 1e-3)


@pytest.mark.parametrize("fast", [False, True])
def test_gradients_that_change_from_run_to_run(fast):
    with pytest.raises(GradcheckError, match=r"Backward is not reentrant(.|\n)*tolerance for nondeterminism was 0.0"):
        gradcheck(Noisy.apply, point(2), fast_mode=fast, atol=0.1)
    assert gradcheck(Noisy.apply, point(2), fast_mode=fast, atol=0.1, nondet_tol=1.0)


def test_gradients_that_change_are_reported_before_a_mismatch():
    with pytest.raises(GradcheckError, match="Backward is not reentrant"):
        gradcheck(Noisy.apply, point(2), atol=1e-9, rtol=1e-9)


@pytest.mark.parametrize("fast", [False, True])
def test_what_has_no_gradient_must_not_change(fast):
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero"):
        gradcheck(lambda x: x.detach(), point(2), fast_mode=fast)
    assert gradcheck(lambda x: torch.ones(2), point(2), fast_mode=fast)


def test_one_tensor_given_twice():
    x = point(3)
    assert gradcheck(lambda x, y: x * y, (x, x))


@pytest.mark.parametrize("fast", [False, True])
def test_complex_outputs_are_compared_part_by_part(fast):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * (2 + 1j)

        @staticmethod
        def backward(ctx, grad):
            return grad * (2 + 1j)

    z = torch.tensor([1 + 2j, 0.5j], dtype=torch.complex128, requires_grad=True)
    with pytest.raises(GradcheckError, match="While considering the imaginary part of complex outputs only, Jacobian"):
        gradcheck(Wrong.apply, z, fast_mode=fast)


def test_options_of_both_checks():
    assert gradcheck(lambda x: x * x, point(2), check_batched_grad=True, check_grad_dtypes=True)
    assert gradgradcheck(lambda x: x**3, point(2), check_batched_grad=True, gen_non_contig_grad_outputs=True)
    with pytest.raises(AssertionError, match="Expected at least one of check_forward_ad or check_backward_ad"):
        gradcheck(lambda x: x, point(2), check_backward_ad=False)
    assert gradcheck(lambda x: x * x, point(2), check_forward_ad=True)
    with pytest.raises(AssertionError, match="Expected at least one of check_fwd_over_rev or check_rev_over_rev"):
        gradgradcheck(lambda x: x, point(2), check_rev_over_rev=False)
    assert gradgradcheck(lambda x: x**3, point(2), check_fwd_over_rev=True)


def test_a_result_that_is_no_tensor():
    with pytest.raises(AttributeError, match="requires_grad"):
        gradcheck(lambda x: 3, point(2))


def test_jacobians_as_matrices():
    module = importlib.import_module("rushlight.autograd.gradcheck")
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([[3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    with pytest.warns(FutureWarning, match="`get_numerical_jacobian` was part of PyTorch's private API"):
        found = module.get_numerical_jacobian(lambda inputs: inputs[0] * inputs[1], (x, y))
    np.testing.assert_allclose(found[0].numpy(), [[3, 0], [0, 4]], atol=1e-9)
    with pytest.warns(FutureWarning):
        found, reentrant, sizes, dtypes = module.get_analytical_jacobian((x, y), x * y)
    assert found[1].tolist() == [[1.0, 0.0], [0.0, 2.0]] and reentrant and sizes and dtypes
    product, own = module._get_numerical_jacobian(lambda a, b: (a * b, a), (x, y), target=x)[0]
    np.testing.assert_allclose(own.numpy(), np.eye(2), atol=1e-9)
    np.testing.assert_allclose(product.numpy(), [[3, 0], [0, 4]], atol=1e-9)
    found = module.get_numerical_jacobian_wrt_specific_input(lambda a, b: a * b, 1, (x, y), None, 1e-3)
    np.testing.assert_allclose(found[0].numpy(), [[1, 0], [0, 2]], atol=1e-9)
    assert module._get_analytical_jacobian((x, y), (x * y,), 0, 0).tolist() == [[3.0, 0.0], [0.0, 4.0]]


def test_jacobians_for_other_cotangents_and_complex_inputs_are_refused():
    module = importlib.import_module("rushlight.autograd.gradcheck")
    x = point(2)
    for call in (
        lambda: module.get_numerical_jacobian(lambda inputs: inputs[0], (x,), grad_out=2.0),
        lambda: module.get_analytical_jacobian((x,), x * 2, grad_out=2.0),
    ):
        with pytest.warns(FutureWarning), pytest.raises(ValueError, match=r"Expected grad_out to be 1\.0\."):
            call()
    with pytest.raises(NotImplementedError, match="Jacobians of complex inputs"):
        module._get_numerical_jacobian(lambda z: z, torch.ones(1, dtype=torch.complex128, requires_grad=True))


def function_of(forward, backward, materialize=True):
    class Made(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return forward(x)

        @staticmethod
        def backward(ctx, *grads):
            return backward(*grads)

    return Made.apply


def test_a_gradient_of_zero_must_stay_zero():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(function_of(torch.clone, lambda grad: grad + 1e-4), x, atol=1)


def test_a_gradient_that_is_none_counts_as_zero():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    ones = function_of(torch.clone, lambda grad: torch.ones_like(x) if grad is None else grad, materialize=False)
    with pytest.raises(GradcheckError, match="Expected all input grads to be undefined or zero when all output grads"):
        gradcheck(ones, x)
    assert gradcheck(ones, x, check_undefined_grad=False)
    for materialize in (True, False):
        double = function_of(lambda x: x * 2, lambda grad: None if grad is None else grad * 2, materialize)
        assert gradcheck(double, x)


def test_one_tensor_given_twice_stays_one_in_second_derivatives():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert gradgradcheck(torch.mul, (x, x))


def test_inputs_that_are_no_tensors_and_forward_mode():
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        gradcheck(torch.sin, 3)
    with pytest.raises(AssertionError, match="check_batched_forward_grad=True requires check_forward_ad to be True"):
        gradcheck(torch.sin, x, check_batched_forward_grad=True)
    assert gradcheck(torch.sin, x, check_forward_ad=True, check_batched_forward_grad=True)


def test_an_input_is_as_it_was_when_the_function_fails():
    module = importlib.import_module("rushlight.autograd.gradcheck")
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)

    def fails(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        module._get_numerical_jacobian(fails, (x,))
    assert x.tolist() == [1.0, 1.0]
