"""Saved tensors of nodes: hooks on them, before and after they were saved."""

import pytest

import rushlight as torch
from rushlight.autograd import Function, graph


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


def leaf():
    return torch.tensor([2.0], requires_grad=True)


@pytest.mark.parametrize("function", [lambda x: x * x, Square.apply, lambda x: (x * 1) ** 2])
def test_second_derivatives_flow_through_what_hooks_give_back(function):
    x = leaf()
    with graph.saved_tensors_hooks(lambda tensor: tensor.detach().numpy(), torch.from_numpy):
        y = function(x)
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    assert torch.autograd.grad(first, x)[0].item() == 2


def test_second_derivatives_flow_through_a_packed_result():
    x = leaf()
    with graph.saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda kept: kept):
        y = x.sigmoid()
    (first,) = torch.autograd.grad(y, x, create_graph=True)
    (second,) = torch.autograd.grad(first, x)
    s = y.item()
    assert second.item() == pytest.approx(s * (1 - s) * (1 - 2 * s))


def test_hooks_pack_without_recording_and_see_a_result_with_its_history():
    seen = []

    def pack(tensor):
        seen.append((torch.is_grad_enabled(), tensor.requires_grad, tensor.is_leaf))
        return tensor.detach()

    x = leaf()
    with graph.saved_tensors_hooks(pack, lambda kept: kept):
        x.exp()
        x * x
    assert seen == [(False, True, False), (False, True, True), (False, True, True)]


