"""What a dtype can hold of a random number: the ranges that may be asked for, and the way into the dtype."""

from __future__ import annotations

import warnings

import numpy as np

from rushlight.core.numbers.dtypes import from_numpy
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.errors import refusals

# Significant bits of a floating dtype by its character; "E" is the bfloat16 of ml_dtypes.
DIGITS = {"e": 11, "E": 8, "f": 24, "d": 53}
LARGEST = {"e": 65504.0, "E": 3.3895313892515355e38, "f": 3.4028234663852886e38, "d": 1.7976931348623157e308}


def floating(dtype: np.dtype, kernel: str) -> np.dtype:
    """`dtype` itself if it is a floating one; torch's refusal for others."""
    dtype = np.dtype(dtype)
    if dtype.char not in DIGITS:
        raise no_kernel(dtype, kernel)
    return dtype


def continuous(dtype: np.dtype, distribution: str) -> np.dtype:
    """`dtype` itself if it is a floating one; the refusal of those distributions that explain theirs."""
    dtype = np.dtype(dtype)
    if dtype.char not in DIGITS:
        raise RuntimeError(
            f"{distribution} distribution is a continuous probability distribution. dtype must be a floating point but "
            f"you specified {from_numpy(dtype).scalar}"
        )
    return dtype


def no_kernel(dtype: np.dtype, kernel: str) -> NotImplementedError:
    return refusals.no_kernel(kernel, from_numpy(dtype).scalar)


def to_dtype(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Float64 or int64 numbers in another dtype; what it cannot hold becomes infinite, without a warning."""
    if numbers.dtype == dtype:
        return numbers
    token = floating_point.set(QUIET)
    # torch rounds to the short formats by way of float32.
    rounded = (numbers.astype(np.float32) if dtype.char in "eE" else numbers).astype(dtype)
    floating_point.reset(token)
    return rounded


def whole_numbers(words: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Words of 64 bits, read as signed numbers, in any dtype."""
    numbers = words if dtype.char in "LQ" else words.view(np.int64)
    return to_dtype(numbers, dtype)


def largest_whole_number(dtype: np.dtype) -> int:
    """The end of the run of whole numbers from 0 on that `dtype` can hold without gaps."""
    if dtype.char in DIGITS:
        return 2 ** DIGITS[dtype.char]
    if dtype.kind not in "iub":
        raise RuntimeError(
            f"check_random_bounds handles only integral, floating-point and boolean types, not {dtype.name}"
        )
    return 1 if dtype.kind == "b" else int(np.iinfo(dtype).max)


def within(dtype: np.dtype, low: int, high: int) -> tuple[int, int]:
    """`low` and `high` as torch uses them for `dtype`; raises if it cannot hold the numbers between."""
    largest = largest_whole_number(dtype)
    if low < high and dtype.char in DIGITS:
        low, high = away_from_rounding(low, high, dtype)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if dtype.char in DIGITS:
        bounds = (-LARGEST[dtype.char], LARGEST[dtype.char])
    else:
        bounds = (0 if dtype.kind == "b" else int(np.iinfo(dtype).min), largest)
    for name, limit in (("from", low), ("to - 1", high - 1)):
        if not bounds[0] <= limit <= bounds[1]:
            raise RuntimeError(f"{name} is out of bounds for {dtype.name}: {limit}")
        if abs(limit) > largest and dtype.char in DIGITS:
            message = f"{name} is {limit}, but {dtype.name} has gaps between whole numbers beyond {largest}"
            warnings.warn(message, stacklevel=3)
    return low, high


def away_from_rounding(low: int, high: int, dtype: np.dtype) -> tuple[int, int]:
    """`low` and `high` moved inwards by one step of `dtype` where rounding would carry a number past them."""

    def rounded(number: int) -> int:
        nearest = float(to_dtype(np.array(float(number)), dtype))
        return int(nearest) if -(2.0**63) <= nearest < 2.0**63 else -(2**63)

    def step(number: int) -> int:
        return 2 ** (abs(number).bit_length() - DIGITS[dtype.char])

    if max(abs(low), abs(high)) <= 2 ** DIGITS[dtype.char]:
        return low, high
    if rounded(low + 1) < low:
        low = rounded(low + 1) + step(low + 1)
    if rounded(high - 1) >= high:
        high = rounded(high - 1) - step(high - 1)
    return low, high


def check_uniform_bounds(low: float, high: float, dtype: np.dtype) -> None:
    largest = LARGEST[dtype.char]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtype.name}: {bound}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    if high - low > largest:
        raise RuntimeError(f"uniform_ expects to - from <= {largest} for {dtype.name}, but found {low} and {high}")
