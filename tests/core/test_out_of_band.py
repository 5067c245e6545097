"""Pickles of protocol 5: the memory of tensors and modules stays out of them, and is shared where it comes back."""

import copy
import pickle
import sys

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.surface.lazy import LateModule


def through(value, read_only):
    """The value as a store of objects gives it: out of a pickle and the buffers beside it."""
    buffers = []
    content = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    views = [each.raw().toreadonly() if read_only else each.raw() for each in buffers]
    return pickle.loads(content, buffers=views), content, views


def address(tensor):
    return tensor.detach().numpy().__array_interface__["data"][0]


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16, torch.bool, torch.complex64, torch.int64])
def test_a_tensor_comes_back_on_the_same_memory(kind, read_only):
    tensor = torch.arange(1000).to(kind)
    found, content, _ = through(tensor, read_only)
    assert found.dtype is kind and torch.equal(found, tensor) and len(content) < 1000
    assert found.data_ptr() == tensor.data_ptr()


def test_views_share_one_buffer():
    whole = torch.arange(6.0)
    (first, second), _, views = through((whole[:4], whole.view(2, 3).t()), True)
    assert len(views) == 1 and first.data_ptr() == second.data_ptr() == whole.data_ptr()
    assert second.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_module_comes_back_on_the_memory_of_its_parameters():
    module = torch.nn.Sequential(torch.nn.Linear(30, 40), torch.nn.BatchNorm1d(40))
    found, content, _ = through(module, True)
    assert len(content) < 10_000
    for (name, one), two in zip(module.state_dict().items(), found.state_dict().values(), strict=True):
        assert one.data_ptr() == two.data_ptr(), name
    x = torch.randn(5, 30)
    assert torch.equal(found.eval()(x), module.eval()(x))


def test_what_others_read_too_is_not_written_to():
    found, _, _ = through(torch.nn.Linear(2, 2), True)
    found(torch.ones(1, 2)).sum().backward()
    optimizer = torch.optim.SGD(found.parameters(), lr=0.1)
    for write in (optimizer.step, lambda: found.weight.data.add_(1), lambda: found.weight.data.zero_()):
        with pytest.raises(
            RuntimeError, match="the memory of this tensor is read-only: it was received without a copy"
        ):
            write()
    own = copy.deepcopy(found)
    own.weight.data.zero_()
    assert own.weight.abs().sum() == 0 and found.weight.abs().sum() > 0


def test_an_ordinary_pickle_has_memory_of_its_own():
    tensor = torch.ones(3)
    for protocol in range(2, 6):
        found = pickle.loads(pickle.dumps(tensor, protocol=protocol))
        found.add_(1)
        assert found.tolist() == [2, 2, 2] and np.shares_memory(found.numpy(), tensor.numpy()) is False


def test_a_function_that_names_modules_can_be_sent():
    # one whose names have all been asked for is an ordinary module, which senders of functions know
    for name in ("rushlight.nn", "rushlight.optim"):
        assert pickle.loads(pickle.dumps(LateModule(name))) is sys.modules[name]
