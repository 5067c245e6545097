"""Loaders against torch itself: random datasets, samplers and options give the same batches in the same order."""

import random
import warnings

import numpy as np
import pytest

from tests.conformance import loader_programs

pytest.importorskip("torch")

STREAMS = {name: loader_programs.stream_class(name) for name in ("torch", "rushlight")}
# classes that are found by name, so that processes can be started afresh
TorchStream, TorchMeasured = STREAMS["torch"]
OurStream, OurMeasured = STREAMS["rushlight"]
for _name in ("TorchStream", "TorchMeasured", "OurStream", "OurMeasured"):
    globals()[_name].__qualname__ = _name
    globals()[_name].__module__ = __name__

SEEDS = range(120)
SPAWNED = range(1000, 1003)


def outcome(name, chosen, method=None):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            seen = loader_programs.run(name, STREAMS[name], chosen, method)
        except Exception as error:
            seen = type(error).__name__, str(error)[:40]
    return seen, sorted({(each.category.__name__, str(each.message)[:40]) for each in told})


@pytest.mark.parametrize("seed", SEEDS)
def test_batches_are_torchs(seed):
    chosen = loader_programs.draw(random.Random(seed))
    assert outcome("rushlight", chosen) == outcome("torch", chosen), chosen


@pytest.mark.parametrize("seed", SPAWNED)
def test_batches_of_fresh_processes_are_torchs(seed):
    chosen = loader_programs.draw(random.Random(seed)) | {"workers": 1, "options": {}, "epochs": 1}
    assert outcome("rushlight", chosen, "spawn") == outcome("torch", chosen, "spawn"), chosen


# expressions of both libraries; the type of an error and its first words must agree, and so must results
EXPRESSIONS = """
data.TensorDataset(torch.zeros(2), torch.zeros(3))
data.TensorDataset()
data.TensorDataset(torch.tensor(1.0))
data.TensorDataset(torch.arange(3))[5]
data.TensorDataset(torch.arange(3))[1:]
data.ConcatDataset([])
data.ConcatDataset([range(3)])[7]
data.ConcatDataset([range(3)])[-4]
data.StackDataset()
data.StackDataset(range(2), range(3))
data.StackDataset(range(2), a=range(2))
data.Subset(range(3), [0, 7])[1]
data.Dataset()[0]
data.random_split(range(5), [2, 2])
data.random_split(range(5), [0.5, 0.6])
data.random_split(range(5), [1.0])[0].indices
data.random_split(range(10), [0.1] * 10, torch.Generator().manual_seed(3))[4].indices
len(data.IterableDataset())
iter(data.Sampler())
list(data.RandomSampler([]))
data.RandomSampler(range(3), num_samples=1.5)
data.RandomSampler(range(3), replacement=None)
data.WeightedRandomSampler([1.0, 2.0], 3, False)
list(data.WeightedRandomSampler([1.0, 2.0], 3, False))
list(data.WeightedRandomSampler([-1.0, 2.0], 3))
list(data.BatchSampler([1, 2, 3], 2, False))
data.BatchSampler([1], 1.0, False)
data.BatchSampler([1], 1, None)
len(data.BatchSampler(iter([1]), 1, False))
data.DistributedSampler(range(3), 2, -1)
data.DistributedSampler(range(3), 2, 2)
list(data.DistributedSampler([], 2, 1))
data.DataLoader(range(3), num_workers=-1)
data.DataLoader(range(3), timeout=-1)
data.DataLoader(range(3), prefetch_factor=3)
data.DataLoader(range(3), persistent_workers=True)
data.DataLoader(range(3), shuffle=True, sampler=[1])
data.DataLoader(range(3), batch_sampler=[[1]], shuffle=True)
data.DataLoader(range(3), batch_size=None, drop_last=True)
data.DataLoader(range(3), batch_size=-1)
data.DataLoader([], shuffle=True)
data.DataLoader(range(3), multiprocessing_context="fork")
data.DataLoader(range(3), num_workers=1, multiprocessing_context="forks")
data.DataLoader(range(3), num_workers=1, multiprocessing_context=1)
iter(data.DataLoader(range(3), timeout=1))
list(data.DataLoader([1, "a"], 2))
list(data.DataLoader([None]))
list(data.DataLoader([None], None))
list(data.DataLoader([torch.zeros(1), torch.zeros(2)], 2))
list(data.DataLoader([[1], [1, 2]], 2))
list(data.DataLoader([{"a": 1}, {"b": 2}], 2))
list(data.DataLoader([np.array("a"), np.array("b")], 2))
list(data.DataLoader([np.datetime64("2020-01-01")]))
list(data.DataLoader([np.array([1, 2]), np.array([1.5, 2])], 2))
list(data.DataLoader([1, 2.5], 2))
list(data.DataLoader([2.5, 1], 2))
list(data.DataLoader([True, 2], 2))
list(data.DataLoader([10**30], 1))
list(data.DataLoader([1j, 2j], 2))
list(data.DataLoader({0: "a", 1: "b"}, 2))
list(data.DataLoader(range(5), batch_sampler=[[0, 9]]))
list(data.DataLoader(range(5), sampler=[4, 0], batch_size=None))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[0, 9]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[True, False]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[1.0]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[torch.tensor([2, 1])]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[torch.tensor(2)], (1, 2)]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[slice(0, 2)]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[[0, 1], [2, 3]]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[]]))
list(data.DataLoader(data.TensorDataset(torch.arange(4)), batch_sampler=[[None]]))
list(data.DataLoader(data.TensorDataset(torch.ones(4, 2).t(), torch.arange(2)), 2))
list(data.DataLoader(data.TensorDataset(torch.ones(4, 2, dtype=torch.complex64).conj()), 2))
list(data.DataLoader(data.TensorDataset(torch.ones(4, 0)), 3))
data.default_collate([])
data.default_collate(())
data.default_convert("text")
data.default_convert([range(2), {1, 2}])
data.default_collate([{1, 2}])
data.get_worker_info()
torch.utils.data._utils.worker._generate_state(123456789012345678, 3)
torch.zeros(0).share_memory_().is_shared()
torch.zeros(3)[1:].share_memory_().storage_offset()
"""


@pytest.mark.parametrize("text", EXPRESSIONS.strip().splitlines())
def test_results_and_refusals_are_torchs(text):
    assert answer("rushlight", text) == answer("torch", text)


def answer(name, text):
    """What an expression gives, as plain data; an error by its type and first words."""
    torch = loader_programs.load(name)
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = eval(text, {"torch": torch, "data": torch.utils.data, "np": np})
        except Exception as error:
            return type(error).__name__, str(error)[:30]
    shown = repr(found)
    return loader_programs.plain(found) if "object at" not in shown else shown.split(" object at")[0].split(".")[-1]
