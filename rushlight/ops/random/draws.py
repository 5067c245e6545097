"""Draws: random numbers for tensors, complex ones too, in the order in which torch fills their memory."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.core.creation.options import refuse_many
from rushlight.core.memory import meta
from rushlight.core.memory.layout import empty_like_array
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor
from rushlight.core.random import random
from rushlight.core.random.random import Generator, in_memory_order
from rushlight.core.settings.device import is_meta
from rushlight.core.settings.state import state
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.inplace import call_inplace, refuse_captured, require_writable
from rushlight.ops.machine.rules import SAME

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
    mean: float,
    std: float,
    generator: Generator | None,
    shape: tuple[int, ...],
    kind: np.dtype,
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


def fill(array: np.ndarray, draw: Draw) -> None:
    """Random numbers in the order of the array's memory, as torch fills a tensor."""
    if type(array) is meta.Meta:
        return
    laid_out = in_memory_order(array)
    laid_out[...] = draw(laid_out.shape, array.dtype)


def draw_for(
    out: Any, shape: tuple[int, ...], kind: np.dtype, draw: Callable[..., np.ndarray], device: Any = None
) -> np.ndarray:
    """What `draw(shape, kind, contiguous)` gives, laid out as `out` is if that has the shape already."""
    if device is not None and is_meta(device):
        return meta.reserve(shape, kind)
    refuse_many(shape)  # before a number is drawn
    if isinstance(out, Tensor) and out._array.shape == shape and not out._array.flags.c_contiguous:
        array = empty_like_array(out._array, kind)
        fill(array, lambda laid_out, kind: draw(laid_out, kind, False))
        return array
    return draw(shape, kind, True)


@op(dtype=SAME, name="_drawn", node=lambda node: node, samples=None)
def drawn(input, node: str, draw: Draw):
    """Random numbers laid out as the input is; nothing of the input is left."""
    if 0 in input.strides:
        if node in CHECKS_DTYPE:
            draw((0,), input.dtype)
        require_writable(input)  # before a number is drawn
    made = empty_like_array(input)
    fill(made, draw)
    return made


# those whose dtype torch looks at before it looks at memory
CHECKS_DTYPE = ("UniformBackward0", "CauchyBackward0", "NormalBackward0")

drawn.gradient(input=lambda grad: grad.new_zeros(grad.shape))


def write(target: Tensor, function: str, node: str, generator: Generator | None, draw: Draw) -> Tensor:
    """Fill a tensor in place, its history included."""
    check_generator(generator, function)
    if state.levels:
        from rushlight.ops.machine.transforms.making import check_filling

        refuse_captured(target, function.rstrip("_"))
        check_filling(target)
    if not target._array.size and not (function in CHECKS_EMPTY or node in CHECKS_EMPTY):
        draw = without_dtype(draw)
    return call_inplace(drawn.op, (target, node, draw))


# torch looks at the dtype of an empty tensor in these alone, the last two being `random_` with bounds
CHECKS_EMPTY = ("uniform_", "cauchy_", "RandomBackward0", "RandomBackward1")


def without_dtype(draw: Draw) -> Draw:
    """A draw for no elements: its options are checked, the dtype is not."""
    return lambda shape, kind: draw(shape, dtypes.float32.numpy).astype(kind)
