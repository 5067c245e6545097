"""The order of a backward: which nodes run, when leaves get their gradients, and what hooks see."""

import pytest

import rushlight as torch


class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, seen, gives):
        ctx.seen, ctx.gives = seen, gives
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctx.seen.append(grad.tolist())
        return grad * 2 if ctx.gives else None, None, None


def noted(names, leaves):
    seen = []
    for name, leaf in zip(names, leaves, strict=True):
        leaf.register_hook(lambda grad, name=name: seen.append(name))
    return seen


def leaves(count, *shape):
    return [torch.ones(*shape, requires_grad=True) for _ in range(count)]


def test_a_function_that_gives_none_does_not_end_the_walk():
    seen = []
    x = torch.ones(2, requires_grad=True)
    first = Times.apply(x, seen, True)
    middle = first * 3
    middle.register_hook(lambda grad: seen.append(grad))
    middle.retain_grad()
    middle.grad_fn.register_hook(lambda inputs, outputs: seen.append((inputs, outputs)))
    Times.apply(middle, seen, False).sum().backward()
    assert seen == [[1.0, 1.0], None, ((None, None), (None,)), [0.0, 0.0]]
    assert x.grad.tolist() == [0.0, 0.0] and middle.grad is None


def test_a_leaf_whose_gradient_is_none_calls_its_hooks_and_has_none():
    seen = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: seen.append(grad))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad))
    Times.apply(x, [], False).sum().backward()
    assert seen == [None, None] and x.grad is None


def test_hooks_of_an_output_that_was_not_used_see_none():
    seen = []
    one, other = torch.arange(4.0, requires_grad=True).split(2)
    other.register_hook(seen.append)
    one.sum().backward()
    assert seen == [None]


def test_a_leaf_gets_its_gradient_before_older_nodes_run():
    x, y = leaves(2, 2)
    inner = x * 2
    seen = []
    inner.register_hook(lambda grad: seen.append((x.grad, y.grad.tolist())))
    (inner * y).sum().backward()
    assert seen == [(None, [2.0, 2.0])]


def test_the_bias_of_a_linear_layer_comes_before_its_weight():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 2))
    names, parameters = zip(*model.named_parameters(), strict=True)
    seen = noted(names, parameters)
    model(torch.ones(3, 2)).sum().backward()
    assert seen == ["2.bias", "2.weight", "0.bias", "0.weight"]


def test_many_leaves_of_one_node_come_in_the_order_of_a_heap():
    many = leaves(8, 2)
    seen = noted("abcdefgh", many)
    torch.cat(many).sum().backward()
    assert "".join(seen) == "acgfhebd"


def test_leaves_of_a_chain_come_newest_first():
    many = leaves(4, 2)
    seen = noted("abcd", many)
    a, b, c, d = many
    (a * b * c * d).sum().backward()
    assert "".join(seen) == "dcab"


def test_hooks_of_a_leaf_come_in_order():
    seen = []
    x = torch.ones(2, requires_grad=True)
    node = (x * 1).grad_fn.next_functions[0][0]
    node.register_hook(lambda inputs, outputs: seen.append(("post", inputs, outputs[0].tolist())))
    node.register_prehook(lambda grads: (seen.append("pre"), (grads[0] * 5,))[1])
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.tolist()))
    x.register_hook(lambda grad: grad * 2)
    x.sum().backward()
    assert seen == ["pre", [10.0, 10.0], ("post", (), [10.0, 10.0])]


def test_grad_takes_an_input_before_the_hooks_of_its_node_if_that_runs():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: grad * 2)
    assert torch.autograd.grad(y.sum(), y, retain_graph=True)[0].tolist() == [2.0, 2.0]
    found = torch.autograd.grad(y.sum(), [y, x])
    assert [each.tolist() for each in found] == [[1.0, 1.0], [4.0, 4.0]]


def test_a_hook_of_a_node_sees_a_place_for_each_input():
    seen = []
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append([each is None for each in inputs]))
    y.sum().backward()
    assert seen == [[False, True]]


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (3, TypeError, "expected Variable, but hook returned 'int'"),
        (torch.ones(3), RuntimeError, "hook '<lambda>' has changed the size of value"),
        (torch.ones(2).double(), RuntimeError, "hook '<lambda>' has changed the type of value"),
    ],
)
def test_a_hook_of_a_tensor_gives_a_gradient_of_the_same_kind(given, kind, words):
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda grad: given)
    with pytest.raises(kind, match=words):
        x.sum().backward()
    assert x.grad is None


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        ([torch.ones(2)], TypeError, "expected tuple, but hook returned 'list'"),
        ((torch.ones(2),), RuntimeError, r"incorrect number of values \(got 1, but expected 2\)"),
        ((torch.ones(2), torch.ones(2)), RuntimeError, "can't replace a None gradient with a non-None value"),
    ],
)
def test_a_hook_of_a_node_gives_a_tuple_like_its_own(given, kind, words):
    y = torch.ones(2, requires_grad=True) * 2
    y.grad_fn.register_hook(lambda inputs, outputs: given)
    with pytest.raises(kind, match=words):
        y.sum().backward()


def test_a_hook_may_remove_itself_while_it_runs():
    x = torch.ones(2, requires_grad=True) * 1
    seen, handles = [], []

    def once(grad):
        handles[0].remove()
        seen.append("once")

    handles.append(x.register_hook(once))
    x.register_hook(lambda grad: seen.append("always"))
    x.sum().backward(retain_graph=True)
    x.sum().backward()
    assert seen == ["once", "always", "always"]


