"""Datasets: samples by their number, or one after the other, and datasets made of others."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Generic, Iterable, TypeVar  # noqa: UP035 (torch's base class is this one)

from rushlight.core.object.tensor import Tensor
from rushlight.core.random.random import Generator
from rushlight.random import default_generator

__all__ = [
    "Dataset",
    "IterableDataset",
    "TensorDataset",
    "StackDataset",
    "ConcatDataset",
    "ChainDataset",
    "Subset",
    "random_split",
]

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class Dataset(Generic[_T_co]):
    """Samples that are found by a key: subclasses have `__getitem__`, most of them `__len__`.

    A dataset with `__getitems__(indices)`, which returns a list of samples, is asked for a batch at a time.
    """

    def __getitem__(self, index: Any) -> _T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[_T_co]) -> ConcatDataset[_T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[_T_co], Iterable[_T_co]):
    """Samples that come one after the other: subclasses have `__iter__`.

    With several workers each has a copy of it; `get_worker_info()` tells which one this is, so that each can take its
    own share.
    """

    def __add__(self, other: Dataset[_T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Tensors of the same length; a sample is a tuple with an element of each.

    >>> data = torch.utils.data.TensorDataset(torch.arange(6).view(3, 2), torch.tensor([7, 8, 9]))
    >>> data[1]
    (tensor([2, 3]), tensor(8))
    """

    tensors: tuple[Tensor, ...]

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple([tensor[index] for tensor in self.tensors])

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Datasets of the same length side by side: a sample is a tuple, or a dict if they were given by name.

    >>> torch.utils.data.StackDataset(number=range(3), letter="abc")[1]
    {'number': 1, 'letter': 'b'}
    """

    datasets: tuple | dict

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, "
                "but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        given = list(args or kwargs.values())
        self._length = len(given[0])
        if any(self._length != len(each) for each in given):
            raise ValueError("Size mismatch between datasets")
        self.datasets = args or kwargs

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: each[index] for name, each in self.datasets.items()}
        return tuple([each[index] for each in self.datasets])

    def __getitems__(self, indices: list) -> list:
        if isinstance(self.datasets, dict):
            columns = [items_of(each, indices) for each in self.datasets.values()]
            return [dict(zip(self.datasets, row, strict=True)) for row in zip(*columns, strict=True)]
        return list(zip(*[items_of(each, indices) for each in self.datasets], strict=True))

    def __len__(self) -> int:
        return self._length


def items_of(dataset: Any, indices: list) -> list:
    """The samples at some indices, at once if the dataset can."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    items = dataset.__getitems__(indices)
    if len(items) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
    return items


class ConcatDataset(Dataset[_T_co]):
    """Datasets one after the other.

    >>> torch.utils.data.ConcatDataset([range(3), range(10, 12)])[3]
    10
    """

    datasets: list[Dataset[_T_co]]
    cumulative_sizes: list[int]

    @staticmethod
    def cumsum(sequence: Iterable[Any]) -> list[int]:
        """Where each dataset ends."""
        return list(itertools.accumulate(len(each) for each in sequence))

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        for each in self.datasets:
            if isinstance(each, IterableDataset):
                raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> _T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx = len(self) + idx
        number = bisect.bisect_right(self.cumulative_sizes, idx)
        start = 0 if number == 0 else self.cumulative_sizes[number - 1]
        return self.datasets[number][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        """The former spelling of `cumulative_sizes`."""
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`", category=FutureWarning, stacklevel=2
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets one after the other."""

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = datasets

    def members(self) -> Iterator[Any]:
        for each in self.datasets:
            if not isinstance(each, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield each

    def __iter__(self) -> Iterator[Any]:
        for each in self.members():
            yield from each

    def __len__(self) -> int:
        return sum(len(each) for each in self.members())


class Subset(Dataset[_T_co]):
    """Some samples of a dataset, by their indices.

    >>> torch.utils.data.Subset("abcd", [3, 1])[0]
    'd'
    """

    dataset: Dataset[_T_co]
    indices: Sequence[int]

    def __init__(self, dataset: Dataset[_T_co], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        own = type(self)
        if own.__getitem__ is not Subset.__getitem__ and own.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{own.__name__} overrides __getitem__ but not __getitems__, which the DataLoader calls; add:"
                "\n\ndef __getitems__(self, indices):\n    return [self[index] for index in indices]"
            )

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, list):
            return self.dataset[[self.indices[each] for each in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[_T_co]:
        chosen = [self.indices[each] for each in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(chosen)  # type: ignore[attr-defined]
        return [self.dataset[each] for each in chosen]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Dataset[_T], lengths: Sequence[int | float], generator: Generator | None = default_generator
) -> list[Subset[_T]]:
    """Split a dataset at random into parts of given lengths, or of given fractions that sum to 1.

    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.3, 0.3, 0.4])]
    [3, 3, 4]
    """
    from rushlight.ops.random.sampling import randperm

    sizes: Any = lengths
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        sizes = whole_lengths(dataset, lengths)
    if sum(sizes) != len(dataset):  # type: ignore[arg-type]
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = randperm(sum(sizes), generator=generator).tolist()
    ends = itertools.accumulate(sizes)
    return [Subset(dataset, indices[end - size : end]) for end, size in zip(ends, sizes, strict=True)]


def whole_lengths(dataset: Any, fractions: Sequence[float]) -> list[int]:
    """Lengths of parts by their fractions; what is left over goes to the first ones, one each."""
    for place, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {place} is not between 0 and 1")
    sizes = [math.floor(len(dataset) * fraction) for fraction in fractions]
    for place in range(len(dataset) - sum(sizes)):
        sizes[place % len(sizes)] += 1
    for place, size in enumerate(sizes):
        if size == 0:
            warnings.warn(
                f"Length of split at index {place} is 0. This might result in an empty dataset.", stacklevel=3
            )
    return sizes
