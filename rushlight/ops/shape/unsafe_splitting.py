"""Unsafe splitting: parts that share memory with the whole but are no views of it, so that each may be overwritten."""

from __future__ import annotations

from rushlight.core.memory.storage import Storage
from rushlight.core.object.tensor import Tensor, storage_of
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import SHAPED
from rushlight.ops.shape.splitting import chunk_split, even_lengths, even_split, joined, parts, uneven_split


@op(dtype=SAME, batch=SHAPED, linear=True, name="_unsafe_split", node="UnsafeSplitBackward0", samples=None)
def split_evenly(input, split_size: int, dim: int):
    return parts(input, dim, even_lengths(input.shape[dim], split_size))


@op(
    dtype=SAME,
    batch=SHAPED,
    linear=True,
    name="_unsafe_split_unevenly",
    node="UnsafeSplitWithSizesBackward0",
    samples=None,
)
def split_unevenly(input, lengths: list, dim: int):
    return parts(input, dim, lengths)


split_evenly.gradient(
    input=lambda grads, input_shape, split_size, dim: joined(
        grads, dim, input_shape, even_lengths(input_shape[dim], split_size)
    )
)
split_unevenly.gradient(input=lambda grads, input_shape, lengths, dim: joined(grads, dim, input_shape, lengths))


def apart(whole: Tensor, found: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The parts on the memory of the whole, each with its own count of writes."""
    for each in found:
        each._storage = Storage(storage_of(whole).array)
    return found


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), 2),
            case(make.floats(2, 5), 3, 1),
            case(make.floats(0, 2), 3),
            case(make.floats(5, 2), -1),
            case(make.floats(5, 2), 0),
            case(make.floats(), 1),
        ]
    )
)
def unsafe_split(input, split_size, dim=0):
    """Like `split` with one size, but the parts are no views: writing to one is not seen by the others' history.

    >>> torch.arange(3).unsafe_split(2)
    (tensor([0, 1]), tensor([2]))
    """
    dim, length = even_split(input, split_size, dim)
    return apart(input, split_evenly(input, length, dim))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), [2, 3]),
            case(make.floats(2, 3), [3, 0], -1),
            case(make.floats(5, 2), [2, 2]),
            case(make.floats(5, 2), [6, -1]),
        ]
    )
)
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """Like `split_with_sizes`, but the parts are no views.

    >>> torch.arange(3).unsafe_split_with_sizes([1, 2])
    (tensor([0]), tensor([1, 2]))
    """
    dim, lengths = uneven_split(input, split_sizes, dim)
    return apart(input, split_unevenly(input, lengths, dim))


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(5, 2), 2),
            case(make.floats(2, 6), 4, dim=1),
            case(make.floats(0, 2), 3),
            case(make.floats(5, 2), 0),
            case(make.floats(), 1),
        ]
    )
)
def unsafe_chunk(input, chunks, dim=0):
    """Like `chunk`, but the parts are no views.

    >>> a, b = torch.arange(4).unsafe_chunk(2)
    >>> a._base is None, torch.arange(4).chunk(2)[0]._base is None
    (True, False)
    """
    dim, length = chunk_split(input, chunks, dim)
    found = split_evenly(input, length, dim) if length else split_unevenly(input, [0] * chunks, dim)
    return apart(input, found)
