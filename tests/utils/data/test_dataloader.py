"""DataLoader in one process: batches, options and errors."""

import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, _DatasetKind
from rushlight.utils.data._utils import collate

TEN = TensorDataset(torch.arange(10))


class Stream(IterableDataset):
    def __init__(self, size, told=None):
        self.size, self.told = size, told

    def __iter__(self):
        return iter(range(self.size))


class MeasuredStream(Stream):
    def __len__(self):
        return self.told


class Rows(Dataset):
    """Without the short cut that a TensorDataset has."""

    def __init__(self, *tensors):
        self.tensors = tensors

    def __len__(self):
        return len(self.tensors[0])

    def __getitem__(self, index):
        return tuple(each[index] for each in self.tensors)


def numbers(loader):
    return [batch[0].tolist() for batch in loader]


def test_shuffled_epochs_are_torchs():
    torch.manual_seed(0)
    loader = DataLoader(TEN, 3, shuffle=True)
    assert numbers(loader) == [[6, 7, 1], [4, 2, 0], [9, 8, 3], [5]]
    assert numbers(loader) == [[2, 4, 7], [0, 8, 9], [5, 3, 6], [1]]
    assert torch.rand(1).item() == pytest.approx(0.455627977848053)


def test_a_generator_of_its_own_leaves_the_default_one_alone():
    before = torch.get_rng_state()
    loader = DataLoader(TEN, 4, shuffle=True, generator=torch.Generator().manual_seed(3))
    first = numbers(loader)
    assert torch.equal(torch.get_rng_state(), before)
    assert sorted(each for batch in first for each in batch) == list(range(10))


def test_the_last_batch_is_smaller_or_dropped():
    assert numbers(DataLoader(TEN, 4)) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert numbers(DataLoader(TEN, 4, drop_last=True)) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert (len(DataLoader(TEN, 4)), len(DataLoader(TEN, 4, drop_last=True))) == (3, 2)


def test_without_batches_samples_are_converted():
    assert [each[0].item() for each in DataLoader(TEN, None)] == list(range(10))
    assert [type(each) for each in DataLoader([np.zeros(2), 3], None)] == [torch.Tensor, int]


def test_the_short_cut_of_tensor_datasets_is_exact():
    tensors = torch.randn(20, 3, 2), torch.arange(20), torch.randn(20, 2, dtype=torch.float64)
    for indices in ([3, 1, -1], [0], []):
        if indices:
            fast = next(iter(DataLoader(TensorDataset(*tensors), batch_sampler=[indices])))
            plain = next(iter(DataLoader(Rows(*tensors), batch_sampler=[indices])))
            for left, right in zip(fast, plain, strict=True):
                assert torch.equal(left, right)
                assert (left.dtype, left.stride()) == (right.dtype, right.stride())


def test_the_short_cut_leaves_history_and_layout_to_collate():
    leaf = torch.ones(4, 2, requires_grad=True)
    (batch,) = next(iter(DataLoader(TensorDataset(leaf), 2)))
    assert batch.grad_fn.name() == "StackBackward0"
    images = torch.randn(4, 3, 2, 2).to(memory_format=torch.channels_last)
    (fast,) = next(iter(DataLoader(TensorDataset(images), 2)))
    (plain,) = next(iter(DataLoader(Rows(images), 2)))
    assert fast.stride() == plain.stride()
    with pytest.raises(IndexError, match="index 7 is out of bounds for dimension 0 with size 4"):
        next(iter(DataLoader(TensorDataset(torch.ones(4)), batch_sampler=[[0, 7]])))


def test_a_registered_collate_function_is_asked(monkeypatch):
    monkeypatch.setitem(collate.default_collate_fn_map, torch.Tensor, lambda batch, *, collate_fn_map=None: "mine")
    assert next(iter(DataLoader(TEN, 2))) == ["mine"]


def test_batches_are_fetched_at_once_where_a_dataset_can():
    class Whole(Dataset):
        def __len__(self):
            return 4

        def __getitems__(self, indices):
            return [10 * index for index in indices]

    assert [each.tolist() for each in DataLoader(Whole(), 2)] == [[0, 10], [20, 30]]


