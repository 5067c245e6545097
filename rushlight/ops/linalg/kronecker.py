"""The Kronecker product."""

from __future__ import annotations

from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.shape.shape import reshaped_copy


@composed(
    samples=cases(
        lambda make: [
            case(make.floats(2, 3), make.floats(4, 5)),
            case(make.floats(3), make.floats(2, 2)),
            case(make.floats(2, 1, 3), make.floats(2, 2)),
            case(make.floats(), make.floats(3)),
            case(make.floats(0, 2), make.floats(2, 2)),
            case(make.complexes(2), make.complexes(3)),
            case(make.ints(2), make.floats(2)),
            case(make.bools(2), make.bools(2)),
        ]
    )
)
def kron(input, other, *, out=None):
    """Blocks of the second tensor, each times an element of the first.

    >>> torch.kron(torch.eye(2), torch.tensor([[1.0, 2.0]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    dims = max(input.ndim, other.ndim)
    one, two = ((1,) * (dims - each.ndim) + tuple(each.shape) for each in (input, other))
    spread = [size for each in one for size in (each, 1)]
    repeated = [size for each in two for size in (1, each)]
    product = input.reshape(spread) * other.reshape(repeated)
    found = reshaped_copy(product, tuple([a * b for a, b in zip(one, two, strict=True)]))
    return write_composed("kron", found, out)
