"""Views share memory and history with their base; writes through either reach both."""

import copy

import pytest

import rushlight as torch


def leaf(*shape):
    count = torch.Size(shape).numel()
    return torch.arange(1.0, count + 1).reshape(shape).requires_grad_()


def name(tensor):
    return None if tensor.grad_fn is None else type(tensor.grad_fn).__name__


VIEWS = {
    "view": lambda x: x.view(4, 3),
    "reshape": lambda x: x.reshape(-1),
    "transpose": lambda x: x.transpose(0, 1),
    "T": lambda x: x.T,
    "permute": lambda x: x.permute(1, 0),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x.squeeze(),
    "expand": lambda x: x.expand(2, 3, 4),
    "select": lambda x: x.select(0, 1),
    "narrow": lambda x: x.narrow(1, 1, 2),
    "diagonal": lambda x: x.diagonal(1),
    "unfold": lambda x: x.unfold(1, 2, 2),
    "as_strided": lambda x: x.as_strided((2, 2), (4, 1), 1),
    "split": lambda x: x.split(2)[1],
    "chunk": lambda x: x.chunk(2, 1)[1],
    "unbind": lambda x: x.unbind(1)[2],
    "tensor_split": lambda x: x.tensor_split(2)[1],
    "view_as": lambda x: x.view_as(x),
}


@pytest.mark.parametrize("made", VIEWS.values(), ids=VIEWS)
def test_a_view_knows_its_base_and_shares_its_memory(made):
    base = torch.zeros(3, 4)
    view = made(base)
    assert view._is_view() and view._base is base
    base.fill_(7)
    assert (view == 7).all()
    assert view._version == base._version == 1


@pytest.mark.parametrize("made", VIEWS.values(), ids=VIEWS)
def test_gradients_flow_through_a_view(made):
    x = leaf(3, 4)
    made(x * 1).sum().backward()
    counted = torch.zeros(3, 4)
    for place in range(12):
        one = torch.zeros(12)
        one[place] = 1
        counted.view(-1)[place] = made(one.view(3, 4)).sum()
    assert torch.equal(x.grad, counted)


def test_a_view_of_a_view_has_the_first_base():
    base = torch.zeros(3, 4)
    view = base.t()[1:].unsqueeze(0)
    assert view._base is base
    assert view.stride() == (3, 1, 4)
    assert view.storage_offset() == 1


def test_the_strides_of_dimensions_of_size_one_are_those_of_torch():
    x = torch.zeros(3, 4)
    assert x.unsqueeze(0).stride() == (12, 4, 1)
    assert x.unsqueeze(2).stride() == (4, 1, 1)
    assert x.t().unsqueeze(2).stride() == (1, 4, 1)
    assert x.t().unsqueeze(0).stride() == (4, 1, 4)
    assert x[:, :1].unsqueeze(0).stride() == (12, 4, 1)
    assert x.unsqueeze(0).transpose(0, 2).stride() == (1, 4, 12)
    assert torch.zeros(3).expand(1, 3).stride() == (3, 1)
    assert torch.zeros(3).expand(2, 3).stride() == (0, 1)


def test_the_strides_of_empty_tensors_are_those_of_torch():
    empty = torch.zeros(0, 3)
    assert empty.stride() == (3, 1)
    assert empty.t().stride() == (1, 3)
    assert empty.view(3, 0).stride() == (1, 1)
    assert empty.expand(2, 0, 3).stride() == (0, 3, 1)
    assert torch.zeros(3, 0).unsqueeze(1).stride() == (1, 0, 1)
    assert torch.zeros(3, 4).narrow(0, 3, 0).storage_offset() == 12


def test_a_write_through_a_view_becomes_history_of_its_base():
    x, z = leaf(3, 2), leaf(2)
    y = x * 1
    row = y[1]
    row.mul_(z)
    assert name(y) == "CopySlices"
    assert name(row) == "AsStridedBackward0"
    (y * y).sum().backward()
    assert x.grad.tolist() == [[2, 4], [6, 32], [10, 12]]
    assert z.grad.tolist() == [18, 64]


