"""UntypedStorage: one object for the memory that tensors share, which can be sliced, mapped, resized and copied."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import rushlight as torch

Bytes = torch.UntypedStorage


def test_a_tensor_and_its_views_have_one_storage():
    x = torch.arange(4.0)
    storage = x.untyped_storage()
    assert storage is x.untyped_storage() is x[1:].untyped_storage() is x.data.untyped_storage()
    assert storage is x.detach().untyped_storage() is x.view(torch.int32).untyped_storage()
    assert storage == x.untyped_storage() and storage != storage.clone()
    assert storage._cdata == x[2:].untyped_storage()._cdata and storage.data_ptr() == x.data_ptr()
    assert x.clone().untyped_storage()._cdata != storage._cdata


def test_a_storage_is_made_of_a_size_or_of_bytes():
    assert Bytes(3).nbytes() == 3 and Bytes().tolist() == [] and Bytes(size=2).size() == 2
    assert Bytes([1, 2, 300]).tolist() == [1, 2, 44] and Bytes(b"ab").tolist() == [97, 98]
    with pytest.raises(RuntimeError, match=r"torch.UntypedStorage\(\): Expected a sequence type, but got float"):
        Bytes(2.5)
    with pytest.raises(RuntimeError, match="one of the items was of type float instead of int"):
        Bytes([1.5])
    with pytest.raises(RuntimeError, match=r"\(\(ptrdiff_t\)nbytes\) >= 0"):
        Bytes(-1)
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        Bytes(3, 4)


def test_bytes_are_read_and_written():
    x = torch.tensor([1, 2], dtype=torch.int16)
    storage = x.untyped_storage()
    assert storage[0] == 1 and storage[-2] == 2 and list(storage) == [1, 0, 2, 0]
    storage[1] = 1
    storage[2:4] = 0
    assert x.tolist() == [257, 0]
    assert storage.fill_(-1) is storage and x.tolist() == [-1, -1]
    storage.copy_(Bytes([1, 0, 1, 0]))
    assert x.tolist() == [1, 1]
    storage.byteswap(torch.int16)
    assert x.tolist() == [256, 256]
    with pytest.raises(IndexError, match="index 9 out of range for storage of size 4"):
        storage[9]
    with pytest.raises(RuntimeError, match="only a step of 1 is supported"):
        storage[0:4:2]
    with pytest.raises(TypeError, match=r"can't index a torch\.UntypedStorage with str"):
        storage["a"]
    with pytest.raises(RuntimeError, match="can only set storage content with a int types, but got float"):
        storage[0] = 1.5
    with pytest.raises(RuntimeError, match="size does not match, self was 4 bytes but src was 3 bytes"):
        storage.copy_(Bytes(3))


def test_a_slice_is_the_same_memory():
    storage = Bytes([1, 2, 3, 4])
    part = storage[1:3]
    part[0] = 9
    assert storage.tolist() == [1, 9, 3, 4] and part.data_ptr() == storage.data_ptr() + 1
    assert storage[3:1].nbytes() == 0 and storage[-2:].tolist() == [3, 4]
    assert not part.resizable()
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        part.resize_(9)


def test_tensors_follow_a_storage_that_grows():
    x = torch.arange(4.0)
    part, data = x[1:], x.data
    storage = x.untyped_storage()
    assert storage.resize_(64) is storage and storage.nbytes() == 64
    assert x.tolist() == [0, 1, 2, 3] and part.tolist() == [1, 2, 3]
    part[0] = 7
    assert x.tolist() == [0, 7, 2, 3] == data.tolist() and x.untyped_storage() is storage
    assert x.data_ptr() == storage.data_ptr() and part.storage_offset() == 1
    assert x.resize_(16).shape == (16,) and x.untyped_storage() is storage


def test_a_storage_that_shrinks_says_so_and_its_tensors_can_still_be_read():
    x = torch.ones(4)
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0 and x.shape == (4,)
    x.untyped_storage().resize_(16)
    assert x.fill_(2).tolist() == [2, 2, 2, 2]


def test_set_lets_a_tensor_look_at_a_storage():
    x = torch.arange(6.0)
    y = torch.empty(0).set_(x.untyped_storage(), 2, (2, 2), (2, 1))
    assert y.tolist() == [[2, 3], [4, 5]] and y.untyped_storage() is x.untyped_storage()
    y[0, 0] = 9
    assert x[2] == 9
    assert torch.empty(0).set_(Bytes(10)).shape == (2,)
    assert torch.empty(0, dtype=torch.int32).set_(x.untyped_storage())[1] == 1065353216
    small = Bytes(4)
    assert torch.empty(0).set_(small, 0, (4,)).shape == (4,) and small.nbytes() == 16
    with pytest.raises(RuntimeError, match="Expected a Storage of type Long or an UntypedStorage, but got type Float"):
        torch.empty(0, dtype=torch.int64).set_(x.storage())


def test_tensors_are_made_on_storages():
    storage = Bytes([1, 0, 2, 0])
    found = torch.asarray(storage, dtype=torch.int16)
    assert found.tolist() == [1, 2] and found.untyped_storage() is storage
    assert torch.asarray(storage[2:4], dtype=torch.uint8).tolist() == [2, 0]
    assert torch.FloatTensor(torch.FloatStorage([1, 2])).tolist() == [1, 2]
    assert torch.ones(1).new(torch.FloatStorage([3])).tolist() == [3]


def test_a_file_is_memory(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes(range(8)))
    private = Bytes.from_file(str(path), False, 8)
    private[0] = 9
    assert path.read_bytes()[0] == 0 and private.filename is None
    shared = Bytes.from_file(path, True, 12)
    shared[1] = 9
    assert path.read_bytes() == bytes([0, 9, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0])
    assert shared.filename == str(path) and shared.is_shared() and not shared.resizable()
    assert torch.empty(0, dtype=torch.uint8).set_(shared).untyped_storage() is shared
    assert torch.from_file(str(path), size=2, dtype=torch.uint8).tolist() == [0, 9]
    assert torch.ShortStorage.from_file(str(path), size=1).tolist() == [9 * 256]
    with pytest.raises(RuntimeError, match="size <12> is smaller than the required mapping size <20>"):
        Bytes.from_file(path, False, 20)
    with pytest.raises(RuntimeError, match=r"unable to open file <.*none> in read-only mode: No such file"):
        Bytes.from_file(tmp_path / "none", False, 20)


def test_bytes_of_a_buffer_are_copied_in_the_order_of_this_machine():
    data = bytearray(range(4))
    found = Bytes.from_buffer(data, "big", dtype=torch.int16)
    assert found.tolist() == [1, 0, 3, 2]
    data[0] = 9
    assert found.tolist() == [1, 0, 3, 2]
    assert Bytes.from_buffer(b"abcdef", "little", 2, 1, dtype=torch.int16).tolist() == [98, 99, 100, 101]
    with pytest.raises(ValueError, match=r"buffer size \(3\) must be a multiple of element size \(2\)"):
        Bytes.from_buffer(b"abc", "native", dtype=torch.int16)
    with pytest.raises(RuntimeError, match="argument 'dtype' cannot be None"):
        Bytes.from_buffer(b"ab")
    with pytest.raises(ValueError, match="buffer has only 2 elements after offset 0, but specified a size of 5"):
        Bytes.from_buffer(b"ab", "native", 5, dtype=torch.int8)


def test_copies_and_pickles_keep_together_what_shares_memory():
    x = torch.arange(3.0)
    storage = x.untyped_storage()
    for again in (copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))):
        found, y, view = again([storage, x, x[1:]]) if again is copy.deepcopy else (None, *again([x, x[1:]]))
        assert y.untyped_storage() is view.untyped_storage() and y.untyped_storage() is not storage
        assert found is None or found is y.untyped_storage()
    assert copy.copy(storage).data_ptr() != storage.data_ptr()
    assert pickle.loads(pickle.dumps(storage)).tolist() == storage.tolist()


def test_what_a_storage_on_the_cpu_answers():
    storage = Bytes(2)
    assert storage.device == torch.device("cpu") and storage.cpu() is storage and storage.untyped() is storage
    assert storage.to(device="cpu") is storage and storage.get_device() == -1 and storage.element_size() == 1
    assert not storage.is_cuda and not storage.is_pinned() and not storage.is_shared() and storage.new().nbytes() == 0
    assert torch.is_storage(storage) and isinstance(storage, torch.StorageBase)
    assert storage.type() == "torch.storage.UntypedStorage"
    assert repr(Bytes([1])) == " 1\n[torch.storage.UntypedStorage(device=cpu) of size 1]"
    assert Bytes([1, 2]).float().tolist() == [1.0, 2.0]


def test_a_resized_tensor_keeps_its_memory_where_the_dtype_is_another_than_that_of_the_storage():
    x = torch.zeros(4).view(torch.int16)
    assert x.resize_(2, 4).shape == (2, 4) and x.resize_(3, 5).shape == (3, 5)
    y = torch.empty(0).set_(Bytes(np.arange(16, dtype=np.uint8).tolist()))
    assert y.as_strided_((2,), (2,)).shape == (2,)