def test_streams_are_cut_into_batches():
    assert [each.tolist() for each in DataLoader(Stream(5), 2)] == [[0, 1], [2, 3], [4]]
    assert [each.tolist() for each in DataLoader(Stream(5), 2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Stream(3), None)) == [0, 1, 2]
    with pytest.raises(TypeError):
        len(DataLoader(Stream(3)))
    assert len(DataLoader(MeasuredStream(3, 3), 2)) == 2
    assert len(DataLoader(MeasuredStream(3, 3), 2, drop_last=True)) == 1


def test_a_stream_longer_than_it_said_is_told():
    loader = DataLoader(MeasuredStream(3, 2))
    list(loader)
    assert len(loader) == 2
    with pytest.warns(UserWarning, match=r"Length of IterableDataset .* was reported to be 2\(when accessing"):
        list(loader)


def test_pinning_is_accepted_with_a_word():
    with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
        assert numbers(DataLoader(TEN, 10, pin_memory=True)) == [list(range(10))]


@pytest.mark.parametrize(
    ("kind", "words", "options"),
    [
        (ValueError, "num_workers option should be non-negative", {"num_workers": -1}),
        (ValueError, "timeout option should be non-negative", {"timeout": -1}),
        (ValueError, "prefetch_factor option could only be specified in multi", {"prefetch_factor": 2}),
        (ValueError, "prefetch_factor option should be non-negative", {"prefetch_factor": -1, "num_workers": 1}),
        (ValueError, "persistent_workers option needs num_workers > 0", {"persistent_workers": True}),
        (ValueError, "sampler option is mutually exclusive with shuffle", {"sampler": [1], "shuffle": True}),
        (ValueError, "batch_sampler option is mutually exclusive", {"batch_sampler": [[1]], "batch_size": 2}),
        (ValueError, "batch_sampler option is mutually exclusive", {"batch_sampler": [[1]], "drop_last": True}),
        (ValueError, "batch_size=None option disables auto-batching", {"batch_size": None, "drop_last": True}),
        (ValueError, "batch_size should be a positive integer value", {"batch_size": 0}),
        (ValueError, "multiprocessing_context can only be used with", {"multiprocessing_context": "fork"}),
        (
            ValueError,
            "multiprocessing_context option should specify a valid start method",
            {"multiprocessing_context": "hope", "num_workers": 1},
        ),
        (
            TypeError,
            "multiprocessing_context option should be a valid context object",
            {"multiprocessing_context": 3, "num_workers": 1},
        ),
    ],
)
def test_wrong_options_are_refused(kind, words, options):
    with pytest.raises(kind, match=words):
        DataLoader(TEN, **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}])
def test_streams_have_no_order_to_choose(options):
    words = f"DataLoader with IterableDataset: expected unspecified {next(iter(options))} option"
    with pytest.raises(ValueError, match=words):
        DataLoader(Stream(3), **options)


def test_a_loader_stays_as_it_was_made():
    loader = DataLoader(TEN, 2)
    for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
        with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader is initialized"):
            setattr(loader, name, None)
    loader.collate_fn = len
    assert list(loader) == [2] * 5


def test_iterators_have_a_length_and_are_not_pickled():
    iterator = iter(DataLoader(TEN, 4))
    assert (len(iterator), iter(iterator)) == (3, iterator)
    with pytest.raises(NotImplementedError, match="cannot be pickled"):
        pickle.dumps(iterator)
    with pytest.raises(AssertionError, match="requires timeout == 0"):
        iter(DataLoader(TEN, timeout=1))


def test_more_workers_than_processors_are_told():
    with pytest.warns(UserWarning, match="This DataLoader will create 1000 worker processes in total"):
        DataLoader(TEN, num_workers=1000)


def test_names_that_packages_import_are_there():
    from rushlight.utils.data import dataloader

    for name in ("_BaseDataLoaderIter", "_SingleProcessDataLoaderIter", "_MultiProcessingDataLoaderIter"):
        assert hasattr(dataloader, name)
    assert (_DatasetKind.Map, _DatasetKind.Iterable) == (0, 1)
    assert DataLoader[int].__origin__ is DataLoader
    assert torch.utils.data.get_worker_info() is None
