"""The diagonal of each matrix of a batch."""

from __future__ import annotations

from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.shape.diagonals import diagonal as plain_diagonal


@composed(
    name="linalg.diagonal",
    samples=cases(
        lambda make: [
            case(make.floats(3, 4)),
            case(make.floats(2, 3, 4), offset=-1),
            case(make.floats(2, 3, 4), dim1=0, dim2=1),
            case(make.ints(0, 3, 3)),
            case(make.floats(3)),
        ]
    ),
)
def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """A view of the diagonal of the last two dimensions.

    >>> torch.linalg.diagonal(torch.arange(8).reshape(2, 2, 2))
    tensor([[0, 3],
            [4, 7]])
    """
    return plain_diagonal(A, offset, dim1, dim2)
