"""Indexing: `x[...]` read; a basic index gives a view, one with tensors, masks or lists a copy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.layout import packed_strides
from rushlight.core.memory.strides import (
    byte_strides,
    contiguous_strides,
    empty_view,
    settled,
    strides_of,
    view_strides,
    with_strides,
)
from rushlight.core.object.tensor import Tensor, method, wrap
from rushlight.core.surface.overriding import PLAIN, divert, has_word
from rushlight.errors.complaints import of_index, of_part
from rushlight.ops.indexing.indices import ALL, INT64, Reader, check_mask, int_positions
from rushlight.ops.machine.declare import Op, op
from rushlight.ops.machine.layouts import restrided
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.transforms.index_words import AT_POSITIONS, INTO_HELD, INTO_POSITIONS, WHERE_HELD
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.transforms.view_words import PART
from rushlight.ops.machine.writing import add_at, places

if TYPE_CHECKING:
    from rushlight.autograd.graph import OpNode

BOUNDS = {int, type(None)}
BOOLEAN = np.dtype("bool")


@method
def __getitem__(self: Tensor, index: Any) -> Tensor:
    """Part of the tensor, as NumPy's index expressions name it; steps must be positive."""
    if type(index) not in PLAIN and has_word(index):
        return divert(Tensor.__getitem__, (self, index), {})
    basic = basic_index(self, index)
    if basic is not None:
        return part(self, basic)
    if is_mask(index) and self._array.ndim:
        return pick_mask(self, index)
    basic, indices, dims = read(self, index)
    view = self if basic is None else part(self, basic)
    return pick(view, indices, dims) if dims else view


def basic_index(self: Tensor, index: Any) -> tuple | slice | None:
    """The index for NumPy, if it is plain: integers, None, an ellipsis, slices of integers without a step."""
    kind = type(index)
    if kind is int:
        # the ellipsis keeps NumPy from making a scalar
        return (index, ...) if self._array.ndim else None
    if kind is slice:
        return index if is_plain(index) and self._array.ndim else None
    if kind is not tuple:
        return single_index(self, index)
    dots = 0
    for each in index:
        kind = type(each)
        if kind is slice:
            if not is_plain(each):
                return None
        elif each is ...:
            dots += 1
        elif kind is not int and each is not None:
            return None
    return (*index, ...) if not dots else index if dots == 1 else None


def single_index(self: Tensor, index: Any) -> tuple | None:
    """`x[None]`, `x[...]`, and integers in other clothes: `x[i]` in a loop over tensors or NumPy numbers."""
    if index is None:
        return None, ...
    if index is ...:
        return (...,)
    if isinstance(index, Tensor) and is_mapped(index):
        return None
    array = index._array if isinstance(index, Tensor) else index
    if self._array.ndim and isinstance(array, (np.ndarray, np.int64)) and array.dtype is INT64 and not array.ndim:
        return int(array), ...
    return None


def is_plain(index: slice) -> bool:
    return index.step is None and type(index.start) in BOUNDS and type(index.stop) in BOUNDS


def read(self: Tensor, index: Any) -> tuple[tuple | slice | None, list[Tensor], tuple[int, ...]]:
    """The basic part (None if it changes nothing), the tensors of the advanced part, and their dimensions."""
    if type(index) is list and set(map(type, index)) == {int}:
        index = wrap(int_positions(index))
    items = index if type(index) is tuple else (index,)
    if len(items) <= self._array.ndim and all([is_positions(each) for each in items]):
        # the usual case needs no reader: x[i], x[i, j]
        return None, list(items), tuple(range(len(items)))
    reader = Reader(self._array.shape)
    reader.read(index)
    dims = tuple([dim for dim, _ in reader.advanced])
    indices = [each for _, each in reader.advanced]
    if type(index) is slice:
        return reader.basic[0], indices, dims
    basic = (*reader.basic, ...)
    return None if dims and keeps_all(self, basic) else basic, indices, dims


def is_positions(index: Any) -> bool:
    return isinstance(index, Tensor) and index._array.dtype is INT64 and index._array.ndim > 0


def is_mask(index: Any) -> bool:
    return isinstance(index, Tensor) and index._array.dtype is BOOLEAN and index._array.ndim > 0


def keeps_all(self: Tensor, index: tuple) -> bool:
    """Whether a basic index leaves the tensor as it is."""
    return node_name(self, index) == "AliasBackward0"


