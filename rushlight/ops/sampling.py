"""Sampling: tensors of random numbers on torch's own stream, new ones and writes into existing ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core import dtypes, random
from rushlight.core.casting import cast
from rushlight.core.layout import empty_like_array
from rushlight.core.likeness import array_like
from rushlight.core.options import checked_size, finish_into, integer, number, numpy_dtype, size_from
from rushlight.core.random import Generator, in_memory_order
from rushlight.core.tensor import Tensor
from rushlight.native import shortcut
from rushlight.ops.call import call
from rushlight.ops.declare import op
from rushlight.ops.inplace import call_inplace
from rushlight.ops.rules import SAME

if TYPE_CHECKING:
    from rushlight.core.layout import layout as Layout
    from rushlight.core.layout import memory_format as MemoryFormat

__all__ = [
    "bernoulli",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]

Draw = Callable[..., np.ndarray]


def check_generator(generator: Generator | None, function: str) -> None:
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(f"{function}(): argument 'generator' must be torch.Generator, not {type(generator).__name__}")


def uniform(
    shape: tuple[int, ...],
    kind: np.dtype,
    generator: Generator | None,
    low: float = 0.0,
    high: float = 1.0,
) -> np.ndarray:
    """Uniform numbers; the parts of a complex number are drawn one after the other."""
    if kind.kind == "c":
        return as_complex(random.uniform((*shape, 2), part(kind), low, high, generator), kind)
    return random.uniform(shape, kind, low, high, generator)


def gaussian(
    shape: tuple[int, ...],
    kind: np.dtype,
    mean: float,
    std: float,
    generator: Generator | None,
    contiguous: bool,
) -> np.ndarray:
    """Normal numbers; a complex one has its variance halved between its parts."""
    if kind.kind == "c":
        parts = random.normal((*shape, 2), part(kind), mean, std * math.sqrt(0.5), generator, contiguous)
        return as_complex(parts, kind)
    return random.normal(shape, kind, mean, std, generator, contiguous)


def part(kind: np.dtype) -> np.dtype:
    return dtypes.from_numpy(kind).to_real().numpy


def as_complex(parts: np.ndarray, kind: np.dtype) -> np.ndarray:
    return parts.view(kind).reshape(parts.shape[:-1])


@shortcut
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from 0 up to but not including 1, all equally likely."""
    check_generator(generator, "rand")
    array = uniform(size_from(sizes, size, "rand"), numpy_dtype(dtype, out), generator)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@shortcut
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from the normal distribution with mean 0 and variance 1."""
    check_generator(generator, "randn")
    array = gaussian(size_from(sizes, size, "randn"), numpy_dtype(dtype, out), 0.0, 1.0, generator, True)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@shortcut
def randint(
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    size: Any = None,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Whole numbers from `low` (0 if left out) up to but not including `high`.

    Takes `randint(high, size)` and `randint(low, high, size)`.
    """
    check_generator(generator, "randint")
    if bounds and size is None and not isinstance(bounds[-1], int):
        bounds, size = bounds[:-1], bounds[-1]
    bounds = (*([low] if low is not None else []), *bounds, *([high] if high is not None else []))
    if len(bounds) == 2 and size is None:
        raise TypeError(
            f"randint(): argument 'size' (position 2) must be tuple of ints, not {type(bounds[1]).__name__}"
        )
    if size is None or not 1 <= len(bounds) <= 2:
        raise TypeError(
            "randint() received an invalid combination of arguments: expected (high, size) or (low, high, size)"
        )
    if dtype is None and out is None:
        dtype = dtypes.int64
    first, last = whole_bounds(bounds, "randint")
    array = random.integers(first, last, checked_size(size, "randint"), numpy_dtype(dtype, out), generator)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


def whole_bounds(bounds: tuple, function: str) -> tuple[int, int]:
    """`(high)` or `(low, high)` as two integers."""
    names = ("low", "high") if len(bounds) == 2 else ("high",)
    found = [integer(each, function, names[place], place + 1) for place, each in enumerate(bounds)]
    return (0, found[0]) if len(found) == 1 else (found[0], found[1])


@shortcut
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """The numbers 0 to n - 1 in random order."""
    check_generator(generator, "randperm")
    if dtype is None and out is None:
        dtype = dtypes.int64
    array = random.permutation(integer(n, "randperm", "n", 1), numpy_dtype(dtype, out), generator)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@shortcut
def rand_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Uniform numbers in the shape and dtype of `input`."""
    check_generator(generator, "rand_like")
    array = array_like("rand_like", input, dtype, memory_format)
    fill(array, lambda shape, kind: uniform(shape, kind, generator))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


@shortcut
def randn_like(
    input: Tensor,
    *,
    generator: Generator | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Normal numbers in the shape and dtype of `input`."""
    check_generator(generator, "randn_like")
    array = array_like("randn_like", input, dtype, memory_format)
    together = array.flags.c_contiguous
    fill(array, lambda shape, kind: gaussian(shape, kind, 0.0, 1.0, generator, together))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


