"""Function: the user's own operations, in both styles, with everything `ctx` offers."""

import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck
from rushlight.autograd.function import once_differentiable


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


class Split(Function):
    """The newer style: forward without ctx, several outputs."""

    @staticmethod
    def forward(x, factor):
        return x * factor, x + factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, product, total):
        return product * ctx.factor + total, None


def point(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_gradients_of_first_and_second_order():
    x = point(2.0, 3.0)
    y = Cube.apply(x)
    assert y.grad_fn.name() == "CubeBackward"
    assert type(y.grad_fn).__name__ == "CubeBackward"
    assert gradcheck(Cube.apply, (x,))
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [12.0, 18.0]


def test_setup_context_and_unused_outputs():
    x = point(2.0)
    product, total = Split.apply(x, 5.0)
    product.backward()
    assert x.grad.item() == 5
    x.grad = None
    product, total = Split.apply(x, 5.0)
    (product * 2 + total).backward()
    assert x.grad.item() == 11


def test_without_gradients_nothing_is_recorded():
    assert Cube.apply(torch.ones(1)).grad_fn is None
    with torch.no_grad():
        assert Cube.apply(point(1.0)).grad_fn is None


def test_needs_input_grad_and_none():
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            seen.append(ctx.needs_input_grad)
            _, b = ctx.saved_tensors
            return grad * b, None

    a = point(2.0)
    Product.apply(a, torch.tensor([3.0])).backward()
    assert seen == [(True, False)]
    assert a.grad.item() == 3


def test_wrong_number_of_gradients():
    class Bad(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="returned an incorrect number of gradients \\(expected 2, got 1\\)"):
        Bad.apply(point(1.0), point(1.0)).backward()


def test_saved_tensors_are_checked_and_freed():
    x = point(2.0)
    y = x * 1
    z = Cube.apply(y)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()
    z = Cube.apply(x)
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_mark_non_differentiable():
    class Sort(Function):
        @staticmethod
        def forward(ctx, x):
            values, indices = x.sort()
            ctx.mark_non_differentiable(indices)
            ctx.save_for_backward(indices)
            return values, indices

        @staticmethod
        def backward(ctx, grad, _):
            (indices,) = ctx.saved_tensors
            return torch.zeros_like(grad).scatter(0, indices, grad)

    x = point(3.0, 1.0, 2.0)
    values, indices = Sort.apply(x)
    assert values.requires_grad and not indices.requires_grad
    (values * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad.tolist() == [3.0, 1.0, 2.0]


def test_materialize_grads_off_gives_none():
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, one, two):
            assert two is None
            return one * 2

    x = point(1.0)
    Two.apply(x)[0].backward()
    assert x.grad.item() == 2


def test_an_input_returned_as_it_is_keeps_its_own_history():
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    x = point(1.0)
    y = Same.apply(x)
    assert y is not x
    assert x.is_leaf
    y.backward()
    assert x.grad.item() == 7


def test_once_differentiable_refuses_a_second_derivative():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = point(3.0)
    (g,) = torch.autograd.grad(Once.apply(x), x, create_graph=True)
    assert g.item() == 6
    g2 = torch.ones_like(g).requires_grad_()
    (first,) = torch.autograd.grad(Once.apply(x), x, g2, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        first.backward()


def test_forward_must_be_written():
    class Nothing(Function):
        pass

    with pytest.raises(NotImplementedError, match="forward"):
        Nothing.apply(point(1.0))
