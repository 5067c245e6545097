"""Attributes, storages, pickles and copies of tensors."""

import copy
import pickle

import pytest

import rushlight as torch


def through_pickle(value):
    return pickle.loads(pickle.dumps(value))


def test_a_tensor_on_the_cpu_answers_as_torch_does():
    tensor = torch.ones(2, 3)
    assert tensor.device == torch.device("cpu")
    assert tensor.get_device() == -1
    assert tensor.layout is torch.strided
    assert tensor.is_cpu
    assert not (tensor.is_cuda or tensor.is_sparse or tensor.is_meta or tensor.is_quantized)
    assert not tensor.is_pinned()
    assert not tensor.is_shared()
    assert not tensor.is_inference()
    assert tensor.is_same_size(torch.zeros(2, 3))
    assert (tensor.itemsize, tensor.nbytes, tensor.element_size()) == (4, 24, 4)


def test_what_a_cpu_lacks_is_refused():
    with pytest.raises(RuntimeError, match="pin_memory=True requires"):
        torch.ones(2).pin_memory()


def test_storages_show_the_memory_that_views_share():
    tensor = torch.arange(6.0).view(2, 3)
    row = tensor[1]
    assert row.storage_offset() == 3
    assert row.storage().tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert row.untyped_storage().data_ptr() == tensor.data_ptr() == tensor.storage().data_ptr()
    assert row.untyped_storage() == tensor.untyped_storage()
    assert hash(row.untyped_storage()) == hash(tensor.untyped_storage())
    assert tensor.untyped_storage() != torch.ones(2).untyped_storage()
    assert tensor.untyped_storage().nbytes() == tensor.untyped_storage().size() == 24
    assert (tensor.storage().size(), tensor.storage().nbytes(), tensor.storage().element_size()) == (6, 24, 4)
    assert tensor.storage().dtype is torch.float32
    assert tensor.storage().device == tensor.untyped_storage().device == torch.device("cpu")
    assert list(tensor.storage().untyped())[:4] == [0, 0, 0, 0]
    tensor.storage()[0] = 7
    assert tensor[0, 0].item() == 7
    assert tensor.storage().tolist()[0] == next(iter(tensor.storage())) == tensor.storage()[0] == 7
    tensor.untyped_storage()[3] = 0
    assert tensor.untyped_storage()[3] == 0
    assert repr(torch.ones(1).storage()) == (
        " 1.0\n[torch.storage.TypedStorage(dtype=torch.float32, device=cpu) of size 1]"
    )
    assert repr(torch.ones(1, dtype=torch.uint8).untyped_storage()) == (
        " 1\n[torch.storage.UntypedStorage(device=cpu) of size 1]"
    )
    assert torch.ones(0).storage().data_ptr() == torch.ones(0).untyped_storage().data_ptr() == 0


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).view(2, 3).T,
        torch.tensor(2.5, dtype=torch.bfloat16),
        torch.zeros(0, 3),
        torch.ones(3, 1).expand(3, 4),
        torch.arange(10)[2:8:2],
        torch.ones(2, requires_grad=True),
    ],
)
def test_a_pickle_keeps_values_dtype_and_strides(tensor):
    back = through_pickle(tensor)
    assert back.tolist() == tensor.tolist()
    assert (back.dtype, back.stride()) == (tensor.dtype, tensor.stride())
    assert (back.storage_offset(), back.requires_grad) == (tensor.storage_offset(), tensor.requires_grad)


def test_tensors_in_one_pickle_still_share_memory():
    whole = torch.arange(6.0)
    back, part = through_pickle((whole, whole[2:4]))
    back.add_(10)
    assert part.tolist() == [12.0, 13.0]
    assert whole.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_result_comes_out_of_a_pickle_as_a_leaf():
    back = through_pickle(torch.ones(2, requires_grad=True) * 2)
    assert back.requires_grad
    assert back.is_leaf


def test_deep_copies_share_among_themselves_only():
    whole = torch.arange(4.0)
    copied, part = copy.deepcopy([whole, whole[1:]])
    copied.add_(1)
    assert part.tolist() == [2.0, 3.0, 4.0]
    assert whole.tolist() == [0.0, 1.0, 2.0, 3.0]
    one, other = copy.deepcopy([whole, whole])
    assert one is other


