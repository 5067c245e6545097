"""Random streams: numbers that torch 2.13.0 gave for the calls named here, and how a generator behaves."""

import copy
import pickle
import threading
import zlib

import numpy as np
import pytest

import rushlight
from rushlight.core.random import random
from rushlight.core.random.random import Generator

F16, F32, F64, I64 = (np.dtype(name) for name in ("f2", "f4", "f8", "i8"))


def seeded(seed=0):
    return Generator().manual_seed(seed)


# Each row: what torch calls after torch.manual_seed(0), what it answers, and the same of us.
EXACT = {
    "torch.rand(3)": (
        [0.496256589889526, 0.768221795558929, 0.088477432727814],
        lambda g: random.uniform((3,), F32, generator=g),
    ),
    "torch.rand(3, dtype=torch.float16)": (
        [0.496337890625, 0.76806640625, 0.0885009765625],
        lambda g: random.uniform((3,), F16, generator=g),
    ),
    "torch.randint(10, (6,))": ([4, 9, 3, 0, 3, 9], lambda g: random.integers(0, 10, (6,), I64, g)),
    "torch.randint(2**28, (2,))": (
        [130329135, 136432832],
        lambda g: random.integers(0, 2**28, (2,), I64, g),
    ),
    "torch.empty(3, dtype=torch.int64).random_()": (
        [900450186894289455, 3969543146641149120, 1895649597198586619],
        lambda g: random.any_integers((3,), I64, g),
    ),
    "torch.empty(3).random_()": ([8325664, 12888472, 1484222], lambda g: random.any_integers((3,), F32, g)),
    "torch.randperm(10)": ([4, 1, 7, 5, 3, 9, 0, 8, 6, 2], lambda g: random.permutation(10, generator=g)),
    "torch.randperm(300)[:6]": (
        [44, 120, 71, 270, 111, 139],
        lambda g: random.permutation(300, generator=g)[:6],
    ),
    "torch.empty(8).bernoulli_(0.3)": (
        [0, 0, 0, 0, 0, 0, 1, 0],
        lambda g: random.bernoulli(0.3, (8,), F32, g),
    ),
    "torch.bernoulli(torch.full((8,), 0.3))": (
        [0, 0, 1, 1, 0, 0, 0, 0],
        lambda g: random.bernoulli(np.full(8, 0.3, F32), generator=g),
    ),
    "torch.empty(6).geometric_(0.2)": ([1, 2, 4, 1, 2, 2], lambda g: random.geometric((6,), F32, 0.2, g)),
    "torch.multinomial(torch.tensor([1., 2, 3, 4]), 1)": (
        [2],
        lambda g: random.multinomial(np.array([1, 2, 3, 4], F32), 1, generator=g),
    ),
    "torch.multinomial(torch.tensor([1., 2, 3, 4]), 3)": (
        [2, 1, 3],
        lambda g: random.multinomial(np.array([1, 2, 3, 4], F32), 3, generator=g),
    ),
    "torch.multinomial(torch.tensor([1., 2, 3, 4]), 6, True)": (
        [3, 3, 2, 3, 3, 3],
        lambda g: random.multinomial(np.array([1, 2, 3, 4], F32), 6, True, g),
    ),
}
CLOSE = {
    "torch.rand(2, dtype=torch.float64)": (
        [0.970053002, 0.707819864],
        lambda g: random.uniform((2,), F64, generator=g),
    ),
    "torch.empty(3).uniform_(-0.05, 0.05)": (
        [-0.000374341, 0.02682218, -0.041152257],
        lambda g: random.uniform((3,), F32, -0.05, 0.05, g),
    ),
    "torch.randn(5)": (
        [1.540996075, -0.293428898, -2.178789377, 0.568431258, -1.084522367],
        lambda g: random.normal((5,), F32, generator=g),
    ),
    "torch.randn(16)[:4]": (
        [-1.125839829, -1.152360201, -0.250578582, -0.433878809],
        lambda g: random.normal((16,), F32, generator=g)[:4],
    ),
    "torch.randn(18)[-4:]": (
        [0.946298361, -0.843676746, 0.931826591, 1.259009242],
        lambda g: random.normal((18,), F32, generator=g)[-4:],
    ),
    "torch.randn(18, dtype=torch.float16)[-4:]": (
        [1.389648438, 1.5859375, 0.946289062, -0.84375],
        lambda g: random.normal((18,), F16, generator=g)[-4:],
    ),
    "torch.randn(17, dtype=torch.float64)[:3]": (
        [-2.3104118, -0.633274609, -1.260924656],
        lambda g: random.normal((17,), F64, generator=g)[:3],
    ),
    "torch.empty(5, 4).t().normal_()[0]": (
        [1.540996075, -1.084522367, -0.719257593, -0.856674612, -0.566317499],
        lambda g: random.normal((5, 4), F32, 0, 1, g, contiguous=False).T[0],
    ),
    "torch.empty(3).exponential_(2)": (
        [1.754163146, 0.615192354, 0.307522058],
        lambda g: random.exponential((3,), F32, 2, g),
    ),
    "torch.empty(3).cauchy_(1, 2)": (
        [22.195459366, 2.529534578, 0.743401289],
        lambda g: random.cauchy((3,), F32, 1, 2, g),
    ),
    "torch.empty(3).log_normal_()": (
        [59.26341629, 1.511559963, 0.034819461],
        lambda g: random.log_normal((3,), F32, generator=g),
    ),
}


