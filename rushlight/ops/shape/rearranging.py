"""Rearranging: copies with the elements in another order, repeated, or partly zero."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.capacity import require_room
from rushlight.core.memory.layout import contiguous_format, dense_strides, empty_like_array
from rushlight.core.memory.strides import packed
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.calling import not_given
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.dims import axes, axis, plain_size
from rushlight.ops.machine.generate import sizes
from rushlight.ops.machine.inplace import put
from rushlight.ops.machine.layouts import KEPT, LIKE, restrided
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.transforms.view_words import REPEATED, ROLLED
from rushlight.ops.machine.transforms.words import SHAPED
from rushlight.ops.machine.writing import scalar_name

if TYPE_CHECKING:
    from rushlight.core.object.size import Size


@op(
    dtype=SAME,
    batch=REPEATED,
    linear=True,
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), 2, 1),
            case(make.floats(3), 2, 3),
            case(make.floats(3, 2).T, (1, 2)),
            case(make.floats(), 4),
            case(make.floats(), ()),
            case(make.floats(2), 0),
            case(make.floats(0, 2), 2, 2),
            case(make.ints(2), 3),
            case(make.floats(2, 3), 2),
            case(make.floats(2), -1),
        ]
    ),
)
def repeat(input, repeats: Size):
    """The tensor several times over along each dimension.

    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = plain_size(repeats)
    if len(repeats) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
            f": got {len(repeats)} for {input.ndim}"
        )
    shape = (1,) * (len(repeats) - input.ndim) + input.shape
    if any(count < 0 for count in repeats):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(repeats)}: {list(repeats)}")
    pairs = [each for pair in zip(repeats, shape, strict=True) for each in pair]
    found = np.empty(pairs, input.dtype)
    found[...] = input.reshape([each for size in shape for each in (1, size)])
    return found.reshape([count * size for count, size in zip(repeats, shape, strict=True)])


repeat.gradient(input=lambda grad, input_shape, repeats: gathered(grad, input_shape, plain_size(repeats)))


def gathered(grad: Tensor, shape: tuple[int, ...], repeats: tuple[int, ...]) -> Tensor:
    """The gradients of all repetitions, added up."""
    if not repeats:
        return grad
    if 0 in repeats:
        return grad.new_zeros(shape)  # as torch's, without a history
    shape = (1,) * (len(repeats) - len(shape)) + shape
    pairs = [each for pair in zip(repeats, shape, strict=True) for each in pair]
    return grad.reshape(pairs).sum(list(range(0, len(pairs), 2)))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), (2,)),
            case(make.floats(3), (2, 2)),
            case(make.floats(2, 3), ()),
            case(make.floats(), (3,)),
        ]
    )
)
def tile(input, *dims_, dims=None):
    """Like `repeat`, where missing leading dimensions are repeated once.

    >>> torch.tensor([[1, 2], [3, 4]]).tile(2)
    tensor([[1, 2, 1, 2],
            [3, 4, 3, 4]])
    """
    if not dims_ and dims is None:
        raise not_given("tile", "dims")
    dims = plain_size(sizes(dims_, dims))
    return repeat(input, (1,) * (input._array.ndim - len(dims)) + dims)


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), 2),
            case(make.floats(2, 3), 3, 1),
            case(make.floats(3), np.array([1, 0, 2])),
            case(make.floats(2, 3), np.array([1, 2]), dim=0),
            case(make.floats(2, 3), np.array(2), dim=-1),
            case(make.floats(), 2),
            case(make.floats(3), 2, output_size=6),
            case(make.floats(3), -1),
            case(make.floats(3), np.array([1, 2])),
            case(make.floats(3), np.array([1, -1, 2])),
            case(make.floats(3), 2, output_size=5),
        ]
    )
)
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element, or each part along `dim`, several times in a row.

    >>> torch.tensor([1, 2]).repeat_interleave(2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        return repeated_indices(input, output_size)
    if dim is None:
        input, dim = input.flatten(), 0
    shape = input._array.shape
    dim = axis(dim, len(shape))
    if isinstance(repeats, (Tensor, tuple, list)):
        counts = repeats if isinstance(repeats, Tensor) else wrap(np.array(repeats, np.int64))
        return input.index_select(dim, repeated_indices(checked_counts(counts, shape, dim), output_size))
    repeats = operator.index(repeats)
    if repeats < 0:
        raise RuntimeError("Repeats must be non-negative")
    shape = shape or (1,)
    if output_size not in (None, shape[dim] * repeats):
        raise RuntimeError(
            f"repeat_interleave: Invalid output_size, expected {shape[dim] * repeats} but got {output_size}"
        )
    spread = input.unsqueeze(dim + 1).expand(*shape[: dim + 1], repeats, *shape[dim + 1 :])
    return spread.clone(memory_format=contiguous_format).view(*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :])


