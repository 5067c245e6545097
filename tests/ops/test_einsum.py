"""Sums of products of operands that have several dtypes, or are bools."""

import pytest

import rushlight as torch


def ones(dtype, *shape):
    return torch.ones(shape, dtype=dtype)


@pytest.mark.parametrize(
    ("equation", "shapes"), [("i,i->i", [(3,), (3,)]), ("i,j->ij", [(3,), (2,)]), ("i,i->", [(3,), (1,)])]
)
def test_where_no_products_are_added_einsum_promotes(equation, shapes):
    first, second = shapes
    found = torch.einsum(equation, ones(torch.float32, *first), ones(torch.complex64, *second))
    assert found.dtype is torch.complex64
    assert torch.einsum(equation, ones(torch.bool, *first), ones(torch.int64, *second)).dtype is torch.int64


def test_a_size_of_one_is_summed_before_it_is_multiplied():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert torch.einsum("ij,jk->ik", x, torch.tensor([[2, 3]])).tolist() == [[6.0, 9.0], [14.0, 21.0]]


def test_three_operands_are_multiplied_one_after_another():
    x = torch.tensor([1.0, 2.0])
    found = torch.einsum("i,j,j->i", x, torch.tensor([3.0]), torch.tensor([5], dtype=torch.int64))
    assert found.tolist() == [15.0, 30.0]


def test_an_empty_sum_has_the_dtype_of_the_second():
    found = torch.einsum("ij,j->i", ones(torch.complex64, 2, 0), ones(torch.float32, 0))
    assert found.dtype is torch.float32 and found.tolist() == [0.0, 0.0]


def test_a_sum_of_products_looks_at_the_first_dtype_and_then_for_the_same():
    with pytest.raises(NotImplementedError, match="\"bmm\" not implemented for 'Bool'"):
        torch.einsum("i,i->", ones(torch.bool, 2), ones(torch.float32, 2))
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Bool"):
        torch.einsum("i,i->", ones(torch.float32, 2), ones(torch.bool, 2))
    with pytest.raises(NotImplementedError, match="\"bmm\" not implemented for 'Bool'"):
        torch.matmul(ones(torch.bool, 2, 2, 2), ones(torch.float32, 2, 2, 2))


def test_sizes_under_dots_are_refused_by_their_dimension():
    words = (
        r"einsum\(\): dimension 0 covered by ellipsis in operand 1has size 5 which does not broadcast with previously"
    )
    with pytest.raises(RuntimeError, match=words):
        torch.einsum("...j,...j->...", torch.ones(2, 4, 3), torch.ones(5, 3))
    with pytest.raises(RuntimeError, match="dimension 1 covered by ellipsis in operand 1has size 5"):
        torch.einsum("a...,b...->ab...", torch.ones(2, 4), torch.ones(3, 5))


def test_an_empty_sum_in_integers_cannot_be_differentiated():
    with pytest.raises(RuntimeError, match="Autograd not support dtype: Long"):
        torch.einsum("...i,...i->...", torch.ones(4, 0).requires_grad_(), ones(torch.int64, 4, 0))


def test_integers_are_summed_to_int64_before_they_are_multiplied_where_the_other_has_one():
    found = torch.einsum("ij,ij->i", ones(torch.uint8, 2, 1), ones(torch.uint8, 2, 3))
    assert found.dtype is torch.int64 and found.tolist() == [3, 3]
    assert torch.einsum("ij,ij->i", ones(torch.uint8, 2, 3), ones(torch.uint8, 2, 3)).dtype is torch.uint8


@pytest.mark.parametrize("equation, shape", [("ij,jk->ki", (4, 2)), ("ij,jk->ik", (2, 4))])
def test_results_lie_by_rows_in_the_order_of_the_output(equation, shape):
    found = torch.einsum(equation, ones(torch.int64, 2, 3), ones(torch.int64, 3, 4))
    assert found.shape == shape and found.is_contiguous()