@pytest.mark.parametrize("call", EXACT)
def test_numbers_equal_torchs(call):
    expected, draw = EXACT[call]
    np.testing.assert_array_equal(draw(seeded()), np.array(expected, draw(seeded()).dtype))


@pytest.mark.parametrize("call", CLOSE)
def test_numbers_are_torchs_up_to_rounding(call):
    expected, draw = CLOSE[call]
    np.testing.assert_allclose(draw(seeded()).astype(F64), expected, rtol=1e-6, atol=1e-8)


DRAWS = {
    "uniform": lambda g, shape: random.uniform(shape, F32, generator=g),
    "uniform of float64": lambda g, shape: random.uniform(shape, F64, -2, 3, g),
    "normal": lambda g, shape: random.normal(shape, F32, generator=g),
    "normal one by one": lambda g, shape: random.normal(shape, F32, 0, 1, g, contiguous=False),
    "log_normal": lambda g, shape: random.log_normal(shape, F32, generator=g),
    "exponential": lambda g, shape: random.exponential(shape, F32, generator=g),
    "cauchy": lambda g, shape: random.cauchy(shape, F32, generator=g),
    "geometric": lambda g, shape: random.geometric(shape, I64, 0.3, g),
    "bernoulli": lambda g, shape: random.bernoulli(0.3, shape, np.bool_, g),
    "bernoulli of an array": lambda g, shape: random.bernoulli(np.full(shape, 0.3), generator=g),
    "integers": lambda g, shape: random.integers(-3, 9, shape, I64, g),
    "any_integers": lambda g, shape: random.any_integers(shape, np.uint8, g),
}


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0), (3, 4), (17,), (4, 5, 2)], ids=str)
@pytest.mark.parametrize("name", DRAWS)
def test_every_draw_gives_an_array_of_the_shape(name, shape):
    generator = seeded()
    before = generator.state_bytes()
    result = DRAWS[name](generator, shape)
    assert type(result) is np.ndarray
    assert result.shape == shape
    assert (generator.state_bytes() == before).all() == (result.size == 0)


@pytest.mark.parametrize("name", DRAWS)
def test_without_a_generator_the_default_one_is_drawn_from(name):
    random.default_generator.manual_seed(4)
    np.testing.assert_array_equal(DRAWS[name](None, (5,)), DRAWS[name](seeded(4), (5,)))


def test_the_default_generator_starts_from_a_seed_of_its_own():
    fresh = Generator()
    assert fresh.initial_seed() == 67280421310721
    assert fresh.seed() == fresh.initial_seed() != Generator().seed()
    assert str(fresh.device) == "cpu"


def test_a_negative_seed_counts_from_the_end():
    assert seeded(-1).initial_seed() == 2**64 - 1
    np.testing.assert_array_equal(seeded(-5).draw32(3), seeded(2**64 - 5).draw32(3))


