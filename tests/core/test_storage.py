"""Storage: memory that tensors share, and the count of writes that goes on when they get other memory."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch


def test_a_tensor_that_gets_other_memory_goes_on_counting_with_its_aliases():
    x = torch.zeros(3)
    y = x[...]
    y.data = torch.ones(3)
    x.add_(1)
    y.mul_(2)
    assert (x._version, y._version) == (2, 2)
    assert x.tolist() == [1, 1, 1] and y.tolist() == [2, 2, 2]
    y.data = y.data * 3
    y[0] = 5.0
    assert (x._version, y._version, y[1:]._version) == (3, 3, 3)


def test_the_tensor_whose_memory_it_gets_counts_alone():
    x, z = torch.zeros(3), torch.ones(3)
    y = x.view(3)
    y.data = z
    z.add_(1)
    assert (x._version, y._version, z._version) == (0, 0, 1)


@pytest.mark.parametrize("renew", [lambda y: y.set_(), lambda y: y.set_(torch.ones(2)), lambda y: y.resize_(7)])
def test_set_and_resize_keep_the_count_in_common(renew):
    x = torch.zeros(3)
    y = x.detach()
    renew(y)
    x.add_(1)
    assert (x._version, y._version) == (2, 2)


def test_a_write_through_an_alias_with_other_memory_is_noticed_by_backward():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    z = y.detach()
    z.data = torch.zeros(3)
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_an_optimizer_counts_for_the_aliases_too():
    param = torch.nn.Parameter(torch.zeros(3))
    alias = param.detach()
    param.data = torch.ones(3)
    param.sum().backward()
    torch.optim.SGD([param], lr=0.1).step()
    assert param._version == alias._version == 1


def test_memory_that_nobody_sees_is_not_kept():
    x = torch.zeros(3)
    y = x[...]
    for _ in range(3):
        y.data = torch.ones(3)
    gc.collect()
    assert sum(each() is not None for each in y._storage.shared.members) == 2


@pytest.mark.parametrize("grow", [lambda x: x.resize_(9), lambda x: torch.ones(9, out=x)], ids=["resize_", "out="])
@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
def test_memory_that_grows_does_so_for_all_that_look_at_it(grow):
    x = torch.zeros(4)
    part, square, same = x[1:3], x.view(2, 2), x.detach()
    grow(x)
    x.copy_(torch.arange(9))
    assert part.tolist() == [1, 2] and square.tolist() == [[0, 1], [2, 3]] and same.tolist() == [0, 1, 2, 3]
    assert part.untyped_storage().nbytes() == 36 and part.storage_offset() == 1


def test_a_source_grows_with_what_is_set_beyond_its_end():
    source = torch.zeros(2)
    x = torch.empty(0).set_(source, 1, (3,), (2,))
    x.fill_(5)
    assert source.tolist() == [0, 5] and source.untyped_storage().nbytes() == 24


def test_a_view_with_one_step_for_all_sees_the_first_element_of_what_out_has_written():
    x = torch.ones(1).expand(3, 3)
    with pytest.warns(UserWarning, match="resized"):
        torch.sum(torch.ones(2, 3), 0, out=x.view(9))
    assert x.tolist() == [[2.0] * 3] * 3
