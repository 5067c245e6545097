"""DataLoader: batches of a dataset, in this process or by workers."""

from __future__ import annotations

import multiprocessing as python_multiprocessing
import multiprocessing.context
import warnings
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any, Generic, TypeVar

from rushlight._utils import cpu_count
from rushlight.utils.data import _utils
from rushlight.utils.data._utils.collate import default_collate, default_convert
from rushlight.utils.data._utils.worker import get_worker_info
from rushlight.utils.data.dataset import Dataset, IterableDataset
from rushlight.utils.data.sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, draw_seed

__all__ = ["DataLoader", "get_worker_info", "default_collate", "default_convert"]

_T_co = TypeVar("_T_co", covariant=True)
_worker_init_fn_t = Callable[[int], None]
_collate_fn_t = Callable[[list], Any]
# what may not be changed once a loader is made
FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
ONE_OF_BOTH = "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"


class _DatasetKind:
    """How a dataset gives its samples: by their number, or one after the other."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool) -> Any:
        """What turns indices into batches."""
        fetch = _utils.fetch
        fetcher = fetch._MapDatasetFetcher if kind == _DatasetKind.Map else fetch._IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    """None, without end: what stands for indices where a dataset has none."""

    def __iter__(self) -> Any:
        while True:
            yield None


def as_pipe(dataset: Any) -> Any:
    """The dataset if it is a DataPipe; None otherwise. Most programs never load these."""
    import sys

    pipes = sys.modules.get("rushlight.utils.data.datapipes.datapipe")
    return dataset if pipes is not None and isinstance(dataset, (pipes.IterDataPipe, pipes.MapDataPipe)) else None


def seeded(pipe: Any, generator: Any) -> int | None:
    """Seed the random parts of an iterable DataPipe as torch does; the seed, for the workers."""
    if pipe is None or not isinstance(pipe, IterableDataset):
        return None
    from rushlight.core.random.random import Generator
    from rushlight.utils.data.graph_settings import apply_random_seed

    seed = draw_seed(generator)
    shared = Generator()
    shared.manual_seed(seed)
    apply_random_seed(pipe, shared)
    return seed


class DataLoader(Generic[_T_co]):
    """An iterable over the batches of a dataset, in the order that a sampler says.

    >>> data = torch.utils.data.TensorDataset(torch.arange(5), torch.arange(5) * 10)
    >>> for x, y in torch.utils.data.DataLoader(data, batch_size=2):
    ...     print(x, y)
    tensor([0, 1]) tensor([ 0, 10])
    tensor([2, 3]) tensor([20, 30])
    tensor([4]) tensor([40])

    With `num_workers` the batches are made in other processes and arrive by shared memory, `prefetch_factor` batches a
    worker ahead. `pin_memory` is accepted, and has no effect.
    """

    dataset: Dataset[_T_co]
    batch_size: int | None
    num_workers: int
    pin_memory: bool
    drop_last: bool
    timeout: float
    sampler: Sampler | Iterable
    pin_memory_device: str
    prefetch_factor: int | None
    _iterator: _BaseDataLoaderIter | None
    __initialized = False

    def __init__(
        self,
        dataset: Dataset[_T_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Sampler | Iterable | None = None,
        batch_sampler: Sampler[list] | Iterable[list] | None = None,
        num_workers: int = 0,
        collate_fn: _collate_fn_t | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: _worker_init_fn_t | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_numbers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self._dataset_kind = _DatasetKind.Map
        if isinstance(dataset, IterableDataset):
            self._dataset_kind = _DatasetKind.Iterable
            self.dataset = dataset = check_iterable(dataset, shuffle, sampler, batch_sampler)
        else:
            shuffle = bool(shuffle)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(ONE_OF_BOTH)
            batch_size = None
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")
        if sampler is None:
            sampler = self.default_sampler(dataset, shuffle, generator)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self.persistent_workers = persistent_workers
        self.__initialized = True
        self._IterableDataset_len_called: int | None = None
        self._iterator = None
        self.check_worker_number_rationality()

    def default_sampler(self, dataset: Any, shuffle: bool | None, generator: Any) -> Sampler:
        if self._dataset_kind == _DatasetKind.Iterable:
            return _InfiniteConstantSampler()
        return RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)

    def _get_iterator(self) -> _BaseDataLoaderIter:
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        self.check_worker_number_rationality()
        from rushlight.utils.data.workers import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter(self)

    @property
    def multiprocessing_context(self) -> Any:
        """How worker processes are started: a context of `multiprocessing`, or None for the usual one."""
        return self.__multiprocessing_context

    @multiprocessing_context.setter
    def multiprocessing_context(self, given: Any) -> None:
        if given is not None and self.num_workers <= 0:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
                f"num_workers={self.num_workers}"
            )
        if isinstance(given, str):
            valid = python_multiprocessing.get_all_start_methods()
            if given not in valid:
                raise ValueError(
                    f"multiprocessing_context option should specify a valid start method in {valid!r}, but got "
                    f"multiprocessing_context={given!r}"
                )
            given = python_multiprocessing.get_context(given)
        if given is not None and not isinstance(given, multiprocessing.context.BaseContext):
            raise TypeError(
                "multiprocessing_context option should be a valid context object or a string specifying the start "
                f"method, but got multiprocessing_context={given}"
            )
        self.__multiprocessing_context = given

    def __setattr__(self, attr: str, val: Any) -> None:
        if self.__initialized and attr in FIXED:
            raise ValueError(f"{attr} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(attr, val)

    def __iter__(self) -> _BaseDataLoaderIter:
        if not self.persistent_workers or self.num_workers == 0:
            return self._get_iterator()
        if self._iterator is None:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    @property
    def _auto_collation(self) -> bool:
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Any:
        return self.batch_sampler if self._auto_collation else self.sampler

    def __len__(self) -> int:
        if self._dataset_kind == _DatasetKind.Map:
            return len(self._index_sampler)
        length = self._IterableDataset_len_called = len(self.dataset)  # type: ignore[arg-type]
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else ceil(length / self.batch_size)

    def check_worker_number_rationality(self) -> None:
        """Warn if there are to be more workers than CPUs."""
        if not self.num_workers:
            return
        most = cpu_count()
        if most is None or self.num_workers > most:
            known = "It is not known how many would do." if most is None else f"There are {most} CPUs for them."
            warnings.warn(
                f"This DataLoader will create {self.num_workers} worker processes in total. {known} "
                "More workers than CPUs make loading slow: lower num_workers.",
                stacklevel=3,
            )


def check_numbers(workers: int, timeout: float, prefetch: int | None, persistent: bool) -> None:
    """Refuse numbers that make no sense, in torch's order."""
    if workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if workers == 0 and prefetch is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch is not None and prefetch < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent and workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_iterable(dataset: Any, shuffle: Any, sampler: Any, batch_sampler: Any) -> Any:
    """Refuse options that need indices, which an iterable dataset has none of; the dataset."""
    if as_pipe(dataset) is not None:
        if shuffle is not None:
            from rushlight.utils.data.graph_settings import apply_shuffle_settings

            dataset = apply_shuffle_settings(dataset, shuffle=shuffle)
    elif shuffle not in {False, None}:
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
        )
    if sampler is not None:
        raise ValueError(
            f"DataLoader with IterableDataset: expected unspecified sampler option, but got sampler={sampler}"
        )
    if batch_sampler is not None:
        raise ValueError(
            "DataLoader with IterableDataset: expected unspecified batch_sampler option, but got "
            f"batch_sampler={batch_sampler}"
        )
    return dataset