def test_only_the_low_32_bits_of_a_seed_choose_the_stream():
    np.testing.assert_array_equal(seeded(2**32 + 5).draw32(3), seeded(5).draw32(3))


def test_a_word_of_64_bits_is_two_of_32():
    high, low = (int(word) for word in seeded().draw32(2))
    assert seeded().draw64(1).tolist() == [high << 32 | low]


def test_the_state_is_the_one_torch_saves():
    generator = seeded()
    random.normal((3,), F32, generator=generator)
    random.uniform((700,), F32, generator=generator)
    state = generator.state_bytes()
    kept_normal = state[5024:5032].view(F64)
    np.testing.assert_allclose(kept_normal, 0.5684312772806678, rtol=1e-14)
    kept_normal[:] = 0.5684312772806678  # the last digit is the mathematics library's
    # The checksum of torch.get_rng_state() after manual_seed(0), randn(3), rand(700).
    assert zlib.crc32(state.tobytes()) == 1428598270
    np.testing.assert_allclose(random.normal((2,), F32, generator=generator), [0.56843126, 0.97648335], rtol=1e-6)


@pytest.mark.parametrize("drawn", [0, 1, 623, 624, 625])
def test_a_state_continues_where_it_was_taken(drawn):
    generator = seeded(9)
    random.normal((3,), F32, generator=generator)
    generator.draw32(drawn)
    state, position = generator.state_bytes(), generator.clone_state()
    expected = random.normal((20,), F32, generator=generator), random.normal((4,), F64, generator=generator)
    copies = [
        position,
        Generator().load_state_bytes(state),
        copy.deepcopy(position),
        pickle.loads(pickle.dumps(position)),
    ]
    for continued in [copies[1], *copies[2:], copies[0]]:
        assert continued.initial_seed() == 9
        np.testing.assert_array_equal(random.normal((20,), F32, generator=continued), expected[0])
        np.testing.assert_array_equal(random.normal((4,), F64, generator=continued), expected[1])


def test_seeding_forgets_the_kept_normal():
    generator = seeded(1)
    random.normal((3,), F32, generator=generator)
    assert generator.kept_normal is not None
    generator.manual_seed(1)
    assert generator.kept_normal is None
    np.testing.assert_array_equal(generator.state_bytes(), seeded(1).state_bytes())


def test_small_normals_come_out_the_same_in_any_portions():
    whole = random.normal((14,), F64, generator=seeded(3))
    generator = seeded(3)
    portions = [random.normal((n,), F64, generator=generator) for n in (1, 2, 3, 0, 5, 3)]
    np.testing.assert_array_equal(np.concatenate(portions), whole)


def test_a_uniform_number_never_reaches_the_upper_end():
    for dtype in (F16, F32):
        numbers = random.uniform((200000,), dtype, 1000, 1001, seeded())
        assert numbers.min() == 1000
        assert numbers.max() < 1001


def test_a_permutation_holds_every_number_once():
    for n in (0, 1, 2, 255, 256, 257, 3000):
        assert sorted(random.permutation(n, generator=seeded(n)).tolist()) == list(range(n))


def test_large_permutations_are_swapped_like_small_ones():
    partners = [place + draw % (700 - place) for place, draw in enumerate(seeded().draw32(699).tolist())]
    order = list(range(700))
    for place, partner in enumerate(partners):
        order[place], order[partner] = order[partner], order[place]
    assert random.permutation(700, generator=seeded()).tolist() == order


def test_an_array_is_filled_in_the_order_of_its_memory():
    target = np.zeros((3, 4, 5), F32).transpose(2, 0, 1)[::2]
    view = random.in_memory_order(target)
    assert view.shape == (3, 4, 3)
    assert np.shares_memory(view, target)
    assert list(view.strides) == sorted(view.strides, reverse=True)


def test_threads_share_a_generator_without_losing_numbers():
    generator, drawn = seeded(), []

    def draw():
        drawn.extend(random.normal((3,), F64, generator=generator).tolist() for _ in range(200))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = seeded()
    alone = [random.normal((3,), F64, generator=expected).tolist() for _ in range(800)]
    assert sorted(drawn) == sorted(alone)


