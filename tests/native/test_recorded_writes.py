"""Writes that are recorded: native code makes their nodes where nothing but the result is needed of the old numbers."""

import pytest

import rushlight as torch
from rushlight import native, nn
from rushlight.nn import functional as F

pytestmark = pytest.mark.skipif(native.extension is None, reason="there is no native layer")

WRITES = {
    "relu_": lambda y, z: y.relu_(),
    "add_": lambda y, z: y.add_(z, alpha=0.5),
    "add_ of a number": lambda y, z: y.add_(2),
    "mul_ by a number": lambda y, z: y.mul_(3.0),
    "sigmoid_": lambda y, z: y.sigmoid_(),
    "exp_": lambda y, z: y.exp_(),
    "masked_fill_": lambda y, z: y.masked_fill_(z > 0, 2.0),
    "copy_": lambda y, z: y.copy_(z),
    "clamp_": lambda y, z: y.clamp_(min=-0.5),
    "relu in place": lambda y, z: F.relu(y, inplace=True),
    "leaky_relu in place": lambda y, z: F.leaky_relu(y, 0.1, inplace=True),
    "index_add_": lambda y, z: y.index_add_(0, torch.tensor([1, 1]), z[:2]),
    "scatter_add_": lambda y, z: y.scatter_add_(0, torch.tensor([[1], [0]]).expand(2, 4), z[:2]),
    "a mask": lambda y, z: put(y, z > 0, 2.0),
    "positions": lambda y, z: put(y, torch.tensor([0, 2]), z[:2]),
    "index_put_": lambda y, z: y.index_put_((torch.tensor([0, 2]),), z[:2]),
    "a view of another": lambda y, z: y.add_(z[0]),
}


def put(y, index, value):
    y[index] = value
    return y


def declined(write):
    """The native calls that a write left to Python, then its graph, numbers and gradients."""
    torch.manual_seed(0)
    x = torch.randn(3, 4, requires_grad=True)
    z = torch.randn(3, 4, requires_grad=True)
    y = x * 2
    before = {each.name: each.forward.declined for each in native.report()}
    found = write(y, z)
    left = [each.name for each in native.report() if each.forward.declined > before[each.name]]
    assert found is y and y._version == 1 and y.requires_grad and not y.is_leaf
    names = [y.grad_fn.name(), [edge and edge.name() for edge, _ in y.grad_fn.next_functions]]
    (y * y).sum().backward()
    return left, names, y.tolist(), x.grad.tolist(), z.grad is not None and z.grad.tolist()


@pytest.mark.parametrize("name", WRITES)
def test_a_write_gives_what_python_gives(name):
    left, names, *numbers = declined(WRITES[name])
    # hooks on saved tensors are Python's
    with torch.autograd.graph.saved_tensors_hooks(lambda each: each, lambda each: each):
        _, expected_names, *expected = declined(WRITES[name])
    assert names == expected_names
    for ours, theirs in zip(numbers, expected, strict=True):
        torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs))
    if name not in ("leaky_relu in place", "clamp_"):
        assert left == []


def test_what_is_left_to_python():
    x = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.add_(1)
    assert x._version == 0
    y = x * 1
    y.mul_(y)  # both factors are its old self
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    base = x * 1
    base[0].mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [3.0, 1.0]


def test_a_result_that_is_written_to_again_is_noticed():
    x = torch.ones(2, requires_grad=True)
    y = (x * 1).sigmoid_()
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_views_of_what_was_written_follow_it():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    part = y[:2]
    y.mul_(5.0)
    part.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0, 0.0]


def test_hooks_and_kept_gradients_of_the_target_stay_where_they_were():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    y.retain_grad()
    seen = []
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.mul_(4.0)
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0] and seen == [[4.0, 4.0]]


def test_a_network_with_activations_in_place_learns_as_one_without():
    losses = []
    for inplace in (False, True):
        torch.manual_seed(0)
        model = nn.Sequential(
            nn.Linear(4, 8), nn.ReLU(inplace), nn.Linear(8, 8), nn.LeakyReLU(0.1, inplace), nn.Linear(8, 1)
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x = torch.randn(16, 4)
        for _ in range(5):
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    assert losses[:5] == losses[5:]
