"""Sorted, chosen and counted elements by native code: those of the Python bodies, beyond the size of samples."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.creation import ranges
from rushlight.native import extension
from rushlight.ops.indexing import masking
from rushlight.ops.reductions import sorting, uniqueness

pytestmark = pytest.mark.skipif(extension is None, reason="no native layer")

# around where digits take over from insertion, and several blocks of threads
COUNTS = [1, 2, 7, 47, 48, 49, 1000, 70_000]


def numbers(dtype, *shape):
    """Ties, both zeros and, of floats, what is not finite, among others."""
    random = np.random.default_rng(sum(shape))
    values = random.normal(size=shape) * 10.0 ** random.integers(-3, 18, shape)
    values = np.where(random.random(shape) < 0.4, random.integers(-2, 3, shape), values)
    if dtype != "int64":
        for special in (np.nan, -np.nan, np.inf, -np.inf, -0.0):
            values = np.where(random.random(shape) < 0.05, special, values)
    return values.astype(dtype)


def check(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one.numpy(), other)
        np.testing.assert_array_equal(np.signbit(one.numpy()), np.signbit(other))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("count", COUNTS)
def test_sort_is_stable(dtype, descending, count):
    array = numbers(dtype, count)
    check(torch.tensor(array).sort(descending=descending), sorting.sort.op.body(array, 0, descending))
    check([torch.tensor(array).argsort(descending=descending)], [sorting.sort.op.body(array, descending=descending)[1]])


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_sort_along_each_dimension(dim):
    array = numbers("float32", 60, 3, 55)
    check(torch.tensor(array).sort(dim), sorting.sort.op.body(array, dim))
    check(torch.tensor(array).topk(2, dim), sorting.topk.op.body(array, 2, dim))


@pytest.mark.parametrize("k", [1, 5, 32, 33, 200, 1000])
@pytest.mark.parametrize("largest", [False, True])
def test_topk_takes_the_first_of_equals(k, largest):
    array = numbers("float64", 3, 1000)
    check(torch.tensor(array).topk(k, largest=largest), sorting.topk.op.body(array, k, -1, largest))


@pytest.mark.parametrize("count", [5, 100])
def test_gradients_go_back_where_elements_came_from(count):
    order = np.random.default_rng(0).permutation(count)
    x = torch.tensor(order.astype("float32"), requires_grad=True)
    (x.sort().values * torch.arange(count)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), order)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize("count", COUNTS)
def test_unique_counts_each_nan_alone(dtype, count):
    array = numbers(dtype, count)
    found = torch.tensor(array).unique(return_inverse=True, return_counts=True)
    check(found, uniqueness.distinct.op.body(array, None, False))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
@pytest.mark.parametrize("shape", [(1000,), (20, 30), (5, 1, 30, 7)])
def test_nonzero_keeps_the_layout_of_columns(dtype, shape):
    array = np.random.default_rng(0).integers(0, 3, shape).astype(dtype)
    found, expected = torch.tensor(array).nonzero(), masking.rows_nonzero.op.body(array)
    assert found.stride() == tuple(step // 8 for step in expected.strides)
    check([found], [expected])


@pytest.mark.parametrize("diagonal", [-50, -3, -1, 0, 1, 4, 50])
@pytest.mark.parametrize("shape", [(7, 7), (3, 40), (40, 3), (2, 5, 6)])
def test_triangles_at_every_diagonal(diagonal, shape):
    array = np.random.default_rng(0).normal(size=shape)
    for layout in (array, np.asfortranarray(array)):
        np.testing.assert_array_equal(torch.tensor(layout).tril(diagonal).numpy(), np.tril(array, diagonal))
        np.testing.assert_array_equal(torch.tensor(layout).triu(diagonal).numpy(), np.triu(array, diagonal))


@pytest.mark.parametrize("size, step", [(1, 1), (2, 2), (3, 1), (2, 5), (40, 3)])
def test_the_gradient_of_windows_counts_each_element(size, step):
    x = torch.zeros(3, 40, requires_grad=True)
    x.unfold(1, size, step).sum().backward()
    expected = np.zeros((3, 40), "float32")
    for start in range(0, 40 - size + 1, step):
        expected[:, start : start + size] += 1
    np.testing.assert_array_equal(x.grad.numpy(), expected)


@pytest.mark.parametrize("kind", ["int32", "uint8", "int8", "int16"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool"])
def test_conversion_to_short_integers_is_that_of_python(kind, dtype):
    array = np.array([0, 1, -1, 2.7, -2.7, 200, -200, 70_000, 2**31, -(2**31), 3e9, 1e18]).astype(dtype)
    expected = torch.ops.conversion.to_copy.op.body(array, np.dtype(kind))
    check([torch.tensor(array).to(getattr(torch, kind))], [expected])


@pytest.mark.parametrize("ends", [(0, 1), (-3.5, 7), (1, 1), (5, -5), (0.1, 1e30)])
@pytest.mark.parametrize("count", [2, 3, 10, 1001])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_linspace_has_the_bits_of_python(ends, count, dtype):
    check([torch.linspace(*ends, count, dtype=dtype)], [ranges.linspace.__wrapped__(*ends, count, dtype=dtype).numpy()])


def test_tensors_are_compared_whole():
    x = torch.randn(10_000)
    for place in (0, 4095, 4096, 9_999):
        y = x.clone()
        assert x.equal(y) and torch.allclose(x, y)
        y[place] += 1
        assert not x.equal(y) and not torch.allclose(x, y)
        y[place] = torch.nan
        assert not y.equal(y) and not torch.allclose(y, y)
        y[place] = torch.inf
        assert y.equal(y) and torch.allclose(y, y) and not torch.allclose(x, y, rtol=1.0)


@pytest.mark.parametrize("shape", [(3, 1), (1, 5), (4, 1, 5)])
@pytest.mark.parametrize("dim", [None, 0, 1, (0, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.int64])
def test_expanded_elements_count_as_often_as_they_are_shown(shape, dim, dtype):
    x = torch.arange(20)[: int(np.prod(shape))].reshape(shape).to(dtype)
    wide = x.expand([49 if size == 1 else size for size in shape])
    np.testing.assert_array_equal(wide.sum(dim).numpy(), np.sum(wide.contiguous().numpy(), dim))
    if dtype is not torch.int64:
        np.testing.assert_allclose(wide.mean(dim).numpy(), np.mean(wide.contiguous().numpy(), dim), rtol=1e-6)


@pytest.mark.parametrize("view", ["t", "ravel", "expand", "select", "slice", "unfold"])
def test_a_large_view_gets_the_gradient_of_a_sum(view):
    views = {
        "t": lambda x: x.t(),
        "ravel": lambda x: x.view(-1).unsqueeze(0),
        "expand": lambda x: x.expand(3, 200, 100),
        "select": lambda x: x.expand(300, 200, 100).select(1, 3),
        "slice": lambda x: x[1:, ::2].t(),
        "unfold": lambda x: x.unfold(0, 5, 5),
    }
    large = torch.ones(200, 100, requires_grad=True)
    plain = torch.ones(200, 100, requires_grad=True)
    views[view](large).sum().backward()
    (views[view](plain) * 1).sum().backward()
    np.testing.assert_array_equal(large.grad.numpy(), plain.grad.numpy())
    assert large.grad.is_contiguous()
    large.grad.add_(1)
    np.testing.assert_array_equal(large.grad.numpy(), plain.grad.numpy() + 1)
