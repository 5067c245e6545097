"""Native random numbers: the same as those of the Python layer, and the generator left at the same place."""

import copy
import inspect
import pickle
import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.core import random, streams
from rushlight.core.random import Generator
from rushlight.native import core
from rushlight.ops import dropout as dropouts

pytestmark = pytest.mark.skipif(core is None, reason="no native layer")

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
@pytest.mark.parametrize("samples", [1, 2, 1200])
def test_indices_are_equal(dtype, shape, samples):
    weights = np.random.default_rng(0).random(shape).astype(dtype)
    weights[..., :: max(2, shape[-1] - 1)] *= 3
    check_equal(random.multinomial, weights, samples, True)
    if samples == 1:
        check_equal(random.multinomial, weights, 1, False)


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


# Each row: a function, positional and named arguments, with a generator of its own each time.
CREATED = [
    (torch.rand, (3, 4), {}),
    (torch.rand, ((3, 4),), {"dtype": torch.float64}),
    (torch.rand, ([2],), {"requires_grad": True}),
    (torch.rand, (), {"size": torch.Size([5]), "device": "cpu"}),
    (torch.rand, ((),), {"device": torch.device("cpu")}),
    (torch.rand, (7,), {"dtype": torch.float16}),
    (torch.rand, (7,), {"dtype": torch.complex64}),
    (torch.rand, (0, 3), {"layout": torch.strided}),
    (torch.randn, (3,), {}),
    (torch.randn, (5, 7), {"dtype": torch.float64, "requires_grad": True}),
    (torch.randn, (33,), {"dtype": torch.bfloat16}),
    (torch.randint, (10, (3,)), {}),
    (torch.randint, (-3, 10, [3, 2]), {"dtype": torch.int32}),
    (torch.randint, (2,), {"size": (4,), "dtype": torch.bool}),
    (torch.randint, (), {"low": 3, "high": 6, "size": (4,)}),
    (torch.randint, (0, 10, (3,)), {"dtype": torch.float32, "requires_grad": True}),
    (torch.randperm, (9,), {}),
    (torch.randperm, (9,), {"dtype": torch.int32}),
    (torch.randperm, (9,), {"dtype": torch.float32}),
]


