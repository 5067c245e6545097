"""Writes: in-place ops, `out=` and assignment, where memory is shared or a history goes on."""

from __future__ import annotations

import warnings

import pytest

import rushlight as torch

SHARED = "unsupported operation: some elements of the input tensor"
EXPANDED = "unsupported operation: more than one element"


@pytest.mark.parametrize("name", ["eq_", "ne_", "lt_", "le_", "gt_", "ge_"])
def test_in_place_comparisons_end_the_gradient(name):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    getattr(y, name)(2.0)
    assert y.grad_fn.name() == f"{name[:-1].title()}Backward0"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
        getattr(x, name)(1.0)


def test_a_tensor_compared_in_place_with_one_that_requires_grad_requires_it_too():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = torch.tensor([1.0, 1.0])
    y.eq_(x)
    assert y.tolist() == [1, 0]
    assert y.grad_fn.name() == "EqBackward1"
    assert torch.autograd.grad(y.sum(), x)[0].tolist() == [0, 0]


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.add_(x[0]),
        lambda x: x.add_(x.T),
        lambda x: x.mul_(x[0, 0]),
        lambda x: x[1:].copy_(x[:2]),
        lambda x: x.__setitem__(slice(1, None), x[:2]),
        lambda x: x.__setitem__(x > 3, x),
        lambda x: x.index_add_(0, torch.tensor([0, 1, 2]), x),
        lambda x: x.scatter_(0, torch.zeros(3, 3, dtype=torch.int64), x),
        lambda x: x.index_put_((torch.tensor([0]),), x[1]),
        lambda x: torch.add(x[:2], 1, out=x[1:]),
        lambda x: torch.cat([x[:1]], out=x),
    ],
)
def test_what_is_read_may_not_overlap_what_is_written(write):
    x = torch.arange(9.0).reshape(3, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        write(x)
    assert x.tolist() == torch.arange(9.0).reshape(3, 3).tolist()


def test_what_is_read_may_be_what_is_written_or_lie_beside_it():
    x = torch.arange(4.0).reshape(2, 2)
    x.add_(x)
    x.add_(x[:])
    x[0] += x[1]
    assert x.tolist() == [[8, 16], [8, 12]]
    assert torch.mul(x, 2, out=x).tolist() == [[16, 32], [16, 24]]
    x[:, 0].add_(x[:, 1])
    assert x.tolist() == [[48, 32], [40, 24]]


def test_some_writes_reach_all_elements_of_an_expanded_tensor():
    mask = torch.tensor([[True, False, False], [False, True, False]])
    for write, wanted in [
        (lambda x: x.masked_fill_(mask, 7), [7, 7, 2]),
        (lambda x: x.index_fill_(1, torch.tensor([0]), 7), [7, 1, 2]),
        (lambda x: x.index_put_((torch.tensor([0, 1]), torch.tensor([0, 1])), torch.tensor([7.0, 8.0])), [7, 8, 2]),
        (lambda x: x.index_put_((torch.tensor([0, 1]),) * 2, torch.ones(2), accumulate=True), [1, 2, 2]),
        (lambda x: x.__setitem__(mask, 5.0), [5, 5, 2]),
    ]:
        x = torch.arange(3.0).expand(2, 3)
        with pytest.warns(UserWarning, match="on expanded tensors is deprecated"):
            write(x)
        assert x.tolist() == [wanted, wanted]
    for write, wanted in [
        (lambda x: x.fill_diagonal_(9), [9, 9, 2]),
        (lambda x: x.tril_(), [0, 0, 0]),
        (lambda x: x.triu_(1), [0, 0, 2]),
        (lambda x: torch.nn.functional.threshold_(x, 1, 2), [2, 2, 2]),
    ]:
        x = torch.arange(3.0).expand(2, 3)
        write(x)
        assert x.tolist() == [wanted, wanted]


@pytest.mark.parametrize(
    "write", [lambda x: x.add_(1), lambda x: x.scatter_(0, torch.tensor([[0]]), 1.0), lambda x: x.relu_()]
)
def test_most_writes_to_expanded_tensors_are_refused(write):
    with pytest.raises(RuntimeError, match=EXPANDED):
        write(torch.arange(3.0).expand(2, 3))


def test_copy_takes_a_number():
    assert torch.zeros(2).copy_(3).tolist() == [3, 3]


def test_out_may_not_require_grad():
    leaf = torch.zeros(2, requires_grad=True)
    for call in (lambda: torch.add(torch.ones(2), 1, out=leaf), lambda: torch.cumsum(torch.ones(2), 0, out=leaf)):
        with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support automatic"):
            call()
    with pytest.raises(RuntimeError, match="functions with out="):
        torch.arange(2, out=leaf)
    with torch.no_grad():
        torch.add(torch.ones(2), 1, out=leaf)
    assert leaf.tolist() == [2, 2]
    assert torch.eq(torch.ones(2), leaf.detach(), out=leaf).tolist() == [0, 0]


def test_out_of_another_shape_stays_on_its_memory_where_that_suffices():
    x = torch.arange(12.0)
    out = x[2:8]
    with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
        torch.add(torch.ones(2, 2), 1, out=out)
    assert (out.tolist(), out.storage_offset(), out.stride()) == ([[2, 2], [2, 2]], 2, (2, 1))
    assert x.tolist() == [0, 1, 2, 2, 2, 2, 6, 7, 8, 9, 10, 11]


def test_out_that_is_read_keeps_its_shape():
    x = torch.ones(3, 1)
    with pytest.raises(RuntimeError, match=r"output with shape \[3, 1\] doesn't match the broadcast shape \[3, 2\]"):
        torch.mul(x, torch.ones(2), out=x)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: torch.abs(x, out=torch.empty(2, dtype=torch.float64)), "Found dtype Double but expected Float"),
        (lambda x: torch.argmax(x, out=torch.empty(())), "Expected out tensor to have dtype long int, but got float"),
        (lambda x: torch.dot(x, x, out=torch.empty((), dtype=torch.int64)), "result dtype Long does not match"),
        (lambda x: torch.any(x, out=torch.empty(())), "any only supports bool tensor for result, got: Float"),
        (lambda x: torch.amax(x, 0, out=torch.empty((), dtype=torch.int64)), "Expected the dtype for input and out"),
        (lambda x: torch.exp(x, out=torch.empty(2, dtype=torch.int64)), "result type Float can't be cast"),
    ],
)
def test_out_of_a_dtype_that_the_result_is_not_cast_to_is_refused(call, words):
    with pytest.raises(RuntimeError, match=words):
        call(torch.tensor([1.0, 2.0]))


