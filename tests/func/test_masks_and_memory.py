"""Inside of transforms: masks, counts and ends that numbers decide, and parts of memory by any geometry."""

from __future__ import annotations

import math

import pytest

import rushlight as torch
from rushlight.autograd.forward_ad import dual_level, make_dual, unpack_dual
from rushlight.func import grad, jvp, vmap
from rushlight.nn import functional

ROWS = torch.arange(12.0).reshape(3, 4)
MASK = torch.tensor([True, False, True, True])


def loop(function, *batches):
    return torch.stack([function(*samples) for samples in zip(*batches, strict=True)]).tolist()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x[MASK],
        lambda x: x.masked_select(MASK),
        lambda x: x[:, None].masked_select(MASK),
        lambda x: x.reshape(2, 2)[torch.tensor([[True, False], [True, True]])],
        lambda x: x.reshape(2, 2)[torch.tensor([False, True])],
        lambda x: x[torch.tensor(True)],
        grad(lambda x: (x[MASK] ** 2).sum()),
        grad(lambda x: (x.masked_select(MASK) ** 2).sum()),
    ],
)
def test_a_mask_that_all_samples_share_picks_as_many_of_each(function):
    assert vmap(function)(ROWS).tolist() == loop(function, ROWS)
    assert vmap(function, in_dims=1)(ROWS.T.contiguous()).tolist() == loop(function, ROWS)


def test_a_mask_of_each_sample_is_refused():
    with pytest.raises(RuntimeError, match="Attempting to batch over indexing with a boolean mask"):
        vmap(lambda x, mask: x[mask])(ROWS, ROWS > 5)
    with pytest.raises(RuntimeError, match=r"Attempted to vmap over `mask` in torch.masked_select"):
        vmap(lambda mask: ROWS[0].masked_select(mask))(ROWS > 5)
    with pytest.raises(IndexError, match="shape of the mask"):
        vmap(lambda x: x[MASK[:3]])(ROWS)


def test_counts_of_each_sample_give_results_of_one_size_or_are_refused():
    numbers = torch.tensor([[0, 1, 1], [2, 2, 2]])
    assert vmap(lambda x: torch.bincount(x, minlength=4))(numbers).tolist() == [[1, 2, 0, 0], [0, 0, 3, 0]]
    assert vmap(torch.argwhere)(torch.tensor([[0.0, 3.0], [4.0, 0.0]])).tolist() == [[[1]], [[0]]]
    for function in (torch.bincount, torch.argwhere):
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            vmap(function)(torch.tensor([[0, 1, 1], [0, 0, 3]]))
    repeats = torch.tensor([[2, 0, 1], [1, 1, 1]])
    found = vmap(lambda count: ROWS[0, :3].repeat_interleave(count))(repeats)
    assert found.tolist() == [[0, 0, 2], [0, 1, 2]]
    twice = vmap(lambda count: ROWS[0, :2].repeat_interleave(count))(torch.tensor([2, 2]))
    assert twice.tolist() == [[0, 0, 1, 1]] * 2


def test_ends_of_each_sample_have_numbers_between_them():
    found = vmap(lambda start: torch.linspace(start, 2, 3))(ROWS[0])
    assert found.tolist() == [[0, 1, 2], [1, 1.5, 2], [2, 2, 2], [3, 2.5, 2]]
    assert vmap(lambda end: torch.logspace(0, end, steps=2))(torch.tensor([1.0, 2.0])).tolist() == [[1, 10], [1, 100]]


def test_bags_of_each_sample_are_brought_together():
    table = torch.arange(10.0).reshape(5, 2)
    numbers, begins = torch.tensor([[0, 1, 2], [2, 3, 4]]), torch.tensor([[0, 1], [0, 2]])
    bags = lambda numbers, begins: functional.embedding_bag(numbers, table, begins, mode="sum")
    assert vmap(bags)(numbers, begins).tolist() == loop(bags, numbers, begins)
    shared = lambda begins: bags(numbers[0], begins)
    assert vmap(shared)(begins).tolist() == loop(shared, begins)
    slope = grad(lambda table, numbers: (functional.embedding_bag(numbers[None], table) ** 2).sum())
    assert vmap(slope, in_dims=(None, 0))(table, numbers).tolist() == loop(lambda each: slope(table, each), numbers)
    with pytest.raises(RuntimeError, match=r"offsets\[0\] has to be 0"):
        vmap(bags)(numbers, begins + 1)


