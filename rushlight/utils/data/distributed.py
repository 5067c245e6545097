"""DistributedSampler: each process of several takes its own share of a dataset."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeVar

import rushlight as torch
from rushlight.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)


class DistributedSampler(Sampler[_T_co]):
    """Every `num_replicas`-th index from `rank` on, in an order that `seed` and `set_epoch` determine for all.

    >>> sampler = torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False)
    >>> list(sampler)
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = group().get_world_size() if num_replicas is None else num_replicas
        rank = group().get_rank() if rank is None else rank
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        surplus = num_replicas if drop_last and len(dataset) % num_replicas else 0
        self.num_samples = math.ceil((len(dataset) - surplus) / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[_T_co]:
        count = len(self.dataset)
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = torch.randperm(count, generator=generator).tolist()
        else:
            indices = list(range(count))
        if not self.drop_last and indices:
            # the first ones once more, so that all have as many
            indices *= max(1, math.ceil(self.total_size / count))
        if self.drop_last or count <= self.total_size:
            indices = indices[: self.total_size]
        if len(indices) != self.total_size:
            raise AssertionError(
                f"Number of indices ({len(indices)}) does not match total_size ({self.total_size}): "
                "the dataset has another length now"
            )
        return iter(indices[self.rank :: self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Call it before each epoch, in every process, so that each epoch has an order of its own."""
        self.epoch = epoch


def group() -> Any:
    """torch.distributed, which says how many processes there are and which one this is."""
    from importlib import import_module

    try:
        found = import_module("rushlight.distributed")
    except ModuleNotFoundError:
        found = None
    if found is None or not found.is_available():
        raise RuntimeError("Requires distributed package to be available: give num_replicas and rank")
    return found
