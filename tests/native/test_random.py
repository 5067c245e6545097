"""Native random numbers: the same as those of the Python layer, and the generator left at the same place."""

import copy
import inspect
import pickle
import threading
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.random import random, streams
from rushlight.core.random.random import Generator
from rushlight.native import extension

pytestmark = pytest.mark.skipif(extension is None, reason="no native layer")

F32, F64 = np.dtype("f4"), np.dtype("f8")
# around the blocks of normals (16) and of words (624), and beyond what is drawn at once
SIZES = [0, 1, 2, 3, 7, 15, 16, 17, 31, 32, 33, 100, 511, 513, 623, 624, 625, 1249, 5003]


def seeded(seed=0, skip=0):
    generator = Generator().manual_seed(seed)
    generator.draw32(skip)
    return generator


def both(function, *arguments, seed=3, skip=0):
    """What native code and the Python function draw; they must leave their generators alike."""
    first, second = seeded(seed, skip), seeded(seed, skip)
    native, plain = function(*arguments, generator=first), function.__wrapped__(*arguments, generator=second)
    assert type(native) is np.ndarray
    assert native.dtype == plain.dtype
    assert native.shape == plain.shape
    assert native.flags.c_contiguous
    kept = slice(5024, 5032)
    states = first.state_bytes(), second.state_bytes()
    np.testing.assert_allclose(states[0][kept].view(F64), states[1][kept].view(F64), rtol=1e-15)
    for state in states:
        state[kept] = 0
    np.testing.assert_array_equal(*states)
    return native, plain


def check_equal(function, *arguments, **place):
    native, plain = both(function, *arguments, **place)
    np.testing.assert_array_equal(native, plain)
    np.testing.assert_array_equal(np.signbit(native), np.signbit(plain))


def check_close(function, *arguments, **place):
    """To two units in the last place."""
    native, plain = both(function, *arguments, **place)
    np.testing.assert_allclose(native, plain, rtol=2 * np.finfo(native.dtype).eps)


@pytest.mark.parametrize("seed", [0, 1, 5, 2**31, 2**32 - 1, 67280421310721])
def test_words_are_those_of_the_reference_twister(seed):
    expected = np.random.RandomState(seed % 2**32)
    generator = seeded(seed)
    for count in (1, 622, 3, 1300, 0, 5):
        np.testing.assert_array_equal(generator.draw32(count), expected.randint(0, 2**32, count, np.uint64))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_uniform_numbers_are_equal_bit_for_bit(size, dtype):
    for low, high in [
        (0.0, 1.0),
        (-1, 1),
        (0.1, 5.3),
        (-7, 1e4),
        (1000, 1001),
        (3.0, 3.0),
        (-1e38, 1e38),
        (1e-40, 1.0),
    ]:
        check_equal(random.uniform, (size,), dtype, low, high)
        check_equal(random.uniform, (size,), dtype, low, high, skip=601)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_normal_numbers_are_equal_up_to_rounding(size, dtype):
    for mean, std in [(0.0, 1.0), (0, 0.3), (2, 1), (-1, 3), (5, 0)]:
        for contiguous in (True, False):
            arguments = ((size,), dtype, mean, std)
            first, second = seeded(4, 600), seeded(4, 600)
            native = random.normal(*arguments, first, contiguous)
            plain = random.normal.__wrapped__(*arguments, second, contiguous)
            eps = np.finfo(dtype).eps
            np.testing.assert_allclose(native, plain, rtol=3 * eps, atol=4 * eps * (abs(mean) + std) * (mean != 0))
            np.testing.assert_array_equal(first.draw32(3), second.draw32(3))
            np.testing.assert_allclose(
                random.normal((3,), F64, 0, 1, first), random.normal((3,), F64, 0, 1, second), rtol=1e-14
            )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
def test_waiting_times_are_equal_up_to_rounding(size, dtype):
    for rate in (1.0, 0.3, 7):
        check_close(random.exponential, (size,), dtype, rate)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", [F32, F64, np.dtype("?")], ids=str)
def test_coins_are_equal(size, dtype):
    for p in (0.0, 1e-9, 0.3, 0.5, 1 - 2**-53, 1.0, 1):
        check_equal(random.bernoulli, p, (size,), dtype)


RANGES = {
    "i8": [(0, 10), (-5, 5), (0, 1), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**40), (-(2**63), 2**63 - 1)],
    "i4": [(0, 10), (-(2**31), 2**31), (7, 8)],
    "i2": [(-300, 300)],
    "i1": [(-128, 128)],
    "u1": [(0, 256), (3, 200)],
    "?": [(0, 2), (0, 1)],
    "f4": [(0, 10), (-(2**24), 2**24)],
    "f8": [(-3, 2**40), (-(2**53), 2**53)],
}


@pytest.mark.parametrize("size", [0, 1, 5, 623, 625, 1030, 5003])
@pytest.mark.parametrize("dtype", RANGES)
def test_whole_numbers_are_equal(dtype, size):
    for low, high in RANGES[dtype]:
        check_equal(random.integers, low, high, (size,), np.dtype(dtype))


