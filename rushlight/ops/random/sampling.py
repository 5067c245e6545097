"""Sampling: new tensors of random numbers, on torch's own stream."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.autograd.modes import is_grad_enabled
from rushlight.core.creation.likeness import array_like
from rushlight.core.creation.options import checked_size, finish_into, integer, number, numpy_dtype, size_from
from rushlight.core.memory.layout import layout as Layout
from rushlight.core.memory.layout import memory_format as MemoryFormat
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import cast
from rushlight.core.object.tensor import Tensor
from rushlight.core.random import random
from rushlight.core.random.random import Generator
from rushlight.core.surface.overriding import overridable
from rushlight.native import shortcut
from rushlight.ops.machine.call import call
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.out import resize
from rushlight.ops.machine.rules import SAME
from rushlight.ops.random.draws import check_generator, draw_for, fill, gaussian, uniform

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


@overridable
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
    """Numbers from 0 up to but not including 1, all equally likely.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2, 3)
    tensor([[0.4963, 0.7682, 0.0885],
            [0.1320, 0.3074, 0.6341]])
    """
    check_generator(generator, "rand")
    shape, kind = size_from(sizes, size, "rand"), numpy_dtype(dtype, out)
    array = draw_for(out, shape, kind, lambda shape, kind, together: uniform(shape, kind, generator), device)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
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
    """Numbers from the normal distribution with mean 0 and variance 1.

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """
    check_generator(generator, "randn")
    shape, kind = size_from(sizes, size, "randn"), numpy_dtype(dtype, out)
    array = draw_for(out, shape, kind, lambda *laid_out: gaussian(0.0, 1.0, generator, *laid_out), device)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
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

    >>> _ = torch.manual_seed(0)
    >>> torch.randint(1, 7, (5,))
    tensor([3, 4, 6, 1, 2])
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
    shape, kind = checked_size(size, "randint"), numpy_dtype(dtype, out)
    array = draw_for(
        out, shape, kind, lambda shape, kind, together: random.integers(first, last, shape, kind, generator), device
    )
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


def whole_bounds(bounds: tuple, function: str) -> tuple[int, int]:
    """`(high)` or `(low, high)` as two integers."""
    names = ("low", "high") if len(bounds) == 2 else ("high",)
    found = [integer(each, function, names[place], place + 1) for place, each in enumerate(bounds)]
    return (0, found[0]) if len(found) == 1 else (found[0], found[1])


@overridable
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
    """The numbers 0 to n - 1 in random order.

    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(5)
    tensor([4, 0, 1, 3, 2])
    """
    check_generator(generator, "randperm")
    if dtype is None and out is None:
        dtype = dtypes.int64
    count, kind = integer(n, "randperm", "n", 1), numpy_dtype(dtype, out)
    array = draw_for(None, (count,), kind, lambda *_: random.permutation(count, kind, generator), device)
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


@overridable
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
    """Uniform numbers in the shape and dtype of `input`.

    >>> _ = torch.manual_seed(0)
    >>> torch.rand_like(torch.zeros(3, dtype=torch.float64))
    tensor([0.9701, 0.7078, 0.4594], dtype=torch.float64)
    """
    check_generator(generator, "rand_like")
    array = array_like("rand_like", input, dtype, memory_format, device)
    fill(array, lambda shape, kind: uniform(shape, kind, generator))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


@overridable
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
    """Normal numbers in the shape and dtype of `input`.

    >>> _ = torch.manual_seed(0)
    >>> x = torch.ones(3)
    >>> x + 0.1 * torch.randn_like(x)
    tensor([1.1541, 0.9707, 0.7821])
    """
    check_generator(generator, "randn_like")
    array = array_like("randn_like", input, dtype, memory_format, device)
    together = array.flags.c_contiguous
    fill(array, lambda shape, kind: gaussian(0.0, 1.0, generator, shape, kind, together))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


@overridable
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
    """Whole numbers from `low` (0 if left out) up to but not including `high`, in the shape of `input`.

    >>> _ = torch.manual_seed(0)
    >>> torch.randint_like(torch.zeros(2, 2), 10)
    tensor([[4., 9.],
            [3., 0.]])
    """
    check_generator(generator, "randint_like")
    bounds = (*([low] if low is not None else []), *bounds, *([high] if high is not None else []))
    if not 1 <= len(bounds) <= 2:
        raise TypeError(
            "randint_like() received an invalid combination of arguments: expected (input, high) or (input, low, high)"
        )
    first, last = whole_bounds(bounds, "randint_like")
    array = array_like("randint_like", input, dtype, memory_format, device)
    fill(array, lambda shape, kind: random.integers(first, last, shape, kind, generator))
    return finish_into(array, None, dtype, device, layout, pin_memory, requires_grad)


@overridable
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

    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0.0, 100.0]), torch.tensor([1.0, 0.1]))
    tensor([ 1.5410, 99.9707])
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
        return call(normal_around.op, (mean, std, generator, out), out)
    if size is None:
        raise TypeError(
            "normal() received an invalid combination of arguments: without a tensor among mean and std, pass size"
        )
    mean, std = number(mean, "normal", "mean", 1), number(std, "normal", "std", 2)
    shape, kind = checked_size(size, "normal"), numpy_dtype(dtype, out)
    array = draw_for(out, shape, kind, lambda *laid_out: gaussian(mean, std, generator, *laid_out))
    return finish_into(array, out, dtype, device, layout, pin_memory, requires_grad)


def normal_node(mean: Any, std: Any) -> str:
    if not isinstance(std, Tensor):
        return "NormalBackward1"
    return "NormalBackward3" if isinstance(mean, Tensor) else "NormalBackward2"


@op(dtype=SAME, name="_normal", node=normal_node, samples=None)
def normal_around(
    mean: "Tensor | float", std: "Tensor | float", generator: Generator | None = None, target: Any = None
):
    """Normal numbers around tensors, drawn in the dtype and layout of `target` if there is one."""
    if not isinstance(std, np.ndarray):
        kind = mean.dtype if target is None else target._array.dtype
        return draw_for(target, mean.shape, kind, lambda *laid_out: gaussian(0.0, std, generator, *laid_out)) + mean
    if std.dtype.kind == "c":
        raise RuntimeError("normal expects standard deviation to be non-complex")
    if not (std >= 0).all():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    kind = mean.dtype if isinstance(mean, np.ndarray) else std.dtype
    kind = kind if target is None else target._array.dtype
    shape = np.broadcast_shapes(np.shape(mean), std.shape)
    noise = draw_for(target, shape, kind, lambda *laid_out: gaussian(0.0, 1.0, generator, *laid_out))
    return cast(noise * std + mean, kind)


# the numbers follow the noise: torch gives these gradients of zero
normal_around.gradient(
    mean=lambda grad, mean: mean.new_zeros(mean.shape), std=lambda grad, std: std.new_zeros(std.shape)
)


@overridable
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Tensor | None = None
) -> Tensor:
    """Ones with the probabilities that `input` holds, or all with probability `p`; zeros otherwise.

    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.0, 0.5, 0.5, 0.5, 1.0]))
    tensor([0., 0., 1., 1., 1.])
    """
    check_generator(generator, "bernoulli")
    if isinstance(p, Tensor):
        raise TypeError("bernoulli() received an invalid combination of arguments: p is a number, not a Tensor")
    if out is None:
        return coins(input, p, generator)
    if p is not None:
        raise TypeError(
            "bernoulli() received an invalid combination of arguments: out goes with probabilities in input"
        )
    return bernoulli_into(out, input, generator)


def bernoulli_into(out: Any, input: Tensor, generator: Generator | None) -> Tensor:
    """The coins of `input`, drawn in the dtype and layout of `out`."""
    if not isinstance(out, Tensor):
        raise TypeError(f"bernoulli(): argument 'out' must be Tensor, not {type(out).__name__}")
    if (input.requires_grad or out.requires_grad) and is_grad_enabled():
        raise RuntimeError(
            "bernoulli(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )
    if out._array.shape != input.shape:
        resize(out, input.shape)
    return out.bernoulli_(input.detach(), generator=generator)


@op(dtype=SAME, name="_bernoulli", node="BernoulliBackward0", samples=None)
def coins(input, p: float | None = None, generator: Generator | None = None):
    """Ones with the probabilities in an array, or one probability."""
    if p is None:
        return random.bernoulli(input, generator=generator)
    return random.bernoulli(p, input.shape, input.dtype, generator)


coins.gradient(input=lambda grad: grad.new_zeros(grad.shape))


@overridable
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Indices drawn from each row of `input`, whose weights need not sum to one.

    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([1.0, 0.0, 3.0]), 8, replacement=True)
    tensor([2, 2, 2, 2, 2, 2, 0, 2])
    """
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