def test_a_write_to_the_base_becomes_history_of_its_views():
    x = leaf(4)
    y = x * 1
    part = y[1:3]
    assert name(part) == "SliceBackward0"
    y.mul_(3)
    assert name(part) == "AsStridedBackward0"
    part.sum().backward()
    assert x.grad.tolist() == [0, 3, 3, 0]


def test_a_write_through_one_view_is_seen_by_the_others():
    x = leaf(2, 2)
    y = x * 1
    column, row = y[:, 0], y[0]
    column.mul_(10)
    row.sum().backward()
    assert x.grad.tolist() == [[10, 1], [0, 0]]


def test_a_chain_of_views_and_writes():
    x = leaf(2, 3)
    y = x * 2
    inner = y.t()[1:].unsqueeze(0)
    inner.mul_(inner.detach().clone())
    y[:, 2] = 0
    (y**2).sum().backward()
    # column 1: (2x)(c) with c = 2x held fixed; column 2 was overwritten
    assert x.grad.tolist() == [[8, 2 * 16 * 8, 0], [32, 2 * 100 * 20, 0]]


def test_a_constant_becomes_part_of_the_graph_when_history_is_written_into_it():
    x = leaf(2)
    table = torch.zeros(3, 2)
    row = table[1]
    assert not table.requires_grad and not row.requires_grad
    row.copy_(x)
    assert table.requires_grad and row.requires_grad and not table.is_leaf
    (table * 2).sum().backward()
    assert x.grad.tolist() == [2, 2]


def test_an_in_place_argument_that_views_the_target_keeps_its_old_history():
    x = leaf(2, 2)
    y = x * 1
    y[1].add_(y[0])
    y.sum().backward()
    assert x.grad.tolist() == [[2, 2], [1, 1]]


def test_multiplying_a_tensor_by_itself_in_place_is_refused_at_backward():
    y = leaf(2) * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


@pytest.mark.parametrize("several", ["split", "chunk", "unbind"])
def test_a_write_through_one_of_several_views_is_refused(several):
    y = leaf(4, 2) * 1
    parts = getattr(y, several)(*(() if several == "unbind" else (2,)))
    before = y.tolist()
    with pytest.raises(RuntimeError, match=r"Output 1 of (Split|Unbind) is a view and is being modified inplace"):
        parts[1].mul_(2)
    with pytest.raises(RuntimeError, match="is a view and is being"):
        parts[1].view(-1).mul_(2)
    assert y.tolist() == before and y._version == 0


def test_one_of_several_views_is_refused_after_its_base_was_written():
    y = leaf(4) * 1
    first, _ = y.split(2)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        first.sum()


def test_several_views_may_be_written_where_nothing_is_recorded():
    y = torch.zeros(4)
    for place, part in enumerate(y.unbind()):
        part.fill_(place)
    assert y.tolist() == [0, 1, 2, 3]


def test_a_leaf_that_requires_grad_refuses_writes():
    x = leaf(3)
    for write in (
        lambda: x.add_(1),
        lambda: x.zero_(),
        lambda: x.unsqueeze_(0),
        lambda: x.copy_(torch.zeros(3)),
    ):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
            write()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        x[1:].mul_(2)
    with torch.no_grad():
        x[1:].mul_(2)
    assert x.tolist() == [1, 4, 6] and x._version == 1 and x.is_leaf


def test_a_view_made_without_recording_refuses_a_recorded_write():
    y = leaf(3) * 1
    with torch.no_grad():
        view = y[1:]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view.mul_(2)
    with pytest.raises(RuntimeError, match="is a view of a view which was created in no_grad mode"):
        view.view(-1).mul_(2)
    with torch.no_grad():
        view.mul_(2)
    assert y.tolist() == [1, 4, 6]


def test_expanded_memory_refuses_writes_but_of_one_value():
    base = torch.zeros(3, 1)
    wide = base.expand(3, 4)
    for write in (lambda: wide.add_(1), lambda: wide.copy_(torch.ones(3, 4)), lambda: wide.mul_(2)):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single"):
            write()
    wide.fill_(2)
    assert base.tolist() == [[2], [2], [2]]


