"""Half precision and `dtype=`: the kernels of native code serve them too, behind a conversion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import no_grad
from rushlight.core.numbers.casting import by_float32
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.accelerator import has_kernel
from rushlight.ops.machine.straight import straightened

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# below this many elements the body is as fast
MANY = 256


def is_converted(op: Op, arguments: tuple, expected: np.dtype | None) -> bool:
    """Whether a call computes in another dtype than its tensors may have, which kernels leave to Python."""
    place = op.positions.get("dtype")
    return expected in HALF or (place is not None and arguments[place] is not None and expected is not None)


def converted(op: Op, arrays: list, expected: np.dtype) -> Any:
    """What the body returns for arrays that the dtype rule has converted, by the kernel if there is one."""
    first = arrays[op.tensors[0]] if op.tensors else None
    computed = np.float32 if expected in HALF else expected
    large = type(first) is np.ndarray and first.size >= MANY and first.dtype == computed and first.dtype.kind == "f"
    if not large or not has_kernel(op):
        return op.positional(*arrays)
    # the arrays have it already
    values = [None if name == "dtype" else value for name, value in zip(op.names, wrapped(arrays), strict=False)]
    count = next((place for place, each in enumerate(op.parameters) if each.keyword), len(values))
    with no_grad():
        found = op.function(*values[:count], **dict(zip(op.names[count:], values[count:], strict=True)))
    return found._array if isinstance(found, Tensor) else [each._array for each in found]


def wrapped(values: list) -> list:
    """The same with tensors around arrays."""
    return [
        wrap(each)
        if type(each) is np.ndarray
        else [wrap(one) for one in each]
        if type(each) is list and each and type(each[0]) is np.ndarray
        else each
        for each in values
    ]


def chosen_in_float32(function: Callable, input: np.ndarray, *arguments: Any) -> tuple[np.ndarray, np.ndarray]:
    """Values that an op chooses among its input, which float32 holds exactly, and their places."""
    values, places = straightened(function, by_float32(input, np.dtype("float32")), *arguments)
    return by_float32(values, input.dtype), places
