"""Reductions and their kin: what the samples of the declarations cannot say."""

import math
import warnings

import numpy as np
import pytest

import rushlight as torch


def numeric_hessian(function, point, step=1e-3):
    """Second derivatives of a function of a vector, by central differences in float64."""
    count = len(point)
    found = np.empty((count, count))
    for i in range(count):
        for j in range(count):
            total = 0.0
            for a in (1, -1):
                for b in (1, -1):
                    moved = point.copy()
                    moved[i] += a * step
                    moved[j] += b * step
                    total += a * b * function(moved)
            found[i, j] = total / (4 * step * step)
    return found


def hessian(function, point):
    x = torch.tensor(point, requires_grad=True)
    (first,) = torch.autograd.grad(function(x), x, create_graph=True)
    rows = [torch.autograd.grad(each, x, retain_graph=True)[0] for each in first.unbind()]
    return torch.stack(rows).numpy()


@pytest.mark.parametrize("point", [[2.0, 3, 5, 7], [2.0, 0, 5, 7], [0.0, 3, 0, 7], [0.0, 0, 0, 7]])
def test_second_derivatives_of_products_hold_where_factors_are_zero(point):
    point = np.array(point)
    weights = np.array([1.0, -2, 3, 0.5])
    found = hessian(lambda x: x.prod(), point)
    np.testing.assert_allclose(found, numeric_hessian(np.prod, point), atol=1e-6)
    found = hessian(lambda x: (x.cumprod(0) * torch.tensor(weights)).sum(), point)
    wanted = numeric_hessian(lambda x: (np.cumprod(x) * weights).sum(), point)
    np.testing.assert_allclose(found, wanted, atol=1e-6)


def test_long_sums_keep_their_digits():
    rows = np.random.default_rng(0).random((200_003, 3), dtype=np.float32)
    exact = rows.astype(np.float64)
    for array in (rows, np.asfortranarray(rows)):
        x = torch.from_numpy(array)
        np.testing.assert_allclose(x.sum(0).numpy(), exact.sum(0), rtol=1e-6)
        np.testing.assert_allclose(x.mean(0, keepdim=True).numpy()[0], exact.mean(0), rtol=1e-6)
        np.testing.assert_allclose(x.var(0).numpy(), exact.var(0, ddof=1), rtol=1e-6)
        np.testing.assert_allclose(x.cumsum(0).numpy()[-1], exact.sum(0), rtol=1e-6)
        assert (x.amax(0).numpy() == rows.max(0)).all()


def test_half_precision_adds_up_in_float32():
    ones = torch.ones(5000, dtype=torch.float16)
    assert ones.sum().item() == 5000
    assert ones.mean().item() == 1
    assert torch.full((100,), 300.0, dtype=torch.float16).norm().item() == 3000


def test_ties_share_the_gradient_of_amax_and_not_that_of_max_along_a_dim():
    x = torch.tensor([[1.0, 3, 3]], requires_grad=True)
    for function, wanted in (
        (lambda: x.amax(1).sum(), [[0, 0.5, 0.5]]),
        (lambda: x.max(), [[0, 0.5, 0.5]]),
        (lambda: x.max(1).values.sum(), [[0, 1, 0]]),
    ):
        (grad,) = torch.autograd.grad(function(), x)
        assert grad.tolist() == wanted


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, float("inf")])
def test_the_gradient_of_a_norm_at_zero_is_zero(p):
    x = torch.zeros(3, requires_grad=True)
    x.norm(p).backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_max_of_two_tensors_is_maximum():
    one, two = torch.tensor([1.0, 5]), torch.tensor([2.0, 4])
    assert torch.max(one, two).tolist() == one.max(other=two).tolist() == [2, 5]
    assert torch.min(one, two).tolist() == [1, 4]
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.max(2, two)


def test_numpy_names_of_arguments_are_taken():
    x = torch.tensor([[1.0, 2], [3, 5]])
    assert x.max(axis=1, keepdims=True).values.tolist() == [[2], [5]]
    assert torch.median(x, axis=0).values.tolist() == [1, 2]
    assert x.var(axis=0, keepdims=True).shape == (1, 2)
    assert x.cumsum(axis=0).tolist() == [[1, 2], [4, 7]]


def test_a_bool_is_no_dimension():
    with pytest.raises(TypeError, match="must be int, not bool"):
        torch.ones(2, 2).sum(True)


def test_too_few_degrees_of_freedom_warn_and_name_the_users_line():
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0") as seen:
        assert torch.tensor([1.0]).std().isnan()
    assert seen[0].filename == __file__


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
def test_the_warning_of_too_few_degrees_of_freedom_names_the_function(name):
    for dim in (None, 0):
        with pytest.warns(UserWarning, match=rf"^{name}\(\): degrees of freedom is <= 0"):
            getattr(torch, name)(torch.ones(1), dim)