def test_what_needs_all_numbers_says_so():
    with pytest.raises(RuntimeError, match=r"vmap over torch.allclose isn't supported yet"):
        vmap(lambda x: x * torch.allclose(x, x))(ROWS)
    with pytest.raises(RuntimeError, match="provide an explicit positive num_classes argument"):
        vmap(functional.one_hot)(torch.tensor([[0, 1], [2, 2]]))


def test_a_part_of_memory_is_counted_from_where_the_numbers_lie():
    inner = ROWS[1:]
    assert vmap(lambda x: x.as_strided((2,), (1,), 4))(inner).tolist() == [[4, 5], [8, 9]]
    assert vmap(lambda x: x[1:].as_strided((2,), (1,)))(inner).tolist() == [[5, 6], [9, 10]]
    assert grad(lambda x: (x.as_strided((2,), (1,), 4) ** 2).sum())(ROWS[1]).tolist() == [8, 10, 0, 0]
    # what lies outside of the tensor does not move it
    assert grad(lambda x: (x.as_strided((2,), (1,), 0) ** 2).sum())(ROWS[1]).tolist() == [0, 0, 0, 0]
    value, slope = jvp(lambda x: x.as_strided((6,), (1,), 0), (ROWS[1],), (torch.ones(4),))
    assert value.tolist() == [0, 1, 2, 3, 4, 5] and slope.tolist() == [0, 0, 0, 0, 1, 1]
    with pytest.raises(RuntimeError, match="can access memory outside of `tensor`"):
        vmap(lambda x: x[1:].as_strided((2,), (1,), 0))(ROWS)


def test_scattering_by_geometry_writes_into_each_sample():
    put = lambda x, y: x.as_strided_scatter(y, (2,), (2,))
    values = 10 * ROWS[:, :2]
    assert vmap(put)(ROWS, values).tolist() == loop(put, ROWS, values)
    assert vmap(put, in_dims=(None, 0))(ROWS[0], values).tolist() == [put(ROWS[0], each).tolist() for each in values]
    with dual_level():
        x, y = make_dual(ROWS[1], torch.ones(4)), make_dual(values[0], torch.full((2,), 5.0))
        assert unpack_dual(x.as_strided_scatter(y, (2,), (2,), 4)).tangent.tolist() == [5, 1, 5, 1]


def test_a_tangent_lies_as_its_primal_does():
    with dual_level():
        x = make_dual(ROWS.clone(), torch.arange(12.0).reshape(4, 3).T)
        assert unpack_dual(x).tangent.stride() == (4, 1)
        part = x[1:].as_strided((2, 2), (4, 1), 0)
        assert unpack_dual(part).tangent.tolist() == [[0, 3], [1, 4]]


def same(one, two):
    return one == two or (math.isnan(one) and math.isnan(two))


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize(
    ("name", "slopes"),
    [("var", [0]), ("std", [math.nan]), ("var_mean", [0, math.nan]), ("std_mean", [math.nan, math.nan])],
)
def test_of_no_elements_the_variance_stands_still_and_the_mean_is_nan(name, slopes):
    for options in ({}, {"dim": 0}, {"correction": 0}):
        with dual_level():
            found = getattr(torch, name)(make_dual(torch.ones(0), torch.ones(0)), **options)
            found = found if isinstance(found, tuple) else (found,)
            assert all(same(unpack_dual(a).tangent.item(), b) for a, b in zip(found, slopes, strict=True))


def test_a_deviation_of_equal_numbers_stands_still():
    value, slope = jvp(lambda x: x.std(correction=0), (torch.ones(3),), (torch.arange(3.0),))
    assert value.item() == slope.item() == 0


MATRICES = torch.arange(18.0).reshape(2, 3, 3) + torch.eye(3)
POSITIONS = torch.tensor([[[0, 1, 2]], [[1, 1, 1]]])
SHARES = torch.tensor([0.1, 0.75])


