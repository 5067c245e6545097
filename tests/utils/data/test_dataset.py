"""Datasets: samples by number, and datasets made of others."""

import pytest

import rushlight as torch
from rushlight.utils.data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)


class Stream(IterableDataset):
    def __init__(self, *samples):
        self.samples = samples

    def __iter__(self):
        return iter(self.samples)


class MeasuredStream(Stream):
    def __len__(self):
        return len(self.samples)


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_tensors_give_a_row_of_each():
    data = TensorDataset(torch.arange(6).view(3, 2), torch.tensor([7, 8, 9]))
    first, second = data[1]
    assert (len(data), first.tolist(), second.item()) == (3, [2, 3], 8)
    assert first.storage_offset() == 2


def test_tensors_of_different_length_are_refused():
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(torch.zeros(2), torch.zeros(3))


def test_sums_are_one_after_the_other():
    joined = TensorDataset(torch.arange(2)) + TensorDataset(torch.arange(10, 13))
    assert isinstance(joined, ConcatDataset)
    assert [joined[index][0].item() for index in (0, 1, 2, 4, -1)] == [0, 1, 10, 12, 12]
    assert joined.cumulative_sizes == [2, 5]
    with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
        joined[-6]
    with pytest.warns(FutureWarning, match="renamed to `cumulative_sizes`"):
        assert joined.cummulative_sizes == [2, 5]


def test_streams_are_chained():
    chain = MeasuredStream(1, 2) + MeasuredStream(3)
    assert isinstance(chain, ChainDataset)
    assert (list(chain), len(chain)) == ([1, 2, 3], 3)
    with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
        list(ChainDataset([[1]]))
    with pytest.raises(TypeError):
        len(ChainDataset([Stream(1)]))


def test_what_cannot_be_joined_is_refused():
    with pytest.raises(AssertionError, match="datasets should not be an empty iterable"):
        ConcatDataset([])
    with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
        ConcatDataset([Stream(1)])
    with pytest.raises(NotImplementedError, match=r"Subclasses of Dataset should implement __getitem__"):
        Dataset()[0]


def test_datasets_are_stacked_by_place_or_by_name():
    assert StackDataset(range(3), "abc")[1] == (1, "b")
    named = StackDataset(number=range(3), letter=Subset("abc", [2, 1, 0]))
    assert named[0] == {"number": 0, "letter": "c"}
    assert named.__getitems__([0, 2]) == [{"number": 0, "letter": "c"}, {"number": 2, "letter": "a"}]
    assert StackDataset(range(3), "abc").__getitems__([2, 0]) == [(2, "c"), (0, "a")]
    assert len(named) == 3


@pytest.mark.parametrize(
    ("args", "kwargs", "words"),
    [
        ((range(2), range(3)), {}, "Size mismatch between datasets"),
        ((), {"a": range(2), "b": range(3)}, "Size mismatch between datasets"),
        ((), {}, "At least one dataset should be passed"),
        ((range(2),), {"b": range(2)}, "Supported either"),
    ],
)
def test_wrong_stacks_are_refused(args, kwargs, words):
    with pytest.raises(ValueError, match=words):
        StackDataset(*args, **kwargs)


def test_a_stack_checks_batches_of_its_members():
    class Short:
        def __len__(self):
            return 2

        def __getitems__(self, indices):
            return [1]

    with pytest.raises(ValueError, match=r"Nested dataset's output size mismatch. Expected 2, got 1"):
        StackDataset(Short()).__getitems__([0, 1])


def test_subsets_are_asked_for_batches():
    part = Subset("abcdef", [5, 0, 3])
    assert (part[0], part.__getitems__([1, 2]), len(part)) == ("f", ["a", "d"], 3)
    assert Subset(torch.arange(6), [5, 0, 3])[[0, 2]].tolist() == [5, 3]
    assert Subset(Subset("abcdef", [5, 4, 3]), [2, 0]).__getitems__([0, 1]) == ["d", "f"]


def test_a_subset_that_changes_samples_must_change_batches():
    class Upper(Subset):
        def __getitem__(self, index):
            return super().__getitem__(index).upper()

    with pytest.raises(NotImplementedError, match="Upper overrides __getitem__ but not __getitems__"):
        Upper("abc", [0])


def test_splits_are_torchs():
    parts = random_split(range(7), [3, 4], generator=seeded(42))
    assert [part.indices for part in parts] == [[1, 6, 3], [5, 4, 0, 2]]
    half = random_split(range(10), [0.5, 0.25, 0.25], generator=seeded(1))
    assert [len(part) for part in half] == [5 + 1, 2, 2]
    assert half[0].indices == [5, 6, 1, 2, 0, 8]


def test_wrong_splits_are_refused():
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(range(7), [3, 3])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        random_split(range(7), [1.5, -0.5])
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        random_split(range(1), [0.5, 0.5])
