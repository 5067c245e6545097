"""Pointwise kernels: memory order, mixed dtypes, in-place calls, special values, threads."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight.core.memory.layout import common_strides
from rushlight.native import extension

pytestmark = pytest.mark.skipif(extension is None, reason="the extension is not there")

DTYPES = [torch.float32, torch.float64, torch.int64, torch.bool]


def plain(function):
    """The Python layer's form of a function."""
    return function.__wrapped__


def same(native, expected):
    assert native.dtype is expected.dtype
    assert native.shape == expected.shape
    np.testing.assert_array_equal(native.detach().numpy(), expected.detach().numpy())


def layouts(random, shape):
    """Views of this shape on memory in other orders, with gaps, expanded."""
    for order in itertools.permutations(range(len(shape))):
        wide = [shape[dim] * 2 if dim == 0 else shape[dim] for dim in order]
        memory = random.uniform(-2, 2, wide).astype("float32").transpose(np.argsort(order))
        yield torch.from_numpy(memory[::2])
        yield torch.from_numpy(np.ascontiguousarray(memory[::2].transpose(order)).transpose(np.argsort(order)))
    yield torch.from_numpy(random.uniform(-2, 2, shape[1:]).astype("float32")).expand(shape)
    yield torch.from_numpy(random.uniform(-2, 2, (*shape[:-1], 1)).astype("float32")).expand(shape)


def test_results_are_ordered_in_memory_as_python_orders_them():
    random = np.random.default_rng(0)
    for one, other in itertools.product(layouts(random, (3, 4, 5)), repeat=2):
        found = one + other
        np.testing.assert_array_equal(found.numpy(), np.add(one.numpy(), other.numpy()))
        expected = common_strides(found.shape, [one._array, other._array])
        assert found.stride() == expected, (one.stride(), other.stride())


@pytest.mark.parametrize("size", [1, 5, 700, 1500])
def test_rows_and_columns_are_broadcast_whatever_their_length(size):
    random = np.random.default_rng(0)
    table = torch.from_numpy(random.uniform(-2, 2, (37, size)))
    for part in (table[:1], table[:, :1], table[0], table[:1, :1], torch.tensor(2.0, dtype=torch.float64)):
        same(table * part, torch.from_numpy(table.numpy() * part.numpy()))
        same(part - table[:, :], torch.from_numpy(part.numpy() - table.numpy()))


@pytest.mark.parametrize("function", [torch.add, torch.mul, torch.div, torch.lt, torch.eq, torch.where, torch.pow])
def test_dtypes_are_mixed_as_python_mixes_them(function):
    random = np.random.default_rng(0)
    values = [torch.from_numpy(random.integers(0, 3, (5, 7))).to(dtype) for dtype in DTYPES]
    values += [torch.tensor(2).to(dtype) for dtype in DTYPES]
    values += [3, 0.5, True]
    for one, other in itertools.product(values, repeat=2):
        if not isinstance(one, torch.Tensor) and not isinstance(other, torch.Tensor):
            continue
        given = (values[3], one, other) if function is torch.where else (one, other)
        try:
            expected = plain(function)(*given)
        except (RuntimeError, TypeError, NotImplementedError) as error:
            with pytest.raises(type(error)):
                function(*given)
            continue
        found = function(*given)
        assert found.dtype is expected.dtype
        np.testing.assert_allclose(found.numpy(), expected.numpy(), 1e-6)


def test_the_default_dtype_decides_for_integers():
    numbers = torch.tensor([1, 2, 3])
    torch.set_default_dtype(torch.float64)
    try:
        assert (numbers / 2).dtype is (numbers * 0.5).dtype is numbers.exp().dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert (numbers / 2).dtype is torch.float32


@pytest.mark.parametrize(("target", "source"), list(itertools.product(range(4), repeat=2)))
def test_a_call_in_place_reads_what_was_there_before(target, source):
    memory = torch.arange(40.0)
    expected = memory.numpy().copy()
    expected[target : target + 32 : 2] += memory.numpy()[source : source + 32 : 2].copy()
    memory[target : target + 32 : 2].add_(memory[source : source + 32 : 2])
    np.testing.assert_array_equal(memory.numpy(), expected)


@pytest.mark.parametrize(("target", "source"), list(itertools.product(range(3), repeat=2)))
def test_parts_that_overlap_are_refused_and_left_alone(target, source):
    memory = torch.arange(20.0)
    expected = memory.numpy().copy()
    if target == source:
        expected[target : target + 16] *= 2
        memory[target : target + 16].add_(memory[source : source + 16])
    else:
        with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
            memory[target : target + 16].add_(memory[source : source + 16])
    np.testing.assert_array_equal(memory.numpy(), expected)


def test_a_number_out_of_the_tensor_itself_is_refused():
    values = torch.tensor([2.0, 3.0, 4.0])
    with pytest.raises(RuntimeError, match="some elements of the input tensor and the written-to tensor refer to"):
        values.mul_(values[0])
    assert values.tolist() == [2.0, 3.0, 4.0]


def test_elements_that_share_memory_are_written_row_after_row():
    windows = torch.arange(6.0).as_strided((5, 2), (1, 1))
    windows.add_(1)
    assert windows[:, 0].tolist() == [1.0, 3.0, 4.0, 5.0, 6.0]


SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, 1e-40, 1e30, -1e30, 88.0, -104.0])
UNARY = """
exp expm1 log log1p log2 sigmoid tanh sinh cosh asinh sqrt rsqrt reciprocal sin cos atan erf erfc
abs sign floor ceil trunc round frac
"""


@pytest.mark.parametrize("name", UNARY.split())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(name, dtype):
    function = getattr(torch, name)
    given = torch.from_numpy(SPECIAL.astype(dtype))
    found, expected = function(given).numpy(), plain(function)(given).numpy()
    np.testing.assert_allclose(found, expected, 1e-6 if dtype == "float32" else 1e-14, 1e-44)
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


def test_equal_elements_share_the_gradient():
    for function, first in ((torch.maximum, 0.0), (torch.minimum, 1.0)):
        one, other = (torch.tensor(each, requires_grad=True) for each in ([1.0, 2.0], [1.0, 3.0]))
        function(one, other).sum().backward()
        assert (one.grad.tolist(), other.grad.tolist()) == ([0.5, first], [0.5, 1 - first])


def test_limits_belong_to_clamp_but_not_to_hardtanh():
    for function, at in ((torch.clamp, 1.0), (F.hardtanh, 0.0)):
        given = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
        function(given, -1.0, 1.0).sum().backward()
        assert given.grad.tolist() == [0.0, at, 1.0, at, 0.0]


def test_results_do_not_depend_on_the_number_of_threads():
    random = np.random.default_rng(0)
    table = torch.from_numpy(random.uniform(-2, 2, (301, 1004)).astype("float32"))
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append([table.tanh(), table * table[0], table[:, ::2] + table[:, 1::2].exp(), table.T * 2.0])
    finally:
        torch.set_num_threads(before)
    for one, *others in zip(*found, strict=True):
        for other in others:
            np.testing.assert_array_equal(one.numpy(), other.numpy())
