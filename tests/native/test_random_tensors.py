"""New, filled and dropped-out tensors: native code draws what the Python functions draw."""

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.random.random import Generator
from rushlight.native import extension
from rushlight.ops.random import dropout as dropouts

pytestmark = pytest.mark.skipif(extension is None, reason="no native layer")


def seeded(seed):
    return Generator().manual_seed(seed)


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
def test_dropout_keeps_the_order_in_memory(features):
    for dims in [(1, 0, 2), (0, 2, 1), (2, 1, 0)]:
        input = torch.ones(3, 4, 5).permute(dims)
        assert dropouts.dropped(input, 0.5, True, False, features).stride() == input.stride()


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
