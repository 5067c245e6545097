"""Low rank: a few singular values or eigenvalues of large matrices."""

from __future__ import annotations

from rushlight.ops.linalg.cholesky import linalg_cholesky
from rushlight.ops.linalg.eigenvalues import eigh
from rushlight.ops.linalg.qr import linalg_qr
from rushlight.ops.linalg.singular import linalg_svd
from rushlight.ops.linalg.triangles import solve_triangular
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases, corner
from rushlight.ops.products.products import adjoint
from rushlight.ops.random.sampling import randn


def matrices(make):
    return [case(make.floats(6, 4) @ make.floats(4, 5), 2), corner(make.floats(2, 3, 6), 2)]


@composed(method=False, samples=cases(matrices))
def svd_lowrank(A, q=6, niter=2, M=None):
    """U, S and V with A - M near U diag(S) V', for the `q` largest singular values, by random projection.

    >>> A = torch.outer(torch.arange(1.0, 5.0), torch.ones(3))  # of rank one
    >>> U, S, V = torch.svd_lowrank(A, q=1)
    >>> torch.allclose(U * S @ V.mT, A, atol=1e-5)
    True
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    matrix = A if M is None else A - M
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        matrix = adjoint(matrix)
    basis = linalg_qr(matrix @ randn(matrix.shape[-1], q, dtype=A.dtype)).Q
    for _ in range(niter):
        basis = linalg_qr(adjoint(matrix) @ basis).Q
        basis = linalg_qr(matrix @ basis).Q
    U, S, Vh = linalg_svd(adjoint(basis) @ matrix, False)
    U, V = basis @ U, adjoint(Vh)
    return (V, S, U) if wide else (U, S, V)


@composed(method=False, samples=cases(lambda make: [*matrices(make), case(make.floats(3, 3), 9)]))
def pca_lowrank(A, q=None, center=True, niter=2):
    """The `q` main directions of the rows of A: `svd_lowrank` of A, after its mean was taken away.

    >>> x = torch.randn(100, 1) * torch.tensor([3.0, 4.0])  # along one line
    >>> U, S, V = torch.pca_lowrank(x, q=1)
    >>> V.abs()
    tensor([[0.6000],
            [0.8000]])
    """
    smaller = min(A.shape[-2:])
    q = min(6, smaller) if q is None else q
    if not 0 <= q <= smaller:
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={smaller}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, True) if center else A, q, niter)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            corner(make.spd(9, 9), 2),
            corner(make.spd(6, 6), 2, largest=False),
            corner(make.spd(6, 6), 1, make.spd(6, 6)),
            corner(make.spd(3, 3), 2),
            corner(make.spd(6, 6), -1),
        ]
    ),
)
def lobpcg(
    A,
    k=None,
    B=None,
    X=None,
    n=None,
    iK=None,
    niter=None,
    tol=None,
    largest=None,
    method=None,
    tracker=None,
    ortho_iparams=None,
    ortho_fparams=None,
    ortho_bparams=None,
):
    """The `k` largest or smallest eigenvalues of A X = B X E and their vectors, for a Hermitian A and a definite B.

    They come from a full decomposition, to full accuracy: a first guess `X`, a preconditioner `iK`, `niter`, `tol` and
    the other settings of the iteration that gave the function its name change nothing.

    >>> A = torch.diag(torch.arange(1.0, 10.0))
    >>> values, vectors = torch.lobpcg(A, k=1)
    >>> torch.allclose(values, torch.tensor([9.0]))
    True
    """
    rows = A.shape[-2]
    if A.shape[-1] != rows:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if tracker is not None:
        raise RuntimeError("lobpcg: tracker is not in Rushlight, whose lobpcg does not iterate: leave it out")
    k = (1 if X is None else X.shape[-1]) if k is None else k
    if k < 0:
        raise RuntimeError(f"lobpcg: Trying to create tensor with negative dimension {k}: k is how many are wanted")
    count = k if n is None else n
    if rows < 3 * count:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller than 3 x the number of "
            f"requested eigenpairs (={count}): use torch.linalg.eigh"
        )
    root = None if B is None else linalg_cholesky(B)
    if root is not None:
        A = solve_triangular(root, A, upper=False)
        A = solve_triangular(adjoint(root), A, upper=True, left=False)
    values, vectors = eigh(A)
    if largest is None or largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    values, vectors = values[..., :k], vectors[..., :k]
    if root is not None:
        vectors = solve_triangular(adjoint(root), vectors, upper=True)
    return values.contiguous(), vectors.contiguous()