class _BaseDataLoaderIter:
    """One run through a loader."""

    def __init__(self, loader: DataLoader) -> None:
        self._dataset = loader.dataset
        self._pipe = as_pipe(loader.dataset)
        self._shared_seed = seeded(self._pipe, loader.generator)
        self._dataset_kind = loader._dataset_kind
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._auto_collation = loader._auto_collation
        self._drop_last = loader.drop_last
        self._index_sampler = loader._index_sampler
        self._num_workers = loader.num_workers
        self._pin_memory = False
        self._pin_memory_device = None
        warn_of_pinning(loader)
        self._timeout = loader.timeout
        self._collate_fn = loader.collate_fn
        self._sampler_iter = iter(self._index_sampler)
        self._base_seed = draw_seed(loader.generator)
        self._persistent_workers = loader.persistent_workers
        self._num_yielded = 0

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def _reset(self, loader: DataLoader, first_iter: bool = False) -> None:
        self._sampler_iter = iter(self._index_sampler)
        self._num_yielded = 0
        self._IterableDataset_len_called = loader._IterableDataset_len_called
        self._shared_seed = seeded(self._pipe, loader.generator)

    def _next_index(self) -> Any:
        return next(self._sampler_iter)

    def _next_data(self) -> Any:
        raise NotImplementedError

    def __next__(self) -> Any:
        data = self._next_data()
        self._num_yielded += 1
        told = self._IterableDataset_len_called
        if told is not None and self._dataset_kind == _DatasetKind.Iterable and self._num_yielded > told:
            each = (
                " For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker: get_worker_info() tells which share is its own."
            )
            warnings.warn(
                f"Length of IterableDataset {self._dataset} was reported to be {told}(when accessing len(dataloader)), "
                f"but {self._num_yielded} samples have been fetched.{each if self._num_workers else ''}",
                stacklevel=2,
            )
        return data

    def __len__(self) -> int:
        return len(self._index_sampler)

    def __getstate__(self) -> Any:
        raise NotImplementedError("{} cannot be pickled", type(self).__name__)


