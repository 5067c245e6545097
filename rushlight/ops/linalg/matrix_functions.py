"""Functions of matrices: powers and the exponential."""

from __future__ import annotations

import numpy as np

from rushlight.core.creation.filled import eye
from rushlight.core.creation.options import integer
from rushlight.core.memory.layout import contiguous_format
from rushlight.ops.linalg.checks import require_square
from rushlight.ops.linalg.inverses import inv
from rushlight.ops.linalg.lapack import scipy_linalg
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import AVERAGE
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint
from rushlight.ops.reductions.norms import require_inexact
from rushlight.ops.shape.joining import cat


def squares(make):
    return [
        case(make.floats(3, 3)),
        case(make.floats(2, 3, 3)),
        case(make.complexes(2, 2)),
        case(make.floats(3, 3, low=-20, high=20, dtype="float64")),
        case(make.floats(1, 1)),
        case(make.floats(0, 0)),
        case(make.floats(0, 2, 2)),
        case(make.floats(2, 3)),
        case(make.floats(3)),
        case(make.ints(2, 2)),
    ]


@op(dtype=AVERAGE, batch=PLAIN, name="linalg.matrix_exp", samples=cases(squares))
def linalg_matrix_exp(input):
    """The exponential of a square matrix: the sum of its powers, each divided by a factorial.

    >>> torch.linalg.matrix_exp(torch.tensor([[0.0, 1.0], [0.0, 0.0]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    require_square(input, "linalg.matrix_exp")
    require_inexact(input, "linalg.matrix_exp")
    if not input.size:
        return input.copy()
    # copied here where it has to be: where memory ends, SciPy has an error of its own
    return np.asarray(scipy_linalg().expm(np.ascontiguousarray(input)), input.dtype)


def exponential_gradient(grad, input):
    """The derivative in a direction stands beside the exponential of the matrix with that direction beside it."""
    size = input.shape[-1]
    matrix = adjoint(input)
    below = cat([matrix.new_zeros(matrix.shape), matrix], -1)
    return linalg_matrix_exp(cat([cat([matrix, grad], -1), below], -2))[..., :size, size:]


linalg_matrix_exp.gradient(input=exponential_gradient)


@composed(samples=cases(squares))
def matrix_exp(input):
    """The exponential of a square matrix: `linalg.matrix_exp`.

    >>> turn = torch.tensor([[0.0, -math.pi / 2], [math.pi / 2, 0.0]])
    >>> torch.allclose(torch.matrix_exp(turn) @ torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]), atol=1e-6)
    True
    """
    return linalg_matrix_exp(input)


def powers(make):
    matrix = make.spd(3, 3)
    return [
        *[case(matrix, n) for n in (0, 1, 2, 3, 7, -1, -3)],
        case(make.floats(2, 3, 3), 5),
        case(make.complexes(2, 2), -2),
        case(make.ints(2, 2), 3),
        case(make.floats(0, 0), 2),
        case(make.ints(2, 2), -1),
        case(matrix, 1.5),
        case(make.floats(2, 3), 2),
    ]


@composed(name="linalg.matrix_power", samples=cases(powers))
def linalg_matrix_power(input, n, *, out=None):
    """A square matrix multiplied with itself `n` times; its inverse if `n` is negative.

    >>> torch.linalg.matrix_power(torch.tensor([[2.0, 0.0], [0.0, 4.0]]), -1)
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    n = integer(n, "linalg_matrix_power", "n", 2)
    require_square(input._array, "linalg.matrix_power")
    found = input.clone(memory_format=contiguous_format) if n == 1 else power(input if n >= 0 else inv(input), abs(n))
    return write_composed("linalg.matrix_power", found, out)


def power(matrix, n):
    """By squaring: as many products as `n` has binary digits, and ones among them."""
    if n == 0:
        return matrix.clone(memory_format=contiguous_format).copy_(eye(matrix.shape[-1], dtype=matrix.dtype))
    found = None
    while n:
        if n % 2:
            found = matrix if found is None else found @ matrix
        n //= 2
        if n:
            matrix = matrix @ matrix
    return found


@composed(samples=cases(powers))
def matrix_power(input, n, *, out=None):
    """A square matrix multiplied with itself `n` times: `linalg.matrix_power`.

    >>> fibonacci = torch.tensor([[1, 1], [1, 0]])
    >>> torch.matrix_power(fibonacci.double(), 10)
    tensor([[89., 55.],
            [55., 34.]], dtype=torch.float64)
    """
    return linalg_matrix_power(input, integer(n, "matrix_power", "n", 2), out=out)
