"""Broadcasting: tensors stretched to a common shape, and grids made that way."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rushlight.core.memory.capacity import MOST, require_room
from rushlight.core.memory.strides import byte_strides, with_strides
from rushlight.core.numbers import dtypes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor, attribute, wrap
from rushlight.errors.explained import explained
from rushlight.errors.fixes import one_dtype
from rushlight.errors.refusals import misfit
from rushlight.errors.warning import warn
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import plain_size
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.view_words import EXPANDED
from rushlight.ops.shape.joining import stack


def type_words(kind: np.dtype) -> str:
    """A tensor's dtype as torch's inner messages name it."""
    name = dtypes.from_numpy(kind).scalar
    return f"CPU{name}Type" if kind.kind in "bc" else f"torch.{name}Tensor"


@op(
    dtype=SAME,
    batch=EXPANDED,
    view=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 1), 3, 4),
            case(make.floats(3), 2, -1),
            case(make.floats(3, 1), (2, 3, 5)),
            case(make.floats(), 4),
            case(make.floats(4, 3).T, 2, 3, 4),
            case(make.floats(0, 1), 0, 3),
            case(make.floats(1, 3), (0, 3)),
            case(make.ints(3, 1), 3, 2),
            case(make.floats(3, 4), 4),
            case(make.floats(3, 4), 2, 4),
            case(make.floats(3, 4), -1, 3, 4),
        ]
    ),
)
def expand(input, size: Size, *, implicit=False):
    """Dimensions of size 1 stretched to a larger size without copying; -1 keeps a size.

    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    size = plain_size(size)
    extra = len(size) - input.ndim
    if extra < 0:
        raise RuntimeError(
            f"expand({type_words(input.dtype)}{{{list(input.shape)}}}, size={list(size)}): the number "
            f"of sizes provided ({len(size)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({input.ndim})"
        )
    shape, strides = list(size), [0] * len(size)
    given = byte_strides(input)
    for place in range(len(size) - 1, -1, -1):
        wanted = size[place]
        if place >= extra:
            have, step = input.shape[place - extra], given[place - extra]
            wanted = shape[place] = have if wanted == -1 else wanted
        else:
            have = 1
            step = input.itemsize if place == len(size) - 1 else shape[place + 1] * strides[place + 1]
        if wanted == have:
            # all strides of a number are 0, also along dimensions of size 1
            strides[place] = step if input.ndim else 0
        elif have != 1 or wanted < 0:
            refuse_size(wanted, have, place, place < extra, size, input.shape)
    return with_strides(input, tuple(shape), tuple(strides))


# the engine sums the gradient down to the input's shape; that of a number is a tensor of its own, as in torch
expand.gradient(input=lambda grad: grad if grad._array.ndim else grad.sum())


def refuse_size(wanted: int, have: int, place: int, new_dim: bool, size: tuple, shape: tuple) -> None:
    if have == 1 and wanted < 0 and (wanted != -1 or not shape):
        raise RuntimeError(
            f"numel: integer multiplication overflow: a size may not be negative, got {list(size)} for {list(shape)}"
        )
    if new_dim:
        raise RuntimeError(
            f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, non-existing dimension {place}"
        )
    raise RuntimeError(
        f"The expanded size of the tensor ({wanted}) must match the existing size ({have}) at non-singleton "
        f"dimension {place}.  Target sizes: {list(size)}.  Tensor sizes: {list(shape)}"
    )


@composed(
    samples=cases(lambda make: [case(make.floats(3, 1), make.floats(2, 3, 4)), case(make.floats(2), make.ints(3))])
)
def expand_as(input, other):
    """Stretched to the size of `other`.

    >>> torch.tensor([[1], [2]]).expand_as(torch.zeros(2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    return expand(input, other._array.shape)


def many(tensors: tuple) -> list[Tensor]:
    """Tensors given one by one or as one sequence."""
    found = list(tensors[0]) if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else list(tensors)
    for place, each in enumerate(found):
        if not isinstance(each, Tensor):
            raise TypeError(f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}")
    return found


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(3, 1), make.floats(4)),
            case(make.floats(2), make.ints(3, 2), make.floats()),
            case(make.floats(2), make.floats(3)),
        ]
    ),
)
def broadcast_tensors(*tensors):
    """Views of the tensors, stretched to their common shape.

    >>> a, b = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(4))
    >>> a.shape, b.shape
    (torch.Size([3, 4]), torch.Size([3, 4]))
    """
    tensors = many(tensors)
    shape = common_shape([each._array.shape for each in tensors])
    return tuple([each if each._array.shape == shape else expand(each, shape) for each in tensors])


def common_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all of them broadcast to, in torch's words if there is none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        pass
    found = shapes[0]
    for shape in shapes[1:]:
        refused = misfit(found, shape)
        if refused is not None:
            raise refused
        found = np.broadcast_shapes(found, shape)
    return found


def plain_shape(shape: Any) -> tuple[int, ...]:
    """A shape that may be given as one size."""
    if not isinstance(shape, (tuple, list)):
        if not isinstance(shape, (int, np.integer)):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
        return (int(shape),)
    for place, size in enumerate(shape):
        if not isinstance(size, (int, np.integer)):
            raise TypeError(f"torch.Size() takes an iterable of 'int' (item {place} is '{type(size).__name__}')")
    return tuple(shape)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(3, 1), (2, 3, 4)),
            case(make.floats(), (2,)),
            case(make.floats(2), (3,)),
        ]
    ),
    method=False,
)
def broadcast_to(input, size):
    """A view stretched to a size.

    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, size)