def warn_of_pinning(loader: DataLoader) -> None:
    """Say that memory is not pinned: there is nothing that would be faster by it."""
    if loader.pin_memory and loader.pin_memory_device:
        warnings.warn(
            "pin_memory_device is deprecated, the current accelerator will be used as the device,"
            f"ignore pin_memory_device='{loader.pin_memory_device}'.",
            stacklevel=5,
        )
    if loader.pin_memory:
        warnings.warn(
            "'pin_memory' argument is set as true but no accelerator is found, "
            "then device pinned memory won't be used.",
            stacklevel=5,
        )


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Batches that are made here, when they are asked for."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        if self._timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        if self._num_workers != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires num_workers == 0")
        if self._pipe is not None:
            from rushlight.utils.data.graph_settings import apply_sharding

            apply_sharding(self._pipe, 1, 0)
        self._dataset_fetcher = _DatasetKind.create_fetcher(
            self._dataset_kind, self._dataset, self._auto_collation, self._collate_fn, self._drop_last
        )

    def _next_data(self) -> Any:
        return self._dataset_fetcher.fetch(self._next_index())


def _sharding_worker_init_fn(worker_init_fn: Any, world_size: int, rank_id: int, worker_id: int) -> None:
    """What a worker does first with a DataPipe: it keeps its own share among the workers of all processes."""
    from rushlight.utils.data.graph_settings import apply_sharding

    info = get_worker_info()
    if info is None:
        raise AssertionError("Worker info is None in sharding worker init function")
    apply_sharding(info.dataset, info.num_workers * world_size, worker_id * world_size + rank_id)
    if worker_init_fn is not None:
        worker_init_fn(worker_id)


def __getattr__(name: str) -> Any:
    if name == "_MultiProcessingDataLoaderIter":
        from rushlight.utils.data.workers import _MultiProcessingDataLoaderIter

        return _MultiProcessingDataLoaderIter
    raise AttributeError(f"module 'torch.utils.data.dataloader' has no attribute '{name}'")