def test_detach_shares_memory_and_version_but_no_history():
    y = leaf(3) * 1
    squares = y * y
    apart = y.detach()
    assert not apart.requires_grad and apart.is_leaf
    apart.mul_(2)
    assert y.tolist() == [2, 4, 6] and y._version == 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squares.sum().backward()


def test_detach_in_place_forgets_the_history_and_refuses_views():
    y = leaf(3) * 1
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        y[1:].detach_()
    y.detach_()
    assert y.is_leaf and not y.requires_grad


def test_in_place_changes_of_shape_keep_memory_and_history():
    x = leaf(2, 3)
    y = x * 1
    pointer = y.data_ptr()
    y.unsqueeze_(0)
    assert (name(y), tuple(y.shape), y._version) == ("UnsqueezeBackward1", (1, 2, 3), 1)
    y.squeeze_()
    assert name(y) == "SqueezeBackward3"
    y.t_()
    assert (name(y), y.stride()) == ("TBackward1", (1, 3))
    y.transpose_(0, 1)
    assert (name(y), y.data_ptr()) == ("TransposeBackward1", pointer)
    y.as_strided_((2,), (3,), 1)
    assert (name(y), y.tolist()) == ("AsStridedBackward1", [2, 5])
    y.sum().backward()
    assert x.grad.tolist() == [[0, 1, 0], [0, 1, 0]]


def test_a_view_that_changes_its_shape_in_place_stays_a_view():
    x = leaf(2, 3)
    y = x * 1
    row = y[1].unsqueeze_(0)
    assert row._is_view() and row._base is y and name(y) == "MulBackward0"
    row.mul_(2)
    assert name(y) == "CopySlices"
    y.sum().backward()
    assert x.grad.tolist() == [[1, 1, 1], [2, 2, 2]]


def test_resize_keeps_what_fits_and_refuses_history():
    y = torch.arange(6.0).view(2, 3)
    pointer = y.data_ptr()
    assert y.resize_(2, 2).tolist() == [[0, 1], [2, 3]] and y.data_ptr() == pointer
    assert y.resize_(3, 3).view(-1)[:6].tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        leaf(2).resize_(3)


def test_set_looks_at_another_tensor():
    y, z = torch.zeros(3), torch.ones(2, 2)
    y.set_(z)
    y.mul_(4)
    assert z.tolist() == [[4, 4], [4, 4]] and y.data_ptr() == z.data_ptr()
    with pytest.raises(RuntimeError, match="Could not set tensor of type"):
        y.set_(torch.zeros(2, dtype=torch.int64))


def test_a_view_as_another_dtype_shares_memory_and_takes_no_gradient():
    x = leaf(2)
    bits = x.view(torch.int32)
    assert bits.dtype is torch.int32 and not bits.requires_grad
    assert x.detach().view(torch.uint8).shape == (8,)
    with pytest.raises(RuntimeError, match="must be divisible by 2"):
        torch.zeros(3).view(torch.float64)
    with pytest.raises(RuntimeError, match=r"self.dim\(\) cannot be 0"):
        torch.zeros(()).view(torch.float64)
    with pytest.raises(RuntimeError, match=r"self.stride\(-1\) must be 1"):
        torch.zeros(4, 4).t().view(torch.float64)


