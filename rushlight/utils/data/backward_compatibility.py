"""A name of earlier versions of torch."""

from __future__ import annotations

import warnings

__all__ = ["worker_init_fn"]


def worker_init_fn(worker_id: int) -> None:
    """Nothing: loaders give each worker its share of a DataPipe by themselves."""
    warnings.warn(
        "Usage of `backward_compatibility.worker_init_fn` is deprecated as `DataLoader` automatically applies sharding "
        "in every worker",
        FutureWarning,
        stacklevel=2,
    )
