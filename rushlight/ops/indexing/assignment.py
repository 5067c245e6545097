"""Assignment: `x[...] = value` and `index_put`."""

from __future__ import annotations

import numbers
from types import EllipsisType
from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.deferred import resolved
from rushlight.core.object.tensor import Tensor, method, wrap
from rushlight.core.surface.overriding import divert, has_word
from rushlight.errors.callsite import position_words
from rushlight.errors.complaints import are_apart, of_index, of_part
from rushlight.errors.explained import INDEX, MASK, stage_of
from rushlight.native import extension
from rushlight.ops.indexing.indexing import (
    BOOLEAN,
    basic_index,
    is_mask,
    keeps_all,
    nowhere,
    numpy_index,
    part,
    pick,
    pick_mask,
    read,
)
from rushlight.ops.indexing.indices import as_tuple, check_mask, plain, positions, too_many
from rushlight.ops.machine.call import tensor_list
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.inplace import (
    check_inference,
    check_target,
    pass_cut,
    refuse_captured,
    require_writable,
    written,
)
from rushlight.ops.machine.layouts import LIKE
from rushlight.ops.machine.option_kinds import kind_name
from rushlight.ops.machine.overlap import refuse_overlap
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.index_words import PUT
from rushlight.ops.machine.transforms.level import is_followed, is_lifted
from rushlight.ops.machine.writing import (
    add_at,
    check_position,
    fold_parts,
    number_for,
    overwrite,
    places,
    scalar_name,
    target_of,
    wrapped,
)
from rushlight.ops.shape.copying import copied, function_and_method


@method
def __setitem__(self: Tensor, index: Any, value: Any) -> None:
    """Write a number or a tensor, broadcast, over the part that an index expression names."""
    if has_word(index, value):
        divert(Tensor.__setitem__, (self, index, value), {})
        return
    if state.levels:
        refuse_captured(self, "copy")
    if self._inference:
        check_inference(self, lambda copy: copy.__setitem__(index, value))
    if not isinstance(value, Tensor):
        value = plain_number(self, value)
    basic = (None, ...) if index is True else basic_index(self, index)
    dims: tuple = ()
    if basic is None:
        if index is False:
            return
        if is_mask(index) and self._array.ndim:
            if index._array.ndim > self._array.ndim:
                check_mask(index._array, self._array.shape, 0)
            indices, dims = [index], (0,)
        else:
            basic, indices, dims = read_target(self, index, value)
    if self._inference and not dims:
        check_inference_of(part(self, basic), self)
    if dims:
        view = self if basic is None else part(self, basic)
        if isinstance(value, Tensor) and value._requires_grad and fills(indices, value) and state.grad:
            # before integers lose its history
            check_target(view)
        put_inplace(view, indices, source_for(view, index, value), dims, False)
    elif is_followed(self) or (isinstance(value, Tensor) and is_followed(value)):
        write_recorded(self, basic, value)
    else:
        write_part(self, basic, value)


def check_inference_of(view: Tensor, whole: Tensor) -> None:
    """Refuse to write through a part of a tensor with data of inference mode: it counts writes, but no view does."""
    if view._array.shape != whole._array.shape:
        check_inference(view)


def read_target(self: Tensor, index: Any, value: Any) -> tuple:
    """`read`, where torch says first of what is written to and what is written what can be said of them."""
    try:
        return read(self, index)
    except IndexError as error:
        if stage_of(error) != INDEX:
            refuse_write(self, value, overlapping=not (stage_of(error) == MASK and is_filled(index, value)))
        raise


def fills(indices: list, value: Tensor) -> bool:
    """Whether one number is written over what a mask names."""
    return value._array.size == 1 and len(indices) == 1 and is_mask(indices[0])


def is_filled(index: Any, value: Any) -> bool:
    """Whether torch fills what a mask alone names with one number, in place of looking up positions."""
    advanced = [each for each in as_tuple(index) if not (each is None or isinstance(each, (int, slice, EllipsisType)))]
    return len(advanced) == 1 and (not isinstance(value, Tensor) or value._array.size == 1)


def refuse_write(self: Tensor, value: Any, overlapping: bool = True) -> None:
    """Refuse leaves that require grad, and values in the memory that is written to."""
    recorded = self.requires_grad or (isinstance(value, Tensor) and value.requires_grad)
    if state.grad and recorded:
        check_target(self)
    if overlapping:
        refuse_overlap(put_elements.op, self, (self, (), value))


@method
def __delitem__(self: Tensor, index: Any) -> None:
    raise TypeError("Tensor does not support deleting items")