REFUSED = [
    (RuntimeError, lambda: seeded(1.5)),
    (RuntimeError, lambda: seeded(True)),
    (ValueError, lambda: seeded(2**64)),
    (ValueError, lambda: seeded(-(2**63) - 1)),
    (RuntimeError, lambda: Generator("cuda")),
    (TypeError, lambda: seeded().load_state_bytes(np.zeros(5056))),
    (RuntimeError, lambda: seeded().load_state_bytes(np.zeros(10, np.uint8))),
    (RuntimeError, lambda: seeded().load_state_bytes(np.zeros(5056, np.uint8))),
    (RuntimeError, lambda: random.uniform((2,), F32, 1, 0)),
    (RuntimeError, lambda: random.uniform((2,), F32, 0, float("inf"))),
    (RuntimeError, lambda: random.uniform((2,), F32, -3e38, 3e38)),
    (NotImplementedError, lambda: random.uniform((2,), I64)),
    (NotImplementedError, lambda: random.normal((2,), I64)),
    (RuntimeError, lambda: random.normal((2,), F32, 0, -1)),
    (RuntimeError, lambda: random.log_normal((2,), F32, 0, 0)),
    (RuntimeError, lambda: random.exponential((2,), F32, 0)),
    (RuntimeError, lambda: random.exponential((2,), I64)),
    (RuntimeError, lambda: random.cauchy((2,), F32, 0, 0)),
    (RuntimeError, lambda: random.geometric((2,), F32, 1)),
    (NotImplementedError, lambda: random.geometric((2,), np.bool_, 0.5)),
    (RuntimeError, lambda: random.bernoulli(1.5, (2,), F32)),
    (RuntimeError, lambda: random.bernoulli(np.array([0.5, float("nan")]))),
    (NotImplementedError, lambda: random.bernoulli(np.array([0, 1]))),
    (RuntimeError, lambda: random.integers(5, 5, (2,), I64)),
    (RuntimeError, lambda: random.integers(0, 300, (2,), np.uint8)),
    (RuntimeError, lambda: random.integers(0, 5, (2,), np.complex64)),
    (RuntimeError, lambda: random.integers(-(2**63), None, (2,), np.int32)),
    (NotImplementedError, lambda: random.any_integers((2,), np.uint32)),
    (RuntimeError, lambda: random.permutation(-1)),
    (RuntimeError, lambda: random.permutation(300, np.uint8)),
    (NotImplementedError, lambda: random.permutation(2, np.bool_)),
    (RuntimeError, lambda: random.multinomial(np.ones(2), 3)),
    (RuntimeError, lambda: random.multinomial(np.ones(2), 0)),
    (RuntimeError, lambda: random.multinomial(np.ones((2, 2, 2)), 1)),
    (RuntimeError, lambda: random.multinomial(np.ones(2, I64), 1)),
    (RuntimeError, lambda: random.multinomial(np.ones(0), 1, True)),
    (RuntimeError, lambda: random.multinomial(np.array([1.0, -1.0]), 1)),
    (RuntimeError, lambda: random.multinomial(np.array([[0.0, 0.0], [1.0, 0.0]]), 1)),
]


@pytest.mark.parametrize("row", range(len(REFUSED)))
def test_what_cannot_be_drawn_is_refused(row):
    error, draw = REFUSED[row]
    with pytest.raises(error):
        draw()


def test_whole_numbers_that_a_float_cannot_hold_are_warned_about():
    with pytest.warns(UserWarning, match="gaps between whole numbers"):
        random.integers(0, 2**25, (2,), F32, seeded())


def test_a_generator_takes_pythons_integers_only():
    with pytest.raises(TypeError, match="an integer is required"):
        rushlight.Generator().manual_seed(np.int64(7))
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
        rushlight.Generator().manual_seed(7.0)
    assert rushlight.manual_seed(np.int64(7)).initial_seed() == 7


def test_dropout_in_half_precision_divides_by_the_probability_itself():
    kept = rushlight.nn.functional.dropout(rushlight.ones(20, dtype=rushlight.float16), 0.3)
    assert set(kept.tolist()) == {0.0, 1.4287109375}