def broadcast_to_method(self, *size_: int, size: Any = None) -> Tensor:
    """A view stretched to a size, given as one or one by one.

    >>> torch.tensor([1, 2]).broadcast_to(2, 2)
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(self, *size_) if size is None else expand(self, size)


broadcast_to_method.__name__ = "broadcast_to"
attribute("broadcast_to", broadcast_to_method)


@composed(method=False, samples=cases(lambda make: [case((2,), (3, 1)), case((2,), 1, (4, 1, 1)), case()]))
def broadcast_shapes(*shapes):
    """The shape that tensors of the given shapes broadcast to.

    >>> torch.broadcast_shapes((3, 1), (4,), (1, 1))
    torch.Size([3, 4])
    """
    plain = [plain_shape(shape) for shape in shapes]
    found = [1] * max([len(shape) for shape in plain], default=0)
    for number, shape in enumerate(plain):
        for place in range(-1, -1 - len(shape), -1):
            if shape[place] in (1, found[place]):
                continue
            if found[place] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[place]} at {place}! Mismatching argument at "
                    f"index {number} had {shape}; but expected shape should be broadcastable to {found}"
                )
            if shape[place] < 0:
                raise ValueError(f"Attempting to broadcast a dimension with negative length! It stands in {shape}")
            found[place] = int(shape[place])
    return Size(found)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2), make.floats(3), indexing="ij"),
            case(make.floats(2), make.floats(3), make.floats(), indexing="xy"),
            case([make.ints(2), make.ints(3)], indexing="ij"),
            case(make.floats(2), make.ints(3), indexing="ij"),
            case(make.floats(2, 2), indexing="ij"),
            case(make.floats(2), make.floats(2), indexing="a"),
        ]
    ),
)
def meshgrid(*tensors, indexing=None):
    """The coordinates of every point of a grid whose axes are the given vectors.

    >>> rows, columns = torch.meshgrid(torch.arange(2), torch.arange(3), indexing="ij")
    >>> columns
    tensor([[0, 1, 2],
            [0, 1, 2]])
    """
    if indexing is None:
        warn(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument: "
            'indexing="ij" is what you get now'
        )
        indexing = "ij"
    tensors = many(tensors)
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for each in tensors:
        if each.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(each.shape)}"
            )
        if each.dtype != tensors[0].dtype:
            words = "meshgrid expects all tensors to have the same dtype"
            raise explained(RuntimeError, words, fix=one_dtype(tensors[0].dtype, each.dtype))
    if indexing not in ("xy", "ij"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    swapped = indexing == "xy" and len(tensors) >= 2
    axes = [tensors[1], tensors[0], *tensors[2:]] if swapped else tensors
    shape = [each.numel() for each in axes]
    grids = [
        each.view([-1 if dim == place else 1 for dim in range(len(axes))]).expand(shape)
        for place, each in enumerate(axes)
    ]
    return (grids[1], grids[0], *grids[2:]) if swapped else tuple(grids)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case(make.floats(2), make.floats(3)),
            case(make.ints(2), make.ints(2), make.ints(2)),
            case(make.floats(2)),
            case(make.floats(2, 2)),
        ]
    ),
)
def cartesian_prod(*tensors):
    """Every choice of one element from each vector, one a row.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([7, 8]))
    tensor([[1, 7],
            [1, 8],
            [2, 7],
            [2, 8]])
    """
    tensors = many(tensors)
    for each in tensors:
        check_vector(each)
    if len(tensors) == 1:
        return tensors[0]
    return stack([grid.flatten() for grid in meshgrid(tensors, indexing="ij")], 1)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(4)),
            case(make.ints(3), 3),
            case(make.floats(3), r=2, with_replacement=True),
            case(make.floats(3), 0),
            case(make.floats(2), 3),
            case(make.floats(2, 2)),
            case(make.floats(2), -1),
        ]
    ),
    method=False,
)
def combinations(input, r=2, with_replacement=False):
    """Every choice of `r` elements of a vector, one a row.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    check_vector(input)
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty(0)
    count = input.numel()
    among = count + r - 1 if with_replacement else count
    # with so many on both sides there are more choices than 64 bits count
    choices = MOST if 64 < r < among - 64 else math.comb(among, r)
    require_room((max(choices, 1), r), 8)
    return stack([input.index_select(0, wrap(column)) for column in chosen(count, r, with_replacement)], 1)


def chosen(count: int, r: int, with_replacement: bool) -> list[np.ndarray]:
    """The positions of every choice of `r` among `count`, in order, a column for each place of a choice."""
    columns = [np.arange(count)]
    for _ in range(r - 1):
        # each choice so far is followed by every position behind its last one
        first = columns[-1] if with_replacement else columns[-1] + 1
        counts = count - first
        columns = [np.repeat(each, counts) for each in columns]
        ends = np.cumsum(counts)
        total = int(ends[-1]) if ends.size else 0
        columns.append(np.arange(total) + np.repeat(first - ends + counts, counts))
    return columns


def check_vector(tensor: Tensor) -> None:
    if tensor.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(tensor.shape)}")
