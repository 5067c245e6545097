"""What goes another way once there are more elements gives the same as the short way."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.ops.products import distances


def ties(*shape, nans=0.0):
    random = np.random.default_rng(0)
    values = random.integers(0, 9, shape).astype("float32")
    values[random.random(shape) < nans] = np.nan
    return values


@pytest.mark.parametrize("dtype", ["float32", "int64", "float16"])
@pytest.mark.parametrize("rank", [1, 20, 50])
def test_a_selected_element_is_the_one_that_sorting_gives(dtype, rank):
    x = torch.from_numpy(ties(4, 50).astype(dtype) - 4)
    found, ordered = x.kthvalue(rank, 1), x.sort(1, stable=True)
    assert torch.equal(found.values, ordered.values[:, rank - 1])
    assert torch.equal(x.gather(1, found.indices[:, None])[:, 0], found.values)
    # of equals kthvalue has the one where torch's selection ends, the median the one in the order of the input
    assert torch.equal(x.median(1).indices, ordered.indices[:, 24])


def test_medians_are_nan_where_there_is_one():
    x = torch.from_numpy(ties(5, 60))
    assert torch.equal(x.median(1).values, x.sort(1).values[:, 29])
    assert x.median() == x.flatten().sort().values[149]
    x[2, 7] = torch.nan
    assert x.median().isnan() and x.median(1).values.isnan().tolist() == [False, False, True, False, False]
    assert x.median(1).indices[2] == 7 and not x.nanmedian().isnan()


def test_the_first_none_of_all():
    values, indices = torch.ones(3, 40).topk(0)
    assert values.shape == indices.shape == (3, 0)


@pytest.mark.parametrize("dim", [0, 1, 2])
@pytest.mark.parametrize("change", [lambda x: x, lambda x: x.transpose(0, 2), lambda x: x[:, ::2]])
def test_running_maxima_take_the_last_of_equals_and_of_nan(dim, change):
    x = change(torch.from_numpy(ties(6, 8, 7, nans=0.02)))
    values, indices = x.cummax(dim)
    array = np.moveaxis(x.numpy(), dim, 0)
    best, at = array[0].copy(), np.zeros(array[0].shape, int)
    for place, row in enumerate(array):
        better = (row >= best) | (row != row)
        best, at = np.where(better, row, best), np.where(better, place, at)
        assert np.array_equal(np.moveaxis(values.numpy(), dim, 0)[place], best, equal_nan=True)
        assert np.array_equal(np.moveaxis(indices.numpy(), dim, 0)[place], at)
    assert torch.equal((-x).cummin(dim).indices, indices)


@pytest.mark.parametrize("largest", [3, 2**20, 2**26, 2**40])
def test_products_of_integers_are_exact_or_wrap(largest):
    random = np.random.default_rng(1)
    one, other = random.integers(-largest, largest, (40, 30)), random.integers(-largest, largest, (30, 50))
    wanted = np.einsum("ij,jk->ik", one, other)
    x, y = torch.from_numpy(one), torch.from_numpy(other)
    for found in (x @ y, torch.mm(x, y), torch.bmm(x[None], y[None])[0], F.linear(x, y.T.contiguous())):
        assert np.array_equal(found.numpy(), wanted) and found.dtype == torch.int64


@pytest.mark.parametrize("output", [1, 2, (3, 1, 4), (5, 7, 6)])
def test_the_maximum_of_a_volume_is_the_first_of_equals(output):
    x = torch.from_numpy(ties(2, 2, 9, 7, 6))
    values, places = F.adaptive_max_pool3d(x, output, return_indices=True)
    flat = x.flatten(2)
    assert torch.equal(flat.gather(2, places.flatten(2)), values.flatten(2))
    sizes = (output,) * 3 if isinstance(output, int) else output
    bounds = [[(i * n // k, -(-(i + 1) * n // k)) for i in range(k)] for n, k in zip((9, 7, 6), sizes, strict=True)]
    for window in np.ndindex(*sizes):
        part = tuple(slice(*bounds[dim][place]) for dim, place in enumerate(window))
        inside = torch.arange(9 * 7 * 6).reshape(9, 7, 6)[part].flatten()
        best = flat[:, :, inside].argmax(-1)
        assert torch.equal(inside[best], places[(..., *window)])


def test_pooling_a_permuted_image_keeps_its_format():
    x = torch.from_numpy(ties(2, 3, 8, 8))
    last = x.contiguous(memory_format=torch.channels_last).requires_grad_()
    found = F.max_pool2d(last, 2)
    assert torch.equal(found, F.max_pool2d(x, 2)) and found.stride() == (48, 1, 12, 3)
    found.sum().backward()
    plain = x.clone().requires_grad_()
    F.max_pool2d(plain, 2).sum().backward()
    assert torch.equal(last.grad, plain.grad)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0, float("inf")])
def test_gradients_of_distances_do_not_depend_on_blocks(p, monkeypatch):
    x, y = torch.from_numpy(ties(30, 4)).double() + torch.rand(30, 4).double(), torch.rand(28, 4).double()

    def gradients(mode):
        ones, others = x.clone().requires_grad_(), y.clone().requires_grad_()
        torch.cdist(ones, others, p, mode).square().sum().backward()
        return ones.grad, others.grad

    whole = gradients(distances.MODES[2])
    monkeypatch.setattr(distances, "BLOCK", 300)
    for mode in distances.MODES:
        for found, wanted in zip(gradients(mode), whole, strict=True):
            assert torch.allclose(found, wanted)


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_distances_within_many_points_are_the_triangle_of_those_between(p):
    x = torch.rand(30, 5, dtype=torch.float64, requires_grad=True)
    first, second = torch.triu_indices(30, 30, 1)
    found = torch.pdist(x, p)
    wanted = torch.linalg.vector_norm(x[first] - x[second], p, dim=1)
    assert torch.allclose(found, wanted)
    weights = torch.arange(435.0, dtype=torch.float64)
    one, other = (torch.autograd.grad((each * weights).sum(), x)[0] for each in (found, wanted))
    assert torch.allclose(one, other)


def test_swaps_of_one_matrix_are_those_of_a_batch():
    LU, pivots = torch.linalg.lu_factor(torch.rand(2, 6, 6))
    P = torch.lu_unpack(LU, pivots).P
    assert torch.equal(P, torch.stack([torch.lu_unpack(LU[k], pivots[k]).P for k in range(2)]))


def test_sums_leave_out_nan_and_keep_infinity():
    x = torch.tensor([[1.0, torch.nan, 2.0], [torch.inf, 1.0, 1.0], [torch.inf, -torch.inf, torch.nan]])
    assert x.nansum(1)[:2].tolist() == [3.0, torch.inf] and x.nansum(1)[2].isnan()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_extrema_of_half_precision_are_elements_or_nan(dtype):
    x = torch.from_numpy(ties(30, 40)).to(dtype)
    assert torch.equal(x.amax(1), x.float().amax(1).to(dtype)) and x.amin().item() == x.float().amin().item()
    x[3, 5] = torch.nan
    assert x.amax(1).isnan().nonzero().tolist() == [[3]] and torch.aminmax(x).min.isnan()


@pytest.mark.parametrize("mode, name", [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
@pytest.mark.parametrize("pad", [(1, 2, 3, 0), (0, 0, 2, 2), (4, 4, 0, 5), (3, 0, 0, 0)])
@pytest.mark.parametrize("change", [lambda x: x, lambda x: x.mT])
def test_borders_are_read_from_the_image(mode, name, pad, change):
    x = change(torch.randn(2, 3, 6, 6))
    left, right, above, below = pad
    expected = np.pad(x.numpy(), ((0, 0), (0, 0), (above, below), (left, right)), name)
    assert np.array_equal(F.pad(x, pad, mode).numpy(), expected)


@pytest.mark.parametrize("shape", [(300, 1), (1, 300), (30, 1, 1), (20, 15), (1, 1)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.bool, torch.complex128])
def test_gathering_columns_and_rows(shape, dtype):
    x = torch.randn(shape[0], *[7] * (len(shape) - 1)).to(dtype)
    x = x if shape[1] == 1 else torch.randn(shape).to(dtype)
    index = torch.randint(0, x.shape[1], shape)
    expected = np.take_along_axis(
        x.numpy()[(slice(None), slice(None), *[slice(0, 1)] * (len(shape) - 2))], index.numpy(), 1
    )
    assert np.array_equal(x.gather(1, index).numpy(), expected)
    whole = x.numpy().copy()
    np.put_along_axis(whole[(slice(None), slice(None), *[slice(0, 1)] * (len(shape) - 2))], index.numpy(), 1, 1)
    assert np.array_equal(x.scatter(1, index, 1).numpy(), whole)
    with pytest.raises((RuntimeError, IndexError)):
        x.clone().scatter_(1, index + x.shape[1], 1)


@pytest.mark.parametrize("loss", [F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss])
def test_losses_of_transposed_tensors_pair_the_same_elements(loss):
    x, y = torch.randn(40, 30, dtype=torch.float64), torch.randn(40, 30, dtype=torch.float64)
    torch.testing.assert_close(loss(x.T, y.T), loss(x, y))
    torch.testing.assert_close(loss(x.T, y.T.contiguous()), loss(x, y))


@pytest.mark.parametrize("dtype, close", [(np.float32, 1.2e-7), (np.float64, 1e-15)])
def test_the_inverse_of_the_error_function(dtype, close):
    special = pytest.importorskip("scipy.special")
    lacking = 10.0 ** -np.linspace(0.1, 7 if dtype is np.float32 else 15, 500)
    x = np.concatenate([np.linspace(-1, 1, 1001), 1 - lacking, lacking - 1, lacking**3]).astype(dtype)
    found = torch.erfinv(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(found, special.erfinv(x.astype(np.float64)), rtol=close)
    odd = torch.erfinv(torch.tensor([-0.0, 1.0, -1.0, 1.5, -2.0, torch.nan])).tolist()
    assert str(odd) == "[-0.0, inf, -inf, nan, nan, nan]"


def test_averages_of_a_permuted_image_keep_its_format():
    x = torch.randn(2, 9, 8, 3).permute(0, 3, 1, 2)
    found = F.adaptive_avg_pool2d(x, (3, 4))
    torch.testing.assert_close(found, F.adaptive_avg_pool2d(x.contiguous(), (3, 4)))
    assert found.is_contiguous(memory_format=torch.channels_last)


def test_the_gamma_function_and_the_slope_of_digamma():
    special = pytest.importorskip("scipy.special")
    x = np.concatenate([np.geomspace(1e-15, 1e15, 400), np.linspace(0.01, 12, 1200), 1 + np.linspace(-1, 1, 80) * 2e-5])
    for dtype, close in ((np.float32, 2.4e-7), (np.float64, 4e-15)):
        given = x.astype(dtype)
        wide = given.astype(np.float64)
        found = torch.lgamma(torch.from_numpy(given)).numpy()
        np.testing.assert_allclose(found, special.gammaln(wide), rtol=close, atol=0 if dtype is np.float32 else 1e-15)
        slope = torch.polygamma(1, torch.from_numpy(np.concatenate([given, -given[500:900]]))).numpy()
        np.testing.assert_allclose(slope, special.zeta(2, np.concatenate([wide, -wide[500:900]])), rtol=close)
    odd = torch.tensor([0.0, -1.0, -2.0, torch.inf, -torch.inf, torch.nan, 1.0, 2.0])
    assert str(odd.lgamma().tolist()) == "[inf, inf, inf, inf, inf, nan, 0.0, 0.0]"
    assert torch.polygamma(1, odd)[[0, 3]].tolist() == [torch.inf, 0.0]
