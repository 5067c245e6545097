"""Type promotion: which dtype a result has when its operands differ."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import BOOL, COMPLEX, FLOAT, dtype
from rushlight.core.surface.overriding import overridable

DIMENSIONED, ZERO_DIM, NUMBER = range(3)
WIDE_UNSIGNED = (dtypes.uint16, dtypes.uint32, dtypes.uint64)


@cache
def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both convert to without changing category.

    >>> torch.promote_types(torch.int64, torch.float16), torch.promote_types(torch.uint8, torch.int8)
    (torch.float16, torch.int16)
    """
    if type1 is type2:
        return type1
    if type1 not in dtypes.ALL or type2 not in dtypes.ALL:
        from rushlight.core.numbers.rare_dtypes import refuse_promotion

        return refuse_promotion(type1, type2)
    if type1 in WIDE_UNSIGNED or type2 in WIDE_UNSIGNED:
        refuse_unsigned(type1, type2)
    low, high = sorted((type1, type2), key=lambda each: each.category)
    if low.category == high.category:
        return promote_within(low, high)
    if high.category == COMPLEX and low.category == FLOAT and low.itemsize == 8:
        return dtypes.complex128
    return high


def refuse_unsigned(one: dtype, other: dtype) -> None:
    """The wide unsigned dtypes promote to floating point ones only, in torch."""
    if FLOAT not in (one.category, other.category):
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
            f"{one.scalar} and {other.scalar}: convert one of the two first, for example with .to(torch.int64)"
        )


def promote_within(one: dtype, other: dtype) -> dtype:
    """Promotion of two different dtypes of one category."""
    if one.itemsize != other.itemsize:
        # float64 is as wide as complex64; that pair never meets here
        return max(one, other, key=lambda each: each.itemsize)
    # what is left: uint8 with int8, float16 with bfloat16
    return dtypes.int16 if one.category == dtypes.INTEGER else dtypes.float32


def of_number(value: Any) -> dtype:
    """The dtype that a Python number stands for."""
    if isinstance(value, bool):
        return dtypes.bool_
    if isinstance(value, int):
        return dtypes.int64
    if isinstance(value, float):
        return dtypes.default
    return dtypes.promote_parts(dtypes.default)


def combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """`higher` decides, unless `lower` is of a higher category."""
    if higher is None or lower is None:
        return higher or lower
    if higher.category == COMPLEX:
        return higher
    if higher.category == FLOAT:
        return dtypes.promote_parts(higher) if lower.category == COMPLEX else higher
    if higher.category == BOOL or lower.category >= FLOAT:
        return promote_types(higher, lower)
    return higher


def resolve(operands: tuple[tuple[dtype, int], ...]) -> dtype:
    """The common dtype of operands given as (dtype, DIMENSIONED, ZERO_DIM or NUMBER)."""
    found: list[dtype | None] = [None, None, None]
    for kind, rank in operands:
        before = found[rank]
        found[rank] = kind if before is None else promote_types(before, kind)
    result = combine(found[DIMENSIONED], combine(found[ZERO_DIM], found[NUMBER]))
    assert result is not None
    return result


def describe(value: Any) -> tuple[dtype, int]:
    """What `resolve` needs to know of an array or a number."""
    if isinstance(value, np.ndarray):
        return dtypes.from_numpy(value.dtype), DIMENSIONED if value.ndim else ZERO_DIM
    if isinstance(value, np.generic):
        value = value.item()
    return of_number(value), NUMBER


# keys name each operand by NumPy dtype and dimensionality, or by the type of the number
_common: dict[tuple, tuple[np.dtype, np.dtype]] = {}


def common(values: list) -> tuple[np.dtype, np.dtype]:
    """The NumPy dtypes (to compute in, of the result) for arrays and Python numbers."""
    key = tuple([(each.dtype, each.ndim > 0) if type(each) is np.ndarray else type(each) for each in values])
    found = _common.get(key)
    if found is None:
        result = resolve(tuple(describe(each) for each in values)).numpy
        found = _common[key] = (compute_dtype(result), result)
    return found


def compute_dtype(kind: np.dtype) -> np.dtype:
    """Half precision is computed in float32, everything else in itself."""
    return dtypes.float32.numpy if kind in dtypes.HALF else kind


def forget() -> None:
    """Drop what was remembered; the default dtype has changed."""
    _common.clear()


@overridable
def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype of an arithmetic operation on the two (tensors or Python numbers).

    >>> torch.result_type(torch.tensor([1, 2]), 1.0), torch.result_type(torch.tensor([1.0], dtype=torch.float16), 1.0)
    (torch.float32, torch.float16)
    """
    values = [getattr(each, "_array", each) for each in (tensor1, tensor2)]
    return resolve(tuple(describe(each) for each in values))


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether an in-place result of dtype `from_` may be written to a tensor of dtype `to`.

    >>> torch.can_cast(torch.int64, torch.float32), torch.can_cast(torch.float32, torch.int64)
    (True, False)
    """
    for place, each in enumerate((from_, to)):
        if not isinstance(each, dtype):
            name = ("from_", "to")[place]
            raise TypeError(
                f"can_cast(): argument '{name}' (position {place + 1}) must be torch.dtype, not {type(each).__name__}"
            )
    # a step down would lose the imaginary part, the fraction or the value
    return from_.category <= to.category
