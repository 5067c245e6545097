"""The notes on autograd: shared memory, the x-y-z graph, detach, accumulation, buffers."""

import numpy as np
import pytest

import rushlight as torch


def test_tensor_and_array_share_memory():
    a = torch.ones(5)
    assert repr(a) == "tensor([1., 1., 1., 1., 1.])"
    b = a.numpy()
    assert str(b) == "[1. 1. 1. 1. 1.]"
    a.add_(1)
    assert repr(a) == "tensor([2., 2., 2., 2., 2.])"
    assert str(b) == "[2. 2. 2. 2. 2.]"
    b[0] = 7
    assert a[0].item() == 7


def test_from_numpy_shares_memory_both_ways():
    array = np.arange(4.0)
    tensor = torch.from_numpy(array)
    array[1] = 10
    assert tensor[1].item() == 10
    tensor.mul_(2)
    assert array[1] == 20
    assert tensor.dtype is torch.float64


def test_the_graph_of_x_y_and_z():
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0)
    z = x * y
    shown = [(i.data.item(), i.requires_grad, i.is_leaf) for i in (x, y, z)]
    assert shown == [(1.0, True, True), (2.0, False, True), (2.0, True, False)]
    assert x.grad is None and x.grad_fn is None and y.grad_fn is None
    assert z.grad_fn.name() == "MulBackward0"
    assert f"{z.grad_fn}".startswith("<MulBackward0 object at 0x")
    assert repr(z) == "tensor(2., grad_fn=<MulBackward0>)"
    z.backward()
    assert x.grad.item() == 2.0
    assert y.grad is None


def test_the_notes_print_of_x_y_and_z():
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0)
    z = x * y
    shown = "".join(
        f"{name}\ndata: {i.data}\nrequires_grad: {i.requires_grad}\n"
        f"grad: {i.grad if i.is_leaf else None}\ngrad_fn: {i.grad_fn}\nis_leaf: {i.is_leaf}\n"
        for i, name in zip([x, y, z], "xyz", strict=True)
    )
    address = hex(id(z.grad_fn))
    assert shown == (
        "x\ndata: 1.0\nrequires_grad: True\ngrad: None\ngrad_fn: None\nis_leaf: True\n"
        "y\ndata: 2.0\nrequires_grad: False\ngrad: None\ngrad_fn: None\nis_leaf: True\n"
        f"z\ndata: 2.0\nrequires_grad: True\ngrad: None\ngrad_fn: <MulBackward0 object at {address}>\nis_leaf: False\n"
    )


def test_requires_grad_changes_in_place():
    a = torch.zeros(2)
    assert a.requires_grad_(True) is a
    assert a.requires_grad
    assert a.is_leaf


def test_leaves():
    assert torch.tensor(1.0).is_leaf
    assert torch.randn(1, 1).is_leaf
    assert (torch.ones(2) * 2).is_leaf, "computed from tensors that all have requires_grad=False"
    x = torch.ones(2, requires_grad=True)
    assert not (x * 2).is_leaf
    assert (x * 2).detach().is_leaf


def test_gradients_go_to_leaves_only():
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.warns(UserWarning, match="leaf"):
        assert y.grad is None


def test_detach_stops_the_gradient():
    x = torch.ones(10, requires_grad=True)
    y = x**2
    z = x.detach() ** 3
    r = (y + z).sum()
    r.backward()
    assert repr(x.grad) == "tensor([2., 2., 2., 2., 2., 2., 2., 2., 2., 2.])"


def test_writing_to_detach_raises_at_backward_and_names_both_lines():
    a = torch.arange(5.0, requires_grad=True)
    b = a**2
    c = a.detach()
    c.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation") as raised:
        b.sum().backward()
    message = str(raised.value)
    assert "b = a**2" in message
    assert "c.zero_()" in message


def test_writing_to_data_gives_the_wrong_result_silently():
    a = torch.arange(5.0, requires_grad=True)
    b = a**2
    c = a.data
    c.zero_()
    b.sum().backward()
    assert a.grad.tolist() == [0.0] * 5


def test_gradients_accumulate_until_zeroed():
    x = torch.ones(3, requires_grad=True)
    for expected in (2.0, 4.0, 6.0):
        (x * 2).sum().backward()
        assert x.grad.tolist() == [expected] * 3
    x.grad[:] = 0
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0] * 3


def test_second_backward_needs_retain_graph():
    x = torch.ones(2, requires_grad=True)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [4.0, 4.0]
    with pytest.raises(RuntimeError, match="backward through the graph a second time") as raised:
        loss.backward()
    assert "test_autograd_notes.py" in str(raised.value)


def test_truncated_backpropagation_says_detach():
    hidden = torch.zeros(1)
    weight = torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="second time") as raised:
        for _ in range(2):
            hidden = torch.tanh(hidden * weight + 1)
            hidden.sum().backward()
    assert "detach()" in str(raised.value)
    hidden = torch.zeros(1)
    for _ in range(3):
        hidden = torch.tanh(hidden.detach() * weight + 1)
        hidden.sum().backward()


def test_frozen_parameters_get_no_gradient():
    net = torch.nn.Linear(2, 1)
    for param in net.parameters():
        param.requires_grad = False
    x = torch.ones(1, 2, requires_grad=True)
    net(x).sum().backward()
    assert all(param.grad is None for param in net.parameters())
    assert x.grad is not None


def test_item_gives_the_number():
    assert torch.tensor(2.5).item() == 2.5
    assert isinstance(torch.tensor(3).item(), int)


def test_buffers_are_in_the_state_dict_and_not_in_the_parameters():
    class Counter(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("mean", torch.zeros(2))
            self.scale = torch.nn.Parameter(torch.ones(2))

    counter = Counter()
    assert list(counter.state_dict()) == ["scale", "mean"]
    assert [name for name, _ in counter.named_parameters()] == ["scale"]


def test_functional_forms_take_their_weights():
    weight, bias = torch.ones(4, 3), torch.zeros(4)
    assert torch.nn.functional.linear(torch.ones(2, 3), weight, bias).tolist() == [[3.0] * 4] * 2