def test_cat_into_integers_is_a_type_error():
    with pytest.raises(TypeError, match="input types can't be cast to the desired output type Long"):
        torch.cat([torch.ones(2)], out=torch.empty(2, dtype=torch.int64))


def test_sums_are_computed_in_the_dtype_of_out():
    x = torch.tensor([1.7, 2.7])
    assert torch.sum(x, 0, out=torch.empty((), dtype=torch.int64)).item() == 3
    assert torch.cumsum(x, 0, out=torch.empty(2, dtype=torch.int64)).tolist() == [1, 3]
    halves = torch.full((300,), 1.0, dtype=torch.bfloat16)
    assert torch.sum(halves, 0, out=torch.empty(())).item() == 300


def test_several_results_go_into_named_tuples_of_their_own():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = torch.max(torch.ones(2, 2), 0, out=(torch.empty(2), torch.empty(2, dtype=torch.int64)))
    assert type(found).__name__ == "max_out"
    assert found.values.tolist() == [1, 1]


def test_a_write_through_a_view_that_reaches_beyond_another_keeps_the_whole_gradient():
    x = torch.arange(6.0, requires_grad=True)
    base = x * 1
    reaching = base[1:3].as_strided((4,), (1,), 2)
    reaching[1:].mul_(2)
    assert torch.autograd.grad(base.sum(), x)[0].tolist() == [1, 1, 1, 2, 2, 2]


def test_empty_parts_know_where_they_begin():
    x = torch.arange(12.0).view(3, 4)
    assert (x[1:1].storage_offset(), x[:, 2:2].storage_offset(), x[5:].storage_offset()) == (4, 2, 12)
    assert (x[1:1].T.storage_offset(), x[1:1, 2].storage_offset(), x.diagonal(4).storage_offset()) == (4, 6, 0)
    assert x[:, 2:2].as_strided((2,), (1,)).tolist() == [2, 3]


def test_values_under_a_mask_may_have_leading_dimensions_of_size_one():
    x, values = torch.zeros(3, 4), torch.ones(1, 1, 12, requires_grad=True)
    x[x == 0] = values
    assert x.tolist() == [[1] * 4] * 3
    x.sum().backward()
    assert values.grad.tolist() == [[[1] * 12]]
    with pytest.raises(RuntimeError, match=r"shape mismatch: value tensor of shape \[12, 1\] cannot be broadcast"):
        x[x == 1] = torch.ones(12, 1)
    with pytest.raises(RuntimeError, match="shape mismatch: value tensor"):
        x.detach().index_put_((torch.tensor([0, 1]),), torch.ones(1, 2, 4))


