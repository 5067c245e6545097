"""What nodes show of their saved values, under torch's names."""

import pytest

import rushlight as torch


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def test_saved_values_by_torchs_names():
    x = leaf(2, 3)
    node = x.sum(-1, keepdim=True).grad_fn
    assert node._saved_self_sym_sizes == (2, 3)
    assert node._saved_dim == (2**64 - 1,)
    assert node._saved_keepdim is True
    assert x.softmax(-1).grad_fn._saved_dim == 2**64 - 1
    assert (x**2).grad_fn._saved_exponent == 2
    values = x.max(1).values.grad_fn
    assert values._saved_indices.tolist() == [0, 0] and values._saved_dim == 1


def test_numbers_that_torch_wraps_and_values_that_nobody_needs():
    node = (leaf(2) * 3).grad_fn
    assert node._saved_self is None and node._saved_other.item() == 3
    assert node._raw_saved_self.unpack() is None and node._raw_saved_self.data is None
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        node._raw_saved_self.register_hooks(lambda tensor: tensor, lambda kept: kept)


def test_reductions_and_windows_have_torchs_form():
    x = leaf(1, 1, 4, 4)
    assert torch.nn.functional.mse_loss(x, x.detach()).grad_fn._saved_reduction == 1
    assert torch.nn.functional.avg_pool2d(x, 2).grad_fn._saved_kernel_size == (2, 2)


def test_names_that_are_not_there():
    node = leaf(2).sum(0).grad_fn
    for name in ("_saved_foo", "_raw_saved_dim", "_raw_saved_foo"):
        with pytest.raises(AttributeError, match=f"'SumBackward1' object has no attribute '{name}'"):
            getattr(node, name)


def test_freed_values():
    x = leaf(2)
    y = x * x.detach()
    y.sum().backward()
    assert y.grad_fn._saved_self is None
    y = x * x
    y.sum().backward()
    for name in ("_saved_self", "_saved_other"):
        with pytest.raises(RuntimeError, match="directly access saved tensors after they have already been freed"):
            getattr(y.grad_fn, name)


def test_saved_values_are_listed():
    def names(node):
        return [each for each in dir(node) if each.startswith(("_saved", "_raw_saved"))]

    x = leaf(2, 3)
    assert names((x * x).grad_fn) == ["_raw_saved_other", "_raw_saved_self", "_saved_other", "_saved_self"]
    assert names(x.exp().grad_fn) == ["_raw_saved_result", "_saved_result"]
    assert names(x.sum(0).grad_fn) == ["_saved_dim", "_saved_keepdim", "_saved_self_sym_sizes"]
    node = torch.nn.functional.layer_norm(x, (3,)).grad_fn
    assert {"_saved_input", "_saved_normalized_shape", "_saved_result1", "_saved_weight"} <= set(names(node))
    for each in names(node):
        getattr(node, each)


def test_the_second_factor_of_a_product_and_sizes_that_only_torch_keeps():
    x = leaf(2, 3)
    node = (x @ x.t()).grad_fn
    assert node._saved_mat2.shape == (3, 2) and node._raw_saved_mat2.unpack().shape == (3, 2)
    assert node._saved_self_sym_sizes == (2, 3) and node._saved_mat2_sym_sizes == (3, 2)
    assert x.mean().grad_fn._saved_self_sym_numel == 6
    assert x.expand(4, 2, 3).grad_fn._saved_self_sym_sizes == (2, 3)
    assert isinstance(x[torch.tensor([0])].grad_fn._saved_indices, tuple)
    assert torch.nn.functional.conv1d(leaf(1, 2, 3), leaf(2, 2, 1)).grad_fn._saved_padding == (0,)


def test_dimensions_added_on_both_sides_of_the_dots_leave_the_gradient_whole():
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    for index in [(..., None, None), (None, ..., None, None), (None, None, ...), (..., None, slice(None), None)]:
        (found,) = torch.autograd.grad((x[index] * 3).sum(), x)
        assert found.tolist() == [[3.0, 3.0]]


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_"])
def test_a_comparison_with_a_number_has_a_place_for_the_tensor_alone(name):
    for other, places in ((2, 1), (torch.ones(3), 2)):
        x = leaf(2, 3) * 1
        getattr(x, name)(other)
        assert len(x.grad_fn.next_functions) == places


@pytest.mark.parametrize("dim", [None, 0, -2, (0, 1)])
def test_the_gradient_of_a_squeeze_that_took_nothing_is_the_one_that_arrived(dim):
    x = torch.ones(3, 4, 3, requires_grad=True)
    (grad,) = torch.autograd.grad((x.squeeze() if dim is None else x.squeeze(dim)).sum(), x)
    assert grad.stride() == (0, 0, 0)
    y = x * 1
    (grad,) = torch.autograd.grad(y.squeeze(0).pow(2).sum(), y, create_graph=True)
    assert type(grad.grad_fn).__name__ == "MulBackward0"