def test_second_derivatives_flow_through_writes():
    x = leaf(2, 2)
    y = x * x
    y[0].mul_(x[1])
    (first,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    # f = a^4 c^2 + b^4 d^2 + c^4 + d^4 for x = [[a, b], [c, d]] = [[1, 2], [3, 4]]
    assert second.tolist() == [
        [12 * 9 + 8 * 3, 12 * 4 * 16 + 8 * 8 * 4],
        [8 * 3 + 2 + 12 * 9, 8 * 8 * 4 + 2 * 16 + 12 * 16],
    ]


def test_clone_keeps_dense_strides_and_packs_others():
    x = torch.zeros(3, 4)
    assert x.t().clone().stride() == (1, 4)
    assert x.t().contiguous().stride() == (3, 1)
    assert x.contiguous() is x
    assert x[:, ::2].clone().stride() == (2, 1)
    assert torch.zeros(3, 1).expand(3, 4).clone().stride() == (4, 1)
    image = torch.zeros(2, 3, 4, 5)
    last = image.contiguous(memory_format=torch.channels_last)
    assert last.stride() == (60, 1, 15, 3)
    assert last.is_contiguous(memory_format=torch.channels_last) and not last.is_contiguous()


def test_copy_casts_broadcasts_and_differentiates():
    x = leaf(3)
    y = torch.zeros(2, 3, dtype=torch.float64)
    y.copy_(x)
    assert name(y) == "CopyBackwards"
    y.sum().backward()
    assert x.grad.tolist() == [2, 2, 2] and x.grad.dtype is torch.float32
    assert torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.7, -1.7])).tolist() == [1, -1]
    with pytest.raises(RuntimeError, match="The size of tensor a"):
        torch.zeros(3).copy_(torch.zeros(4))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.zeros(3).copy_(torch.zeros(2, 3))
    with pytest.raises(TypeError, match="must be Tensor"):
        torch.zeros(3).copy_([1, 2, 3])


def test_a_failed_write_leaves_the_tensor_alone():
    y = torch.zeros(3, dtype=torch.int8)
    with pytest.raises(RuntimeError, match="value cannot be converted to type"):
        y.fill_(300)
    with pytest.raises(RuntimeError, match="fill_ only supports 0-dimension value tensor"):
        y.fill_(torch.zeros(3, dtype=torch.int8))
    assert y.tolist() == [0, 0, 0] and y._version == 0


def test_writes_through_real_views_of_complex_numbers_reach_their_history():
    x = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
    y = x * 1
    torch.view_as_real(y).mul_(2.0)
    y.real.mul_(torch.tensor([1.0, 3.0]))
    (y.real * torch.tensor([1.0, 2.0]) + y.imag * torch.tensor([5.0, 7.0])).sum().backward()
    assert x.grad.tolist() == [2 + 10j, 12 + 14j]


def test_a_complex_view_of_pairs_is_written_through():
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = a * 1
    torch.view_as_complex(b).mul_(1j)
    (b * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert a.grad.tolist() == [[2.0, -1.0], [4.0, -3.0]]


def test_moving_the_dimensions_of_a_number_gives_a_view():
    x = torch.tensor(1.0, requires_grad=True)
    assert x.movedim(-1, 0) is not x and x.movedim(-1, 0).grad_fn.name() == "AliasBackward0"


def test_whole_numbers_cannot_require_grad():
    x = torch.tensor([5, 0])
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        x.requires_grad_()
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype can require gradients"):
        x.requires_grad = True
    assert not x.requires_grad_(False).requires_grad


def test_empty_views_begin_anywhere_and_are_copied_with_their_place():
    late = torch.zeros(3).as_strided((0, 1), (3, 1), 4)
    assert (late.storage_offset(), copy.deepcopy(late).storage_offset()) == (4, 4)
    with pytest.raises(RuntimeError, match="Tensor: invalid storage offset -4"):
        torch.zeros(3).as_strided((0, 1), (3, 1), -4)


def test_a_number_that_was_expanded_to_a_number_has_a_gradient_of_its_own():
    x = torch.tensor(2.0, requires_grad=True)
    y = x.expand(())
    one, two = torch.autograd.grad(y.sum(), [y, x])
    one.add_(5)
    assert two.item() == 1


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_integers_seen_through_a_view_that_cannot_follow_take_copies_alone(dtype):
    wanting = torch.ones(2, 2, requires_grad=True) * 1

    def part():
        return torch.zeros(2, 4, dtype=dtype).chunk(2, 1)[0]

    writes = (
        lambda view: view.ne_(wanting),
        lambda view: view.add_(wanting),
        lambda view: view.fill_(wanting[0, 0]),
        lambda view: view.masked_fill_(wanting > 0, wanting[0, 0]),
        lambda view: view.__setitem__(wanting > 0, wanting[0, 0]),
    )
    for write in writes:
        with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
            write(part())
    view = part().copy_(wanting)
    view[0] = wanting[0] * 0
    view.logical_and_(wanting)
    view.ne_(torch.ones(2, 2))
    assert not view.requires_grad