def node_names(shape: tuple[int, ...], index: tuple | slice) -> Iterator[str]:
    """The nodes that torch makes of an index, the last one first: one for each entry that does something."""
    if type(index) is slice:
        yield "SliceBackward0"
        return
    from_end = 0
    for each in reversed(index):
        if type(each) is int:
            from_end += 1
            yield "SelectBackward0"
        elif each is None:
            yield "UnsqueezeBackward0"
        elif each is ...:
            from_end = len(shape) + 1 - sum([other is not None for other in index]) + from_end
        else:
            from_end += 1
            stop = each.stop
            if each.start or each.step not in (None, 1) or (stop is not None and stop < shape[-from_end]):
                yield "SliceBackward0"


def node_name(input: Tensor, index: tuple | slice) -> str:
    """Ours is one node for all entries, named after torch's last one."""
    return next(node_names(input._array.shape, index), "AliasBackward0")


@op(dtype=SAME, batch=PART, view=True, name="_part", node=node_name, samples=None)
def part(input, index: tuple):
    """A view of a part: one op for the whole of a basic index."""
    try:
        found = input[index] if input.size else settled(input)[index]
    except (IndexError, OverflowError) as error:
        raise of_part(error, input, index) from None
    if not found.size:
        return begun(found, input, index if type(index) is tuple else (index,))
    if type(index) is tuple and None in index:
        if 0 < found.size == input.size and input.flags.c_contiguous and 1 not in input.shape:
            # NumPy gives new dimensions torch's strides here, at a fifth of the cost
            return input.reshape(found.shape)
        return with_torch_strides(found, input, index)
    return found


part.gradient(input=lambda grad, input_shape, index: part_gradient(grad, input_shape, index))


def part_steps(node: OpNode) -> tuple:
    """The nodes between a part and its source in torch, for those who look."""
    tree: Any = "input"
    if node.saved is not None:
        shape, index = [node.saved[node.plan.names.index(name)] for name in ("input_shape", "index")]
        for name in reversed(list(node_names(shape, index))[1:]):
            tree = name, tree
    return type(node).__name__, tree


part.op.steps = part_steps


def takes_part(entry: Any) -> bool:
    """Whether torch makes a node for an entry that may name everything: all but the slices that say so plainly."""
    return type(entry) is int or (type(entry) is slice and bool(entry.start or entry.step not in (None, 1)))


def part_gradient(grad: Tensor, shape: tuple, index: tuple | slice) -> Tensor:
    """The gradient of all that the part was taken from: itself, where only dimensions were added."""
    count = grad._array.size
    # a single slice copies, in torch
    if not count or count != math.prod(shape) or type(index) is slice or any(map(takes_part, index)):
        return part_into(grad, index, shape)
    dots = index.index(...)
    # dimensions before the dots count from the front, those behind them from the end; the outer ones go last
    for place in range(dots - 1, -1, -1):
        grad = grad.squeeze(place) if index[place] is None else grad
    for place in range(dots + 1, len(index)):
        grad = grad.squeeze(place - len(index)) if index[place] is None else grad
    return grad


def into_name(index: tuple | slice, shape: tuple) -> str:
    """torch makes a node for each entry; the gradient goes last to the first of them that does something."""
    source = 0
    for place, each in enumerate(index if type(index) is tuple else ()):
        if each is None:
            return "SqueezeBackward1"
        if type(each) is int:
            return "SelectBackwardBackward0"
        if each is ...:
            source = len(shape) - sum([later is not None for later in index[place + 1 :]])
            continue
        if each.indices(shape[source]) != (0, shape[source], 1):
            break
        source += 1
    return "SliceBackwardBackward0"


def begun(found: np.ndarray, input: np.ndarray, index: tuple) -> np.ndarray:
    """An empty part, which begins where its slices begin."""
    strides, place, source = byte_strides(input), 0, 0
    for each in index:
        if each is None:
            continue
        if each is ...:
            source += input.ndim - sum([other is not None for other in index]) + 1
            continue
        size = input.shape[source]
        place += strides[source] * (each.indices(size)[0] if type(each) is slice else each % size)
        source += 1
    if None in index:
        found = with_torch_strides(found, input, index)
    return empty_view(input, found.shape, found.strides, place)


@op(dtype=SAME, batch=PART, linear=True, name="_part_into", node=into_name, samples=None)
def part_into(input, index: tuple, shape: tuple):
    """Zeros with the input in a part of them."""
    found = np.zeros(shape, input.dtype)
    found[index] = input
    return found


part_into.gradient(input=lambda grad, index: part(grad, index))


def with_torch_strides(found: np.ndarray, input: np.ndarray, index: tuple) -> np.ndarray:
    """The view with torch's strides for new dimensions, where NumPy's are 0."""
    shape, given = input.shape, byte_strides(input)
    strides, kept = [], iter(found.strides)
    source = 0
    for each in index:
        if each is None:
            next(kept)
            strides.append(shape[source] * given[source] if source < len(shape) else input.itemsize)
            continue
        if each is ...:
            count = len(shape) - sum([other is not None for other in index]) + 1
            strides += [next(kept) for _ in range(count)]
            source += count
            continue
        source += 1
        if type(each) is slice:
            strides.append(next(kept))
    return with_strides(found, found.shape, tuple(strides))