def alike(native, plain, exact=True):
    assert type(native) is type(plain)
    assert native.dtype is plain.dtype
    assert native.shape == plain.shape
    assert native.stride() == plain.stride()
    assert native.requires_grad == plain.requires_grad
    assert native.is_inference() == plain.is_inference()
    values = native.detach().double().numpy(), plain.detach().double().numpy()
    if exact:
        np.testing.assert_array_equal(*values)
    else:
        np.testing.assert_allclose(*values, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("row", range(len(CREATED)))
def test_new_tensors_are_those_of_the_python_functions(row):
    function, arguments, named = CREATED[row]
    native = function(*arguments, generator=seeded(5), **named)
    plain = function.__wrapped__(*arguments, generator=seeded(5), **named)
    assert native._created[0] is plain._created[0]
    if native.is_complex():
        native, plain = torch.view_as_real(native), torch.view_as_real(plain)
    alike(native, plain, exact=function is not torch.randn)
    with torch.inference_mode():
        if not named.get("requires_grad"):
            assert function(*arguments, **named).is_inference()


@pytest.mark.parametrize("function", [torch.rand_like, torch.randn_like])
def test_likenesses_are_those_of_the_python_functions(function):
    for like in (torch.ones(3, 4), torch.ones(3, 4).t(), torch.ones(5, dtype=torch.float64), torch.ones(2, 3)[:, ::2]):
        for named in (
            {},
            {"dtype": torch.float64},
            {"requires_grad": True},
            {"memory_format": torch.contiguous_format},
        ):
            native = function(like, generator=seeded(5), **named)
            alike(native, function.__wrapped__(like, generator=seeded(5), **named), exact=function is torch.rand_like)


def test_what_a_function_refuses_is_refused_natively_too():
    for function, arguments, named in [
        (torch.rand, (-1,), {}),
        (torch.rand, (2.5,), {}),
        (torch.rand, (), {}),
        (torch.rand, (2,), {"dtype": torch.int64}),
        (torch.rand, (2,), {"dtype": 3}),
        (torch.rand, (2,), {"generator": 3}),
        (torch.rand, (2,), {"device": "cuda"}),
        (torch.rand, (2,), {"sice": 3}),
        (torch.rand, (2, 10**30), {}),
        (torch.randint, (5, 5, (2,)), {}),
        (torch.randint, (10, (2,)), {"requires_grad": True}),
        (torch.randint, (0, 300, (2,)), {"dtype": torch.uint8}),
        (torch.randperm, (-1,), {}),
        (torch.randn_like, (3,), {}),
        (torch.multinomial, (torch.tensor([1.0, -1.0]), 1), {}),
        (torch.multinomial, (torch.zeros(3), 1), {}),
        (torch.bernoulli, (torch.tensor([0.5, 1.5]),), {}),
        (torch.normal, (torch.zeros(2), torch.tensor([1.0, -1.0])), {}),
    ]:
        torch.manual_seed(1)
        with pytest.raises((RuntimeError, TypeError, AssertionError)) as native:
            function(*arguments, **named)
        after = torch.get_rng_state()
        torch.manual_seed(1)
        with pytest.raises(native.type) as plain:
            getattr(function, "__wrapped__", function)(*arguments, **named)
        assert str(native.value) == str(plain.value)
        assert (torch.get_rng_state() == after).all()


FILLED = [
    ("uniform_", ()),
    ("uniform_", (-2, 3.5)),
    ("normal_", ()),
    ("normal_", (1.0, 0.5)),
    ("exponential_", ()),
    ("exponential_", (0.5,)),
    ("bernoulli_", ()),
    ("bernoulli_", (0.2,)),
]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize("row", range(len(FILLED)))
def test_filled_tensors_are_those_of_the_python_methods(row, dtype):
    name, arguments = FILLED[row]
    method = getattr(torch.Tensor, name)
    for make in (
        lambda: torch.zeros(5, 7, dtype=dtype),
        lambda: torch.zeros(5, 7, dtype=dtype).t(),
        lambda: torch.zeros(5, 7, dtype=dtype)[::2, 1:4],
        lambda: torch.zeros(2, 3, 4, dtype=dtype).permute(2, 0, 1),
        lambda: torch.zeros(0, 3, dtype=dtype),
        lambda: torch.zeros((), dtype=dtype),
        lambda: torch.zeros(9, 9, dtype=dtype)[4],
    ):
        native, plain = make(), make()
        assert method(native, *arguments, generator=seeded(6)) is native
        method.__wrapped__(plain, *arguments, generator=seeded(6))
        alike(native, plain, exact=name in ("uniform_", "bernoulli_"))
        assert native._version == plain._version


def test_a_fill_follows_the_rules_of_writes():
    leaf = torch.zeros(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        leaf.normal_()
    with torch.no_grad():
        leaf.normal_()
    assert leaf._version == 1
    assert leaf._cut[0] == "no_grad"
    made = leaf * 2
    assert type(made.uniform_().grad_fn).__name__ == "UniformBackward0"
    with pytest.raises(RuntimeError, match="single memory location"):
        torch.zeros(1).expand(3).normal_()
    with torch.inference_mode():
        frozen = torch.zeros(3)
    with pytest.raises(RuntimeError, match="inference"):
        frozen.normal_()


def through(function, *arguments):
    """A call with native code, then one where the Python bodies of the same ops do the work."""
    torch.manual_seed(11)
    native = function(*arguments)
    state = torch.get_rng_state()
    torch.manual_seed(11)
    plain = function(*[odd(each) for each in arguments])
    assert (torch.get_rng_state() == state).all()
    return native, plain


def odd(value):
    """The same tensor in memory that native kernels leave to Python."""
    if not isinstance(value, torch.Tensor) or value.dim() == 0:
        return value
    spaced = torch.zeros((*value.shape[:-1], value.shape[-1] * 2), dtype=value.dtype)
    spaced[..., ::2] = value
    return spaced[..., ::2]


def test_tensors_of_chances_weights_and_means_are_drawn_from_alike():
    chances = torch.rand(5, 8)
    alike(*through(torch.bernoulli, chances))
    alike(*through(torch.multinomial, chances, 1))
    alike(*through(torch.multinomial, chances, 30, True))
    for mean, std in [(chances, chances), (chances, 0.5), (2.0, chances), (chances, chances[0]), (chances[:, :1], 1)]:
        alike(*through(torch.normal, mean, std), exact=False)
        if isinstance(std, torch.Tensor) and isinstance(mean, torch.Tensor):
            alike(*through(torch.normal, mean.double(), std.double()), exact=False)


@pytest.mark.parametrize("features", [False, True])
@pytest.mark.parametrize("shape", [(4,), (3, 5), (2, 3, 4), (40, 30)], ids=str)
def test_dropout_is_that_of_the_python_function(shape, features):
    if features and len(shape) < 2:
        pytest.skip("features need two dims")
    for dtype in (torch.float32, torch.float64):
        for p, training in [(0.5, True), (0.3, True), (0.999, True), (0.5, False), (0.0, True), (1.0, True)]:
            results = []
            for function in (dropouts.dropped, dropouts.dropped.__wrapped__):
                torch.manual_seed(2)
                input = torch.linspace(-1, 1, int(np.prod(shape)), dtype=dtype).reshape(shape).requires_grad_()
                result = function(input, p, training, False, features)
                result.sum().backward()
                results.append((result, input.grad, torch.get_rng_state()))
                assert result is input or type(result.grad_fn).__name__ == "MulBackward0"
            alike(results[0][0], results[1][0])
            alike(results[0][1], results[1][1])
            assert (results[0][2] == results[1][2]).all()
    with pytest.raises(ValueError, match="between 0 and 1"):
        torch.nn.functional.dropout(torch.ones(3), 1.5, True)


def test_dropout_of_a_view_follows_its_memory():
    base = torch.ones(4, 6)
    for view in (base.t(), base[:, ::2], base.expand(2, 4, 6)):
        torch.manual_seed(3)
        native = torch.nn.functional.dropout(view, 0.5, True)
        torch.manual_seed(3)
        alike(native, dropouts.dropped.__wrapped__(view, 0.5, True, False))


def test_shortcuts_look_like_the_functions_behind_them():
    assert inspect.signature(torch.rand) == inspect.signature(torch.rand.__wrapped__)
    assert torch.rand.__name__ == "rand"
    assert torch.rand.__doc__ == torch.rand.__wrapped__.__doc__
    assert pickle.loads(pickle.dumps(random.uniform)) is random.uniform
    assert "rand" in repr(torch.rand)
