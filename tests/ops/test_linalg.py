"""Linear algebra where samples are silent: what singular matrices do, infos, words of errors, names of results."""

import subprocess
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight import linalg
from rushlight.autograd.gradcheck import gradcheck, gradgradcheck

ZERO, ONE = torch.zeros(2, 2), torch.eye(2)
BATCH = torch.stack([ONE, ZERO])


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: linalg.inv(ZERO), r"linalg.inv: The diagonal element 1 is zero"),
        (lambda: linalg.inv(BATCH), r"linalg.inv: \(Batch element 1\): The diagonal element 1 is zero"),
        (lambda: linalg.inv_ex(ZERO, check_errors=True), r"linalg.inv_ex: The diagonal"),
        (
            lambda: linalg.solve(ZERO, ONE),
            r"torch.linalg.solve: The solver failed because the input matrix is singular",
        ),
        (lambda: linalg.solve_ex(BATCH, ONE, check_errors=True), r"torch.linalg.solve_ex: \(Batch element 1\)"),
        (
            lambda: linalg.cholesky(-ONE),
            r"linalg.cholesky: .*\(the leading minor of order 1 is not positive-definite\)",
        ),
        (lambda: linalg.cholesky_ex(-ONE, check_errors=True), r"linalg.cholesky_ex: The factorization"),
        (lambda: torch.cholesky(BATCH), r"cholesky: \(Batch element 1\): The factorization"),
        (lambda: torch.cholesky_inverse(ZERO), r"cholesky_inverse: The diagonal element 1 is zero"),
        (lambda: torch.cholesky_inverse(BATCH, True), r"cholesky_inverse: \(Batch element 1\): The diagonal element 1"),
        (lambda: linalg.svd(ZERO * torch.nan), r"linalg.svd: The algorithm failed to converge"),
        (lambda: linalg.eigh(torch.full((3, 3), torch.nan)), r"linalg.eigh: The algorithm failed to converge"),
        (lambda: linalg.eigvalsh(torch.full((3, 3), torch.nan)), r"linalg.eigh: The algorithm failed to converge"),
        (lambda: linalg.ldl_factor(ZERO), r"torch.linalg.ldl_factor: "),
        (
            lambda: linalg.lstsq(torch.tensor([[0.0, 1], [0, 2]]), ONE, driver="gels"),
            r"torch.linalg.lstsq: .*does not have full rank",
        ),
    ],
)
def test_what_has_no_answer_is_a_linalg_error(call, words):
    with pytest.raises(linalg.LinAlgError, match=words):
        call()


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: linalg.lu_factor(ZERO), r"torch.linalg.lu_factor: U\[1,1\] is zero"),
        (lambda: linalg.lu_factor_ex(BATCH, check_errors=True), r"lu_factor_ex: \(Batch element 1\): U\[1,1\] is zero"),
        (lambda: linalg.eig(ZERO * torch.nan), r"torch.linalg.eig: input tensor should not contain infs or NaNs"),
        (lambda: linalg.svd(ONE, driver="gesvd"), r"`driver=` is only supported on CUDA"),
        (lambda: linalg.inv(ONE.half()), r"linalg.inv: Low precision dtypes not supported. Got Half"),
        (lambda: torch.lobpcg(torch.eye(9), 1, tracker=print), r"tracker is not in Rushlight"),
        (lambda: linalg.ldl_solve(ONE, torch.tensor([1, 9]), ONE), r"Expected pivots as ldl_factor returns them"),
        (lambda: torch.chain_matmul(), r"chain_matmul\(\): Expected one or more matrices"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_refusals(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_infos_say_which_matrix_failed_and_the_others_are_right():
    inverse, info = linalg.inv_ex(BATCH)
    assert info.tolist() == [0, 1]
    assert info.dtype is torch.int32
    assert inverse[0].tolist() == ONE.tolist()
    assert not inverse[1].isfinite().any()
    factor, info = linalg.cholesky_ex(torch.stack([ONE, -ONE]))
    assert info.tolist() == [0, 1]
    assert factor[0].tolist() == ONE.tolist()
    assert linalg.solve_ex(BATCH, ONE).info.tolist() == [0, 1]
    assert linalg.lu_factor_ex(BATCH).info.tolist() == [0, 1]


@pytest.mark.parametrize("rank", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
def test_both_derivatives_of_a_determinant_hold_for_singular_matrices(rank, dtype):
    torch.manual_seed(rank)
    matrix = torch.randn(3, rank, dtype=dtype) @ torch.randn(rank, 3, dtype=dtype)
    matrix.requires_grad_()
    assert gradcheck(linalg.det, (matrix,))
    assert gradgradcheck(linalg.det, (matrix,))


def test_complex_vectors_have_a_gradient_only_where_their_phase_does_not_matter():
    torch.manual_seed(0)
    matrix = torch.randn(3, 3, dtype=torch.complex128, requires_grad=True)
    for result in (linalg.svd(matrix).U, linalg.eig(matrix).eigenvectors, linalg.eigh(matrix).eigenvectors):
        with pytest.raises(RuntimeError, match=r"up to multiplication by e\^{i phi}"):
            result.real.sum().backward()
    assert gradcheck(lambda a: linalg.svd(a).U.abs(), (matrix,))
    assert gradcheck(lambda a: linalg.eig(a).eigenvectors.abs(), (matrix,))


def test_qr_without_q_has_no_gradient():
    matrix = torch.randn(3, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="depends on Q, which is not computed when mode='r'"):
        linalg.qr(matrix, mode="r").R.sum().backward()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete'"):
        linalg.qr(matrix, mode="complete").R.sum().backward()


@pytest.mark.parametrize(
    "call, name, fields",
    [
        (lambda a: linalg.slogdet(a), "linalg_slogdet", ("sign", "logabsdet")),
        (lambda a: torch.slogdet(a), "slogdet", ("sign", "logabsdet")),
        (lambda a: linalg.lu(a), "linalg_lu", ("P", "L", "U")),
        (lambda a: torch.svd(a), "svd", ("U", "S", "V")),
        (lambda a: linalg.lstsq(a, a), "linalg_lstsq", ("solution", "residuals", "rank", "singular_values")),
    ],
)
def test_results_are_named(call, name, fields):
    found = call(torch.eye(2))
    assert type(found).__name__ == name
    assert found._fields == fields


def test_a_permutation_has_no_gradient():
    found = linalg.lu(torch.randn(3, 3, requires_grad=True))
    assert [each.requires_grad for each in found] == [False, True, True]


def test_several_results_are_written_where_asked():
    targets = torch.empty(2, 2), torch.empty(2, 2), torch.empty(2, 2)
    found = linalg.lu(2 * ONE, out=targets)
    assert all(one is two for one, two in zip(found, targets, strict=True))
    assert targets[2].tolist() == [[2, 0], [0, 2]]
    with pytest.raises(TypeError, match="'out' must be tuple of Tensors"):
        linalg.lu(ONE, out=targets[0])


@pytest.mark.parametrize("name", ["symeig", "eig", "lstsq", "solve", "matrix_rank"])
def test_removed_names_say_what_took_their_place(name):
    with pytest.raises(RuntimeError, match=f"deprecated since version 1.9 and is now removed: torch.{name}"):
        getattr(torch, name)(ONE)
    assert hasattr(torch.Tensor, name) == (name != "matrix_rank")


def test_chains_multiply_in_the_cheapest_order():
    from rushlight.ops.linalg.chains import best_splits

    # (10x1)(1x10)(10x1): the last two first
    assert best_splits((10, 1, 10, 1))[0, 2] == 0
    assert best_splits((1, 10, 1, 10))[0, 2] == 1


def test_triangles_of_many_sizes():
    rng = np.random.default_rng(0)
    for size in (2, 40):
        for batch in ((), (3,)):
            matrix = np.triu(rng.normal(size=(*batch, size, size))) + size * np.eye(size)
            right = rng.normal(size=(*batch, size, 2))
            found = linalg.solve_triangular(torch.from_numpy(matrix), torch.from_numpy(right), upper=True).numpy()
            np.testing.assert_allclose(matrix @ found, right, atol=1e-10)


def test_lobpcg_solves_the_generalised_problem():
    torch.manual_seed(0)
    A, B = (each @ each.mT + torch.eye(6, dtype=torch.float64) for each in torch.randn(2, 6, 6, dtype=torch.float64))
    values, vectors = torch.lobpcg(A, 2, B)
    np.testing.assert_allclose((A @ vectors).numpy(), (B @ vectors * values).numpy(), atol=1e-10)
    assert values[0] > values[1]


def test_what_numpy_can_do_does_not_import_scipy():
    program = (
        "import sys; import rushlight as torch; a = torch.eye(3) * 2; torch.linalg.inv(a); torch.linalg.solve(a, a); "
        "torch.linalg.cholesky(a); torch.det(a); torch.svd(a); torch.linalg.eigh(a); torch.linalg.qr(a); "
        "torch.linalg.lstsq(a, a); print('scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_vector_on_the_right_of_equations_from_the_left_is_looked_at_as_a_column_first():
    with pytest.raises(RuntimeError, match=r"Incompatible shapes of A and B for the equation XA = B \(3x3 and 3x1\)"):
        torch.linalg.solve(torch.eye(3), torch.ones(3), left=False)
    with pytest.raises(RuntimeError, match="Vector broadcasting of the left hand side is not supported"):
        torch.linalg.solve_ex(torch.eye(1), torch.ones(1), left=False)


def test_the_distance_of_two_dtypes_has_their_common_one():
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0], dtype=torch.float64)
    assert torch.dist(one, two).dtype is torch.dist(two, one).dtype is torch.float64
    assert torch.dist(torch.tensor([1, 2]), one).dtype is torch.float32
    assert torch.dist(one + 0j, two).dtype is torch.float64
    with pytest.raises(RuntimeError, match=r"norm\(\): input dtype should be either .* Got Long"):
        torch.dist(torch.tensor([1]), torch.tensor([2]))


@pytest.mark.parametrize(
    ("product", "words"),
    [
        (torch.linalg.cross, "expected scalar type Float but found Double"),
        (torch.vdot, "dot : expected both vectors to have same dtype, but found Float and Double"),
        (lambda one, two: torch.cdist(one[None], two[None]), "expected scalar type Float but found Double"),
        (lambda one, two: torch.cdist(one[None], two[None].long()), "floating-point dtypes, X2 got: Long"),
    ],
)
def test_products_of_two_dtypes_are_refused_in_torchs_words(product, words):
    one = torch.tensor([1.0, 2.0, 3.0])
    with pytest.raises(RuntimeError, match=words):
        product(one, one.double())


@pytest.mark.parametrize("solve", [linalg.solve, linalg.tensorsolve, lambda A, B: linalg.solve_ex(A, B).result])
def test_a_solution_that_was_written_to_is_refused_whichever_side_is_differentiated(solve):
    right = torch.ones(2, requires_grad=True)
    found = solve(2 * torch.eye(2), right)
    with torch.no_grad():
        found.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


@pytest.mark.parametrize("arguments", [(torch.ones(1),), (torch.ones(2), 1), (torch.ones(2), 0), (torch.ones(0),)])
def test_powers_below_one_are_ones_without_a_history(arguments):
    x, *rest = arguments
    found = torch.vander(x.clone().requires_grad_(), *rest)
    assert not found.requires_grad and found.stride() == (1, 1)
    assert found.tolist() == [[1.0] * (rest[0] if rest else len(x))] * len(x)


def test_the_second_derivative_of_an_infinite_product_in_transforms_is_infinite_as_torchs():
    def slope(v):
        return torch.func.grad(lambda v: v.prod().pow(2))(v).pow(2).sum()

    assert torch.func.grad(slope)(torch.tensor([3e38, 2.0])).tolist() == [torch.inf, torch.inf]


@pytest.mark.parametrize("driver", ["gelsy", "gelsd", "gelss"])
def test_ranks_and_singular_values_have_the_batch_of_the_matrices(driver):
    points = torch.ones(1, 3, 2) + torch.arange(6.0).view(1, 3, 2) ** 2
    found = linalg.lstsq(points, torch.ones(2, 3, 1), driver=driver)
    assert found.solution.shape == (2, 2, 1)
    assert found.rank.tolist() == [2]
    assert found.singular_values.shape == ((0,) if driver == "gelsy" else (1, 2))
    wider = linalg.lstsq(torch.randn(4, 1, 3, 2), torch.randn(1, 2, 3, 1), driver=driver)
    assert (wider.solution.shape, wider.rank.shape) == ((4, 2, 2, 1), (4, 1))