def test_the_operand_that_is_met_first_names_the_dtype():
    operands = torch.ones(2, 3), ones(torch.float64, 3, 4)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        torch.einsum("ij,jk->ik", *operands)
    with pytest.raises(RuntimeError, match="expected scalar type Double but found Float"):
        torch.einsum("ij,jk->ki", *operands)


@pytest.mark.parametrize("largest", [9, 2**40])
def test_integers_are_multiplied_exactly(largest):
    x, y = (torch.randint(-largest, largest, (40, 40)) for _ in range(2))
    expected = x.numpy().astype(object) @ y.numpy().astype(object)
    wrapped = [[(each + 2**63) % 2**64 - 2**63 for each in row] for row in expected.tolist()]
    assert torch.einsum("ij,jk->ik", x, y).tolist() == wrapped
    assert torch.einsum("ji,jk->ki", x.T, y).tolist() == [list(column) for column in zip(*wrapped, strict=True)]


@pytest.mark.parametrize(
    ("equation", "shapes", "strides"),
    [
        ("btd,cdhe->cbhte", [(4, 5, 6), (3, 6, 2, 7)], (14, 210, 7, 42, 1)),
        ("ibj,bkj->ibk", [(2, 5, 3), (5, 4, 3)], (4, 8, 1)),
        ("egd,gd->ed", [(2, 4, 3), (4, 3)], (1, 2)),
        ("f,gcf,fc->fgc", [(2,), (3, 2, 2), (2, 2)], (1, 4, 2)),
        ("fga,a->af", [(3, 4, 2), (2,)], (3, 1)),
        ("abj,jk->kab", [(2, 3, 4), (4, 5)], (6, 3, 1)),
        ("abj,jk->kab", [(2, 1, 4), (4, 5)], (1, 5, 1)),
    ],
)
def test_results_lie_in_memory_as_products_of_matrices_leave_them(equation, shapes, strides):
    found = torch.einsum(equation, *[torch.ones(shape) for shape in shapes])
    wide = [dim for dim, size in enumerate(found.shape) if size > 1]
    assert [found.stride(dim) for dim in wide] == [strides[dim] for dim in wide]


def test_the_graph_of_a_sum_of_products_ends_as_it_does_in_torch():
    x, y = torch.ones(2, 3, requires_grad=True), torch.ones(3, 4, requires_grad=True)
    names = {"ij,jk->ik": "View", "ij,jk->ki": "View", "ij,kl->ijkl": "Mul", "ij,kl->ijk": "View", "ij,jk->": "View"}
    for equation, name in names.items():
        assert torch.einsum(equation, x, y).grad_fn.name() == f"{name}Backward0", equation


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [("i,i->", [(3,), (3,)]), ("i,j->", [(3,), (2,)]), ("ii,i->", [(3, 3), (3,)]), ("ij,ij->i", [(2, 3), (1, 3)])],
)
def test_a_sum_of_products_is_a_view_of_the_product_of_matrices(equation, shapes):
    found = torch.einsum(equation, *[torch.ones(shape) for shape in shapes])
    assert found._is_view()
    # so what shows the result does not follow when the result becomes a leaf
    shown = found[...]
    found.requires_grad = True
    assert not shown.requires_grad


def test_a_written_element_of_a_sum_of_products_leaves_a_strided_view():
    found = torch.einsum("ij,ij->i", torch.ones(2, 3, requires_grad=True), torch.ones(1, 3))
    assert found.grad_fn.name() == "ViewBackward0"
    found[0] = 1.5
    assert found.grad_fn.name() == "AsStridedBackward0"


@pytest.mark.parametrize(("equation", "sizes"), [("i,j->ij", (1, 4)), ("i,j->ji", (4, 1)), ("i,j->ij", (4, 1))])
def test_an_outer_product_with_one_element_has_the_strides_of_operands_unsqueezed_at_their_ends(equation, sizes):
    assert torch.einsum(equation, *[torch.ones(size) for size in sizes]).stride() == (1, 1)
