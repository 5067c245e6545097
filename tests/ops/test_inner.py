"""Functions of torch's inner library: `torch._name` and `torch.ops.aten`."""

import pytest

import rushlight as torch

inf = float("inf")


def test_safe_softmax_of_nothing_but_minus_infinity_is_zero():
    x = torch.tensor([[-inf, -inf], [0.0, 0.0]], requires_grad=True)
    found = torch._safe_softmax(x, 1)
    assert found.tolist() == [[0.0, 0.0], [0.5, 0.5]]
    found.backward(torch.tensor([[1.0, 2.0], [1.0, 3.0]]))
    assert x.grad.tolist() == [[0.0, 0.0], [-0.5, 0.5]]


def test_softmax_by_its_inner_names():
    x = torch.zeros(2)
    assert torch._softmax(x, 0, False).tolist() == [0.5, 0.5]
    assert torch._log_softmax(x, 0, False).exp().tolist() == [0.5, 0.5]
    half = torch.tensor([0.5, 0.5])
    assert torch._softmax_backward_data(torch.tensor([1.0, 3.0]), half, 0, torch.float32).tolist() == [-0.5, 0.5]
    log = half.log()
    found = torch._log_softmax_backward_data(torch.tensor([1.0, 3.0]), log, 0, torch.float32)
    assert torch.allclose(found, torch.tensor([-1.0, 1.0]))
    with pytest.raises(RuntimeError, match="softmax with half to float conversion is not supported on CPU"):
        torch._softmax(x, 0, True)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Half"):
        torch._softmax_backward_data(x, x, 0, torch.float16)


def test_slice_is_a_view():
    x = torch.arange(6)
    found = torch.ops.aten.slice.Tensor(x, 0, 1, -1, 2)
    assert found.tolist() == [1, 3] and found._base is x
    assert torch.ops.aten.slice(x).tolist() == x.tolist()
    with pytest.raises(RuntimeError, match="slice step must be positive"):
        torch.ops.aten.slice(x, 0, 0, 3, 0)


def test_a_masked_index_may_point_anywhere():
    x, mask, indices = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([True, False, True]), [torch.tensor([0, 50, 2])]
    assert torch._unsafe_masked_index(x, mask, indices, 9.0).tolist() == [1.0, 9.0, 3.0]
    assert torch._unsafe_masked_index(torch.empty(0), mask, indices, 9.0).tolist() == [9.0, 9.0, 9.0]
    added = torch._unsafe_masked_index_put_accumulate(x, mask, indices, torch.ones(3))
    assert added.tolist() == [2.0, 2.0, 4.0] and x.tolist() == [1.0, 2.0, 3.0]
    assert torch._unsafe_masked_index_put_accumulate(torch.empty(0), mask, indices, torch.ones(3)).tolist() == []
    assert torch._unsafe_index(torch.arange(6).view(2, 3), [None, torch.tensor([2])]).tolist() == [[2], [5]]
    assert torch._unsafe_index_put(x, [torch.tensor([0])], torch.tensor(7.0)).tolist() == [7.0, 2.0, 3.0]


def test_chunks_of_several_tensors_stand_side_by_side():
    found = torch._chunk_cat([torch.arange(5.0), torch.arange(3.0)], 0, 2)
    assert found.tolist() == [[0, 1, 2, 0, 1], [3, 4, 0, 2, 0]]
    out = torch.empty(0)
    found = torch._chunk_cat([torch.arange(10.0).view(2, 5), torch.arange(6.0).view(2, 3)], 1, 2, out=out)
    assert found is out
    assert out.tolist() == [[[0, 1, 2, 0, 1], [3, 4, 0, 2, 0]], [[5, 6, 7, 3, 4], [8, 9, 0, 5, 0]]]


@pytest.mark.parametrize(
    ("shapes", "dim", "chunks", "words"),
    [
        ([], 0, 1, "non-empty input tensor list"),
        ([(2,)], 0, 0, "positive num_chunks"),
        ([(2, 3), (4,)], -1, 3, "non-negative dim"),
        ([(2, 3), (4,)], 1, 3, "dim < ndim"),
        ([(2, 3, 4), (4, 3)], 1, 3, "same sizes of 0,...,dim-1 dimensions"),
        ([(0,), (3,)], 0, 1, "non-empty tensor"),
    ],
)
def test_chunks_that_cannot_stand_side_by_side_are_refused(shapes, dim, chunks, words):
    with pytest.raises(RuntimeError, match=f"_chunk_cat expects .*{words}"):
        torch._chunk_cat([torch.ones(shape) for shape in shapes], dim, chunks)


def test_chunks_have_one_dtype():
    with pytest.raises(RuntimeError, match="_chunk_cat expects all input tensors with the same dtype"):
        torch._chunk_cat([torch.ones(2), torch.ones(2, dtype=torch.int64)], 0, 1)


def test_what_is_left_out_of_the_inner_library_says_why():
    with pytest.raises(AttributeError, match="dtypes of a few bits are left out"):
        torch._scaled_mm  # noqa: B018
    with pytest.raises(AttributeError, match="inside of PyTorch"):
        torch.ops.aten._flash_attention_forward  # noqa: B018


def test_rows_by_their_beginnings_and_back():
    begins = torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2, 3]), 5)
    assert begins.tolist() == [0, 2, 2, 3, 4, 4] and begins.dtype == torch.int64
    assert torch._convert_indices_from_coo_to_csr(torch.tensor([0, 1]), 2, out_int32=True).dtype == torch.int32
    assert torch._convert_indices_from_coo_to_csr(torch.tensor([], dtype=torch.long), 3).tolist() == [0, 0, 0, 0]
    crow, col = torch.tensor([0, 2, 2, 3]), torch.tensor([1, 2, 0])
    assert torch._convert_indices_from_csr_to_coo(crow, col).tolist() == [[0, 0, 2], [1, 2, 0]]
    turned = torch._convert_indices_from_csr_to_coo(crow, col, out_int32=True, transpose=True)
    assert turned.tolist() == [[1, 2, 0], [0, 0, 2]] and turned.dtype == torch.int32
    with pytest.raises(RuntimeError, match="Input is supposed to be a vector"):
        torch._convert_indices_from_coo_to_csr(torch.tensor([[0]]), 2)
    with pytest.raises(RuntimeError, match="same dimensionality"):
        torch._convert_indices_from_csr_to_coo(torch.tensor([[0, 1]]), torch.tensor([1]))


@pytest.mark.parametrize("mask", [[True, True, True], [True, False, False], [False, False, True]])
def test_a_convolution_by_the_names_of_the_inner_library(mask):
    x, w, b = torch.randn(2, 2, 5, 5), torch.randn(4, 1, 3, 3), torch.randn(4)
    options = [2, 2], [1, 1], [1, 1], False, [0, 0], 2
    for each in (x, w, b):
        each.requires_grad_()
    expected = torch.nn.functional.conv2d(x, w, b, 2, 1, 1, 2)
    made = torch._convolution(x, w, b, *options, False, False, False, False)
    assert torch.equal(made, expected)
    grad = torch.randn_like(made)
    found = torch.ops.aten.convolution_backward(grad, x, w, [4], *options, mask)
    for one, two, is_wanted in zip(found, torch.autograd.grad(expected, (x, w, b), grad), mask, strict=True):
        assert torch.allclose(one, two) if is_wanted else one is None
