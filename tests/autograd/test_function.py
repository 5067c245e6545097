"""Function: the user's own operations, in both styles, with everything `ctx` offers."""

import pytest

import rushlight as torch
from rushlight.autograd import Function, gradcheck
from rushlight.autograd.function import InplaceFunction, once_differentiable


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


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, factor=3):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


def test_apply_takes_keywords():
    x = point(1.0)
    assert Scaled.apply(x, factor=4).item() == 4
    Scaled.apply(x=x).backward()
    assert x.grad.item() == 3
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        Scaled.apply(x, w=1)
    with pytest.raises(TypeError, match=r"forward\(\) missing required argument: 'x' \(position 0\)"):
        Scaled.apply(factor=2)
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Scaled.apply(x, x=x)


def test_setup_context_sees_the_defaults_of_forward():
    seen = []

    class Noted(Function):
        @staticmethod
        def forward(x, factor=3):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen.append(inputs[1])

        @staticmethod
        def backward(ctx, grad):
            return grad, None

    Noted.apply(point(1.0))
    Noted.apply(point(1.0), factor=5)
    assert seen == [3, 5]


def test_instances_are_no_functions():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        made = Cube()
    with pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"):
        made(point(1.0))


def test_backward_may_be_missing_until_it_is_asked_for():
    class Forward(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    y = Forward.apply(point(1.0))
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        y.backward()


def test_vjp_is_another_name_for_backward_but_not_a_second_one():
    class Named(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def vjp(ctx, grad):
            return grad * 2

    x = point(1.0)
    Named.apply(x).backward()
    assert x.grad.item() == 2

    class Both(Named):
        @staticmethod
        def backward(ctx, grad):
            return grad

    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        Both.apply(x).backward()
    assert Function.vjp is Function.backward


def test_jvp_and_vmap_may_be_declared():
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        Cube.jvp(None)
    with pytest.raises(NotImplementedError, match="with vmap"):
        Cube.vmap(None, ())


def test_boxed_gradients_come_in_one_list():
    class Boxed(Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, grads):
            one, two = grads
            grads.clear()
            return one * 2 + two * 3

    x = point(1.0)
    sum(Boxed.apply(x)).backward()
    assert x.grad.item() == 5


def returning(result):
    class Returning(Function):
        @staticmethod
        def forward(ctx, x, other):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return result(grad)

    return Returning


@pytest.mark.parametrize(
    ("result", "other", "words"),
    [
        (lambda grad: (grad, grad), 3, "gradient different than None at position 2, but the corresponding forward"),
        (lambda grad: (grad, 3), torch.ones(1), r"expected Variable or None \(got int\)"),
        (lambda grad: (3, None), 3, r"expected Variable or None \(got int\)"),
        (lambda grad: (grad, None, grad), 3, r"incorrect number of gradients \(expected 2, got 3\)"),
        (lambda grad: (grad + 1j, None), 3, "Expected isFloatingType"),
        (lambda grad: (torch.ones(3), None), 3, r"returned an invalid gradient at index 0 - got \[3\] but expected"),
    ],
)
def test_gradients_that_do_not_fit_are_refused(result, other, words):
    with pytest.raises(RuntimeError, match=words):
        returning(result).apply(point(1.0, 2.0), other).sum().backward()


def test_the_old_base_class_of_functions_in_place():
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        assert InplaceFunction(True).inplace
    assert issubclass(InplaceFunction, Function)


def test_what_is_differentiable_once_ends_in_an_error_node():
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, grad):
            return grad * 2

    x = point(3.0)
    (first,) = torch.autograd.grad(Once.apply(x), x, point(1.0), create_graph=True)
    assert first.grad_fn.name() == "torch::autograd::Error"
    assert repr(Once.apply(x).grad_fn).startswith("<torch.autograd.function.OnceBackward object at 0x")


def test_a_leaf_that_is_a_view_may_not_be_dirty():
    class Tripled(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(3)

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        Tripled.apply(torch.ones(4).view(2, 2).requires_grad_())
    with torch.no_grad():
        part = point(1.0, 2.0)[1:]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        Tripled.apply(part)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        Tripled.apply(point(1.0, 2.0)[1:])


def test_a_user_may_call_an_attribute_of_the_context_kept():
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.kept = inputs[1]
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, grad):
            assert len(ctx.saved_tensors) == 1
            return grad * ctx.kept, None

    x = torch.ones(2, requires_grad=True)
    Scaled.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
