"""Accumulation: what `.grad` is after one backward and after several."""

import warnings

import pytest

import rushlight as torch


def once(create_graph=False):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.sum().backward(create_graph=create_graph)
    return x


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", [False, True])
def test_every_element_of_a_gradient_has_memory_of_its_own(create_graph):
    x = once(create_graph)
    assert x.grad.stride() == (1,)
    x.grad[0] = 5.0
    assert x.grad.tolist() == [5.0, 1.0]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_plain_backward_adds_in_place_and_keeps_the_history_of_a_recorded_one():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward(create_graph=True)
    first = x.grad
    assert first.requires_grad and type(first.grad_fn).__name__ == "CopyBackwards" and first._version == 1
    (x * x).sum().backward()
    assert x.grad is first and first.tolist() == [4.0, 8.0] and first._version == 2
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_recorded_backward_adds_to_a_new_tensor():
    x = once()
    first = x.grad
    (x * x).sum().backward(create_graph=True)
    assert x.grad is not first and x.grad.tolist() == [3.0, 5.0] and first.tolist() == [1.0, 1.0]


def test_an_expanded_tensor_as_gradient_is_not_added_to():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.grad = torch.tensor(1.0).expand(2)
    with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_gradient_that_the_user_gave_is_added_to_with_its_history():
    x = torch.zeros(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    given = x.grad = w * 2
    (x * 2).sum().backward()
    assert x.grad is given and given.tolist() == [4.0, 4.0] and type(given.grad_fn).__name__ == "MulBackward0"


def test_a_gradient_lies_in_memory_as_its_leaf_does():
    x = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
    (x * 2).sum().backward()
    assert x.grad.stride() == (1, 3)
    y = torch.zeros(4, 4)[::2, ::2].requires_grad_()
    (y * 2).sum().backward()
    assert y.grad.stride() == (2, 1)


def test_a_gradient_of_another_layout_than_its_leaf_is_warned_of():
    x = torch.zeros(2, 3, requires_grad=True)
    x.grad = torch.arange(6.0).reshape(3, 2).t()
    with pytest.warns(UserWarning, match="grad and param do not obey the gradient layout contract"):
        (x * 2).sum().backward()
    assert x.grad.stride() == (1, 2) and x.grad.tolist() == [[2.0, 4.0, 6.0], [3.0, 5.0, 7.0]]


def test_two_leaves_may_share_a_gradient():
    x, y = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    x.grad = y.grad = torch.ones(2)
    (x * 2 + y * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_leaf_that_was_complete_before_an_error_has_its_gradient():
    x, y, z = (torch.ones(2, requires_grad=True) for _ in range(3))
    loss = (x * y + z).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()
    assert x.grad.tolist() == y.grad.tolist() == [1.0, 1.0]
    assert z.grad.tolist() == [2.0, 2.0]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("shape", [(0,), (3, 1, 0), (0, 2)])
def test_an_empty_gradient_with_a_history_is_a_copy_too(shape):
    x = torch.ones(shape, requires_grad=True)
    x.exp().sum().backward(create_graph=True)
    assert x.grad.grad_fn.name() == "torch::autograd::CopyBackwards"


@pytest.mark.filterwarnings("ignore:Using backward")
def test_steps_along_dims_of_size_one_are_the_gradients_or_the_leafs():
    # taken over from the product's gradient
    x = torch.ones(1, 4, 2, requires_grad=True)
    x.transpose(0, 1).exp().sum().backward()
    assert x.grad.stride() == (2, 2, 1)
    # copied, as it is to be differentiated
    x = torch.ones(4, 1).t().requires_grad_()
    x.exp().sum().backward(create_graph=True)
    assert x.grad.stride() == (1, 1)
    # copied, as somebody else holds it
    x = torch.ones(4, 1).t().requires_grad_()
    kept = torch.ones(1, 4)
    x.backward(kept)
    assert x.grad.stride() == (1, 1)


def test_a_leaf_that_got_another_shape_refuses_to_add_to_its_gradient():
    x = torch.ones(2, 3, 4, requires_grad=True)
    x.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.eq(torch.ones(2, 3), 2, out=x)
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(4\) must match the size of tensor b \(3\)"):
        x.sum().backward()


def test_a_gradient_spread_to_one_element_is_laid_out_as_its_leaf():
    x = torch.tensor([2.0], requires_grad=True)
    x.sum().backward(inputs=[x, x])
    assert x.grad.stride() == (1,)
    y = torch.ones(1, 1).expand(1, 1).clone().requires_grad_()
    y.sum().pow(2).backward(inputs=[y, y])
    assert y.grad.stride() == (1, 1)


@pytest.mark.parametrize("join", [torch.cat, torch.stack, torch.vstack])
def test_gradients_of_joined_tensors_are_parts_of_one(join):
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    join([x, y]).pow(2).sum().backward()
    assert (x.grad.storage_offset(), y.grad.storage_offset()) == (0, 6)
    assert x.grad.untyped_storage().data_ptr() == y.grad.untyped_storage().data_ptr()
    x.grad.zero_()
    assert y.grad.tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("join", [lambda x, y: torch.cat([x, y], 1), lambda x, y: torch.cat([x, y]) * 0 + x.sum()])
def test_gradients_that_leave_gaps_or_are_sums_are_not(join):
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
    join(x, y).pow(2).sum().backward()
    assert x.grad.storage_offset() == 0 and x.grad.stride() == (3, 1)
    assert x.grad.untyped_storage().nbytes() == 24


def test_a_gradient_given_for_a_view_becomes_that_of_the_leaf():
    x, grad = torch.ones(2, 3, requires_grad=True), torch.ones(6)
    x.view(-1).backward(grad)
    assert x.grad.data_ptr() == grad.data_ptr()


def test_a_converted_leaf_gets_gradients_of_its_old_dtype_from_older_nodes():
    layer = torch.nn.Linear(2, 1)
    before = layer(torch.ones(1, 2)).sum()
    layer.double()
    before.backward()
    assert [each.grad.dtype for each in layer.parameters()] == [torch.float32] * 2
    layer.zero_grad()
    layer(torch.ones(1, 2, dtype=torch.float64)).sum().backward()
    assert [each.grad.dtype for each in layer.parameters()] == [torch.float64] * 2


def test_gradients_of_joined_tensors_of_two_dtypes_have_memory_of_their_own():
    x, y = (torch.ones(3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    torch.cat([x, y, torch.ones(3, requires_grad=True)]).sum().backward()
    assert x.grad.untyped_storage().data_ptr() != y.grad.untyped_storage().data_ptr()


def test_a_gradient_spread_over_a_leaf_with_a_dim_of_one_has_its_strides():
    tall, wide = torch.ones(1, 3).t().requires_grad_(), torch.ones(3, 1).t().requires_grad_()
    (tall.sum() + wide.sum() * 2).backward()
    tall.grad = wide.grad = None
    tall.sum().backward()
    wide.sum().backward()
    assert tall.grad.stride() == (1, 3)
    assert wide.grad.stride() == (1, 1)