def test_the_gradient_of_a_squeeze_gets_its_dims_back():
    x = torch.ones(1, 3, 1, 2, requires_grad=True)
    for y in (x.squeeze(), x.squeeze((0, 2)), x.squeeze(-2)):
        (grad,) = torch.autograd.grad(y.pow(2).sum(), x)
        assert grad.shape == x.shape
        assert grad.stride() == (6, 2, 2, 1)


@pytest.mark.parametrize(
    "choose",
    [
        lambda y: y.sort(-1)[0],
        lambda y: y.max(0)[0],
        lambda y: y.topk(1, 0)[0],
        lambda y: y.median(0)[0],
        lambda y: y.index_select(0, torch.tensor([0])),
    ],
)
def test_the_gradient_of_a_choice_among_one_number_has_its_own_memory(choose):
    y = torch.tensor(2.0, requires_grad=True) * 1
    chosen = choose(y)
    one, other = torch.autograd.grad(chosen.sum(), [chosen, y])
    assert one.data_ptr() != other.data_ptr()
    assert other.item() == 1


def test_the_gradient_of_a_strided_view_is_a_part_of_memory():
    x = torch.ones(3, requires_grad=True)
    y = x * 1
    (grad,) = torch.autograd.grad(y.as_strided((1,), (1,), 2).sum(), y)
    assert grad._is_view()
    assert grad.tolist() == [0, 0, 1]
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        grad.detach_()
    (grad,) = torch.autograd.grad(y.as_strided((2,), (0,)).pow(2).sum(), y, create_graph=True)
    grad *= x
    assert type(grad.grad_fn).__name__ == "AsStridedBackward0"
    assert torch.autograd.grad(grad.sum(), x)[0].tolist() == [8, 0, 0]


def test_strided_views_of_overlapping_inputs_have_second_derivatives():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(lambda x: x.expand(2, 2).as_strided((2,), (1,)).pow(3), x)


def test_a_write_through_overlapping_windows_has_torchs_gradient():
    x = torch.zeros(3, requires_grad=True)
    y = x * 2
    windows = y.unfold(0, 2, 1)
    windows -= torch.tensor([0.0, 0.0])
    windows.sum().backward()
    assert x.grad.tolist() == [2, 4, 2]


def test_a_view_made_under_no_grad_may_be_written_into_its_own_memory():
    x = torch.ones(3, requires_grad=True)
    y = x * 3
    with torch.no_grad():
        view = y[:]
    y.mul_(view)
    assert y.tolist() == [9, 9, 9]
    y = x * 3
    with torch.no_grad():
        view = y[:]
    y.copy_(view)
    y.sum().backward()
    assert x.grad.tolist() == [0, 0, 0]


def test_single_sizes_of_inputs():
    x = leaf(1, 3, 4)
    node = torch.addbmm(leaf(3, 3), x, leaf(1, 4, 3)).grad_fn
    assert node._saved_batch1_sym_argsize_0 == 1 and node._saved_batch1_sym_argsize_1 == 3
    node = torch.nn.functional.unfold(leaf(1, 1, 3, 4), 3).grad_fn
    assert node._saved_self_sym_argsize_minus_2 == 3 and node._saved_self_sym_argsize_minus_1 == 4
    assert not hasattr(node, "_saved_foo_sym_argsize_0")


def test_values_that_are_kept_in_another_form():
    functional = torch.nn.functional
    node = leaf(2, 2).as_strided((3,), (1,), 1).grad_fn
    assert (node._saved_size, node._saved_stride, node._saved_storage_offset) == ((3,), (1,), 1)
    assert functional.interpolate(leaf(1, 1, 2), 4, mode="linear").grad_fn._saved_output_size == (4,)
    assert functional.interpolate(leaf(1, 1, 2, 3), scale_factor=2).grad_fn._saved_output_size == (4, 6)
    for bias, sizes in ((True, (2,)), (False, (0,))):
        node = torch.nn.Conv2d(1, 2, 3, bias=bias)(leaf(1, 1, 3, 3)).grad_fn
        assert node._saved_bias_sym_sizes_opt == sizes
    power = torch.pdist(leaf(2, 2), p=1).grad_fn._saved_p
    assert type(power) is float and power == 1


def test_the_second_factor_is_found_in_every_product_of_matrices():
    x, y = leaf(2, 3), leaf(3, 2)
    for product in (x.mm(y), x @ y, torch.mm(x, y)):
        assert product.grad_fn._saved_mat2.shape == (3, 2)
        assert product.grad_fn._raw_saved_mat2.unpack().shape == (3, 2)
    assert torch.bmm(leaf(1, 2, 3), leaf(1, 3, 2)).grad_fn._saved_mat2.shape == (1, 3, 2)
