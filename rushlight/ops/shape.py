"""Shape: views of a tensor with other sizes and strides; nothing is copied."""

from __future__ import annotations

import math

import numpy as np

from rushlight.ops.declare import composed, op
from rushlight.ops.dims import plain_size
from rushlight.ops.rules import SAME
from rushlight.ops.samples import case, cases


def inferred(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """The shape with its -1 replaced by what is left of `count` elements."""
    shape = plain_size(shape)
    if -1 not in shape:
        if any(size < 0 for size in shape):
            raise RuntimeError(f"invalid shape dimension {min(shape)}")
        if math.prod(shape) != count:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
        return shape
    rest = math.prod(size for size in shape if size != -1)
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if rest == 0:
        raise RuntimeError(
            f"cannot reshape tensor of {count} elements into shape {list(shape)} because the unspecified dimension "
            "size -1 can be any value and is ambiguous"
        )
    if rest < 0 or count % rest:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return tuple([count // rest if size == -1 else size for size in shape])


@op(dtype=SAME, view=True, samples=cases(lambda make: [case(make.floats(2, 6), 3, 4), case(make.floats(2, 6), (-1,))]))
def view(input, shape: "Size"):
    """The same elements in another shape, sharing memory; -1 stands for what is left."""
    shape = inferred(shape, input.size)
    found = input.reshape(shape)
    if not input.flags.c_contiguous and input.size and not np.may_share_memory(found, input):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return found


view.gradient(input=lambda grad, input_shape: grad.reshape(input_shape))


@composed(samples=cases(lambda make: [case(make.floats(2, 6), (3, 4)), case(make.floats(4, 2).T, (8,))]))
def reshape(input, *shape_, shape=None):
    """The same elements in another shape: a view if possible, else a copy."""
    shape = shape if shape is not None else shape_[0] if len(shape_) == 1 and not isinstance(shape_[0], int) else shape_
    shape = inferred(shape, input._array.size)
    array = input._array
    if array.flags.c_contiguous or np.may_share_memory(array.reshape(shape), array):
        return view(input, shape)
    return view(input.contiguous(), shape)


@op(dtype=SAME, view=True, samples=cases(lambda make: [case(make.floats(3, 1), 3, 4), case(make.floats(3), 2, -1)]))
def expand(input, size: Size, *, implicit=False):
    """Dimensions of size 1 stretched to a larger size without copying; -1 keeps a size."""
    size = plain_size(size)
    extra = len(size) - input.ndim
    if extra < 0:
        raise RuntimeError(
            f"expand(torch.{input.dtype}{{{list(input.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({input.ndim})"
        )
    shape, strides = [], []
    for place, wanted in enumerate(size):
        have = input.shape[place - extra] if place >= extra else 1
        step = input.strides[place - extra] if place >= extra else 0
        if wanted == -1 and place >= extra:
            wanted = have
        if wanted < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {place}"
            )
        if have != wanted and have != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted}) must match the existing size ({have}) at non-singleton "
                f"dimension {place}.  Target sizes: {list(size)}.  Tensor sizes: {list(input.shape)}"
            )
        shape.append(wanted)
        strides.append(step if have == wanted and place >= extra else 0)
    return with_strides(input, tuple(shape), tuple(strides))


# the engine sums the gradient down to the input's shape
expand.gradient(input=lambda grad: grad)


def with_strides(array, shape, strides):
    """The array's memory with other sizes and byte strides."""
    if array.flags.c_contiguous and array.size:
        # a tenth of the cost of np.lib.stride_tricks
        return np.ndarray(shape, array.dtype, array, 0, strides)
    return np.lib.stride_tricks.as_strided(array, shape, strides)
