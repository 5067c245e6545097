"""Layouts: how results lie in memory, for inputs in other orders; the strides are torch's."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn

F = nn.functional


def arranged(*shape):
    """A tensor of the shape whose dims lie in memory the other way round."""
    return torch.rand(*reversed(shape)).permute(*range(len(shape) - 1, -1, -1))


def test_pointwise_results_follow_their_inputs():
    x = arranged(2, 3, 4)
    for result in (x + x, x.tanh(), x * 2, x > 0, torch.where(x > 0, x, 0.0), -x, x.pow(2), torch.lerp(x, x, 0.5)):
        assert result.stride() == (1, 2, 6)


def test_the_first_input_decides_where_orders_differ():
    x, rows = arranged(2, 3, 4), torch.rand(2, 3, 4)
    assert (x + rows).stride() == (1, 2, 6)
    assert (rows + x).stride() == (12, 4, 1)
    assert torch.addcmul(x, rows, rows).stride() == (1, 2, 6)
    assert torch.clamp(x, rows, rows).stride() == (1, 2, 6)
    assert torch.where(x > 0, rows, x).stride() == (1, 2, 6)


def test_broadcast_inputs_leave_the_order_to_the_others():
    x, rows = torch.rand(5, 4, 3).transpose(1, 2), torch.rand(3, 4)
    assert (x + rows).stride() == (12, 1, 3)
    assert (rows + x).stride() == (12, 4, 1)
    assert (torch.rand(4, 1) + torch.rand(3, 4).T).stride() == (1, 4)


def test_gaps_and_expanded_dims_are_packed():
    assert (torch.rand(4, 6)[:, ::2] + 1).stride() == (3, 1)
    assert (torch.rand(6, 4).T[:, ::2] + 1).stride() == (1, 4)
    assert torch.rand(1, 4).expand(3, 4).exp().stride() == (4, 1)
    assert torch.rand(3, 1).expand(3, 4).erfinv().stride() == (4, 1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: torch.cumprod(x, 0),
        lambda x: torch.cumsum(x, 0),
        lambda x: torch.cummax(x, 0).values,
        lambda x: torch.logcumsumexp(x, 0),
        lambda x: torch.softmax(x, 0),
        lambda x: torch.roll(x, 1, 0),
        lambda x: torch.tril(x),
        lambda x: torch.mvlgamma(x + 3, 2),
        lambda x: torch.fft.fftshift(x),
        lambda x: x.masked_fill(x > 0, 1.0),
        lambda x: torch.renorm(x, 2, 0, 1.0),
    ],
)
def test_other_results_are_contiguous(function):
    assert function(arranged(2, 3, 4)).stride() == (12, 4, 1)


def test_joined_tensors_are_contiguous():
    x = arranged(2, 3, 4)
    assert torch.cat([x, x]).stride() == (12, 4, 1)
    assert torch.stack([x, x]).stride() == (24, 12, 4, 1)
    assert torch.hstack([x, x]).stride() == (24, 4, 1)
    assert torch.vstack([x, x]).view(-1).shape == (48,)
    # images with their channels last, stacked to a batch
    batch = torch.stack([torch.rand(5, 6, 3).permute(2, 0, 1) for _ in range(2)])
    assert batch.view(2, -1).shape == (2, 90)


def test_cat_keeps_channels_last_where_all_tensors_have_it():
    x = torch.rand(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert torch.cat([x, x], 1).stride() == (120, 1, 30, 6)
    assert torch.cat([x, torch.rand(2, 3, 4, 5)], 1).stride() == (120, 20, 5, 1)


def test_medians_along_a_dim_are_contiguous():
    values, indices = arranged(2, 3, 4).median(1)
    assert values.stride() == indices.stride() == (4, 1)
    assert arranged(2, 3, 4).sum(1).stride() == (4, 1)


def test_sorted_values_keep_the_order_of_the_input():
    x = arranged(2, 3, 4)
    assert [each.stride() for each in torch.sort(x, 0)] == [(1, 2, 6), (1, 2, 6)]
    assert torch.argsort(x, 1).stride() == (1, 2, 6)
    assert torch.topk(x, 3, 1).values.stride() == (12, 4, 1)


def test_gradients_take_the_order_of_a_dense_leaf():
    x = arranged(2, 3, 4).requires_grad_()
    (x * torch.rand(2, 3, 4)).sum().backward()
    assert x.grad.stride() == (1, 2, 6)
    x.sum().backward()
    assert x.grad.stride() == (1, 2, 6)


def test_gradients_of_leaves_with_gaps_are_contiguous():
    x = torch.rand(4, 6)[:, ::2].requires_grad_()
    x.sum().backward()
    assert x.grad.stride() == (3, 1)
    wide = torch.rand(1, 4).expand(3, 4).requires_grad_()
    (wide * 2).sum().backward()
    assert wide.grad.stride() == (4, 1)


@pytest.mark.parametrize(
    ("function", "strides"),
    [
        (torch.linalg.inv, (1, 4)),
        (torch.linalg.cholesky, (1, 4)),
        (lambda x: torch.linalg.solve(x, torch.rand(4, 3)), (1, 4)),
        (lambda x: torch.linalg.solve(x, torch.rand(3, 4), left=False), (4, 1)),
        (lambda x: torch.linalg.qr(x).Q, (1, 4)),
        (lambda x: torch.linalg.svd(x).U, (1, 4)),
        (lambda x: torch.linalg.eigh(x).eigenvectors, (1, 4)),
        (lambda x: torch.linalg.lu_factor(x).LU, (1, 4)),
        (lambda x: torch.linalg.lstsq(torch.cat([x, x]), torch.rand(8, 4)).solution, (1, 8)),
        (torch.linalg.pinv, (4, 1)),
        (lambda x: torch.linalg.eigh(torch.stack([x, x])).eigenvalues, (4, 1)),
    ],
)
def test_matrices_of_linalg_lie_column_by_column(function, strides):
    assert function(torch.diag(torch.rand(4) + 1)).stride() == strides


def test_indexed_dims_lead_and_the_others_keep_their_order():
    x, positions = arranged(2, 3, 4), torch.tensor([1, 0])
    assert x[positions].stride() == (12, 1, 3)
    assert x[:, positions].stride() == (1, 2, 4)
    assert x[positions, positions].stride() == (4, 1)
    assert x[x[:, 0, 0] > -1].stride() == (12, 1, 3)
    x = x.clone()
    assert torch.index_put(x, (positions,), torch.rand(3, 4)).stride() == (1, 2, 6)


def test_pools_of_lines_keep_the_channels_last():
    x = torch.rand(2, 8, 3).transpose(1, 2)
    assert F.avg_pool1d(x, 2).stride() == (12, 1, 3)
    assert F.adaptive_avg_pool1d(x, 4).stride() == (12, 1, 3)
    assert F.adaptive_max_pool1d(x, 4).stride() == (12, 1, 3)
    # a function of its own in torch
    assert F.max_pool1d(x, 2).stride() == (12, 4, 1)
    assert F.max_pool1d(x, 2, return_indices=True)[0].stride() == (12, 1, 3)


def test_turned_tensors_are_transposed_copies():
    x = torch.rand(2, 3, 4)
    assert torch.rot90(x, 1, (1, 2)).stride() == (12, 1, 4)
    assert torch.rot90(x, 2, (1, 2)).stride() == (12, 4, 1)
    assert arranged(2, 3, 4).flip(0).stride() == (1, 2, 6)


def test_attention_is_the_same_in_every_layout():
    rows = [torch.rand(2, 4, 6, 5) for _ in range(3)]
    heads_inside = [each.transpose(1, 2).contiguous().transpose(1, 2) for each in rows]
    columns = [each.mT.contiguous().mT for each in rows]
    results = [F.scaled_dot_product_attention(*each) for each in (rows, heads_inside, columns)]
    assert [each.stride() for each in results] == [(120, 30, 5, 1), (120, 5, 20, 1), (120, 30, 5, 1)]
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_transformed_dims_end_up_fastest():
    x = torch.rand(3, 4, 5)
    assert torch.fft.fft(x).stride() == (20, 5, 1)
    assert torch.fft.fft(x, dim=1).stride() == (20, 1, 4)
    assert torch.fft.rfft2(x, dim=(1, 0)).stride() == (1, 2, 8)
    assert torch.fft.irfft(x, dim=0).stride() == (1, 20, 4)
    assert torch.fft.fftn(arranged(3, 4, 5), dim=(2,)).stride() == (5, 15, 1)


def test_log_probabilities_follow_the_value_and_chosen_ones_are_contiguous():
    probs = torch.rand(4, 3).T * 0.8 + 0.1
    rows, turned = torch.ones(3, 4), torch.ones(4, 3).T
    bernoulli = torch.distributions.Bernoulli(probs)
    assert bernoulli.log_prob(rows).stride() == (4, 1)
    assert bernoulli.log_prob(turned).stride() == (1, 3)
    beta = torch.distributions.Beta(probs, probs)
    assert beta.mean.stride() == (4, 1)
    values = torch.zeros(3, 2, dtype=torch.int64).T
    assert torch.distributions.Categorical(probs).log_prob(values).stride() == (3, 1)


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_of_reductions_follow_the_input_or_lie_by_rows(create_graph):
    def strides(function):
        x = arranged(3, 4).requires_grad_()
        return torch.autograd.grad(function(x).sum(), x, create_graph=create_graph)[0].stride()

    for name in ("amax", "amin", "logsumexp", "std", "var", "norm", "prod"):
        assert strides(lambda x, name=name: getattr(x, name)(dim=1)) == (1, 3)
    for name in ("amax", "amin", "std", "var", "norm"):
        assert strides(lambda x, name=name: getattr(x, name)()) == (1, 3)
    for name in ("max", "min", "median"):
        assert strides(lambda x, name=name: getattr(x, name)()) == (4, 1)
        assert strides(lambda x, name=name: getattr(x, name)(dim=1)[0]) == (4, 1)


def odd_steps():
    """One element of a row of two: dimensions of size 1 whose steps a new tensor would not have."""
    return torch.zeros(1, 2)[:, ::2]


@pytest.mark.parametrize(
    "copied",
    [
        torch.Tensor.clone,
        torch.Tensor.double,
        torch.Tensor.half,
        torch.empty_like,
        torch.zeros_like,
        torch.rand_like,
        lambda x: torch.full_like(x, 2),
        lambda x: x.flip(0),
        lambda x: x.sort(0)[0],
    ],
)
def test_copies_keep_the_steps_along_dimensions_of_size_1(copied):
    assert odd_steps().stride() == (2, 2)
    assert copied(odd_steps()).stride() == (2, 2)


def test_views_take_the_step_of_a_last_dimension_of_size_1():
    assert odd_steps().view(1, 1, 1).stride() == (2, 2, 2)
    assert odd_steps().reshape(1).stride() == (2,)
    assert odd_steps().exp().stride() == (1, 1)


def test_images_with_one_channel_of_pixels_last_keep_that_format():
    x = torch.zeros(2, 1, 2).permute(1, 2, 0).unsqueeze(2)
    assert x.stride() == (2, 1, 4, 2)
    assert x.relu().stride() == (4, 1, 4, 2)


def test_converted_operands_leave_expanded_dimensions_in_their_place():
    assert torch.zeros(3, 1, 2, dtype=torch.int64).expand(2, 3, 1, 2).exp().is_contiguous()


def test_picked_elements_lie_in_the_order_of_torchs_walk_along_dimensions_of_size_1_too():
    rows, turned = torch.zeros(3, 4, 2), torch.zeros(3, 4, 2).permute(2, 1, 0)
    places, mask = torch.tensor([0, 1]), torch.tensor([True, False])
    assert rows[1:2, places, mask].stride() == (2, 1)
    assert turned[1:2, places].stride() == (6, 3, 1)
    assert turned[:, places[:1], :1].stride() == (1, 2, 2)


def test_an_expanded_input_of_another_dtype_is_copied_by_rows_first():
    x = arranged(2, 3)
    assert (torch.tensor(2).expand(2, 3) * x).stride() == (3, 1)
    assert (torch.ones(3).expand(2, 3) + x.double()).stride() == (3, 1)
    assert (torch.ones(3).expand(2, 3) + x).stride() == (1, 2)


def test_logsigmoid_is_laid_out_by_rows():
    assert F.logsigmoid(arranged(2, 3)).stride() == (3, 1)


def test_the_loss_of_logits_has_the_order_of_the_target():
    x, rows = arranged(2, 3), torch.rand(2, 3)
    assert F.binary_cross_entropy_with_logits(x, rows, reduction="none").stride() == (3, 1)
    assert F.binary_cross_entropy_with_logits(rows, x, reduction="none").stride() == (1, 2)


def test_a_number_is_an_operand_of_another_shape_but_for_kernels_that_take_numbers():
    column = torch.zeros(1, 3).T
    assert column.stride() == (1, 3)
    assert [found.stride() for found in (column + 1, column * 2, column > 0)] == [(1, 3)] * 3
    assert [found.stride() for found in (column**2, column.clamp(0), column.exp())] == [(1, 1)] * 3


def test_positions_that_are_not_zero_are_the_columns_of_one_tensor():
    mask = torch.tensor([[False, True], [True, False], [True, True]])
    rows, columns = mask.nonzero(as_tuple=True)
    assert (rows.tolist(), columns.tolist()) == ([0, 1, 2, 2], [1, 0, 0, 1])
    assert rows._base is columns._base
    assert [(each.stride(), each.storage_offset()) for each in (rows, columns)] == [((1,), 0), ((1,), 4)]
    assert torch.tensor(3).nonzero(as_tuple=True)[0].tolist() == [0]


def test_powers_of_a_number_are_by_rows():
    x = torch.arange(6.0).reshape(2, 3).t()
    for found in (0.5**x, torch.pow(2, x.long()), torch.float_power(2, x), 2j**x):
        assert found.stride() == (2, 1)
    assert torch.pow(torch.tensor(2.0), x).stride() == (1, 3)


@pytest.mark.parametrize(
    ("result", "strides"),
    [
        (lambda x: torch.linalg.solve_triangular(torch.eye(2), torch.ones(2, 1), upper=True), (1, 2)),
        (lambda x: torch.linalg.solve(torch.eye(2).expand(3, 2, 2), torch.ones(2, 1)), (2, 1, 2)),
        (lambda x: torch.linalg.qr(torch.ones(1, 2))[1], (1, 1)),
        (lambda x: torch.linalg.matrix_power(torch.ones(3, 3).t(), 1), (3, 1)),
        (lambda x: torch.aminmax(x, dim=0, keepdim=True)[0], (4, 1)),
        (lambda x: torch.hash_tensor(x, dim=1, keepdim=True), (1, 1)),
        (lambda x: torch.masked.normalize(x, 2.0, 1, mask=x > 3), (1, 3)),
        (lambda x: torch.masked.logaddexp(x.contiguous(), x, input_mask=x > 3), (1, 3)),
        (lambda x: torch.as_strided_scatter(x, torch.ones(2), (2,), (1,)), (1, 3)),
    ],
)
def test_results_lie_as_in_torch_where_a_size_is_one_or_the_input_turned(result, strides):
    assert result(torch.arange(12.0).reshape(4, 3).t()).stride() == strides


def test_a_strided_scatter_keeps_the_memory_around_the_input():
    found = torch.as_strided_scatter(torch.arange(6.0).reshape(3, 2).t(), torch.tensor([8.0, 9.0]), (2,), (1,), 1)
    assert found.tolist() == [[0.0, 9.0, 4.0], [8.0, 3.0, 5.0]]
    assert found.as_strided((6,), (1,)).tolist() == [0.0, 8.0, 9.0, 3.0, 4.0, 5.0]
    assert not found._is_view()
    turned = torch.arange(6.0).reshape(3, 2).t() + 0
    assert torch.as_strided_scatter(turned, torch.tensor([9.0]), (1,), (1,), 1).tolist() == [[0, 2, 4], [9, 3, 5]]