def test_a_mask_of_bytes_takes_no_single_number():
    x = torch.zeros(2)
    with (
        pytest.raises(RuntimeError, match="masked_fill_ only supports boolean masks"),
        warnings.catch_warnings(action="ignore"),
    ):
        x[torch.tensor([1, 0], dtype=torch.uint8)] = 3.0


def test_positions_in_what_holds_nothing_are_not_looked_at():
    assert torch.zeros(3, 0)[torch.tensor([5])].shape == (1, 0)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x**300,
        lambda x: x.add(x, alpha=300),
        lambda x: x.clamp(max=300),
        lambda x: x.clamp_min(300),
        lambda x: torch.where(x > 1, x, 300),
        lambda x: x.masked_fill(x > 1, torch.tensor(300)),
        lambda x: torch.nn.functional.pad(x, (1, 1), value=300),
        lambda x: x.addcmul(x, x, value=300),
        lambda x: x.fill_(2**63),
    ],
)
def test_numbers_that_the_dtype_does_not_hold_are_refused(call):
    with pytest.raises(RuntimeError, match="value cannot be converted to type int8_t without overflow"):
        call(torch.tensor([1, 2], dtype=torch.int8))


def test_other_numbers_wrap_around():
    x = torch.tensor([1, 2], dtype=torch.uint8)
    assert (x + 300).tolist() == [45, 46]
    assert (torch.tensor([1, 2]) + 2**63).tolist() == [-(2**63) + 1, -(2**63) + 2]


def test_one_element_of_half_precision_becomes_infinite():
    x = torch.ones(2, dtype=torch.float16)
    x[0] = 70000
    assert x.tolist() == [float("inf"), 1]


@pytest.mark.parametrize("name", ["repeat", "expand", "permute", "flip"])
def test_sizes_are_not_left_out(name):
    with pytest.raises(TypeError, match=rf"{name}\(\) missing 1 required positional arguments"):
        getattr(torch.tensor(1.0), name)()


def test_map_refuses_others_that_require_grad():
    with pytest.raises(RuntimeError, match=r"Can't call map_\(\) on Variable that requires grad"):
        torch.ones(2).map_(torch.ones(2, requires_grad=True), lambda a, b: a + b)


def test_set_takes_a_storage_and_grows_it():
    x = torch.ones(3)
    x.set_(torch.arange(4.0).untyped_storage(), 1, (2,), (1,))
    assert x.tolist() == [1, 2]
    assert x.set_(torch.zeros(4), 1, (4,), (1,)).tolist()[:3] == [0, 0, 0]


def test_resize_takes_a_memory_format():
    x = torch.ones(1, 2, 2, 2).resize_(1, 2, 2, 1, memory_format=torch.channels_last)
    assert x.stride() == (4, 1, 2, 2)


def test_logical_operations_write_to_leaves():
    x = torch.tensor([1.0, 0.0], requires_grad=True)
    x.logical_not_()
    assert x.tolist() == [0, 1] and x.is_leaf


def test_in_place_forms_name_themselves_in_errors():
    with pytest.raises(TypeError, match=r"hypot_\(\): argument 'other' \(position 1\) must be Tensor, not int"):
        torch.ones(2).hypot_(3)


def test_assignment_expands_before_it_looks_at_memory():
    x = torch.arange(4.0).view(2, 2)
    x[...] = x[:1]
    assert x.tolist() == [[0, 1], [0, 1]]
    x[None] = x
    x[True] = x
    x[x > 0] = x[0, 1]
    assert x.tolist() == [[0, 1], [0, 1]]


def test_memory_is_shared_through_data():
    x = torch.arange(6.0).view(2, 3)
    with pytest.raises(RuntimeError, match=SHARED):
        x.data.scatter_add_(0, torch.zeros(2, 3, dtype=torch.int64), x)


def test_positions_come_after_shapes():
    x = torch.ones(1, 3)
    with pytest.raises(RuntimeError, match="shape mismatch: value tensor"):
        x[torch.tensor([0, 1])] = torch.ones(4)
    with pytest.raises(RuntimeError, match="Index put requires the source and destination dtypes match"):
        x[torch.tensor([0, 1])] = torch.ones(3, dtype=torch.int64)


def test_ranges_keep_the_shape_of_out_where_it_has_room():
    out = torch.empty(2, 2)
    assert torch.arange(4, out=out).tolist() == [[0, 1], [2, 3]]
    assert torch.linspace(0, 3, 4, out=out).tolist() == [[0, 1], [2, 3]]