def test_remainders_are_right_for_every_kind_of_range():
    # native code divides by multiplying
    for high in [1, 2, 3, 7, 255, 256, 65535, 10**6, 2**27, 2**28 - 3, 2**28 - 2, 2**28 - 1]:
        check_equal(random.integers, 0, high, (4000,), np.dtype("i8"))


@pytest.mark.parametrize("n", [0, 1, 2, 3, 255, 256, 257, 1025, 5003])
@pytest.mark.parametrize("dtype", ["i8", "i4"])
def test_permutations_are_equal(n, dtype):
    check_equal(random.permutation, n, np.dtype(dtype), skip=77)


@pytest.mark.parametrize("dtype", [F32, F64], ids=str)
@pytest.mark.parametrize("shape", [(1,), (4,), (700,), (1, 4), (64, 3), (3, 999), (0, 4)], ids=str)
@pytest.mark.parametrize("samples", [1, 2, 40, 1200])
def test_indices_are_equal(dtype, shape, samples):
    weights = np.random.default_rng(0).random(shape).astype(dtype)
    weights[..., :: max(2, shape[-1] - 1)] *= 3
    check_equal(random.multinomial, weights, samples, True)
    if samples <= shape[-1]:
        check_equal(random.multinomial, weights, samples, False)


def test_a_weight_of_zero_is_never_drawn():
    weights = np.array([0, 1, 0, 2, 0], F32)
    for samples in (1, 50):
        drawn = [random.multinomial(weights, samples, True, seeded(seed)) for seed in range(40)]
        assert set(np.concatenate(drawn).tolist()) == {1, 3}


def test_portions_give_the_same_numbers_as_the_whole():
    for draw in (
        lambda n, g: random.uniform((n,), F32, generator=g),
        lambda n, g: random.uniform((n,), F64, -1, 2, g),
        lambda n, g: random.normal((n,), F64, 0, 1, g, False),
        lambda n, g: random.exponential((n,), F32, 1, g),
        lambda n, g: random.bernoulli(0.4, (n,), F32, g),
        lambda n, g: random.integers(0, 1000, (n,), np.dtype("i8"), g),
    ):
        whole, generator = draw(3000, seeded(8)), seeded(8)
        portions = [draw(n, generator) for n in (1, 2, 5, 600, 16, 33, 1024, 0, 700, 619)]
        np.testing.assert_array_equal(np.concatenate(portions), whole)


@pytest.mark.parametrize("drawn", [0, 1, 100, 623, 624, 625])
@pytest.mark.parametrize("normals", [0, 1, 2])
def test_a_state_travels_between_native_and_numpy(drawn, normals):
    native = seeded(9, drawn)
    random.normal((normals,), F64, generator=native)
    plain = streams.NumpyStream()
    plain._set_state(*native._state())
    assert plain.kept_normal == native.kept_normal
    assert (native.kept_normal is not None) == (normals == 1)
    np.testing.assert_array_equal(plain._draw32(7), native._draw32(7))
    np.testing.assert_array_equal(plain._draw64(700), native._draw64(700))
    other = Generator()
    other._set_state(*plain._state())
    assert other.kept_normal == native.kept_normal
    np.testing.assert_array_equal(other.draw64(3), native.draw64(3))
    for same in (copy.deepcopy(native), pickle.loads(pickle.dumps(native)), native.clone_state()):
        np.testing.assert_array_equal(same.state_bytes(), native.state_bytes())


def test_a_broken_state_is_refused():
    words, generator = np.zeros(624, np.uint32), Generator()
    for wrong in [(words[:5], 3, None), (words, -1, None), (words, 625, None), (words, 1, "x"), ("words", 1, None)]:
        with pytest.raises((TypeError, ValueError)):
            generator._set_state(*wrong)
    with pytest.raises(TypeError):
        generator._restart("seed")
    with pytest.raises((TypeError, ValueError)):
        generator._draw32(-1)
    with pytest.raises(TypeError):
        generator.kept_normal = "x"


def test_threads_share_a_generator_without_losing_words():
    generator, drawn = seeded(2), []

    def draw():
        for _ in range(100):
            drawn.extend(random.integers(0, 2**27, (7,), np.dtype("i8"), generator).tolist())
            drawn.extend(torch.randint(0, 2**27, (3,), generator=generator).tolist())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(drawn) == sorted(random.integers(0, 2**27, (4000,), np.dtype("i8"), seeded(2)).tolist())


def test_shortcuts_look_like_the_functions_behind_them():
    assert inspect.signature(torch.rand) == inspect.signature(torch.rand.__wrapped__)
    assert torch.rand.__name__ == "rand"
    assert torch.rand.__doc__ == torch.rand.__wrapped__.__doc__
    assert pickle.loads(pickle.dumps(random.uniform)) is random.uniform
    assert "rand" in repr(torch.rand)


def test_weak_references_to_functions_and_methods():
    method = weakref.WeakMethod(torch.optim.SGD([torch.zeros(1)], lr=1.0).step)
    assert method() is None
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=1.0)
    assert weakref.WeakMethod(optimizer.step)() == optimizer.step
    assert weakref.ref(torch.rand)() is torch.rand
    assert weakref.ref(torch.add)() is torch.add
