"""Users' Functions inside of transforms: their own derivatives and batches."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import grad, hessian, jacfwd, jacrev, jvp, vmap

X = torch.tensor([1.0, 2.0, 3.0])


class Cube(torch.autograd.Function):
    """With a rule for batches that is made of itself."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3, 3 * x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], output[1])
        ctx.save_for_forward(inputs[0], output[1])

    @staticmethod
    def backward(ctx, grad_value, grad_slope):
        x, slope = ctx.saved_tensors
        return grad_value * slope + grad_slope * 6 * x

    @staticmethod
    def jvp(ctx, tangent):
        x, slope = ctx.saved_tensors
        return tangent * slope, 6 * x * tangent


class Product(torch.autograd.Function):
    """With a rule for batches of its own."""

    seen: list = []  # noqa: RUF012

    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return Product.apply(grad, y), Product.apply(grad, x)

    @staticmethod
    def vmap(info, in_dims, x, y):
        Product.seen.append((info.batch_size, info.randomness, in_dims))
        x = x.unsqueeze(0) if in_dims[0] is None else x
        y = y.unsqueeze(0) if in_dims[1] is None else y
        return Product.apply(x, y), 0


def cube(x):
    return Cube.apply(x)[0]


def test_derivatives_of_all_orders_and_modes():
    total = lambda x: cube(x).sum()
    assert grad(total)(X).tolist() == [3, 12, 27]
    assert jvp(cube, (X,), (X,))[1].tolist() == [3, 24, 81]
    assert hessian(total)(X).tolist() == torch.diag(6 * X).tolist()
    for transform in (jacrev, jacfwd):
        assert transform(cube)(X).tolist() == torch.diag(3 * X**2).tolist()


def test_a_generated_rule_for_batches():
    assert vmap(cube)(X).tolist() == [1, 8, 27]
    assert vmap(grad(cube))(X).tolist() == [3, 12, 27]
    assert vmap(grad(grad(cube)))(X).tolist() == [6, 12, 18]
    assert vmap(lambda x: jvp(cube, (x,), (torch.ones(()),))[1])(X).tolist() == [3, 12, 27]


def test_a_rule_for_batches_of_the_users_own():
    Product.seen.clear()
    found = vmap(Product.apply, in_dims=(0, None))(torch.ones(2, 3), torch.ones(3))
    assert found.shape == (2, 3) and Product.seen == [(2, "error", (0, None))]
    assert vmap(grad(lambda x: Product.apply(x, x)))(X).tolist() == [2, 4, 6]
    assert grad(grad(lambda x: Product.apply(x, Product.apply(x, x))))(torch.tensor(2.0)).item() == 12


class Old(torch.autograd.Function):
    """Whose forward takes ctx."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2


def test_a_forward_with_ctx_is_for_duals_only():
    with torch.autograd.forward_ad.dual_level():
        x = torch.autograd.forward_ad.make_dual(X, X)
        assert torch.autograd.forward_ad.unpack_dual(Old.apply(x)).tangent.tolist() == [2, 4, 6]
    with pytest.raises(RuntimeError, match="it must override the setup_context staticmethod"):
        grad(lambda x: Old.apply(x).sum())(X)


def test_batches_need_a_rule_and_only_one():
    class Bare(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    with pytest.raises(RuntimeError, match="it does not have vmap support"):
        vmap(Bare.apply)(X)

    class Both(Product):
        generate_vmap_rule = True

    with pytest.raises(RuntimeError, match="has both generate_vmap_rule=True and an overridden vmap staticmethod"):
        vmap(Both.apply)(X, X)


def test_a_generated_rule_does_not_write():
    class Writes(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.add_(1)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.mark_dirty(*inputs)

    with pytest.raises(RuntimeError, match="does not support mark_dirty"):
        vmap(Writes.apply)(X.clone())
