"""Explaining failed calls: NumPy's complaint becomes torch's words, with both operands and a likely fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core import dtypes, location
from rushlight.core.tensor import Tensor
from rushlight.ops.rules import DtypeMismatch

if TYPE_CHECKING:
    from rushlight.ops.declare import Op


def recover(op: Op, arguments: tuple, arrays: list, error: Exception) -> Any:
    """Try again where only NumPy objects, or raise the error that torch's users expect."""
    if isinstance(error, OverflowError) and "out of bounds for" in str(error):
        # torch wraps a Python integer around, NumPy refuses it
        return op.positional(*wrapped(arrays))
    if isinstance(error, DtypeMismatch):
        raise RuntimeError(dtype_message(op, arguments)) from None
    if isinstance(error, np.exceptions.AxisError):
        raise IndexError(axis_message(error)) from None
    if isinstance(error, MemoryError):
        raise RuntimeError(
            f"DefaultCPUAllocator: can't allocate memory: {op.name} asked for more than there is ({error})"
        ) from None
    if isinstance(error, ValueError) and "broadcast" in str(error):
        message = broadcast_message([value for value in arguments if isinstance(value, Tensor)])
        if message is not None:
            raise RuntimeError(message) from None
    if isinstance(error, TypeError) and no_loop(error):
        kind = next((each.dtype for each in arrays if isinstance(each, np.ndarray)), None)
        name = dtypes.from_numpy(kind) if kind is not None else "these arguments"
        raise NotImplementedError(f"\"{op.name}_cpu\" not implemented for '{scalar_name(name)}'") from None
    raise error


def no_loop(error: TypeError) -> bool:
    """Whether NumPy has no loop of a ufunc for these dtypes; it says so in two ways."""
    return isinstance(
        error, np._core._exceptions.UFuncTypeError
    ) or "not supported for the input types" in str(error)


def scalar_name(kind: Any) -> str:
    from rushlight.ops.call import torch_scalar

    return torch_scalar(kind) if isinstance(kind, dtypes.dtype) else kind


def wrapped(arrays: list) -> list:
    """Python integers brought into the range of the arrays beside them, as C does."""
    kind = next(each.dtype for each in arrays if isinstance(each, np.ndarray))
    return [
        np.array(each & 0xFFFFFFFFFFFFFFFF, np.uint64).astype(kind) if type(each) is int else each
        for each in arrays
    ]


def axis_message(error: np.exceptions.AxisError) -> str:
    limit = error.ndim or 1
    return (
        f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {error.axis})"
    )


def broadcast_message(tensors: list[Tensor]) -> str | None:
    """Which sizes do not fit, where the operands were made, and what would fit."""
    for first, second in zip(tensors, tensors[1:], strict=False):
        one, two = first._array.shape, second._array.shape
        pairs = list(zip(reversed(one), reversed(two), strict=False))
        for back, (a, b) in enumerate(pairs):
            if a != b and 1 not in (a, b):
                dim = max(len(one), len(two)) - 1 - back
                words = f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton dimension {dim}"
                return f"{words}\n  a: {origin(first)}\n  b: {origin(second)}{fix(one, two)}"
    return None


def dtype_message(op: Op, arguments: tuple) -> str:
    """Which operands differ in dtype, where they were made, and how to bring them together."""
    shown = {op.names[p]: arguments[p] for p in op.operands if isinstance(arguments[p], Tensor)}
    first = next(iter(shown.values()))
    other = next(each for each in shown.values() if each.dtype is not first.dtype)
    words = DTYPE_WORDS.get(op.name, "expected m1 and m2 to have the same dtype, but got: {one} != {two}")
    names = {"one": scalar_name(first.dtype).lower(), "two": scalar_name(other.dtype).lower()}
    names |= {"One": scalar_name(first.dtype), "Two": scalar_name(other.dtype)}
    lines = [f"{name}: {origin(each)}" for name, each in shown.items()]
    wide = max(shown.values(), key=lambda each: each.dtype.itemsize)
    cure = "fix: convert one of them, for example with .float()"
    if wide.dtype is dtypes.float64:
        cure += "; float64 usually comes from a NumPy array or scalar: torch.tensor(x, dtype=torch.float32)"
    return "\n  ".join([words.format(**names), *lines, cure])


DTYPE_WORDS = {
    "nn.functional.linear": "mat1 and mat2 must have the same dtype, but got {One} and {Two}",
    "dot": "dot : expected both vectors to have same dtype, but found {One} and {Two}",
    "mv": "addmv: expected mat and vec to have the same dtype, but got {One} and {Two}",
    "addmm": "self and mat2 must have the same dtype, but got {One} and {Two}",
    "bmm": "expected scalar type {One} but found {Two}",
}


def origin(tensor: Tensor) -> str:
    """A tensor's shape and dtype, and the line that made it where that is known."""
    text = f"{tensor.dtype} of shape {list(tensor._array.shape)}"
    place = tensor._node.place if tensor._node is not None else tensor._created
    return text if place is None else f"{text}, made at {location.describe(place)}"


def fix(one: tuple, two: tuple) -> str:
    """The change of shape that would most likely help."""
    if len(one) == 2 and one == two[::-1]:
        return "\n  fix: transpose one of them: b.T"
    for short, long, name in ((one, two, "a"), (two, one, "b")):
        if len(short) < len(long) and short == long[: len(short)]:
            dots = ", None" * (len(long) - len(short))
            return f"\n  fix: give {name} the missing trailing dimension: {name}[...{dots}]"
    return ""
