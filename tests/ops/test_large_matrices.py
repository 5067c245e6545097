"""Large matrices go to LAPACK by themselves: the same results as small ones, and torch's order in memory."""

import pytest

import rushlight as torch
from rushlight.ops.linalg.lapack import LARGE

BATCHES = [(), (3,), (2, 1)]
KINDS = [torch.float32, torch.float64, torch.complex64]


def regular(*shape, dtype):
    torch.manual_seed(0)
    return torch.randn(*shape, dtype=dtype) + 3 * shape[-1] ** 0.5 * torch.eye(shape[-1]).to(dtype)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_an_inverse_undoes_its_matrix(batch, kind):
    A = regular(*batch, LARGE + 1, LARGE + 1, dtype=kind)
    inverse = torch.linalg.inv(A)
    assert (A @ inverse - torch.eye(LARGE + 1)).abs().max() < 1e-4
    assert inverse.stride()[-2:] == (1, LARGE + 1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_a_solution_solves(batch, kind):
    A, B = regular(*batch, LARGE + 1, LARGE + 1, dtype=kind), torch.randn(LARGE + 1, 3, dtype=kind)
    found = torch.linalg.solve(A, B)
    assert (A @ found - B).abs().max() < 1e-4
    assert found.stride()[-2:] == (1, LARGE + 1)


def test_one_singular_matrix_of_a_batch_is_named():
    A = regular(2, LARGE, LARGE, dtype=torch.float32)
    A[1] = 0
    with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 1\)"):
        torch.linalg.inv(A)
    with pytest.raises(torch.linalg.LinAlgError, match=r"\(Batch element 1\)"):
        torch.linalg.solve(A, torch.ones(LARGE, 1))
    assert torch.linalg.inv_ex(A).info.tolist() == [0, 1]


def test_a_determinant_that_is_too_large_has_no_derivative():
    A = (1e3 * regular(LARGE, LARGE, dtype=torch.float32)).requires_grad_()
    torch.linalg.det(A).backward()
    assert A.grad.isnan().all()


@pytest.mark.parametrize("rows, columns", [(60, 40), (40, 60), (40, 40)])
@pytest.mark.parametrize("kind", [torch.float64, torch.complex128])
def test_least_squares_by_default_have_the_least_norm(rows, columns, kind):
    A, B = torch.randn(2, rows, columns, dtype=kind), torch.randn(2, rows, 3, dtype=kind)
    A[1, :, 5:] = A[1, :, :1]  # of rank five
    found = torch.linalg.lstsq(A, B)
    torch.testing.assert_close(found.solution, torch.linalg.pinv(A) @ B)
    assert found.rank.tolist() == [min(rows, columns), 5]
    assert torch.equal(torch.linalg.lstsq(A[0], B[0]).solution, found.solution[0])


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("batch", BATCHES, ids=str)
def test_a_cholesky_factor_is_the_root_of_its_matrix(batch, kind, upper):
    A = regular(*batch, LARGE + 1, LARGE + 1, dtype=kind)
    A = A @ A.mH
    root = torch.linalg.cholesky(A, upper=upper)
    product = root.mH @ root if upper else root @ root.mH
    assert ((product - A).abs().max() / A.abs().max()) < 1e-5
    assert root.triu(1).abs().max() == 0 if not upper else root.tril(-1).abs().max() == 0
    assert root.stride()[-2:] == (1, LARGE + 1)


def test_each_matrix_of_a_batch_says_where_its_cholesky_factor_ends():
    A = (4 * torch.eye(LARGE + 1)).repeat(4, 1, 1)
    A[1, 7, 7] = -1
    A[2, 9, 9] = float("nan")
    A[3, -1, -1] = float("nan")
    assert torch.linalg.cholesky_ex(A).info.tolist() == [0, 8, 10, LARGE + 1]
