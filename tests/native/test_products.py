"""Native products: tiles, thin matrices and batches of every size and layout, against NumPy in double precision."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.nn import functional as F

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer here")

# a build from source has the best level of this machine and the lowest, a wheel all of them
OTHER_LEVELS = () if extension is None else extension.levels()[1:]

# around the sizes of tiles and registers on all levels
SIZES = [0, 1, 2, 3, 5, 8, 9, 16, 17, 33, 65]
INNER = [0, 1, 3, 8, 17, 64, 300]
TOLERANCE = {"float32": 2e-6, "float64": 1e-14}


def drawn(random, *shape, dtype="float32"):
    return random.standard_normal(shape).astype(dtype)


def layouts(array):
    """The same matrix: as it is, transposed in memory, and with gaps."""
    yield torch.from_numpy(array)
    yield torch.from_numpy(np.asfortranarray(array))
    wide = np.zeros((2 * array.shape[0], 3 * array.shape[1]), array.dtype)
    wide[::2, ::3] = array
    yield torch.from_numpy(wide[::2, ::3])


def assert_close(found, expected, dtype):
    assert found.shape == expected.shape
    assert found.is_contiguous()
    bound = TOLERANCE[dtype] * np.sqrt(1 + np.abs(expected).max(initial=0) ** 2) * 8
    assert np.abs(found.detach().numpy() - expected).max(initial=0) <= bound


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("inner", INNER)
def test_products_of_all_sizes_and_layouts(dtype, inner):
    random = np.random.default_rng(inner)
    for rows, columns in itertools.product(SIZES, SIZES):
        a, b = drawn(random, rows, inner, dtype=dtype), drawn(random, inner, columns, dtype=dtype)
        expected = a.astype("float64") @ b.astype("float64")
        for left, right in itertools.product(layouts(a), layouts(b)):
            assert_close(left @ right, expected, dtype)


@pytest.mark.parametrize("inner", INNER)
def test_linear_adds_the_bias_and_has_all_gradients(inner):
    random = np.random.default_rng(inner)
    for rows, columns in itertools.product(SIZES, SIZES):
        arrays = drawn(random, rows, inner), drawn(random, columns, inner), drawn(random, columns)
        x, weight, bias = [torch.tensor(each, requires_grad=True) for each in arrays]
        grad = drawn(random, rows, columns)
        found = F.linear(x, weight, bias)
        found.backward(torch.from_numpy(grad))
        doubles = [each.astype("float64") for each in (*arrays, grad)]
        assert_close(found, doubles[0] @ doubles[1].T + doubles[2], "float32")
        assert_close(x.grad, doubles[3] @ doubles[1], "float32")
        assert_close(weight.grad, doubles[3].T @ doubles[0], "float32")
        assert_close(bias.grad, doubles[3].sum(0), "float32")


@pytest.mark.parametrize("start", [(5, 7), (7,), (5, 1), (1,), ()])
@pytest.mark.parametrize(("beta", "alpha"), [(1, 1), (0.5, 2), (0, 1), (2, 0)])
def test_added_products_broadcast_what_they_start_with(start, beta, alpha):
    random = np.random.default_rng(0)
    arrays = drawn(random, *start), drawn(random, 5, 3), drawn(random, 3, 7)
    expected = beta * arrays[0].astype("float64") + alpha * (arrays[1].astype("float64") @ arrays[2])
    found = torch.addmm(*[torch.from_numpy(np.asarray(each)) for each in arrays], beta=beta, alpha=alpha)
    assert_close(found, expected, "float32")


def test_what_beta_0_multiplies_is_never_read():
    nothing = torch.full((2, 4), float("nan"))
    assert torch.addmm(nothing, torch.ones(2, 3), torch.ones(3, 4), beta=0).eq(3).all()


def test_batches_broadcast():
    random = np.random.default_rng(0)
    for one, other in [((4, 1, 5, 3), (6, 3, 2)), ((4, 5, 3), (3,)), ((3,), (4, 3, 2)), ((9, 0, 3), (3, 4))]:
        a, b = drawn(random, *one), drawn(random, *other)
        assert_close(torch.from_numpy(a) @ torch.from_numpy(b), a.astype("float64") @ b.astype("float64"), "float32")


def test_infinities_and_nans_stay_in_their_rows():
    a, b = np.ones((9, 20), "float32"), np.ones((20, 33), "float32")
    a[2, 3], a[5, 7] = np.inf, np.nan
    found = (torch.from_numpy(a) @ torch.from_numpy(b)).numpy()
    assert np.isinf(found[2]).all()
    assert np.isnan(found[5]).all()
    assert (np.delete(found, [2, 5], 0) == 20).all()


def test_threads_change_no_bit():
    random = np.random.default_rng(0)
    shapes = [(300, 300, 300), (3, 900, 1500), (1500, 900, 3), (1, 3000, 700), (900, 9, 700)]
    pairs = [(torch.tensor(drawn(random, m, k)), torch.tensor(drawn(random, k, n))) for m, k, n in shapes]
    vector = torch.tensor(drawn(random, 300_000))
    before, found = torch.get_num_threads(), []
    try:
        for count in (1, 2, 3):
            torch.set_num_threads(count)
            found.append([(a @ b).numpy().tobytes() for a, b in pairs] + [vector.dot(vector).item()])
    finally:
        torch.set_num_threads(before)
    assert found[0] == found[1] == found[2]


def test_the_level_that_is_asked_for_runs():
    levels = extension.levels()
    assert levels[-1] == "baseline" or len(levels) == 1
    assert extension.level() == os.environ.get("RUSHLIGHT_LEVEL", levels[0])


@pytest.mark.parametrize("level", OTHER_LEVELS)
def test_the_other_levels_of_cpu(level):
    if os.environ.get("RUSHLIGHT_LEVEL"):
        pytest.skip("this is one of them")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(
        command, env={**os.environ, "RUSHLIGHT_LEVEL": level}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