def PICKED(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order of the dimensions that are not indexed, and of the indices among themselves."""
    input, indices, dims = arrays
    if 1 not in result.shape and input.flags.c_contiguous and all([each.flags.c_contiguous for each in indices]):
        return result
    adjacent = dims[-1] - dims[0] == len(dims) - 1
    rest, before = len(input.shape) - len(dims), dims[0] if adjacent else 0
    own = [step for dim, step in enumerate(strides_of(input)) if dim not in dims]
    wide = result.ndim - rest
    given = [(*own[:before], *[0] * wide, *own[before:])]
    for each in np.broadcast_arrays(*indices):
        # torch shows each index with a dimension of size 1 for each that is not indexed
        shape = (1,) * before + each.shape + (1,) * (rest - before)
        steps = view_strides(each, shape) or contiguous_strides(shape)
        given.append(tuple([0 if a != b else step for a, b, step in zip(shape, result.shape, steps, strict=True)]))
    return restrided(result, packed_strides(result.shape, given))


@op(dtype=SAME, batch=AT_POSITIONS, linear=True, layout=PICKED, name="_pick", node="IndexBackward0", samples=None)
def pick(input, indices: list[Tensor], dims: tuple):
    """The elements at the positions that `indices` name along `dims`."""
    if not input.size and 0 in [input.shape[dim] for dim in dims] and all([index.size for index in indices]):
        raise nowhere(input, indices)
    if not input.size and all([input.shape[dim] for dim in dims]):
        # nothing is read, and torch does not look at the positions
        indices = [np.zeros_like(each) for each in indices]
    if len(dims) == 1 and input.flags.c_contiguous:
        try:
            # take is four times faster than brackets, but would copy what is not contiguous
            return input.take(indices[0], dims[0])
        except IndexError as error:
            raise of_index(error, input, indices, dims) from None
    try:
        return np.ascontiguousarray(input[numpy_index(indices, dims)])
    except IndexError as error:
        raise of_index(error, input, indices, dims) from None


pick.gradient(input=lambda grad, input_shape, indices, dims: pick_into(grad, indices, dims, input_shape))


@op(dtype=SAME, batch=INTO_POSITIONS, linear=True, name="_pick_into", node="IndexPutImplBackward0", samples=None)
def pick_into(input, indices: list[Tensor], dims: tuple, shape: tuple):
    """Zeros with the input added at the positions that `indices` name along `dims`."""
    found = np.zeros(shape, input.dtype)
    add_at(found, places(shape, dims, indices), input)
    return found


pick_into.gradient(input=lambda grad, indices, dims: pick(grad, indices, dims))


def MASKED(op: Op, arrays: list, result: np.ndarray) -> np.ndarray:
    """In the order of the dimensions behind the mask."""
    input, mask = arrays
    if input.flags.c_contiguous:
        return result
    return restrided(result, packed_strides(result.shape, [(0, *strides_of(input)[mask.ndim :])]))


@op(
    dtype=SAME,
    linear=True,
    batch=WHERE_HELD,
    layout=MASKED,
    name="_pick_mask",
    node="IndexBackward0",
    samples=None,
)
def pick_mask(input, mask):
    """The parts where a mask on the first dimensions holds."""
    if mask.shape != input.shape:
        check_mask(mask, input.shape, 0)
    return input[mask]


pick_mask.gradient(input=lambda grad, mask, input_shape: mask_into(grad, mask, input_shape))


@op(dtype=SAME, linear=True, batch=INTO_HELD, name="_mask_into", samples=None)
def mask_into(input, mask, shape: tuple):
    """Zeros with the input where a mask on the first dimensions holds."""
    found = np.zeros(shape, input.dtype)
    found[mask] = input
    return found


mask_into.gradient(input=lambda grad, mask: pick_mask(grad, mask))


def numpy_index(indices: list[np.ndarray], dims: tuple[int, ...]) -> tuple:
    found = [ALL] * (dims[-1] + 1)
    for dim, index in zip(dims, indices, strict=True):
        found[dim] = index
    return tuple(found)


def nowhere(input: np.ndarray, indices: list[np.ndarray]) -> Exception:
    """The error for positions along a dimension that has none."""
    try:
        np.broadcast_shapes(*[each.shape for each in indices])
    except ValueError as error:
        return of_index(error, input, indices)
    return IndexError("index is out of bounds for dimension with size 0")
