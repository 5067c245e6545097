"""`jacrev`, `jacfwd` and `hessian`: against each other and against loops."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import hessian, jacfwd, jacrev, vmap


def network(w, x):
    return {"out": (w @ x).tanh(), "norm": [(x * x).sum()]}


def test_both_modes_agree_with_the_plain_graph():
    w, x = torch.randn(2, 3, dtype=torch.float64), torch.randn(3, dtype=torch.float64)
    plain = torch.autograd.functional.jacobian(lambda w, x: (network(w, x)["out"], network(w, x)["norm"][0]), (w, x))
    for transform in (jacrev, jacfwd):
        found = transform(network, argnums=(0, 1))(w, x)
        torch.testing.assert_close(found["out"], plain[0])
        torch.testing.assert_close(found["norm"][0], plain[1])
        one = transform(network, argnums=1)(w, x)
        torch.testing.assert_close(one["out"], plain[0][1])


def test_shapes_are_those_of_the_output_then_of_the_input():
    found = jacfwd(lambda x: x.sum(0))(torch.randn(4, 2))
    assert found.shape == (2, 4, 2)
    assert jacrev(lambda x: x.sum(0))(torch.randn(4, 2)).shape == (2, 4, 2)
    assert jacrev(lambda x: x.sum())(torch.randn(4, 2)).shape == (4, 2)


def test_chunks_and_aux():
    x = torch.randn(5)
    torch.testing.assert_close(jacrev(torch.sin, chunk_size=2)(x), jacrev(torch.sin)(x))
    found, aux = jacrev(lambda x: (x.sin(), x.cos()), has_aux=True)(x)
    torch.testing.assert_close(aux, x.cos())
    found, aux = jacfwd(lambda x: (x.sin(), x.cos()), has_aux=True)(x)
    torch.testing.assert_close(aux, x.cos())
    torch.testing.assert_close(found, torch.diag(x.cos()))
    with pytest.raises(ValueError, match=r"jacrev: `chunk_size` should be greater than 0."):
        jacrev(torch.sin, chunk_size=0)


def test_hessian_in_all_orders_and_for_a_batch():
    x = torch.randn(4, dtype=torch.float64)
    function = lambda x: (x.sin() * x.sum()).sum()
    expected = torch.autograd.functional.hessian(function, x)
    for found in (
        hessian(function)(x),
        jacrev(jacrev(function))(x),
        jacfwd(jacfwd(function))(x),
        jacrev(jacfwd(function))(x),
    ):
        torch.testing.assert_close(found, expected)
    torch.testing.assert_close(vmap(hessian(function))(torch.stack([x, x * 2]))[0], expected)


def test_functional_derivatives_in_both_strategies():
    x = torch.randn(3, dtype=torch.float64)
    function, number = lambda x: x.sin() * x.sum(), lambda x: (x.sin() * x.sum()).sum()
    functional = torch.autograd.functional
    expected, second = functional.jacobian(function, x), functional.hessian(number, x)
    torch.testing.assert_close(functional.jacobian(function, x, vectorize=True), expected)
    torch.testing.assert_close(functional.jacobian(function, x, vectorize=True, strategy="forward-mode"), expected)
    torch.testing.assert_close(functional.hessian(number, x, vectorize=True), second)
    forward = functional.hessian(number, x, vectorize=True, outer_jacobian_strategy="forward-mode")
    torch.testing.assert_close(forward, second)
    pair = functional.jacobian(lambda x, y: (x * y, torch.ones(2)), (x, x), vectorize=True)
    assert pair[1][0].tolist() == torch.zeros(2, 3).tolist()
    both = functional.jacobian(lambda x, y: (x * y, x), (x, x), vectorize=True, strategy="forward-mode")
    torch.testing.assert_close(both[0][1], torch.diag(x))


def test_gradients_for_many_cotangents_at_once():
    x = torch.randn(3, requires_grad=True)
    y, unused = x.sin(), torch.randn(2, requires_grad=True)
    found = torch.autograd.grad(y, (x, unused), torch.eye(3), is_grads_batched=True, allow_unused=True)
    torch.testing.assert_close(found[0], torch.diag(x.detach().cos()))
    assert found[1] is None


def test_the_slope_of_a_square_goes_on_to_depend_on_its_base_below_the_transform():
    x = torch.ones(3, requires_grad=True)
    for slope in (torch.func.jacrev(lambda v: v**2), torch.func.grad(lambda v: (v**2).sum())):
        (second,) = torch.autograd.grad(slope(x).sum(), x, create_graph=True)
        assert second.tolist() == [2, 2, 2] and second.requires_grad


def test_a_tensor_of_its_own_takes_the_derivatives_that_are_written_to_it():
    x = torch.tensor([1.0, 2.0])
    assert torch.func.jacfwd(lambda v: torch.zeros_like(v).copy_(v * 3))(x).tolist() == [[3, 0], [0, 3]]
    assert torch.func.jacfwd(lambda v: torch.ones(2).mul_(v * v))(x).tolist() == [[2, 0], [0, 4]]
    assert torch.func.hessian(lambda v: torch.zeros(2).add_(v**3).sum())(x).tolist() == [[6, 0], [0, 12]]
