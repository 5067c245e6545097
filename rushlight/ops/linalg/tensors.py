"""Tensors as matrices: inverses and equations over several dimensions at once."""

from __future__ import annotations

import math

import numpy as np

from rushlight.ops.linalg.inverses import inv
from rushlight.ops.linalg.solving import solve
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.dims import axis
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.samples import case, cases


@composed(
    name="linalg.tensorinv",
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 6)),
            case(make.floats(4, 2, 2), ind=1),
            case(make.complexes(2, 1, 2)),
            case(make.floats(0, 0), ind=1),
            case(make.floats(2, 3), ind=1),
            case(make.floats(2, 2), ind=0),
            case(make.ints(2, 2), ind=1),
        ]
    ),
)
def tensorinv(input, ind=2, *, out=None):
    """The inverse for `tensordot`: the input is a matrix with the first `ind` dimensions as rows.

    >>> A = torch.eye(6).reshape(6, 2, 3)
    >>> torch.linalg.tensorinv(A, ind=1).shape
    torch.Size([2, 3, 6])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    rows, columns = tuple(input.shape[:ind]), tuple(input.shape[ind:])
    if math.prod(columns) != math.prod(rows):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{math.prod(columns)} != {math.prod(rows)}"
        )
    matrix = input.reshape(math.prod(columns), math.prod(rows))
    return write_composed("linalg.tensorinv", inv(matrix).reshape(columns + rows), out)


@composed(
    name="linalg.tensorsolve",
    samples=cases(
        lambda make: [
            case(make.floats(2, 3, 6), make.floats(2, 3)),
            case(make.floats(6, 2, 3) + np.eye(6, dtype="float32").reshape(6, 2, 3), make.floats(6)),
            case(make.floats(2, 6, 3), make.floats(2, 3), dims=(1,)),
            case(make.complexes(2, 2), make.complexes(2)),
            case(make.floats(2, 3), make.floats(2)),
            case(make.floats(2, 2), make.floats(2), dims=(3,)),
        ]
    ),
)
def tensorsolve(input, other, dims=None, *, out=None):
    """The X for which `tensordot(input, X, X.ndim)` is `other`; `dims` are moved to the end first.

    >>> A = 2 * torch.eye(6).reshape(2, 3, 2, 3)
    >>> torch.linalg.tensorsolve(A, torch.arange(6.0).reshape(2, 3))
    tensor([[0.0000, 0.5000, 1.0000],
            [1.5000, 2.0000, 2.5000]])
    """
    if dims is not None:
        moved = [axis(each, input.ndim) for each in ((dims,) if isinstance(dims, int) else dims)]
        input = input.movedim(moved, list(range(input.ndim - len(moved), input.ndim)))
    shape, rows = tuple(input.shape[other.ndim :]), tuple(input.shape[: other.ndim])
    if math.prod(shape) != math.prod(rows):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {math.prod(shape)} != {math.prod(rows)}"
        )
    found = solve(input.reshape(math.prod(rows), math.prod(shape)), other.reshape(-1))
    return write_composed("linalg.tensorsolve", found.reshape(shape), out)
