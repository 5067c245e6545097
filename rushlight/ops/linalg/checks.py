"""Checks: what functions of matrices take and what went wrong inside, in torch's words."""

from __future__ import annotations

import numpy as np

from rushlight.core.numbers.dtypes import DIFFERENTIABLE, from_numpy
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.kinds import LinAlgError
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.rules import FULL


def scalar(array):
    """The dtype as torch's messages spell it: Float, Long."""
    return from_numpy(array.dtype).scalar


def prefix(name):
    """What torch begins its message with; a few functions say nothing."""
    return f"{name}: " if name else ""


def require_matrices(array, name, label="A"):
    if array.ndim < 2:
        raise RuntimeError(f"{prefix(name)}The input tensor {label} must have at least 2 dimensions.")


def require_square(array, name):
    require_matrices(array, name)
    rows, columns = array.shape[-2:]
    if rows != columns:
        raise RuntimeError(
            f"{prefix(name)}A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )


def require_inexact(array, name, kernel=None):
    """Whole numbers are refused, and half precision, which LAPACK does not know."""
    if array.dtype in FULL:
        return
    if array.dtype not in DIFFERENTIABLE:
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {scalar(array)}: use .float()"
        )
    if kernel is not None:
        require_kernel(array, kernel)
    raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar(array)}: use .float()")


def require_kernel(array, kernel):
    """Like `require_inexact`, for functions of torch that look at the dtype last of all."""
    if array.dtype not in FULL:
        raise no_kernel(kernel, scalar(array), fix="convert it first: x.float()")


def require_same_dtype(one, two, name="", labels=("A", "B")):
    if one.dtype != two.dtype:
        first, second = labels
        raise explained(
            RuntimeError,
            f"{prefix(name)}Expected {first} and {second} to have the same dtype, but found {first} of "
            f"type {scalar(one)} and {second} of type {scalar(two)} instead",
            fix=one_dtype(one.dtype, two.dtype),
        )


def require_success(info, name, words, error=LinAlgError):
    """Raise for the first matrix of a batch that LAPACK could not do; `words` may hold its number."""
    if np.count_nonzero(info):
        failed = np.flatnonzero(info)
        place = f"(Batch element {failed[0]}): " if info.ndim else ""
        raise error(f"{name}: {place}{words.format(info.flat[failed[0]])}")


def no_info(array):
    """The infos of a batch in which nothing went wrong."""
    return np.zeros(array.shape[:-2], np.int32)
