"""Linear algebra: `torch.linalg`, whose functions are declared in `rushlight/ops/linalg`.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from collections.abc import Sequence

from rushlight.core.numbers.dtypes import dtype as _dtype
from rushlight.core.object import results
from rushlight.core.object.tensor import Tensor
from rushlight.errors.kinds import LinAlgError as LinAlgError
from rushlight.types import Number, _bool, _float, _int

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "ldl_factor",
    "ldl_factor_ex",
    "ldl_solve",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]

def cholesky(input: Tensor, *, upper: _bool = False, out: Tensor | None = None) -> Tensor: ...
def cholesky_ex(
    input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> results.linalg_cholesky_ex: ...
def cond(input: Tensor, p: Number | str | None = None, *, out: Tensor | None = None) -> Tensor: ...
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, out: Tensor | None = None) -> Tensor: ...
def det(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor: ...
def eig(input: Tensor, *, out: Sequence[Tensor] | None = None) -> results.linalg_eig: ...
def eigh(input: Tensor, UPLO: str = "L", *, out: Sequence[Tensor] | None = None) -> results.linalg_eigh: ...
def eigvals(input: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def eigvalsh(input: Tensor, UPLO: str = "L", *, out: Tensor | None = None) -> Tensor: ...
def householder_product(input: Tensor, tau: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv(A: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Sequence[Tensor] | None = None) -> results.linalg_inv_ex: ...
def ldl_factor(
    input: Tensor, *, hermitian: _bool = False, out: Sequence[Tensor] | None = None
) -> results.linalg_ldl_factor: ...
def ldl_factor_ex(
    input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> results.linalg_ldl_factor_ex: ...
def ldl_solve(
    LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def lstsq(
    input: Tensor,
    b: Tensor,
    rcond: _float | None = None,
    *,
    driver: str | None = None,
    out: Sequence[Tensor] | None = None,
) -> results.linalg_lstsq: ...
def lu(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> results.linalg_lu: ...
def lu_factor(A: Tensor, *, pivot: _bool = True, out: Sequence[Tensor] | None = None) -> results.linalg_lu_factor: ...
def lu_factor_ex(
    A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> results.linalg_lu_factor_ex: ...
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Tensor | None = None
) -> Tensor: ...
def matmul(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor: ...
def matrix_exp(input: Tensor) -> Tensor: ...
def matrix_norm(
    input: Tensor,
    ord: Number | str = "fro",
    dim: Sequence[_int] = (-2, -1),
    keepdim: _bool = False,
    *,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def matrix_power(input: Tensor, n: _int, *, out: Tensor | None = None) -> Tensor: ...
def matrix_rank(
    input: Tensor,
    tol: Tensor | _float | None = None,
    hermitian: _bool = False,
    *,
    atol: Tensor | _float | None = None,
    rtol: _float | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def multi_dot(tensors: Sequence[Tensor], *, out: Tensor | None = None) -> Tensor: ...
def norm(
    input: Tensor,
    ord: Number | str | None = None,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    axis: _int | Sequence[_int] | None = None,
    keepdims: _bool | None = None,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def pinv(
    input: Tensor,
    rcond: _float | Tensor | None = None,
    hermitian: _bool = False,
    *,
    atol: _float | Tensor | None = None,
    rtol: _float | Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
def qr(A: Tensor, mode: str = "reduced", *, out: Sequence[Tensor] | None = None) -> results.linalg_qr: ...
def slogdet(A: Tensor, *, out: Sequence[Tensor] | None = None) -> results.linalg_slogdet: ...
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Tensor | None = None) -> Tensor: ...
def solve_ex(
    A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Sequence[Tensor] | None = None
) -> results.linalg_solve_ex: ...
def solve_triangular(
    input: Tensor,
    B: Tensor,
    *,
    upper: _bool,
    left: _bool = True,
    unitriangular: _bool = False,
    out: Tensor | None = None,
) -> Tensor: ...
def svd(
    A: Tensor, full_matrices: _bool = True, *, driver: str | None = None, out: Sequence[Tensor] | None = None
) -> results.linalg_svd: ...
def svdvals(A: Tensor, *, driver: str | None = None, out: Tensor | None = None) -> Tensor: ...
def tensorinv(input: Tensor, ind: _int = 2, *, out: Tensor | None = None) -> Tensor: ...
def tensorsolve(
    input: Tensor, other: Tensor, dims: Sequence[_int] | None = None, *, out: Tensor | None = None
) -> Tensor: ...
def vander(x: Tensor, N: _int | None = None) -> Tensor: ...
def vecdot(
    x: Tensor, y: Tensor, *, dim: _int = -1, axis: _int | Sequence[_int] | None = None, out: Tensor | None = None
) -> Tensor: ...
def vector_norm(
    input: Tensor,
    ord: Number = 2,
    dim: _int | Sequence[_int] | None = None,
    keepdim: _bool = False,
    *,
    dtype: _dtype | None = None,
    out: Tensor | None = None,
) -> Tensor: ...
