"""DataPipes of samples that come one after the other."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Any

from rushlight.utils.data._utils.collate import default_collate
from rushlight.utils.data.datapipes._decorator import functional_datapipe
from rushlight.utils.data.datapipes.datapipe import DataChunk, IterDataPipe
from rushlight.utils.data.sampler import SequentialSampler, draw_seed

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Filter",
    "IterableWrapper",
    "Mapper",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "UnBatcher",
    "Zipper",
]
# what torch has beside these
LEFT_OUT = "Demultiplexer FileLister FileOpener Forker Grouper Multiplexer RoutedDecoder StreamReader".split()


def __getattr__(name: str) -> Any:
    reason = ""
    if name in LEFT_OUT:
        reason = (
            ": it is not in Rushlight, where DataPipes are there in their simple form; "
            "write a generator function in the __iter__ of an IterableDataset"
        )
    raise AttributeError(f"module 'torch.utils.data.datapipes.iter' has no attribute '{name}'{reason}")


def length_of(pipe: Any, owner: Any) -> int:
    """The length of a pipe, on behalf of one that is made of it."""
    if isinstance(pipe, Sized):
        return len(pipe)
    raise TypeError(f"{type(owner).__name__} instance doesn't have valid length")


class IterableWrapper(IterDataPipe):
    """An iterable as a pipe; each iterator goes over a copy."""

    def __init__(self, iterable: Iterable, deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy.deepcopy(self.iterable)
            except TypeError:
                warnings.warn(
                    "The input iterable can not be deepcopied, please be aware of in-place modification would affect "
                    "source data.",
                    stacklevel=2,
                )
        yield from source

    def __len__(self) -> int:
        return length_of(self.iterable, self)


@functional_datapipe("map")
class Mapper(IterDataPipe):
    """A function of each sample, or of some columns of it, whose result takes the place of a column."""

    def __init__(self, datapipe: IterDataPipe, fn: Callable, input_col: Any = None, output_col: Any = None) -> None:
        self.datapipe = datapipe
        self.fn = fn
        self.input_col = input_col
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col

    def _apply_fn(self, data: Any) -> Any:
        if self.input_col is None:
            return self.fn(data)
        columns = self.input_col if isinstance(self.input_col, (list, tuple)) else (self.input_col,)
        result = self.fn(*[data[each] for each in columns])
        changed = list(data) if isinstance(data, tuple) else data
        if self.output_col == -1:
            changed.append(result)
        elif self.output_col is not None:
            changed[self.output_col] = result
        else:
            changed[columns[0]] = result
            for each in sorted(columns[1:], reverse=True):
                del changed[each]
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self) -> Iterator:
        for each in self.datapipe:
            yield self._apply_fn(each)

    def __len__(self) -> int:
        return length_of(self.datapipe, self)


@functional_datapipe("collate")
class Collator(Mapper):
    """Batches of samples, collated."""

    def __init__(self, datapipe: IterDataPipe, conversion: Any = None, collate_fn: Callable | None = None) -> None:
        if conversion is not None and not callable(conversion):
            raise RuntimeError("collate with conversions by column is not in Rushlight: give a function")
        super().__init__(datapipe, collate_fn or conversion or default_collate)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The samples for which a function, of the sample or of some columns of it, says yes."""

    def __init__(self, datapipe: IterDataPipe, filter_fn: Callable, input_col: Any = None) -> None:
        self.datapipe = datapipe
        self.filter_fn = filter_fn
        self.input_col = input_col

    def __iter__(self) -> Iterator:
        for each in self.datapipe:
            given = self.input_col
            columns = given if isinstance(given, (list, tuple)) else (given,)
            found = self.filter_fn(each) if given is None else self.filter_fn(*[each[name] for name in columns])
            if not isinstance(found, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got " + str(found))
            if found:
                yield each


@functional_datapipe("batch")
class Batcher(IterDataPipe):
    """Samples, so many at a time."""

    def __init__(
        self, datapipe: IterDataPipe, batch_size: int, drop_last: bool = False, wrapper_class: type = DataChunk
    ) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe = datapipe
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self) -> Iterator:
        batch: list = []
        for each in self.datapipe:
            batch.append(each)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        whole, rest = divmod(length_of(self.datapipe, self), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """The samples of batches, one by one; `unbatch_level` says how deep, -1 as deep as it goes."""

    def __init__(self, datapipe: IterDataPipe, unbatch_level: int = 1) -> None:
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self) -> Iterator:
        for each in self.datapipe:
            yield from self._dive(each, self.unbatch_level)

    def _dive(self, element: Any, unbatch_level: int) -> Iterator:
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if isinstance(element, list) and unbatch_level != 0:
            for each in element:
                yield from self._dive(each, max(unbatch_level - 1, -1))
        elif unbatch_level > 0:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            yield element