def checked_counts(repeats: Tensor, shape: tuple[int, ...], dim: int) -> Tensor:
    """How often each part is wanted; one count stands for all."""
    counts = repeats._array
    size = shape[dim] if shape else 1
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.size == 1:
        if is_mapped(repeats):
            return repeats.reshape(1).expand(size)
        return wrap(np.full(size, counts.reshape(()), counts.dtype))
    if counts.size != size:
        raise RuntimeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({dim}) = {size}"
        )
    return repeats


def repeated_indices(repeats: Tensor, output_size: int | None) -> Tensor:
    """Each index as often as `repeats` says."""
    if is_mapped(repeats):
        return repeated_for_samples(repeats, output_size)
    return wrap(repeated(repeats._array, output_size))


@op(dtype=SAME, name="_repeated_indices", samples=None)
def repeated_for_samples(repeats, output_size: int):
    """The same inside of `vmap`, which looks at each sample by itself."""
    return repeated(repeats, output_size)


def repeated(counts: np.ndarray, output_size: int | None) -> np.ndarray:
    if counts.ndim != 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    if counts.dtype not in (np.int64, np.int32):
        raise no_kernel("repeat_interleave_cpu", scalar_name(counts), fix="repeats are int64 or int32: repeats.long()")
    if counts.size and counts.min() < 0:
        raise RuntimeError("repeats can not be negative")
    # the sum in floats: as an integer it may wrap around
    require_room((int(counts.sum(dtype=np.float64)),), counts.itemsize)
    found = np.repeat(np.arange(counts.size, dtype=counts.dtype), counts)
    if output_size not in (None, found.size):
        raise RuntimeError(f"repeat_interleave: Invalid output_size, expected {found.size} but got {output_size}")
    return found


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    layout=LIKE,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), (0,)),
            case(make.floats(3, 4), (0, -1)),
            case(make.floats(4, 3).T, [1]),
            case(make.floats(3, 4), ()),
            case(make.floats(0, 3), (0,)),
            case(make.bools(3), (0,)),
            case(make.floats(3), (1,)),
            case(make.floats(3), (0, 0)),
        ]
    ),
)
def flip(input, dims: Size):
    """With the order reversed along some dimensions; a copy.

    >>> torch.tensor([[1, 2], [3, 4]]).flip(0, 1)
    tensor([[4, 3],
            [2, 1]])
    """
    dims = plain_size(dims)
    if not input.ndim:
        axes(dims, 0)
    found = np.flip(input, axes(dims, input.ndim)) if dims and input.ndim else input
    if 0 not in input.strides:
        return found.copy("K")
    # NumPy would put a dimension of step 0 innermost, and turn the rest
    result = empty_like_array(input)
    put(result, found)
    return result


flip.gradient(input=lambda grad, dims: grad.flip(dims))


@composed(samples=cases(lambda make: [case(make.floats(2, 3)), case(make.floats(2, 3, 2)), case(make.floats(3))]))
def fliplr(input):
    """With the order of columns reversed.

    >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).fliplr()
    tensor([[3, 2, 1],
            [6, 5, 4]])
    """
    if input._array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, (1,))


