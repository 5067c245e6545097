"""What is asked of a backward: formulas run for the edges that want a gradient, hooks run all the same."""

import pytest

import rushlight as torch


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_formula_that_nobody_asked_for_does_not_run(create_graph):
    # igamma has no derivative for its first input
    p, q = leaf(1.0, 1.0), leaf(1.0, 1.0)
    (found,) = torch.autograd.grad(torch.igamma(p, q).sum(), q, create_graph=create_graph)
    assert found.tolist() == pytest.approx([0.36787945, 0.36787945])
    torch.igamma(p, q).sum().backward(inputs=[q])
    assert q.grad.tolist() == pytest.approx([0.36787945, 0.36787945])
    assert p.grad is None
    with pytest.raises(NotImplementedError, match="the derivative for 'igamma: input' is not implemented"):
        torch.autograd.grad(torch.igamma(p, q).sum(), p, create_graph=create_graph)


def test_a_result_as_input_runs_its_node_without_formulas():
    p, q = leaf(1.0), leaf(1.0)
    y = torch.igamma(p, q)
    y.retain_grad()
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs[0].tolist())))
    y.sum().backward(inputs=[y])
    assert y.grad.tolist() == [1.0]
    assert seen == [((None, None), [1.0])]


def test_a_hook_sees_the_gradients_that_are_wanted():
    a, b = leaf(2.0), leaf(3.0)
    y = a * b
    seen = []
    y.grad_fn.register_hook(
        lambda inputs, outputs: seen.append([each if each is None else each.item() for each in inputs])
    )
    torch.autograd.grad(y.sum(), b, retain_graph=True)
    y.sum().backward(inputs=[a])
    assert seen == [[None, 2.0], [3.0, None]]


def test_an_op_without_derivative_fails_whatever_is_asked():
    p, q = leaf(1.0), leaf(2.0)
    y = torch.floor_divide(p, q)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        y.sum().backward(inputs=[y])
    written = p * 1
    written //= q
    assert written.grad_fn.name() == "torch::autograd::NotImplemented"
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide_ is not implemented"):
        written.sum().backward()
    written = p * 1
    written.asinh_()
    with pytest.raises(NotImplementedError, match="the derivative for 'inplace version of asinh' is not implemented"):
        written.sum().backward(inputs=[written])


def test_one_gradient_for_several_inputs_is_one_tensor():
    x = torch.ones(2, 3, requires_grad=True)
    one, two = torch.autograd.grad(x.sum(), [x, x])
    assert one is two
    y = x[...]
    one, two = torch.autograd.grad(y.sum(), [x, y])
    assert one is two and one.stride() == (0, 0)


def test_a_gradient_that_is_a_view_is_one_made_without_recording():
    x = torch.ones(2, 3, requires_grad=True)
    (grad,) = torch.autograd.grad((x.T * 2).sum(), x)
    assert grad._is_view() and grad.stride() == (1, 2)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        grad.copy_(x)


def test_gradients_of_added_dimensions_are_views_and_those_of_parts_copies():
    x = torch.ones(2, 3, requires_grad=True)
    assert torch.autograd.grad(x[:, None].sum(), x)[0].stride() == (0, 0)
    assert torch.autograd.grad(x[None, ..., None].sum(), x)[0].stride() == (0, 0)
    assert torch.autograd.grad(x[:].sum(), x)[0].stride() == (3, 1)
    assert torch.autograd.grad(x[:1][0].sum(), x)[0].tolist() == [[1, 1, 1], [0, 0, 0]]
    assert torch.autograd.grad(torch.ones(0, 3, requires_grad=True)[:, 1:].sum(), x, allow_unused=True)[0] is None


@pytest.mark.parametrize(
    ("index", "name"),
    [
        ((-1, slice(None), None), "SelectBackwardBackward0"),
        ((slice(0, 2), 0), "SelectBackwardBackward0"),
        ((slice(1, None), 0), "SliceBackwardBackward0"),
        ((..., slice(1, None)), "SliceBackwardBackward0"),
        ((None, 0), "SqueezeBackward1"),
        ((..., None), "SqueezeBackward1"),
        ((..., 0), "SelectBackwardBackward0"),
        (slice(None), "SliceBackwardBackward0"),
        (..., "MulBackward0"),
    ],
)
def test_the_gradient_of_a_part_is_named_after_what_was_taken_first(index, name):
    x = torch.ones(2, 3, requires_grad=True)
    (grad,) = torch.autograd.grad(x[index].exp().sum(), x, create_graph=True)
    assert grad.grad_fn.name() == name


@pytest.mark.parametrize(
    ("function", "is_view"),
    [
        (lambda x: x.sum(), True),
        (lambda x: x.sum(0), True),
        (lambda x: x.t() * 2, True),
        (lambda x: x.view(-1).exp(), True),
        (lambda x: x + torch.ones(2, 2, 3), True),
        (lambda x: x * 2, False),
        (lambda x: x.mean(), False),
        (lambda x: x.roll(1), False),
        (lambda x: x.unfold(0, 2, 1), False),
    ],
)
def test_a_gradient_that_is_part_of_another_is_a_view(function, is_view):
    x = torch.ones(2, 3, requires_grad=True)
    result = function(x)
    (grad,) = torch.autograd.grad(result, x, torch.ones_like(result))
    assert grad._is_view() == is_view
    if is_view:
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            grad.detach_()


def test_the_gradient_of_a_number_through_a_sum_is_a_view():
    x = torch.tensor(2.0, requires_grad=True)
    (grad,) = torch.autograd.grad(x.sum(), x)
    assert grad._is_view()
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        grad.mul_(x)


