"""The backward of a transform: native code, below the level, gives what the Python engine gives in it."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, hessian, jacrev, jvp, vjp, vmap
from rushlight.native import extension
from rushlight.ops.machine.transforms.tracking import Tracking

F = torch.nn.functional
X, M = torch.tensor([0.5, -1.0, 2.0]), torch.arange(9.0).reshape(3, 3) / 7
W = torch.tensor([[0.2, -0.4, 1.0]]).requires_grad_()


def written(x):
    rows = x.expand(2, 3).clone()
    rows[0, 1:].mul_(x[:2])
    rows.diagonal().add_(x[0])
    return (rows * rows).sum()


FUNCTIONS = {
    "pointwise": lambda x: (x.sin() * x.exp() + x / 3).sum(),
    "products": lambda x: (M @ x).dot(x) + F.linear(M, x[None]).sum(),
    "parts": lambda x: (x[1:] * x[:-1]).sum() + x.flip(0)[0] * x.max(),
    "joined": lambda x: (torch.cat([x, x * 2]) * torch.stack([x, x]).flatten()).sum(),
    "einsum": lambda x: torch.einsum("i,ij,j->", x, M, x * x),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], M, M * x).pow(2).sum(),
    "spread": lambda x: (x[:, None] * x[None] + x.sum()).pow(3).mean(),
    "normalized": lambda x: F.layer_norm(x * M, (3,)).pow(3).sum(),
    "several": lambda x: x.sort().values[0] * x.var() + torch.linalg.det(M + torch.diag(x)),
    "written": written,
    "not used": lambda x: M.sum() * 2 + x.detach().sum(),
    "recorded outside": lambda x: (W @ x).sum() * (x * x).sum(),
}
TRANSFORMS = {
    "grad": lambda f: grad(f)(X),
    "grad of grad": lambda f: grad(lambda x: grad(f)(x).pow(2).sum())(X),
    "vjp": lambda f: vjp(f, X)[1](torch.tensor(2.0))[0],
    "vmap": lambda f: vmap(grad(f))(torch.stack([X, X * 2])),
    "jvp": lambda f: jvp(grad(f), (X,), (torch.ones(3),))[1],
    "hessian": lambda f: hessian(f)(X),
    "jacrev": lambda f: jacrev(grad(f))(X),
}


@pytest.mark.skipif(extension is None, reason="compares native code with Python")
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
@pytest.mark.parametrize("transform", TRANSFORMS.values(), ids=TRANSFORMS)
def test_native_backward_agrees_with_the_python_engine(transform, function, monkeypatch):
    found = transform(function)
    monkeypatch.setattr(Tracking, "natively", lambda *_: None)
    expected = transform(function)
    assert found.shape == expected.shape and found.dtype == expected.dtype
    assert found.requires_grad == expected.requires_grad
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)


def test_what_an_outer_graph_records_goes_on_behind_a_transform():
    weight = torch.tensor([1.0, 2.0, 3.0]).requires_grad_()
    grad(lambda x: (weight * x * x).sum())(X).sum().backward()
    assert weight.grad.tolist() == (2 * X).tolist()


def test_hooks_and_functions_of_the_user_see_tensors_of_the_level():
    seen = []

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, given):
            seen.append(given.tolist())
            return given * 2

    def function(x):
        y = x * 3
        y.register_hook(lambda given: seen.append(given.tolist()))
        return Double.apply(y).sum()

    assert grad(function)(X).tolist() == [6, 6, 6]
    assert seen == [[1, 1, 1], [2, 2, 2]]


def test_a_changed_value_is_told_of():
    def function(x):
        y = x * 1
        z = (y * y).sum()
        y.add_(1)
        return z

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        grad(function)(X)


def test_what_a_kernel_left_to_python_has_its_gradient_there_too():
    mask, weights = torch.tensor([True, False, True]), torch.arange(1.0, 7.0)
    # of a square, the first dimension would do for the mask as well
    found = torch.func.vjp(lambda x: x.masked_select(mask), torch.zeros(3, 3))[1](weights)
    assert found[0].tolist() == [[1, 0, 2], [3, 0, 4], [5, 0, 6]]
