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