def test_hooks_may_not_write_and_must_give_tensors():
    x = leaf()
    with (
        graph.saved_tensors_hooks(lambda tensor: tensor.add_(1), lambda kept: kept),
        pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"),
    ):
        (x * 1) * (x * 1)
    with graph.saved_tensors_hooks(lambda tensor: 3, lambda kept: kept):
        y = x * x
    with pytest.raises(TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result of"):
        y.backward()
    with pytest.raises(TypeError, match="incompatible function arguments"), graph.saved_tensors_hooks(3, 4):
        pass


def test_hooks_of_a_write_to_its_own_input():
    x = leaf()
    with graph.saved_tensors_hooks(lambda tensor: tensor, lambda kept: kept):
        y = x * 1
        y.mul_(y)
    assert y.item() == 4


@pytest.mark.parametrize("attribute", ["_raw_saved_self", "_raw_saved_tensors"])
def test_hooks_on_what_is_saved_already(attribute):
    x = leaf()
    y = x * x if attribute == "_raw_saved_self" else Square.apply(x)
    raw = getattr(y.grad_fn, attribute)
    raw = raw[0] if isinstance(raw, tuple) else raw
    assert raw.unpack() is x and raw.data is x
    with pytest.raises(TypeError, match=r"register_hooks\(\): incompatible function arguments"):
        raw.register_hooks(lambda tensor: tensor, 3)
    raw.register_hooks(lambda tensor: 5, lambda kept: torch.tensor([float(kept)]))
    assert raw.data == 5 and raw.unpack().item() == 5 and raw.unpack().requires_grad
    with pytest.raises(
        RuntimeError, match="Calling register_hooks on a saved tensor whose hooks have already been set"
    ):
        raw.register_hooks(lambda tensor: tensor, lambda kept: kept)
    y.backward()
    assert x.grad.item() == (7 if attribute == "_raw_saved_self" else 10)
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"):
        raw.register_hooks(lambda tensor: tensor, lambda kept: kept)


def test_hooks_on_none_are_refused():
    class Nothing(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(None)
            return x * 2

    node = Nothing.apply(leaf()).grad_fn
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor with value None is forbidden"):
        node._raw_saved_tensors[0].register_hooks(lambda tensor: tensor, lambda kept: kept)


def test_a_node_is_a_function_of_gradients():
    x = leaf()
    node = (x * 3).grad_fn
    assert [each and each.tolist() for each in node(torch.ones(1))] == [[3.0], None]
    assert node(None) == (None, None)
    for arguments, words in [((), "expected 1 arguments, got 0 instead"), ((3,), "argument 0 is not a Variable")]:
        with pytest.raises(TypeError, match=words):
            node(*arguments)
    with pytest.raises(TypeError, match="keyword arguments are not supported"):
        node(torch.ones(1), x=1)
    accumulate = node.next_functions[0][0]
    assert accumulate(torch.ones(1)) == () and x.grad.item() == 1
    with pytest.raises(TypeError, match="'SquareBackward' object is not callable"):
        Square.apply(x).grad_fn(torch.ones(1))


def test_the_number_of_a_node_may_be_changed_and_backward_still_goes_its_way():
    x = leaf()
    y = x * 3
    z = y * 2
    y.grad_fn._set_sequence_nr(10**6)
    assert y.grad_fn._sequence_nr() == 10**6
    assert y.grad_fn.next_functions[0][0]._sequence_nr() == 2**64 - 1
    (z + y).backward()
    assert x.grad.item() == 9
    assert y.grad_fn.requires_grad


def test_saved_tensors_are_made_by_nodes_only():
    kind = type(torch.ones(1, requires_grad=True).exp().grad_fn._raw_saved_result)
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        kind()


def test_a_gathered_tensor_may_not_change_before_backward():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    found = y.gather(0, torch.tensor([0]))
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


def view_that_leads_nowhere():
    """A view made under no_grad, of a tensor with a history: it requires grad as that does."""
    base = torch.sqrt(torch.ones(3, 2, requires_grad=True))
    with torch.no_grad():
        view = base.narrow(1, 1, 1)
    return base, view


@pytest.mark.parametrize("function", [lambda x: x * x, lambda x: torch.addcmul(x, x, x)])
def test_nothing_is_saved_for_the_gradients_of_a_view_that_leads_nowhere(function):
    base, view = view_that_leads_nowhere()
    y = function(view)
    assert y.requires_grad and all(edge == (None, 0) for edge in y.grad_fn.next_functions)
    base.mul_(2)
    for _ in range(2):
        y.backward(torch.ones_like(y))


@pytest.mark.parametrize("function", [lambda x, w: x * w, lambda x, w: x / x, lambda x, w: x.mm(w.T)])
def test_what_other_gradients_need_of_such_a_view_is_saved(function):
    base, view = view_that_leads_nowhere()
    y = function(view, torch.ones(3, 1, requires_grad=True))
    base.mul_(2)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        y.sum().backward()


@pytest.mark.parametrize("shape", [(2, 3), (1, 2, 3), (3,)])
def test_a_linear_map_goes_on_to_see_the_weight_that_it_was_given(shape):
    x, weight = torch.ones(shape, requires_grad=True), torch.ones(1, 3, requires_grad=True)
    y = torch.nn.functional.linear(x, weight)
    weight.data = weight.data * 5
    y.sum().backward()
    assert x.grad.flatten()[0] == 1
    assert weight.grad.shape == (1, 3)


def test_second_derivatives_see_that_weight_too():
    x, weight = torch.full((1, 1), 3.0, requires_grad=True), torch.full((1, 1), 2.0, requires_grad=True)
    y = torch.nn.functional.linear(x, weight)
    weight.data = weight.data * 5
    (slope,) = torch.autograd.grad(y.pow(2), x, create_graph=True)
    # 2 y w, of which w stands in y too
    found = torch.autograd.grad(slope, [x, weight])
    assert [each.item() for each in found] == [8.0, 24.0]


@pytest.mark.parametrize(("shape", "factor"), [((2,), 1), ((3, 2), 10), ((1, 3, 2), 1)])
@pytest.mark.parametrize("bias", [None, torch.zeros(1)], ids=["bare", "biased"])
def test_a_linear_map_sees_the_new_data_of_a_matrix_and_the_old_of_what_it_makes_one(shape, factor, bias):
    x, weight = torch.ones(shape), torch.ones(1, 2, requires_grad=True)
    y = torch.nn.functional.linear(x, weight, bias)
    x.data = x.data * 10
    y.sum().backward()
    assert weight.grad.tolist() == [[factor * x.numel() / 2] * 2]


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda v, w: v[torch.tensor([0, 1])], [(2,)]),
        (lambda v, w: v[torch.tensor([True, False, True])], [(3,)]),
        (lambda v, w: v.index_put((torch.tensor([0, 0]),), torch.ones(()), accumulate=True), [(2,)]),
        (lambda v, w: v.clone().index_put_((torch.tensor([0, 1]),), w), [(2,)]),
    ],
)
def test_indices_pass_through_the_hooks_too(function, shapes):
    v, w = torch.arange(3.0).requires_grad_(), torch.ones(2, requires_grad=True)
    plain = torch.autograd.grad(function(v, w).pow(2).sum(), [v, w], allow_unused=True)
    seen = []

    def pack(tensor):
        seen.append(tuple(tensor.shape))
        return tensor.numpy(force=True)

    with graph.saved_tensors_hooks(pack, torch.from_numpy):
        found = function(v, w)
    assert seen == shapes
    packed = torch.autograd.grad(found.pow(2).sum(), [v, w], allow_unused=True)
    assert [None if each is None else each.tolist() for each in packed] == [
        None if each is None else each.tolist() for each in plain
    ]


def test_operands_of_an_einsum_come_back_with_their_history():
    v = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
    with graph.saved_tensors_hooks(lambda kept: kept.numpy(force=True), torch.from_numpy):
        found = torch.einsum("i,i,i->", v, v, v)
    (first,) = torch.autograd.grad(found, v, create_graph=True)
    assert first.tolist() == [0, 3, 12]
    assert torch.autograd.grad(first.sum(), v)[0].tolist() == [0, 6, 12]