def test_out_that_is_resized_takes_the_layout_of_the_result():
    out = torch.empty(0)
    torch.neg(torch.arange(6.0).view(2, 3).T, out=out)
    assert out.stride() == (1, 3)


def test_changes_of_size_are_writes():
    x = torch.arange(4.0)
    view = x.view(-1)
    view.resize_(2)
    assert (x._version, view._version) == (1, 1)
    assert torch.ones(3).set_(torch.zeros(2))._version == 1


def test_nodes_of_activations_in_place():
    x = torch.ones(2, requires_grad=True)
    assert torch.nn.functional.elu(x * 1, inplace=True).grad_fn.name() == "EluBackward1"
    assert torch.nn.functional.leaky_relu_(x * 1).grad_fn.name() == "LeakyReluBackward1"


def test_broadcast_to_takes_sizes_one_by_one():
    assert torch.arange(3.0).broadcast_to(2, 3).shape == (2, 3)


def test_expanded_numbers_have_no_strides():
    assert torch.tensor(1.0).expand(2, 1).stride() == (0, 0)


def test_parts_of_empty_tensors_keep_their_strides():
    x = torch.empty(0, 3)
    assert (x.chunk(2, 1)[0].stride(), x.split(1, 1)[1].stride(), x.split(1, 1)[1].storage_offset()) == (
        (3, 1),
        (3, 1),
        1,
    )


def test_assignment_to_what_holds_nothing():
    with pytest.raises(IndexError, match="index is out of bounds for dimension with size 0"):
        torch.zeros(0, 3)[torch.tensor([0])] = torch.ones(3, dtype=torch.int64)
    torch.zeros(1, 3, 0)[torch.tensor([5])] = 1.0


@pytest.mark.parametrize("view", [lambda x: x[1:], lambda x: x.view(-1), lambda x: x[...], lambda x: x.unbind()[1]])
def test_views_of_bfloat16_keep_their_history(view):
    x = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
    found = view(x)
    assert found.grad_fn is not None
    found.sum().backward()
    assert x.grad.tolist()[1] == 1


def test_the_node_of_a_write_through_a_view_serves_one_backward():
    x = torch.zeros(3)
    x[1] = torch.tensor(2.0, requires_grad=True)
    x.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        x.sum().backward()


def test_a_tensor_copied_to_itself_stays_even_if_expanded():
    x = torch.ones(1).expand(3)
    assert x.copy_(x) is x and x._version == 1


def test_functions_that_make_tensors_decide_whether_out_requires_grad():
    leaf = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"aten::arange\(\): functions with out="):
        torch.arange(3, out=leaf)
    with torch.no_grad():
        torch.arange(3, out=leaf)
    assert not leaf.requires_grad
    assert torch.zeros(2, out=torch.ones(2), requires_grad=True).requires_grad


@pytest.mark.parametrize(
    "call",
    [
        lambda x, out: torch.index_select(x, 1, torch.tensor([0, 1]), out=out),
        lambda x, out: torch.take(x, torch.tensor([0, 1]), out=out),
        lambda x, out: torch.masked_select(x, x > 0, out=out),
    ],
)
def test_ops_that_pick_look_at_an_expanded_out_before_it_gets_another_size(call):
    with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
        call(torch.ones(3, 6), torch.ones(5).expand(7, 5))


def test_a_leaf_is_refused_before_the_indices_are_looked_at():
    number = torch.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        number.index_put_((torch.tensor([0, 0]),), torch.tensor(2.0))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (2, 0), (0, 0, 0)])
def test_an_empty_index_of_any_dimensions_scatters_nothing(shape):
    x, index, source = torch.arange(6.0).view(2, 3), torch.empty(shape, dtype=torch.long), torch.ones(2, 3)
    for made in (
        x.scatter(0, index, source),
        x.scatter(0, index, 7.0),
        x.scatter_add(0, index, source),
        x.scatter_reduce(0, index, source, "sum"),
        x.clone().scatter_(0, index, source),
    ):
        assert made.tolist() == x.tolist()
    assert x.gather(0, index).shape == shape


def test_a_gradient_passes_a_scatter_by_an_empty_index_of_fewer_dimensions():
    x = torch.ones(2, 3, requires_grad=True)
    x.scatter(0, torch.empty(0, dtype=torch.long), torch.ones(2, 3)).sum().backward()
    assert x.grad.tolist() == [[1, 1, 1], [1, 1, 1]]
