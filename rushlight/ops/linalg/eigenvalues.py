"""Eigenvalues and eigenvectors, of Hermitian matrices and of any."""

from __future__ import annotations

import numpy as np

from rushlight.errors.kinds import LinAlgError
from rushlight.ops.linalg.checks import require_kernel, require_square, scalar
from rushlight.ops.linalg.lapack import unchecked
from rushlight.ops.linalg.singular import require_no_phase
from rushlight.ops.linalg.solving import solve
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.layouts import COLUMNS
from rushlight.ops.machine.out import write_composed
from rushlight.ops.machine.rules import SAME
from rushlight.ops.machine.samples import cases, corner
from rushlight.ops.machine.transforms.level import is_followed
from rushlight.ops.machine.transforms.words import PLAIN
from rushlight.ops.products.products import adjoint

ILL_CONDITIONED = (
    "The algorithm failed to converge because the input matrix is ill-conditioned or has too many repeated eigenvalues"
)


def hermitian(make):
    # one triangle is read, and the gradient is that of a symmetric matrix: differences would not see it so
    root = make.complexes(3, 3)
    return [
        corner(make.spd(3, 3)),
        corner(make.spd(3, 3), "U"),
        corner(make.spd(2, 3, 3).astype("float64")),
        corner(make.floats(3, 3)),
        corner(root @ root.conj().T),
        corner(make.floats(0, 0)),
        corner(make.floats(0, 2, 2)),
        corner(make.spd(2, 2), "X"),
        corner(make.floats(2, 3)),
        corner(make.floats(3)),
        corner(make.ints(2, 2)),
    ]


def require_hermitian(A, UPLO):
    require_square(A, "linalg.eigh")
    if UPLO not in ("L", "U", "l", "u"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    require_kernel(A, "linalg_eigh_cpu")


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.eigh",
    returns=("eigenvalues", "eigenvectors"),
    samples=cases(hermitian),
)
def eigh(input, UPLO="L", *, out=None):
    """Eigenvalues, in ascending order, and eigenvectors, as columns, of a Hermitian matrix; reads one triangle.

    >>> A = torch.tensor([[1.0, 1.0], [1.0, 2.0]])
    >>> L, Q = torch.linalg.eigh(A)
    >>> L
    tensor([0.3820, 2.6180])
    >>> torch.allclose(Q @ torch.diag(L) @ Q.mT, A, atol=1e-6)
    True
    """
    require_hermitian(input, UPLO)
    try:
        return unchecked("eigh_lo" if UPLO in "Ll" else "eigh_up", lambda A: tuple(np.linalg.eigh(A, UPLO)), input)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"linalg.eigh: {ILL_CONDITIONED}.") from None


def eigh_gradient(grads, eigenvalues, eigenvectors):
    """Between eigenvectors: the gradient of the values on the diagonal, that of the vectors beside it."""
    values, vectors = grads
    if vectors is None:
        return None if values is None else (eigenvectors * values.unsqueeze(-2)) @ adjoint(eigenvectors)
    inner = adjoint(eigenvectors) @ vectors
    require_no_phase(inner.diagonal(0, -2, -1), "linalg_eigh_backward: The eigenvectors")
    # of the two halves of a symmetric matrix each gets half
    inner = 0.5 * beside_diagonal(inner - adjoint(inner), eigenvalues)
    inner = inner if values is None else inner + values.diag_embed()
    return eigenvectors @ inner @ adjoint(eigenvectors)


def beside_diagonal(inner, values):
    """The elements divided by the gaps between values; zeros on the diagonal."""
    gaps = values.unsqueeze(-2) - values.unsqueeze(-1)
    gaps = gaps + gaps.new_ones(gaps.shape[-1]).diag_embed()
    found = inner / gaps
    return found - found.diagonal(0, -2, -1).diag_embed()


eigh.gradient(input=eigh_gradient)


@op(dtype=SAME, batch=PLAIN, name="_eigenvalues_hermitian", samples=None)
def hermitian_values(input, UPLO: str):
    require_hermitian(input, UPLO)
    try:
        loop = "eigvalsh_lo" if UPLO in "Ll" else "eigvalsh_up"
        return unchecked(loop, lambda A: np.linalg.eigvalsh(A, UPLO), input)[0]
    except np.linalg.LinAlgError:
        raise LinAlgError(f"linalg.eigh: {ILL_CONDITIONED}.") from None


