"""TypedStorage and its kinds: memory as numbers of a dtype."""

from __future__ import annotations

import copy
import pickle

import pytest

import rushlight as torch


def test_a_typed_storage_shows_the_memory_as_numbers():
    x = torch.arange(3.0)
    storage = x.storage()
    assert storage.tolist() == [0, 1, 2] and storage.untyped() is x.untyped_storage()
    assert (storage.size(), storage.nbytes(), storage.element_size(), len(storage)) == (3, 12, 4, 3)
    storage[0] = 5
    storage[1:] = 7
    assert x.tolist() == [5, 7, 7] and storage[-1] == 7 and list(storage) == [5, 7, 7]
    assert storage.data_ptr() == x.data_ptr() and storage.dtype is torch.float32
    assert x[1:].storage()._cdata == storage._cdata


def test_the_kinds_make_storages_of_their_dtype():
    storage = torch.FloatStorage([1, 2])
    assert type(storage) is torch.TypedStorage and isinstance(storage, torch.FloatStorage)
    assert not isinstance(storage, torch.LongStorage) and torch.FloatStorage.dtype is torch.float32
    assert torch.Storage is torch.FloatStorage and issubclass(torch.FloatStorage, torch.storage._LegacyStorage)
    assert torch.LongStorage(2).fill_(3).tolist() == [3, 3]
    assert torch.BFloat16Storage([1.5]).tolist() == [1.5] and torch.BoolStorage([1, 0]).tolist() == [True, False]
    assert torch.ComplexFloatStorage([2j]).tolist() == [2j]
    assert torch.zeros(1).storage_type() is torch.FloatStorage
    assert torch.FloatStorage(wrap_storage=torch.UntypedStorage(8)).size() == 2
    with pytest.raises(RuntimeError, match="Only child classes of _LegacyStorage can be instantiated"):
        torch.storage._LegacyStorage()
    with pytest.raises(RuntimeError, match="Keyword argument 'dtype' cannot be specified"):
        torch.FloatStorage(dtype=torch.float64)
    with pytest.raises(TypeError, match="Argument type not recognized"):
        torch.FloatStorage(2.5)


def test_numbers_are_converted():
    storage = torch.FloatStorage([1.5, -2])
    assert storage.int().tolist() == [1, -2] and storage.double().type() == "torch.DoubleStorage"
    assert storage.bool().tolist() == [True, True] and storage.half().dtype is torch.float16
    assert storage.type() == "torch.FloatStorage" and storage.pickle_storage_type() == "FloatStorage"
    with pytest.raises(KeyError, match=r"dtype torch\.uint16 is not recognized"):
        torch.TypedStorage(2, dtype=torch.uint16).pickle_storage_type()


def test_a_wrong_index_or_value_is_refused():
    storage = torch.FloatStorage([1, 2, 3])
    with pytest.raises(RuntimeError, match="slices are only supported in UntypedStorage"):
        storage[0:2]
    with pytest.raises(IndexError, match="index 9 out of range for storage of size 3"):
        storage[9]
    with pytest.raises(IndexError, match="index 9 is out of bounds for dimension 0 with size 3"):
        storage[9] = 1
    with pytest.raises(TypeError, match=r"can't assign a str to a torch\.FloatTensor"):
        storage.fill_("a")
    with pytest.raises(TypeError, match=r"must be torch\.Storage, not list"):
        storage.copy_([1])
    with pytest.raises(RuntimeError, match="size does not match, self was 12 bytes but src was 8 bytes"):
        storage.copy_(torch.FloatStorage(2))


def test_copies_have_memory_of_their_own():
    storage = torch.FloatStorage([1, 2])
    for made in (copy.copy(storage), copy.deepcopy(storage), storage.clone(), pickle.loads(pickle.dumps(storage))):
        assert made.tolist() == [1, 2] and made.data_ptr() != storage.data_ptr() and made.dtype is torch.float32
    assert pickle.loads(pickle.dumps(torch.FloatStorage)) is torch.FloatStorage
    storage.resize_(3)
    assert storage.size() == 3 and storage.tolist()[:2] == [1, 2]


def test_the_old_way_to_carry_a_storage_is_read():
    import io

    file = io.BytesIO()
    torch.save(torch.FloatStorage([1, 2]), file, _use_new_zipfile_serialization=False)
    assert torch.storage._load_from_bytes(file.getvalue()).tolist() == [1, 2]
