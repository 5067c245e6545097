"""Shared memory: tensors that move into it take their views along."""

import gc
import os

import pytest

import rushlight as torch
from rushlight.core.memory import shared

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs mmap")


def test_a_tensor_moves_in_place():
    tensor = torch.arange(4.0)
    assert tensor.share_memory_() is tensor
    assert tensor.is_shared()
    assert tensor.tolist() == [0.0, 1.0, 2.0, 3.0]
    address = tensor.data_ptr()
    assert tensor.share_memory_().data_ptr() == address


def test_views_and_their_base_move_together():
    base = torch.arange(6.0).view(2, 3)
    row, column, data, detached = base[1], base.t()[2], base.data, base.detach()
    integers = base.view(torch.int32)
    row.share_memory_()
    for each in (base, row, column, data, detached, integers):
        assert each.is_shared()
    base[1, 2] = 9
    assert (row[2], column[1], data[1, 2], detached[1, 2]) == (9, 9, 9, 9)
    assert integers[1, 2] == torch.tensor(9.0).view(torch.int32)
    assert row.storage_offset() == 3
    assert column.stride() == (3,)


def test_others_stay_where_they_are():
    array = torch.arange(4.0).numpy()
    tensor = torch.from_numpy(array)
    tensor.share_memory_()
    tensor[0] = 5
    assert array[0] == 0
    assert not torch.zeros(4).is_shared()


def test_history_and_count_of_writes_go_on():
    leaf = torch.ones(3, requires_grad=True)
    result = leaf * 2
    version = result._version
    result.share_memory_()
    leaf.share_memory_()
    assert result._version == version
    result.sum().backward()
    assert leaf.grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf.add_(1)


@pytest.mark.parametrize("make", [lambda: torch.empty(0), lambda: torch.tensor(2.0), lambda: torch.zeros(2, 0, 3)])
def test_small_ones_too(make):
    tensor = make()
    values = tensor.tolist()
    tensor.share_memory_()
    assert tensor.is_shared()
    assert tensor.tolist() == values


def test_a_child_of_fork_writes_for_all():
    tensor = torch.zeros(3).share_memory_()
    child = os.fork()
    if child == 0:
        tensor += 1
        os._exit(0)
    os.waitpid(child, 0)
    assert tensor.tolist() == [1.0, 1.0, 1.0]


def test_blocks_are_given_back():
    before = len(os.listdir("/dev/fd"))
    tensors = [torch.zeros(10).share_memory_() for _ in range(5)]
    assert len(os.listdir("/dev/fd")) == before + 5
    del tensors
    assert len(os.listdir("/dev/fd")) == before


def test_memory_that_is_not_there_is_refused(monkeypatch):
    def refuse(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shared.os, "posix_fallocate", refuse)
    with pytest.raises(RuntimeError, match="unable to allocate 40 bytes of shared memory"):
        torch.zeros(10).share_memory_()
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="unable to mmap 8 bytes of shared memory"):
        shared.Block(os.open(os.devnull, os.O_RDONLY), 8)


def test_an_uninitialized_parameter_has_nothing_to_share():
    with pytest.raises(RuntimeError, match="Can't share memory on an uninitialized parameter"):
        torch.nn.UninitializedParameter().share_memory_()


def test_storages_are_made_shared_and_move_with_their_tensors():
    tensor = torch.arange(3.0)
    held = tensor.untyped_storage()
    tensor.share_memory_()
    assert held.is_shared()
    assert tensor.untyped_storage() is held
    assert tensor.data.untyped_storage() is held
    other = torch.arange(3.0)
    view = other[1:]
    other.untyped_storage().share_memory_()
    assert view.is_shared() and other.is_shared()
    assert view.untyped_storage() is other.untyped_storage()
    made = tensor.new(tensor.untyped_storage()._new_shared(8)).resize_(2)
    assert made.is_shared()


def test_tensors_that_the_collector_has_set_aside_move_along():
    x = torch.zeros(4)
    view = x[1:]
    gc.collect()
    gc.freeze()
    x.share_memory_()
    x[1] = 5
    assert view.is_shared() and view[0] == 5
    gc.freeze()
    x = torch.zeros(2)
    whole = x.view(2)
    x.untyped_storage().resize_(64)
    whole[1] = 3
    assert x[1] == 3
