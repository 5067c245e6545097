"""Data moved around by native code: the same as in plain Python, whatever the layout."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension


def layouts(shape):
    """One set of numbers in several memory layouts, each a leaf and the tensor to use."""
    numbers = np.arange(np.prod(shape), dtype="float32").reshape(shape) - 3.5
    for grad in (False, True):
        leaf = torch.tensor(numbers, requires_grad=grad)
        yield leaf, leaf
        leaf = torch.tensor(numbers.T.copy(), requires_grad=grad)
        yield leaf, leaf.permute(*range(leaf.ndim - 1, -1, -1))
        wide = np.zeros((shape[0] * 2, *shape[1:]), "float32")
        wide[::2] = numbers
        leaf = torch.tensor(wide, requires_grad=grad)
        yield leaf, leaf[::2]


CALLS = {
    "cat": (lambda x: torch.cat([x, x[:1], x]), lambda a: np.concatenate([a, a[:1], a])),
    "cat_last": (lambda x: torch.cat([x, x], -1), lambda a: np.concatenate([a, a], -1)),
    "stack": (lambda x: torch.stack([x, x * 2], 1), lambda a: np.stack([a, a * 2], 1)),
    "chunk": (lambda x: x.chunk(2, 1)[0], lambda a: a[:, :2]),
    "split": (lambda x: x.split([1, 3], 1)[1], lambda a: a[:, 1:]),
    "unbind": (lambda x: x.unbind(1)[2], lambda a: a[:, 2]),
    "narrow": (lambda x: x.narrow(0, -2, 1), lambda a: a[-2:-1]),
    "part": (lambda x: x[1:, None, -1], lambda a: a[1:, None, -1]),
    "gather": (
        lambda x: x.gather(1, torch.tensor([[0, 3], [1, 1], [2, 0]])),
        lambda a: np.take_along_axis(a, np.array([[0, 3], [1, 1], [2, 0]]), 1),
    ),
    "pick_rows": (lambda x: x[torch.tensor([2, 0, -1])], lambda a: a[[2, 0, -1]]),
    "pick": (lambda x: x[torch.tensor([2, 0]), torch.tensor([1, -1])], lambda a: a[[2, 0], [1, -1]]),
    "index_select": (lambda x: x.index_select(1, torch.tensor([3, 3, 0])), lambda a: a[:, [3, 3, 0]]),
    "mask": (lambda x: x[x > 0], lambda a: a[a > 0]),
    "clone": (lambda x: x.clone(), lambda a: a),
    "double": (lambda x: x.double(), lambda a: a.astype("float64")),
    "scatter": (
        lambda x: x.scatter(1, torch.tensor([[1], [0], [2]]), 7.0),
        lambda a: np.where(np.eye(4)[[1, 0, 2]] == 1, 7, a),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients(name):
    call, wanted = CALLS[name]
    numbers = np.arange(12, dtype="float32").reshape(3, 4) - 3.5
    for leaf, tensor in layouts((3, 4)):
        found = call(tensor)
        np.testing.assert_array_equal(found.detach().numpy(), wanted(numbers))
        if leaf.requires_grad:
            found.sum().backward()
            # by finite differences: all of these are linear
            for place in itertools.product(*map(range, numbers.shape)):
                moved = numbers.copy()
                moved[place] += 0.25
                slope = (wanted(moved).sum() - wanted(numbers).sum()) / 0.25
                own = (
                    place if leaf.shape == (3, 4) else place[::-1] if leaf.shape == (4, 3) else (place[0] * 2, place[1])
                )
                assert leaf.grad[own].item() == pytest.approx(slope), (name, place)


def test_stack_of_many_numbers():
    x = torch.arange(200.0, requires_grad=True)
    torch.stack([x[place] * place for place in range(200)]).sum().backward()
    assert x.grad.tolist() == list(range(200))


class TestWriting:
    def test_parts_numbers_and_masks(self):
        x = torch.zeros(3, 4)
        x[0] = 1.5
        x[1:, 2] = torch.tensor([2.0, 3.0])
        x[torch.tensor([2, 0]), torch.tensor([0, -1])] = 9.0
        x[x == 0] = -1
        assert x.tolist() == [[1.5, 1.5, 1.5, 9], [-1, -1, 2, -1], [9, -1, 3, -1]]
        assert x._version == 4

    def test_overlapping_memory_is_refused(self):
        x = torch.arange(5.0)
        y = torch.arange(4.0).reshape(2, 2)
        words = "some elements of the input tensor and the written-to tensor refer to a single memory location"
        with pytest.raises(RuntimeError, match=words):
            x[1:] = x[:-1]
        with pytest.raises(RuntimeError, match=words):
            y.copy_(y.T)
        assert x.tolist() == [0, 1, 2, 3, 4] and y.tolist() == [[0, 1], [2, 3]]

    def test_parts_with_gaps_are_read_before_they_are_written(self):
        x = torch.arange(10.0)
        x[2::2] = x[:-2:2]
        assert x.tolist() == [0, 1, 0, 3, 2, 5, 4, 7, 6, 9]

    def test_copy_converts_and_broadcasts(self):
        x = torch.zeros(2, 3)
        assert x.copy_(torch.tensor([1, 2, 3])) is x and x.tolist() == [[1, 2, 3]] * 2
        with pytest.raises(RuntimeError):
            x.copy_(torch.zeros(4))

    def test_a_recorded_write_is_left_to_python(self):
        x = torch.zeros(3, requires_grad=True)
        with pytest.raises(RuntimeError, match="leaf"):
            x[0] = 1.0
        y = x * 1
        y[1] = 2.0
        y.sum().backward()
        assert x.grad.tolist() == [1, 0, 1]

    def test_positions_are_checked_before_anything_is_written(self):
        x = torch.zeros(3)
        for index in (3, -4):
            with pytest.raises(IndexError):
                x[torch.tensor([0, index])] = 1.0
        with pytest.raises((IndexError, RuntimeError)):
            x.scatter_(0, torch.tensor([0, 3]), 1.0)
        assert x.tolist() == [0, 0, 0]


@pytest.mark.skipif(extension is None, reason="there is no native layer here")
@pytest.mark.parametrize("shape", [(4, 6), (2, 2, 6), (24,), (4, 2, 3), (1, 4, 6, 1)])
def test_a_view_of_any_layout_shares_memory_or_is_refused_as_in_python(shape):
    for _, x in layouts((4, 6)):
        plain = told(lambda x=x: torch.Tensor.view.__wrapped__(x, shape))
        native = told(lambda x=x: x.view(shape))
        assert native == plain
        assert x.reshape(shape).tolist() == x.contiguous().view(shape).tolist()


def told(call):
    try:
        found = call()
    except RuntimeError as error:
        return str(error)
    return found.tolist(), found.stride(), found.data_ptr()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_parts_that_come_back_side_by_side_are_put_where_they_were(order):
    x, grad = torch.ones(3, 12, requires_grad=True), torch.arange(36.0).view(3, 12)
    torch.cat([x.split(4, 1)[i] for i in order], 1).backward(grad)
    for place, part in enumerate(order):
        assert x.grad[:, 4 * part : 4 * part + 4].equal(grad[:, 4 * place : 4 * place + 4])
    assert x.grad.data_ptr() != grad.data_ptr()
