"""Householder reflections: the form in which LAPACK keeps the Q of a QR decomposition."""

from __future__ import annotations

import numpy as np

from rushlight.core.creation.filled import eye
from rushlight.ops.linalg.checks import require_kernel, scalar
from rushlight.ops.linalg.lapack import flipped, lapack
from rushlight.ops.linalg.triangles import solve_triangular
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate, underivable
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.machine.transforms.words import FILLED, PLAIN
from rushlight.ops.products.products import adjoint


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    returns=("a", "tau"),
    samples=cases(
        lambda make: [
            corner(make.floats(4, 3)),
            corner(make.floats(2, 3, 4)),
            corner(make.complexes(3, 3)),
            corner(make.floats(0, 3)),
            corner(make.floats(3)),
            corner(make.ints(2, 2)),
        ]
    ),
)
def geqrf(input, *, out=None):
    """R of the QR decomposition, below it the vectors of the reflections that make Q, and their factors.

    >>> a, tau = torch.geqrf(torch.tensor([[1.0, 3.0], [1.0, 2.0]]))
    >>> a[0, 0].abs()  # the length of the first column
    tensor(1.4142)
    """
    if input.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    require_kernel(input, "geqrf_cpu")
    vectors, tau = np.linalg.qr(input, "raw")
    return vectors.swapaxes(-1, -2), tau


geqrf.gradient(input=underivable("the derivative for 'geqrf'", NotImplementedError))
geqrf.op.refuse_complex_gradients()


def unit_lower(vectors, count):
    """The reflections' vectors as columns: ones on the diagonal, zeros above."""
    vectors = np.tril(vectors[..., :count], -1)
    vectors[..., range(count), range(count)] = 1
    return vectors


def product(vectors, tau):
    """V and T such that the product of all reflections is I - V T V'."""
    count = tau.shape[-1]
    V = unit_lower(vectors, count)
    # T is the inverse of I + D striu(V'V) times D, where D has the factors on its diagonal
    inner = np.eye(count, dtype=tau.dtype) + tau[..., None] * np.triu(flipped(V) @ V, 1)
    return V, np.linalg.solve(inner, tau[..., None] * np.eye(count, dtype=tau.dtype))


def require_reflections(input, tau, name):
    if input.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if input.dtype != tau.dtype:
        raise RuntimeError(
            f"{name}: tau dtype {scalar(tau)} does not match input dtype {scalar(input)}: convert one of them"
        )


def reflected(make):
    found = []
    for matrix in (make.floats(4, 3), make.floats(2, 3, 3, dtype="float64"), make.complexes(3, 2)):
        vectors, tau = np.linalg.qr(matrix, "raw")
        found.append((vectors.swapaxes(-1, -2), tau))
    return found


def reflections(make):
    one, *others = reflected(make)
    return [
        case(*one),
        *[case(*each) for each in others],
        case(make.floats(4, 3), make.floats(2)),
        case(make.floats(0, 0), make.floats(0)),
        case(make.floats(3, 0), make.floats(0)),
        case(make.floats(2, 3), make.floats(2)),
        case(make.floats(3, 2), make.floats(3)),
        case(make.floats(2, 3, 2), make.floats(2)),
        case(make.floats(3, 2), make.floats(2, dtype="float64")),
        case(make.floats(3), make.floats(2)),
        case(make.ints(2, 2), make.ints(2)),
    ]


@op(dtype=SAME, batch=FILLED, layout=COLUMNS, name="linalg.householder_product", samples=cases(reflections))
def householder_product(input, tau, *, out=None):
    """The first columns of the product of Householder reflections, such as the Q of `geqrf`.

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> Q = torch.linalg.householder_product(*torch.geqrf(A))
    >>> torch.allclose(Q @ Q.mT, torch.eye(2), atol=1e-6)
    True
    """
    name = "torch.linalg.householder_product"
    require_reflections(input, tau, name)
    if input.shape[-2] < input.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if input.shape[-1] < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    if input.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )
    require_kernel(input, "orgqr_cpu")
    rows, columns = input.shape[-2:]
    if input.ndim == 2 and columns == tau.shape[-1] > 0:
        return lapack("ungqr" if input.dtype.kind == "c" else "orgqr", input.dtype)(input, tau)[0]
    V, T = product(input, tau)
    return np.eye(rows, columns, dtype=input.dtype) - V @ (T @ flipped(V[..., :columns, :]))