@composed(samples=cases(lambda make: [case(make.floats(2, 3)), case(make.floats(3)), case(make.floats())]))
def flipud(input):
    """With the order of rows reversed.

    >>> torch.tensor([[1, 2, 3], [4, 5, 6]]).flipud()
    tensor([[4, 5, 6],
            [1, 2, 3]])
    """
    if input._array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, (0,))


@op(
    dtype=SAME,
    batch=ROLLED,
    linear=True,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4), 1),
            case(make.floats(3, 4), 1, 0),
            case(make.floats(3, 4), (1, -2), (0, 1)),
            case(make.floats(3, 4), shifts=5, dims=-1),
            case(make.floats(), 1),
            case(make.floats(0, 3), 1, 0),
            case(make.ints(4), 6, 0),
            case(make.floats(3, 4), (1, 2), 0),
            case(make.floats(3, 4), (1, 2)),
            case(make.floats(3, 4), 1, 2),
        ]
    ),
)
def roll(input, shifts: Any, dims=()):
    """With elements moved along dimensions; what leaves one end comes in at the other.

    >>> torch.tensor([1, 2, 3, 4]).roll(1)
    tensor([4, 1, 2, 3])
    """
    shifts, dims = plain_size(shifts), plain_size(dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if not dims and len(shifts) == 1:
        return rolled(packed(input).reshape(-1), shifts, (0,)).reshape(input.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    if not input.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if not input.size:
        return np.empty(input.shape, input.dtype)  # torch does not look at the dimensions then
    return rolled(input, shifts, tuple([axis(dim, input.ndim) for dim in dims]))


def rolled(input: np.ndarray, shifts: tuple[int, ...], dims: tuple[int, ...]) -> np.ndarray:
    """`np.roll` in C order, at a quarter of its cost for small arrays."""
    total = dict.fromkeys(dims, 0)
    for shift, dim in zip(shifts, dims, strict=True):
        total[dim] += shift
    found = np.empty(input.shape, input.dtype)
    moves: list[tuple[tuple, tuple]] = [((), ())]
    for dim, size in enumerate(input.shape):
        shift = total.get(dim, 0) % size if size else 0
        ways = [(slice(shift, None), slice(size - shift))]
        if shift:
            ways.append((slice(shift), slice(size - shift, None)))
        moves = [((*to, where), (*source, whence)) for to, source in moves for where, whence in ways]
    for to, source in moves:
        put(found[to], input[source])
    return found


roll.gradient(input=lambda grad, shifts, dims: grad.roll([-shift for shift in plain_size(shifts)], dims))


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    layout=KEPT,
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(3, 4), 2),
            case(make.floats(2, 3, 4), -1, (1, 2)),
            case(make.floats(2, 3), 4, (0, -1)),
            case(make.floats(3)),
            case(make.floats(3, 3), 1, (0, 0)),
            case(make.floats(3, 3), 1, (0,)),
            case(make.floats(3, 3), 1, (0, 3)),
        ]
    ),
)
def rot90(input, k=1, dims=(0, 1)):
    """Turned by `k` quarters in the plane of two dimensions, from the first one towards the second.

    >>> torch.tensor([[1, 2], [3, 4]]).rot90()
    tensor([[2, 4],
            [1, 3]])
    """
    k, dims = operator.index(k), plain_size(dims)
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = [axis(dim, input.ndim) for dim in dims]
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    if k % 4 == 0:
        return input.copy()
    # a quarter is the flipped tensor in the order of the input, transposed
    turned = (first, second) if k % 4 == 2 else (second,) if k % 4 == 1 else (first,)
    places = tuple([slice(None, None, -1 if dim in turned else 1) for dim in range(input.ndim)])
    found = restrided(input[places], dense_strides(input))
    return found if k % 4 == 2 else found.swapaxes(first, second)


rot90.gradient(input=lambda grad, k, dims: grad.rot90(-k, dims))