@pytest.mark.parametrize(
    ("function", "places"),
    [
        (lambda x: x**2, [True]),
        (lambda x: 2**x, [True]),
        (lambda x: x**x, [True, True]),
        (lambda x: x * 2, [True, False]),
        (lambda x: 1 - x, [True]),
        (lambda x: x.clamp(0, 1), [True]),
        (lambda x: x.clamp_max(1), [True]),
        (lambda x: x.clone().clamp_max_(1), [True]),
        (lambda x: x.masked_fill(x > 0, 2), [True]),
        (lambda x: x.masked_fill(x > 0, torch.tensor(2.0)), [True, False]),
        (lambda x: torch.lerp(x, torch.ones(2), 0.5), [True, False]),
        (lambda x: torch.lerp(x, x, torch.ones(2)), [True, True, False]),
        (lambda x: torch.xlogy(2, x), [True]),
        (lambda x: torch.heaviside(x, torch.ones(2)), [True]),
    ],
)
def test_a_number_has_a_place_in_a_node_only_where_torch_makes_a_tensor_of_it(function, places):
    x = leaf(1.0, 2.0)
    assert [each is not None for each, _ in function(x).grad_fn.next_functions] == places


def test_a_hook_counts_places_as_the_node_does():
    x = leaf(1.0, 2.0)
    y = x.clamp_max(1.5)
    seen = []
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(len(inputs)))
    y.sum().backward()
    assert seen == [1]


def test_powers_keep_their_way_to_the_input_in_every_derivative():
    x = leaf(3.0)
    (first,) = torch.autograd.grad(x.pow(2).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x, create_graph=True)
    assert second.tolist() == [2.0]
    assert second.requires_grad
    (third,) = torch.autograd.grad(second.sum(), x)
    assert third.tolist() == [0.0]


def test_the_gradient_of_a_maximum_is_zero_beside_it_whatever_comes():
    x = leaf(1.0, 3.0, 2.0)
    x.max().backward(torch.tensor(float("nan")))
    assert x.grad[0] == 0 and x.grad[2] == 0 and x.grad[1] != x.grad[1]


def test_parts_of_a_joined_tensor_share_its_gradient():
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    for join, strides in ((torch.cat, (3, 1)), (torch.stack, (3, 1)), (torch.hstack, (6, 1))):
        joined = join([x, y])
        whole, part = torch.autograd.grad(joined.exp().sum(), [joined, y])
        assert part.untyped_storage().data_ptr() == whole.untyped_storage().data_ptr()
        assert part.stride() == strides


def test_a_gradient_that_a_function_hands_on_stays_as_it_is():
    class Second(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, grad):
            return None, grad

    x = leaf(1.0, 2.0, 3.0)
    (grad,) = torch.autograd.grad(Second.apply(x, x).sum(), x)
    assert grad.stride() == (0,)


def test_a_stacked_gradient_is_selected_from_where_that_is_recorded():
    x = leaf(1.0, 2.0)
    (grad,) = torch.autograd.grad(torch.stack([x, x.detach()]).exp().sum(), x, create_graph=True)
    assert grad.grad_fn.name() == "SelectBackward0"


@pytest.mark.parametrize("view", [lambda x: x[1:], lambda x: x.view(3), lambda x: x.sum().movedim(0, 0)])
def test_nothing_leads_back_from_a_view_made_without_recording(view):
    for x in (leaf(1.0, 2.0, 3.0), leaf(1.0, 2.0, 3.0) * 2):
        with torch.no_grad():
            part = view(x)
        if part.requires_grad:
            with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have"):
                part.backward(torch.ones_like(part))


def test_numbers_that_a_node_has_saved_are_not_freed():
    x = leaf(1.0, 2.0)
    y = torch.lerp(x, x, 0.5)
    y.sum().backward()
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    for look in (lambda node: node.register_hook(lambda *_: None), lambda node: node._saved_weight):
        y = torch.lerp(x, x, 0.5)
        look(y.grad_fn)
        y.sum().backward()
        y.sum().backward()
    for y in (x * 2, torch.lerp(x, x, torch.ones(2))):
        y.sum().backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            y.sum().backward()


def test_what_nothing_leads_to_is_filled_with_zeros_in_its_own_order():
    x = torch.ones(2, 3, requires_grad=True)
    wide = (x * 1).expand(4, 2, 3)
    (grad,) = torch.autograd.grad(x.sum(), wide, materialize_grads=True)
    assert grad.stride() == (6, 3, 1) and not grad.any()


@pytest.mark.parametrize("name", ["sum", "prod", "nansum", "cumsum", "cumprod"])
def test_sums_of_integers_are_not_recorded(name):
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Int"):
        getattr(x, name)(0, dtype=torch.int32)
    with torch.no_grad():
        assert getattr(x, name)(0, dtype=torch.int64).dtype is torch.int64
    assert getattr(x.detach(), name)(0, dtype=torch.int32).dtype is torch.int32


def test_the_gradient_of_atan2_is_a_product():
    x, y = leaf(0.0, 1.0), leaf(0.0, 2.0)
    (grad,) = torch.autograd.grad(torch.atan2(x, y).sum(), x, create_graph=True)
    assert grad.grad_fn.name() == "MulBackward0"
    assert grad.tolist() == pytest.approx([0.0, 0.4])


def test_a_gradient_is_the_base_of_those_that_are_views_of_it():
    x = torch.ones(2, 3, requires_grad=True)
    y = x.T
    whole, turned = torch.autograd.grad((y * 2).sum(), [x, y])
    assert whole._base is turned
    turned.add_(1)
    assert whole._version == turned._version == 1 and whole[0, 0] == 3
