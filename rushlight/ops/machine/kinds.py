"""Kinds: the dtypes an op takes, and torch's refusal of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.filled import does_not_hold
from rushlight.core.numbers import dtypes
from rushlight.errors.explained import explained
from rushlight.errors.refusals import no_kernel


class NoOperand(TypeError):
    """Two numbers where one of two operands must be a tensor; the call that failed puts its name before the words."""


def kind_of(first: Any, second: Any) -> str:
    """NumPy's letter for the dtype that two operands share: b, u, i, f or c."""
    array = first if type(first) is np.ndarray else second
    if type(array) is not np.ndarray:
        raise NoOperand("received an invalid combination of arguments: one of the two operands must be a Tensor")
    return array.dtype.kind


def require_tensor(first: Any, second: Any) -> None:
    """Refuse two numbers."""
    kind_of(first, second)


def refuse(kernel: str, *values: Any) -> NotImplementedError:
    """torch's error for a dtype that it has no kernel for."""
    kind = next(each.dtype for each in values if type(each) is np.ndarray)
    return no_kernel(kernel, dtypes.from_numpy(kind).scalar)


def require_fitting(value: Any, kind: np.dtype) -> None:
    """Refuse a number that a dtype does not hold."""
    target = dtypes.from_numpy(kind)
    if not dtypes.fits(value, target):
        raise does_not_hold(value, target)


def require_floats(kernel: str, array: np.ndarray) -> None:
    """Refuse integers, bools and complex numbers."""
    if array.dtype.kind != "f" and array.dtype not in dtypes.HALF:
        raise refuse(kernel, array)


PARAMETERS = "the parameters of a norm have one dtype, that of its input: weight.to(input.dtype)"


def require_one_kind(kind: np.dtype, *parameters: np.ndarray | None) -> None:
    """Refuse parameters of a norm in another dtype than its input; half precision takes float32 ones too."""
    given = [each.dtype for each in parameters if each is not None]
    if not given:
        return
    first = given[0]
    if first != kind and first != np.float32:
        raise explained(
            RuntimeError,
            "mixed dtype (CPU): expect parameter to have scalar type of Float, got "
            f"{dtypes.from_numpy(first).scalar} for an input of {dtypes.from_numpy(kind).scalar}",
            fix=PARAMETERS,
        )
    if first != kind and kind not in dtypes.HALF:
        raise explained(
            RuntimeError,
            f"mixed dtype (CPU): all inputs must share same datatype. The input is {dtypes.from_numpy(kind).scalar}, "
            f"its parameters are {dtypes.from_numpy(first).scalar}",
            fix=PARAMETERS,
        )
    other = next((each for each in given if each != first), first)
    if other != first:
        raise explained(
            RuntimeError,
            f"expected scalar type {dtypes.from_numpy(first).scalar} but found {dtypes.from_numpy(other).scalar}",
            fix=PARAMETERS,
        )


# the C++ names of dtypes, as some of torch's messages have them
PLAIN_NAMES = {
    "Float": "float", "Double": "double", "Half": "c10::Half", "BFloat16": "c10::BFloat16", "Bool": "bool",
    "Byte": "unsigned char", "Char": "signed char", "Short": "short int", "Int": "int", "Long": "long int",
    "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>",
}  # fmt: skip


def plain_name(array: np.ndarray) -> str:
    """An array's dtype by its C++ name."""
    kind = dtypes.from_numpy(array.dtype)
    return PLAIN_NAMES.get(kind.scalar, kind.name)