def reflection_gradients(grad, input, tau):
    """The gradients of the vectors and the factors, from that of Q = I - V T V', in its first columns."""
    if not input.numel() or not tau.numel():
        return None, None
    count, columns = tau.shape[-1], grad.shape[-1]
    one = eye(input.shape[-2], count, dtype=input.dtype)
    V = input[..., :count].tril(-1) + one
    first = V[..., :columns, :]
    factors = tau.unsqueeze(-1)
    above = (adjoint(V) @ V).triu(1)
    inner = factors * above + one[:count]
    T = solve_triangular(inner, tau.diag_embed(), upper=True, unitriangular=True)
    into_V = -(grad @ (first @ adjoint(T)))
    into_first = -(adjoint(grad) @ (V @ T))
    into_inner = solve_triangular(adjoint(inner), -(adjoint(V) @ grad @ first), upper=False, unitriangular=True)
    into_tau = into_inner.diagonal(0, -2, -1)
    into_inner = -(into_inner @ adjoint(T)).triu(1)
    into_tau = into_tau + (into_inner * conjugate(above)).sum(-1)
    into_above = conjugate(factors) * into_inner
    into_V = into_V + V @ (into_above + adjoint(into_above))
    into_V = into_V.slice_scatter(into_V[..., :columns, :] + into_first, -2, 0, columns)
    into_V = into_V.tril(-1)
    if input.shape[-1] > count:
        into_V = input.new_zeros(input.shape).slice_scatter(into_V, -1, 0, count)
    return into_V, into_tau


householder_product.gradient(
    input=lambda grad, input, tau: reflection_gradients(grad, input, tau)[0],
    tau=lambda grad, input, tau: reflection_gradients(grad, input, tau)[1],
)


@composed(samples=cases(reflections))
def orgqr(input, input2):
    """The first columns of a product of Householder reflections: `linalg.householder_product`.

    >>> a, tau = torch.geqrf(torch.tensor([[3.0], [4.0]]))
    >>> torch.orgqr(a, tau).abs()
    tensor([[0.6000],
            [0.8000]])
    """
    return householder_product(input, input2)


def applied(make):
    (vectors, tau), batch, pairs = reflected(make)
    return [
        case(vectors, tau, make.floats(4, 2)),
        case(vectors, tau, make.floats(4, 2), transpose=True),
        case(vectors, tau, make.floats(2, 4), False),
        case(vectors, tau, make.floats(2, 4), False, True),
        case(*batch, make.floats(2, 3, 2, dtype="float64")),
        case(*pairs, make.complexes(3, 2), True, True),
        case(*pairs, make.complexes(2, 3), False, True),
        case(vectors, tau, make.floats(3, 2)),
        case(vectors, tau, make.floats(4)),
        case(make.floats(3), tau, make.floats(3, 2)),
    ]


@op(dtype=SAME, batch=FILLED, layout=COLUMNS, samples=cases(applied))
def ormqr(input, input2, input3, left=True, transpose=False, *, out=None):
    """A matrix times the product of all Householder reflections, or its adjoint: from the left or the right.

    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> a, tau = torch.geqrf(A)
    >>> torch.allclose(torch.ormqr(a, tau, A, transpose=True), a.triu(), atol=1e-6)  # Q' A is R
    True
    """
    name = "torch.ormqr"
    require_reflections(input, input2, name)
    size = -2 if left else -1
    if input3.ndim < 2:
        raise RuntimeError(f"{name}: other must have at least 2 dimensions.")
    if input3.shape[size] < input2.shape[-1]:
        raise RuntimeError(f"{name}: other.shape[{size}] must be greater than or equal to tau.shape[-1]")
    if input2.shape[-1] != min(input3.shape[size], input.shape[-1]):
        raise RuntimeError(f"{name}: tau.shape[-1] must be equal to min(other.shape[{size}], input.shape[-1])")
    if input3.shape[size] != input.shape[-2]:
        raise RuntimeError(f"{name}: other.shape[{size}] must be equal to input.shape[-2]")
    if input3.dtype != input.dtype:
        raise RuntimeError(f"{name}: other dtype {scalar(input3)} does not match input dtype {scalar(input)}")
    if not input.shape[:-2] == input2.shape[:-1] == input3.shape[:-2]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got "
            f"{list(input2.shape[:-1])} and other's {list(input3.shape[:-2])}"
        )
    require_kernel(input, "ormqr_cpu")
    V, T = product(input, input2)
    T = flipped(T) if transpose else T
    return input3 - (V @ (T @ (flipped(V) @ input3)) if left else ((input3 @ V) @ T) @ flipped(V))


def applied_gradients(grad, input, input2, input3, left, transpose):
    """Those of the whole Q that the other matrix was multiplied with."""
    into = grad @ adjoint(input3) if left else adjoint(input3) @ grad
    return reflection_gradients(adjoint(into) if transpose else into, input, input2)


ormqr.gradient(
    input=lambda grad, input, input2, input3, left, transpose: applied_gradients(
        grad, input, input2, input3, left, transpose
    )[0],
    input2=lambda grad, input, input2, input3, left, transpose: applied_gradients(
        grad, input, input2, input3, left, transpose
    )[1],
    input3=lambda grad, input, input2, left, transpose: ormqr(input, input2, grad, left, not transpose),
)
