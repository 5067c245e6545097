"""Printing against torch itself: random arrays under random options, compared to the letter."""

import numpy as np
import pytest

from rushlight.core.object import printing

torch = pytest.importorskip("torch")

SHAPES = [
    (),
    (0,),
    (2, 0),
    (1,),
    (7,),
    (40,),
    (1200,),
    (3, 4),
    (2, 30),
    (45, 45),
    (2, 3, 4),
    (12, 11, 10),
    (2, 1, 3, 2),
]
NON_FINITE = [np.nan, np.inf, -np.inf, 0.0, -0.0]
EDGE_CASES = [1, 1000, 1001, 999.5, 1e8, 1e8 + 1, 1e-4, 9e-5, 0.5, 2.5, 0]


class TorchInDisguise:
    """A torch tensor with the attributes that a Rushlight tensor has for printing."""

    def __init__(self, tensor):
        self._array = tensor.detach().numpy()
        self.dtype = tensor.dtype
        self.requires_grad = tensor.requires_grad
        self.grad_fn = tensor.grad_fn


class Bfloat16InDisguise(TorchInDisguise):
    def __init__(self, tensor):
        bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
        self._array = tensor.detach().view(torch.int16).numpy().view(bfloat16)
        self.dtype = tensor.dtype
        self.requires_grad = tensor.requires_grad
        self.grad_fn = tensor.grad_fn


def draw_floats(rng, shape, dtype):
    kind = rng.integers(7)
    if kind == 0:
        values = rng.standard_normal(shape) * 10.0 ** rng.integers(-12, 12)
    elif kind == 1:
        values = rng.standard_normal(shape) * 10.0 ** rng.integers(-6, 6, shape)
    elif kind == 2:
        values = np.round(rng.standard_normal(shape) * 10.0 ** rng.integers(0, 10))
    elif kind == 3:
        values = rng.random(shape) * rng.choice([1e-320, 1e-310, 1e-45, 1e-40, 1e-4, 1e8, 1e30, 1e308])
    elif kind == 4:
        values = rng.choice(EDGE_CASES, shape)
    else:
        values = rng.integers(-3, 4, shape) * rng.choice([0, 0.25, 1])
    if rng.random() < 0.4:
        values = np.where(rng.random(shape) < rng.choice([0.2, 1]), rng.choice(NON_FINITE, shape), values)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype)


def draw_array(rng, dtype):
    shape = SHAPES[rng.integers(len(SHAPES))]
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        array = np.empty(shape, dtype)
        array.real = draw_floats(rng, shape, array.real.dtype)
        array.imag = draw_floats(rng, shape, array.real.dtype)
        return array
    if dtype.kind == "f":
        return draw_floats(rng, shape, dtype)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    limits = np.iinfo(dtype)
    high = min(limits.max, 10 ** int(rng.integers(0, 19)))
    low = max(limits.min, -high) if rng.random() < 0.7 else 0
    return np.asarray(rng.integers(low, high, shape, endpoint=True)).astype(dtype)


def draw_options(rng):
    options = {"profile": str(rng.choice(["default", "short", "full"]))}
    choices = {
        "precision": [0, 1, 3, 8],
        "threshold": [0, 1, 5, 50],
        "edgeitems": [0, 1, 2, 5],
        "linewidth": [1, 10, 40, 79, 81, 120],
        "sci_mode": [True, False],
    }
    for name, values in choices.items():
        if rng.random() < 0.3:
            options[name] = values[rng.integers(len(values))]
    return options


@pytest.fixture(autouse=True)
def default_options():
    yield
    torch.set_default_dtype(torch.float32)
    torch.set_printoptions(profile="default")
    printing.set_printoptions(profile="default")


DTYPES = ["float16", "float32", "float64", "complex64", "complex128", "bool"]
DTYPES += ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_prints_as_in_torch(dtype):
    rng = np.random.default_rng(DTYPES.index(dtype))
    for _ in range(40):
        tensor = torch.from_numpy(draw_array(rng, dtype))
        assert printing.repr_tensor(TorchInDisguise(tensor)) == repr(tensor)


def test_bfloat16_prints_as_in_torch():
    rng = np.random.default_rng(100)
    for _ in range(40):
        tensor = torch.from_numpy(draw_array(rng, "float32")).bfloat16()
        assert printing.repr_tensor(Bfloat16InDisguise(tensor)) == repr(tensor)


@pytest.mark.parametrize("default", ["float16", "float32", "float64", "bfloat16"])
def test_options_history_and_default_dtype_print_as_in_torch(default):
    rng = np.random.default_rng(200 + len(default))
    default_dtype = getattr(torch, default)
    torch.set_default_dtype(default_dtype)
    for _ in range(80):
        tensor = torch.from_numpy(draw_array(rng, rng.choice(DTYPES)))
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            tensor.requires_grad_(bool(rng.integers(2)))
        if tensor.requires_grad and rng.random() < 0.5:
            tensor = tensor * 1
        options = draw_options(rng)
        torch.set_printoptions(**options)
        printing.set_printoptions(**options)
        assert printing.repr_tensor(TorchInDisguise(tensor), default_dtype) == repr(tensor), options


def test_names_of_special_histories_print_as_in_torch():
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, input):
            return input * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    leaf = torch.ones(3, requires_grad=True)
    written = leaf.clone()
    written[0] = 5
    for tensor in [Twice.apply(leaf), written, leaf[1:], leaf.sum()]:
        assert printing.repr_tensor(TorchInDisguise(tensor)) == repr(tensor)
