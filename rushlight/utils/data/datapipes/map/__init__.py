"""DataPipes of samples that are found by a key."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterator, Sized
from typing import Any

from rushlight.utils.data.datapipes._decorator import functional_datapipe
from rushlight.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe
from rushlight.utils.data.sampler import draw_seed

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


class SequenceWrapper(MapDataPipe):
    """A sequence or a mapping as a pipe, copied unless told otherwise."""

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = sequence
        if deepcopy:
            try:
                self.sequence = copy.deepcopy(sequence)
            except TypeError:
                warnings.warn(
                    "The input sequence can not be deepcopied, please be aware of in-place modification would affect "
                    "source data",
                    stacklevel=2,
                )

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """A function of each sample."""

    def __init__(self, datapipe: MapDataPipe, fn: Callable = lambda sample: sample) -> None:
        self.datapipe = datapipe
        self.fn = fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("batch")
class Batcher(MapDataPipe):
    """Samples, so many at a time."""

    def __init__(
        self, datapipe: MapDataPipe, batch_size: int, drop_last: bool = False, wrapper_class: type = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __getitem__(self, index: int) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        start = index * self.batch_size
        end = min(start + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[each] for each in range(start, end)])

    def __len__(self) -> int:
        if not isinstance(self.datapipe, Sized):
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        whole, rest = divmod(len(self.datapipe), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


@functional_datapipe("concat")
class Concater(MapDataPipe):
    """Pipes one after the other."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, MapDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `MapDataPipe`")
        if not all(isinstance(each, Sized) for each in datapipes):
            raise TypeError("Expected all inputs to be `Sized`")
        self.datapipes = datapipes

    def __getitem__(self, index: int) -> Any:
        start = 0
        for each in self.datapipes:
            if index - start < len(each):
                return each[index - start]
            start += len(each)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(len(each) for each in self.datapipes)


@functional_datapipe("zip")
class Zipper(MapDataPipe):
    """Tuples of a sample of each pipe."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        self.datapipes = datapipes

    def __getitem__(self, index: Any) -> tuple:
        try:
            return tuple([each[index] for each in self.datapipes])
        except IndexError as error:
            raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes.") from error

    def __len__(self) -> int:
        return min(len(each) for each in self.datapipes)


class Shuffler(IterDataPipe):
    """The samples of a pipe, one after the other in random order; `set_seed` fixes the next run."""

    def __init__(self, datapipe: MapDataPipe, *, indices: list | None = None) -> None:
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled = True
        self._seed: int | None = None
        self._rng = random.Random()

    def set_shuffle(self, shuffle: bool = True) -> Shuffler:
        """Switch shuffling on or off."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Shuffler:
        """Fix the order of the next run."""
        self._seed = seed
        return self

    def reset(self) -> None:
        if self._enabled and self._seed is None:
            self._seed = draw_seed()
        self._rng.seed(self._seed)
        self._seed = None

    def __iter__(self) -> Iterator:
        order = self._rng.sample(self.indices, len(self.indices))[::-1] if self._enabled else self.indices
        for each in order:
            yield self.datapipe[each]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)