def plain_number(self: Tensor, value: Any) -> Any:
    """The number to assign; lists and arrays are refused as in torch."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, numbers.Number):
        kind = type(value)
        name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
        raise TypeError(
            f"can't assign a {name} to a torch.{self.dtype.scalar}Tensor: make it a tensor first, with "
            "torch.tensor(...)"
        )
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise ValueError(f"Overflow when unpacking long long: {value}")
    return number_for(value, self._array.dtype, single=True)


def names_one_mask(index: Any) -> bool:
    """Whether a mask is all that an index has of an advanced part."""
    items = [plain(each) for each in as_tuple(index)]
    advanced = [each for each in items if isinstance(each, (Tensor, bool))]
    return len(advanced) == 1 and is_mask(advanced[0])


def source_for(target: Tensor, index: Any, value: Any) -> Tensor:
    """What to put at single elements: a number takes the target's dtype, one element under a mask too."""
    kind = target._array.dtype
    if not isinstance(value, Tensor) or value._array.size == 1:
        refuse_bytes(target, index, value)
    if not isinstance(value, Tensor):
        return wrap(np.array(value, kind))
    if value._array.size == 1 and (value is target or value._storage is not None) and names_one_mask(index):
        value = value.clone()  # torch reads the number before it writes
    shape = value._array.shape
    if shape and shape[0] == 1:
        value = value.reshape(inner_shape(shape))
    if value._array.dtype != kind and value._array.size == 1 and names_one_mask(index):
        number_for(value._array.item(), kind)
        return value.to(target.dtype)
    return value


def refuse_bytes(target: Tensor, index: Any, value: Any) -> None:
    """torch fills under a mask with one number by `masked_fill_`, which wants bools."""
    if isinstance(index, Tensor) and index._array.dtype == np.uint8 and index._array.ndim:
        refuse_write(target, value)
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype unsigned char: compare it first, for "
            "example mask != 0"
        )


def write_recorded(self: Tensor, basic: tuple | slice, value: Any) -> None:
    """Assignment as history: a copy into the view."""
    # torch writes to the tensor itself if the index leaves nothing out
    view = self if keeps_all(self, basic if type(basic) is tuple else (basic, ...)) else part(self, basic)
    if not isinstance(value, Tensor):
        value = wrap(np.array(value, view._array.dtype))
    if value._array.ndim or not view._array.ndim:
        view.copy_(without_leading_ones(value, view))
    else:
        view.fill_(value)


def write_part(self: Tensor, basic: tuple | slice, value: Any) -> None:
    """Assignment without history: straight into the array."""
    array = self._array
    try:
        target = array[basic]
    except (IndexError, OverflowError) as error:
        raise of_part(error, array, basic) from None
    if isinstance(value, Tensor):
        if value._array.dtype is not array.dtype or value._array.shape != target.shape:
            view = part(self, basic)
            view.copy_(without_leading_ones(value, view))
            return
        if value._storage is not None and self._storage is not None and value._storage.array is self._storage.array:
            refuse_overlap(copied.op, part(self, basic), (None, value))
        source, value = value, resolved(value._array)
    else:
        source = None
    if not target.flags.writeable or 0 in target.strides:
        if source is not None and 0 in target.strides:
            part(self, basic).copy_(source)
            return
        require_writable(target)
    target[...] = value
    written(self)
    if source is not None and (source._cut is not None or source.requires_grad):
        pass_cut(self, source._cut)


def inner_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without its leading dimensions of size 1, which torch drops from what it assigns."""
    return shape[next((place for place, size in enumerate(shape) if size != 1), len(shape)) :]


def without_leading_ones(value: Tensor, view: Tensor) -> Tensor:
    """The value to assign, checked to fit."""
    shape, wanted = value._array.shape, view._array.shape
    if not shape and value._storage is not None:
        return value.clone()  # torch reads the number before it writes
    if shape != wanted and shape and shape[0] == 1:
        shape = inner_shape(shape)
        value = value.reshape(shape)
    extra = len(shape) - len(wanted)
    if extra > 0:
        raise RuntimeError(
            f"expand({class_name(value)}{{{list(shape)}}}, size={list(wanted)}): the number of "
            f"sizes provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(shape)})"
        )
    for place, size in enumerate(shape):
        if size not in (1, wanted[place - extra]):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted[place - extra]}) must match the existing size "
                f"({size}) at non-singleton dimension {place - extra}.  Target sizes: {list(wanted)}.  "
                f"Tensor sizes: {list(shape)}"
            )
    # torch expands what it assigns: that it overlaps is seen only where it does not have to
    return value.expand(wanted) if value._storage is not None and shape != wanted else value


def class_name(value: Tensor) -> str:
    """The kind of a tensor, in the words of torch's oldest messages; newer dtypes have no class of their own."""
    name = value.dtype.scalar
    return f"CPU{name}Type" if name in ("Bool", "BFloat16") or value.dtype.is_complex else f"torch.{name}Tensor"


