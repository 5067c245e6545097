"""nn.parallel: one device, the CPU."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import parallel


def test_data_parallel_is_the_module():
    layer = nn.Linear(2, 1)
    made = nn.DataParallel(layer)
    assert list(made.state_dict()) == ["module.weight", "module.bias"]
    assert torch.equal(made(torch.ones(3, 2)), layer(torch.ones(3, 2)))
    assert torch.equal(parallel.data_parallel(layer, torch.ones(3, 2)), layer(torch.ones(3, 2)))


def test_parts_are_scattered_and_gathered():
    parts = parallel.scatter({"a": torch.arange(4), "b": [torch.ones(4, 1), 3]}, ["cpu", "cpu"])
    assert [each["a"].tolist() for each in parts] == [[0, 1], [2, 3]]
    assert parallel.gather([each["a"] for each in parts], "cpu").tolist() == [0, 1, 2, 3]
    assert parallel.gather([(torch.ones(1), None), (torch.zeros(1), None)], -1)[0].tolist() == [1, 0]
    assert parallel.replicate(nn.ReLU(), ["cpu"])[0](torch.ones(1)) == 1
    assert len(parallel.parallel_apply([nn.ReLU(), nn.ReLU()], [torch.ones(1), torch.ones(1)])) == 2
    with pytest.raises(AssertionError, match="number of modules"):
        parallel.parallel_apply([nn.ReLU()], [])


def test_a_data_parallel_module_asks_for_a_group():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        parallel.DistributedDataParallel(nn.Linear(1, 1))