@composed(name="linalg.eigvalsh", samples=cases(hermitian))
def eigvalsh(input, UPLO="L", *, out=None):
    """The eigenvalues of a Hermitian matrix, in ascending order.

    >>> torch.linalg.eigvalsh(torch.tensor([[1.0, 1.0], [1.0, 0.0]]))
    tensor([-0.6180,  1.6180])
    """
    with_vectors = is_followed(input)
    found = eigh(input, UPLO).eigenvalues if with_vectors else hermitian_values(input, UPLO)
    return write_composed("linalg.eigvalsh", found, out)


def squares(make):
    return [
        corner(make.floats(3, 3)),
        corner(make.spd(2, 3, 3).astype("float64")),
        corner(make.complexes(3, 3)),
        corner(np.array([[0, 1], [-1, 0]], "float32")),
        corner(make.floats(0, 0)),
        corner(make.floats(0, 2, 2)),
        corner(make.floats(2, 3)),
        corner(make.floats(3)),
        corner(make.ints(2, 2)),
    ]


def require_finite_square(A, name):
    require_square(A, f"linalg.{name}")
    if A.dtype.kind not in "fc":
        raise RuntimeError(f"Unknown Complex ScalarType for {scalar(A)}: use .float()")
    require_kernel(A, "linalg_eig_out_cpu")
    if not np.isfinite(A).all():
        raise RuntimeError(f"torch.linalg.{name}: input tensor should not contain infs or NaNs.")


def complex_of(dtype):
    return np.result_type(dtype, np.complex64)


@op(
    dtype=SAME,
    batch=PLAIN,
    layout=COLUMNS,
    name="linalg.eig",
    returns=("eigenvalues", "eigenvectors"),
    samples=cases(squares),
)
def eig(input, *, out=None):
    """Eigenvalues and eigenvectors, as columns of length one, of any square matrix; complex.

    >>> A = torch.tensor([[0.0, -1.0], [1.0, 0.0]])  # a quarter turn
    >>> L, V = torch.linalg.eig(A)
    >>> torch.allclose(A.to(L.dtype) @ V, V * L, atol=1e-6)
    True
    """
    require_finite_square(input, "eig")
    try:
        values, vectors = unchecked("eig", lambda A: tuple(np.linalg.eig(A)), input)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"linalg.eig: {ILL_CONDITIONED}.") from None
    kind = complex_of(input.dtype)
    return values.astype(kind, copy=False), vectors.astype(kind, copy=False)


def eig_gradient(grads, eigenvalues, eigenvectors):
    """Like that of `eigh`, for vectors that are not orthogonal, and of length one."""
    values, vectors = grads
    if vectors is None:
        if values is None:
            return None
        inner = values.diag_embed()
    else:
        gram = adjoint(eigenvectors) @ eigenvectors
        inner = adjoint(eigenvectors) @ vectors
        diagonal = inner.diagonal(0, -2, -1)
        require_no_phase(diagonal, "linalg_eig_backward: The eigenvectors")
        inner = beside_diagonal(inner - gram * diagonal.real.unsqueeze(-2), conjugate(eigenvalues))
        inner = inner if values is None else inner + values.diag_embed()
    return solve(adjoint(eigenvectors), inner @ adjoint(eigenvectors))


eig.gradient(input=eig_gradient)


@op(dtype=SAME, batch=PLAIN, name="_eigenvalues", samples=None)
def any_values(input):
    require_finite_square(input, "eigvals")
    try:
        return unchecked("eigvals", np.linalg.eigvals, input)[0].astype(complex_of(input.dtype), copy=False)
    except np.linalg.LinAlgError:
        raise LinAlgError(f"linalg.eigvals: {ILL_CONDITIONED}.") from None


@composed(name="linalg.eigvals", samples=cases(squares))
def eigvals(input, *, out=None):
    """The eigenvalues of any square matrix; complex.

    >>> eigenvalues = torch.linalg.eigvals(torch.tensor([[0.5, -3.0], [1.0, 0.5]]))
    >>> eigenvalues.real, eigenvalues.imag.abs()
    (tensor([0.5000, 0.5000]), tensor([1.7321, 1.7321]))
    """
    found = eig(input).eigenvalues if is_followed(input) else any_values(input)
    return write_composed("linalg.eigvals", found, out)