def test_functional_softmax_without_dim_warns_and_chooses_torchs():
    functional = torch.nn.functional
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        assert functional.softmax(torch.zeros(2, 4)).sum(1).tolist() == [1, 1]
    with pytest.warns(UserWarning, match="Implicit dimension choice for log_softmax"):
        functional.log_softmax(torch.zeros(3))
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmin"):
        assert functional.softmin(torch.zeros(2, 1, 1)).sum(0).tolist() == [[1]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        functional.softmax(torch.zeros(2, 4), dim=-1)


def test_unique_has_no_derivative():
    x = torch.tensor([1.0, 1, 2], requires_grad=True)
    for function in (torch.unique, torch.unique_consecutive, lambda x: torch.unique(x, dim=0)):
        with pytest.raises(NotImplementedError, match="the derivative for"):
            function(x).sum().backward()


def test_several_results_are_written_to_tensors_of_their_dtype_only():
    x = torch.tensor([3.0, 1, 2])
    values, indices = torch.empty(0), torch.empty(0, dtype=torch.int64)
    found = torch.sort(x, out=(values, indices))
    assert found.values is values and indices.tolist() == [1, 2, 0]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype"):
        torch.sort(x, out=(values.double(), indices))
    assert values.tolist() == [1, 2, 3]


def test_composed_functions_refuse_out_where_a_gradient_is_wanted():
    x = torch.tensor([3.0, 1, 2], requires_grad=True)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.diff(x, out=torch.empty(2))


def test_cumsum_in_place_keeps_the_history():
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    assert y.cumsum_(0) is y
    y.sum().backward()
    assert x.grad.tolist() == [6, 4, 2]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_variance_without_freedom_has_torchs_slopes(create_graph):
    def slope(values, **options):
        x = torch.tensor(values, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = x.var(**options)
        return torch.autograd.grad(found.sum(), x, create_graph=create_graph)[0].tolist()

    assert np.isnan(slope([0.5])).all()
    assert np.isnan(slope([0.5], dim=0)).all()
    assert np.isnan(slope([2.0, 2.0], correction=9)).all()
    assert slope([1.0, 2.0, 4.0], correction=9) == [np.inf] * 3
    assert slope([1.0, 2.0, 4.0], dim=0, correction=3) == [-np.inf, -np.inf, np.inf]
    assert slope([1.0, 2.0, 6.0], dim=0, correction=5) == [2.0, 1.0, -3.0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_maximum_that_is_no_longer_there_gets_no_gradient(create_graph):
    for name in ("max", "min", "median"):
        x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
        found = getattr(x, name)()
        x.data.add_(10)
        assert torch.autograd.grad(found, x, create_graph=create_graph)[0].tolist() == [0.0, 0.0, 0.0]
    x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
    found = x.amax()
    x.data.add_(10)
    assert np.isnan(torch.autograd.grad(found, x, create_graph=create_graph)[0].tolist()).all()


def test_gradients_of_reductions_have_torchs_nodes():
    x, w = torch.tensor([[1.0, 5], [2, 3]], requires_grad=True), torch.tensor(3.0, requires_grad=True)

    def nodes(result):
        (grad,) = torch.autograd.grad((result * w).sum(), x, create_graph=True)
        return [grad.grad_fn.name(), *[each and each.name() for each, _ in grad.grad_fn.next_functions]]

    assert nodes(x.max()) == ["MaskedFillBackward1", None, "DivBackward0"]
    assert nodes(x.median()) == ["MaskedFillBackward1", None, "DivBackward0"]
    assert nodes(x.amax(1)) == ["MulBackward0", "DivBackward0", None]
    assert nodes(x.logsumexp(1)) == ["MulBackward0", "UnsqueezeBackward0", "ExpBackward0"]
    assert nodes(x.norm(dim=1)) == ["MulBackward0", "UnsqueezeBackward0", "MaskedFillBackward0"]
    assert nodes(x.prod(1)) == ["MulBackward0", "UnsqueezeBackward0", "DivBackward0"]


@pytest.mark.parametrize("count", [4, 100])
def test_a_mean_whose_sum_is_beyond_the_largest_number_is_infinite(count):
    x = torch.full((count,), 3.4e38)
    assert x.mean() == math.inf and x.mean(0) == math.inf
    assert torch.nn.functional.l1_loss(x, torch.zeros(count)) == math.inf
    assert x.double().mean() < math.inf and torch.full((count,), 6e4).half().mean() == 60000


def test_the_mean_of_numbers_whose_sum_overflows_does_not():
    rows = torch.full((2, 3), 3.4e38)
    variance, mean = torch.var_mean(rows, 1)
    assert variance.tolist() == [0, 0] and torch.equal(mean, rows[:, 0])
    assert torch.std_mean(torch.tensor([math.inf, 1.0]))[0].isnan()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_deviations_of_numbers_whose_squares_overflow_do_not(dtype):
    x = torch.tensor([1e20, -1e20, 1e20], dtype=dtype)
    assert x.std().item() == pytest.approx(1.1547e20, rel=1e-2)
    assert torch.std_mean(x)[0].item() == x.std().item()


def test_the_largest_of_one_nan_has_a_slope_of_nan():
    x = torch.tensor(math.nan)
    for extreme in (torch.amax, torch.amin, lambda x: torch.aminmax(x)[0], lambda x: torch.aminmax(x, dim=0)[1]):
        leaf = x.clone().requires_grad_()
        extreme(leaf).backward()
        assert leaf.grad.isnan()
        assert torch.vmap(torch.func.grad(extreme))(x.expand(2)).isnan().all()


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "cumsum", "sum", "mean"])
@pytest.mark.parametrize("size", [8, 40])
def test_a_dtype_that_is_asked_for_is_taken_before_an_op_computes(name, size):
    x = torch.randn(size, size, requires_grad=True)
    asked = getattr(x, name)(1, dtype=torch.float64)
    (slope,) = torch.autograd.grad(asked.sum() * asked.sum(), x)
    other = x.detach().double().requires_grad_()
    expected = getattr(other, name)(1)
    (steep,) = torch.autograd.grad(expected.sum() * expected.sum(), other)
    torch.testing.assert_close(asked, expected)
    torch.testing.assert_close(slope, steep.float())
    assert len(asked.grad_fn.next_functions) == 1 and asked.grad_fn.next_functions[0][0].name().endswith(
        "AccumulateGrad"
    )


def test_a_product_of_nothing_has_a_derivative_inside_of_a_transform():
    point, tangent = torch.ones(0), torch.ones(0)
    for dim in (None, 0):
        found, slope = torch.func.jvp(
            lambda x, dim=dim: x.prod() if dim is None else x.prod(0, keepdim=True), (point,), (tangent,)
        )
        assert found.tolist() in (1.0, [1.0]) and slope.tolist() in (0.0, [0.0])
        assert torch.func.grad(lambda x, dim=dim: x.prod() if dim is None else x.prod(dim))(point).shape == (0,)


@pytest.mark.parametrize("function", [lambda v: v.prod(), lambda v: torch.vmap(lambda u: u.prod())(v).sum()])
def test_the_gradient_of_a_product_of_one_in_a_transform_has_no_history_as_torchs(function):
    x = torch.full((1,), 0.5, requires_grad=True)
    assert not torch.func.grad(function)(x).requires_grad
    # after the function has ended it is a quotient, as it is without transforms
    assert torch.func.vjp(function, x)[1](torch.tensor(1.0))[0].requires_grad
    assert torch.func.jacrev(function)(x).requires_grad


@pytest.mark.parametrize("function", [lambda v: v.prod(1), lambda v: v.cumprod(1)])
def test_the_gradient_of_a_product_of_a_single_zero_has_no_history(function):
    x = torch.zeros(2, 1, requires_grad=True)
    y = function(x)
    (grad,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
    assert grad.tolist() == [[1.0], [1.0]] and not grad.requires_grad


def test_the_gradient_of_a_running_product_of_one_is_the_gradient_itself():
    x = torch.full((2, 1), 3.0, requires_grad=True)
    (grad,) = torch.autograd.grad(torch.cumprod(x, 1), x, torch.ones(2, 1), create_graph=True)
    assert grad.tolist() == [[1.0], [1.0]] and not grad.requires_grad


def test_deviations_of_integers_are_refused_in_words_for_both():
    for function in (torch.std, torch.var):
        with pytest.raises(RuntimeError, match=r"^std and var only support floating point and complex dtypes"):
            function(torch.tensor([1, 2]))


@pytest.mark.parametrize("length", [1023, 1024, 1025, 4096])
@pytest.mark.parametrize("offset", [0, 1, 4])
def test_a_sum_of_rows_has_the_same_bits_wherever_they_stand(length, offset):
    values = np.random.default_rng(length).normal(size=(6, length)).astype(np.float32)
    memory = np.empty(values.size + 16, np.float32)
    moved = memory[offset : offset + values.size].reshape(values.shape)
    moved[...] = values
    found = torch.from_numpy(moved).sum(1).numpy()
    # without NaN they are summed in the same order
    assert found.tobytes() == torch.from_numpy(values).nansum(1).numpy().tobytes()
    np.testing.assert_allclose(found, values.astype(np.float64).sum(1), rtol=1e-5, atol=1e-4)


def test_a_sum_of_negative_zeros_is_zero_and_one_of_infinities_is_theirs():
    rows = torch.stack([torch.full((1024,), -0.0), torch.full((1024,), -math.inf), torch.zeros(1024)])
    rows[2, 1000] = math.nan
    found = rows.sum(1).numpy()
    assert found[0] == 0
    assert not np.signbit(found[0])
    assert found[1] == -math.inf
    assert np.isnan(found[2])


@pytest.mark.parametrize("count", [300, 4095, 4096])
def test_a_sum_over_many_rows_does_not_depend_on_the_columns_beside_it(count):
    values = np.random.default_rng(count).normal(size=(count, 2100)).astype(np.float32)
    found = torch.from_numpy(values).sum(0).numpy()
    np.testing.assert_allclose(found, values.astype(np.float64).sum(0), rtol=1e-5, atol=1e-4)
    for first in (0, 300, 900, 1844):
        some = torch.from_numpy(values[:, first : first + 256].copy()).sum(0).numpy()
        assert found[first : first + 256].tobytes() == some.tobytes()