def randint_like(
    input: Tensor,
    *bounds: Any,
    low: int | None = None,
    high: int | None = None,
    generator: Generator | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """Whole numbers from `low` (0 if left out) up to but not including `high`, in the shape of `input`."""
    check_generator(generator, "randint_like")
    bounds = (*([low] if low is not None else []), *bounds, *([high] if high is not None else []))
    if not 1 <= len(bounds) <= 2:
        raise TypeError(
            "randint_like() received an invalid combination of arguments: expected (input, high) or (input, low, high)"
        )
    first, last = whole_bounds(bounds, "randint_like")
    array = array_like("randint_like", input, dtype, memory_format)
    fill(array, lambda shape, kind: random.integers(first, last, shape, kind, generator))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


def fill(array: np.ndarray, draw: Draw) -> None:
    """Random numbers in the order of the array's memory, as torch fills a tensor."""
    laid_out = in_memory_order(array)
    laid_out[...] = draw(laid_out.shape, array.dtype)


def normal(
    mean: Any = None,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtypes.dtype | None = None,
    layout: Layout | None = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:
    """Normal numbers with a mean and a standard deviation of their own for each element, or for all.

    `mean` and `std` are tensors that broadcast, a tensor and a number, or two numbers with a `size`.
    """
    check_generator(generator, "normal")
    if mean is None:
        raise TypeError('normal() missing 1 required positional arguments: "mean"')
    if isinstance(mean, Tensor) or isinstance(std, Tensor):
        if isinstance(out, Tensor) and not isinstance(std, Tensor) and out.shape != mean.shape:
            # this form, alone, fills `out` as it is
            raise RuntimeError(
                f"The size of tensor a {list(mean.shape)} must match the size of tensor b {list(out.shape)}: "
                "out has to have the shape of mean"
            )
        if out is None:
            return normal_around(mean, std, generator)
        return call(normal_around.op, (mean, std, generator), out)
    if size is None:
        raise TypeError(
            "normal() received an invalid combination of arguments: without a tensor among mean and std, pass size"
        )
    mean, std = number(mean, "normal", "mean", 1), number(std, "normal", "std", 2)
    array = gaussian(checked_size(size, "normal"), numpy_dtype(dtype, out), mean, std, generator, True)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


def normal_node(mean: Any, std: Any) -> str:
    if not isinstance(std, Tensor):
        return "NormalBackward1"
    return "NormalBackward3" if isinstance(mean, Tensor) else "NormalBackward2"


@op(dtype=SAME, name="_normal", node=normal_node, samples=None)
def normal_around(mean: "Tensor | float", std: "Tensor | float", generator: Generator | None = None):
    """Normal numbers around tensors."""
    if not isinstance(std, np.ndarray):
        return gaussian(mean.shape, mean.dtype, 0.0, std, generator, True) + mean
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    kind = mean.dtype if isinstance(mean, np.ndarray) else std.dtype
    shape = np.broadcast_shapes(np.shape(mean), std.shape)
    return cast(gaussian(shape, kind, 0.0, 1.0, generator, True) * std + mean, kind)


# the numbers follow the noise: torch gives these gradients of zero
normal_around.gradient(
    mean=lambda grad, mean: mean.new_zeros(mean.shape), std=lambda grad, std: std.new_zeros(std.shape)
)


def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Ones with the probabilities that `input` holds, or all with probability `p`; zeros otherwise."""
    check_generator(generator, "bernoulli")
    if isinstance(p, Tensor):
        raise TypeError("bernoulli() received an invalid combination of arguments: p is a number, not a Tensor")
    return coins(input, p, generator) if out is None else call(coins.op, (input, p, generator), out)


@op(dtype=SAME, name="_bernoulli", node="BernoulliBackward0", samples=None)
def coins(input, p: float | None = None, generator: Generator | None = None):
    """Ones with the probabilities in an array, or one probability."""
    if p is None:
        return random.bernoulli(input, generator=generator)
    return random.bernoulli(p, input.shape, input.dtype, generator)


coins.gradient(input=lambda grad: grad.new_zeros(grad.shape))


def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices drawn from each row of `input`, whose weights need not sum to one."""
    check_generator(generator, "multinomial")
    if isinstance(out, Tensor) and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype.scalar}")
    num_samples = integer(num_samples, "multinomial", "num_samples", 2)
    if out is None:
        return indices(input, num_samples, replacement, generator)
    return call(indices.op, (input, num_samples, replacement, generator), out)


@op(dtype=SAME, name="_multinomial", samples=None)
def indices(input, num_samples: int, replacement: bool = False, generator: Generator | None = None):
    """Indices drawn from each row."""
    return random.multinomial(input, num_samples, replacement, generator)


Tensor.bernoulli, Tensor.multinomial = bernoulli, multinomial


@op(dtype=SAME, name="_drawn", node=lambda node: node, samples=None)
def drawn(input, node: str, draw: Draw):
    """Random numbers laid out as the input is; nothing of the input is left."""
    made = empty_like_array(input)
    fill(made, draw)
    return made


drawn.gradient(input=lambda grad: grad.new_zeros(grad.shape))


def write(target: Tensor, function: str, node: str, generator: Generator | None, draw: Draw) -> Tensor:
    """Fill a tensor in place, its history included."""
    check_generator(generator, function)
    return call_inplace(drawn.op, (target, node, draw))
