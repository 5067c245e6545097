"""Random streams against torch: the same numbers in the same order, the generator left at the same place."""

import random

import numpy as np
import pytest

from rushlight.core.random import random as ours

torch = pytest.importorskip("torch")
bfloat16 = pytest.importorskip("ml_dtypes").bfloat16

DTYPES = {
    torch.float16: np.float16,
    torch.bfloat16: bfloat16,
    torch.float32: np.float32,
    torch.float64: np.float64,
    torch.bool: np.bool_,
    torch.uint8: np.uint8,
    torch.int8: np.int8,
    torch.int16: np.int16,
    torch.int32: np.int32,
    torch.int64: np.int64,
}
FLOATS = [dtype for dtype in DTYPES if dtype.is_floating_point]
INTEGERS = [dtype for dtype in DTYPES if not dtype.is_floating_point]
SHAPES = [(), *((n,) for n in (0, 1, 2, 5, 15, 16, 17, 31, 32, 33, 100, 1000)), (3, 7), (5, 4, 8), (0, 3)]
# Several units in the last place, of the number or, where terms cancel, of one: torch computes these with
# approximations of its own.
TOLERANCE = {torch.float16: 2e-3, torch.bfloat16: 1.6e-2, torch.float32: 5e-7, torch.float64: 1e-14}


def as_numpy(tensor):
    return tensor.double().numpy() if tensor.dtype.is_floating_point else tensor.numpy()


def check(expected, got, exact=True):
    assert got.dtype == DTYPES[expected.dtype]
    assert got.shape == tuple(expected.shape)
    wide = got.astype(np.float64) if expected.dtype.is_floating_point else got
    if exact:
        np.testing.assert_array_equal(wide, as_numpy(expected))
    else:
        tolerance = TOLERANCE[expected.dtype]
        np.testing.assert_allclose(wide, as_numpy(expected), rtol=tolerance, atol=tolerance)


