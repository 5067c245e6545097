"""Conjugate and negative views: memory shared with the tensor, numbers computed when they are read."""

import copy
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.pointwise.complex import neg_view


@pytest.fixture
def x():
    return torch.tensor([1 + 2j, 3 - 4j, -5 + 6j], dtype=torch.complex128)


def test_a_conjugate_is_a_view_on_the_same_memory(x):
    c = x.conj()
    assert c.is_conj() and c._is_view() and c._base is x
    assert c.data_ptr() == x.data_ptr() and c.stride() == x.stride()
    assert c.tolist() == [1 - 2j, 3 + 4j, -5 - 6j]
    assert c.conj().is_conj() is False and c.conj().tolist() == x.tolist()
    assert x.real.conj().is_conj() is False


def test_views_of_a_conjugate_are_conjugates_and_copies_are_not(x):
    c = torch.stack([x, x]).mH
    for view in (c[0], c.T, c.view(3, 2), c.unsqueeze(0), c.expand(2, 3, 2), c.detach(), c.data, c.split(1)[0]):
        assert view.is_conj()
    for made in (c.clone(), c + 0, c[[0, 1]], c.sum(0), torch.cat([c, c]), torch.tensor(c.tolist()), c.contiguous()):
        assert not made.is_conj()
    assert c[1, 0].item() == 3 + 4j


def test_writing_to_a_conjugate_writes_conjugates(x):
    c = x.conj()
    c[0] = 7 + 8j
    assert x[0].item() == 7 - 8j
    c.mul_(1j)
    assert x[1].item() == -4 - 3j
    c.imag.fill_(5)
    assert x.imag.tolist() == [-5, -5, -5]
    c.zero_()
    torch.add(torch.ones(3), 2j, out=c)
    assert x.tolist() == [1 - 2j] * 3
    x.copy_(c)
    assert c.tolist() == [1 - 2j] * 3
    assert x._version == c._version > 0


def test_the_imaginary_part_of_a_conjugate_is_a_negative_view(x):
    part = x.conj().imag
    assert part.is_neg() and not part.is_conj() and part.tolist() == [-2, 4, -6]
    assert part.resolve_neg().is_neg() is False
    assert not x.conj().real.is_neg()
    part[1] = 9
    assert x[1].item() == 3 - 9j
    assert neg_view(neg_view(x.real)).is_neg() is False
    assert (part * 2).tolist() == [-4, 18, -12] and float(part[0]) == -2 and int(part[0]) == -2 and bool(part[0])


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (lambda part: part.mul_(2), [-4, 2]),
        (lambda part: part.add_(1), [-1, 2]),
        (lambda part: part.add_(torch.ones(2)), [-1, 2]),
        (lambda part: part.neg_(), [2, -1]),
        (lambda part: part.pow_(2), [4, 1]),
        (lambda part: part.clamp_(0), [0, 1]),
        (lambda part: part.copy_(torch.ones(2)), [1, 1]),
        (lambda part: part.masked_fill_(torch.tensor([True, False]), 5.0), [5, 1]),
        (lambda part: part.index_fill_(0, torch.tensor([0]), 5.0), [5, 1]),
        (lambda part: part.index_add_(0, torch.tensor([0, 0]), torch.ones(2)), [0, 1]),
        (lambda part: part.scatter_add_(0, torch.tensor([0, 0]), torch.ones(2)), [0, 1]),
    ],
)
def test_writing_to_a_negative_view_puts_the_negatives_into_memory(write, expected):
    x = torch.tensor([1 + 2j, 3 - 1j], dtype=torch.complex64)
    part = x.conj().imag
    write(part)
    assert part.tolist() == expected and x.imag.tolist() == [-each for each in expected]
    assert x.real.tolist() == [1, 3]


def test_resolving_copies_only_what_is_deferred(x):
    assert x.resolve_conj() is x and x.resolve_neg() is x
    solved = x.conj().resolve_conj()
    assert not solved.is_conj() and solved.data_ptr() != x.data_ptr()
    np.testing.assert_array_equal(solved.numpy(), x.numpy().conj())


def test_memory_that_holds_other_numbers_is_not_given_away(x):
    with pytest.raises(RuntimeError, match="conjugate bit set"):
        x.conj().numpy()
    with pytest.raises(RuntimeError, match="negative bit set"):
        x.conj().imag.numpy()
    np.testing.assert_array_equal(x.conj().numpy(force=True), x.numpy().conj())
    with pytest.raises(RuntimeError, match="view_as_real doesn't work on unresolved conjugated tensors"):
        torch.view_as_real(x.conj())
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors"):
        x.conj().view(torch.float64)
    with pytest.raises(RuntimeError, match="not supported for tensors with negative bit set"):
        x.conj().imag.view(torch.int64)
    with pytest.raises(BufferError, match="conjugate bit set"):
        torch.from_dlpack(x.conj())


def test_pickles_keep_the_flag_and_copies_do_not(x):
    kept = pickle.loads(pickle.dumps(x.conj()))
    assert kept.is_conj() and kept.tolist() == x.conj().tolist()
    assert pickle.loads(pickle.dumps(x.imag)).tolist() == x.imag.tolist()
    assert pickle.loads(pickle.dumps(x.conj().imag)).is_neg()
    made = copy.deepcopy(x.conj())
    assert not made.is_conj() and made.tolist() == x.conj().tolist()


def test_histories_go_through_conjugates(x):
    grad = torch.tensor([1 + 1j, 2, 3j], dtype=torch.complex128)
    x.requires_grad_()
    x.conj().backward(grad)
    assert x.grad.tolist() == grad.conj().tolist()
    x.grad = None
    x.conj().imag.backward(torch.ones(3, dtype=torch.float64))
    assert x.grad.tolist() == [-1j] * 3


def test_writes_through_a_conjugate_reach_the_history_of_its_base(x):
    ones = torch.ones(3, dtype=torch.complex128)
    x.requires_grad_()
    y = x * 1
    y.conj().mul_(2j)
    y.backward(ones)
    assert x.grad.tolist() == [2j] * 3  # y became -2j x
    x.grad = None
    y = x * 1
    c = y.conj()
    y.mul_(2j)
    c.backward(ones)
    assert x.grad.tolist() == [-2j] * 3
    x.grad = None
    y = x * 1
    y.conj().imag.mul_(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64))
    y.imag.backward(torch.ones(3, dtype=torch.float64))
    assert x.grad.tolist() == [1j, 2j, 3j]


def test_leaves_may_be_conjugates(x):
    leaf = x.conj().detach().requires_grad_()
    (leaf * leaf.conj()).real.sum().backward()
    np.testing.assert_array_equal(leaf.grad.resolve_conj().numpy(), 2 * x.numpy().conj())


def test_numpy_functions_see_the_elements(x):
    array = x.conj()._array
    np.testing.assert_array_equal(np.concatenate([array, array]), np.tile(x.numpy().conj(), 2))
    np.testing.assert_array_equal(array.astype(np.complex64), x.numpy().conj())
    assert array[1] == 3 + 4j and array[1:].sum() == -2 - 2j
    total = np.multiply(array, 2, out=array)
    assert total is array and x[0].item() == 2 + 4j