@functional_datapipe("shuffle")
class Shuffler(IterDataPipe):
    """Samples in random order, as far as a buffer of them allows; `set_seed` fixes the next run."""

    def __init__(self, datapipe: IterDataPipe, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        self.datapipe = datapipe if unbatch_level == 0 else UnBatcher(datapipe, unbatch_level)
        self.buffer_size = buffer_size
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
        if self._enabled:
            self._rng.seed(draw_seed() if self._seed is None else self._seed)
            self._seed = None

    def __iter__(self) -> Iterator:
        if not self._enabled:
            yield from self.datapipe
            return
        buffer: list = []
        for each in self.datapipe:
            if len(buffer) == self.buffer_size:
                place = self._rng.randint(0, len(buffer) - 1)
                chosen, buffer[place] = buffer[place], each
                yield chosen
            else:
                buffer.append(each)
        while buffer:
            yield buffer.pop(self._rng.randint(0, len(buffer) - 1))

    def __len__(self) -> int:
        return length_of(self.datapipe, self)


class Sampler(IterDataPipe):
    """What a sampler yields for a pipe."""

    def __init__(
        self,
        datapipe: IterDataPipe,
        sampler: Any = SequentialSampler,
        sampler_args: Any = None,
        sampler_kwargs: Any = None,
    ) -> None:
        if not isinstance(datapipe, Sized):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        self.datapipe = datapipe
        self.sampler = sampler(*(sampler_args or ()), data_source=datapipe, **(sampler_kwargs or {}))

    def __iter__(self) -> Iterator:
        yield from self.sampler

    def __len__(self) -> int:
        return length_of(self.sampler, self)


@functional_datapipe("concat")
class Concater(IterDataPipe):
    """Pipes one after the other."""

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for each in self.datapipes:
            yield from each

    def __len__(self) -> int:
        return sum(length_of(each, self) for each in self.datapipes)


@functional_datapipe("zip")
class Zipper(IterDataPipe):
    """Tuples of a sample of each pipe, until one of them ends."""

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not all(isinstance(each, IterDataPipe) for each in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(length_of(each, self) for each in self.datapipes)


@functional_datapipe("sharding_filter")
class ShardingFilter(IterDataPipe):
    """The share of a worker: every n-th sample, once `apply_sharding` has said of how many it is which."""

    def __init__(self, source_datapipe: IterDataPipe, sharding_group_filter: Any = None) -> None:
        self.source_datapipe = source_datapipe
        self.num_of_instances = 1
        self.instance_id = 0

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> None:
        """Keep the share of one of several."""
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        self.num_of_instances, self.instance_id = num_of_instances, instance_id

    def __iter__(self) -> Iterator:
        for number, each in enumerate(self.source_datapipe):
            if number % self.num_of_instances == self.instance_id:
                yield each

    def __len__(self) -> int:
        whole, rest = divmod(length_of(self.source_datapipe, self), self.num_of_instances)
        return whole + (self.instance_id < rest)