@pytest.mark.parametrize(
    ("function", "batches"),
    [
        (torch.linalg.matrix_rank, (MATRICES,)),
        (lambda x: torch.linalg.matrix_rank(x, hermitian=True), (MATRICES,)),
        (lambda x, tolerance: torch.linalg.matrix_rank(x, rtol=tolerance), (MATRICES, SHARES)),
        (lambda x, tolerance: torch.linalg.matrix_rank(x, atol=tolerance), (MATRICES, 20 * SHARES)),
        (lambda x, share: x.quantile(share, dim=0), (MATRICES, SHARES)),
        (lambda x, share: x.nanquantile(share), (MATRICES, SHARES)),
        (lambda x, index: x.take_along_dim(index, 0), (MATRICES, POSITIONS)),
        (lambda x, index: x.index_put((index, index), x[:1], True), (MATRICES, POSITIONS)),
        (functional.multi_margin_loss, (MATRICES, POSITIONS[:, 0])),
        (functional.multilabel_margin_loss, (MATRICES[:, 0], torch.tensor([[0, 1, -1], [1, -1, 1]]))),
        (
            lambda x, lengths: torch.segment_reduce(x, "sum", lengths=lengths),
            (MATRICES[:, 0], torch.tensor([[1, 2], [2, 1]])),
        ),
        (
            lambda x, text: functional.ctc_loss(x.log_softmax(-1).unsqueeze(1), text, (3,), (2,)),
            (MATRICES / 10, torch.tensor([[[1, 2]], [[2, 1]]])),
        ),
    ],
)
def test_checks_look_at_all_samples(function, batches):
    found = vmap(function)(*batches)
    torch.testing.assert_close(found, torch.tensor(loop(function, *batches), dtype=found.dtype))


def test_checks_refuse_what_one_sample_has():
    with pytest.raises(RuntimeError, match=r"q values must be in the range \[0, 1\]"):
        vmap(lambda x, share: x.quantile(share))(MATRICES, 2 * SHARES)
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        vmap(lambda x, index: x.take_along_dim(index, 0))(MATRICES, torch.tensor([[[0, 1, 2]], [[1, 9, 1]]]))
    with pytest.raises(RuntimeError, match="target out of range"):
        vmap(functional.multi_margin_loss)(MATRICES, POSITIONS[:, 0] + 2)
    with pytest.raises(RuntimeError, match="lengths contains negative value"):
        cut = torch.tensor([[1, 2], [4, -1]])
        vmap(lambda x, lengths: torch.segment_reduce(x, "sum", lengths=lengths))(MATRICES[:, 0], cut)


def test_factors_of_each_sample_are_unpacked():
    factors, pivots = torch.linalg.lu_factor(MATRICES)
    P, L, U = vmap(torch.lu_unpack)(factors, pivots)
    torch.testing.assert_close(P @ L @ U, MATRICES)


def test_a_batch_norm_moves_the_statistics_of_each_sample():
    x, means, variances = MATRICES[0], torch.zeros(2, 3), torch.ones(3)
    norm = lambda mean: functional.batch_norm(x, mean, variances, training=True)
    expected = functional.batch_norm(x, torch.zeros(3), moved := torch.ones(3), training=True)
    torch.testing.assert_close(vmap(norm)(means), expected.expand(2, 3, 3))
    torch.testing.assert_close(means, (0.1 * x.mean(0)).expand(2, 3))
    torch.testing.assert_close(variances, moved)
    with pytest.raises(RuntimeError, match="Batch norm got a batched tensor as input while the running_mean"):
        vmap(lambda x: functional.batch_norm(x, torch.zeros(3), torch.ones(3), training=True))(MATRICES)


def test_a_write_inside_of_vmap_keeps_what_a_gradient_around_it_needs():
    def written(x):
        y = x * 1
        y.mul_(x)
        return y.mul_(x)

    slope = grad(lambda x: vmap(written)(x).sum())(ROWS)
    torch.testing.assert_close(slope, 3 * ROWS**2)


def test_a_part_of_memory_inside_of_vmap_is_a_view():
    def written(x):
        y = x.clone()
        y.as_strided((2,), (2,)).mul_(10)
        return y

    assert vmap(written)(ROWS[:2]).tolist() == [[0, 1, 20, 3], [40, 5, 60, 7]]
    slope = torch.func.jacfwd(lambda x: x.as_strided((2, 2), (2, 1)).T.reshape(4) * x)(torch.ones(4))
    assert slope.sum().item() == 8


def test_a_write_inside_of_jvp_keeps_what_a_gradient_around_it_needs():
    def written(x):
        y = x * 1
        y.mul_(x)
        return y.mul_(x)

    slope = grad(lambda x: jvp(written, (x,), (torch.ones(4),))[1].sum())(ROWS[0])
    torch.testing.assert_close(slope, 6 * ROWS[0])
