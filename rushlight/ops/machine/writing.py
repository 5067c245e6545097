"""Writing: in-place forms that touch only the elements they change, and where those stand in memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.creation.filled import converted
from rushlight.core.memory.capacity import LARGE, require_room
from rushlight.core.memory.layout import copied_like
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.strides import contiguous_strides, packed
from rushlight.core.numbers.dtypes import DIFFERENTIABLE, from_numpy
from rushlight.core.object.tensor import Tensor
from rushlight.core.settings.float_warnings import QUIET, floating_point
from rushlight.errors.complaints import is_out_of_bounds
from rushlight.errors.explained import POSITION, explained, stage_of
from rushlight.native import extension
from rushlight.ops.machine import inplace
from rushlight.ops.machine.call import unwrap, wrong_argument
from rushlight.ops.machine.overlap import EXPANDED, refuse_overlap

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

INT64 = np.dtype("int64")
UNSIGNED = {INT64: np.dtype("uint64"), np.dtype("int32"): np.dtype("uint32")}
QUICK = {float, int, bool}
# what the loops of native code call them
FOLDS = {np.add: 0, np.multiply: 1, np.maximum: 2, np.minimum: 3}
# ops whose bodies write to memory in any order
STRIDED = {"index_copy", "index_fill", "scatter", "tril", "triu"}
LARGEST_HALF = 65504
# ops that look at dimensions, shapes and dtypes before they ask whether each element has a place of its own
CHECKED_FIRST = {"index_add", "index_copy", "scatter", "scatter_add", "scatter_reduce"}


def overwrite(op: Op, arguments: tuple) -> Tensor:
    """The in-place form of an op whose body changes some elements of `out`; `call_inplace` writes all."""
    target = arguments[0]
    check_written(op, target)
    array = target._array
    arrays, needs, cut = unwrap(op, arguments)
    if any([type(each) is Lifted or (type(each) is list and inplace.holds_lifted(each)) for each in arrays]):
        return inplace.call_lifted(op, arguments)
    if needs and state.grad:
        inplace.check_target(target)
    for position in op.tensors[1:]:
        value = arrays[position]
        if type(value) is np.ndarray:
            arrays[position] = apart(value, array)
        elif type(value) is list:
            arrays[position] = [apart(each, array) for each in value]
    needs &= op.differentiable
    recording = state.grad and needs and array.dtype in DIFFERENTIABLE
    if recording:
        plan = op.plan(needs)
        before = inplace.before_write(target, arguments, plan.keeps_input)
    try:
        refuse_overlap(op, target, arguments)
        single = (array.flags.writeable and 0 not in array.strides) or inplace.require_writable(array, op.name)
    except RuntimeError:
        expanded = inplace.is_expanded(array) and op.name not in EXPANDED
        if op.name in CHECKED_FIRST if expanded else op.name not in ("_put", "index_copy"):
            check_operands(op, arguments, arrays)
        raise
    if target._inference:
        inplace.check_inference(target, lambda copy: overwrite(op, (copy, *arguments[1:])))
    token = floating_point.set(QUIET)
    try:
        if type(array) is np.ndarray and (array.flags.c_contiguous or not single or writes_anywhere(op, arrays)):
            op.positional(*arrays, array)
        else:
            inplace.put(array, op.positional(*arrays))
    except Exception as error:
        from rushlight.errors import calls

        array[...] = calls.recover(op, arguments, arrays, error)
    finally:
        floating_point.reset(token)
    inplace.written(target)
    if recording:
        inplace.record_write(op, plan, before, target)
    elif needs or cut is not None:
        inplace.pass_cut(target, cut)
    return target


def writes_anywhere(op: Op, arrays: list) -> bool:
    """Whether the body writes to memory in any order; what adds up by flat places wants C order."""
    return op.name in STRIDED or (op.name == "_put" and not arrays[op.positions["accumulate"]])


def check_written(op: Op, target: Any) -> None:
    """Refuse what is no tensor, or one that a function transform has captured."""
    if not isinstance(target, Tensor):
        raise wrong_argument(op, 0, target)
    if state.levels:
        inplace.refuse_captured(target, op.name)


def check_operands(op: Op, arguments: tuple, arrays: list) -> None:
    """Let an op complain of its operands first, apart from positions that a dimension does not have."""
    try:
        op.positional(*arrays)
    except Exception as error:
        if stage_of(error) == POSITION or is_out_of_bounds(error):
            return
        from rushlight.errors import calls

        calls.recover(op, arguments, arrays, error)


def apart(value: np.ndarray, array: np.ndarray) -> np.ndarray:
    """The value, copied if it may lie in memory that is about to be written."""
    return value.copy() if np.may_share_memory(value, array) else value


def target_of(input: np.ndarray, out: np.ndarray | None, like: bool = False) -> np.ndarray:
    """The array that a body may change: a copy in C order or `like` the input, or `out` with the input's elements."""
    if out is None:
        if input.flags.c_contiguous:
            return input.copy()
        return copied_like(input) if like else packed(input)
    if out is not input:
        out[...] = input
    return out