@op(
    dtype=SAME,
    batch=PUT,
    linear=True,
    layout=LIKE,
    name="_put",
    node="IndexPutBackward0",
    inplace=overwrite,
    samples=None,
)
def put_elements(input: Tensor, indices: list[Tensor], values: Tensor, dims: tuple, accumulate: bool, *, out=None):
    """The input with `values` written over, or added to, the elements at the positions along `dims`."""
    index = numpy_index(indices, dims)
    if len(index) == 1 and index[0].dtype is BOOLEAN:
        check_mask(index[0], input.shape, 0)
    elif not input.size and all([each.size for each in indices]):
        if 0 in [input.shape[dim] for dim in dims]:
            raise nowhere(input, indices)
        indices = [np.zeros_like(each) for each in indices]  # nothing is written: torch does not look at them
        index = numpy_index(indices, dims)
    if not values.size and (error := unfit(input, values, indices, dims)):
        raise error  # NumPy writes nothing, of whatever shape
    try:
        if values.dtype != input.dtype:
            raise unfit(input, values, indices, dims) or differs(input, values)
        result = target_of(input, out, like=not accumulate)
        if accumulate:
            for place, (dim, each) in enumerate(zip(dims, indices, strict=True)):
                check_position(each, place, input.shape[dim])
            if len(dims) == 1 and indices[0].ndim == 1 and values.ndim <= input.ndim:
                add_parts(result, dims[0], indices[0], values)
            elif result.flags.c_contiguous:
                add_at(result, places(input.shape, dims, indices), values)
            else:
                np.add.at(result, index, values)
        else:
            result[index] = values
    except IndexError as error:
        raise unfit(input, values, indices, dims) or of_index(error, input, indices, dims) from None
    except (TypeError, ValueError):
        raise unfit(input, values, indices, dims) or mismatch(values.shape, input[index].shape) from None
    return result


def add_parts(target: np.ndarray, dim: int, index: np.ndarray, values: np.ndarray) -> None:
    """Add values, broadcast, to whole parts of a tensor."""
    shape = (*target.shape[:dim], index.size, *target.shape[dim + 1 :])
    fold_parts(target, dim, wrapped(index, target.shape[dim]), np.broadcast_to(values, shape))


def unfit(input: np.ndarray, values: np.ndarray, indices: list[np.ndarray], dims: tuple) -> Exception | None:
    """The error for values that do not fit the positions, wherever those are: torch looks at that first."""
    if dims[-1] >= input.ndim:
        return None
    if not any([each.dtype is BOOLEAN for each in indices]):
        # the first position of each dimension will do, and none need be there
        input = np.broadcast_to(np.False_, [size or int(dim in dims) for dim, size in enumerate(input.shape)])
        indices = [np.zeros_like(each) for each in indices]
    try:
        wanted = input[numpy_index(indices, dims)].shape
        np.broadcast_to(values, wanted)
    except IndexError as error:
        return of_index(error, input, indices) if are_apart(error) else None
    except ValueError:
        return mismatch(values.shape, wanted)
    return None


def mismatch(have: tuple[int, ...], wanted: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(have)} cannot be broadcast to indexing result of shape "
        f"{list(wanted)}"
    )


def differs(target: np.ndarray, values: np.ndarray) -> RuntimeError:
    return RuntimeError(
        f"Index put requires the source and destination dtypes match, got {scalar_name(target)} for the "
        f"destination and {scalar_name(values)} for the source: convert the source with .to(x.dtype)"
    )


put_elements.gradient(
    input=lambda grad, indices, dims, accumulate: (
        grad if accumulate else put_elements(grad, indices, grad.new_zeros(()), dims, False)
    ),
    values=lambda grad, indices, dims, values_shape: values_gradient(grad, indices, dims, values_shape),
)
put_inplace = put_elements.op.inplace
if extension is not None:
    # the native `x[positions] = value` runs it
    extension.adopt("_put_", put_inplace)