def test_a_retained_gradient_follows_writes_and_hooks_do_not():
    seen = []
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.mul_(3)
    assert y.retains_grad
    (y * 5).sum().backward()
    assert y.grad.tolist() == [5.0, 5.0] and seen == [[15.0, 15.0]]


def test_a_base_retains_its_gradient_after_a_write_into_its_view():
    x = torch.arange(4.0, requires_grad=True) * 1
    x.retain_grad()
    x[:2] = 0
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0, 3.0]


def test_a_view_retains_its_gradient_after_a_write_into_its_base():
    x = torch.arange(4.0, requires_grad=True) * 1
    view = x[:2]
    view.retain_grad()
    x.mul_(2)
    (view * 3).sum().backward()
    assert view.grad.tolist() == [3.0, 3.0]


def test_a_written_view_that_is_not_used_again_retains_nothing():
    x = torch.arange(4.0, requires_grad=True) * 1
    view = x[:2]
    view.retain_grad()
    view.mul_(2)
    (x * 3).sum().backward()
    assert view.retains_grad and view.grad is None


def test_a_hook_of_a_node_sees_a_gradient_in_its_inputs_shape():
    seen = []
    y = torch.ones((), requires_grad=True).expand(3)
    y.grad_fn.register_hook(lambda inputs, outputs: seen.append(inputs[0].tolist()))
    y.sum().backward()
    assert seen == [3.0]


def test_freed_values_are_an_error_also_where_no_gradient_arrives():
    x, y = leaves(2, 2)
    seen = noted("xy", [x, y])
    inner = x * y
    inner.sum().backward()
    seen.clear()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        Times.apply(inner, [], False).sum().backward()
    assert seen == []


def test_hooks_of_a_leaf_that_requires_no_grad_any_more_are_called():
    x = torch.ones(2, requires_grad=True)
    seen = noted("x", [x])
    y = x * 2
    x.detach_()
    y.sum().backward()
    assert seen == ["x"] and x.grad is None


def test_a_write_into_a_view_is_gone_back_through_once():
    x = torch.ones((), requires_grad=True)
    y = x.expand(3).clone()
    y[0] = 0.5
    y.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        y.sum().backward()


def test_an_output_beside_the_one_asked_for_retains_its_gradient():
    one, other = torch.arange(4.0, requires_grad=True).split(2)
    one.retain_grad()
    torch.autograd.grad((one * other).sum(), other)
    assert one.grad.tolist() == [2.0, 3.0]


def hooked(view, seen):
    view.register_hook(lambda grad: (seen.append("tensor"), grad * 100)[1])
    view.grad_fn.register_prehook(lambda grads: seen.append("before"))
    view.grad_fn.register_hook(lambda inputs, outputs: seen.append("after"))


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


@pytest.mark.parametrize("write", [lambda view: view.mul_(3), lambda view: view[0].mul_(3), Tripled.apply])
def test_hooks_of_what_a_view_was_before_a_write_are_not_called(write):
    x = torch.ones(2, requires_grad=True)
    base, seen = x * 1, []
    view = base[:1]
    hooked(view, seen)
    write(view)
    base.sum().backward()
    assert seen == [] and x.grad.tolist() == [3.0, 1.0]


def test_hooks_of_a_view_before_a_write_are_called_for_what_was_computed_before():
    x = torch.ones(2, requires_grad=True)
    base, seen = x * 1, []
    view = base[0]
    view.register_hook(lambda grad: (seen.append(grad.item()), grad * 100)[1])
    double = view * 2
    view.mul_(5)
    (base.sum() + double).backward()
    assert seen == [2.0] and x.grad.tolist() == [205.0, 1.0]


def test_a_node_without_a_derivative_fails_before_older_and_newer_ones_run():
    x = torch.ones(3, requires_grad=True)
    floor = (x * 2).sum()
    floor //= 2
    newer = torch.sigmoid(x * 3)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide_ is not implemented"):
        torch.autograd.backward([floor.max(), newer.mean()])
    newer.sum().backward()  # its node has not run: nothing was freed
    assert x.grad is not None


def test_a_node_without_a_derivative_waits_for_all_of_its_gradients():
    x, seen = torch.ones(3, requires_grad=True), []
    floor = torch.floor_divide(x * 2, 2)
    late = floor * 1
    late.register_hook(seen.append)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        (floor.sum() + late.sum()).backward()
    assert len(seen) == 1


def test_a_leaf_that_refuses_its_gradient_does_so_before_older_nodes_run():
    x, leaf = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    leaf.grad = torch.ones(()).expand(3)
    older = x.exp()
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        (leaf.sum() + older.sum()).backward()
    older.sum().backward()  # not freed
    assert torch.equal(x.grad, x.detach().exp())


@pytest.mark.parametrize(
    ("function", "is_complete"),
    [
        (lambda a, b: (a // 1.5).sum() + b.sum(), True),
        (lambda a, b: b.sum() + (a // 1.5).sum(), False),
        (lambda a, b: ((a // 1.5) * b).sum(), False),
        (lambda a, b: (b * (a // 1.5)).sum(), True),
        (lambda a, b: torch.stack([b, b, a // 2]).sum(), True),
        (lambda a, b: torch.stack([a // 2, b]).sum(), False),
        (lambda a, b: torch.stack([b, b.exp(), a // 2]).sum(), False),
    ],
)
def test_leaves_that_are_complete_before_a_node_without_a_derivative_get_their_gradients(function, is_complete):
    a, b = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="derivative for aten::floor_divide is not implemented"):
        function(a, b).backward()
    assert a.grad is None and (b.grad is not None) is is_complete
