"""Layout rules: the word of a declaration that says how an op's results of two and more dimensions lie in memory.

A rule gets the op, its arguments (arrays out of tensors) and one result of the body, and returns that result in torch's
order. Results of contiguous inputs mostly are contiguous: that is looked at first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from rushlight.core.memory.layout import common_strides, dense_strides, empty_with_strides, packed_strides
from rushlight.core.memory.strides import contiguous_strides, is_fresh, strides_of
from rushlight.native import extension
from rushlight.ops.machine.formats import is_channels_last, laid_out

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

ndarray = np.ndarray
NUMBER = np.zeros(())
# elements up to which NumPy turns a matrix as fast as native loops
FEW = 1024
# which have a kernel of their own for numbers
TAKES_NUMBERS = ("pow", "clamp", "lerp")


def ROWS(op: Op, arrays: list, result: ndarray) -> ndarray:
    """Contiguous, whatever the inputs are."""
    return result if result.flags.c_contiguous else result.copy()


def KEPT(op: Op, arrays: list, result: ndarray) -> ndarray:
    """As the body has laid it out."""
    return result


def COMMON(op: Op, arrays: list, result: ndarray) -> ndarray:
    """In the order of the inputs, which are broadcast; where they disagree, in that of the first."""
    for position in op.tensors:
        each = arrays[position]
        if type(each) is ndarray and not (each.flags.c_contiguous if 1 not in result.shape else is_fresh(each)):
            inputs = [arrays[place] if type(arrays[place]) is ndarray else NUMBER for place in taking_part(op, arrays)]
            return restrided(result, common_strides(result.shape, inputs))
    return result


def by_first(count: int) -> Callable[[Op, list, ndarray], ndarray]:
    """In the order of the first inputs alone, where those behind meet a result that has its order already."""

    def rule(op: Op, arrays: list, result: ndarray) -> ndarray:
        first = [each for each in arrays[:count] if type(each) is ndarray]
        if result.flags.c_contiguous and all([each.flags.c_contiguous for each in first]):
            return result
        return restrided(result, common_strides(result.shape, first))

    return rule


def taking_part(op: Op, arrays: list) -> list[int]:
    """The positions of what torch's walk goes through: arrays, and numbers that it makes arrays of."""
    return [place for place in op.tensors if type(arrays[place]) is ndarray or wraps_number(op, place)]


def wraps_number(op: Op, place: int) -> bool:
    """Whether a number in this place is a tensor without dimensions to torch, and its walk one over several shapes."""
    return place in op.tensors and op.name not in TAKES_NUMBERS


def TARGET(op: Op, arrays: list, result: ndarray) -> ndarray:
    """In the order of the inputs, which are broadcast; where they disagree, in that of the second, a loss's target."""
    inputs = [each for each in arrays[:2] if type(each) is ndarray]
    if all([each.flags.c_contiguous for each in inputs]):
        return result
    return restrided(result, common_strides(result.shape, inputs[::-1]))


def LIKE(op: Op, arrays: list, result: ndarray) -> ndarray:
    """As `empty_like` lays out memory for the first input; its order of dims where the sizes are others."""
    first = arrays[0]
    if first.ndim != result.ndim or (first.flags.c_contiguous and 1 not in first.shape):
        return result if result.flags.c_contiguous else result.copy()
    if first.shape == result.shape:
        return restrided(result, dense_strides(first))
    return restrided(result, packed_strides(result.shape, [strides_of(first)]))


def FORMAT(op: Op, arrays: list, result: ndarray) -> ndarray:
    """With the channels last if they are in the first input, or in all of a list; contiguous otherwise."""
    first = arrays[0]
    if type(first) is list:
        first = next((each for each in first if not is_channels_last(each)), first[0])
    return laid_out(result, first)


def STRICT_ROWS(op: Op, arrays: list, result: ndarray) -> ndarray:
    """Contiguous also in dimensions of size 1, which NumPy's reductions leave with any step."""
    return restrided(result, contiguous_strides(result.shape))


def COLUMNS(op: Op, arrays: list, result: ndarray) -> ndarray:
    """Matrices column by column, as LAPACK has them; vectors beside them (eigenvalues, pivots) are contiguous."""
    if result.dtype.kind == "i" or (len(op.tensors) == 1 and result.ndim < arrays[0].ndim):
        return result if result.flags.c_contiguous else result.copy()
    if not result.size:
        return result
    if result.ndim == 2 and result.size < FEW and 1 not in result.shape:
        # a sixth of the cost of what follows
        return result if result.flags.f_contiguous else result.T.copy().T
    # also where a matrix has one row or one column, which NumPy would lay out either way
    rows, columns = result.shape[-2:]
    outer = [each * rows * columns for each in contiguous_strides(result.shape[:-2])]
    return restrided(result, (*outer, 1, rows))


def restrided(result: ndarray, strides: tuple[int, ...]) -> ndarray:
    """The result with the given strides, counted in elements."""
    if strides_of(result) == strides or not result.size:
        return result
    found = empty_with_strides(result.shape, strides, result.dtype)
    if extension is None or type(result) is not ndarray or not extension.write_converted(found, result):
        found[...] = result
    return found