def values_gradient(grad: Tensor, indices: list[Tensor], dims: tuple, shape: tuple) -> Tensor:
    """What was written, read back; the values may have had more leading dimensions, of size 1."""
    by_mask = indices[0]._array.dtype is BOOLEAN
    found = pick_mask(grad, indices[0]) if by_mask else pick(grad, indices, dims)
    extra = len(shape) - found._array.ndim
    return found.reshape((1,) * extra + found._array.shape) if extra > 0 else found


def index_samples(make):
    x, i = make.floats(3, 4), np.array([0, 2, 0])
    return [
        case(x, (i[:2],), make.floats(2, 4)),
        corner(x, (i,), make.floats(3, 4)),
        case(x, [i, np.array([1, -1, 1])], make.floats(3), accumulate=True),
        case(x, (i,), make.floats(4), accumulate=True),
        case(x, (np.array([[0], [1]]), np.array([0, 3])), make.floats(2, 2)),
        case(x, (make.bools(3, 4),), make.floats()),
        case(x, (make.bools(3),), make.floats(4), True),
        case(x.T, (np.array([1, 2], "int32"),), make.floats(1)),
        case(x, (np.array([], "int64"),), make.floats(1, 1)),
        case(x, (np.array(1),), make.floats(4)),
        case(make.ints(5), (i,), make.ints(3), True),
        case(x, (np.array([3]),), make.floats()),
        case(x, (i,), make.floats(5)),
        case(x, (i, i, i), make.floats()),
        case(x, (make.floats(3),), make.floats()),
        case(x, (i,), make.ints(3)),
        case(x, i, make.floats()),
    ]


@composed(samples=cases(index_samples))
def index_put(input, indices, values, accumulate=False):
    """The input with `values` written over, or added to, the elements that the index tensors name.

    >>> where = (torch.tensor([0, 2, 2]),)
    >>> torch.zeros(3).index_put(where, torch.tensor([1.0, 2.0, 3.0]), accumulate=True)
    tensor([1., 0., 5.])
    """
    check_arguments("index_put", indices, values)
    return put_elements(input, *put_arguments(input, indices, values, accumulate))


@function_and_method
def index_put_(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place.

    >>> torch.zeros(3).index_put_((torch.tensor([0, 2]),), torch.tensor(5.0))
    tensor([5., 0., 5.])
    """
    check_arguments("index_put_", indices, values)
    try:
        arguments = put_arguments(input, indices, values, accumulate)
    except (IndexError, RuntimeError) as error:
        refuse_write(input, values, overlapping=stage_of(error) != INDEX)
        raise
    return put_inplace(input, *arguments)


def check_arguments(name: str, indices: Any, values: Any) -> None:
    """Refuse what is no tensor, or no sequence of them."""
    if not isinstance(indices, (list, tuple)):
        where = f"{name}(): argument 'indices'{position_words('indices', 2)}"
        raise TypeError(f"{where} must be tuple of Tensors, not {kind_name(indices)}")
    tensor_list(put_elements.op, 1, indices)
    if not isinstance(values, Tensor):
        raise TypeError(f"{name}(): argument 'values' (position 2) must be Tensor, not {type(values).__name__}")


def put_arguments(input: Tensor, indices: Any, values: Any, accumulate: bool) -> tuple:
    """The arguments of `put_elements`: masks become positions, except for a single one to write under."""
    indices = list(indices)
    if len(indices) > input._array.ndim:
        raise too_many(input._array.ndim, f" (got {len(indices)})")
    if len(indices) == 1 and indices[0]._array.dtype is BOOLEAN and not accumulate:
        if values._array.size != 1:
            check_dims(input, indices, values)
        return indices, source_for(input, indices[0], values), (0,), False
    shape, found = input._array.shape, []
    for each in indices:
        found += positions(each, shape, len(found))
    if not found or len(found) > len(shape):
        raise too_many(len(shape), f" (got {len(found)})")
    check_dims(input, found, values)
    return found, values, tuple(range(len(found))), accumulate


def check_dims(input: Tensor, indices: list[Tensor], values: Tensor) -> None:
    """Refuse values with more dimensions than what they are written to."""
    read = sum([each._array.ndim if each._array.dtype is BOOLEAN else 1 for each in indices])
    if values._array.ndim <= input._array.ndim - read + 1:
        return
    arrays = [each._array for each in indices]
    if any([is_lifted(each) for each in indices]):
        if any([each.dtype is BOOLEAN for each in arrays]):
            return
        arrays = [np.zeros(each.shape, np.int64) for each in arrays]  # any position will do
    try:
        wanted = np.broadcast_to(0, input._array.shape)[tuple(arrays)].shape
    except IndexError:
        return
    if values._array.ndim > len(wanted):
        raise mismatch(values._array.shape, wanted)
