"""What a Function's forward may mark and save, and what becomes of its outputs."""

import gc
import weakref

import pytest

import rushlight as torch
from rushlight.autograd import Function
from rushlight.autograd.function import FunctionCtx


def make(forward, backward=lambda ctx, *grads: grads[0], **members):
    """A Function of two lambdas."""
    fields = {"forward": staticmethod(forward), "backward": staticmethod(backward), **members}
    return type("Made", (Function,), fields)


def leaf(size=2):
    return torch.ones(size, requires_grad=True)


def test_saved_variables_is_the_old_name_of_saved_tensors():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    x = leaf()
    y = make(forward).apply(x)
    with pytest.warns(DeprecationWarning, match="'saved_variables' is deprecated; use 'saved_tensors'"):
        (saved,) = y.grad_fn.saved_variables
    assert saved is x


def double(ctx, x):
    ctx.mark_dirty(x)
    return x.mul_(2)


def test_a_dirty_input_is_returned_itself_and_counts_the_write():
    x = leaf()
    y = x * 1
    assert make(double, lambda ctx, grad: grad * 2).apply(y) is y
    assert y._version == 2 and y.grad_fn.name() == "MadeBackward"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_dirty_leaf_is_refused():
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place"):
        make(double).apply(leaf())


def test_a_dirty_input_must_be_returned():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x * 2

    with pytest.raises(RuntimeError, match="marked as dirty during the forward method were not returned as output"):
        make(forward).apply(leaf() * 1)


def test_a_dirty_tensor_that_is_no_input_warns():
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        make(forward).apply(leaf())


def test_a_dirty_view_allows_no_second_output():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2), x * 3

    y = leaf(4) * 1
    with pytest.raises(RuntimeError, match="cannot return more than one Tensor"):
        make(forward).apply(y[:2])


def test_marks_are_for_tensors():
    with pytest.raises(RuntimeError, match="mark_dirty can only accept variables"):
        make(lambda ctx, x: (ctx.mark_dirty(3), x * 2)[1]).apply(leaf())
    with pytest.raises(RuntimeError, match="mark_non_differentiable only accepts variable arguments"):
        make(lambda ctx, x: (ctx.mark_non_differentiable(3), x * 2)[1]).apply(leaf())


def test_save_for_backward_is_for_tensors_and_none():
    made = make(lambda ctx, x: (ctx.save_for_backward(x, 3), x * 2)[1])
    with pytest.raises(TypeError, match="can only save variables, but argument 1 is of type int"):
        made.apply(leaf())
    assert made.apply(torch.ones(1)).tolist() == [2.0]


def test_saved_tensors_are_there_after_forward_only():
    seen = []

    def forward(ctx, x):
        ctx.save_for_backward(x, None)
        seen.append(ctx.saved_tensors)
        return x * 2

    x = leaf()
    y = make(forward).apply(x)
    assert seen == [()]
    assert y.grad_fn.saved_tensors[0] is x and y.grad_fn.saved_tensors[1] is None
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors  # noqa: B018


def test_an_input_returned_as_it_is_without_a_gradient_is_another_tensor():
    x = leaf()
    made = make(lambda ctx, x: (ctx.mark_non_differentiable(x), x)[1])
    y = made.apply(x)
    assert y is not x and not y.requires_grad and x.requires_grad
    plain = torch.ones(2)
    assert make(lambda ctx, x: x).apply(plain) is not plain


def test_a_plain_input_returned_as_it_is_cannot_take_a_history():
    plain = torch.ones(2)
    y = make(lambda ctx, x: x).apply(plain)
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and is being modified inplace with grad"
    ):
        y.add_(leaf())
    y.add_(1)
    assert plain.tolist() == [2.0, 2.0]


def test_outputs_of_inputs_without_gradients_have_none():
    made = make(lambda ctx, x: torch.ones(2, requires_grad=True))
    assert not made.apply(torch.ones(2)).requires_grad


@pytest.mark.parametrize("forward", [lambda ctx, x: x.view(2, 2), lambda ctx, x: x])
def test_a_view_that_a_function_returns_may_not_be_written_to(forward):
    y = leaf(4) * 1
    view = make(forward).apply(y)
    with pytest.raises(RuntimeError, match="Output 0 of Made is a view and is being modified inplace"):
        view.mul_(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        view.sum().backward()


def test_a_saved_view_that_could_not_follow_a_write_says_so():
    x = leaf() * 1
    view = make(lambda ctx, x: x).apply(x)
    y = view * view
    x.mul_(2)
    with pytest.raises(RuntimeError, match="Output 0 of Made is a view and its base or another view of its base"):
        y.sum().backward()


def test_several_views_that_a_function_returns_may_not_be_written_to():
    views = make(lambda ctx, x: (x.view(2, 2), x[1:])).apply(leaf(4) * 1)
    for view in views:
        with pytest.raises(RuntimeError, match="output of a function that returns multiple views"):
            view.mul_(2)


def test_a_list_is_no_tuple_of_outputs():
    found = make(lambda ctx, x: [x * 2]).apply(leaf())
    assert isinstance(found, list) and not found[0].requires_grad


def test_outputs_that_are_no_tensors_have_no_gradient():
    seen = []
    made = make(lambda ctx, x: (x * 2, 5, None), lambda ctx, *grads: (seen.extend(grads[1:]), grads[0])[1])
    made.apply(leaf())[0].sum().backward()
    assert seen == [None, None]


def test_saving_a_written_view_makes_no_circle():
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x.mul_(2)

    made = make(forward)
    gc.disable()
    try:
        y = leaf(4) * 1
        view = y[:2]
        made.apply(view)
        gone = weakref.ref(view), weakref.ref(y), weakref.ref(y.grad_fn)
        del view, y
        assert [each() for each in gone] == [None, None, None]
    finally:
        gc.enable()


def test_a_context_stands_alone_too():
    context = FunctionCtx()
    x = torch.ones(1)
    context.save_for_backward(x)
    context.mark_dirty(x)
    context.mark_non_differentiable(x)
    context.save_for_forward(x)
    context.set_materialize_grads(False)
    assert context.to_save[0] is context.dirty_tensors[0] is context.non_differentiable[0] is x
    assert context.saved_for_forward[0] is x and context.materialize_grads is False
    with pytest.raises(AssertionError, match="save_for_forward expects all arguments to be tensors"):
        context.save_for_forward(3)
    with pytest.warns(FutureWarning, match="mark_shared_storage"):
        context.mark_shared_storage()


def test_a_list_is_no_tuple_of_gradients():
    class Listed(Function):
        @staticmethod
        def forward(ctx, x, *others):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return [grad, None]

    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got list\)"):
        Listed.apply(x).sum().backward()
    with pytest.raises(RuntimeError, match=r"incorrect number of gradients \(expected 2, got 1\)"):
        Listed.apply(x, 3).sum().backward()


@pytest.mark.parametrize("value", [0, 1, None, "a"])
def test_missing_gradients_are_made_by_a_bool(value):
    def forward(ctx, x):
        ctx.set_materialize_grads(value)
        return x * 1

    with pytest.raises(TypeError, match="set_materialize_grads takes a bool, not"):
        make(forward).apply(leaf())