def test_a_deep_copy_takes_the_gradient_along():
    leaf = torch.ones(2, requires_grad=True)
    (leaf * 2).sum().backward()
    copied = copy.deepcopy(leaf)
    assert copied.requires_grad
    assert copied.grad.tolist() == [2.0, 2.0]
    assert copied.grad is not leaf.grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(leaf * 2)


def test_a_plain_copy_shares_memory():
    tensor = torch.ones(2)
    copy.copy(tensor).add_(1)
    assert tensor.tolist() == [2.0, 2.0]


def test_the_users_own_attributes_survive():
    tensor = torch.ones(2)
    tensor.tag = "mine"
    for copied in (through_pickle(tensor), copy.deepcopy(tensor), copy.copy(tensor)):
        assert copied.tag == "mine"


def test_a_subclass_is_kept_and_printed_under_its_name():
    class Marked(torch.Tensor):
        pass

    made = Marked([1, 2])
    assert type(made) is Marked
    assert repr(made) == "Marked([1., 2.])"
    assert type(copy.deepcopy(made)) is Marked
    leaf = torch.ones(2, requires_grad=True)
    seen = (leaf * 2).as_subclass(Marked)
    assert type(seen) is Marked
    assert seen.grad_fn is not None
    parameter = torch.Tensor._make_subclass(Marked, torch.ones(2), True)
    assert parameter.is_leaf
    assert parameter.requires_grad
    with pytest.raises(TypeError, match="must be a subclass of Tensor"):
        leaf.as_subclass(int)


def test_legacy_constructors_take_sizes_or_data():
    assert torch.Tensor(2, 3).shape == torch.Tensor(torch.Size([2, 3])).shape == (2, 3)
    assert torch.Tensor().shape == (0,)
    assert torch.Tensor([1, 2]).dtype is torch.float32
    assert torch.Tensor(2, device="cpu").shape == (2,)
    source = torch.ones(2, dtype=torch.int64)
    assert torch.Tensor(source).data_ptr() == source.data_ptr()
    assert torch.LongTensor([1.5]).tolist() == [1]
    assert torch.BoolTensor([1, 0]).tolist() == [True, False]
    assert torch.IntTensor(2, 3).dtype is torch.int32
    assert torch.LongTensor(source).data_ptr() == source.data_ptr()
    assert torch.ones(1).new(2, 2).shape == (2, 2)
    assert source.new([3.5]).tolist() == [3]


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: torch.Tensor(5.0), TypeError, r"new\(\): data must be a sequence \(got float\)"),
        (lambda: torch.Tensor(True), TypeError, r"new\(\): data must be a sequence \(got bool\)"),
        (lambda: torch.Tensor([1], [2]), TypeError, r"new\(\)"),
        (lambda: torch.Tensor(-1), RuntimeError, "negative dimension -1"),
        (lambda: torch.Tensor([1], dtype=torch.int64), TypeError, "invalid combination of arguments"),
        (lambda: torch.DoubleTensor(torch.ones(2)), TypeError, "expected Double"),
        (lambda: torch.FloatTensor(2, device="cuda"), AssertionError, "CUDA"),
    ],
)
def test_legacy_constructors_refuse(make, error, words):
    with pytest.raises(error, match=words):
        make()


def test_types_know_their_tensors():
    tensor = torch.ones(2)
    assert isinstance(tensor, torch.FloatTensor)
    assert not isinstance(tensor, torch.LongTensor)
    assert not isinstance(3, torch.FloatTensor)
    assert repr(torch.FloatTensor) == "<class 'torch.FloatTensor'>"
    assert torch.HalfTensor.dtype is torch.float16


def test_sizes_are_tuples_of_integers():
    size = torch.Size([2, torch.tensor(3)])
    assert size == (2, 3)
    assert size.numel() == 6
    assert repr((1, *size[1:])) == "(1, 3)"
    assert repr((1,) + size) == "torch.Size([1, 2, 3])"  # noqa: RUF005
    assert repr(size + (4,)) == "torch.Size([2, 3, 4])"  # noqa: RUF005
    assert repr(size[1:] * 2) == "torch.Size([3, 3])"
    assert through_pickle(size) == size
    with pytest.raises(TypeError, match=r"takes an iterable of 'int' .item 1 is 'float'."):
        torch.Size([1, 1.5])