def places(shape: tuple[int, ...], dims: tuple[int, ...], indices: list[np.ndarray]) -> np.ndarray:
    """Where the elements of x[indices] stand in a contiguous array, one index for each of the dims."""
    last = dims[-1]
    rest = shape[last + 1 :]
    # the dimensions after the last index are walked as one
    shape = (*shape[: last + 1], math.prod(rest))
    strides = contiguous_strides(shape)
    together = last - dims[0] == len(dims) - 1
    others = [dim for dim in range(last) if dim not in dims]
    after = 1 if together else len(others) + 1
    found = 0
    for dim, index in zip(dims, indices, strict=True):
        index = wrapped(index, shape[dim])
        found = found + index.reshape(index.shape + (1,) * after) * strides[dim]
    inner = max([each.ndim for each in indices]) if together else 0
    for number, dim in enumerate(others):
        found = found + steps(shape[dim], strides[dim], len(others) - number + inner)
    found = found + np.arange(shape[-1])
    return found.reshape(found.shape[:-1] + rest)


def places_along(shape: tuple[int, ...], dim: int, index: np.ndarray) -> np.ndarray:
    """Where the elements that `gather` reads stand in a contiguous array."""
    strides = contiguous_strides(shape)
    found = index.astype(INT64) * strides[dim]
    for place, size in enumerate(index.shape):
        if place != dim:
            found += steps(size, strides[place], len(shape) - 1 - place)
    return found


def grid(index: np.ndarray, dim: int) -> tuple[np.ndarray, ...]:
    """NumPy's index for elements that differ from their own position in one dimension."""
    if index.ndim == 1:
        return (index,)
    if index.ndim == 2:
        # the usual case: q.gather(1, action)
        return (np.arange(len(index))[:, None], index) if dim else (index, np.arange(index.shape[1]))
    found = [steps(size, 1, index.ndim - 1 - place) for place, size in enumerate(index.shape)]
    found[dim] = index
    return tuple(found)


def steps(count: int, step: int, following: int) -> np.ndarray:
    return np.arange(0, count * step, step).reshape((count,) + (1,) * following)


def check_position(index: np.ndarray, dim: int, size: int) -> None:
    """Refuse positions outside of a dimension; negative ones count from its end."""
    outside = (index < -size) | (index >= size)
    # a fifth of the time of `any`
    if np.count_nonzero(outside):
        words = f"index {index[outside].flat[0]} is out of bounds for dimension {dim} with size {size}"
        raise explained(IndexError, words, stage=POSITION)


def wrapped(index: np.ndarray, size: int) -> np.ndarray:
    """Positions counted from the front."""
    return index.astype(INT64) % (size or 1)


def add_at(target: np.ndarray, where: np.ndarray, values: np.ndarray) -> None:
    """Add values to a contiguous array at flat places, those named twice twice."""
    if values.shape != where.shape:
        leading = max(values.ndim - where.ndim, 0)
        if values.shape[:leading] == (1,) * leading:
            values = values.reshape(values.shape[leading:])
        values = np.broadcast_to(values, where.shape)
    fold_at(target.reshape(-1), where.reshape(-1), values.reshape(-1))


def fold_at(target: np.ndarray, where: np.ndarray, values: np.ndarray, fold: np.ufunc = np.add) -> None:
    """Bring each value together with what stands at its place; all have one dimension."""
    if extension is None or not extension.fold_at(target, 0, where, values, FOLDS[fold]):
        fold.at(target, where, values)


def fold_along(target: np.ndarray, dim: int, index: np.ndarray, values: np.ndarray, fold: np.ufunc = np.add) -> None:
    """Bring values together with the elements of a contiguous array whose position along `dim` the index gives."""
    if extension is not None:
        within = values[tuple([slice(size) for size in index.shape])]
        if extension.fold_at(target, dim, index.astype(INT64, copy=False), within, FOLDS[fold]):
            return
    where = places_along(target.shape, dim, index)
    values = np.broadcast_to(values, where.shape) if values.shape != where.shape else values
    fold_at(target.reshape(-1), where.reshape(-1), values.reshape(-1), fold)


def fold_parts(target: np.ndarray, dim: int, index: np.ndarray, values: np.ndarray, fold: np.ufunc = np.add) -> None:
    """The same for whole parts: the index is a vector, one position for each part of the values along `dim`."""
    shape = [1] * values.ndim
    shape[dim] = index.size
    fold_along(target, dim, np.broadcast_to(index.reshape(shape), values.shape), values, fold)


def check_range(index: np.ndarray, dim: int, size: int, words: str = "", function: str = "") -> None:
    """Refuse positions outside of a dimension, and negative ones."""
    if index.size > LARGE:  # a view that one number was spread over: there cannot be a result for each
        require_room(index.shape, index.itemsize)
    # as unsigned numbers negative ones are huge: one pass instead of two
    unsigned = index.view(UNSIGNED[index.dtype])
    if index.size and np.maximum.reduce(unsigned, None) >= size:
        wrong = index[unsigned >= size].flat[0]
        # torch's loops over single elements raise one, those over whole parts the other
        kind = IndexError if words or function else RuntimeError
        words = words or f"{function}index {wrong} is out of bounds for dimension {dim} with size {size}"
        raise explained(kind, words, stage=POSITION)


def number_for(value: Any, kind: np.dtype, single: bool = False) -> Any:
    """The number, as NumPy can write it into an array of the dtype; a RuntimeError if it does not fit."""
    if type(value) in QUICK and kind.kind == "f" and -LARGEST_HALF <= value <= LARGEST_HALF:
        return value
    return converted(value, kind, single)


def scalar_name(array: np.ndarray) -> str:
    """torch's other name for an array's dtype, as in its messages."""
    return from_numpy(array.dtype).scalar