class Pair:
    """torch's generator and ours, side by side."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.torch = torch.Generator().manual_seed(seed)
        self.ours = ours.Generator().manual_seed(seed)

    def check_state(self):
        expected, got = self.torch.get_state().numpy(), self.ours.state_bytes()
        kept = slice(5016 + 8, 5016 + 16)
        np.testing.assert_allclose(got[kept].view("f8"), expected[kept].view("f8"), rtol=1e-14)
        got[kept] = expected[kept]
        np.testing.assert_array_equal(got, expected)


def draw_uniform(pair, shape):
    dtype = pair.choose.choice(FLOATS)
    low, high = pair.choose.choice([(0, 1), (-1, 1), (0.1, 5.3), (-0.05, 0.05), (0, 0.3), (100, 101), (-7, 1e4)])
    expected = torch.empty(shape, dtype=dtype).uniform_(low, high, generator=pair.torch)
    check(expected, ours.uniform(shape, DTYPES[dtype], low, high, pair.ours))


def draw_normal(pair, shape):
    dtype = pair.choose.choice(FLOATS)
    mean, std = pair.choose.choice([(0, 1), (0, 0.3), (0.5, 2), (1, 0)])
    expected = torch.empty(shape, dtype=dtype).normal_(mean, std, generator=pair.torch)
    check(expected, ours.normal(shape, DTYPES[dtype], mean, std, pair.ours), exact=False)


def draw_into_a_view(pair, shape):
    dtype = pair.choose.choice(FLOATS)
    shape = pair.choose.choice([(6, 5), (4, 3, 5), (2, 3), (20, 30)])
    order = pair.choose.sample(range(len(shape)), len(shape))
    step = pair.choose.choice([1, 2])
    expected = torch.zeros(shape, dtype=dtype).permute(order)[::step]
    target = np.zeros(shape, DTYPES[dtype]).transpose(order)[::step]
    view = ours.in_memory_order(target)
    if pair.choose.random() < 0.5:
        expected.normal_(generator=pair.torch)
        view[...] = ours.normal(view.shape, view.dtype, 0, 1, pair.ours, contiguous=expected.is_contiguous())
        check(expected, target, exact=False)
    else:
        expected.uniform_(generator=pair.torch)
        view[...] = ours.uniform(view.shape, view.dtype, 0, 1, pair.ours)
        check(expected, target)


def draw_integers(pair, shape):
    dtype = pair.choose.choice(list(DTYPES))
    if dtype == torch.bool:
        low, high = 0, 2
    elif dtype in (torch.int64, torch.float64):
        ranges = [(0, 10), (-5, 5), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**40), (3, 4), (0, 2**50)]
        low, high = pair.choose.choice(ranges)
    else:
        low, high = pair.choose.choice([(0, 10), (0, 100), (5, 6), (1, None)])
    expected = torch.empty(shape, dtype=dtype).random_(low, high, generator=pair.torch)
    check(expected, ours.integers(low, high, shape, DTYPES[dtype], pair.ours))


def draw_any_integers(pair, shape):
    dtype = pair.choose.choice(list(DTYPES))
    expected = torch.empty(shape, dtype=dtype).random_(generator=pair.torch)
    check(expected, ours.any_integers(shape, DTYPES[dtype], pair.ours))


def draw_permutation(pair, shape):
    n = pair.choose.choice([0, 1, 2, 3, 10, 99, 100, 101, 255, 1000, 5000])
    dtypes = [torch.int64, torch.int32, torch.int16, torch.float32, torch.float64]
    dtype = pair.choose.choice(dtypes)
    check(torch.randperm(n, dtype=dtype, generator=pair.torch), ours.permutation(n, DTYPES[dtype], pair.ours))


def draw_bernoulli(pair, shape):
    dtype = pair.choose.choice(list(DTYPES))
    p = pair.choose.choice([0.0, 0.1, 0.5, 0.9, 1.0, pair.choose.random()])
    expected = torch.empty(shape, dtype=dtype).bernoulli_(p, generator=pair.torch)
    check(expected, ours.bernoulli(p, shape, DTYPES[dtype], pair.ours))


def draw_bernoulli_of_array(pair, shape):
    dtype, source = pair.choose.choice(list(DTYPES)), pair.choose.choice(FLOATS)
    p = torch.rand(shape, generator=torch.Generator().manual_seed(pair.choose.randrange(1000))).to(source)
    array = p.double().numpy().astype(DTYPES[source])
    check(torch.bernoulli(p, generator=pair.torch), ours.bernoulli(array, generator=pair.ours))
    expected = torch.empty((2, *shape), dtype=dtype).bernoulli_(p, generator=pair.torch)
    check(expected, ours.bernoulli(array, (2, *shape), DTYPES[dtype], pair.ours))


def draw_exponential(pair, shape):
    dtype, rate = pair.choose.choice(FLOATS), pair.choose.choice([1.0, 0.3, 7.0])
    expected = torch.empty(shape, dtype=dtype).exponential_(rate, generator=pair.torch)
    check(expected, ours.exponential(shape, DTYPES[dtype], rate, pair.ours), exact=False)


def draw_cauchy(pair, shape):
    dtype = pair.choose.choice(FLOATS)
    expected = torch.empty(shape, dtype=dtype).cauchy_(0.3, 1.7, generator=pair.torch)
    check(expected, ours.cauchy(shape, DTYPES[dtype], 0.3, 1.7, pair.ours), exact=False)


def draw_geometric(pair, shape):
    dtype = pair.choose.choice([dtype for dtype in DTYPES if dtype != torch.bool])
    p = pair.choose.choice([0.2, 0.5, 0.93])
    expected = torch.empty(shape, dtype=dtype).geometric_(p, generator=pair.torch)
    check(expected, ours.geometric(shape, DTYPES[dtype], p, pair.ours))


def draw_log_normal(pair, shape):
    dtype = pair.choose.choice(FLOATS)
    expected = torch.empty(shape, dtype=dtype).log_normal_(0.3, 0.6, generator=pair.torch)
    check(expected, ours.log_normal(shape, DTYPES[dtype], 0.3, 0.6, pair.ours), exact=False)


def draw_multinomial(pair, shape):
    source = pair.choose.choice(FLOATS)
    shape = pair.choose.choice([(1,), (6,), (50,), (3, 6), (10, 40), (0, 4)])
    probs = torch.rand(shape, generator=torch.Generator().manual_seed(pair.choose.randrange(1000))).to(source)
    array = probs.double().numpy().astype(DTYPES[source])
    if len(shape) == 2 and pair.choose.random() < 0.5 and 0 not in shape:
        probs, array = probs.t().contiguous().t(), np.asfortranarray(array)
    replacement = pair.choose.random() < 0.5
    # Short formats tie often, and which of two equals torch's partial sort puts first is its own affair.
    several = [] if source in (torch.float16, torch.bfloat16) else [shape[-1], max(1, shape[-1] // 2)]
    num_samples = pair.choose.choice([1, 4, 30] if replacement else [1, *several])
    expected = torch.multinomial(probs, num_samples, replacement, generator=pair.torch)
    check(expected, ours.multinomial(array, num_samples, replacement, pair.ours))


DRAWS = [value for name, value in list(globals().items()) if name.startswith("draw_")]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_each_draw_gives_torchs_numbers(draw, shape):
    pair = Pair(seed=sum(shape))
    for _ in range(8):
        draw(pair, shape)
        pair.check_state()


@pytest.mark.parametrize("seed", range(20))
def test_draws_in_any_order_stay_in_step(seed):
    pair = Pair(seed)
    for _ in range(40):
        pair.choose.choice(DRAWS)(pair, pair.choose.choice(SHAPES))
    pair.check_state()


@pytest.mark.parametrize("drawn", [0, 1, 5, 623, 624, 625, 1248])
@pytest.mark.parametrize("normals", [0, 1, 2])
def test_states_travel_both_ways(drawn, normals):
    pair = Pair(seed=2**40 + 7)
    torch.rand(drawn, generator=pair.torch)
    torch.randn(normals, generator=pair.torch)
    pair.ours.load_state_bytes(pair.torch.get_state().numpy())
    pair.check_state()
    draw_normal(pair, (3,))
    draw_uniform(pair, (7,))
    pair.torch = torch.Generator()
    pair.torch.set_state(torch.from_numpy(pair.ours.state_bytes()))
    assert pair.torch.initial_seed() == pair.ours.initial_seed() == 2**40 + 7
    draw_normal(pair, (3,))
    draw_uniform(pair, (7,))
    pair.check_state()


@pytest.mark.parametrize("seed", [0, -1, -5, 2**32 + 1, 2**63, 2**64 - 1, -(2**63)])
def test_every_seed_starts_the_same_stream(seed):
    pair = Pair(0)
    assert pair.ours.manual_seed(seed).initial_seed() == pair.torch.manual_seed(seed).initial_seed()
    draw_uniform(pair, (5,))
    pair.check_state()


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 1.5, "a", None, True])
def test_what_is_no_seed_raises_the_same_type(seed):
    with pytest.raises((RuntimeError, ValueError)) as expected:
        torch.Generator().manual_seed(seed)
    with pytest.raises(expected.type):
        ours.Generator().manual_seed(seed)


@pytest.mark.filterwarnings("ignore:.*(out of bounds|gaps between):UserWarning")
@pytest.mark.parametrize("dtype", list(DTYPES), ids=str)
def test_integers_over_every_range_agree_or_raise_alike(dtype):
    bounds = [0, 1, 2, -5, 127, 300, 2**8 + 1, 2**11 + 3, 65505, 2**24 + 1, 2**24 + 5, 2**28, 2**31, 2**40]
    bounds += [2**53 + 1, 2**62, 2**63 - 1, -(2**24) - 3, -(2**31), -(2**62) - 1, -(2**63), None]
    for low in bounds[:-1]:
        for high in bounds:
            pair = Pair(3)
            if low == 2**63 - 1 and high is None:
                continue  # torch never comes back from this one
            if high is not None and high <= low:
                with pytest.raises(RuntimeError):
                    ours.integers(low, high, (6,), DTYPES[dtype], pair.ours)
                continue
            try:
                expected = torch.empty(6, dtype=dtype).random_(low, high, generator=pair.torch)
            except (RuntimeError, NotImplementedError):
                with pytest.raises((RuntimeError, NotImplementedError)):
                    ours.integers(low, high, (6,), DTYPES[dtype], pair.ours)
            else:
                check(expected, ours.integers(low, high, (6,), DTYPES[dtype], pair.ours))
                pair.check_state()


def test_large_draws_agree():
    pair = Pair(11)
    draw_permutation(pair, ())
    check(torch.randperm(60000, generator=pair.torch), ours.permutation(60000, generator=pair.ours))
    check(torch.rand(100003, generator=pair.torch), ours.uniform((100003,), np.float32, generator=pair.ours))
    expected = torch.randn(100003, generator=pair.torch)
    check(expected, ours.normal((100003,), np.float32, generator=pair.ours), exact=False)
    pair.check_state()


@pytest.mark.parametrize(
    "low, high", [(1e-30, 3), (-1e-20, 0.7), (-3, 1e-30), (3e-15, 1e3), (1e-10, 3), (1e8, 1e8 + 24)]
)
def test_lopsided_ranges_are_rounded_once(low, high):
    pair = Pair(5)
    expected = torch.empty(20000).uniform_(low, high, generator=pair.torch)
    check(expected, ours.uniform((20000,), np.float32, low, high, pair.ours))
